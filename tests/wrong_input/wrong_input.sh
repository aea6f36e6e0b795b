#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What cannot work is said in one sentence, and nothing is damaged; what weft cannot do does not keep the program from
# running.
. "$(dirname "$0")/../lib.sh"
cd "$tmp"
for mpi in openmpi mpich; do
    command -v mpicc.$mpi >/dev/null && break
done
use_mpi $mpi
compile ring -g "$here/../launch/ring.c"

# says STATUS PATTERN COMMAND...: one line on stderr that fits the pattern.
says()
{
    local expected=$1 pattern=$2 status=0
    shift 2
    limited "$@" </dev/null >"$tmp/out" 2>"$tmp/err" || status=$?
    [ $status = "$expected" ] || fail "exit status $status instead of $expected: $* ($(cat "$tmp/err"))"
    [ "$(wc -l <"$tmp/err")" = 1 ] || fail "not one line: $*: $(cat "$tmp/err")"
    grep -Eq "$pattern" "$tmp/err" || fail "no '$pattern' in: $(cat "$tmp/err")"
    [ -z "$(ls -d .weft-* 2>/dev/null)" ] || fail "$* left $(ls -d .weft-*)"
}

says 2 'no program given.*weft run mpirun' "$WEFT" run
says 2 "weft run mpirun -n 4 ./app.*mpirun -n 4 weft run ./app" "$WEFT" run -n 4 ./ring
says 2 "unknown option '--frobnicate'" "$WEFT" run --frobnicate ./ring
says 2 "segment-size" "$WEFT" run --segment-size=much ./ring
says 2 "WEFT_SEGMENT_SIZE" env WEFT_SEGMENT_SIZE=much "$WEFT" run ./ring
says 2 "too small" "$WEFT" run --segment-size=0 ./ring
says 2 "nowhere" "$WEFT" run -o nowhere/x.weft ./ring
says 2 "is a directory" "$WEFT" run -o "$tmp" ./ring
says 127 "cannot run './missing': No such file" "$WEFT" run ./missing
says 127 "cannot run 'no-such-program': No such file" "$WEFT" run no-such-program
touch plain && says 126 "cannot run './plain': Permission denied" "$WEFT" run ./plain
says 2 "unknown command 'reprot'.*report" "$WEFT" reprot
says 2 "unknown command '$MPIRUN', did you mean \"weft run $MPIRUN -n 2 ./ring 10\"" "$WEFT" "$MPIRUN" -n 2 ./ring 10
says 2 "unknown command './ring', did you mean \"weft run ./ring 10\"" "$WEFT" ./ring 10

# Programs that are not there to be watched still run.
says 0 "no process called MPI_Init" "$WEFT" run echo hello
[ "$(cat out)" = hello ] || fail "echo printed: $(cat out)"
says 3 "no process called MPI_Init" "$WEFT" run sh -c 'exit 3'
cat >static.c <<'END'
#include <stdio.h>
int main(void)
{
    puts("static");
    return 4;
}
END
gcc -static static.c -o static
says 4 "statically linked.*dynamically" "$WEFT" run ./static
[ "$(cat out)" = static ] || fail "the static program printed: $(cat out)"
says 4 "statically linked.*dynamically" "$WEFT" run sh -c './static; exit $?' ./static

# A segment too small: counted and said, nothing else.
limited "$WEFT" run -q --segment-size=64K -o small.weft "$MPIRUN" -n 2 ./ring 10 </dev/null || fail "small segment: status $?"
[ "$(sql small.weft "SELECT count(*) FROM rank")" = 2 ] || fail "small segment: ranks are missing"

# Wrong profiles.
says 1 "no profile|nothing|weft run" "$WEFT" report missing.weft
echo "not a database, but long enough to be looked at by something that expects one" >text.weft
says 1 "text.weft" "$WEFT" report text.weft
sqlite3 other.weft "CREATE TABLE t(x); INSERT INTO t VALUES (1)"
says 1 "other.weft.*(weft|profile)" "$WEFT" report other.weft
cp small.weft newer.weft && sqlite3 newer.weft "PRAGMA user_version = 99"
says 1 "newer" "$WEFT" report newer.weft
head -c 6000 small.weft >cut.weft
says 1 "cut.weft" "$WEFT" report cut.weft
sum=$(cksum <cut.weft)
[ "$sum" = "$(cksum <cut.weft)" ] || fail "a damaged profile was changed"
says 1 "" "$WEFT" collect nothing-there
mkdir holiday && echo mine >holiday/photo && says 1 "no process called MPI_Init" "$WEFT" collect holiday
[ "$(cat holiday/photo)" = mine ] || fail "collect has touched a user's files"

if [ "$(id -u)" != 0 ] || ! mkdir disk || ! mount -t tmpfs -o size=2m tmpfs disk 2>/dev/null; then
    echo "not tried: full disk and read-only directory (no permission to mount a tmpfs here)"
    exit 0
fi
remove_disk()
{
    umount -l "$tmp/disk"
}
at_exit+=(remove_disk)
cd disk

# A read-only directory: the program runs, unwatched.
mount -o remount,ro "$tmp/disk"
says 0 "cannot write in .*Read-only.*-o" "$WEFT" run "$MPIRUN" -n 2 ../ring 10
mount -o remount,rw "$tmp/disk"

# No room for a segment: said once, the program runs, nothing is left.
dd if=/dev/zero of=full bs=1k count=4000 2>/dev/null || true
status=0
limited "$WEFT" run "$MPIRUN" -n 2 ../ring 10 3 </dev/null >../out 2>../err || status=$?
[ $status = 3 ] || fail "full disk: exit status $status"
[ "$(grep -c 'No space left' ../err)" = 1 ] || fail "full disk: $(cat ../err)"
[ -z "$(ls -d .weft-* ./*.weft* 2>/dev/null)" ] || fail "full disk: left $(ls -A)"

# Room for the segments but not for the profile: the old one stays, the data is kept, and later it can be made. How much
# that is, is found out.
rm full
cp ../small.weft ring.weft && sum=$(cksum <ring.weft)
free=$(df --output=avail -k . | tail -n 1)
for ((room = 128; room < free; room += 32)); do
    dd if=/dev/zero of=full bs=1k count=$((free - room)) 2>/dev/null
    status=0
    limited "$WEFT" run "$MPIRUN" -n 2 ../ring 10 3 </dev/null >../out 2>../err || status=$?
    [ $status = 3 ] || fail "full disk at the end: exit status $status"
    ! grep -q 'weft collect' ../err || [ "$(find .weft-* -name '*.seg' -size +0 | wc -l)" != 2 ] || break
    [ "$(cksum <ring.weft)" = "$sum" ] || fail "with $room KiB there is a profile, and with less no word of how to make one"
    rm -rf full .weft-*
done
grep -q 'weft collect' ../err || fail "full disk at the end: $(cat ../err)"
[ "$(cksum <ring.weft)" = "$sum" ] || fail "full disk at the end: the old profile was damaged"
[ -z "$(ls -d .*.tmp* ./*.tmp* 2>/dev/null)" ] || fail "full disk at the end: a half file is left"
rm full
"$WEFT" collect -q || fail "collect after the disk has room again: status $?"
[ "$(sql ring.weft "SELECT count(*) FROM rank")" = 2 ] || fail "the collected profile lacks ranks"
[ -z "$(ls -d .weft-* 2>/dev/null)" ] || fail "collect left the run directory"
cd ..
