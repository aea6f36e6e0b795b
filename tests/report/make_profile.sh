#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make_profile.sh PROFILE FIXTURE.sql...: an empty profile by the schema, filled by the fixtures.
set -eu
profile=$1
shift
schema=${WEFT_SOURCE:?}/src/format/profile.sql
version=$(sed -n 's/^#define WEFT_PROFILE_VERSION \([0-9]*\).*/\1/p' "$WEFT_SOURCE/include/weft/profile.h")
rm -f "$profile"
{
    echo "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA application_id=0x77656674; PRAGMA user_version=$version; BEGIN;"
    cat "$schema" "$@"
    echo "COMMIT;"
} | sqlite3 -bail "$profile" >/dev/null
