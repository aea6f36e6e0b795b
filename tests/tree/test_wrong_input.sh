#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Wrong options, wrong words and damaged profiles: one clear sentence each.
. "$WEFT_SOURCE/tests/tree/common.sh"
make_profile wave wave.sql
make_profile recursion recursion.sql
cd "$scratch" || exit 1

refuses 2 "^weft report: --focus works only with --tree; see weft report --help$" report --focus main wave.weft
refuses 2 "--depth works only with --tree" report --depth 3 wave.weft
refuses 2 "--threads works only with --tree" report --threads wave.weft
refuses 2 "--json does not print threads; weft query --sql reads them from weft_thread_event" report --tree --json --threads wave.weft
refuses 2 "--rank works only with --tree or --source; --ranks shows all ranks" report --rank 3 wave.weft
refuses 2 "--tree and --site cannot be combined" report --tree --site wave.c:14 wave.weft
refuses 2 "--source and --ranks cannot be combined" report --source wave.c --ranks wave.weft
refuses 2 "--json prints the whole tree of all ranks; leave --focus out" report --tree --json --focus main wave.weft
refuses 2 "leave --source out" report --json --source wave.c wave.weft
refuses 2 "'--depth' needs a whole number, not 'x'" report --tree --depth x wave.weft
refuses 1 "^weft report: there is no rank 4 in this profile; it has 4, from 0 to 3$" report --tree --rank 4 wave.weft
refuses 1 "^weft report: no procedure, region or MPI function 'exchagne' ran; nearest: exchange$" report --tree --focus exchagne wave.weft
refuses 1 "no procedure, region or MPI function 'never_called' ran" report --tree --focus never_called wave.weft
refuses 1 "no procedure, loop, call or communication statement at 'wave.c:13' ran; nearest: src/wave.c:1[24]$" report --tree --focus wave.c:13 wave.weft
refuses 1 "'progress_thread' ran; nearest" report --tree --rank 3 --focus progress_thread wave.weft

refuses 2 "^weft query: unknown question 'program-tiem', did you mean 'program-time'\?; see weft query --help$" query program-tiem wave.weft
refuses 2 "unknown question 'xyz'; weft query lists them" query xyz wave.weft
refuses 2 "^weft query: procedure needs an argument: NAME; see" query procedure
refuses 2 "loop needs an argument: FILE:LINE" query loop wave.weft
refuses 2 "the argument 'more' is one too many" query procedure main wave.weft more
refuses 2 "--csv works only with --sql" query --csv program-time wave.weft
refuses 2 "--ns works only with a named question" query --ns --sql 'SELECT 1' wave.weft
refuses 2 "--rank works only with a named question" query --rank 1 --sql 'SELECT 1' wave.weft
refuses 2 "give only one of --json, --csv and --ns" query --json --ns program-time wave.weft
refuses 1 "^weft query: there is no rank 9 in this profile" query --rank 9 program-time wave.weft
refuses 1 "there is no profile 'absent.weft'" query program-time absent.weft
refuses 1 "no communication statement 'MPI_Waital' ran; nearest: MPI_Waitall" query communication MPI_Waital wave.weft
(mkdir none && cd none && refuses 1 "no profile \(\*\.weft\) in this directory" query program-time; exit $failures) || failures=$((failures + 1))

# change NAME SQL: a copy of the profile with something wrong
change() { cp wave.weft "$1.weft" && sqlite3 "$1.weft" "$2"; }
change stranger 'UPDATE weft_event SET rank = 77 WHERE site = 22'
change table 'DROP TABLE weft_static'
for arguments in "report --tree" "report --json" "report --source wave.c" "query program-time"; do
    # shellcheck disable=SC2086
    refuses 1 "'stranger.weft' is damaged \(a statement was counted on a rank that is not there\)" $arguments stranger.weft
    # shellcheck disable=SC2086
    refuses 1 "'table.weft' is damaged \(no such table: weft_static\)" $arguments table.weft
done

# Figures of any size, and a profile without ranks or records.
change huge 'UPDATE weft_event SET time_ns = 9223372036854775807, calls = 9223372036854775807; UPDATE weft_proc SET proc_time = 9223372036854775807;
    UPDATE weft_loop SET loop_time = -9223372036854775807; UPDATE weft_self SET self_ns = -9223372036854775808; UPDATE weft_com SET trans_time = 9223372036854775807'
change negative 'UPDATE weft_event SET time_ns = -time_ns; UPDATE weft_proc SET proc_time = -proc_time, activate_line = -activate_line'
change nobody 'DELETE FROM weft_rank; DELETE FROM weft_event; DELETE FROM weft_com; DELETE FROM weft_proc; DELETE FROM weft_loop'
change texts 'UPDATE weft_procedure SET name = char(10) || x'"'ff27'"', line = 99999999999; UPDATE weft_static SET inner = outer, callee = outer'
change orphans 'DELETE FROM weft_procedure; DELETE FROM weft_site WHERE id % 3 = 0'
mkdir src && cp "$here/fixtures/src/wave.c" src
views=("report --tree --all" "report --tree --threads --all" "report --tree --focus main" "report --json" "report --source wave.c" "query program-time" "query procedure exchange" "query loop wave.c:65" "query communication wave.c:14")
for profile in huge negative nobody texts orphans; do
    for arguments in "${views[@]}"; do
        # shellcheck disable=SC2086
        "$WEFT" $arguments $profile.weft >out 2>err
        status=$?
        ((status <= 1)) || fail "$profile, $arguments: exit status $status: $(tail -n 3 err)"
        (($(wc -l <err) == status)) || fail "$profile, $arguments: exit status $status and $(wc -l <err) lines"
    done
done

# Any damage: an answer or one sentence, never a crash.
RANDOM=11
for n in $(seq 30); do
    for original in wave recursion; do
        cp $original.weft broken.weft
        size=$(stat -c %s broken.weft)
        for _ in $(seq $((1 + n % 7))); do
            # shellcheck disable=SC2059
            printf "\\x$(printf %02x $((RANDOM % 256)))" | dd of=broken.weft bs=1 seek=$((100 + (RANDOM * 32768 + RANDOM) % (size - 100))) conv=notrunc status=none
        done
        for arguments in "${views[@]}"; do
            # shellcheck disable=SC2086
            timeout 20 "$WEFT" $arguments broken.weft >out 2>err
            status=$?
            ((status <= 1)) || fail "damage $n of $original, $arguments: exit status $status: $(tail -n 3 err)"
            (($(wc -l <err) == status)) || fail "damage $n of $original, $arguments: exit status $status and $(wc -l <err) lines"
        done
    done
done
finish
