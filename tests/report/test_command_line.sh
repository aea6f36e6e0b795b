#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Commands and options, and what is printed from their tables.
. "$WEFT_SOURCE/tests/report/common.sh"
make_profile heat heat.sql
cd "$scratch" || exit 1

refuses 2 "^weft: unknown command 'reprot', did you mean 'report'\? See weft --help$" reprot
refuses 2 "^weft: unknown command 'xyzzy'; see weft --help$" xyzzy
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
refuses 2 "--raw does not go with --tree or --source" report --tree --raw
refuses 2 "--path and --tree do not go together" report --path --tree
refuses 2 "--path and --raw do not go together" report --path --raw
refuses 2 "--path and --site do not go together" report --path --site x.c:1
refuses 2 "option '--sort' needs one of time\|waiting\|count\|bytes\|imbalance, not 'name'" report --sort name
refuses 2 "one profile at a time, not 'a' and 'b'" report a b
refuses 2 "^weft doctor: it takes no 'x'; see weft doctor --help$" doctor x
refuses 2 "^weft help: there is no command 'x'; see weft help --help$" help x
refuses 2 "option '--completion' needs one of bash, not 'fish'" help --completion fish

# Variables: used where the command line says nothing, and named where they are wrong.
export WEFT_REPORT_TOP=2
[[ $("$WEFT" report heat.weft | grep -c MPI_) == 3 ]] || fail "WEFT_REPORT_TOP is not used" # two statements, and MPI_Init above
[[ $("$WEFT" report --top 4 heat.weft | grep -c MPI_) == 5 ]] || fail "the command line does not come first"
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

# The completion, asked as bash asks it.
# complete_words WORD...: what the last word can become
complete_words() {
    bash --norc -c '
        source <("$WEFT" help --completion bash)
        COMP_WORDS=(weft "$@"); COMP_CWORD=$#
        _weft
        echo "${COMPREPLY[*]}"' bash "$@"
}
export WEFT
[[ $(complete_words rep) == report ]] || fail "completion of a command"
[[ $(complete_words report --wid) == --width ]] || fail "completion of an option"
[[ $(complete_words report --sort i) == imbalance ]] || fail "completion of a value"
[[ $(complete_words report --site x) == "" ]] || fail "completion of a free value"
[[ $(complete_words path st) == "start stop" ]] || fail "completion of a first word"
[[ $(complete_words path start .wef) == "" ]] || fail "completion behind a first word"
[[ $(complete_words run --path l) == later ]] || fail "completion of the path"
[[ $(complete_words help doc) == doctor ]] || fail "completion behind help"
if command -v shellcheck >/dev/null; then
    "$WEFT" help --completion bash >completion && shellcheck -s bash completion || fail "shellcheck on the completion"
fi
# The clock reaches the program, and what a launcher passes on to other hosts.
cd "$scratch" || exit 1
[[ $("$WEFT" run -q --clock=local printenv WEFT_CLOCK 2>err) == local ]] || fail "the clock does not reach the program: $(cat err)"
[[ $(WEFT_CLOCK=real "$WEFT" run -q printenv WEFT_CLOCK 2>err) == real ]] || fail "the clock of the environment does not reach the program"
[[ $(env -u WEFT_CLOCK "$WEFT" run -q printenv WEFT_CLOCK 2>err) == "" ]] || fail "a clock that nobody asked for"
[[ $("$WEFT" run -q --clock delay printenv OMPI_MCA_orte_launch_agent 2>err) == *" WEFT_CLOCK=delay "* ]] || fail "the clock does not reach other hosts"
finish
