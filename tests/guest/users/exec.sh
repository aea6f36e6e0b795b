#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# How ranks are started: by exec out of another MPI program, in PID namespaces, with variables of the user's (mpirun -x,
# appfiles), built with sanitizers. And where the profile goes if there is one already.
. "$(dirname "$0")/../../lib.sh"

cat >"$tmp/chain.c" <<'END'
/* chain [PROGRAM ARGUMENTS]: sends around, and becomes PROGRAM. Says whether MPI worked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank = -1, size = 0, in, out = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    printf("rank %d of %d, FOO=%s\n", rank, size, getenv("FOO") ? getenv("FOO") : "");
    fflush(stdout);
    if (argc > 1)
        execv(argv[1], argv + 1);
    return 0;
}
END

# Runs it unwatched and watched: the same output and status.
same()
{
    local plain=0 watched=0
    limited "$@" </dev/null >plain 2>plain.err || plain=$?
    limited "$WEFT" run -q -o "$profile" "$@" </dev/null >watched 2>watched.err || watched=$?
    [ $plain = $watched ] || fail "$what: status $plain became $watched: $(cat watched.err)"
    [ "$(sort plain)" = "$(sort watched)" ] || fail "$what: output $(cat plain) became $(cat watched)"
    ! grep -q '^weft' watched.err || fail "$what: $(grep '^weft' watched.err)"
    [ -f "$profile" ] || fail "$what: no profile: $(cat watched.err)"
}

becoming()
{
    what="a rank that becomes another MPI program" profile=exec.weft
    # Without a launcher: those let a process connect once only.
    same ./chain ./chain
    [ "$(sql exec.weft 'SELECT count(*), sum(complete) FROM rank')" = "2|2" ] ||
        fail "$what: $(sql exec.weft 'SELECT * FROM rank')"
}

namespaces()
{
    unshare -pf --mount-proc true 2>/dev/null || return 0
    what="ranks in PID namespaces" profile=space.weft
    local apart=() # Open MPI's shared memory is named by process numbers, and does not work so
    [ "$MPI" = mpich ] || apart=(--mca btl "tcp,self")
    same "$MPIRUN" "${apart[@]}" -n 2 unshare -pf --mount-proc ./chain
    [ "$(sql space.weft "SELECT count(*), count(DISTINCT pid), sum(complete) FROM rank")" = "2|1|2" ] ||
        fail "$what: $(sql space.weft 'SELECT rank, pid, ending FROM rank')"
}

variables()
{
    [ "$MPI" = openmpi ] || return 0
    what="mpirun -x in a script" profile=script.weft
    printf '#!/bin/sh\nmpirun.openmpi -x FOO=bar -n 2 ./chain\n' >script.sh
    chmod +x script.sh
    same ./script.sh
    [ "$(grep -c 'FOO=bar' watched)" = 2 ] || fail "$what: $(cat watched)"
    what="-x in an appfile" profile=app.weft
    printf '%s\n' '-n 1 -x FOO=one ./chain' '-n 1 -x FOO=two ./chain' >appfile
    same "$MPIRUN" --app appfile
    [ "$(sql app.weft 'SELECT count(*) FROM rank')" = 2 ] || fail "$what: not both ranks"
    # What the user has told Open MPI about this is left alone.
    OMPI_MCA_orte_launch_agent=mine limited "$WEFT" run -q sh -c 'echo "$OMPI_MCA_orte_launch_agent"' >out 2>/dev/null
    [ "$(cat out)" = mine ] || fail "orte_launch_agent became $(cat out)"
    mkdir -p home/.openmpi
    echo 'orte_launch_agent = mine' >home/.openmpi/mca-params.conf
    HOME=$PWD/home limited "$WEFT" run -q sh -c 'echo "$OMPI_MCA_orte_launch_agent"' >out 2>/dev/null
    [ -z "$(cat out)" ] || fail "orte_launch_agent of a file became $(cat out)"
}

sanitizers()
{
    local kind compiler
    export ASAN_OPTIONS=detect_leaks=0 # MPI libraries have some
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || continue
        for kind in address undefined; do
            what="-fsanitize=$kind with $compiler" profile=$compiler-$kind.weft
            OMPI_CC=$compiler MPICH_CC=$compiler "$CC" -g -fsanitize=$kind -o sane ../chain.c 2>/dev/null || continue
            same "$MPIRUN" -n 2 ./sane
            [ "$(sql "$profile" 'SELECT count(*), sum(complete) FROM rank')" = "2|2" ] ||
                fail "$what: $(sql "$profile" 'SELECT * FROM rank')"
        done
    done
}

older()
{
    unset WEFT_FORCE
    what="an older profile"
    echo first >o.weft
    limited "$WEFT" run -o o.weft "$MPIRUN" -n 2 ./chain </dev/null >out 2>err || fail "$what: status $?"
    [ "$(cat o.1.weft)" = first ] || fail "$what: not kept"
    grep -q 'o\.1\.weft' err || fail "$what: its new name is not told: $(cat err)"
    cp o.weft second
    limited "$MPIRUN" -n 2 "$WEFT" run -o o.weft ./chain </dev/null >out 2>err || fail "$what, inner order: status $?"
    for _ in $(seq 100); do
        [ ! -e o.2.weft ] || [ ! -e o.weft ] || break
        sleep 0.1
    done
    cmp -s o.2.weft second && [ "$(cat o.1.weft)" = first ] || fail "$what, inner order: not kept: $(cat err)"
    for _ in $(seq 100); do
        [ -n "$(ls -d .weft-* 2>/dev/null)" ] || break
        sleep 0.1
    done
    limited "$WEFT" run --keep --force -o o.weft "$MPIRUN" -n 2 ./chain </dev/null >out 2>err ||
        fail "$what, --force: status $?"
    [ ! -e o.3.weft ] || fail "$what: kept in spite of --force"
    cp o.weft third
    limited "$WEFT" collect --keep -q -o o.weft 2>err || fail "$what, collect: $(cat err)"
    cmp -s o.3.weft third || fail "$what, collect: not kept"
    limited "$WEFT" collect -f -q -o o.weft 2>err || fail "$what, collect: $(cat err)"
    [ ! -e o.4.weft ] || fail "$what: collect kept it in spite of --force"
    mkdir d && echo odd >d/name # without .weft
    limited "$WEFT" run -q -o d/name "$MPIRUN" -n 2 ./chain </dev/null >out 2>err
    [ "$(cat d/name.1)" = odd ] || fail "$what without an ending: $(ls d)"
}

cases()
{
    mkdir "$MPI" && cd "$MPI"
    compile chain -g ../chain.c
    becoming
    namespaces
    variables
    (sanitizers)
    older
    [ -z "$(ls -d .weft-* 2>/dev/null)" ] || fail "left $(ls -d .weft-*)"
}
cd "$tmp"
each_mpi cases
