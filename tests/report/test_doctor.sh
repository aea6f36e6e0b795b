#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# weft doctor: what is there, what is missing, and what to do.
. "$WEFT_SOURCE/tests/report/common.sh"
cd "$scratch" || exit 1
unset OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM "${!WEFT_OUT@}" "${!WEFT_QUI@}"

"$WEFT" doctor --json >doctor.json
status=$?
jq -e . doctor.json >/dev/null || fail "no JSON"
watchable=$(jq .watchable doctor.json)
((watchable > 0 ? status == 0 : status == 1)) || fail "exit status $status with $watchable watchable libraries"
jq -e '[.findings[].health] | unique - ["ok", "note", "missing"] == []' doctor.json >/dev/null || fail "another health"
jq -e '[.findings[] | select(.health == "missing" and .advice == "")] == []' doctor.json >/dev/null || fail "missing, without advice"
for subject in 'Open MPI' MPICH gcc 'clock source' kernel cores memory 'open files' stack 'core files' 'this directory' 'shared memory' LD_PRELOAD user launcher; do
    jq -e --arg s "$subject" '[.findings[].subject] | index($s) != null' doctor.json >/dev/null || fail "nothing about $subject"
done
library=$(dirname "$WEFT")/../lib/weft
for flavour in 'ompi:Open MPI' 'mpich:MPICH'; do
    [[ -e $library/libweft-${flavour%%:*}.so ]] || continue
    jq -e --arg s "weft for ${flavour#*:}" '.findings[] | select(.subject == $s) | .health == "ok"' doctor.json >/dev/null || fail "weft for ${flavour#*:} does not load"
done

# The text, at two widths.
for width in 80 120; do
    "$WEFT" doctor --width $width >doctor.txt
    (($(wc -L <doctor.txt) <= width)) || fail "wider than $width columns"
    ! grep -q ' $' doctor.txt || fail "blanks at the end of a line"
    grep -qE '^  (ok|note|missing) ' doctor.txt || fail "no findings"
done

# about SUBJECT HEALTH PATTERN
about() {
    "$WEFT" doctor --json | jq -e --arg s "$1" --arg h "$2" --arg p "$3" \
        '.findings[] | select(.subject == $s and .health == $h and ((.found + " " + .advice) | test($p)))' >/dev/null || fail "$1 is not $2 with '$3'"
}
WEFT_OUTPTU=x about WEFT_OUTPTU note 'did you mean WEFT_OUTPUT'
WEFT_ZZZ=1 about WEFT_ZZZ note 'unset WEFT_ZZZ'
WEFT_REPORT_TOP=3 about WEFT_REPORT_TOP ok 3
OMPI_COMM_WORLD_RANK=0 about launcher note "Open MPI's mpirun"
SLURM_JOB_ID=17 about launcher ok 'Slurm'
if [[ $(id -u) == 0 ]]; then
    about user note OMPI_ALLOW_RUN_AS_ROOT
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 about user ok root
fi
(ulimit -c 0 && about 'core files' note 'ulimit -c'; exit $failures) || failures=$((failures + 1))
(ulimit -n 100 && about 'open files' note 'ulimit -n'; exit $failures) || failures=$((failures + 1))
PATH=/nowhere "$WEFT" doctor --json >poor.json
jq -e '.findings[] | select(.subject == "gcc" and .health == "note") | .advice | test("apt-get install gcc")' poor.json >/dev/null || fail "gcc is not missing"
if [[ -z ${WEFT_SANITIZED-} ]]; then
    LD_PRELOAD=libm.so.6 about LD_PRELOAD note 'libm.so.6'
    # A weft without its libraries can watch nothing.
    mkdir -p alone/bin && cp "$WEFT" alone/bin/weft
    alone/bin/weft doctor >out && fail "nothing to watch with, but exit status 0"
    grep -q '^Not ready' out || fail "not said that it is not ready"
    # One that crashes while it is loaded.
    mkdir -p alone/lib/weft
    echo 'static void __attribute__((constructor)) crash(void) { *(volatile int *)0 = 0; }' >crash.c
    if gcc -shared -fPIC crash.c -o alone/lib/weft/libweft.so 2>/dev/null; then
        cp alone/lib/weft/libweft.so alone/lib/weft/libweft-ompi.so
        cp alone/lib/weft/libweft.so alone/lib/weft/libweft-mpich.so
        alone/bin/weft doctor --json >crash.json && fail "crashing libraries, but exit status 0"
        jq -e '[.findings[] | select(.found | test("it crashes"))] | length > 0' crash.json >/dev/null || fail "a crash is not told"
    fi
fi
finish
