#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# [LZ] Figure 12's program gives exactly the tables of Figure 13: as JSON, and in the object file's text.
. "$(dirname "$0")/../lib.sh"

command -v jq >/dev/null || skip "there is no jq here"
cd "$here"

line()
{
    grep -n "/\* $1[: ]" figure12.c | cut -d: -f1
}

# "L1 L2 L4" -> ["figure12.c:8","figure12.c:10","figure12.c:15"]
rows()
{
    local row l text="" words
    for row; do
        words=""
        for l in $row; do
            words+="${words:+,}\"figure12.c:$(line "$l")\""
        done
        text+="${text:+,}[$words]"
    done
    echo "[$text]"
}

expect()
{
    local table=$1 fields=$2 want got
    shift 2
    want=$(rows "$@")
    got=$(jq -c "[.$table[] | [$fields]]" "$tmp/t.json")
    [ "$got" = "$want" ] || fail "$table is $got, not $want"
}

check_json()
{
    "$WEFT" instrument figure12.c --compiler "$CC" -o "$tmp/figure12.weft.c" --tables "$tmp/t.json" || fail "weft instrument"
    expect T_pl ".l_p,.l_l" "L8 L11"
    expect T_pcom ".l_p,.l_c" "L8 L9"
    expect T_pc ".l_p,.l_pc,.l_pi" "L1 L2 L4" "L1 L3 L6" "L4 L5 L8" "L6 L7 L8" "L8 L10 L15"
    expect T_ll ".l_l,.l_il" "L11 L13"
    expect T_lcom ".l_l,.l_c" "L11 L12"
    expect T_lc ".l_l,.l_pc,.l_pi" "L13 L14 L15"
}

check_object()
{
    "$WEFT" cc "$CC" -O2 -c figure12.c -o "$tmp/figure12.o" || fail "weft cc"
    objcopy -O binary --only-section=weft_static "$tmp/figure12.o" "$tmp/table"
    tr -d '\0' <"$tmp/table" >"$tmp/table.text"
    awk -F '\t' -v OFS=' ' '{ sub(/skipped:.*/, "skipped"); $1 = $1; print }' "$tmp/table.text" >"$tmp/records"
    cat >"$tmp/wanted" <<END
unit 1 figure12.c
p 1 $(line L1) main  probe
p 2 $(line L4) P1  probe
p 3 $(line L6) P2  probe
p 4 $(line L8) P3  probe
l 5 4 $(line L11) for  probe
l 6 5 $(line L13) for  leaf
p 7 $(line L15) P4  leaf
c 1 $(line L2) P1  2
c 1 $(line L3) P2  3
c 2 $(line L5) P3  4
c 3 $(line L7) P3  4
m 4 $(line L9) MPI_Barrier 
c 4 $(line L10) P4  7
m 5 $(line L12) MPI_Allreduce 
c 6 $(line L14) P4  7
END
    diff "$tmp/wanted" "$tmp/records" || fail "other records in the object file"
}

# Built by hand from what weft instrument wrote, it is the same program.
check_by_hand()
{
    "$CC" -O2 "$tmp/figure12.weft.c" figure12_mpi.c -o "$tmp/by_hand" || fail "the text that weft instrument writes does not compile"
    launch 2 "$tmp/by_hand" || fail "the program built from it fails"
}

all()
{
    check_json
    check_object
    check_by_hand
}
each_mpi all
