#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A program may have any names: no output steers a terminal, hides or turns text, breaks a line or takes long.
. "$WEFT_SOURCE/tests/report/common.sh"
make_profile heat heat.sql
make_profile late late.sql
make_profile path path.sql
cd "$scratch" || exit 1

# Every text of a profile begins with one of these; what the rest of weft has to find in it (kinds, endings, MPI
# functions, keys) stays.
columns() {
    sqlite3 "$1" "SELECT m.name || ' ' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.type = 'TEXT'
      AND (m.name, c.name) NOT IN (VALUES ('weft_site', 'type'), ('weft_wait', 'kind'), ('weft_rank', 'ending'), ('weft_run', 'key'))"
}
spoil() { # spoil PROFILE NAME: SQL expression of a text
    local table column
    columns "$1" | while read -r table column; do
        echo "UPDATE OR IGNORE $table SET $column = $2 || $column WHERE typeof($column) = 'text';"
    done | sqlite3 "$1"
}
views=("--all --width 200" --ranks --raw "--path --all" "--tree --all" "--site heat.c:214")
bad=$'[\x01-\x09\x0b-\x1f\x7f\u0080-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]'
# harmless NAME FILE: text that cannot steer a terminal, in this encoding
harmless() {
    iconv -f UTF-8 -t UTF-8 "$2" >/dev/null 2>&1 || fail "$1: this is no UTF-8"
    ! grep -qP "$(printf '%s' "$bad")" "$2" || fail "$1: $(grep -nP "$bad" "$2" | head -n 1 | cat -v)"
}

number=0
escapes="char(27) || '[2J' || char(27) || ']0;title' || char(7, 155) || '31m' || char(127, 8, 13, 10, 9)"
turned="'a' || char(8234, 8235, 8236, 8237, 8238, 8294, 8295, 8296, 8297, 1564, 8206, 8207) || 'b' || char(8203, 8204, 8205, 8288, 65279, 173, 8232, 8233)"
invalid="CAST(x'fffe80c328' AS TEXT) || 'a,\"b'';c%s'"
for name in "$escapes" "$turned" "$invalid" "printf('%.10000c', 'x')" "replace(hex(zeroblob(2500)), '00', '/a::')"; do
    for profile in heat late path; do
        number=$((number + 1))
        cp $profile.weft hostile.weft
        spoil hostile.weft "$name"
        for view in "${views[@]}"; do
            # shellcheck disable=SC2086
            timeout 60 "$WEFT" report $view hostile.weft >out 2>err
            status=$?
            [[ $status == 0 || ($status == 1 && $(wc -l <err) == 1) ]] || fail "$name, $profile $view: exit status $status, $(head -c 300 err)"
            harmless "$name, $profile $view" out
            harmless "$name, $profile $view, the sentence" err
        done
        "$PRINT_SUMMARY" hostile.weft >out || fail "$name, $profile: the summary"
        harmless "$name, $profile, the summary" out
        "$WEFT" report --json hostile.weft >out || fail "$name, $profile: JSON"
        jq -e . out >/dev/null || fail "$name, $profile: this is no JSON"
        ! LC_ALL=C grep -q $'[^ -~\x7f]' out || fail "$name, $profile: JSON with raw characters"
        for format in "" --csv; do
            # shellcheck disable=SC2086
            "$WEFT" query $format --sql "SELECT * FROM weft_site" hostile.weft >out || fail "$name, $profile: rows $format"
            harmless "$name, $profile, rows $format" out
        done
    done
done
((number == 15)) || fail "only $number profiles"

# CSV comes back as it was, where it was harmless; JSON in any case.
cp heat.weft exact.weft
sqlite3 exact.weft "UPDATE weft_site SET name = 'a,\"b\"' || char(10) || 'c' WHERE id = 1"
"$WEFT" query --csv --sql "SELECT name, id FROM weft_site WHERE id = 1" exact.weft >out
[[ $(cat out) == $'name,id\n"a,""b""\nc",1' ]] || fail "CSV: $(cat out)"
sqlite3 exact.weft "UPDATE weft_site SET name = char(27) || '[31m' || char(8238) WHERE id = 1"
[[ $("$WEFT" query --json --sql "SELECT name FROM weft_site WHERE id = 1" exact.weft | jq -c .) == $'[{"name":"\\u001b[31m\u202e"}]' ]] || fail "JSON lost letters"
[[ $("$WEFT" query --csv --sql "SELECT name FROM weft_site WHERE id = 1" exact.weft) == $'name\n?[31m?' ]] || fail "CSV with escapes"
finish
