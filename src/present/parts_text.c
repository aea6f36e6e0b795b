/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "analyse/memory.h"
#include "present/report_text.h"
#include "present/quantity.h"

static const double much_waiting = 0.05; /* of the run, without a core: as the view efficiency has it */

static const double worth_naming = 0.005; /* part of the run */

char *wf_parts_text(struct wf_page *page, const struct wf_parts *parts)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    int count = 0;
    bool split = false;
    if (!to)
        return wf_memory_text("");
    for (int part = 0; part < WF_PARTS; part++) {
        if (!parts->ns[part])
            continue;
        fprintf(to, "%s%s %s", count++ ? ", " : "", wf_part_names[part].name,
                wf_quantity_time(page, parts->ns[part]).text);
        split |= part != WF_PART_TRANSFER;
    }
    fclose(to);
    if (split && text)
        return text;
    free(text);
    return wf_memory_text("");
}

char *wf_parts_of_run_text(const struct wf_overview *o)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    int count = 0;
    if (!to)
        return wf_memory_text("");
    for (int part = 0; part < WF_PARTS; part++)
        if (o->part_share[part] >= worth_naming)
            fprintf(to, "%s%s %s", count++ ? ", " : "", wf_part_names[part].name,
                    wf_quantity_percent(o->part_share[part]).text);
    fclose(to);
    return text ? text : wf_memory_text("");
}

char *wf_cores_text(const struct wf_overview *o)
{
    int64_t cores = wf_program_integer(&o->program, "cores"), ranks = (int64_t)o->ranks.count;
    char *text;
    if (cores <= 0 || asprintf(&text, "%s rank%s on %s core%s", wf_quantity_count(ranks).text, ranks == 1 ? "" : "s",
                               wf_quantity_count(cores).text, cores == 1 ? "" : "s") < 0)
        return wf_memory_text("");
    return text;
}

char *wf_no_core_text(const struct wf_overview *o)
{
    double waiting = o->no_core_share - o->part_share[WF_PART_NO_CORE] - o->outside_share;
    char *text;
    int length =
        waiting < much_waiting
            ? asprintf(&text, "ranks had no core for %s of the run", wf_quantity_percent(o->no_core_share).text)
            : asprintf(&text, "ranks had no core for %s of the run, %s while they waited",
                       wf_quantity_percent(o->no_core_share).text, wf_quantity_percent(waiting).text);
    return length < 0 ? wf_memory_text("") : text;
}

void wf_no_core_print(struct wf_page *page, const struct wf_overview *o, const char *first, bool all)
{
    char *cores = wf_cores_text(o), *text = wf_no_core_text(o);
    if (o->no_core_costs || all)
        wf_page_wrap(page, WF_PLAIN, first, "%s%s%s", text, *cores ? ": " : "", cores);
    free(text);
    free(cores);
}

bool wf_savings_are_withheld(struct wf_page *page, const struct wf_overview *o, const char *prefix)
{
    char *text = wf_no_core_text(o);
    if (o->cores_short)
        wf_page_wrap(page, WF_PLAIN, prefix,
                     "what faster regions would save is not shown: %s, so it depends on who gets the cores", text);
    free(text);
    return o->cores_short;
}

void wf_savings_are_doubtful(struct wf_page *page, const struct wf_overview *o)
{
    if (!o->cores_short || !o->path.length_ns)
        return;
    char *text = wf_no_core_text(o);
    fputc('\n', page->out);
    wf_page_wrap(page, WF_WARN, "  ! ", "%s: the path, and what faster regions would save, depend on who got the cores",
                 text);
    free(text);
}
