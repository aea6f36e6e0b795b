/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/call_kind.h"

#include <stddef.h>
#include <string.h>

/* Functions of the class "special" in mpi_calls.tbl, which does not tell the kind. */
static const struct {
    const char *function;
    enum wf_call_kind kind;
} special_kinds[] = {
    {"MPI_Init", WF_CALL_START_END},
    {"MPI_Init_thread", WF_CALL_START_END},
    {"MPI_Finalize", WF_CALL_START_END},
    {"MPI_Session_init", WF_CALL_START_END},
    {"MPI_Session_finalize", WF_CALL_START_END},
};

static const struct {
    const char *class;
    enum wf_call_kind kind;
} class_kinds[] = {
    {"send", WF_CALL_SEND},           {"isend", WF_CALL_SEND},         {"recv", WF_CALL_RECEIVE},
    {"irecv", WF_CALL_RECEIVE},       {"mrecv", WF_CALL_RECEIVE},      {"imrecv", WF_CALL_RECEIVE},
    {"sendrecv", WF_CALL_EXCHANGE},   {"isendrecv", WF_CALL_EXCHANGE}, {"start", WF_CALL_EXCHANGE},
    {"startall", WF_CALL_EXCHANGE},   {"coll", WF_CALL_COLLECTIVE},    {"icoll", WF_CALL_COLLECTIVE},
    {"rma", WF_CALL_ONE_SIDED},       {"irma", WF_CALL_ONE_SIDED},     {"wait", WF_CALL_COMPLETION},
    {"waitall", WF_CALL_COMPLETION},  {"waitany", WF_CALL_COMPLETION}, {"waitsome", WF_CALL_COMPLETION},
    {"test", WF_CALL_COMPLETION},     {"testall", WF_CALL_COMPLETION}, {"testany", WF_CALL_COMPLETION},
    {"testsome", WF_CALL_COMPLETION}, {"probe", WF_CALL_COMPLETION},   {"iprobe", WF_CALL_COMPLETION},
    {"mprobe", WF_CALL_COMPLETION},   {"improbe", WF_CALL_COMPLETION}, {"io", WF_CALL_FILE},
    {"io_all", WF_CALL_FILE},         {"iio", WF_CALL_FILE},           {"iio_all", WF_CALL_FILE},
    {"file_close", WF_CALL_FILE},     {"epoch", WF_CALL_ONE_SIDED},    {"pready", WF_CALL_SEND},
};

static enum wf_call_kind call_kind_of_class(const char *class)
{
    for (size_t i = 0; i < sizeof class_kinds / sizeof *class_kinds; i++)
        if (!strcmp(class_kinds[i].class, class))
            return class_kinds[i].kind;
    return WF_CALL_OTHER;
}

enum wf_call_kind wf_call_kind_of(const char *function)
{
    for (size_t i = 0; i < sizeof special_kinds / sizeof *special_kinds; i++)
        if (!strcmp(special_kinds[i].function, function))
            return special_kinds[i].kind;
    for (const struct wf_call_class *c = wf_call_classes; c->name; c++)
        if (!strcmp(c->name, function))
            return call_kind_of_class(c->class);
    return WF_CALL_OTHER;
}

const char *wf_call_kind_name(enum wf_call_kind kind)
{
    static const char *const names[] = {
        [WF_CALL_OTHER] = "other",         [WF_CALL_START_END] = "start_end",   [WF_CALL_SEND] = "send",
        [WF_CALL_RECEIVE] = "receive",     [WF_CALL_EXCHANGE] = "exchange",     [WF_CALL_COLLECTIVE] = "collective",
        [WF_CALL_ONE_SIDED] = "one_sided", [WF_CALL_COMPLETION] = "completion", [WF_CALL_FILE] = "file",
    };
    return names[kind];
}
