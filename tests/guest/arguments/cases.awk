# SPDX-License-Identifier: BSD-3-Clause
# (preprocessed mpi.h, mpi_calls.tbl) -> C: for each watched function that this MPI library has, one call that is right and calls with one wrong argument each.
# What is right for a parameter follows from its type, its role and its name; world.h has the objects. wrong.c includes this. With -v handles=1 handles are
# numbers that the MPI library looks up (MPICH); else they are its pointers, and to use one that is freed, or stands for something else, is to use freed memory.
function usual(role, type, id, name, class) {
    if (role == "comm") return name ~ /eighbor/ ? "cart" : "comm"
    if (role == "buf" || role == "rbuf") return role == "rbuf" || (class ~ /recv|io/ && type !~ /const/) ? "in" : "out"
    if (role == "n" || role == "rn") return "1"
    if (role == "nv" || role == "rnv") return type ~ /MPI_Count/ ? "large_counts" : "counts"
    if (role == "type" || role == "rtype") return "MPI_INT"
    if (role == "typev" || role == "rtypev") return "types"
    if (role == "peer" || role == "rpeer") return class ~ /^(isend|irecv|send_init|recv_init|rma|irma|epoch|iprobe|improbe)$/ ? "0" : "MPI_PROC_NULL"
    if (role == "tag") return class ~ /recv|probe/ ? "9" : "7"
    if (role == "rtag") return "9"
    if (role == "root") return "0"
    if (role == "parts") return "2"
    if (role == "win") return class ~ /rma/ || name ~ /^Win_flush/ ? "locked" : "win"
    if (role == "commp") return class == "comm_free" ? "&spare_comm" : "&made_comm"
    if (role == "winp") return class == "win_free" ? "&spare_win" : "&made_win"
    if (role == "req") return class ~ /^(wait|test|request_free)$/ || name == "Cancel" ? "&under_way" : class == "start" ? "&persistent" : "&made_req"
    if (role == "reqn") return "3"
    if (role == "reqs") return class == "startall" ? "persistents" : "several"
    if (role == "message") return class ~ /mrecv/ ? "&message" : "&made_message"
    if (role == "status") return "&status"
    if (role == "statuses") return "statuses"
    if (role == "flag" || role == "index" || role == "outcount") return "&" role "_"
    if (role == "indices") return "indices_"
    if (type == "MPI_Request") return "under_way"
    if (type == "MPI_File") return "file"
    if (type == "MPI_File*") return name == "File_close" ? "&spare_file" : "&made_file"
    if (type == "MPI_Group") return "group"
    if (type == "MPI_Info") return "MPI_INFO_NULL"
    if (type == "MPI_Errhandler") return "MPI_ERRORS_RETURN"
    if (type == "MPI_Op") return "MPI_SUM"
    if (type == "MPI_Datatype") return "MPI_INT"
    if (type == "MPI_Comm") return "comm"
    if (type == "MPI_Session*") return name == "Session_init" ? "&made_session" : "&session"
    if (type == "const char*") return id == "filename" ? "path" : id == "datarep" ? "\"native\"" : "\"nothing\""
    if (type == "char*") return "text"
    if (type ~ /^const int\*/) return id ~ /counts|degrees|dims|periods|indx|weights/ ? "counts" : "zeros"
    if (type ~ /^const MPI_(Aint|Count)\*/) return "large_zeros"
    if (type ~ /^int\*/ && id ~ /argc/) return "NULL"
    if (type == "int*") return id ~ /partitions/ ? "zeros" : "numbers"
    if (type ~ /^MPI_(Offset|Aint|Count)\*$/) return "large_numbers"
    if (type ~ /^MPI_(Datatype|Group|Info)\*$/) return "&made_" tolower(substr(type, 5, length(type) - 5))
    if (type == "const void*") return "out"
    if (type == "void*") return id == "base" || id ~ /^baseptr|^buffer/ ? "area" : "in"
    if (type ~ /\*/) return "NULL"
    if (id == "amode") return "MPI_MODE_RDWR | MPI_MODE_CREATE"
    if (id == "lock_type") return "MPI_LOCK_SHARED"
    if (id == "whence") return "MPI_SEEK_SET"
    if (id == "split_type") return "MPI_COMM_TYPE_SHARED"
    if (id == "disp_unit" || id ~ /count|size|ndims|nnodes|degree|maxprocs|^n$/) return "1"
    return "0"
}
function wrongs(role, type, id, name, class) {
    if (role == "comm" || type == "MPI_Comm") return "null=MPI_COMM_NULL|none=(MPI_Comm)0" (handles ? "|freed=freed_comm()|foreign=(MPI_Comm)MPI_INT" : "")
    if (type == "MPI_Datatype") return "null=MPI_DATATYPE_NULL|none=(MPI_Datatype)0|uncommitted=uncommitted" (handles ? "|foreign=(MPI_Datatype)MPI_COMM_SELF" : "")
    if (type == "MPI_Op") return "null=MPI_OP_NULL|none=(MPI_Op)0|unfit=MPI_MAXLOC" (handles ? "|foreign=(MPI_Op)MPI_INT" : "")
    if (type == "MPI_Win") return "null=MPI_WIN_NULL|none=(MPI_Win)0" (handles ? "|freed=freed_win()|foreign=(MPI_Win)MPI_INT" : "")
    if (type == "MPI_File") return "null=MPI_FILE_NULL|none=(MPI_File)0"
    if (type == "MPI_Group") return "null=MPI_GROUP_NULL|none=(MPI_Group)0|empty=MPI_GROUP_EMPTY" (handles ? "|foreign=(MPI_Group)MPI_INT" : "")
    if (type == "MPI_Info") return "none=(MPI_Info)0" (handles ? "|foreign=(MPI_Info)MPI_INT" : "")
    if (type == "MPI_Errhandler") return "null=MPI_ERRHANDLER_NULL|none=(MPI_Errhandler)0"
    if (type == "MPI_Request") return "null=MPI_REQUEST_NULL|none=(MPI_Request)0" (handles ? "|foreign=(MPI_Request)MPI_INT" : "")
    if (role == "commp" && class == "comm_free") return "NULL=NULL|null=&null_comm|none=&no_comm|world=&world_comm|self=&self_comm" (handles ? "|freed=keep_comm(freed_comm())|foreign=keep_comm((MPI_Comm)MPI_INT)" : "")
    if (role == "winp" && class == "win_free") return "NULL=NULL|null=&null_win|none=&no_win" (handles ? "|freed=keep_win(freed_win())" : "")
    if (role == "req" && class !~ /^(isend|irecv|isendrecv|send_init|recv_init|imrecv|icoll|coll_init|irma|iio|iio_all)$/)
        return "NULL=NULL|null=&null_req|none=&no_req" (handles ? "|foreign=keep_req((MPI_Request)MPI_INT)" : "")
    if (role == "reqs") return "NULL=NULL|nulls=null_reqs|none=one_missing" (class == "startall" ? "" : "|inactive=persistents")
    if (role == "message" && class ~ /mrecv/) return "NULL=NULL|null=&null_message|none=&no_message|no_partner=&no_proc_message"
    if (type == "MPI_File*" && name == "File_close") return "NULL=NULL|null=&null_file|none=&no_file"
    if (type == "MPI_Session*" && name == "Session_finalize") return "NULL=NULL|null=&null_session"
    if (role == "n" || role == "rn") return "negative=-1|least=INT_MIN"
    if (role == "reqn") return "negative=-1|least=INT_MIN|zero=0"
    if (role == "peer" || role == "rpeer") return "negative=-7|size=1|large=INT_MAX|least=INT_MIN"
    if (role == "tag" || role == "rtag") return "negative=-5|least=INT_MIN|large=INT_MAX|any=MPI_ANY_TAG"
    if (role == "root") return "negative=-7|size=1|root=MPI_ROOT|no_partner=MPI_PROC_NULL"
    if (role == "buf" || role == "rbuf") return "NULL=NULL|in_place=MPI_IN_PLACE" (class ~ /coll/ ? "|same=area" : "")
    if (role == "status") return "NULL=NULL|ignored=MPI_STATUS_IGNORE"
    if (role == "statuses") return "NULL=NULL|ignored=MPI_STATUSES_IGNORE"
    if (type == "const char*") return "NULL=NULL|empty=\"\""
    if (type ~ /\*/) return "NULL=NULL"
    if (type ~ /^const int$|^int$/) return "negative=-1|least=INT_MIN" (id ~ /^(n|.*degree|n[a-z]+s|.*count)$/ ? "" : "|large=12345")
    return "negative=-1"
}
# What ends the process or hangs by the MPI library's own doing, or would go out of the house.
function ends(name, class, id, how) {
    if (how == "right") return name ~ /^(Abort|Init|Init_thread|Session_init|Session_finalize|Comm_(spawn|spawn_multiple|accept|connect|join)|Lookup_name|Intercomm_merge|Win_start|Win_wait|File_.*_end)$/
    if (name ~ /^(Comm_(spawn|accept|connect)|Abort)/ && id !~ /^(comm|root)$/) return 1
    if (name ~ /^(Init|Init_thread|Abort)$/) return !handles
    if (name ~ /^File_.*_end$/) return id != "fh"
    if (name == "Comm_join" && id == "fd") return 1
    if (name ~ /^Exscan/ && id == "count") return 1
    if (!handles && (name ~ /^(Ip|Mp|Imp)robe$/ && id == "comm" || name ~ /mrecv$|Mrecv$/ && id == "message") && how == "null") return 1 # as Probe, and as NULL
    return name ~ /^Intercomm_/ && id !~ /tag|newint/ && how !~ /^(null|none)$/
}
FNR == 1 { file++ }
file == 1 {
    line = $0
    while (match(line, /PMPI_[A-Za-z_0-9]+/)) {
        have[substr(line, RSTART + 5, RLENGTH - 5)] = 1
        line = substr(line, RSTART + RLENGTH)
    }
    next
}
/^# / { section = $0; sub(/^# /, "", section); sub(/:.*/, "", section); sub(/^Neighbourhood c/, "C", section) }
# The end of MPI has a program of its own, and MPI_Pcontrol has no wrong argument.
/^[A-Z]/ && $2 != "none" && $1 !~ /^(Finalize|Pcontrol)$/ && $1 in have {
    name = $1; class = $2
    text = $0
    sub(/^[^ ]+ +[^ ]+ +[^ ]+ +/, "", text)
    n = split(text, parameter, / *, */)
    for (i = 1; i <= n; i++) {
        role = ""
        if (match(parameter[i], /^[a-z]+:/)) {
            role = substr(parameter[i], 1, RLENGTH - 1)
            parameter[i] = substr(parameter[i], RLENGTH + 1)
        }
        id = type = parameter[i]
        stars = sub(/\[\]$/, "", type) ? "*" : ""
        sub(/\[\]$/, "", id); sub(/.*[ *]/, "", id)
        sub(/[A-Za-z_0-9]+$/, "", type)
        gsub(/ *\* */, "*", type); sub(/ +$/, "", type)
        type = type stars
        ids[i] = id
        right[i] = usual(role, type, id, name, class)
        wrong[i] = wrongs(role, type, id, name, class)
    }
    emit(0, "right", "")
    for (i = 1; i <= n; i++) {
        many = split(wrong[i], list, "|")
        for (k = 1; k <= many; k++) {
            at = index(list[k], "=")
            emit(i, substr(list[k], 1, at - 1), substr(list[k], at + 1))
        }
    }
}
function emit(which, how, value,    call, j) {
    if (ends(name, class, which ? ids[which] : "-", how)) return
    call = ""
    for (j = 1; j <= n; j++) call = call (j > 1 ? ", " : "") (j == which ? value : right[j])
    print "static int case" cases "(void) { return MPI_" name "(" call "); }"
    rows[cases] = "    {\"" name "\", \"" (which ? ids[which] : "-") "\", \"" how "\", \"" section "\", case" cases "},"
    cases++
}
BEGIN { cases = 0 }
END {
    print "static const struct wrong_case {\n    const char *name, *argument, *how, *section;\n    int (*call)(void);\n} wrong_cases[] = {"
    for (k = 0; k < cases; k++) print rows[k]
    print "};"
}
