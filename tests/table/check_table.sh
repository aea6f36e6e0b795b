#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks src/format/mpi_calls.tbl, by itself and against an installed mpi.h.
#
#     check_table.sh TABLE LABEL [DIRECTORY | COMPILER-FLAG]...
#
# LABEL names the MPI in the messages.  A directory is where mpi.h is; anything
# else goes to the compiler, ${CC:-cc}, as it is.  Fails if
#   - a function MPI_* that mpi.h prototypes is not in the table,
#   - the parameters of a watched function have other types than in mpi.h,
#   - a line of the table is malformed, names an unknown class, shape or role,
#     or lacks a role that its wrapper needs.
# Every message names the function.  Run it once for each MPI: what only one
# header declares can be compared only with that one.

set -u
LC_ALL=C
export LC_ALL

if [ $# -lt 2 ]; then
    echo "usage: $0 TABLE LABEL [DIRECTORY | COMPILER-FLAG]..." >&2
    exit 2
fi
table=$1
label=$2
shift 2
if [ ! -r "$table" ]; then
    echo "$0: cannot read $table" >&2
    exit 2
fi

# Turn directories into -I flags, in place.
for arg in "$@"; do
    shift
    case $arg in
    -*) ;;
    *) if [ -d "$arg" ]; then arg=-I$arg; fi ;;
    esac
    set -- "$@" "$arg"
done

tmp=$(mktemp -d "${TMPDIR:-/tmp}/check_table.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM

# ---------------------------------------------------------------------------
# What the table may say.

# role|types it may have.  A role with "[]" after it must be written as array.
cat >"$tmp/roles" <<'END'
buf|const void*|void*
rbuf|void*
n|int|MPI_Count
rn|int|MPI_Count
nv[]|const int*|const MPI_Count*
rnv[]|const int*|const MPI_Count*
type|MPI_Datatype
rtype|MPI_Datatype
typev[]|const MPI_Datatype*
rtypev[]|const MPI_Datatype*
peer|int
rpeer|int
tag|int
rtag|int
root|int
parts|int
comm|MPI_Comm
commp|MPI_Comm*
win|MPI_Win
winp|MPI_Win*
file|MPI_File
filep|MPI_File*
group|MPI_Group
lock|int
req|MPI_Request*
request|MPI_Request
reqn|int
reqs[]|MPI_Request*
flag|int*
index|int*
outcount|int*
indices[]|int*
status|MPI_Status*
statuses[]|MPI_Status*
message|MPI_Message*
word|const char*
END

# class|roles it needs|roles it may have as well
# In the classes of collectives (coll, icoll, coll_init) and in rma those of
# the shape come on top.
cat >"$tmp/classes" <<'END'
none||
special||comm
send|buf n type peer tag comm|
recv|buf n type peer tag comm status|
sendrecv|buf n type peer tag rpeer rtag comm status|rbuf rn rtype
isend|buf n type peer tag comm req|
irecv|buf n type peer tag comm req|
isendrecv|buf n type peer tag rpeer rtag comm req|rbuf rn rtype
send_init|buf n type peer tag comm req|parts
recv_init|buf n type peer tag comm req|parts
start|req|
startall|reqn reqs|
pready|request|
wait|req status|
waitall|reqn reqs statuses|
waitany|reqn reqs index status|
waitsome|reqn reqs outcount indices statuses|
test|req flag status|
testall|reqn reqs flag statuses|
testany|reqn reqs index flag status|
testsome|reqn reqs outcount indices statuses|
status|request flag status|
parrived|request flag|
probe|peer tag comm status|
iprobe|peer tag comm flag status|
mprobe|peer tag comm message status|
improbe|peer tag comm flag message status|
mrecv|buf n type message status|
imrecv|buf n type message req|
request_free|req|
cancel|req|
comm_free|commp|
win_free|winp|
file_close|filep|
epoch|win|peer group flag lock
local||req flag status win
coll||
icoll|comm req|
coll_init|comm req|
rma|peer win|
irma|buf n type peer win req|rbuf rn rtype
io|buf n type status|
io_all|file buf n type status|
io_begin|file buf n type|
iio|buf n type req|
iio_all|file buf n type req|
END

# classes|shape|roles it needs|roles it may have as well
cat >"$tmp/shapes" <<'END'
coll icoll coll_init|one|buf n type comm|rbuf rn rnv rtype root
coll icoll coll_init|each|buf n type rbuf comm|rn rtype
coll icoll coll_init|sum|buf nv type rbuf comm|rnv rtype
coll icoll coll_init|sumw|buf nv typev rbuf rnv rtypev comm|
coll icoll coll_init|scatter|buf n/nv type rbuf rn rtype root comm|
coll icoll coll_init|n_one|buf n type rbuf rn/rnv rtype comm|
coll icoll coll_init|n_each|buf n type rbuf rn rtype comm|
coll icoll coll_init|n_sum|buf nv type rbuf rnv rtype comm|
coll icoll coll_init|n_sumw|buf nv typev rbuf rnv rtypev comm|
coll icoll coll_init|-||comm commp win winp file filep root flag status buf tag word
rma|item|buf rbuf type|
rma|-||buf n type rbuf rn rtype
END

# pattern of names|class|shape|roles that those need besides
cat >"$tmp/names" <<'END'
^(Init|Init_thread|Finalize|Abort|Pcontrol)$|special|-|
^Session_(init|finalize)$|special|-|
^[BSR]?send(_c)?$|send|-|
^Recv(_c)?$|recv|-|
^Sendrecv(_c)?$|sendrecv|-|rbuf rn rtype
^Sendrecv_replace(_c)?$|sendrecv|-|
^I[BSR]?send(_c)?$|isend|-|
^Irecv(_c)?$|irecv|-|
^Isendrecv(_c)?$|isendrecv|-|rbuf rn rtype
^Isendrecv_replace(_c)?$|isendrecv|-|
^[BSR]?send_init(_c)?$|send_init|-|
^Recv_init(_c)?$|recv_init|-|
^Psend_init$|send_init|-|parts
^Precv_init$|recv_init|-|parts
^Pready(_range|_list)?$|pready|-|
^Parrived$|parrived|-|
^Start$|start|-|
^Startall$|startall|-|
^Wait$|wait|-|
^Waitall$|waitall|-|
^Waitany$|waitany|-|
^Waitsome$|waitsome|-|
^Test$|test|-|
^Testall$|testall|-|
^Testany$|testany|-|
^Testsome$|testsome|-|
^Probe$|probe|-|
^Iprobe$|iprobe|-|
^Mprobe$|mprobe|-|
^Improbe$|improbe|-|
^Mrecv(_c)?$|mrecv|-|
^Imrecv(_c)?$|imrecv|-|
^Cancel$|cancel|-|
^Request_get_status$|status|-|
^Request_free$|request_free|-|
^Comm_(free|disconnect)$|comm_free|-|
^Win_free$|win_free|-|
^Comm_dup(_with_info)?$|coll|-|comm commp
^Comm_idup(_with_info)?$|icoll|-|comm commp
^Comm_(create|create_group|split|split_type)$|coll|-|comm commp
^Intercomm_(create|merge)$|coll|-|comm commp
^(Comm|Intercomm)_create_from_groups?$|coll|-|commp
^(Cart|Graph|Dist_graph)_create(_adjacent)?$|coll|-|comm commp
^Cart_sub$|coll|-|comm commp
^Comm_(spawn|spawn_multiple|accept|connect)$|coll|-|root comm commp
^Comm_join$|coll|-|commp
^(Comm|Win|File)_set_info$|coll|-|
^Win_(create|create_dynamic|allocate|allocate_shared)(_c)?$|coll|-|comm winp
^Win_fence$|coll|-|win
^Win_(start|post)$|epoch|-|win group
^Win_(complete|wait)$|epoch|-|win
^Win_test$|epoch|-|win flag
^Win_(lock|unlock|flush|flush_local)_all$|epoch|-|win
^Win_(sync|attach|detach)$|local|-|win
^(Put|Get|Accumulate)(_c)?$|rma|-|buf n type
^R(put|get|accumulate)(_c)?$|irma|-|
^Get_accumulate(_c)?$|rma|-|buf n type rbuf rn rtype
^Rget_accumulate(_c)?$|irma|-|buf n type rbuf rn rtype
^(Fetch_and_op|Compare_and_swap)$|rma|item|
^Win_lock$|epoch|-|win peer lock
^Win_(unlock|flush|flush_local)$|epoch|-|win peer
^File_open$|coll|-|comm filep
^File_close$|file_close|-|
^File_(sync|preallocate|seek_shared)$|coll|-|file
^File_set_(view|size|atomicity)$|coll|-|file
^File_(delete|seek)$|local|-|
^File_get_(position|position_shared|byte_offset|size)$|local|-|
^File_(read|write)(_at|_shared)?(_c)?$|io|-|
^File_(read|write)(_all|_at_all|_ordered)(_c)?$|io_all|-|status
^File_(read|write)(_all|_at_all|_ordered)_begin(_c)?$|io_begin|-|
^File_(read|write)(_all|_at_all|_ordered)_end$|coll|-|file status
^File_i(read|write)(_at|_shared)?(_c)?$|iio|-|
^File_i(read|write)(_all|_at_all)(_c)?$|iio_all|-|
^I?barrier(_init)?$||-|comm
^I?bcast(_init)?(_c)?$||one|root
^I?reduce(_init)?(_c)?$||one|rbuf root
^I?(allreduce|scan|exscan)(_init)?(_c)?$||one|rbuf
^I?gather(_init)?(_c)?$||one|rbuf rn rtype root
^I?gatherv(_init)?(_c)?$||one|rbuf rnv rtype root
^I?allgather(_init)?(_c)?$||one|rbuf rn rtype
^I?allgatherv(_init)?(_c)?$||one|rbuf rnv rtype
^I?scatter(_init)?(_c)?$||scatter|n
^I?scatterv(_init)?(_c)?$||scatter|nv
^I?alltoall(_init)?(_c)?$||each|rn rtype
^I?alltoallv(_init)?(_c)?$||sum|rnv rtype
^I?alltoallw(_init)?(_c)?$||sumw|
^I?reduce_scatter_block(_init)?(_c)?$||each|
^I?reduce_scatter(_init)?(_c)?$||sum|
^I?neighbor_allgather(_init)?(_c)?$||n_one|rn
^I?neighbor_allgatherv(_init)?(_c)?$||n_one|rnv
^I?neighbor_alltoall(_init)?(_c)?$||n_each|
^I?neighbor_alltoallv(_init)?(_c)?$||n_sum|
^I?neighbor_alltoallw(_init)?(_c)?$||n_sumw|
END

# name of a parameter|the only roles it may have, "-" for none at all
cat >"$tmp/params" <<'END'
sendbuf|buf
recvbuf|rbuf
sendcount|n
recvcount|rn
sendcounts|nv
recvcounts|rnv
sendtype|type
recvtype|rtype
sendtypes|typev
recvtypes|rtypev
displs|-
sdispls|-
rdispls|-
dest|peer
source|peer rpeer
sendtag|tag
recvtag|rtag
root|root
origin_addr|buf
origin_count|n
origin_datatype|type
result_addr|rbuf
result_count|rn
result_datatype|rtype
compare_addr|-
target_rank|peer
target_disp|-
target_count|-
target_datatype|-
comm|comm commp
win|win winp
END

# ---------------------------------------------------------------------------
# Parameters, for both sides: type_of("const int x[]") is "const int*".

lib='
function trim(s) {
    gsub(/[ \t]+/, " ", s)
    sub(/^ /, "", s)
    sub(/ $/, "", s)
    return s
}
function type_of(p,    stars, bare) {
    p = trim(p)
    gsub(/ *\[ */, "[", p)
    gsub(/ *\]/, "]", p)
    stars = ""
    if (match(p, /\[[^]]*\]$/)) {
        stars = "*"
        p = substr(p, 1, RSTART - 1)
    }
    bare = p
    sub(/[A-Za-z_][A-Za-z_0-9]*$/, "", bare)
    bare = trim(bare)
    if (bare != "" && bare != "const")
        p = bare
    gsub(/ *\* */, "*", p)
    gsub(/\*const/, "* const", p)
    return trim(p) stars
}
function types_of(list,    n, i, a, s) {
    n = split(list, a, ",")
    s = ""
    for (i = 1; i <= n; i++)
        s = s (i > 1 ? ", " : "") type_of(a[i])
    return s
}
'

# ---------------------------------------------------------------------------
# mpi.h -> "name <tab> types".

echo '#include <mpi.h>' >"$tmp/mpi.c"
# CC may hold flags of its own.
# shellcheck disable=SC2086
if ! ${CC:-cc} -E "$@" "$tmp/mpi.c" >"$tmp/mpi.i" 2>"$tmp/cc.err"; then
    cat "$tmp/cc.err" >&2
    echo "check_table: $label: ${CC:-cc} -E $* cannot preprocess mpi.h" >&2
    exit 1
fi

# One declaration a line, without string literals and attributes.
sed -e '/^[ 	]*#/d' -e 's/\\"//g' -e 's/"[^"]*"//g' "$tmp/mpi.i" |
    tr '\n\t' '  ' | sed -e 's/[;{}]/\
/g' >"$tmp/decls"
echo >>"$tmp/decls"
awk "$lib"'
function without_attributes(s,    at, i, depth, c, len) {
    while ((at = match(s, /__attribute(__)? *\(/)) > 0) {
        len = length(s)
        depth = 0
        for (i = at + RLENGTH - 1; i <= len; i++) {
            c = substr(s, i, 1)
            if (c == "(")
                depth++
            else if (c == ")" && --depth == 0)
                break
        }
        s = substr(s, 1, at - 1) " " substr(s, i + 1)
    }
    return s
}
!/MPI_/ || /^ *typedef / { next }
{
    s = without_attributes($0)
    if (!match(s, /^ *([A-Za-z_][A-Za-z_0-9]*[ *]+)+MPI_[A-Za-z_0-9]+ *\(/))
        next
    name = substr(s, 1, RLENGTH - 1)
    if (name ~ /^ *return /)
        next
    args = substr(s, RLENGTH + 1)
    sub(/ *$/, "", name)
    sub(/.*[ *]/, "", name)
    sub(/\)[^)]*$/, "", args)
    print name "\t" types_of(args)
}' "$tmp/decls" | sort -u >"$tmp/protos"
cut -f 1 "$tmp/protos" | sort -u >"$tmp/declared"

for f in MPI_Init MPI_Send MPI_Wtime; do
    if ! grep -q "^$f\$" "$tmp/declared"; then
        echo "check_table: $label: found no prototype of $f: is this mpi.h?" >&2
        exit 1
    fi
done

# ---------------------------------------------------------------------------
# The table -> "name <tab> types" of what is watched, "name" of every line, and
# "name <tab> message" for whatever is wrong.

: >"$tmp/wrong"
: >"$tmp/lines"
awk -v wrong="$tmp/wrong" -v listed="$tmp/lines" "$lib"'
function bad(text) {
    print "MPI_" name "\t" "line " FNR ": " text >wrong
}
function set_of(list, set,    n, i, a) {
    n = split(list, a, " ")
    for (i = 1; i <= n; i++)
        set[a[i]] = 1
}
function need(list, why,    n, i, a, m, j, b, found) {
    n = split(list, a, " ")
    for (i = 1; i <= n; i++) {
        m = split(a[i], b, "/")
        found = 0
        for (j = 1; j <= m; j++) {
            may[b[j]] = 1
            if (b[j] in has)
                found++
        }
        if (found == 0)
            bad(why " needs the role " a[i])
        else if (found > 1)
            bad(why " needs only one of the roles " a[i])
    }
}
function wanted_of(arg,    s) {
    s = param_roles[arg]
    if (tolower(name) ~ /reduce_scatter/) {
        if (arg == "recvcount") s = "n"
        if (arg == "recvcounts") s = "nv"
    }
    if (tolower(name) ~ /get_accumulate/) {
        if (arg == "origin_count" || arg == "origin_datatype") s = "-"
        if (arg == "target_count") s = "n"
        if (arg == "target_datatype") s = "type"
    }
    return s
}
function parameter(p,    role, arg, type, wanted) {
    p = trim(p)
    if (p == "")
        { bad("an empty parameter"); return "" }
    role = ""
    if (match(p, /^[^ *]*:/)) {
        role = substr(p, 1, RLENGTH - 1)
        p = trim(substr(p, RLENGTH + 1))
    }
    if (p == "void" || p == "...") {
        if (role != "")
            bad("\"" p "\" cannot have a role")
        roles_here = roles_here " -"
        return p
    }
    if (p !~ /^(const )?[A-Za-z_][A-Za-z_0-9]* \**[A-Za-z_][A-Za-z_0-9]*(\[\])?$/)
        bad("cannot read the parameter \"" p "\"")
    type = type_of(p)
    arg = p
    sub(/\[\]$/, "", arg)
    sub(/.*[ *]/, "", arg)
    if (arg in args)
        bad("two parameters are called " arg)
    args[arg] = 1

    roles_here = roles_here " " (role == "" ? "-" : role)
    if (role != "") {
        if (!(role in role_types))
            bad("unknown role \"" role "\"")
        else {
            if (index("|" role_types[role] "|", "|" type "|") == 0)
                bad("a " type " cannot have the role " role)
            if ((role in role_array) != (p ~ /\[\]$/))
                bad("the role " role (role in role_array ? " needs" : " cannot be") " an array x[]")
        }
        if (role in has)
            bad("two parameters have the role " role)
        has[role] = 1
    } else if (type in telling)
        bad(arg " is a " type ", and so needs a role")
    else if (type == "MPI_Comm")
        comm_seen = 1

    if (class != "local" && class != "special" && arg in param_roles) {
        wanted = wanted_of(arg)
        if (index(" " wanted " ", " " (role == "" ? "-" : role) " ") == 0)
            bad(arg " has the role " (role == "" ? "-" : role) ", not " wanted)
    }
    return type
}
BEGIN {
    set_of("MPI_Status* MPI_Request* MPI_Message* MPI_Comm* MPI_Win* MPI_Win", telling)
}

FILENAME ~ /\/roles$/ {
    i = index($0, "|")
    r = substr($0, 1, i - 1)
    if (sub(/\[\]$/, "", r))
        role_array[r] = 1
    role_types[r] = substr($0, i + 1)
    next
}
FILENAME ~ /\/classes$/ {
    split($0, a, "|")
    class_known[a[1]] = 1
    class_needs[a[1]] = a[2]
    class_may[a[1]] = a[3]
    next
}
FILENAME ~ /\/shapes$/ {
    split($0, a, "|")
    shape_known[a[2]] = 1
    n = split(a[1], b, " ")
    for (i = 1; i <= n; i++) {
        class_shaped[b[i]] = 1
        shape_here[b[i], a[2]] = 1
        shape_needs[b[i], a[2]] = a[3]
        shape_may[b[i], a[2]] = a[4]
    }
    next
}
FILENAME ~ /\/names$/ {
    # The pattern itself may have "|" in it: the last three are the columns.
    n = split($0, a, "|")
    rules++
    rule_needs[rules] = a[n]
    rule_shape[rules] = a[n - 1]
    rule_class[rules] = a[n - 2]
    i = length(a[n]) + length(a[n - 1]) + length(a[n - 2]) + 3
    rule_pattern[rules] = tolower(substr($0, 1, length($0) - i))
    next
}
FILENAME ~ /\/params$/ {
    split($0, a, "|")
    param_roles[a[1]] = a[2]
    next
}

/^#/ || /^[ \t]*$/ { next }
{
    name = $1
    class = $2
    shape = $3
    rest = $0
    sub(/^[ \t]*[^ \t]+[ \t]+[^ \t]+[ \t]+[^ \t]+[ \t]*/, "", rest)
    print "MPI_" name >listed
    if (NF < 3)
        { bad("fewer than three columns"); next }
    if ($0 !~ /^[A-Z]/ || name !~ /^[A-Z][A-Za-z_0-9]*$/ || name ~ /^P?MPI_/)
        bad("this is not the name of a function without \"MPI_\"")
    if (name in line)
        { bad("is also in line " line[name]); next }
    line[name] = FNR
    if (!(class in class_known))
        { bad("unknown class \"" class "\""); next }
    if (!(shape in shape_known))
        { bad("unknown shape \"" shape "\""); next }
    class_of[name] = class
    shape_of[name] = shape
    order[++rows] = name

    if (class == "none") {
        if (shape != "-" || rest != "")
            bad("class none has the shape - and no parameters")
        for (i = 1; i <= rules; i++)
            if (tolower(name) ~ rule_pattern[i])
                bad("must be watched")
        next
    }
    if (rest == "")
        { bad("no parameters (a function without any has \"void\")"); next }

    split("", has)
    split("", may)
    split("", args)
    comm_seen = 0
    roles_here = ""
    types = ""
    n = split(rest, list, ",")
    for (i = 1; i <= n; i++)
        types = types (i > 1 ? ", " : "") parameter(list[i])
    roles_of[name] = roles_here
    print "MPI_" name "\t" types

    if (comm_seen && !("comm" in has))
        bad("no parameter has the role comm")
    need(class_needs[class], "class " class)
    set_of(class_may[class], may)
    if (class in class_shaped) {
        if (!((class, shape) in shape_here))
            bad("class " class " has no shape " shape)
        else {
            need(shape_needs[class, shape], "shape " shape)
            set_of(shape_may[class, shape], may)
        }
    } else if (shape != "-")
        bad("class " class " has no shape but -")
    for (i = 1; i <= rules; i++)
        if (tolower(name) ~ rule_pattern[i]) {
            if (rule_class[i] != "" && rule_class[i] != class)
                bad("must be of class " rule_class[i])
            if (rule_shape[i] != shape)
                bad("must have the shape " rule_shape[i])
            need(rule_needs[i], "it")
        }
    for (r in has)
        if (r in role_types && !(r in may))
            bad("class " class ", shape " shape ", has no role " r)
}

# A function and its variants must have the same roles.
function same(base, more, what) {
    if (!(base in roles_of))
        return
    FNR = line[name]
    if (shape_of[name] != shape_of[base])
        bad("has not the shape of MPI_" base)
    if (roles_of[name] != roles_of[base] more)
        bad("has not the roles of MPI_" base what)
}
END {
    for (k = 1; k <= rows; k++) {
        name = order[k]
        class = class_of[name]
        base = name
        if (sub(/_c$/, "", base) && base in class_of) {
            FNR = line[name]
            if (class_of[base] != class)
                bad("is not of the class of MPI_" base)
            same(base, "", "")
        } else if (class == "icoll") {
            if (!sub(/_idup/, "_dup", base))
                base = toupper(substr(name, 2, 1)) substr(name, 3)
            same(base, " req", " and req")
        } else if (class == "coll_init") {
            sub(/_init$/, "", base)
            same(base, " - req", ", an info and req")
        }
    }
}
' "$tmp/roles" "$tmp/classes" "$tmp/shapes" "$tmp/names" "$tmp/params" \
    "$table" >"$tmp/rows" || exit 2
sort -u "$tmp/lines" >"$tmp/listed"

# ---------------------------------------------------------------------------
# Compare.

comm -23 "$tmp/declared" "$tmp/listed" |
    sed "s/\$/	is in mpi.h, but not in the table/" >>"$tmp/wrong"

awk -F '\t' -v counted="$tmp/compared" '
NR == FNR {
    # Two prototypes of one function that differ match nothing.
    if ($1 in protos)
        $2 = protos[$1] ") and (" $2
    protos[$1] = $2
    next
}
$1 in protos {
    n++
    if (protos[$1] != $2)
        print $1 "\tthe table has (" $2 "), mpi.h has (" protos[$1] ")"
}
END { print n + 0 >counted }
' "$tmp/protos" "$tmp/rows" >>"$tmp/wrong"

if [ -s "$tmp/wrong" ]; then
    sort -u "$tmp/wrong" | while IFS='	' read -r function text; do
        printf 'check_table: %s: %s: %s\n' "$label" "$function" "$text"
    done >&2
    exit 1
fi
declared=$(wc -l <"$tmp/declared")
listed=$(wc -l <"$tmp/listed")
compared=$(cat "$tmp/compared")
echo "check_table: $label: $((declared)) functions in mpi.h," \
    "$((listed)) in the table, types of $((compared)) compared"
