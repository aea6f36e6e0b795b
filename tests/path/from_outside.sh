#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# weft path start, stop and show, on a run that goes on and has no MPI: what it shows is of this moment, what it asks
# for reaches all registries, and what cannot be is said in one sentence.
live=$LIVE_RUN
. "$(dirname "$0")/../lib.sh"
cd "$tmp"
mkdir -p empty temporary
export TMPDIR=$tmp/temporary LC_ALL=C.UTF-8

# refuses STATUS PATTERN ARGUMENT...
refuses()
{
    local expected=$1 pattern=$2 status=0
    shift 2
    "$WEFT" "$@" >out 2>err || status=$?
    [ $status = "$expected" ] || fail "weft $*: exit status $status instead of $expected: $(cat err)"
    [ "$(wc -l <err)" = 1 ] && [ ! -s out ] || fail "weft $*: not one sentence: $(cat out err)"
    grep -Eq -- "$pattern" err || fail "weft $*: no '$pattern' in: $(cat err)"
}

# start_run DIRECTORY REGISTRY...: in the background; close_run DIRECTORY ends it.
declare -A feeds pids
start_run()
{
    local directory=$1 fd
    mkfifo "$directory.in"
    "$live" "$@" <"$directory.in" >"$directory.out" &
    pids[$directory]=$!
    exec {fd}>"$directory.in"
    feeds[$directory]=$fd
    for _ in $(seq 200); do
        grep -q ready "$directory.out" && return
        sleep 0.05
    done
    fail "the run did not begin"
}
close_run()
{
    local fd=${feeds[$1]}
    exec {fd}>&-
    wait "${pids[$1]}"
}
epoch()
{
    od -A n -t u4 -N 4 "$1" | tr -d ' '
}
# seconds of the path that show told last
shown()
{
    sed -n 's/^Critical path: \([0-9.]*\) \(ms\|s\),.*/\1 \2/p' "$1" | awk '{ print $2 == "ms" ? $1 / 1000 : $1 }'
}

# Nothing goes on.
refuses 1 'no run \(\.weft-\*\) in this directory has live processes' path show
refuses 1 "there is no run 'nothing'; name the run directory" path stop nothing
refuses 2 'give an action: start, stop or show' path
refuses 2 "'begin' is not start, stop or show" path begin
refuses 2 "give one run, not both 'a' and 'b'" path show a b
refuses 2 "option '--top' needs a whole number" path show --top many
mkdir .weft-old
refuses 1 "no process of the run '.weft-old' is alive; weft report --path" path start .weft-old

# One run, whose processes are of one host and one world.
host=$(hostname)
start_run .weft-one "path-job.1-$host" path-job.1-elsewhere
before=$(find .weft-one -type f -exec sha256sum {} + | sort)
sleep 0.5
"$WEFT" path show --width 80 >first || fail "show: exit status $?"
sleep 1
"$WEFT" path show .weft-one >second || fail "show of a name: exit status $?"
"$WEFT" path show one >third || fail "show of the end of a name: exit status $?"
grep -q '^\.weft-one · up to now$' first || fail "which run: $(head -n 3 first)"
grep -Eq '100.0 % +100.0 %.* relax$' first || fail "no relax: $(cat first)"
awk -v a="$(shown first)" -v b="$(shown second)" -v c="$(shown third)" \
    'BEGIN { exit !(a >= 0.5 && b >= a + 1 && c >= b) }' ||
    fail "not of the moment: $(shown first) $(shown second) $(shown third)"
(($(wc -L <first) <= 80)) || fail "wider than 80 columns"
[ "$(find .weft-one -type f -exec sha256sum {} + | sort)" = "$before" ] || fail "show has changed something"
[ -z "$(ls -A temporary)" ] || fail "show left $(ls -A temporary)"

# Asked for in all registries, with one epoch.
refuses 1 'is not being computed; start it with: weft path start' path stop
"$WEFT" path start >out || fail "start: exit status $?"
grep -q '^The critical path of .weft-one is computed from now on\.$' out || fail "start says: $(cat out)"
[ "$(epoch ".weft-one/path-job.1-$host")" = 3 ] || fail "start asked for $(epoch ".weft-one/path-job.1-$host")"
[ "$(epoch .weft-one/path-job.1-elsewhere)" = 3 ] ||
    fail "another host was asked for $(epoch .weft-one/path-job.1-elsewhere)"
"$WEFT" path stop .weft-one >out || fail "stop: exit status $?"
[ "$(epoch ".weft-one/path-job.1-$host")" = 4 ] || fail "stop asked for $(epoch ".weft-one/path-job.1-$host")"
# A host that is behind is brought to the same.
printf '\0\0\0\0' | dd of=.weft-one/path-job.1-elsewhere conv=notrunc status=none
"$WEFT" path start >/dev/null
[ "$(epoch ".weft-one/path-job.1-$host")" = "$(epoch .weft-one/path-job.1-elsewhere)" ] ||
    fail "two hosts have two epochs"

# Of two runs the newest; and one that cannot compute a path.
start_run .weft-two
touch -d 'now + 1 minute' .weft-two
"$WEFT" path show >out
grep -q '^\.weft-two' out || fail "not the newest run: $(head -n 2 out)"
refuses 1 'no process of .weft-two can compute a critical path: .*--path=off' path start
: >.weft-two/path-x-y
refuses 1 'no process of .weft-two can compute a critical path' path stop .weft-two
TMPDIR=$tmp/none refuses 1 "cannot write in $tmp/none: No such file or directory; name another directory with TMPDIR" \
    path show
close_run .weft-two
"$WEFT" path show >out && grep -q '^\.weft-one' out || fail "not the run that goes on: $(head -n 2 out)"
close_run .weft-one
refuses 1 'no run .* has live processes' path show
