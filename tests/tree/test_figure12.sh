#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# [LZ] Figure 12's program: the static tables are those of Figure 13, and weft query gives each answer of 6.4.1.
. "$WEFT_SOURCE/tests/tree/common.sh"
make_profile figure12 figure12.sql
cd "$scratch" || exit 1

# table NAME ROW...: the view holds exactly these rows.
table() {
    local name=$1 expected
    shift
    expected=$(printf '%s\n' "$@")
    expected=${expected//L/lz.c:}
    says "$expected" query --sql "SELECT * FROM $name" --csv figure12.weft
}
table t_pl l_p,l_l L8,L11
table t_pcom l_p,l_c L8,L9
table t_pc l_p,l_pc,l_pi L1,L2,L4 L1,L3,L6 L4,L5,L8 L6,L7,L8 L8,L10,L15
table t_ll l_l,l_il L11,L13
table t_lcom l_l,l_c L11,L12
table t_lc l_l,l_pc,l_pi L13,L14,L15

# answer RANK0_MS RANK1_MS QUESTION...: in each process, as the paper has it; and without --rank the mean.
answer() {
    local first=$1 second=$2
    shift 2
    says "${first}000000" query --ns --rank 0 "$@" figure12.weft
    says "${second}000000" query --ns --rank 1 "$@" figure12.weft
    says "$(((first + second) / 2))000000" query --ns "$@" figure12.weft
}
answer 6500 6500 program-time
answer 340 410 transmission-time
answer 210 650 synchronisation-time
answer 6350 6350 calls-in main
answer 5500 5000 calls-in P3
answer 4000 3800 call lz.c:5
answer 6300 6300 procedure P3
answer 5500 5000 procedure P4
answer 500 910 communication lz.c:12
answer 50 150 communication lz.c:9
answer 5650 5650 loop lz.c:11
answer 5100 4690 loop lz.c:13

# Counts are sums; loop1 has loop2 and E2 in it, and loop2 the call of P4; in loop1 itself there is no call.
json() {
    local filter=$1 expected=$2 got
    shift 2
    got=$("$WEFT" query --json "$@" figure12.weft | jq -c "$filter")
    [[ $got == "$expected" ]] || fail "weft query $*: $got, not $expected"
}
json '[.sum_ns, .mean_ns, .max_ns, .worst_rank, .sum_calls, .mean_calls]' '[12600000000,6300000000,6300000000,0,10,5]' procedure P3
json '[.ranks[] | [.rank, .time_ns, .calls]]' '[[0,6300000000,5],[1,6300000000,5]]' procedure P3
json '[.sum_calls, (.ranks | length)]' '[5,1]' procedure P3 --rank 1
json '[.mean_transmission_ns, .mean_synchronisation_ns]' '[325000000,380000000]' communication lz.c:12
json '[.inside[] | [.kind, .name, .place, .mean_ns, .sum_calls]]' \
    '[["loop","while","lz.c:13",4895000000,100],["communication","MPI_Recv","lz.c:12",705000000,100]]' loop lz.c:11
json '.inside[0].inside | map([.kind, .name, .place, .mean_ns])' '[["call","P4","lz.c:14",4800000000]]' loop lz.c:11

# For people: one value with its unit, and what it is.
has '^6\.30 s, 10 calls$' query procedure P3 figure12.weft
has '^  time: mean over 2 ranks \(sum 12\.6 s, max 6\.30 s on rank 0\); count: the sum$' query procedure P3 figure12.weft
has '^5\.65 s, executed 10 times$' query loop lz.c:11 figure12.weft
has '^  rank 1$' query --rank 1 loop lz.c:11 figure12.weft

# The walk at the end of 6.4.1: from main down, the most expensive first, to P4.
"$WEFT" report --tree --depth 6 figure12.weft | grep -o 'main\|P[1-4]\|[a-z]* loop' | tr '\n' ' ' >walk
[[ $(cat walk) == "main P1 P3 P3 for loop while loop P4 P4 P2 P3 " ]] || fail "the walk is $(cat walk)"
finish
