# SPDX-License-Identifier: BSD-3-Clause
# (preprocessed mpi.h, mpi_calls.tbl) -> wrappers.c: signatures and the table of wrappers, nothing else. What a call
# means is in class_*.h.

# Whom the caller of a collective cannot go on without: see measure/exchange/depends.h.
function waits(name, class, shape) {
    if (class ~ /^(comm_free|win_free|file_close|io_all|io_begin|iio_all)$/) return "arrivals"
    if (class !~ /^(coll|icoll|coll_init)$/ || name == "Comm_join") return "none"
    if (name ~ /^(Comm_create_(group|from_group)|Intercomm_create)/) return "made"
    if (!("comm" in has) || name ~ /^Comm_(spawn|accept|connect|idup)/) return "arrivals"
    if (name ~ /eighbor/) return "neighbours"
    if (tolower(name) ~ /^i?(ex)?scan/) return "below"
    if ("root" in has) return shape == "scatter" || tolower(name) ~ /^i?bcast/ ? "root" : "members"
    return tolower(name) ~ /^i?barrier/ ? "barrier" : "all"
}

# What a call that begins or ends accesses to a window means: see enum wf_epoch in args.h.
function epoch(name) {
    if (name ~ /^Win_(test|wait)$/) return "wait"
    sub(/^Win_/, "", name)
    sub(/^flush(_local)?/, "lock", name) # the wait for a lock may be put off until here
    return name
}

# Who makes the communicator that a call makes: see enum wf_maker in comm.h.
function maker(name) {
    if (name == "Comm_create_group") return "some"
    return name ~ /^(Comm_(create_from_group|spawn|accept|connect|join)|Intercomm_create)/ ? "groups" : "all"
}
# A line of the wrapper, in its body.
function emit(text) { body = body "    " text "\n" }

# The wrapper of a function whose class says what a call means.
function of_class(row,    frees, leave) {
    frees = class ~ /^(comm_free|win_free|file_close)$/
    leave = frees ? "wf_" class "_left(&a, next(" plain "))" : "next(" plain ")"
    emit("struct wf_call c;")
    emit("MPI_Status own_status;")
    emit("struct wf_args a = {.own_status = &own_status, .shape = WF_SHAPE_" shape roles "};")
    if (frees) emit("wf_" class "_leaving(&a);")
    emit("if (!wf_call_enter(&c, " row ", caller.address, caller.requests))\n        return " leave ";")
    emit("wf_" class "_before(&c, &a);")
    emit("wf_call_begin(&c);")
    if (class in begun) emit("wf_" class "_begun(&c, &a);")
    if (class in blocks) emit("bool blocks = wf_" class "_blocks(&c, &a);")
    emit("wf_arrival_begun(&c);")
    emit("wf_call_go(&c);")
    if (class ~ /^(send|coll|epoch|win_free|file_close|io_all)$/) emit("wf_order_blocks(&a);")
    emit("int rc;")
    if (class in ordered) emit("if (!wf_order_direct(WF_ORDER_" class ", &c, &a, caller.address, &rc))")
    emit((class in ordered ? "    " : "") "rc = next(" arguments ");")
    emit("wf_call_end(&c);")
    if (class in blocks) emit("if (blocks)\n        wf_needs_end(&c);")
    if (class in ordered) emit("wf_order_settled(WF_ORDER_" class ", &c, &a, rc);")
    if (frees) emit("wf_" class "_left(&a, rc);")
    emit("wf_" class "_after(&c, &a, rc);")
    emit("wf_call_leave(&c);")
    emit("return rc;")
}

BEGIN { # classes that leave a header, or post a receive, once the clock is read
    split("send sendrecv isend irecv isendrecv start startall coll icoll epoch pready " \
          "comm_free win_free file_close io_all io_begin iio_all", list, " ")
    for (i in list) begun[list[i]]
    # classes whose outcome MPI leaves open: measure/order/order.h
    split("recv sendrecv irecv isendrecv recv_init start startall probe iprobe mprobe improbe wait waitall waitany " \
          "waitsome test testall testany testsome status request_free cancel comm_free", names, " ")
    for (i in names) ordered[names[i]]
    # classes that publish what they need to go on
    split("send recv sendrecv probe mprobe wait waitall waitany waitsome coll comm_free", list, " ")
    for (i in list) blocks[list[i]]
}

# The roles of the source and the tag that a receive or probe of a class is asked for.
function is_source(class, role) {
    return class ~ /sendrecv/ ? role == "rpeer" : class ~ /recv|probe/ && role == "peer"
}
function is_source_tag(class, role) {
    return class ~ /sendrecv/ ? role == "rtag" : class ~ /recv|probe/ && role == "tag"
}
FNR == 1 { file++ }
file == 1 { # which functions this MPI library has
    line = $0
    while (match(line, /PMPI_[A-Za-z_0-9]+/)) {
        have[substr(line, RSTART + 5, RLENGTH - 5)] = 1
        line = substr(line, RSTART + RLENGTH)
    }
    next
}
/^[A-Z]/ && $2 != "none" {
    name = $1; class = $2; shape = $3 == "-" ? "none" : $3
    index_of[name] = count++
    if (!(name in have)) next
    text = $0
    sub(/^[^ ]+ +[^ ]+ +[^ ]+ +/, "", text)
    n = text == "void" ? 0 : split(text, parameter, / *, */)
    signature = arguments = plain = roles = ""
    delete has
    for (i = 1; i <= n; i++) {
        role = ""
        if (match(parameter[i], /^[a-z]+:/)) {
            role = substr(parameter[i], 1, RLENGTH - 1)
            parameter[i] = substr(parameter[i], RLENGTH + 1)
        }
        id = parameter[i]; sub(/\[.*/, "", id); sub(/.*[ *]/, "", id)
        large = parameter[i] ~ /MPI_Count .*\[\]/ && (role == "nv" || role == "rnv") ? "c" : ""
        signature = signature ", " parameter[i]
        plain = plain ", " id
        # The class may put a status of its own where the application wants none, and order control chooses a source.
        argument = role == "status" || role == "statuses" ? "a." role : id
        if (class in ordered && is_source(class, role)) { argument = "a.source"; roles = roles ", .source = " id }
        if (class in ordered && is_source_tag(class, role)) {
            argument = "a.source_tag"; roles = roles ", .source_tag = " id
        }
        arguments = arguments ", " argument
        if (role != "") { roles = roles ", ." role large " = " id; has[role] }
    }
    signature = n ? substr(signature, 3) : "void"; plain = substr(plain, 3); arguments = substr(arguments, 3)
    if (tolower(name) ~ /^i?ssend/) roles = roles ", .synchronous = true"
    if (class == "testsome") roles = roles ", .tests = true"
    if (name == "Win_sync") roles = roles ", .looks = true"
    roles = roles ", .waits = WF_DEPENDS_" waits(name, class, shape)
    if (class == "epoch") roles = roles ", .epoch = WF_EPOCH_" epoch(name)
    if ("commp" in has) roles = roles ", .maker = WF_MAKER_" maker(name)
    watched[++wrappers] = name
    if (class == "special") special[name]
    if (name == "Pcontrol") next
    type = "__typeof__(&PMPI_" name ")"
    body = body "\nstatic __attribute__((flatten)) int mpi_" name "(" signature ")\n{\n"
    emit("struct wf_caller caller = wf_caller_take(" index_of[name] ", __builtin_return_address(0));")
    emit(type " next = (" type ")caller.next;")
    if (class == "special")
        emit("return wf_lifecycle_" name "(caller.address, next" (n ? ", " plain : "") ");")
    else
        of_class(index_of[name])
    body = body "}\n_Static_assert(__builtin_types_compatible_p(__typeof__(mpi_" name "), __typeof__(PMPI_" name ")), "
    body = body "\"MPI_" name " is not as mpi_calls.tbl has it\");\n"
}
END {
    split("mpi/class_complete mpi/class_rma_io mpi/class_epoch mpi/class_partitioned mpi/caller mpi/lifecycle " \
          "mpi/wrappers order/order", includes, " ")
    for (i = 1; i in includes; i++) print "#include \"measure/" includes[i] ".h\""
    print ""
    for (i = 1; i <= wrappers; i++)
        if (watched[i] in special) print "const unsigned wf_call_" watched[i] " = " index_of[watched[i]] ";"
    print "const unsigned wf_wrappers_calls = " count ";"
    print "void *wf_next_mpi_functions[" count "], *wf_next_pmpi_functions[" count "];"
    print body
    print "\nstatic const struct wrapper {"
    print "    unsigned call;"
    print "    const char *name; /* PMPI_X; MPI_X is its end */"
    print "    void *wrapper;    /* of both names */"
    print "} wrappers[] = {"
    for (i = 1; i <= wrappers; i++) {
        w = watched[i]
        print "    {" index_of[w] ", \"PMPI_" w "\", " (w == "Pcontrol" ? "wf_lifecycle_Pcontrol" : "mpi_" w) "},"
    }
    print "};\n"
    print "void wf_wrappers_install(const struct wf_front *front)\n{"
    print "    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++) {"
    print "        const struct wrapper *w = &wrappers[i];"
    print "        wf_next_mpi_functions[w->call] = front->next(w->name + 1);"
    print "        wf_next_pmpi_functions[w->call] = front->next(w->name);"
    print "        if (!wf_next_mpi_functions[w->call] || !wf_next_pmpi_functions[w->call])"
    print "            continue; /* an older library than its header: the front passes the call on */"
    print "        front->mpi_slots[w->call] = front->pmpi_slots[w->call] = w->wrapper;"
    print "    }\n}"
}
