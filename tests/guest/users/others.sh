#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two users in one directory: nothing that the one plants there makes the other's run touch a file, wait, or tell
# anything.
. "$(dirname "$0")/../../lib.sh"
[ "$(id -u)" = 0 ] || skip "users are made here, which needs root"
command -v useradd >/dev/null && command -v setpriv >/dev/null || skip "there is no useradd or setpriv here"
use_mpi mpich # its launcher gives no secret to the ranks, so the name of a job can be guessed: here it is told
cd "$tmp"
chmod 711 "$tmp"
compile ring -g "$tests/launch/ring.c"
chmod 755 ring

# The build tree may be where other users cannot go.
mkdir -p inst/bin inst/lib
cp "$WEFT" inst/bin/
cp -r "$(dirname "$WEFT")/../lib/weft" inst/lib/
WEFT=$tmp/inst/bin/weft

alice=wfa$$ bob=wfb$$
remove_users()
{
    local user
    for user in "$alice" "$bob"; do
        pkill -9 -U "$user" 2>/dev/null || true
        userdel "$user" 2>/dev/null || true
    done
}
at_exit+=(remove_users)
for user in "$alice" "$bob"; do
    useradd --system --no-create-home --shell /bin/sh "$user" 2>err || skip "no user can be made here: $(cat err)"
    mkdir -m 700 "home-$user"
    chown "$user" "home-$user"
done
shared=$tmp/shared
mkdir "$shared"
chmod 1777 "$shared"
cd "$shared"

# as USER COMMAND...
as()
{
    local user=$1
    shift
    limited setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups env -u XDG_CACHE_HOME -u XDG_RUNTIME_DIR \
        HOME="$tmp/home-$user" USER="$user" "$@"
}

job=known
inner()
{
    as "$alice" "$MPIRUN" -genv PMI_JOBID $job -n 2 "$WEFT" run -q "$@" </dev/null >out 2>err
}

clear_shared()
{
    find "$shared" -mindepth 1 -delete
    find "$tmp/home-$alice" -mindepth 1 -delete
    as "$alice" sh -c 'mkdir ~/photos && echo cat >~/photos/cat && echo mine >~/thesis && chmod 777 ~/photos'
}

# What is alice's is as it was, and her run was watched.
check_alice()
{
    [ "$(cat "$tmp/home-$alice/thesis")" = mine ] || fail "$1: a file was overwritten"
    [ "$(cat "$tmp/home-$alice/photos/cat")" = cat ] || fail "$1: a file was removed"
    for _ in $(seq 100); do
        [ ! -f ring.weft ] || break
        sleep 0.1
    done
    [ -f ring.weft ] || fail "$1: no profile: $(cat err)"
    [ "$(stat -c %U ring.weft)" = "$alice" ] || fail "$1: the profile is $(stat -c %U ring.weft)'s"
    [ "$(sql ring.weft "SELECT count(*) FROM rank")" = 2 ] || fail "$1: not all ranks were watched: $(cat err)"
    [ -z "$(find "$tmp/home-$alice" -name '.weft-*')" ] || fail "$1: left $(find "$tmp/home-$alice" -name '.weft-*')"
}

clear_shared
as "$bob" sh -c "mkdir -m 777 .weft-$job && printf %s $tmp/home-$alice/thesis >.weft-$job/output"
inner ./../ring 10 || fail "a planted name of a profile: status $?: $(cat err)"
check_alice "a planted name of a profile"
[ -e .weft-$job/output ] && [ "$(find .weft-$job | wc -l)" = 2 ] ||
    fail "something was done in another user's directory"

clear_shared
as "$bob" ln -s "$tmp/home-$alice/photos" .weft-$job
inner ./../ring 10 || fail "a planted link: status $?: $(cat err)"
check_alice "a planted link"

# The first process never ends; neither does bob's own.
clear_shared
as "$bob" sleep 60 >/dev/null 2>&1 &
sleeper=$!
host=$(hostname)
as "$bob" sh -c "mkdir -m 777 .weft-$job &&
    touch .weft-$job/pid-$host-1 .weft-$job/pid-$host-$sleeper .weft-$job/guardian-$host"
inner ./../ring 10 || fail "planted processes: status $?: $(cat err)"
check_alice "planted processes"
kill $sleeper 2>/dev/null || true

# Where there is no folder of the user's own to go to: one sentence, and the program runs.
clear_shared
as "$bob" mkdir -m 777 .weft-$job
as "$alice" env -u HOME "$MPIRUN" -genv PMI_JOBID $job -n 2 "$WEFT" run ./../ring 10 </dev/null >out 2>err ||
    fail "without a home: status $?"
[ "$(grep -c 'runs unwatched' err)" = 1 ] && grep -q 'other users can write' err || fail "without a home: $(cat err)"
[ -z "$(ls -A .weft-$job)" ] || fail "without a home: used another user's directory"

# During a run, with any umask and in both orders, no other user can look into its directory or replace it.
run_directory()
{
    for _ in $(seq 100); do
        found=$(find "$shared" "$tmp/home-$alice" -name '.weft-*' -user "$alice" \
            -exec sh -c 'ls "$1"/p-*.seg' _ {} \; 2>/dev/null | head -n 1)
        [ -z "$found" ] || break
        sleep 0.1
    done
    [ -n "$found" ] || fail "$1: no run directory: $(cat "$tmp/err")"
    found=$(dirname "$found")
    [ "$(stat -c %a "$found")" = 700 ] || fail "$1: the run directory has mode $(stat -c %a "$found")"
    as "$bob" ls "$found" >/dev/null 2>&1 && fail "$1: another user can look into the run directory"
    as "$bob" mv "$found" "$found.moved" 2>/dev/null && fail "$1: another user can move the run directory"
    true
}

cat >"$tmp/slow.c" <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 600 && access(argv[1], F_OK) != 0; i++)
        usleep(100000);
    return MPI_Finalize();
}
END
(cd "$tmp" && compile slow -g slow.c && chmod 755 slow)
for umask in 0000 0177; do # with less, MPICH itself does not start
    for mode in 1777 777; do
        for order in outer inner; do
            clear_shared
            chmod $mode "$shared"
            rm -f "$tmp/go"
            words=("$WEFT" run -q "$MPIRUN" -n 1 ./../slow "$tmp/go")
            [ $order = outer ] || words=("$MPIRUN" -genv PMI_JOBID $job -n 1 "$WEFT" run -q ./../slow "$tmp/go")
            # shellcheck disable=SC2016
            as "$alice" sh -c "umask $umask; exec \"\$@\"" _ "${words[@]}" >/dev/null 2>"$tmp/err" </dev/null &
            run_directory "umask $umask, directory $mode, $order order"
            touch "$tmp/go"
            wait $! || fail "umask $umask, $order order: status $?: $(cat "$tmp/err")"
            for _ in $(seq 50); do
                [ ! -f slow.weft ] || break
                sleep 0.1
            done
            [ -f slow.weft ] || fail "umask $umask, directory $mode, $order order: no profile: $(cat "$tmp/err")"
            [ "$(stat -c %a slow.weft)" = "$(printf %o $((0666 & ~umask)))" ] ||
                fail "umask $umask: the profile has mode $(stat -c %a slow.weft)"
        done
    done
done
chmod 1777 "$shared"

# weft collect and weft path take only what is the user's own, unless another is named; that one is only read.
clear_shared
as "$bob" sh -c "mkdir -m 777 .weft-evil && printf %s $tmp/home-$alice/thesis >.weft-evil/output &&
    printf %s $tmp/home-$alice >.weft-evil/folder &&
    mkfifo .weft-evil/p-x-1.seg && ln -s $tmp/home-$alice/thesis .weft-evil/p-x-2.seg &&
    ln -s $tmp/home-$alice/thesis .weft-evil/command && touch .weft-evil/pid-$host-1"
as "$alice" "$WEFT" collect </dev/null >out 2>err && fail "another user's directory was collected without being named"
grep -q 'no run directory of yours' err || fail "collect: $(cat err)"
as "$alice" "$WEFT" collect .weft-evil </dev/null >out 2>err && fail "a directory without segments was collected"
as "$alice" "$WEFT" path show </dev/null >out 2>err && fail "another user's directory was taken for a run"
grep -q 'no run' err || fail "path show: $(cat err)"
[ "$(cat "$tmp/home-$alice/thesis")" = mine ] || fail "collect wrote into a planted name"
[ -e .weft-evil/output ] || fail "collect removed files of another user"
ln -s "$tmp/home-$alice/photos" .weft-link
"$WEFT" collect .weft-link >out 2>err && fail "a link was collected"
[ -e "$tmp/home-$alice/photos/cat" ] || fail "collect removed files behind a link"

# Of one's own, only what is weft's is removed; root may collect for a user, and leaves the directory.
clear_shared
as "$alice" "$WEFT" run -q --keep -o a.weft "$MPIRUN" -n 2 ./../ring 10 </dev/null >out 2>err ||
    fail "--keep: status $?: $(cat err)"
kept=$(ls -d .weft-*)
echo mine >"$kept/letter"
chown "$alice" "$kept/letter"
"$WEFT" collect -q -o root.weft "$kept" </dev/null 2>err || fail "root cannot collect a user's run: $(cat err)"
[ -f root.weft ] && [ -d "$kept" ] || fail "root collected, and now there is $(ls -A)"
as "$alice" "$WEFT" collect -q -o b.weft "$kept" </dev/null 2>err || fail "collect: $(cat err)"
[ "$(ls -A "$kept")" = letter ] || fail "of one's own directory is left: $(ls -A "$kept")"

# A profile's name that another user holds: theirs stays, the data is kept.
clear_shared
as "$bob" sh -c 'echo theirs >ring.weft; chmod 666 ring.weft'
as "$alice" "$WEFT" run "$MPIRUN" -n 2 ./../ring 10 </dev/null >out 2>err || fail "another user's profile: status $?"
[ "$(cat ring.weft)" = theirs ] || fail "another user's file was replaced"
grep -q 'weft collect' err || fail "another user's profile: $(cat err)"

# A process that claims to belong to root's run, and does not: weft does not wait for it.
clear_shared
rm -f "$tmp/go"
cp /bin/sleep mpirun && chmod 755 mpirun
"$WEFT" run -o r.weft "$MPIRUN" -n 1 ./../slow "$tmp/go" >/dev/null 2>"$tmp/err" </dev/null &
run=$!
for _ in $(seq 100); do
    [ -z "$(ls .weft-*/p-*.seg 2>/dev/null)" ] || break
    sleep 0.1
done
as "$bob" env WEFT_DIR="$(realpath .weft-*)" ./mpirun 60 >/dev/null 2>&1 &
for _ in $(seq 100); do
    ! pgrep -U "$bob" -x mpirun >/dev/null || break
    sleep 0.1
done
touch "$tmp/go"
wait $run || fail "a false relative: status $?"
[ -f r.weft ] && ! grep -q 'are still alive' "$tmp/err" || fail "a false relative: $(cat "$tmp/err")"
