#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# forms.sh openmpi|mpich [ROUNDS]: with --keep-order, each form of receive and probe takes messages in the order that
# the unwatched run has, although watching costs one sender so much that its message is sent last. Without it, the order
# is another one.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
rounds=${2:-4}
LIMIT=$((60 + 10 * rounds))
compile "$tmp/forms" -O1 -g -Wall "$here/forms.c"
cd "$tmp"
export WEFT_TEST_DELAY=1:60000000

forms=$(grep -oE '\{"[a-z_]+", (by_|NULL)' "$here/forms.c" | grep -oE '[a-z_]{3,}"' | tr -d '"')
[ "$(wc -w <<<"$forms")" = 17 ] || fail "the forms are not found: $forms"

# in_order FILE FORM PATTERN: so many rounds of a form, without those in which the senders had no core
in_order()
{
    grep "^$2: " "$1" | grep -v "no core" | grep -c "$3" || true
}

watch plain.weft 4 ./forms all 2 >plain || fail "watched: $(cat plain)"
for ((attempt = 1; attempt <= attempts; attempt++)); do
    calm $attempt
    WEFT_OPTIONS=--keep-order watch kept.weft 4 ./forms all "$rounds" >kept 2>err || fail "kept: $(cat kept err)"
    wrong=0
    for form in $forms; do
        right=$(in_order kept "$form" ": 1 2 3$") all=$(in_order kept "$form" .)
        echo "$form: $right of $all rounds in the unwatched order"
        [ "$right" = "$all" ] || wrong=$((wrong + 1))
    done
    [ $wrong != 0 ] || break
done
[ $wrong = 0 ] || fail "the order was not kept: $(grep -v ": 1 2 3$" kept)"
for form in $forms; do
    other=$(grep "^$form: " plain | grep -vc ": 1 2 3$" || true)
    [ "$other" -ge 1 ] || fail "$form: the order is the same without --keep-order"
done
