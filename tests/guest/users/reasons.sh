#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Where nothing can be watched, the program runs as it does without weft, and one sentence says what the reason is.
. "$(dirname "$0")/../../lib.sh"

# says WORDS COMMAND...: the same output and status as unwatched (but for lines with times, of UCX), and once a sentence
# of weft's with these words.
says()
{
    local words=$1 plain=0 watched=0
    shift
    rm -f ./*.weft
    # all of these end well; MPICH now and then does not start, without weft, while other tests make and remove networks
    for _ in 1 2 3; do
        plain=0
        limited "$@" </dev/null >plain 2>plain.err || plain=$?
        [ $plain != 0 ] || break
    done
    [ $plain = 0 ] || fail "$*: unwatched, status $plain: $(cat plain.err)"
    limited "$WEFT" run ${options:-} "$@" </dev/null >watched 2>err || watched=$?
    [ $plain = $watched ] || fail "$*: status $plain became $watched: $(cat err)"
    [ "$(grep -v "^\[[0-9.]*\]" plain | sort)" = "$(grep -v "^\[[0-9.]*\]" watched | sort)" ] ||
        fail "$*: output $(cat plain) became $(cat watched)"
    [ "$(grep -c "^weft.*$words" err)" = 1 ] || fail "$*: '$words' is not said once, but: $(cat err)"
    [ -z "$(ls -d ./*.weft .weft-* 2>/dev/null)" ] || fail "$*: left $(ls -d ./*.weft .weft-*)"
}

cases()
{
    mkdir "$MPI" && cd "$MPI"
    compile ring -g "$tests/launch/ring.c"
    (
        export OMPI_MCA_btl=bogus UCX_TLS=bogus
        # MPICH's launcher gives now the one, now the other status: only the sentence counts.
        limited "$WEFT" run "$MPIRUN" -n 2 ./ring 10 </dev/null >out 2>err && fail "MPI_Init did not fail"
        [ "$(grep -c '^weft.*MPI_Init was called in [12] process' err)" = 1 ] || fail "MPI_Init failed: $(cat err)"
        [ -z "$(ls -d ./*.weft .weft-* 2>/dev/null)" ] || fail "MPI_Init failed: left $(ls -d ./*.weft .weft-*)"
    )
    says 'LD_PRELOAD' "$MPIRUN" -n 2 env LD_PRELOAD= ./ring 10
    printf '#!/bin/sh\nexport LD_PRELOAD=libm.so.6\nexec ./ring "$@"\n' >script
    chmod +x script
    says "'./script' sets or clears LD_PRELOAD" "$MPIRUN" -n 2 ./script 10
    says 'no process called MPI_Init' "$MPIRUN" -n 2 sh -c 'exit 0'
    if [ "$(id -u)" = 0 ] && chown nobody script 2>/dev/null; then
        cp /bin/true rights && chown nobody rights && chmod u+s rights # MPI libraries themselves fail so in many ways
        says "'./rights' is setuid" "$MPIRUN" -n 2 ./rights
    fi
    # Memory for the records that there is not: not the disk's fault.
    (
        ulimit -v 4000000
        options=--segment-size=16G
        limited "$WEFT" run --segment-size=16G "$MPIRUN" -n 2 ./ring 10 </dev/null >out 2>err ||
            fail "without memory: status $?"
        grep -q 'Cannot allocate memory' err && grep -q 'ulimit -v' err || fail "without memory: $(cat err)"
    )
    # One of two: they were started by weft run, and that is not what is missing.
    limited "$WEFT" run -q -o one.weft "$MPIRUN" -n 1 ./ring 10 : -n 1 env -u LD_PRELOAD ./ring 10 </dev/null \
        >out 2>err || fail "one of two: status $?"
    "$WEFT" report one.weft >report
    grep -q 'Only 1 of 2 ranks' report && grep -q 'LD_PRELOAD' report && ! grep -q 'put weft run before' report ||
        fail "one of two: $(head -n 12 report)"
    rm one.weft

    # A directory that is not there any more.
    mkdir gone
    (
        cd gone
        rmdir ../gone
        limited "$WEFT" run echo hello >../out 2>../err || fail "no current directory: status $?"
    )
    [ "$(cat out)" = hello ] && [ "$(grep -c 'runs unwatched' err)" = 1 ] || fail "no current directory: $(cat out err)"

    # Closed standard descriptors stay closed for the program, and nothing is written into files that take their place.
    limited sh -c 'exec "$@" <&- >&- 2>&-' _ "$WEFT" run -o closed.weft ./ring 10 3 &&
        fail "closed descriptors: status 0" || [ $? = 3 ] ||
        fail "closed descriptors: status $?"
    [ "$(sql closed.weft 'PRAGMA integrity_check')" = ok ] || fail "closed descriptors: the profile is damaged"
    limited sh -c 'exec "$@" <&- 2>&-' _ "$WEFT" run -q sh -c \
        '[ ! -e /proc/self/fd/0 ] && [ ! -e /proc/self/fd/2 ] && echo closed' >out ||
            fail "closed descriptors: status $?"
    [ "$(cat out)" = closed ] || fail "the program finds other descriptors than without weft"

    # Too few descriptors, or processes.
    limited sh -c 'exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n 5; exec "$@"' _ "$WEFT" run echo hello \
        >out 2>err || fail "few descriptors: status $?: $(cat err)"
    [ "$(cat out)" = hello ] && [ "$(grep -c '^weft' err)" = 1 ] || fail "few descriptors: $(cat out err)"
    if [ "$(id -u)" = 0 ]; then
        mkdir mine && chmod 777 mine && chmod 711 "$tmp" "$tmp/$MPI"
        (cd mine &&
            limited setpriv --reuid=nobody --clear-groups sh -c 'ulimit -u 0; exec "$@"' _ "$weft_copy" run echo hello \
                >../out 2>../err) ||
            fail "few processes: status $?: $(cat err)"
        [ "$(cat out)" = hello ] && [ "$(grep -c '^weft.*unwatched' err)" = 1 ] || fail "few processes: $(cat out err)"
    fi
    limited "$WEFT" run --segment-size=0 echo hello >out 2>err && fail "--segment-size=0 was accepted"
    [ ! -s out ] && [ "$(grep -c 'segment-size.*too small' err)" = 1 ] || fail "--segment-size=0: $(cat out err)"
}
cd "$tmp"
# Where another user can go.
mkdir -p inst/bin inst/lib && cp "$WEFT" inst/bin/ && cp -r "$(dirname "$WEFT")/../lib/weft" inst/lib/
weft_copy=$tmp/inst/bin/weft
each_mpi cases
