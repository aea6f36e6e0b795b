#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Files that are no good profile: one clear sentence each, and nothing is changed.
. "$WEFT_SOURCE/tests/report/common.sh"
make_profile heat heat.sql
cd "$scratch" || exit 1
mkdir folder none
cp heat.weft folder/one.weft
mkfifo pipe
: >empty.weft
echo 'no profile' >text.weft
head -c 20000 heat.weft >cut.weft
head -c 50 heat.weft >stump.weft
printf 'weftseg\0rest of a segment' >0-node1-4001.seg
# change NAME SQL: a copy of the profile with something wrong
change() { cp heat.weft "$1.weft" && sqlite3 "$1.weft" "$2"; }
change newer 'PRAGMA user_version = 999'
change older 'PRAGMA user_version = 1'
change unversioned 'PRAGMA user_version = 0'
change other 'PRAGMA application_id = 0'
change table 'DROP TABLE weft_com'
change view 'DROP VIEW efficiency'
change waits 'DROP TABLE weft_wait'
change path 'DROP TABLE weft_path_site'
change stranger 'UPDATE weft_event SET rank = 77 WHERE id = 30'
change far 'UPDATE weft_site SET line = -9223372036854775807 - 1'
change twice 'UPDATE weft_event SET rank = 1 WHERE id = 30'
cp heat.weft damaged.weft
printf 'garbage where a page begins' | dd of=damaged.weft bs=1 seek=8192 conv=notrunc status=none
sha256sum -- *.weft folder/* >before

refuses 1 "^weft report: there is no profile 'absent.weft'; make one with: weft run" report absent.weft
refuses 1 "there is no profile 'absent/x.weft'" report absent/x.weft
refuses 1 "'folder' is a directory; name a profile in it, such as folder/one.weft" report folder
refuses 1 "'folder/' is a directory; name a profile in it, such as folder/one.weft" report folder/
refuses 1 "'none' is a directory without profiles" report none
refuses 1 "'pipe' is not a regular file" report pipe
refuses 1 "cannot read 'heat.weft/x': Not a directory" report heat.weft/x
refuses 1 "'empty.weft' is empty" report empty.weft
refuses 1 "'text.weft' is not a weft profile; name a file that weft run wrote" report text.weft
refuses 1 "'0-node1-4001.seg' is the segment of one process; .* weft collect" report 0-node1-4001.seg
refuses 1 "'other.weft' is an SQLite database but not a weft profile" report other.weft
refuses 1 "'newer.weft' was written by a newer weft \(profile version 999, this weft reads [0-9]+\); install a newer weft$" report newer.weft
refuses 1 "'older.weft' was written by an older weft \(profile version 1, this weft reads [0-9]+\); repeat the run$" report older.weft
refuses 1 "'unversioned.weft' is damaged" report unversioned.weft
refuses 1 "'cut.weft' is cut short: only 20000 of its [0-9]+ bytes are there; copy it again" report cut.weft
refuses 1 "'stump.weft' is cut short" report stump.weft
refuses 1 "'damaged.weft' is damaged .*; copy it again or repeat the run$" report damaged.weft
refuses 1 "'table.weft' is damaged \(no such table: weft_com\)" report table.weft
refuses 1 "'view.weft' is damaged" report view.weft
refuses 1 "'waits.weft' is damaged \(no such table: .*weft_wait\)" report waits.weft
refuses 1 "'path.weft' is damaged \(no such table: .*weft_path_site\)" report path.weft
refuses 1 "'stranger.weft' is damaged \(a statement was counted on a rank that is not there\)" report stranger.weft
refuses 1 "'twice.weft' is damaged" report twice.weft
refuses 1 "no communication statement at 'heat.c:9223372036854775807'; nearest: " report --site heat.c:9223372036854775807 far.weft
for view in --json --ranks --site=heat.c:214; do
    refuses 1 "'damaged.weft' is damaged" report $view damaged.weft
done
if [[ $(id -u) == 0 ]]; then
    chmod 755 . && cp heat.weft secret.weft && chmod 600 secret.weft
    as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    if "${as_nobody[@]}" "$WEFT" --version >/dev/null 2>&1; then # only if this user may reach the build directory
        "${as_nobody[@]}" "$WEFT" report secret.weft 2>err
        grep -q "^weft report: cannot read 'secret.weft': Permission denied; check" err || fail "unreadable: $(cat err)"
    fi
    rm -f secret.weft
fi

# A directory without profiles; and the newest of several.
(cd none && refuses 1 "no profile \(\*\.weft\) in this directory; make one with: weft run mpirun -n 4 ./app" report; exit $failures) || failures=$((failures + 1))
mkdir several
for n in 1 2 3; do cp heat.weft several/$n.weft; done
touch -d '2026-01-01' several/1.weft
touch -d '2026-01-03' several/2.weft
touch -d '2026-01-02' several/3.weft
cp heat.weft several/.hidden.weft
[[ $(cd several && "$WEFT" report --json | jq -r .profile) == 2.weft ]] || fail "not the newest profile"

# Odd names are no special case.
cp heat.weft 'od?d #%20&x=1.weft'
"$WEFT" report 'od?d #%20&x=1.weft' >/dev/null || fail "odd name"
"$WEFT" report "$PWD/od?d #%20&x=1.weft" >/dev/null || fail "odd absolute name"
cp heat.weft -- --odd.weft
"$WEFT" report -- --odd.weft >/dev/null || fail "a name that begins with dashes"
refuses 1 "there is no profile 'a\?\[2Jb'" report $'a\033[2Jb'

# Nothing was changed, and nothing was left behind.
rm -rf several 'od?d #%20&x=1.weft' -- --odd.weft
sha256sum -- *.weft folder/* | diff before - || fail "a profile was changed"
[[ -z $(find . -name '*-journal' -o -name '*-wal' -o -name '*-shm') ]] || fail "files were left behind"
chmod 444 heat.weft && chmod 555 . && "$WEFT" report heat.weft >/dev/null || fail "a read-only directory"
chmod 755 .

# Waits that cannot be are told as far as they go.
make_profile odd late.sql
sqlite3 odd.weft "INSERT INTO weft_wait VALUES (999999, 1, 'late sender', 1, 1, 1, 1, 1), (50, 3, 'no such state', 1, 1, 1, 1, 1), (110, 1, 'late sender', 1, 1, 1, 1, 1),
  (51, -77, 'late sender', 777, -5, 9223372036854775807, -9223372036854775807, -1), (52, 77, 'late sender', 1, 9223372036854775807, 9223372036854775807, 0, 1);
  UPDATE weft_clock SET ideal_ns = -1, sync_ns = 9223372036854775807; DELETE FROM weft_clock WHERE rank = 1"
for view in --all --json --ranks --raw --site=main.c:40 "--site=main.c --raw" "--ranks --raw"; do
    # shellcheck disable=SC2086
    "$WEFT" report $view odd.weft >out 2>err || fail "odd waits, $view: exit status $?: $(tail -n 3 err)"
done
"$WEFT" query late 2 odd.weft >out 2>err || fail "odd waits: $(cat err)"
rm odd.weft

# So are paths.
make_profile odd path.sql
sqlite3 odd.weft "UPDATE weft_path SET share_ns = 9223372036854775807, zeroing_ns = -9223372036854775807, regions = -1 WHERE id IN (3, 5);
  UPDATE weft_path_place SET arrivals = 9223372036854775807, first_rank = first_rank - 7; INSERT INTO weft_path SELECT 99, 'other', name, file, -1, 77, 0, -1, -1, 0, 0, 0, -1, 0, 0, 0, 0 FROM weft_path LIMIT 1;
  INSERT INTO weft_path_site VALUES (77, 1), (3, 77); UPDATE weft_com SET sync_delay = -9223372036854775807 WHERE event = 10" || fail "cannot make an odd path"
for view in "" --path "--path --all" --json; do
    # shellcheck disable=SC2086
    "$WEFT" report $view odd.weft >out 2>err || fail "an odd path, $view: exit status $?: $(tail -n 3 err)"
done
rm odd.weft

# Any damage: an answer or one sentence, never a crash.
cp heat.weft broken.weft
chmod 644 broken.weft
RANDOM=7
size=$(stat -c %s heat.weft)
for n in $(seq 60); do
    cp heat.weft broken.weft
    for _ in $(seq $((1 + n % 7))); do
        # shellcheck disable=SC2059
        printf "\\x$(printf %02x $((RANDOM % 256)))" | dd of=broken.weft bs=1 seek=$((100 + (RANDOM * 32768 + RANDOM) % (size - 100))) conv=notrunc status=none
    done
    for view in --all --json --ranks --site=heat.c; do
        "$WEFT" report $view broken.weft >out 2>err
        status=$?
        ((status <= 1)) || fail "damage $n, $view: exit status $status: $(tail -n 3 err)"
        (($(wc -l <err) == status)) || fail "damage $n, $view: exit status $status and $(wc -l <err) lines"
    done
done

# Output that cannot be written is a failure.
"$WEFT" report heat.weft >/dev/full 2>err && fail "a full disk is no success"
grep -q "^weft: cannot write the output: No space left on device" err || fail "a full disk: $(cat err)"
finish
