#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# weft cc in the place of a compiler: same files, same names in them, same messages, same exit status, in every way a
# build calls it.
#
# usage: builds.sh gcc|clang
. "$(dirname "$0")/../lib.sh"

CC=$1
command -v "$CC" >/dev/null || skip "there is no $CC here"
case $CC in
gcc) CXX=g++ ;;
clang) CXX=clang++ ;;
esac
export TMPDIR=$tmp/temporary
mkdir "$TMPDIR" "$tmp/plain" "$tmp/weft"

# A small project, with a blank in a name, headers beside, below, above and in -I, and procedures in all of them.
make_project()
{
    mkdir -p "$1/src dir/sub" "$1/inc" && cd "$1"
    cat >"src dir/a b.c" <<'END'
#include <stdio.h>
#include "beside.h"
#include "sub/below.h"
#include "../above.h"
#include <lib.h>

int two(int n);

int main(void)
{
    int s = 0;
    for (int i = 0; i < 3; i++)
        s += beside(i) + below(i) + above(i) + lib(i) + two(i);
    printf("%d %s %s %d\n", s, __FILE__, __BASE_FILE__, __INCLUDE_LEVEL__);
    printf("%s %s %s %s\n", beside_file(), below_file(), above_file(), lib_file());
    return 0;
}
END
    local path name
    for path in "src dir/beside" "src dir/sub/below" above inc/lib; do
        name=$(basename "$path")
        cat >"$path.h" <<END
#ifndef ${name}_h
#define ${name}_h
static inline int $name(int n)
{
    int unused_$name, s = 0;
    while (n-- > 0)
        s++;
    return s;
}
static inline const char *${name}_file(void) { return __FILE__; }
#endif
END
    done
    cat >two.c <<'END'
int two(int n)
{
    int s = 0; for (unsigned i = 0; i < n; i++) s += i;
    return s;
}
END
    cat >wrong.c <<'END'
#include "above.h"
int main(void)
{
    int unused;
    for (int i = 0; i < 3; i++) undeclared(i;
    return missing;
}
END
    cat >assembler.s <<'END'
    .globl nothing
nothing:
    ret
    .section .note.GNU-stack,"",@progbits
END
    cat >header.cpp <<'END'
#include <vector>
#include "lib.h"
template <class T> int length(const std::vector<T> &v) { int n = 0; for (const T &x : v) { (void)x; n = lib(n) + 1; } return n; }
int main() { return length(std::vector<int>(3)) - 3; }
END
    printf '%s\n' '-O1 -Wall' '-Iinc' '"src dir/a b.c"' "-DTEXT='a \"b\"'" >arguments
    cat >Makefile <<'END'
CFLAGS = -O2 -Iinc -Wall -MMD -MP
prog: one.o two.o
	$(CC) -o $@ $^
one.o: src\ dir/a\ b.c
	$(CC) $(CFLAGS) -c "src dir/a b.c" -o $@
-include one.d two.d
END
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(it C CXX)
add_executable(prog "src dir/a b.c" two.c)
target_include_directories(prog PRIVATE inc)
add_executable(header header.cpp)
target_include_directories(header PRIVATE inc)
target_precompile_headers(header PRIVATE <vector> <string>)
END
}

# run PLAIN|WEFT COMPILER ARGUMENTS: in the project, with output, errors and status beside it.
run()
{
    local where=$1 compiler=$2 status=0
    shift 2
    cd "$tmp/$where/project"
    case $where in
    plain) limited "$compiler" "$@" >../out 2>../err || status=$? ;;
    weft) limited "$WEFT" cc "$compiler" "$@" >../out 2>../err || status=$? ;;
    esac
    echo $status >../status
}

same()
{
    diff "$1" "$2" >"$tmp/diff" || {
        head -20 "$tmp/diff" >&2
        fail "$3"
    }
}

# What a command leaves and says must be the same; binaries need only be there.
both()
{
    local where
    for where in plain weft; do
        rm -rf "${tmp:?}/$where/project"
        (make_project "$tmp/$where/project")
        run $where "$@"
        (cd "$tmp/$where/project" && find . -type f | sort >../files && find . -name '*.d' -print0 | sort -z | xargs -0 -r cat >../dependencies)
    done
    for where in out err status files dependencies; do
        same "$tmp/plain/$where" "$tmp/weft/$where" "$*: other $where"
    done
    ls -A "$TMPDIR" | has . && fail "$*: something is left in the temporary directory"
    return 0
}

probes()
{
    objdump -h "$1" | has weft_static
}

one="src dir/a b.c"

### one file
for flags in "" -Wall -MMD "-MD -MP" "-MMD -MF some.d -MT target" "-Wp,-MMD,wp.d"; do
    # shellcheck disable=SC2086
    both "$CC" -O1 -Iinc $flags -c "$one" -o one.o
    probes "$tmp/weft/project/one.o" || fail "$flags: no probes"
    ! strings -a "$tmp/weft/project/one.o" | grep -F "$TMPDIR" || fail "$flags: the temporary directory is in the object"
done
both "$CC" -O1 -Iinc -c "$one"
both "$CC" -O1 -Iinc -S "$one" -o one.s
both "$CC" -x c -c two.c -o two.o
both "$CC" -Wall -Wextra -c two.c
both "$CC" -Wall -Wextra -Werror -c two.c
both "$CC" -Wall -fdiagnostics-color=always -c two.c
both "$CXX" -O1 -Iinc -c header.cpp
probes "$tmp/weft/project/header.o" || fail "header.cpp: no probes"
nm -C "$tmp/weft/project/header.o" | has "lib(int)::weft_region_\|weft_region_3_" || fail "no probe in the header in -I"
both "$CC" @arguments -c -o one.o

### sources that were preprocessed before (miniMD does), with headers as this compiler reads them
cd "$tmp/weft/project"
printf '%s\n' '#include <stdlib.h>' '#include <stdio.h>' '#include <math.h>' 'int f(int);' 'int main(int n, char **v)' '{' '    (void)v;' \
    '    while (n-- > 0)' '        printf("%d\n", f(n));' '    return 0;' '}' >early.c
{ printf '%s\n' '#include <utility>' '#include <vector>' && cat early.c; } >early.cpp
for source in early.c early.cpp; do
    case $source in *.c) compiler=$CC ;; *) compiler=$CXX ;; esac
    "$compiler" -E "$source" >"${source/./.2.}"
    "$WEFT" cc "$compiler" -O1 -c "${source/./.2.}" -o early.o 2>err || fail "${source/./.2.}: $(cat err)"
    [ ! -s err ] || fail "${source/./.2.}: $(cat err)"
    probes early.o || fail "${source/./.2.}: no probes"
    "$WEFT" instrument -v --all --compiler "$compiler" "${source/./.2.}" -o early.out 2>err || fail "${source/./.2.}: $(cat err)"
    has "^${source/./.2.}: procedures: 1 with a probe, 0 leaves, 0 skipped; loops: 1 with a probe" <err || fail "${source/./.2.}: $(cat err)"
done

### names in the debug information
cd "$tmp/weft/project"
"$WEFT" cc "$CC" -O1 -Iinc -c "$one" -o one.o
objdump --dwarf=info,line one.o >"$tmp/dwarf" 2>/dev/null
! grep -F "$TMPDIR" "$tmp/dwarf" || fail "the temporary directory is in the debug information"
grep -q "DW_AT_name.*src dir/a b.c" "$tmp/dwarf" || fail "the debug information does not name the original"

### debug information changes no code
for flags in "" -g -g0; do
    "$CC" -O2 $flags -c two.c -o "two$flags.o"
    objcopy -O binary --only-section=.text "two$flags.o" "two$flags.text"
    cmp two.text "two$flags.text" || fail "-g changes code"
done
"$WEFT" cc "$CC" -O2 -g0 -c two.c -o two.o
! objdump -h two.o | has debug_info || fail "-g0 is not respected"

### several files, linking, assembling
both "$CC" -Iinc -c "$one" two.c
both "$CC" -Iinc "$one" two.c -o prog
same <(cd "$tmp/plain/project" && ./prog) <(cd "$tmp/weft/project" && ./prog) "another output"
both "$CC" -Iinc -MMD "$one" two.c -o prog
both "$CC" -Iinc -MMD "$one" two.c
both "$CC" -c assembler.s
both "$CC" -Iinc "$one" two.c assembler.s -o prog

### steps that compile nothing
both "$CC" -E two.c
both "$CC" -Iinc -M "$one"
both "$CC" -fsyntax-only -Wall two.c
both "$CC" --version
both "$CC" -dumpversion
both "$CC"

### what is wrong
both "$CC" -Wall -c wrong.c
both "$CC" -c not_there.c
both "$CC" -c two.c -o /not/there.o
both "$CC" -c two.c -fno-such-option-anywhere=3
cd "$tmp/weft/project"
status=0
"$WEFT" cc no-such-compiler -c two.c 2>"$tmp/err" || status=$?
[ $status = 127 ] || fail "a compiler that is not there: status $status"

### a source that cannot be read twice, a directory that cannot be written
echo 'int main(void) { return 0; }' | "$WEFT" cc "$CC" -x c - -o from_stdin && ./from_stdin || fail "source from stdin"
TMPDIR=/not/there "$WEFT" cc "$CC" -c two.c 2>"$tmp/err" && [ -e two.o ] || fail "without a temporary directory nothing is compiled"
grep -q "^weft cc: warning: .*, compiled without probes" "$tmp/err" || fail "no warning that it was compiled without probes"

### libclang is not there
rm -f two.o
WEFT_LIBCLANG=/not/there.so "$WEFT" cc "$CC" -c two.c 2>"$tmp/err" && [ -e two.o ] || fail "without libclang nothing is compiled"
[ "$(wc -l <"$tmp/err")" = 1 ] && grep -q "^weft cc: warning: two.c: .*, compiled without probes" "$tmp/err" || fail "without libclang: $(cat "$tmp/err")"

### a procedure that the compiler does not accept with probes goes without them, alone
cat >hidden.c <<'END'
int f(int);
int good(int n) { int s = 0; for (int i = 0; i < n; i++) s += f(i); return s; }
int bad(int *v, int n)
{
    PARALLEL for (int i = 0; i < n; i++)
        v[i] += f(i);
    return 0;
}
END
"$WEFT" cc -v "$CC" -fopenmp '-DPARALLEL=_Pragma("omp parallel for")' -c hidden.c 2>"$tmp/err" || fail "hidden.c does not compile"
probes hidden.o && grep -q "procedure bad skipped: does not allow a probe" "$tmp/err" || fail "hidden.c: $(cat "$tmp/err")"
[ "$(objdump -t hidden.o | grep -c weft_region_)" = 2 ] || fail "hidden.c: other probes than in good"

### interrupted
cat >slow.c <<'END'
#define A x += 1; x *= y; y ^= x;
#define B A A A A A A A A A A
#define C B B B B B B B B B B
#define D C C C C C C C C C C
int f(unsigned x, unsigned y) { for (int i = 0; i < 9; i++) { D D D } return x; }
END
"$WEFT" cc "$CC" -O3 -c slow.c &
pid=$!
sleep 0.4
kill -TERM $pid 2>/dev/null || true
wait $pid || true
for i in 1 2 3 4 5 6 7 8 9 10; do
    ls -A "$TMPDIR" | has weft-cc || break
    sleep 0.5
done
! ls -A "$TMPDIR" | grep weft-cc || fail "a temporary directory is left after an interrupt"

### make
for where in plain weft; do
    cd "$tmp/$where/project"
    rm -f ./*.o ./*.d prog
    case $where in
    plain) make CC="$CC" >../out 2>../err ;;
    weft) make CC="$WEFT cc $CC" >../out 2>../err ;;
    esac || fail "make ($where)"
    ./prog >../prog.out
    cat one.d two.d >../dependencies
done
for what in err prog.out dependencies; do
    same "$tmp/plain/$what" "$tmp/weft/$what" "make: other $what"
done
sed -i 's/s++/s += 1/' above.h
touch -d "-20 seconds" one.o
make CC="$WEFT cc $CC" >../out 2>&1 && grep -q "a b.c" ../out || fail "make does not see that a header changed"

### the linker's garbage collection keeps the tables
cd "$tmp"
printf '%s\n' '#include <stdio.h>' 'static void f(int n)' '{' '    for (int i = 0; i < n; i++)' '        puts("x");' '}' 'int main(void)' '{' '    f(2);' '    return 0;' '}' >gc.c
"$WEFT" cc "$CC" -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections gc.c -o gc || fail "--gc-sections"
readelf -SW gc | has ' weft_static ' || fail "--gc-sections takes the static tables away"

### what is inserted is never warned of
if [ "$CC" = clang ]; then
    clang -Weverything -O2 -c gc.c -o gc.o 2>plain.err
    "$WEFT" cc clang -Weverything -O2 -c gc.c -o gc.o 2>weft.err
    same plain.err weft.err "clang -Weverything warns of probes"
fi

### through the MPI wrappers' own compiler variables
for wrapper in OMPI_CC=mpicc.openmpi MPICH_CC=mpicc.mpich; do
    command -v "${wrapper#*=}" >/dev/null || continue
    env "${wrapper%=*}=$WEFT cc $CC" "${wrapper#*=}" -O2 gc.c -o gc && readelf -SW gc | has ' weft_static ' || fail "${wrapper%=*}"
done

### the compiler is asked once, and again when it is another one
printf '#!/bin/sh\necho "$*" >>%s\nexec %s "$@"\n' "$tmp/asked" "$CC" >counted
chmod +x counted
asks()
{
    : >"$tmp/asked"
    "$WEFT" cc ./counted -O2 "$@" -c gc.c -o gc.o || fail "weft cc ./counted $*"
    grep -c -e '-dM' "$tmp/asked" || true
}
[ "$(asks) $(asks) $(asks)" = "1 0 0" ] || fail "the compiler is asked again and again"
[ "$(asks -std=c99) $(asks -I.) $(CPATH=/ asks) $(asks)" = "1 1 1 0" ] || fail "other flags are not asked for"
echo >>counted
[ "$(asks) $(asks)" = "1 0" ] || fail "another compiler is not asked"
for file in "$XDG_CACHE_HOME"/weft/*; do
    printf 'weft 1' >"$file"
done
[ "$(asks) $(asks)" = "1 0" ] || fail "a broken answer is not asked for again"
[ "$(XDG_CACHE_HOME=/proc/nowhere asks)" = 1 ] || fail "without a cache"

### CMake
if command -v cmake >/dev/null; then
    cd "$tmp/weft/project"
    cmake -S . -B build -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_C_COMPILER_LAUNCHER="$WEFT;cc" \
        -DCMAKE_CXX_COMPILER_LAUNCHER="$WEFT;cc" -DCMAKE_CXX_FLAGS=-Winvalid-pch >"$tmp/cmake.out" 2>&1 || fail "cmake: $(cat "$tmp/cmake.out")"
    cmake --build build >"$tmp/cmake.out" 2>"$tmp/cmake.err" || fail "cmake --build: $(cat "$tmp/cmake.out" "$tmp/cmake.err")"
    [ ! -s "$tmp/cmake.err" ] || fail "cmake --build warns: $(cat "$tmp/cmake.err")"
    build/prog >/dev/null && build/header || fail "programs built by CMake"
    probes build/prog && probes build/header || fail "no probes in programs built by CMake"
fi

### Fortran
if [ "$CC" = gcc ] && command -v gfortran >/dev/null; then
    cd "$tmp"
    printf '%s\n' 'subroutine s(n)' 'integer n' 'n = n + 1' 'end' 'program p' 'integer :: n = 1' 'call s(n)' 'print *, n' 'end' >p.f90
    "$WEFT" cc gfortran -O1 p.f90 -o p && [ "$(./p | tr -d ' ')" = 2 ] || fail "Fortran"
    nm p | has __cyg_profile_func_enter || fail "Fortran is not instrumented"
    echo 'x = ; end' >wrong.f90
    gfortran -c wrong.f90 2>plain.err || true
    "$WEFT" cc gfortran -c wrong.f90 2>weft.err && fail "wrong Fortran compiles"
    same plain.err weft.err "other messages of gfortran"
fi
