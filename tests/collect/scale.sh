#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# scale.sh GENERATE COLLECT RANKS SITES PARTNERS [REGIONS]: the collector gets every record of a run of that size, and
# in bounded memory.
set -eu
generate=$1 collect=$2 ranks=$3 sites=$4 partners=$5 regions=${6:-0}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"$generate" "$directory" "$ranks" "$sites" "$partners" "$regions"
line=$("$collect" "$directory" "$directory/run.weft")
echo "$line"
pairs=$((ranks * sites * partners))
expected="segments=$ranks ranks=$ranks refused=0 sites=$((sites + regions)) events=$((ranks * (sites + regions)))"
expected="$expected coms=$pairs waits=$pairs "
case $line in
"$expected"*) ;;
*) echo "expected: $expected" && exit 1 ;;
esac
test "$(echo "$line" | sed 's/.*peak_kib=//')" -lt 1048576
