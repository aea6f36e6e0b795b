#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What weft run is told of the path reaches the program, here and on other hosts; wrong values are said in one sentence,
# and nothing is started.
. "$(dirname "$0")/../lib.sh"
cd "$tmp"

# gives VARIABLE VALUE OPTION...
gives()
{
    local variable=$1 value=$2 got
    shift 2
    got=$("$WEFT" run -q "$@" printenv "$variable" 2>err) || true
    [ "$got" = "$value" ] || fail "weft run $*: $variable is '$got', not '$value' ($(cat err))"
}

# refuses PATTERN OPTION...
refuses()
{
    local pattern=$1 status=0
    shift
    "$WEFT" run "$@" touch started >out 2>err || status=$?
    [ $status = 2 ] || fail "weft run $*: exit status $status"
    [ "$(wc -l <err)" = 1 ] || fail "weft run $*: not one sentence: $(cat err)"
    grep -Eq -- "$pattern" err || fail "weft run $*: no '$pattern' in: $(cat err)"
    [ ! -e started ] || fail "weft run $* has started the program"
}

for mode in on later off; do
    gives WEFT_PATH $mode --path=$mode
done
gives WEFT_PATH ''
gives WEFT_PATH_WEIGHT cpu --path-weight=cpu
gives WEFT_PATH_WEIGHT elapsed --path-weight elapsed
gives WEFT_PATH_REGIONS 0 --path-regions=0
gives WEFT_PATH_REGIONS 4096 --path-regions 4096
gives WEFT_PATH_REGIONS ''
gives WEFT_PATH_SELECT 'relax*,*/solve.c' --path-select='relax*,*/solve.c'
export WEFT_PATH_REGIONS=12
gives WEFT_PATH_REGIONS 12
gives WEFT_PATH_REGIONS 7 --path-regions=7
unset WEFT_PATH_REGIONS
# Open MPI's daemons on other hosts are started with them.
agent=$("$WEFT" run -q --path=on --path-weight=cpu --path-regions=8 --path-select=relax \
    printenv OMPI_MCA_orte_launch_agent 2>err) || true
for word in LD_PRELOAD= WEFT_DIR= WEFT_PATH=on WEFT_PATH_WEIGHT=cpu WEFT_PATH_REGIONS=8 WEFT_PATH_SELECT=relax; do
    case " $agent" in
    *" $word"*) ;;
    *) fail "other hosts are not told $word: '$agent' ($(cat err))" ;;
    esac
done

refuses "option '--path' needs one of on\|later\|off, not 'soon'" --path=soon
refuses "option '--path-weight' needs one of elapsed\|cpu, not 'wall'" --path-weight=wall
refuses "option '--path-regions' needs a whole number, not '-3'" --path-regions=-3
refuses "option '--path-regions' needs a whole number, not 'all'" --path-regions=all
refuses "--path-regions=4097 is too many; give 0 to 4096" --path-regions=4097
for list in '' , a, ,a a,,b; do
    refuses "--path-select='$list' contains an empty pattern" --path-select="$list"
done
export WEFT_PATH=maybe
refuses "variable WEFT_PATH needs one of on\|later\|off, not 'maybe'"
