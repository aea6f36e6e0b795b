# SPDX-License-Identifier: BSD-3-Clause
# (preprocessed mpi.h, mpi_calls.tbl) -> wrappers.c: signatures and the table of wrappers, nothing else. What a call means is in class_*.h.
# Whom the caller of a collective cannot go on without: see enum wf_waits in args.h.
function waits(name, class, shape) {
    if (class !~ /^(coll|icoll|coll_init)$/ || !("comm" in has) || name ~ /^(Comm_(create_group|create_from_group|spawn|accept|connect|join)|Intercomm|Comm_idup)/)
        return "none"
    if (name ~ /eighbor/) return "neighbours"
    if (tolower(name) ~ /^i?(ex)?scan/) return "below"
    if ("root" in has) return shape == "scatter" || tolower(name) ~ /^i?bcast/ ? "root" : "members"
    return tolower(name) ~ /^i?barrier/ ? "barrier" : "all"
}
# Who makes the communicator that a call makes: see enum wf_maker in comm.h.
function maker(name) {
    if (name == "Comm_create_group") return "some"
    return name ~ /^(Comm_(create_from_group|spawn|accept|connect|join)|Intercomm_create)/ ? "groups" : "all"
}
BEGIN { # classes that leave a header, or post a receive, once the clock is read
    split("send recv sendrecv isend irecv isendrecv start startall coll icoll", list, " ")
    for (i in list) begun[list[i]]
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
        # The class may put a status of its own where the application wants none.
        arguments = arguments ", " (role == "status" || role == "statuses" ? "a." role : id)
        if (role != "") { roles = roles ", ." role large " = " id; has[role] }
    }
    signature = n ? substr(signature, 3) : "void"; plain = substr(plain, 3); arguments = substr(arguments, 3)
    if (tolower(name) ~ /^i?ssend/) roles = roles ", .synchronous = true"
    roles = roles ", .waits = WF_WAITS_" waits(name, class, shape)
    if ("commp" in has) roles = roles ", .maker = WF_MAKER_" maker(name)
    watched[++wrappers] = name
    if (class == "special") special[name]
    if (name == "Pcontrol") next
    type = "__typeof__(&PMPI_" name ")"
    body = body "\n"
    if (class != "special") {
        body = body "static inline __attribute__((always_inline)) int do_" name "(const void *address, " type " next" (n ? ", " signature : "") ")\n{\n"
        body = body "    struct wf_call c;\n    MPI_Status own_status;\n    struct wf_args a = {.own_status = &own_status, .shape = WF_SHAPE_" shape roles "};\n"
        frees = class == "comm_free" || class == "win_free"
        if (frees) body = body "    wf_" class "_leaving(&a);\n"
        body = body "    if (!wf_call_enter(&c, " index_of[name] ", address))\n        return " (frees ? "wf_" class "_left(&a, next(" plain "))" : "next(" plain ")") ";\n"
        body = body "    wf_" class "_before(&c, &a);\n    wf_call_begin(&c);\n" (class in begun ? "    wf_" class "_begun(&c, &a);\n" : "") "    wf_call_go(&c);\n    int rc = next(" arguments ");\n    wf_call_end(&c);\n"
        if (frees) body = body "    wf_" class "_left(&a, rc);\n"
        body = body "    wf_" class "_after(&c, &a, rc);\n    wf_call_leave(&c);\n    return rc;\n}\n"
    } else {
        body = body "#define do_" name " wf_special_" name "\n"
    }
    for (p = 0; p < 2; p++) {
        prefix = p ? "pmpi_" : "mpi_"
        body = body "static __attribute__((flatten)) int " prefix name "(" signature ")\n{\n    return do_" name "(__builtin_return_address(0), (" type ")wf_next_" prefix "functions[" \
               index_of[name] "]" (n ? ", " plain : "") ");\n}\n"
    }
    body = body "_Static_assert(__builtin_types_compatible_p(__typeof__(mpi_" name "), __typeof__(PMPI_" name ")), \"MPI_" name " is not as mpi_calls.tbl has it\");\n"
}
END {
    print "#include \"measure/class_complete.h\"\n#include \"measure/class_rma_io.h\"\n#include \"measure/special.h\"\n#include \"measure/wrappers.h\"\n"
    for (i = 1; i <= wrappers; i++)
        if (watched[i] in special) print "const unsigned wf_call_" watched[i] " = " index_of[watched[i]] ";"
    print "const unsigned wf_wrappers_calls = " count ";"
    print "void *wf_next_mpi_functions[" count "], *wf_next_pmpi_functions[" count "];"
    print body
    print "\nstatic const struct wrapper {\n    unsigned call;\n    const char *name; /* PMPI_X; MPI_X is its end */\n    void *mpi, *pmpi;\n} wrappers[] = {"
    for (i = 1; i <= wrappers; i++) {
        w = watched[i]
        by_hand = w == "Pcontrol"
        print "    {" index_of[w] ", \"PMPI_" w "\", " (by_hand ? "wf_special_Pcontrol, wf_special_Pcontrol" : "mpi_" w ", pmpi_" w) "},"
    }
    print "};\n"
    print "void wf_wrappers_install(const struct wf_front *front)\n{"
    print "    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++) {\n        const struct wrapper *w = &wrappers[i];"
    print "        wf_next_mpi_functions[w->call] = front->next(w->name + 1);\n        wf_next_pmpi_functions[w->call] = front->next(w->name);"
    print "        if (!wf_next_mpi_functions[w->call] || !wf_next_pmpi_functions[w->call])\n            continue; /* an older library than its header: the front passes the call on */"
    print "        front->mpi_slots[w->call] = w->mpi;\n        front->pmpi_slots[w->call] = w->pmpi;\n    }\n}"
}
