#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The tree and the source, as people see them. WEFT_UPDATE=1 writes the golden files anew: look at the difference before
# you commit it.
. "$WEFT_SOURCE/tests/tree/common.sh"
for profile in figure12 recursion wave fortran deep odd; do
    make_profile $profile $profile.sql
done
make_profile heat heat.sql
mkdir "$scratch/src" && cp "$here/fixtures/src/wave.c" "$scratch/src/wave.c" && touch -d 2026-08-17T14:00:00Z "$scratch/src/wave.c"
cd "$scratch" || exit 1

# compare NAME WIDTH ARGUMENT...
compare() {
    local name=$1 width=$2 golden=$here/golden/$1.txt
    shift 2
    "$WEFT" report --width "$width" "$@" >"$scratch/$name.txt" || fail "$name: exit status $?"
    if [[ -n ${WEFT_UPDATE-} ]]; then
        cp "$scratch/$name.txt" "$golden"
    fi
    diff -u "$golden" "$scratch/$name.txt" || fail "$name differs"
    (($(wc -L <"$scratch/$name.txt") <= width)) || fail "$name: a line is wider than $width columns"
    ! grep -q ' $' "$scratch/$name.txt" || fail "$name: blanks at the end of a line"
}

for width in 80 120; do
    compare "figure12-$width" $width --tree figure12.weft
    compare "wave-$width" $width --tree wave.weft
    compare "wave-all-$width" $width --tree --all wave.weft
    compare "wave-source-$width" $width --source wave.c wave.weft
done
compare recursion-80 80 --tree recursion.weft
compare fortran-80 80 --tree --all fortran.weft
compare unmodified-80 80 --tree heat.weft
compare deep-80 80 --tree deep.weft
compare odd-80 80 --tree --all odd.weft
compare wave-rank-80 80 --tree --rank 3 wave.weft
compare wave-depth-80 80 --tree --depth 2 wave.weft
compare wave-focus-80 80 --tree --focus exchange wave.weft
compare wave-focus-place-80 80 --tree --focus wave.c:65 --depth 1 wave.weft
compare wave-source-all-80 80 --source src/wave.c --all --rank 1 wave.weft
LC_ALL=C compare wave-ascii-80 80 --tree wave.weft
LC_ALL=C compare wave-source-ascii-120 120 --source wave.c wave.weft
! LC_ALL=C grep -q '[^ -~]' "$scratch"/*-ascii-*.txt || fail "other characters than ASCII in a locale that has no others"

# No width can break the layout.
for width in 72 79 81 100 132 200 500; do
    for profile in wave deep odd heat recursion; do
        "$WEFT" report --width $width --tree --all $profile.weft >page.txt || fail "$profile at $width"
        (($(wc -L <page.txt) <= width)) || fail "$profile: wider than $width columns"
    done
    "$WEFT" report --width $width --source wave.c wave.weft >page.txt
    (($(wc -L <page.txt) <= width)) || fail "source: wider than $width columns"
done

# Colour on terminals only, and not against the user's will.
for view in --tree "--source wave.c"; do
    # shellcheck disable=SC2086
    "$WEFT" report $view wave.weft | grep -q $'\033' && fail "colour in a pipe"
    script -qec "TERM=xterm '$WEFT' report $view wave.weft" /dev/null | grep -q $'\033\[31m' || fail "$view: no heat on a terminal"
    script -qec "TERM=xterm NO_COLOR=1 '$WEFT' report $view wave.weft" /dev/null | grep -q $'\033' && fail "$view: colour in spite of NO_COLOR"
done
finish
