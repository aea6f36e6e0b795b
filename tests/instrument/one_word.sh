#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The one-word compilers: weft-mpicc does what weft cc mpicc does, in makefiles that run `which $(CC)`, and through any
# link to it.
. "$(dirname "$0")/../lib.sh"

bin=$(dirname "$WEFT")
cd "$tmp"
mkdir project
cat >project/it.c <<'END'
#include <mpi.h>
#include <stdio.h>
void meet(int n);
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2; i++)
        meet(i);
    puts("c");
    return MPI_Finalize();
}
END
cat >project/meet.c <<'END'
#include <mpi.h>
void meet(int n) { MPI_Barrier(MPI_COMM_WORLD); (void)n; }
END
cat >project/plus.cpp <<'END'
#include <mpi.h>
#include <cstdio>
namespace its { void barrier() { MPI_Barrier(MPI_COMM_WORLD); } }
int main(int argc, char **argv) { MPI_Init(&argc, &argv); its::barrier(); std::puts("c++"); return MPI_Finalize(); }
END
cat >project/fortran.f90 <<'END'
program p
  use mpi
  integer :: error
  call mpi_init(error)
  call barrier()
  print '(a)', 'fortran'
  call mpi_finalize(error)
contains
  subroutine barrier()
    call mpi_barrier(MPI_COMM_WORLD, error)
  end subroutine
end program
END
cat >project/Makefile <<'END'
CC_PATH := $(shell which $(CC))
CXX_PATH := $(shell which $(CXX))
FC_PATH := $(shell which $(FC))
$(if $(CC_PATH),,$(error there is no $(CC)))
$(if $(CXX_PATH),,$(error there is no $(CXX)))
$(if $(FC_PATH),,$(error there is no $(FC)))
c: it plus
it: it.o meet.o
	$(CC_PATH) -o $@ $^
%.o: %.c
	$(CC_PATH) -O2 -c $<
plus: plus.cpp
	$(CXX_PATH) -O2 -o $@ $<
fortran: fortran.f90
	$(FC_PATH) -O2 -o $@ $<
END

# Puts mpicc, mpicxx and mpif90 of the MPI at hand into PATH, and weft's directory before them.
use_path()
{
    local name
    rm -rf wrappers
    mkdir wrappers
    for name in mpicc mpicxx mpif90; do
        ! command -v "$name.$MPI" >/dev/null || ln -s "$(command -v "$name.$MPI")" "wrappers/$name"
    done
    export PATH=$bin:$tmp/wrappers:$PATH
}

has_probes()
{
    readelf -SW "$1" | has ' weft_static ' || fail "$1 has no probes ($2)"
}

# says WORD PROGRAM
says()
{
    local said
    for _ in 1 2 3; do # a launcher on a loaded machine may not start its ranks
        said=$(launch 2 "$2" | sort -u) || true
        [ "$said" != "$1" ] || return 0
    done
    fail "$2 with $MPI does not say $1, but: $said"
}

makefile()
{
    local one_word="CC=weft-mpicc CXX=weft-mpicxx FC=weft-mpif90"
    use_path
    cd project
    rm -f ./*.o it plus fortran
    # shellcheck disable=SC2086
    make $one_word c >log 2>&1 || fail "make with $MPI: $(cat log)"
    has_probes it "$MPI" && has_probes meet.o "$MPI" && has_probes plus "$MPI"
    says c ./it && says c++ ./plus
    if [ -e ../wrappers/mpif90 ] && command -v gfortran >/dev/null; then
        # shellcheck disable=SC2086
        make $one_word fortran >log 2>&1 || fail "make fortran with $MPI: $(cat log)"
        nm fortran | has __cyg_profile_func_enter || fail "the Fortran program is not instrumented with $MPI"
        says fortran ./fortran
    fi
}
each_mpi makefile

### a compiler in every respect: what it prints, and its exit status
PATH=$bin:$PATH
echo 'int main(void) { return missing; }' >wrong.c
echo 'int main(void) { return 0; }' >right.c

# same LINK COMPILER ARGUMENTS...
same()
{
    local link=$1 compiler=$2 plain=0 linked=0
    shift 2
    "$compiler" "$@" >plain.out 2>plain.err || plain=$?
    "$link" "$@" >linked.out 2>linked.err || linked=$?
    [ $plain = $linked ] || fail "$link $*: status $linked, not $plain"
    cmp -s plain.out linked.out || fail "$link $*: $(diff plain.out linked.out | head)"
    cmp -s plain.err linked.err || fail "$link $*: $(diff plain.err linked.err | head)"
}
for arguments in "" --help --version -v -h -dumpversion -dumpmachine -print-prog-name=as -print-file-name=libc.so "-E right.c" "-c right.c" "-c wrong.c" \
    "-c nowhere.c" "-Wall -Wextra -c right.c -o there.o" "-fsyntax-only wrong.c"; do
    # shellcheck disable=SC2086
    same weft-cc cc $arguments
    # shellcheck disable=SC2086
    same weft-c++ c++ $arguments
done
for compiler in mpicc mpicxx mpif90; do
    ! command -v $compiler >/dev/null || same weft-$compiler $compiler -show
done

### options of weft cc come from variables
WEFT_CC_ALL=1 weft-cc -c right.c -o all.o && has_probes all.o WEFT_CC_ALL
WEFT_CC_VERBOSE=1 weft-cc -c right.c 2>err && has "^right.c: procedures: 1 with a probe" <err || fail "WEFT_CC_VERBOSE=1 weft-cc: $(cat err)"

### through links to the link, of the same name and of another, and whatever argv[0] is
mkdir -p links/deep
ln -s "$bin/weft-cc" links/weft-cc
ln -s ../weft-cc links/deep/my-compiler
for command in ./links/weft-cc links/deep/my-compiler "$tmp/links/deep/my-compiler"; do
    rm -f right.o
    "$command" -c right.c && has_probes right.o "$command"
done
rm right.o
(cd links/deep && PATH=.:$PATH my-compiler -c "$tmp/right.c" -o "$tmp/right.o")
has_probes right.o "through PATH"
rm right.o
(exec -a anything links/weft-cc -c right.c)
has_probes right.o "another argv[0]"
(exec -a weft "$WEFT" --version) | has '^weft ' || fail "weft itself"

### a link that hides the compiler: the next one in PATH runs, if there is one
ln -s "$bin/weft-cc" links/cc
rm right.o
PATH=$tmp/links:$PATH cc -c right.c || fail "a link named cc"
has_probes right.o "a link named cc"
status=0
PATH=$tmp/links "$bin/weft-cc" -c right.c 2>err || status=$?
[ $status = 127 ] && has "cannot run cc: PATH has only links to weft" <err || fail "only links in PATH: status $status, $(cat err)"
mkdir nothing
status=0
PATH=$tmp/nothing "$bin/weft-mpicc" -c right.c 2>err || status=$?
[ $status = 127 ] && has "cannot run mpicc" <err || fail "no compiler in PATH: status $status, $(cat err)"

### as the compiler behind an MPI wrapper, and in CMake
for wrapper in OMPI_CC=mpicc.openmpi MPICH_CC=mpicc.mpich; do
    command -v "${wrapper#*=}" >/dev/null || continue
    rm -f meet.o
    env "${wrapper%=*}=weft-cc" "${wrapper#*=}" -c project/meet.c -o meet.o && has_probes meet.o "$wrapper"
done
if command -v cmake >/dev/null; then
    printf '%s\n' 'cmake_minimum_required(VERSION 3.16)' 'project(it C CXX)' 'add_executable(right right.c)' >CMakeLists.txt
    cmake -S . -B b -DCMAKE_C_COMPILER=weft-cc -DCMAKE_CXX_COMPILER=weft-c++ >log 2>&1 && cmake --build b >>log 2>&1 || fail "cmake: $(cat log)"
    has_probes b/right CMake
fi
