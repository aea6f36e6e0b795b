#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Threads apart: each with its own figures, by rank, by procedure, cut, and where there is only one.
. "$WEFT_SOURCE/tests/tree/common.sh"
make_profile wave wave.sql
cd "$scratch" || exit 1
sqlite3 wave.weft "INSERT INTO weft_thread VALUES (0, 0, 4001, 1, 9, 9, 9), (0, 1, 4009, 0, 9, 9, 9), (1, 0, 4002, 1, 9, 9, 9);
    INSERT INTO weft_thread_event VALUES (0, 0, 1, 1, 10000000000, 1), (0, 0, 2, 499, 4000000000, 1), (0, 0, 20, 499, 90000000, 1),
    (0, 0, 44, 499, 3900000000, 1), (0, 0, 32, 7, 5000000, 1), (0, 0, 46, 8, 100000000, 1),
    (0, 1, 12, 1, 9800000000, 1), (0, 1, 23, 1, 9790000000, 1), (0, 1, 49, 98000, 400000000, 1), (0, 1, 2, 1, 400000000, 1)"

# expect WANTED ARGUMENT...: what is printed, from the first thread on
expect() {
    local want=$1 got
    shift
    got=$("$WEFT" report --tree --threads --width 100 "$@" wave.weft | sed -n '/^Rank\|^Threads/,$p')
    [[ $got == "$want" ]] || fail "--threads $*: '$got', not '$want'"
}

# A statement is on the top level if the thread has no record of its procedure, or if it is in no procedure.
expect 'Rank 0, thread 0, the main thread (tid 4001)

    share     time  count                  place
  ──────────────────────────────────────────────────────
  100.0 %   10.0 s      1  main            src/wave.c:59
   40.0 %   4.00 s    499  exchange        src/wave.c:8
   39.0 %   3.90 s    499  ├─ MPI_Waitall  src/wave.c:14
    0.9 %  90.0 ms         └─ … 1 more
    1.0 %   100 ms      8  MPI_Reduce      src/wave.c:50
    0.1 %  5.00 ms         … 1 more

Rank 0, thread 1 (tid 4009)

   share    time   count                   place
  ──────────────────────────────────────────────────────────
  98.0 %  9.80 s       1  progress_thread  src/progress.c:30
  97.9 %  9.79 s       1  └─ while loop    src/progress.c:33
   4.0 %  400 ms  98,000     └─ MPI_Test   src/progress.c:34
   4.0 %  400 ms       1  exchange         src/wave.c:8

  Parts below 1.0 % of the program'"'"'s time are left out (--all).
  1 rank has only one thread: --tree shows its times.'
expect 'Rank 0, thread 0, the main thread (tid 4001)

   share     time  count                  place
  ─────────────────────────────────────────────────────
  40.0 %   4.00 s    499  exchange        src/wave.c:8
  39.0 %   3.90 s    499  ├─ MPI_Waitall  src/wave.c:14
   0.9 %  90.0 ms    499  └─ for loop     src/wave.c:10

Rank 0, thread 1 (tid 4009)

  share    time  count            place
  ────────────────────────────────────────────
  4.0 %  400 ms      1  exchange  src/wave.c:8' --rank 0 --focus exchange
expect 'Rank 0, thread 0, the main thread (tid 4001)

  nothing was recorded

Rank 0, thread 1 (tid 4009)

   share    time  count                   place
  ─────────────────────────────────────────────────────────
  98.0 %  9.80 s      1  progress_thread  src/progress.c:30' --rank 0 --focus progress_thread --depth 0
has '^ +0\.1 % +5\.00 ms +7  region halo' report --tree --threads --all wave.weft
has '^ +0\.9 % +90\.0 ms +499  └─ for loop +src/wave\.c:10' report --tree --threads --all wave.weft
has_not 'left out' report --tree --threads --all wave.weft
has_not 'progress_thread' report --tree --threads --rank 1 wave.weft
expect 'Threads

  1 rank has only one thread: --tree shows its times.' --rank 1
expect 'Threads

  no thread recorded anything' --rank 2

cp wave.weft stranger.weft
sqlite3 stranger.weft 'UPDATE weft_thread SET rank = 77 WHERE rank = 1'
"$WEFT" report --tree --threads stranger.weft >out 2>err && fail "a thread of a rank that is not there"
grep -q "'stranger.weft' is damaged (a thread was seen on a rank that is not there)" err || fail "stranger: $(cat err)"
finish
