#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The completion, asked as bash asks it.
. "$WEFT_SOURCE/tests/tree/common.sh"
make_profile heat heat.sql
make_profile wave wave.sql
mkdir "$scratch/bin" && ln -s "$WEFT" "$scratch/bin/weft"
export WEFT PATH=$scratch/bin:$PATH COMPLETION=$scratch/completion
cd "$scratch" || exit 1
touch -d 2026-01-01 heat.weft && touch -d 2026-01-02 wave.weft
"$WEFT" help --completion bash >completion || fail "no completion"
if command -v shellcheck >/dev/null; then
    shellcheck -s bash completion || fail "shellcheck on the completion"
fi

# complete_words WORD...: what the last word can become. Words are broken at colons and equals signs, as readline does
# it.
complete_words() {
    bash --norc -c '
        source "$COMPLETION"
        eval "${SETUP-}"
        COMP_WORDS=(weft)
        for word; do
            while [[ $word =~ ^([^:=]*)([:=]+)(.*)$ ]]; do
                [[ -z ${BASH_REMATCH[1]} ]] || COMP_WORDS+=("${BASH_REMATCH[1]}")
                COMP_WORDS+=("${BASH_REMATCH[2]}")
                word=${BASH_REMATCH[3]} broken=1
            done
            [[ -z $word && -n ${broken-} ]] || COMP_WORDS+=("$word")
            broken=
        done
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        COMP_LINE="weft $*"
        COMP_POINT=${#COMP_LINE}
        COMP_WORDBREAKS=$'\'' \t\n"'\'\\\'\''"@><=;|&(:'\''
        _weft weft "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        echo "${COMPREPLY[*]}"' bash "$@"
}

# completes EXPECTED WORD...: these words and no others, in any order.
completes() {
    local expected=$1 got
    shift
    got=$(complete_words "$@" 2>err) || fail "weft $*: exit status $?"
    [[ ! -s err ]] || fail "weft $*: $(cat err)"
    [[ $(tr ' ' '\n' <<<"$got" | sort) == "$(tr ' ' '\n' <<<"$expected" | sort)" ]] || fail "weft $*: '$got', not '$expected'"
}

# Commands and options.
completes report rep
completes "--version" --v
completes "run report path stuck query cc instrument collect doctor help --version --help" ''
completes --width report --wid
completes "--path --path-weight --path-regions --path-select" run --path
completes doctor help doc
completes report help --man rep
completes "" report -- --wid

# Values: words that are known, and nothing where any text may stand.
completes imbalance report --sort im
completes imbalance report --sort=im
completes later run --path l
completes "" report --top 1
completes "" run --output x

# Actions, and the run directories behind them.
mkdir .weft-Xa81Qz .weft-other
completes "start stop" path st
completes ".weft-Xa81Qz .weft-other" path start .weft-
completes .weft-other path show .weft-o
completes .weft-Xa81Qz collect --keep .weft-X
completes show path --all sh

# Profiles, and directories that may hold some.
mkdir runs && cp heat.weft runs/other.weft && touch -d 2026-01-01 runs/other.weft && touch notes.txt
completes "heat.weft" report h
completes "heat.weft" report --all --top 3 h
completes "runs" report r
completes "runs/other.weft" report runs/
completes "wave.weft" query program-time w
completes "heat.weft" query --sql 'SELECT 1' h

# Statements of the newest profile in this directory; with directories where the user began with one.
completes "wave.c:61 wave.c:73 wave.c:11 wave.c:12 wave.c:14 wave.c:29 wave.c:50" report --site w
completes "50" report --site wave.c:5 # what is behind the last break of readline
completes "50" report --site=wave.c:5
completes "61 73 11 12 14 29 50" report --site wave.c:
completes "progress.c:34" report -s p
completes "src/progress.c:34" report --site src/p
completes "34" report --site src/progress.c:
completes "progress.c:34" report --site=p
completes "io.c:8 io.c:22" report --all --site i

# Of the profile on the line, in front or behind.
completes "rma.c:77" report heat.weft --site r
completes "rma.c:77" report ./heat.weft -s r
completes "" report absent.weft --site r

# Procedures, regions, loops, calls, sources and ranks.
completes "exchange energy" query procedure e
completes "Setup::make_grid" query calls-in S
completes "make_grid" query procedure Setup::
completes "exchange energy" report --tree --focus e
completes "tuning" report --tree --focus t
completes "wave.c:10 wave.c:21 wave.c:65" query loop w
completes "21" query loop wave.c:2
completes "wave.c:35 wave.c:36 wave.c:44 wave.c:62 wave.c:66 wave.c:67 wave.c:68 wave.c:72 wave.c:23" query call w
completes "29" query communication wave.c:2
completes "progress_thread progress.c:33 progress.c:34" report --tree --focus p
completes "wave.c" report --source w
completes "src/wave.c" report --source src/w
completes "0 1 2 3" report --tree --rank ''
completes "2" query late 2
completes "0 1 2 3" query first-cause ''
completes "energy exchange" run --only e
completes "main,exchange main,energy" run --only main,e
completes "main,wave.c main,write_fields" run --skip=main,w
completes "stencil setup.cc" run --path-select s

# Questions, their arguments, and then the profile.
completes "program-time procedure" query pro
completes "waiting" query w
completes "wait-at-barrier wait-at-N-to-N wait-at-scan wait-at-neighbour wait-at-window wait-for-lock wait-at-file" \
    query waiting wait
completes "late-sender late-receiver late-broadcast late-post late-complete" query --json waiting late
completes "heat.weft" query procedure energy h
completes "--csv" query --sql 'SELECT 1' --c

# Words after the program's name get the program's own completion, or files.
completes "" run ./prog --o
completes "" run mpirun --o
completes "" run -q -o a.weft -- mpirun --
completes "" run --output=a.weft mpirun --pa
completes "" run --path later --only 'a,b' ./prog -
completes "--output --only" run -q --o
completes "--output --only" run --path later --o
# shellcheck disable=SC2089
SETUP='_probe() { COMPREPLY=("$COMP_CWORD|${COMP_WORDS[*]}|$1|$2|$3|$COMP_LINE|$COMP_POINT"); }; complete -o default -F _probe mpirun'
# shellcheck disable=SC2090
export SETUP
[[ $(complete_words run -q mpirun -n 4 --ho) == "3|mpirun -n 4 --ho|mpirun|--ho|4|mpirun -n 4 --ho|16" ]] || fail "the program's own completion: $(complete_words run -q mpirun -n 4 --ho)"
[[ $(complete_words run --output=a.weft /usr/bin/mpirun --h) == "1|/usr/bin/mpirun --h|/usr/bin/mpirun|--h|/usr/bin/mpirun|/usr/bin/mpirun --h|19" ]] ||
    fail "the program's own completion, by its path: $(complete_words run --output=a.weft /usr/bin/mpirun --h)"
SETUP='_command_offset() { COMPREPLY=("offset $1"); }'
[[ $(complete_words run -q mpirun -n 4 --ho) == "offset 3" ]] || fail "bash-completion is not asked: $(complete_words run -q mpirun -n 4 --ho)"
[[ $(complete_words run --output=a.weft mpirun --ho) == "offset 5" ]] || fail "bash-completion is asked for the wrong word: $(complete_words run --output=a.weft mpirun --ho)"
unset SETUP
[[ " $(complete_words run solv) " != *" solver "* ]] || fail "a program that is not there"
printf '#!/bin/sh\n' >bin/solver && chmod 755 bin/solver
completes solver run solve
completes solver run --quiet solve

# Names that a shell would take for something else are not offered; nothing of a name is executed.
cp wave.weft odd.weft && touch -d 2026-01-03 odd.weft
sqlite3 odd.weft "UPDATE weft_site SET name = '\$(touch executed)' WHERE name = 'energy'; UPDATE weft_site SET name = 'a b' WHERE name = 'exchange'; UPDATE weft_site SET name = 'e;ls' WHERE name = 'stencil'"
completes "" query procedure e
[[ ! -e executed ]] || fail "a name was executed"
cd runs && rm other.weft && completes "" report --site w
finish
