#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# wrong.sh openmpi|mpich: wrong arguments of every kind to every watched function that this MPI library has. MPI says
# the same to each with and without weft.
. "$(dirname "$0")/../../lib.sh"
use_mpi "$1"
handles=0
[ "$MPI" != mpich ] || handles=1
echo '#include <mpi.h>' >"$tmp/mpi.c"
$CC -E -P "$tmp/mpi.c" >"$tmp/mpi.i"
awk -v handles=$handles -f "$here/cases.awk" "$tmp/mpi.i" "$root/src/format/mpi_calls.tbl" >"$tmp/cases.h"
compile "$tmp/wrong" -w -I"$tmp" "$here/wrong.c"
cd "$tmp"

# all_of HOW COMMAND...: section by section. A call that ends the process is named, and the next one begins the next
# process.
all_of()
{
    local how=$1 from=0 next status
    shift
    while :; do
        status=0
        LIMIT=60 "$@" "$tmp/wrong" "$from" >"$tmp/part" 2>"$tmp/part.err" || status=$?
        next=$(sed -n 's/^the next is: //p' "$tmp/part")
        # Launchers may say something, too.
        grep -E '^[A-Z][A-Za-z_0-9]* [^ ]+ [^ ]+: ' "$tmp/part" >"$tmp/said" || true
        cat "$tmp/said" >>"$tmp/$how"
        [ "$next" != 0 ] || return 0
        if [ -z "$next" ]; then
            from=$((from + $(wc -l <"$tmp/said")))
            sed -n "s/^ *{\(.*\), case$from},\$/\1 ends it with $status/p" "$tmp/cases.h" >>"$tmp/$how"
            next=$((from + 1))
        fi
        from=$next
        [ "$(grep -c ' ends it with ' "$tmp/$how")" -le 30 ] ||
            fail "too many calls end the process: $(tail -3 "$tmp/$how")"
    done
}

all_of plain launch 1
for options in "" "--path=off"; do
    rm -f "$tmp/watched"
    WEFT_OPTIONS=$options all_of watched watch "$tmp/profile.weft" 1
    diff "$tmp/plain" "$tmp/watched" >"$tmp/diff" || {
        head -60 "$tmp/diff"
        fail "with weft run $options MPI says something else to $(grep -c '^>' "$tmp/diff") calls"
    }
done
[ "$(sql "$tmp/profile.weft" 'SELECT events > 100 FROM rank')" = 1 ] || fail "the last section was not watched"

# The calls are what they are meant to be: most right ones are right, and most wrong ones are refused.
rights=$(grep -c ' - right: right$' "$tmp/plain") refused=$(grep -c ': [0-9]*$' "$tmp/plain") all=$(wc -l <"$tmp/plain")
echo "$all calls of $(cut -d ' ' -f 1 "$tmp/plain" | sort -u | wc -l) functions: $refused refused, $rights right ones"
[ "$rights" -ge 100 ] && [ $((refused * 2)) -gt "$all" ] || fail "too few calls are refused, or too few are right"
