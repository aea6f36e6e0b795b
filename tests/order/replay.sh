#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A recorded course is repeated: racy.c prints the same in each replay, and something else in runs without one. The
# first argument is the MPI library, the second how many replays there are (20).
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
replays=${2:-20}
LIMIT=120
compile "$tmp/racy" -O1 -g "$here/racy.c"
cd "$tmp"

# run NAME OPTIONS...: its output is NAME, what weft says NAME.err
run()
{
    local name=$1
    shift
    limited "$WEFT" run -o "$tmp/racy.weft" "$@" -- "$MPIRUN" -n 4 "$tmp/racy" >"$name" 2>"$name.err" ||
        fail "$name: $(cat "$name.err")"
}

run recorded --record-order racy.ord
grep -q "order of .* events of 4 ranks" recorded.err || fail "nothing is said of the recording: $(cat recorded.err)"
[ "$(wc -l <recorded)" = 21 ] || fail "not all forms have run"
for i in $(seq "$replays"); do
    case $((i % 4)) in
    0) run replayed --replay-order racy.ord --no-profile ;;
    1) run replayed --replay-order racy.ord --path=off ;;
    2) RACY_PAUSED=1 run replayed --replay-order racy.ord ;;
    3) run replayed --replay-order racy.ord ;;
    esac
    cmp -s recorded replayed || fail "replay $i differs: $(diff recorded replayed; cat replayed.err)"
    grep -q "4 ranks followed the recorded order" replayed.err || fail "replay $i: $(cat replayed.err)"
done
echo "$replays of $replays replays have the recorded order"

# Without a replay the course is another one: some form differs, or nothing was shown.
launch 4 "$tmp/racy" >unwatched || fail "unwatched"
! cmp -s recorded unwatched || fail "the program is not racy"

# Recorded while nothing else is measured; and the other order of the commands.
RACY_PAUSED=1 run recorded --record-order racy2.ord --no-profile
[ ! -e racy2.weft ] || fail "there is a profile"
limited "$MPIRUN" -n 4 "$WEFT" run --quiet --no-profile --replay-order racy2.ord "$tmp/racy" >replayed ||
    fail "in the inner order"
cmp recorded replayed || fail "the inner order differs"
