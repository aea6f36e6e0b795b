# SPDX-License-Identifier: BSD-3-Clause
# Sources with expectations in comments -> SQL that fills the table `want` (check.sql). The language:
#
#     expect RANKS: MPI_Name [calls N] ROW, ROW ...      about the next line that is no expectation
#     expect procedure NAME                              about all that follow
#
#     RANKS   all, or numbers and ranges (0,2-3), or a condition of SQL about r, the rank, and P, the number of ranks
#     ROW     nothing                             the statement is there and has no rows
#             WHO num N bytes N
#             perhaps WHO num N bytes N           the row may be missing: it depends on who was faster
#     WHO     to N, from N (world ranks), all (a collective), none (no partner), outside (not of this world)
#     N       an expression of SQL about r and P, without commas
#
# Rows of one partner add up, as they do in the profile. Variables: `as` is the file's name as the compiler was given it; `large`, a list
# of functions that are called in their large-count versions; `anywhere`, 1 where the profile cannot know lines.
function bad(why) { printf "%s:%d: %s: %s\n", FILENAME, FNR, why, text > "/dev/stderr"; failed = 1; exit 1 }
function quoted(s) { gsub(/'/, "''", s); return "'" s "'" }
function condition(ranks,    n, i, parts, range, out) {
    if (ranks == "all") return "1"
    if (ranks !~ /^[0-9, -]+$/) return "(" ranks ")"
    n = split(ranks, parts, / *, */)
    for (i = 1; i <= n; i++) {
        if (split(parts[i], range, "-") == 2) out = out " OR r BETWEEN " range[1] " AND " range[2]
        else out = out " OR r=" parts[i]
    }
    return "(" substr(out, 5) ")"
}
function partner(who) {
    if (who == "all") return "-1"
    if (who == "none") return "-2"
    if (who == "outside") return "-3"
    if (who !~ /^(to|from) /) bad("who is '" who "'")
    sub(/^[a-z]+ /, "", who)
    return who
}
function insert(e, columns, values) {
    printf "INSERT INTO want(file,line,name,procedure,rank,%s) SELECT %s,%d,%s,%s,r,%s FROM place WHERE %s;\n",
           columns, quoted(anywhere ? "" : as), anywhere ? 0 : FNR, quoted(name[e]), proc[e], values, where[e]
}
function row(e, text,    perhaps, a, b) {
    gsub(/^ +| +$/, "", text)
    if (text == "nothing") return
    perhaps = sub(/^perhaps +/, "", text)
    a = index(text, " num "); b = index(text, " bytes ")
    if (!a || b < a) bad("a row is '" text "'")
    insert(e, "partner,num,bytes,perhaps", partner(substr(text, 1, a - 1)) "," substr(text, a + 5, b - a - 5) "," substr(text, b + 7) "," perhaps)
}
BEGIN {
    n = split(large, names, " ")
    for (i = 1; i <= n; i++) is_large["MPI_" names[i]]
    procedure = "NULL"
    waiting = 0
}
match($0, /(\/\/|!|#) *expect /) {
    text = substr($0, RSTART + RLENGTH)
    if (sub(/^procedure /, "", text)) { procedure = quoted(text); next }
    colon = index(text, ": ")
    if (!colon) bad("no ranks")
    e = waiting++
    where[e] = condition(substr(text, 1, colon - 1))
    text = substr(text, colon + 2)
    if (!match(text, /^MPI_[A-Za-z_]+/)) bad("no function")
    name[e] = substr(text, 1, RLENGTH)
    if (name[e] in is_large) name[e] = name[e] "_c"
    proc[e] = procedure
    text = substr(text, RLENGTH + 1)
    calls[e] = "NULL"
    if (match(text, /^ +calls +[^ ]+/)) {
        calls[e] = substr(text, 7, RLENGTH - 6)
        text = substr(text, RLENGTH + 1)
    }
    rows[e] = text
    next
}
waiting {
    for (e = 0; e < waiting; e++) {
        insert(e, "calls", calls[e]) # the statement itself
        n = split(rows[e], parts, ",")
        for (i = 1; i <= n; i++) row(e, parts[i])
    }
    waiting = 0
}
END { if (!failed && waiting) { print FILENAME ": an expectation without a statement" > "/dev/stderr"; exit 1 } }
