#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What make install puts under a prefix works from there: the command, the one-word compilers, their man pages,
# find_package and pkg-config. make uninstall removes it, and nothing else.
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

for name in mpicc mpicxx mpif90 cc c++; do
    [ "$(readlink "prefix/bin/weft-$name")" = weft ] || fail "weft-$name is no link to weft beside it"
    [ -s "prefix/share/man/man1/weft-$name.1" ] || fail "no man page of weft-$name"
done
echo 'int main(void) { return 0; }' >it.c
ln -s "$tmp/prefix/bin/weft-cc" other-name
for command in prefix/bin/weft-cc ./other-name weft-cc; do
    PATH=$tmp/prefix/bin:$PATH WEFT_CC_ALL=1 "$command" -c it.c -o it.o || fail "$command -c"
    readelf -SW it.o | has ' weft_static ' || fail "$command leaves no probes"
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

### uninstall
uninstall()
{
    make -C "$root" --no-print-directory uninstall PREFIX="$1" >log 2>&1 || fail "uninstall: $(cat log)"
}
uninstall "$tmp/prefix"
grep -q "^weft: removed [0-9]* files from $tmp/prefix\$" log || fail "uninstall says $(cat log)"
[ -z "$(find prefix -mindepth 1)" ] || fail "uninstall leaves $(find prefix -mindepth 1)"
uninstall "$tmp/prefix"
[ "$(wc -l <log)" = 1 ] && grep -q "^weft: nothing to remove" log || fail "without an installation uninstall says $(cat log)"

# What was there before stays: files, also in weft's directories, and empty directories. Each prefix has its own list,
# which a second installation does not shorten.
mkdir -p one/bin one/share/man one/share/doc/weft two
touch one/bin/other one/share/doc/weft/notes
find one | sort >before
for prefix in one two one; do
    cmake --install "$build" --prefix "$tmp/$prefix" >log || fail "install: $(cat log)"
done
uninstall "$tmp/one"
find one | sort >after
diff before after || fail "uninstall does not leave what was there before"
[ -x two/bin/weft ] || fail "uninstall takes another prefix's files away"
uninstall "$tmp/two"
[ -z "$(find two -mindepth 1)" ] || fail "uninstall leaves $(find two -mindepth 1)"

# The same for a package, whose files are gathered in another place than they are for.
DESTDIR=$tmp/package cmake --install "$build" --prefix /opt/weft >log || fail "install into a package: $(cat log)"
[ -x package/opt/weft/bin/weft ] || fail "a package without weft"
DESTDIR=$tmp/package uninstall /opt/weft
[ -z "$(find package ! -type d)" ] || fail "uninstall leaves $(find package ! -type d) in the package"

mkdir stage
DESTDIR=$tmp/stage cmake --install "$build" --prefix /opt/weft >log || fail "install with DESTDIR: $(cat log)"
[ -x stage/opt/weft/bin/weft ] || fail "DESTDIR is not heard"
DESTDIR=$tmp/stage uninstall /opt/weft
[ -z "$(find stage/opt/weft -mindepth 1)" ] || fail "uninstall with DESTDIR leaves $(find stage/opt/weft -mindepth 1)"
