#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# [LZ] Figure 11: a recursive call has no record; procedures that call each other are one to everyone outside. Nothing
# loops, nothing is counted twice.
. "$WEFT_SOURCE/tests/tree/common.sh"
make_profile recursion recursion.sql
make_profile odd odd.sql
cd "$scratch" || exit 1

# Figure 11a: the time is that of the call from outside; own time is right although the loop and MPI_Send overlap.
says 1000000000 query --ns procedure fib recursion.weft
has '^ +27\.8 %  1\.00 s +650 ms +1  ├─ fib, recursive +rec\.c:2$' report --tree recursion.weft
has '^ +25\.0 %  900 ms +50\.0 ms +1  │  ├─ for loop +rec\.c:11$' report --tree recursion.weft
has_not 'rec\.c:12' report --tree --all recursion.weft

# Figure 11b: both have the time and count of both, and their parts add up to it.
says 2500000000 query --ns procedure even recursion.weft
says 2500000000 query --ns procedure odd recursion.weft
has 'even \+ odd call each other and count as one procedure' query procedure odd recursion.weft
says 2000000000 query --ns call rec.c:3 recursion.weft
says 500000000 query --ns call rec.c:4 recursion.weft
says 1000000000 query --ns calls-in odd recursion.weft
refuses 1 "no call at 'rec.c:21' ran; nearest: rec.c:" query call rec.c:21 recursion.weft
refuses 1 "no call at 'rec.c:31' ran" query call rec.c:31 recursion.weft
[[ $("$WEFT" report --json recursion.weft | jq -c '[.cycles[0].time_ns, ([.procedures[] | select(.cycle != null) | .time_ns] | add)]') == "[2500000000,2500000000]" ]] ||
    fail "the parts of the cycle are not the cycle"
has '└─ odd, see above +rec\.c:4$' report --tree recursion.weft
has '^  even \+ odd is called from main at rec\.c:3 \(80\.0 %\), main at rec\.c:4 \(20\.0 %\)$' report --tree --focus even recursion.weft

# Every procedure's content is told once, whatever the tables say.
for profile in recursion odd; do
    for option in "" --all "--focus main" "--rank 0" "--depth 3"; do
        # shellcheck disable=SC2086
        timeout 10 "$WEFT" report --tree $option $profile.weft >tree || fail "$profile $option: exit status $?"
        (($(wc -l <tree) < 40)) || fail "$profile $option: $(wc -l <tree) lines"
    done
done
for name in ping pong quiet silent one two three x; do
    has "[─ ]$name" report --tree --all odd.weft
done
! LC_ALL=C grep -q $'\033' tree || fail "a name steers the terminal"
finish
