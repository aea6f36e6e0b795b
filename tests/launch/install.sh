#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What make install puts under a prefix works from there: the command, its man pages, find_package and pkg-config.
. "$(dirname "$0")/../lib.sh"
build=$1
cd "$tmp"
cmake --install "$build" --prefix "$tmp/prefix" >log || fail "install: $(cat log)"
unset WEFT_DIR
each_mpi true
for mpi in openmpi mpich; do
    command -v mpicc.$mpi >/dev/null || continue
    use_mpi $mpi
    compile ring -g "$here/ring.c"
    limited prefix/bin/weft run -q "$MPIRUN" -n 2 ./ring 5 </dev/null || fail "installed weft with $mpi: status $?"
    [ -f ring.weft ] || fail "installed weft with $mpi left no profile"
    rm -f ring.weft ring
done
[ -f prefix/share/man/man1/weft.1 ] && [ -f prefix/share/man/man1/weft-run.1 ] || fail "no man pages"

cat >user.c <<'END'
#include <stdio.h>
#include <weft/profile.h>
int main(void)
{
    printf("%d\n", WEFT_PARTNER_ALL);
}
END
mkdir cm
cat >cm/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(weft 0.1 REQUIRED)
add_executable(user ../user.c)
target_link_libraries(user weft::weft)
add_custom_command(TARGET user POST_BUILD COMMAND ${WEFT_EXECUTABLE} --version)
END
cmake -S cm -B cm/b -DCMAKE_PREFIX_PATH="$tmp/prefix" >log 2>&1 && cmake --build cm/b >>log 2>&1 || fail "find_package: $(cat log)"
[ "$(cm/b/user)" = -1 ] || fail "a program with weft's headers prints $(cm/b/user)"

export PKG_CONFIG_PATH=$tmp/prefix/lib/pkgconfig
gcc $(pkg-config --cflags weft) user.c -o user || fail "pkg-config: $(pkg-config --cflags weft)"
[ "$(./user)" = -1 ] || fail "pkg-config's program prints $(./user)"
