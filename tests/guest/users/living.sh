#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Whichever process dies first: while ranks live, their directory stays, and the profile is made when the last one has
# ended. A profile is never lost without a message.
. "$(dirname "$0")/../../lib.sh"

cat >"$tmp/until.c" <<'END'
/* until FILE [end]: ends when there is such a file. Makes FILE.RANK when it has begun. end: with status 7, when both
 * ranks have left MPI_Finalize: a launcher kills the other one as soon as one fails. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    char name[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(name, sizeof name, "%s.%d", argv[1], rank);
    fclose(fopen(name, "w"));
    for (int i = 0; i < 600 && access(argv[1], F_OK) != 0; i++)
        usleep(100000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (argc < 3)
        return 0;
    snprintf(name, sizeof name, "%s.end.%d", argv[1], rank);
    fclose(fopen(name, "w"));
    snprintf(name, sizeof name, "%s.end.%d", argv[1], 1 - rank);
    for (int i = 0; i < 600 && access(name, F_OK) != 0; i++)
        usleep(10000);
    return 7;
}
END

wait_for()
{
    for _ in $(seq 200); do
        [ ! -e "$1" ] || return 0
        sleep 0.1
    done
    fail "$what: $1 does not come: $(cat err)"
}

wait_gone()
{
    for _ in $(seq 100); do
        [ -n "$(ls -d .weft-* 2>/dev/null)" ] || return 0
        sleep 0.1
    done
    fail "$what: left $(ls -d .weft-*)"
}

complete()
{
    wait_for "$1"
    [ "$(sql "$1" "SELECT count(*), sum(complete) FROM rank")" = "2|2" ] ||
        fail "$what: $(sql "$1" 'SELECT rank, complete, ending FROM rank')"
    wait_gone
}

# The ranks are there and in their loop.
begin()
{
    rm -f go go.*
    "$@" </dev/null >out 2>err &
    weft=$!
    wait_for go.0
    wait_for go.1
}

cases()
{
    mkdir "$MPI" && cd "$MPI"
    compile until -g ../until.c

    what="weft run killed"
    begin "$WEFT" run -o k.weft "$MPIRUN" -n 2 ./until go
    kill -9 $weft
    sleep $([ "$MPI" = openmpi ] && echo 11 || echo 2) # weft once waited 10 s
    [ ! -e k.weft ] && [ -n "$(ls .weft-*/*.seg)" ] ||
        fail "$what: the directory was taken away, or the profile made, while ranks run"
    touch go
    complete k.weft
    grep -q 'are still alive' err || fail "$what: nothing is said: $(cat err)"

    what="guardian killed"
    begin "$WEFT" run -q -o g.weft "$MPIRUN" -n 2 ./until go end
    guardian=$(pgrep -P $weft weft)
    kill -9 "$guardian"
    touch go
    status=0
    wait $weft || status=$?
    [ $status != 0 ] || fail "$what: the status was lost"
    [ -e g.weft ] || fail "$what: no profile: $(cat err)"
    complete g.weft

    what="command that does not wait"
    begin "$WEFT" run -o b.weft sh -c "$MPIRUN -n 2 ./until go </dev/null & exit 5"
    status=0
    wait $weft || status=$?
    [ $status = 5 ] || fail "$what: status $status instead of 5"
    [ ! -e b.weft ] || fail "$what: the profile was made while ranks run"
    [ "$(grep -c 'are still alive' err)" = 1 ] || fail "$what: $(cat err)"
    touch go
    complete b.weft

    what="collect while ranks run"
    begin "$WEFT" run -q -o c.weft "$MPIRUN" -n 2 ./until go
    "$WEFT" collect -q -o now.weft >now 2>&1 || fail "$what: $(cat now)"
    [ -n "$(ls .weft-*/*.seg)" ] || fail "$what: the directory was taken away"
    grep -q 'is kept' now || fail "$what: $(cat now)"
    touch go
    wait $weft || fail "$what: status $?"
    complete c.weft

    # A number that is used again is not the process that had it: ranks that were killed, with the number of one that
    # lives.
    what="a number used again"
    begin "$WEFT" run -q --keep -o d.weft "$MPIRUN" -n 2 ./until "$PWD/go"
    # shellcheck disable=SC2046
    kill -9 $(pgrep -f "^./until $PWD/go")
    wait $weft && fail "$what: the ranks were not killed"
    kept=$(echo .weft-*)
    sleep 60 >/dev/null 2>&1 &
    other=$!
    for segment in "$kept"/*.seg; do # 40: where format/segment.h has pid
        low=$(printf '\\x%02x\\x%02x' $((other & 255)) $((other >> 8 & 255)))
        printf "$low\\x$(printf %02x $((other >> 16 & 255)))\\x00" |
            dd of="$segment" bs=1 seek=40 conv=notrunc 2>/dev/null
    done
    limited "$WEFT" collect -q -o e.weft "$kept" 2>now || fail "$what: $(cat now)"
    kill $other
    [ "$(sql e.weft "SELECT group_concat(ending), min(pid), max(pid) FROM rank")" = "died,died|$other|$other" ] ||
        fail "$what: $(sql e.weft 'SELECT rank, pid, ending FROM rank')"
    [ ! -d "$kept" ] || fail "$what: taken for a living process: $(cat now)"
}
cd "$tmp"
each_mpi cases
