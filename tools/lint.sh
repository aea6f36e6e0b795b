#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clang-tidy and cppcheck over weft's own sources; needs a configured build directory.
set -eu
build=${1:-build}
command -v cppcheck >/dev/null && command -v clang-tidy >/dev/null ||
    { echo "lint: install cppcheck and clang-tidy first" >&2; exit 1; }
cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,performance,portability \
    --suppress=missingIncludeSystem --suppress=ctuuninitvar --suppress=normalCheckLevelMaxBranches -D_GNU_SOURCE -DOPEN_MPI -Isrc -Iinclude \
    $(git ls-files 'src/*.c')
clang-tidy -p "$build" --quiet $(git ls-files 'src/*.c')
