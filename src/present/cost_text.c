/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "present/report_text.h"
#include "present/quantity.h"

/* How the cost was treated, by the value of run.clock. */
static const struct {
    const char *clock;
    bool run_known; /* the added wall time of the run is known */
    const char *fate;
} fates[] = {
    {"virtual", true, "both are subtracted from all times shown"},
    {"delay", true, "both are subtracted from all times shown"},
    {"local", false, "subtracted on the rank that caused it, but not where other ranks waited for it (--clock=local)"},
    {"real", false, "not subtracted from the times shown (--clock=real)"},
};
static const double worth_telling = 0.01; /* of the run */
enum { FATES = sizeof fates / sizeof *fates };

/* With more ranks than cores, what one rank's watching costs is taken from others' cores: nothing tells how much of the
 * run that was. "" or a clause; to be freed. */
static char *cost_text_of_cores(struct wf_page *page, const struct wf_overview *o, int64_t run_ns, int64_t raw_ns)
{
    int64_t cores = wf_program_integer(&o->program, "cores"), ranks = (int64_t)o->ranks.count;
    int64_t shared_ns = cores > 0 && ranks > cores ? o->overhead_ns / cores : 0;
    bool matters = shared_ns > 2 * run_ns && (double)shared_ns > worth_telling * (double)raw_ns;
    char *text;
    if (!matters || asprintf(&text, "; up to %s, as ranks share cores", wf_quantity_time(page, shared_ns).text) < 0)
        text = wf_memory_text("");
    return text;
}

char *wf_cost_text(struct wf_page *page, const struct wf_overview *o)
{
    const struct wf_program *program = &o->program;
    int64_t run_ns = wf_program_integer(program, "intrusion_ns"), raw_ns = wf_program_integer(program, "wall_raw_ns");
    size_t fate = 0;
    while (fate + 1 < FATES && strcmp(fates[fate].clock, wf_program_text(program, "clock")) != 0)
        fate++;
    run_ns = run_ns > 0 ? run_ns : 0;
    char run[240] = "", *text, *cores = cost_text_of_cores(page, o, run_ns, raw_ns);
    if (fates[fate].run_known)
        snprintf(run, sizeof run, "the run %s (%s of it%s) and all ranks ", wf_quantity_time(page, run_ns).text,
                 wf_quantity_percent(raw_ns > 0 ? (double)run_ns / (double)raw_ns : 0).text, cores);
    free(cores);
    int length =
        asprintf(&text, "cost %s%s (%s%s); %s", *run ? run : "all ranks ", wf_quantity_time(page, o->overhead_ns).text,
                 wf_quantity_percent(o->overhead_share).text, " of their time", fates[fate].fate);
    return length < 0 ? wf_memory_text("") : text;
}
