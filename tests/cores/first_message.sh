#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# first_message.sh openmpi|mpich: the first message of its size comes while its receiver has no core. How long that
# takes is no latency, and no transfer on the critical path.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
cd "$tmp"
[ -r /proc/thread-self/schedstat ] || skip "this system does not tell how long a thread was without a core"
[ "$(nproc)" -gt 1 ] || skip "this machine has one core"
chrt -f 1 true 2>/dev/null || skip "this user may take no core from others"
compile first_message -D_GNU_SOURCE -g -O2 -Wall "$here/first_message.c"
watch run.weft 3 ./first_message >out 2>&1 || { cat out && fail "first_message ended with status $?"; }
without=$(sql run.weft "SELECT sum(no_core_ns) / 1000000 FROM event WHERE name = 'MPI_Recv'")
[ "$without" -ge 50 ] || skip "the message was taken all the same"
share=$(sql run.weft "SELECT coalesce(sum(share_ns), 0) / 1000000 FROM path WHERE name = 'MPI_Recv'")
[ "$share" -le 20 ] || fail "MPI_Recv has $share ms of the path, and was $without ms without a core"
