#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Receives that are held back are requests like others. One argument: the MPI library.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
compile "$tmp/stand_ins" -O1 -g "$here/stand_ins.c"
launch 2 "$tmp/stand_ins" >"$tmp/plain" || fail "unwatched: $(cat "$tmp/plain")"
WEFT_ORDER=hold:10 watch "$tmp/held.weft" 2 "$tmp/stand_ins" 10 >"$tmp/held" || fail "held: $(cat "$tmp/held")"
[ "$(grep -c right "$tmp/held")" = 8 ] || fail "not all parts have run: $(cat "$tmp/held")"
WEFT_ORDER=hold:0 watch "$tmp/held.weft" 2 "$tmp/stand_ins" >"$tmp/held" || fail "at once: $(cat "$tmp/held")"
