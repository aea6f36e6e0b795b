#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The source with its times: which lines get which, and where the file is looked for.
. "$WEFT_SOURCE/tests/tree/common.sh"
make_profile wave wave.sql
make_profile heat heat.sql
make_profile odd odd.sql
cd "$scratch" || exit 1
source=$here/fixtures/src/wave.c
mkdir -p here/src elsewhere/deeper below/home/user/src
cp "$source" here/src/wave.c
cp "$source" below/home/user/src/wave.c
cp "$source" elsewhere/wave.c
touch -d 2026-08-17T14:00:00Z here/src/wave.c

# Statements, calls, loops and heads of procedures have their time; other lines have nothing.
(
    cd here || exit 1
    has '^ +37\.5 %   3\.75 s +2,000 +14      MPI_Waitall' report --source wave.c ../wave.weft
    has '^ +15\.0 %   1\.50 s +400 +67              exchange' report --source wave.c ../wave.weft
    has '^ +94\.8 %   9\.48 s +4 +65          for \(int step' report --source wave.c ../wave.weft
    has '^ +39\.0 %   3\.90 s +2,000 +8  static void exchange' report --source wave.c ../wave.weft
    has '^ +63      set_callback' report --source wave.c ../wave.weft
    has '^ +60\.0 %   6\.00 s +400 +36 ' report --source wave.c --rank 3 ../wave.weft
    # Procedures that do not matter are cut: square, never_called, on_checkpoint.
    has_not 'never_called|square\(double|on_checkpoint\(void' report --source wave.c ../wave.weft
    [[ $("$WEFT" report --source wave.c ../wave.weft | grep -c '^ *…$') == 4 ]] || fail "cut stretches"
    has 'never_called' report --source wave.c --all ../wave.weft
    [[ $("$WEFT" report --source wave.c --all ../wave.weft | grep -cE '^[ 0-9a-z.,%<]* +[0-9]+( |$)') -ge 75 ]] || fail "--all shows not all"
    has_not 'changed after the run' report --source wave.c ../wave.weft
    touch src/wave.c
    has 'changed after the run: lines may have moved' report --source wave.c ../wave.weft
    exit "$failures"
) || failures=$((failures + 1))

# Where it is looked for.
refuses 1 "^weft report: cannot find 'src/wave.c' here; give its directory with --source-dir$" report --source wave.c wave.weft
refuses 1 "cannot find 'src/wave.c' here or below 'elsewhere/deeper'; give its directory with --source-dir" report --source wave.c --source-dir elsewhere/deeper wave.weft
for directory in here here/src elsewhere below/home/user; do
    has 'MPI_Waitall' report --source wave.c --source-dir $directory wave.weft
done
WEFT_REPORT_SOURCE_DIR=here has 'MPI_Waitall' report --source wave.c wave.weft

# Which file is meant.
refuses 1 "this profile has no source file 'wive.c'; nearest: src/wave.c" report --source wive.c wave.weft
refuses 1 "this profile has no source file 'ave.c'; nearest: src/wave.c" report --source ave.c wave.weft
refuses 1 "'heat.c' can be src/heat.c or src/io/heat.c; give more of the path" report --source heat.c heat.weft
refuses 1 "cannot find 'src/io/heat.c' here" report --source io/heat.c heat.weft

# Odd files: empty, shorter than its lines, without an end of line, in Latin 1, with control characters, a directory, a
# long line.
mkdir src
: >src/heat.c
has '^src/heat\.c: shares of 12\.4 s' report --source src/heat.c --all heat.weft
printf 'one\ntwo' >src/heat.c
has '^ +2  two$' report --source src/heat.c --all heat.weft
printf 'caf\351 \033[2J\tx\r\n%0500d' 7 >src/heat.c
"$WEFT" report --source src/heat.c --all heat.weft >out || fail "an odd file"
grep -q $'\033\|\r' out && fail "control characters of a file reach the terminal"
(($(wc -L <out) <= 80)) || fail "a long line is not cut"
rm src/heat.c && mkdir src/heat.c
refuses 1 "cannot find 'src/heat.c' here" report --source src/heat.c heat.weft

# Fortran's procedures end with END.
make_profile fortran fortran.sql
{
    printf '%s\n' 'module ocean' contains '' '  subroutine halo(x)' '    real :: x(:)' '    if (x(1) > 0) then' '    end if' '    call MPI_Recv(x)' '  end subroutine'
    printf '! not its text\n%.0s' 1 2 3
} >ocean.f90
has '^ +9    end subroutine$' report --source ocean.f90 fortran.weft
has_not 'not its text' report --source ocean.f90 fortran.weft
finish
