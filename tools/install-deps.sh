#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs what building ("build"), testing ("test") and checking the source ("lint") need from Debian's packages, and
# says what it does.
set -eu

build="gcc g++ make cmake pkg-config gawk libsqlite3-dev libdw-dev libjansson-dev libclang-dev
       libopenmpi-dev openmpi-bin mpich libmpich-dev"
test="libcmocka-dev clang libclang-rt-dev libomp-dev gfortran sqlite3 jq iproute2 python3-mpi4py lammps hpcc tmux gdb"
lint="clang-format clang-tidy cppcheck codespell universal-ctags shellcheck python3"

wanted=""
for set in "$@"; do
    case $set in
    build) wanted="$wanted $build" ;;
    test) wanted="$wanted $test" ;;
    lint) wanted="$wanted $lint" ;;
    *) echo "install-deps: unknown set '$set'; use build, test or lint" >&2; exit 2 ;;
    esac
done

missing=""
for p in $wanted; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
    as_root=sudo
    command -v sudo >/dev/null || { echo "install-deps: as root, run: apt-get install$missing" >&2; exit 1; }
fi
command -v apt-get >/dev/null ||
    { echo "install-deps: not a Debian system; install these by hand:$missing" >&2; exit 1; }
echo "Installing with apt-get:$missing"
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
if ! { $as_root apt-get update -q &&
    $as_root apt-get install -y -q --no-install-recommends $missing; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "install-deps: apt-get failed; its output is in $log" >&2
    exit 1
fi
rm -f "$log"
