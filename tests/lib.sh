# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Helpers of all shell tests; to be sourced by bash. Gives a directory $tmp that goes away at the end, and:
#
#   fail WORDS, skip WORDS       end the test; CTest knows 77 as skipped
#   use_mpi openmpi|mpich        sets MPI, CC, CXX, FC, MPIRUN; skips the test where that MPI is not installed
#   each_mpi COMMAND...          runs it once for each MPI that is installed, with `use_mpi` done
#   compile OUT ARGS...          ARGS as for the compiler that the first source's name asks for
#   limited COMMAND...           at most $LIMIT seconds (120): a hang is a failure, not a night
#   launch N COMMAND...          under mpirun
#   watch PROFILE N COMMAND...   the same under weft run; $WEFT_OPTIONS are its further options
#   sql PROFILE QUERY            rows as a|b|c
#   calm ATTEMPT                 before each attempt but the first: waits for the machine to have cores to spare
#   has ARGS...                  grep, for the end of a pipe: reads all of it, or the writer would die of SIGPIPE and
#                                the pipe with it
#
# $WEFT is the weft to test. WEFT_TEST_KEEP=1 keeps $tmp.
set -euo pipefail

tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$tests")
WEFT=$(realpath -m "${WEFT:-$root/build/bin/weft}")
here=$(cd "$(dirname "$0")" && pwd) # the folder of the test itself

fail()
{
    echo "FAIL: $*" >&2
    exit 1
}

has()
{
    grep "$@" >/dev/null
}

skip()
{
    echo "SKIP: $*"
    exit 77
}

[ -x "$WEFT" ] || fail "there is no $WEFT: build it first, or say WEFT=/path/to/weft"

# timeout puts its command in the background, where reading from a terminal would stop it.
[ ! -t 0 ] || exec </dev/null

tmp=$(mktemp -d "${TMPDIR:-/tmp}/weft-test.XXXXXX")
# What a test has to undo itself: at_exit+=(FUNCTION). A trap of its own would lose the status.
at_exit=()

cleanup()
{
    local status=$? undo
    for undo in "${at_exit[@]}"; do
        "$undo"
    done
    if [ "${WEFT_TEST_KEEP:-}" = 1 ]; then
        echo "kept: $tmp" >&2
    else
        rm -rf "$tmp"
    fi
    exit "$status"
}
trap cleanup EXIT
export XDG_CACHE_HOME=$tmp/cache

# What the tests start must not depend on what weft's user has set.
for variable in $(compgen -v WEFT_); do
    case $variable in
    WEFT_TEST_KEEP) ;;
    *) unset "$variable" ;;
    esac
done

# What is measured with sleeping work comes out wrong where ranks find no core. So it is tried again, as often as this,
# and then only when the machine is calm.
# shellcheck disable=SC2034
attempts=10

calm()
{
    [ "$1" -gt 1 ] || return 0
    local looks quiet=0 running cores
    cores=$(nproc)
    for ((looks = 0; looks < 100 && quiet < 5; looks++)); do
        sleep 0.2
        read -r _ _ _ running _ </proc/loadavg
        if [ "${running%/*}" -le "$cores" ]; then quiet=$((quiet + 1)); else quiet=0; fi
    done
}

# Tests that try several times write one profile again and again.
export WEFT_FORCE=1

# More ranks than cores: Open MPI has to be told to allow it, and to give its core away while it waits.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

use_mpi()
{
    MPI=$1
    CC=mpicc.$MPI CXX=mpicxx.$MPI FC=mpif90.$MPI MPIRUN=mpirun.$MPI
    local program
    for program in "$CC" "$MPIRUN"; do
        command -v "$program" >/dev/null || skip "$MPI is not installed here (no $program)"
    done
}

each_mpi()
{
    local mpi status ran=0 failed=0
    for mpi in openmpi mpich; do
        # A subshell in an `if` would run without set -e.
        set +e
        (set -e && use_mpi "$mpi" && "$@")
        status=$?
        set -e
        case $status in
        0) ran=1 ;;
        77) ;;
        *) failed=1 && echo "FAIL: $* with $mpi" >&2 ;;
        esac
    done
    [ $failed = 0 ] || exit 1
    [ $ran = 1 ] || skip "neither Open MPI nor MPICH is installed here"
}

# Debian's MPICH never gives its core away: with more ranks than cores every message waits for the scheduler's next
# turn. The test programs bring their own ucp_worker_progress, which yields when there was nothing to do: some hundred
# times faster. Where there was nothing for long, it sleeps: else one who computes by sleeping wakes up late.
mpich_yield()
{
    local object=$tmp/mpich_yield.o
    if [ ! -e "$object" ]; then
        gcc -O2 -fPIC -c -x c -o "$object" - <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>
unsigned ucp_worker_progress(void *worker)
{
    static __thread unsigned idle;
    static unsigned (*next)(void *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned events = next(worker);
    idle = events ? 0 : idle + 1;
    if (idle > 100)
        usleep(20);
    else if (idle)
        sched_yield();
    return events;
}
END
    fi
    echo "$object -Wl,--export-dynamic-symbol=ucp_worker_progress"
}

compile()
{
    local out=$1 compiler=$CC word more=""
    shift
    for word; do
        case $word in
        -*) ;;
        *.cpp) compiler=$CXX && break ;;
        *.f | *.f90 | *.F90) compiler=$FC && break ;;
        *.c) break ;;
        esac
    done
    command -v "$compiler" >/dev/null || skip "there is no $compiler here"
    if [ "$compiler" = "$FC" ]; then
        command -v gfortran >/dev/null || skip "there is no Fortran compiler here (gfortran)"
    fi
    [ "$MPI" != mpich ] || more=$(mpich_yield)
    # gcc takes MPI_STATUSES_IGNORE and MPI_UNWEIGHTED for arrays of no elements.
    [ "$compiler" = "$FC" ] || more="$more -Wno-stringop-overflow -Wno-stringop-overread"
    # shellcheck disable=SC2086
    "$compiler" -o "$out" "$@" $more || fail "cannot compile $out"
}

limited()
{
    local status=0 start=$SECONDS
    timeout -k 5 "${LIMIT:-120}" "$@" || status=$?
    # Also a command of which something was killed ends with 137.
    if [ $status = 124 ] || { [ $status = 137 ] && [ $((SECONDS - start)) -ge "${LIMIT:-120}" ]; }; then
        echo "(did not end within ${LIMIT:-120} s: $*)" >&2
    fi
    return $status
}

launch()
{
    local ranks=$1
    shift
    limited "$MPIRUN" -n "$ranks" "$@"
}

watch()
{
    local profile=$1 ranks=$2
    shift 2
    # shellcheck disable=SC2086
    limited "$WEFT" run --quiet -o "$profile" ${WEFT_OPTIONS:-} -- "$MPIRUN" -n "$ranks" "$@"
}

sql()
{
    command -v sqlite3 >/dev/null || skip "there is no sqlite3 here"
    sqlite3 -batch -bail "$1" "$2"
}
