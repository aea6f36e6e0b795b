#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Each rule of tools/lint.sh is broken once in a small tree of its own: the check says where, and nothing else.
. "$(dirname "$0")/../lib.sh"

lint=$root/tools/lint.sh
tree=$tmp/tree
for program in clang-format clang-tidy cppcheck codespell ctags shellcheck python3; do
    command -v "$program" >/dev/null || skip "there is no $program here"
done

# A tree with nothing to be said of it.
clean_tree()
{
    rm -rf "$tree"
    mkdir -p "$tree"/{src/{base,format,collect/inner},include/weft,tools,docs,tests/some,build}
    cp "$root"/.clang-{format,tidy} "$tree"
    printf 'base:\nweft:\nformat: base\ncollect: base format collect/*\ncollect/inner: base\n' >"$tree/tools/rooms.tbl"
    printf '# A comment.\nriddle -> say what it is\nnot to be -> say whether\n' >"$tree/tools/words.tbl"
    printf 'tests/some/*: their lines are numbered\n' >"$tree/tools/columns.tbl"
    : >"$tree/tools/globals.tbl"
    write src/base/list.h <<'END'
#pragma once

struct wf_list {
    int length;
};

int wf_list_length(struct wf_list *list);
END
    write src/base/list.c <<'END'
#include "base/list.h"

static int list_bound(struct wf_list *list)
{
    return list->length > 9 ? 9 : list->length;
}

int wf_list_length(struct wf_list *list)
{
    return list_bound(list);
}
END
    write src/collect/inner/all.h <<'END'
#include "base/list.h"
END
    write src/collect/all.c <<'END'
#include "base/list.h"
#include "collect/inner/all.h"
END
    printf '# %s\n\nIt says little. It says it twice.\n' "$(sentence 50)" >"$tree/docs/all.md"
    printf '#!/bin/sh\n# %0120d\n' 0 >"$tree/tests/some/some.sh"
    compile_commands
}

write()
{
    cat >"$tree/$1"
}

compile_commands()
{
    local file
    for file in $(cd "$tree" && find src -name '*.c'); do
        printf '{"directory": "%s", "file": "%s", "command": "gcc -Isrc -c %s"},\n' "$tree" "$tree/$file" "$tree/$file"
    done | sed '1s/^/[/; $s/,$/]/' >"$tree/build/compile_commands.json"
}

# says CHECK EXPECTED: its findings are exactly those, and its status tells whether there are any.
says()
{
    local check=$1 expected=$2 status=0 found
    found=$("$lint" -C "$tree" "$tree/build" "$check" 2>"$tmp/log") || status=$?
    [ "$found" = "$expected" ] || fail "$check says
$found
$(cat "$tmp/log")
and not
$expected"
    [ $status = $((${#expected} > 0)) ] || fail "$check ends with $status"
}

clean()
{
    says "$1" ""
}

test_clean_tree()
{
    local check
    clean_tree
    for check in format columns rooms names globals words spelling shell cppcheck tidy; do
        clean "$check"
    done
}

test_format()
{
    clean_tree
    write src/base/list.c <<'END'
#include "base/list.h"
int wf_list_length(struct wf_list *list)
{
  return list->length;
}
END
    says format "src/base/list.c:3: run clang-format -i src/base/list.c"
}

test_columns()
{
    clean_tree
    local long
    long=$(printf '%0121d' 0)
    mkdir -p "$tree/tests/other"
    printf '/* %s */\n' "${long:7}" >"$tree/src/base/fits.c"
    printf '\n/* %s */\n' "${long:6}" >"$tree/src/base/long.c"
    printf '# %s\n' "$long" >"$tree/tests/other/long.sh"
    says columns "src/base/long.c:2: break the line: 121 columns, 120 at most
tests/other/long.sh:1: break the line: 123 columns, 120 at most"
}

test_rooms()
{
    clean_tree
    printf '\n#include "collect/all.h"\n' >"$tree/src/format/up.c"
    says rooms "src/format/up.c:2: format may not include collect (tools/rooms.tbl)"

    clean_tree
    printf '#include "format/x.h"\n' >"$tree/src/collect/inner/down.c"
    says rooms "src/collect/inner/down.c:1: collect/inner may not include format (tools/rooms.tbl)"

    clean_tree
    sed -i 's/inner: base/& collect/' "$tree/tools/rooms.tbl"
    printf '#include "collect/all.h"\n' >"$tree/src/collect/inner/up.c"
    says rooms "src/collect/all.c:2: break the cycle: collect/inner leads back to collect by its own includes
src/collect/inner/up.c:1: break the cycle: collect leads back to collect/inner by its own includes"

    clean_tree
    mkdir "$tree/src/new"
    printf '#include "list.h"\n' | tee "$tree/src/new/x.h" >"$tree/src/new/y.h"
    says rooms "src/new/x.h:1: give the room new a line in tools/rooms.tbl"

    clean_tree
    printf 'gone: base\nbase: format\n' >>"$tree/tools/rooms.tbl"
    says rooms "tools/rooms.tbl:6: remove the line: there is no room gone
tools/rooms.tbl:7: write 'room: rooms that it may include', one line for each room"
}

# What is there, as a table, is what the table allows.
test_edges()
{
    clean_tree
    "$root/tools/lint/rooms.py" --edges "$tree" >"$tmp/edges"
    diff - "$tmp/edges" <<'END' || fail "the edges of the clean tree"
base:
collect: base collect/inner
collect/inner: base
END
}

test_names()
{
    clean_tree
    write src/format/list.c <<'END'
static int list_bound(void)
{
    return 9;
}
END
    says names "src/format/list.c:1: name it after its object: function list_bound stands in src/base/list.c:3, too"

    clean_tree
    printf 'typedef int wf_list;\nenum kind { ONE };\n' >"$tree/src/format/x.c"
    printf '\nunion kind {\n    int one;\n};\n' >"$tree/src/format/y.c"
    says names "src/format/x.c:1: find another name: type wf_list stands in src/base/list.h:3, too
src/format/y.c:2: find another name: type kind stands in src/format/x.c:2, too"

    # A header may stand in for what its own file does under another condition.
    clean_tree
    printf 'static inline int wf_list_length(struct wf_list *list)\n{\n    return 0;\n}\n' >>"$tree/src/base/list.h"
    clean names
}

test_globals()
{
    clean_tree
    printf 'static const int fixed = 1;\nint first;\nstatic char *second, third[9];\n' >"$tree/src/base/x.c"
    printf 'src/base/x.c: first, second -> the test has them\n' >"$tree/tools/globals.tbl"
    says globals "src/base/x.c:3: put third into an object, or its reason into tools/globals.tbl"

    printf 'src/base/x.c: first, third, gone -> why\nsrc/base/x.c: second\n' >"$tree/tools/globals.tbl"
    says globals "src/base/x.c:3: put second into an object, or its reason into tools/globals.tbl
tools/globals.tbl:1: remove gone: src/base/x.c has no such variable
tools/globals.tbl:2: write 'file: variable, variable -> why'"
}

test_words()
{
    clean_tree
    write src/format/x.c <<'END'
int riddle; /* The name of a variable is no word. */

/* One Riddle, and this is not
 * to be, either. */
const char *text = "a riddle";
const char *name = "riddle", *longer = "riddles are more";
END
    write tests/some/x.sh <<'END'
riddle=1 # the riddle
echo riddle "and a riddle" 'riddle'
END
    printf '\nA riddle\n`riddle`\n\n    riddle\n' >"$tree/docs/x.md"
    says words "docs/x.md:2: not 'riddle': say what it is
docs/x.md:3: not 'riddle': say what it is
src/format/x.c:3: not 'Riddle': say what it is
src/format/x.c:3: not 'not to be': say whether
src/format/x.c:5: not 'riddle': say what it is
tests/some/x.sh:1: not 'riddle': say what it is
tests/some/x.sh:2: not 'riddle': say what it is"

    clean_tree
    printf 'lonely\n' >>"$tree/tools/words.tbl"
    says words "tools/words.tbl:4: write 'words -> what to say instead'"
}

# So many words, without a full stop.
sentence()
{
    local i
    printf 'Word'
    for ((i = 1; i < $1; i++)); do
        printf ' word'
    done
}

test_sentences()
{
    clean_tree
    {
        printf '# %s\n\n%s.\n%s. %s.\n' "$(sentence 50)" "$(sentence 40)" "$(sentence 20)" "$(sentence 39), e.g. this"
        printf -- '- %s\n- %s\n\n' "$(sentence 40)" "$(sentence 40)"
        printf '| %s |\n\n    %s\n\n```\n%s\n```\n' "$(sentence 50)" "$(sentence 50)" "$(sentence 50)"
        printf '\nThe code `%s` is one word.\n' "$(sentence 50)"
        printf '\n1. %s\n   %s.\n' "$(sentence 20)" "$(sentence 21)"
    } >"$tree/docs/x.md"
    {
        printf '/* %s.\n * %s:\n *\n *     %s\n */\n' "$(sentence 40)" "$(sentence 40)" "$(sentence 50)"
        printf '/* Short.\n * %s\n * %s. */\n' "$(sentence 20)" "$(sentence 21)"
        printf '// %s\n// %s\n' "$(sentence 20)" "$(sentence 21)"
    } >"$tree/src/base/x.h"
    local what="40 at most: Word word word word word word word word word word ..."
    says words "docs/x.md:4: split the sentence: 41 words, $what
docs/x.md:18: split the sentence: 41 words, $what
src/base/x.h:7: split the sentence: 41 words, $what
src/base/x.h:9: split the sentence: 41 words, $what"
}

test_spelling()
{
    clean_tree
    printf 'How to %s it.\n' "recie""ve" >"$tree/docs/x.md"
    says spelling "docs/x.md:1: recie""ve ==> receive"
}

test_shell()
{
    clean_tree
    printf '#!/bin/bash\nlocal x=1\n' >"$tree/tests/some/x.sh"
    says shell "tests/some/x.sh:2: 'local' is only valid in functions. [SC2168]"
}

test_cppcheck()
{
    clean_tree
    write src/base/x.c <<'END'
int wf_x(int n)
{
    int a[4] = {0};
    return n ? a[4] : 0;
}
END
    says cppcheck "src/base/x.c:4: Array 'a[4]' accessed at index 4, which is out of bounds. [arrayIndexOutOfBounds]"
}

test_tidy()
{
    clean_tree
    write src/base/x.c <<'END'
int wf_x(int n)
{
    int a;
    if (n > 3)
        a = 1;
    return a;
}
END
    compile_commands
    local what="Undefined or garbage value returned to caller"
    says tidy "src/base/x.c:6: $what [clang-analyzer-core.uninitialized.UndefReturn]"
}

# A check that cannot do its work is not clean.
test_broken_checks()
{
    clean_tree
    rm "$tree/tools/rooms.tbl"
    says rooms "lint: the check 'rooms' does not work here (status 1)"
    rm -r "$tree/src"
    says tidy "lint: the check 'tidy' does not work here (status 123)"
    local status=0
    "$lint" -C "$tree" "$tree/build" nothing 2>"$tmp/log" || status=$?
    [ $status = 2 ] || fail "a check of no name ends with $status"
}

for test in $(compgen -A function test_); do
    "$test" || fail "$test"
done
