#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# tools/shape.py counts what it says: in a small tree with a known number of everything.
. "$(dirname "$0")/../lib.sh"
command -v ctags >/dev/null || skip "there is no ctags here"

mkdir -p "$tmp/src/one" "$tmp/src/two" "$tmp/tools"
: >"$tmp/tools/words.tbl"
cat >"$tmp/src/one/a.c" <<'END'
static int first, *second; /* mutable: two */
static const int third = 1;
const char *fourth = "mutable"; /* { */
const char *const fifth = "fixed";
static const struct {
    int x;
} sixth = {1};
struct {
    int x;
} seventh[2]; /* mutable */
static void (*eighth)(void); /* mutable */
static __thread int ninth;   /* mutable */
extern int tenth;

static int one(void)
{
    static int local; /* of a function: not counted */
    return ++local;
}

struct shared {
    int x;
};
END
cat >"$tmp/src/two/b.c" <<'END'
static const int *const table[] = {0, 0};
static int one(void)
{
    int a = 1;

    return a;
}

struct shared {
    int y;
};
END
cat >"$tmp/src/two/b.h" <<'END'
int two(void);
END

"$root/tools/shape.py" "$tmp" >"$tmp/out" || fail "shape.py ends with $?"
grep -qx 'src/one  *1  *23  *1  *6' "$tmp/out" || fail "room one: $(cat "$tmp/out")"
grep -qx 'src/two  *2  *12  *1  *0' "$tmp/out" || fail "room two: $(cat "$tmp/out")"
grep -qx 'all  *3  *35  *2  *6' "$tmp/out" || fail "all rooms: $(cat "$tmp/out")"
grep -qx 'lines of a function: median 6, .*, max 6; 0 of 2 over 60' "$tmp/out" || fail "functions: $(cat "$tmp/out")"
grep -qx 'function names in several files: 1, in 2 places' "$tmp/out" || fail "function names: $(cat "$tmp/out")"
grep -qx 'type names in several files: 1, in 2 places' "$tmp/out" || fail "type names: $(cat "$tmp/out")"
grep -qx 'longest sentence: 5 words, .*' "$tmp/out" || fail "sentences: $(cat "$tmp/out")"
