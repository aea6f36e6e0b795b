#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# cores.sh openmpi|mpich: more ranks than cores, and other programs on the same cores. The time without a core is what
# the scheduler says, and no figure calls it a transfer, a wait that has no reason, or a cost of watching.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
ranks=8
cd "$tmp"
[ -r /proc/thread-self/schedstat ] || skip "this system does not tell how long a thread was without a core"
[ "$(nproc)" -lt $ranks ] || skip "this machine has a core for each of $ranks ranks"
compile crowded -g -O2 -Wall "$here/crowded.c"

others=()
end_others()
{
    kill "${others[@]}" 2>/dev/null || true
}
at_exit+=(end_others)
for _ in 1 2; do
    sh -c 'while :; do :; done' &
    others+=($!)
done

watch run.weft $ranks ./crowded 40 >out 2>&1 || { cat out && fail "crowded ended with status $?"; }
[ "$(grep -c "^without" out)" = $ranks ] || { cat out && fail "not every rank has said how long it had no core"; }
seen=$(awk '/^without/ { ns += $3 } END { print ns }' out)

# is WHAT QUERY LEAST MOST
is()
{
    local value
    value=$(sql run.weft "$2")
    awk -v v="$value" -v least="$3" -v most="$4" 'BEGIN { exit !(v != "" && v >= least && v <= most) }' ||
        { sql run.weft "SELECT * FROM rank" && fail "$1: '$value' instead of $3 to $4"; }
}

is "without a core, of what the scheduler says" "SELECT sum(no_core_all_ns) * 1.0 / $seen FROM rank" 0.95 1.05
is "without a core, of all time" "SELECT sum(no_core_all_ns) * 1.0 / sum(wall_ns) FROM rank" 0.3 1
is "transfer, of the time in MPI" \
    "SELECT 1.0 * sum(mpi_ns - sync_ns - polling_ns - no_core_ns - unexplained_ns) / sum(mpi_ns) FROM rank" 0 0.1
# A rank that has arrived, and has no core to pass its part on, is a reason that is not seen: MPICH computes meanwhile.
is "unexplained, of the time in MPI" "SELECT 1.0 * sum(unexplained_ns) / sum(mpi_ns) FROM rank" 0 0.2
is "the five parts, of the time in MPI" "SELECT min(mpi_ns - sync_ns - polling_ns - no_core_ns - unexplained_ns) >= 0
                                         FROM rank" 1 1
is "what watching cost, of the run" "SELECT max(intrusion_ns) * 1.0 / max(wall_raw_ns) FROM rank" 0 0.05
