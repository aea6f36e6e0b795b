#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Ranks on two hosts get weft's variables as they are, whatever the user passes on with -x; Open MPI's own way to pass
# variables stays the user's.
. "$(dirname "$0")/../../lib.sh"
use_mpi openmpi
. "$tests/hosts/lib_hosts.sh"
compile ring -g "$tests/launch/ring.c"
limited "$MPIRUN" "${hosts[@]}" -n 4 ./ring 10 </dev/null >out 2>err ||
    skip "Open MPI does not run over namespaces here: $(head -n 3 err)"

skip='a*b,?c [d] $HOME "e" '\''f'\'' \g'
# shellcheck disable=SC2016
limited "$WEFT" run -q -o x.weft --skip "$skip" "$MPIRUN" "${hosts[@]}" -x FOO=bar -n 4 sh -c \
    'echo "$FOO $WEFT_SKIP"; exec ./ring 10' </dev/null >out 2>err ||
    fail "-x on two hosts: status $?: $(cat err)"
[ "$(sql x.weft "SELECT count(*), count(DISTINCT host), sum(complete) FROM rank")" = "4|2|4" ] ||
    fail "-x on two hosts: $(sql x.weft 'SELECT rank, host FROM rank')"
[ "$(grep -cFx "bar $skip" out)" = 4 ] || fail "the ranks have other variables: $(cat out)"
