#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# known.sh openmpi|mpich PROGRAM: runs a program whose critical path is known by construction, in three depths, and
# compares its profile with PROGRAM.expect. On a loaded machine a rank may wake up late: no figure is off by more than
# all of that together. And what differs is tried again, and wrong is what differs each time.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_path.sh"
use_mpi "$1"
name=$2
source=$here/$name.c

# DEPTH|WHAT|KIND|NAME|LINE|SHARE|25|50|75|100: what is to be expected of one depth. KIND is that of the view path, or
# length, place, time.
wanted()
{
    local depth=$1 depths what figures kind region line
    while read -r depths what figures; do
        case $depths in '' | '#'*) continue ;; esac
        case ,$depths, in *,any,* | *",$depth,"*) ;; *) continue ;; esac
        kind=${what%%:*} region=${what#*:} line=0
        case $what in
        length) ;;
        behind:*) kind=stretch line=$(line_of "$source" "$region") ;;
        inside:* | place:* | time:*) ;;
        *) [ "$depth" = hand ] && kind=region || kind=procedure ;;
        esac
        # shellcheck disable=SC2086
        printf '%s|%s|%s|%s|%s|%s|%s|%s|%s|%s\n' "$depth" "$what" "$kind" "$region" "$line" $figures
    done <"$here/$name.expect" | sed 's/|*$//' |
        awk -F'|' -v OFS='|' '{ for (i = NF + 1; i <= 10; i++) $i = ""; print }'
}

# DEPTH WHAT|SENTENCE for each difference, to wrong
differences()
{
    local depth=$1
    watch "$depth.weft" "$(ranks_of "$source")" "./$depth" >out 2>&1 ||
        { cat out; fail "$name ($depth) ended with status $?"; }
    grep -qx '[0-9.]* [0-9.]*' out || { cat out; fail "$name ($depth) should have told its time, and nothing else"; }
    {
        echo ".bail on"
        echo "CREATE TEMP TABLE late AS SELECT $(cut -d' ' -f2 out) AS ms;"
        echo "CREATE TEMP TABLE want(depth, what, kind, name, line INTEGER,"
        echo "    share REAL, s25 REAL, s50 REAL, s75 REAL, s100 REAL);"
        echo "CREATE TEMP TABLE program AS SELECT '$name.c' AS file;"
        echo ".separator |"
        echo ".import want.$depth want"
        cat "$here/known.sql"
    } >check.sql
    sqlite3 -batch -readonly "$depth.weft" <check.sql >>wrong || fail "cannot read the profile of $name ($depth)"
}

cd "$tmp"
for depth in plain hand cc; do
    build_depth "./$depth" "$source" $depth
    wanted $depth >want.$depth
    [ -s want.$depth ] || fail "$name.expect expects nothing of $depth"
done

for depth in plain hand cc; do
    attempt differences $depth
done
