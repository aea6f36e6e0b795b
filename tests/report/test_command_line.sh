#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Commands and options, and what is printed from their tables.
. "$WEFT_SOURCE/tests/report/common.sh"
make_profile heat heat.sql
cd "$scratch" || exit 1

refuses 2 "^weft: unknown command 'reprot', did you mean 'report'\? See weft --help$" reprot
refuses 2 "^weft: unknown command 'xyzzy'; see weft --help$" xyzzy
refuses 2 "^weft: unknown command ''; see weft --help$" ''
refuses 2 "^weft: unknown command '/tmp'; see weft --help$" /tmp

# A program instead of a command: the whole command line is repeated behind weft run, as a shell takes it.
mkdir -p bin && printf '#!/bin/sh\nprintf "<%%s>" "$0" "$@"\n' >bin/solver && chmod 755 bin/solver && cp bin/solver solve && cp bin/solver plain && chmod 644 plain
PATH=$PWD/bin:$PATH refuses 2 "^weft: unknown command 'solver', did you mean \"weft run solver -n 4 a\"\? See weft --help$" solver -n 4 a
for launcher in mpirun mpiexec srun mpirun.openmpi mpiexec.hydra; do
    refuses 2 "^weft: unknown command '$launcher', did you mean \"weft run $launcher -n 4 ./app\"\? See" $launcher -n 4 ./app
done
refuses 2 "did you mean \"weft run ./solve 1\"\? See" ./solve 1
refuses 2 "did you mean \"weft run ./solve 1\"\? See" solve 1
refuses 2 "^weft: unknown command './plain'; see weft --help$" ./plain
refuses 2 "^weft: unknown command './absent'; see weft --help$" ./absent
cp bin/solver rerpot && refuses 2 'did you mean "weft run ./rerpot"\? See' ./rerpot
words=("it's" '' '$HOME' '*' 'a b' '"' '\' '~' '!x' 'a;b' '-x' 'A=1')
refuses 2 'did you mean "weft run ./solve ' ./solve "${words[@]}"
suggested=$(sed 's/.* did you mean "weft run \(.*\)"? See weft --help$/\1/' err)
[[ $(bash -c "$suggested") == "$(./solve "${words[@]}")" ]] || fail "a shell takes '$suggested' for something else"
refuses 2 "^weft: unknown command './solve', did you mean \"weft run ./solve 'a\?\[2J'\"\?" ./solve $'a\033[2J'

refuses 2 "^weft: unknown option '--foo'; see weft --help$" --foo
refuses 2 "^weft report: unknown option '--foo'; see weft report --help$" report --foo
refuses 2 "^weft report: unknown option '--tpo', did you mean '--top'\? See weft report --help$" report --tpo 3
refuses 2 "unknown option '-x'" report -x
refuses 2 "^weft report: option '--top' needs a value \(N\); see" report --top
refuses 2 "^weft report: option '--top' needs a whole number, not 'many'; see" report --top many
refuses 2 "option '--top' needs a whole number, not '-1'" report --top=-1
refuses 2 "option '--top' needs a whole number, not '3x'" report -n3x
refuses 2 "option '--top' needs a whole number, not '99999999999999999999'" report --top 99999999999999999999
refuses 2 "option '--ranks' takes no value" report --ranks=yes
refuses 2 "^weft run: option '--clock' needs one of virtual\|delay\|local\|real, not 'wall'; see weft run --help$" run --clock=wall true
WEFT_CLOCK=wall refuses 2 "^weft run: variable WEFT_CLOCK needs one of virtual\|delay\|local\|real, not 'wall'" run true
refuses 2 "--raw cannot be combined with --tree or --source" report --tree --raw
refuses 2 "--path and --tree cannot be combined" report --path --tree
refuses 2 "--path and --raw cannot be combined" report --path --raw
refuses 2 "--path and --site cannot be combined" report --path --site x.c:1
refuses 2 "option '--sort' needs one of time\|waiting\|idle\|count\|bytes\|imbalance, not 'name'" report --sort name
refuses 2 "give one profile, not both 'a' and 'b'" report a b
refuses 2 "^weft doctor: there is no argument 'x'; see weft doctor --help$" doctor x
refuses 2 "^weft help: there is no command 'x'; see weft help --help$" help x
refuses 2 "option '--completion' needs one of bash, not 'fish'" help --completion fish

# Variables: used where the command line says nothing, and named where they are wrong.
export WEFT_REPORT_TOP=2
[[ $("$WEFT" report heat.weft | grep -c MPI_) == 4 ]] || fail "WEFT_REPORT_TOP is not used" # two statements, and MPI_Init and the first sentence above
[[ $("$WEFT" report --top 4 heat.weft | grep -c MPI_) == 6 ]] || fail "the command line does not come first"
export WEFT_REPORT_TOP=x
refuses 2 "^weft report: variable WEFT_REPORT_TOP needs a whole number, not 'x'; see weft report --help$" report heat.weft
"$WEFT" report --top 4 heat.weft >/dev/null || fail "a variable that is not used must not matter"
"$WEFT" report --help >/dev/null || fail "--help in spite of a bad variable"
export WEFT_REPORT_TOP=
"$WEFT" report heat.weft >/dev/null || fail "an empty variable is none"
unset WEFT_REPORT_TOP

# Options and words in any order; letters glued or not.
for line in "--top 1 --ranks heat.weft" "heat.weft --ranks --top=1" "-rn1 heat.weft" "-n 1 heat.weft -r" "--ranks -n1 -- heat.weft"; do
    # shellcheck disable=SC2086
    "$WEFT" report $line >out || fail "report $line"
    grep -q '^Ranks' out || fail "report $line: no ranks"
done

# --help, help and man pages, for every command.
commands=$("$WEFT" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
[[ $commands == *report* && $commands == *run* && $commands == *doctor* ]] || fail "commands: $commands"
"$WEFT" --version | grep -qE '^weft [0-9]+\.[0-9]+\.[0-9]+$' || fail "--version"
"$WEFT" help >help.txt && "$WEFT" --help | diff help.txt - || fail "weft help is not weft --help"
"$WEFT" >out 2>err && fail "weft alone is a usage error"
[[ ! -s out ]] && diff help.txt err || fail "weft alone prints the help"
for command in $commands; do
    "$WEFT" "$command" --help >help.txt || fail "$command --help: exit status $?"
    "$WEFT" help "$command" | diff help.txt - || fail "help $command is not $command --help"
    grep -q "^Usage: weft $command " help.txt || fail "$command --help: no usage"
    (($(wc -L <help.txt) <= 80)) || fail "$command --help: wider than 80 columns"
done
for page in weft $commands; do
    "$WEFT" help --man "$page" >page.1 || fail "man page of $page"
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' 'SEE ALSO'; do
        grep -q "^\.SH $section\$" page.1 || fail "man page of $page has no $section"
    done
    if command -v groff >/dev/null; then
        warnings=$(groff -man -Tutf8 -ww -z page.1 2>&1)
        [[ -z $warnings ]] || fail "man page of $page: $warnings"
    fi
    if command -v mandoc >/dev/null; then
        mandoc -Tlint -Wwarning page.1 || fail "mandoc on the page of $page"
    fi
done

# The clock reaches the program, and what a launcher passes on to other hosts.
cd "$scratch" || exit 1
[[ $("$WEFT" run -q --clock=local printenv WEFT_CLOCK 2>err) == local ]] || fail "the clock does not reach the program: $(cat err)"
[[ $(WEFT_CLOCK=real "$WEFT" run -q printenv WEFT_CLOCK 2>err) == real ]] || fail "the clock of the environment does not reach the program"
[[ $(env -u WEFT_CLOCK "$WEFT" run -q printenv WEFT_CLOCK 2>err) == "" ]] || fail "a clock that was not asked for"
[[ $("$WEFT" run -q --clock delay printenv OMPI_MCA_orte_launch_agent 2>err) == *" WEFT_CLOCK=delay "* ]] || fail "the clock does not reach other hosts"
finish
