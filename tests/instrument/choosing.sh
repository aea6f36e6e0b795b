#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Which procedures and loops get a probe: leaves do not, unless they are asked for; patterns, a filter file and
# variables choose.
. "$(dirname "$0")/../lib.sh"

cd "$tmp"
mkdir src
cat >src/it.c <<'END'
#include <math.h>
extern void elsewhere(double *);
static double square(double x) { return x * x; }                            /* leaf */
static double norm(const double *v) { double s = 0; for (int i = 0; i < 3; i++) s += square(v[i]); return sqrt(s); } /* leaf: few rounds */
static void kernel(double *a, int n)
{
    for (int i = 0; i < n; i++)     /* 7: leaf */
        for (int j = 0; j < n; j++) /* 8: leaf */
            a[i * n + j] = norm(a + i);
    for (int i = 0; i < n; i++)     /* 10: leaf */
        a[i] += square(a[i]);
}
static int depth(int n) { return n ? depth(n - 1) : 0; }                     /* recursion has no bound */
static void steps(double *a, int n)
{
    for (int i = 0; i < n; i++) /* 16: calls what may last */
        kernel(a, n);
    for (int i = 0; i < n; i++) /* 18: calls what is elsewhere */
        for (int k = 0; k < 2; k++) /* 19 */
            elsewhere(a);
}
int main(void)
{
    double a[400];
    for (int i = 0; i < 400; i++) /* 25: in main all outermost loops */
        a[i] = i;
    steps(a, depth(20));
    return 0;
}
END

# state ARGUMENTS...: "name:line" of everything with a probe
source=src/it.c
state()
{
    "$WEFT" instrument --compiler gcc "$@" $source -o new.c 2>/dev/null || fail "weft instrument $*"
    sed -n 's/.*WEFT_SCOPE_([0-9]*, WEFT_[A-Z]*_, "\([^"]*\)"[^,]*, "src\/[a-z]*.c", \([0-9]*\)).*/\1:\2/p' new.c | sort -s -t: -k2,2n | tr '\n' ' '
}

expect()
{
    local want=$1 got
    shift
    got=$(state "$@")
    [ "$got" = "$want " ] || fail "$*: probes in $got, not in $want"
}

default="kernel:5 depth:13 steps:14 for:16 for:18 for:19 main:22 for:25"
expect "$default"
expect "square:3 norm:4 for:4 kernel:5 for:7 for:8 for:10 depth:13 steps:14 for:16 for:18 for:19 main:22 for:25" --all
expect "main:22 for:25" --only nothing
expect "kernel:5 for:7 for:8 for:10 main:22 for:25" --only kernel
expect "square:3 main:22 for:25" --only 'sq*'
expect "$default" --only it.c
expect "$default" --only 'src/*'
expect "kernel:5 depth:13 main:22 for:25" --skip steps
expect "depth:13 main:22 for:25" --skip 'steps,kern*'
expect "main:22 for:25" --skip '*/it.c'
printf '%s\n' '# a comment' 'only it.c' '' 'skip depth  # hot' >filter
expect "kernel:5 steps:14 for:16 for:18 for:19 main:22 for:25" --filter filter

# What a loop calls and only hands on to a simple loop is the inside of its caller's; not so what has a nest below it, a
# loop of its own, calls something elsewhere or itself, or is called from no loop.
cat >src/hands.c <<'END'
extern void elsewhere(double *);
static int search(const double *a, int n) { int i = 0; while (i < n && a[i] < 0) i++; return i; }
static void nest(double *a, int n) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i] += j; }
static void hands_on(double *a, int n) { a[0] = search(a, n) + search(a + 1, n - 1); }
static void to_nest(double *a, int n) { a[1] = search(a, n); nest(a, n); }
static void with_loop(double *a, int n) { a[2] = search(a, n); for (int i = 0; i < n; i++) a[i]++; }
static void to_elsewhere(double *a, int n) { a[3] = search(a, n); elsewhere(a); }
static void to_itself(double *a, int n) { a[4] = search(a, n); if (n) to_itself(a, n - 1); }
static void once(double *a, int n) { a[5] = search(a, n); }
static void few(double *a, int n) { for (int i = 0; i < 3; i++) a[i] = search(a, n); }
void all(double *a, int n)
{
    once(a, n);
    for (int i = 0; i < n; i++) {
        hands_on(a, n); to_nest(a, n); with_loop(a, n); to_elsewhere(a, n); to_itself(a, n);
        for (int j = 0; j < 2; j++)
            few(a, n);
    }
}
END
source=src/hands.c
expect "search:2 nest:3 to_nest:5 with_loop:6 to_elsewhere:7 to_itself:8 once:9 all:11 for:14 for:16"
expect "hands_on:4" --only hands_on
expect "few:10 for:10" --only few
source=src/it.c
echo 'perhaps x' >wrong
"$WEFT" instrument --filter wrong src/it.c 2>err && fail "a wrong filter file is accepted"
grep -q "wrong:1: a line of a filter file is" err || fail "a wrong filter file: $(cat err)"
"$WEFT" instrument --filter nowhere src/it.c 2>err && fail "a filter file that is not there is accepted"

# The same through variables, for build systems.
WEFT_CC_SKIP=steps "$WEFT" cc gcc -c src/it.c -o it.o
objcopy -O binary --only-section=weft_static it.o table
grep -qa "steps.*skipped:filter" table || fail "WEFT_CC_SKIP is not heard"
WEFT_CC_ALL=1 "$WEFT" cc gcc -c src/it.c -o it.o
objcopy -O binary --only-section=weft_static it.o table
! grep -qa "leaf" table || fail "WEFT_CC_ALL is not heard"

# Leaves and calls are in the tables all the same.
"$WEFT" instrument --compiler gcc src/it.c --tables t.json || fail "--tables"
if command -v jq >/dev/null; then
    [ "$(jq -r '.T_lc[] | select(.callee == "square") | .l_pi' t.json | sort -u)" = "src/it.c:3" ] || fail "the leaf square is not in T_lc"
    [ "$(jq -r '.T_lc[] | select(.callee == "elsewhere") | .l_pi' t.json)" = null ] || fail "the place of elsewhere is not known here"
    [ "$(jq '[.T_pc[], .T_lc[] | select(.callee == "sqrt")] | length' t.json)" = 0 ] || fail "sqrt is the system's"
fi

# What cannot be done is said.
"$WEFT" instrument nowhere.c 2>err && fail "a source that is not there"
"$WEFT" instrument 2>err && fail "no source"
echo 'int x = ;' >wrong.c
"$WEFT" instrument wrong.c 2>err && fail "a wrong source"
grep -q "wrong.c:1: expected expression" err || fail "a wrong source: $(cat err)"
