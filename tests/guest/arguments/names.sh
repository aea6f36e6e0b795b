#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# names.sh openmpi|mpich: communicators that threads make in different orders have the same name in all members: no
# header is missing.
. "$(dirname "$0")/../../lib.sh"
use_mpi "$1"
compile "$tmp/names" -g -O1 "$here/names.c" -pthread
profile=$tmp/names.weft
cd "$tmp"
LIMIT=120 watch "$profile" 4 "$tmp/names" >"$tmp/out" 2>&1 || fail "it ends with $? under weft: $(tail -3 "$tmp/out")"
has 'no threads' <"$tmp/out" && skip "this MPI has no MPI_THREAD_MULTIPLE"
taken=$(sql "$profile" 'SELECT sum(headers_taken) FROM rank')
missing=$(sql "$profile" 'SELECT sum(headers_missing) FROM rank')
[ "$taken" -ge 4000 ] || fail "only $taken headers were taken"
# Threads are in many collectives at once, and their entries push out each other's now and then (WF_BOX_SLOTS): fewer
# than one in a hundred.
[ $((missing * 30)) -le "$taken" ] || fail "$missing headers are missing, and $taken are not"
