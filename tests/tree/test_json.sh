#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The graph for machines: figures as in the profile, and edges that lead from main to everything.
. "$WEFT_SOURCE/tests/tree/common.sh"
for profile in figure12 recursion wave fortran odd; do
    make_profile $profile $profile.sql
done
make_profile heat heat.sql
cd "$scratch" || exit 1

# holds PROFILE FILTER: jq says true.
holds() {
    "$WEFT" report --json "$1.weft" | jq -e "$2" >/dev/null || fail "$1: not true: $2"
}
holds figure12 '.program_mean_ns == 6500000000'
holds figure12 '[.procedures[].name] == ["main", "P1", "P2", "P3", "P4"]'
holds figure12 '[.loops[] | [.place, .name, .calls, .time_ns, .self_ns]] == [["lz.c:11", "for", 10, 11300000000, 100000000], ["lz.c:13", "while", 100, 9790000000, 200000000]]'
holds figure12 '[.calls[].place] == ["", "lz.c:2", "lz.c:3", "lz.c:5", "lz.c:7", "lz.c:10", "lz.c:14"]'
holds figure12 '[.communications[] | .id] - [.statements[].id] == []'
holds figure12 '.procedures[3].ranks | map([.rank, .calls, .time_ns, .self_ns]) == [[0, 5, 6300000000, 100000000], [1, 5, 6300000000, 100000000]]'
# The edges are those of the static tables, and from each call to what it calls.
holds figure12 '([.procedures[], .loops[], .calls[], .communications[]] | map({key: (.node | tostring), value: (if .name then .name else "call " + .place end)}) | from_entries) as $n |
    [.tree[] | $n[.outer | tostring] + " > " + $n[.inner | tostring]] | sort ==
    ["P1 > call lz.c:5", "P2 > call lz.c:7", "P3 > MPI_Send", "P3 > call lz.c:10", "P3 > for", "call  > main", "call lz.c:10 > P4", "call lz.c:14 > P4",
     "call lz.c:2 > P1", "call lz.c:3 > P2", "call lz.c:5 > P3", "call lz.c:7 > P3", "for > MPI_Recv", "for > while", "main > call lz.c:2", "main > call lz.c:3",
     "while > call lz.c:14"]'
holds wave '.procedures[] | select(.name == "laplace") | .switched_off'
holds wave '.procedures[] | select(.name == "flush_all") | .measured == false and .self_ns == null'
holds wave '.phases[0].name == "relaxation" and ([.regions[].name] == ["tuning", "halo"])'
holds recursion '.cycles | length == 1'
holds heat '.loops == [] and .calls == [] and (.communications | length) > 10'
for profile in figure12 recursion wave fortran odd heat; do
    # Every edge is between nodes that are there; no node is in two places.
    holds $profile '([.procedures, .cycles, .loops, .regions, .phases, .calls, .communications] | add | map(.node)) as $all |
        ($all | unique | length) == ($all | length) and ([.tree[] | .outer, .inner] - $all == [])'
    holds $profile '([.calls[].node]) as $calls | [.tree[] | select([.outer] - $calls != []) | .inner] | length == (unique | length)'
    cmp <("$WEFT" report --json $profile.weft) <("$WEFT" report --tree --json $profile.weft) || fail "$profile: --tree --json is not --json"
done
# One statement is one statement.
[[ $("$WEFT" report --json --site wave.c:14 wave.weft | jq 'has("tree")') == false ]] || fail "--site has the tree, too"
finish
