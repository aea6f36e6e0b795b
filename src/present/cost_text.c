/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "present/report_text.h"
#include "present/unit.h"

/* What became of the cost, by run's key `clock`. */
static const struct {
    const char *clock;
    bool run_known; /* how much longer the run took is known, too */
    const char *fate;
} fates[] = {
    {"virtual", true, "both are subtracted from all times shown"},
    {"delay", true, "both are subtracted from all times shown"},
    {"local", false, "subtracted where it arose, not where others waited for it (--clock=local)"},
    {"real", false, "still in all times shown (--clock=real)"},
};
enum { FATES = sizeof fates / sizeof *fates };

char *wf_cost_text(struct wf_page *page, const struct wf_overview *o)
{
    const struct wf_program *program = &o->program;
    int64_t intrusion_ns = wf_program_integer(program, "intrusion_ns"),
            raw_ns = wf_program_integer(program, "wall_raw_ns");
    size_t fate = 0;
    while (fate + 1 < FATES && strcmp(fates[fate].clock, wf_program_text(program, "clock")) != 0)
        fate++;
    char run[160] = "", *text;
    if (fates[fate].run_known)
        snprintf(
            run, sizeof run, "the run %s (%s of it), all ranks ",
            wf_unit_time(page, intrusion_ns > 0 ? intrusion_ns : 0).text,
            wf_unit_percent(raw_ns > 0 && intrusion_ns > 0 ? (double)intrusion_ns / (double)raw_ns : 0).text);
    int length = asprintf(&text, "cost %s%s (%s%s); %s", *run ? run : "all ranks ",
                          wf_unit_time(page, o->overhead_ns).text, wf_unit_percent(o->overhead_share).text,
                          " of their time", fates[fate].fate);
    return length < 0 ? wf_memory_text("") : text;
}
