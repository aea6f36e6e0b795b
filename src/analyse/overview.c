/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/overview.h"

#include <string.h>

#include "analyse/sum.h"

static const double relevant = 0.01; /* part of a rank's time, and of the run */
static const double too_short = 0.1; /* lost without a core, as a part of the run: as the view efficiency has it */

double wf_overview_share(const struct wf_overview *o, int64_t ns)
{
    return o->run_ns > 0 ? (double)ns / (double)o->run_ns : 0;
}

static void overview_sum_up_parts(struct wf_overview *o)
{
    struct wf_parts sum = {0};
    int64_t outside_ns = wf_rank_list_sum(&o->ranks, offsetof(struct wf_rank, no_core_outside_ns)),
            no_core_ns = wf_rank_list_sum(&o->ranks, offsetof(struct wf_rank, no_core_all_ns));
    for (size_t i = 0; i < o->ranks.first_world; i++) {
        const struct wf_rank *rank = &o->ranks.items[i];
        struct wf_parts parts = wf_rank_parts(rank);
        wf_parts_add(&sum, &parts);
        wf_sum_add(&parts.ns[WF_PART_NO_CORE], rank->no_core_outside_ns);
        for (int part = 0; part < WF_PARTS; part++)
            o->matters[part] |= parts.ns[part] && (double)parts.ns[part] >= relevant * (double)rank->wall_ns;
    }
    for (int part = 0; part < WF_PARTS; part++)
        o->part_share[part] = wf_overview_share(o, sum.ns[part]);
    o->outside_share = wf_overview_share(o, outside_ns);
    o->no_core_share = wf_overview_share(o, no_core_ns);
    /* A rank that waits loses nothing by having no core meanwhile. */
    double lost = o->part_share[WF_PART_NO_CORE] + o->outside_share;
    o->cores_short = lost > too_short;
    o->no_core_costs = lost >= relevant;
    o->matters[WF_PART_NO_CORE] |= o->no_core_share >= relevant;
    o->parts_known = wf_program_integer(&o->program, "headers_taken") > 0 ||
                     strcmp(wf_program_text(&o->program, "clock"), "real") != 0;
}

static void overview_sum_up(struct wf_overview *o)
{
    const struct wf_rank_list *ranks = &o->ranks;
    int64_t wall_raw_ns = wf_rank_list_sum(ranks, offsetof(struct wf_rank, wall_raw_ns));
    int64_t wall_ns = wf_rank_list_sum(ranks, offsetof(struct wf_rank, wall_ns));
    int64_t count = (int64_t)ranks->first_world;
    o->overhead_ns = wf_rank_list_sum(ranks, offsetof(struct wf_rank, overhead_ns));
    if (__builtin_mul_overflow(wf_program_integer(&o->program, "wall_ns"), count, &o->run_ns))
        o->run_ns = INT64_MAX;
    o->useful_share = wf_overview_share(o, wf_rank_list_sum(ranks, offsetof(struct wf_rank, useful_ns)));
    o->mpi_share = wf_overview_share(o, wf_rank_list_sum(ranks, offsetof(struct wf_rank, mpi_ns)));
    o->sync_share = wf_overview_share(o, wf_rank_list_sum(ranks, offsetof(struct wf_rank, sync_ns)));
    if (o->run_ns > wall_ns)
        o->absent_share = 1 - wf_overview_share(o, wall_ns);
    if (wall_raw_ns > 0)
        o->overhead_share = (double)o->overhead_ns / (double)wall_raw_ns;
    if (count > 0) {
        o->init_ns = wf_rank_list_sum(ranks, offsetof(struct wf_rank, init_ns)) / count;
        o->finalize_ns = wf_rank_list_sum(ranks, offsetof(struct wf_rank, finalize_ns)) / count;
        o->paused_ns = wf_rank_list_sum(ranks, offsetof(struct wf_rank, paused_ns)) / count;
    }
}

int wf_overview_read(struct wf_overview *overview, struct wf_profile *profile, struct wf_error *error)
{
    *overview = (struct wf_overview){.profile = profile};
    if (wf_program_read(&overview->program, profile, error) ||
        wf_efficiency_read(&overview->efficiency, profile, error) ||
        wf_rank_list_read(&overview->ranks, profile, error) ||
        wf_statement_list_read(&overview->statements, profile, &overview->ranks, error) ||
        wf_wait_list_read(&overview->waits, profile, &overview->ranks, &overview->statements, error) ||
        wf_cause_list_read(&overview->causes, profile, &overview->ranks, error) ||
        wf_order_list_read(&overview->orders, profile, &overview->statements, error) ||
        wf_critical_path_read(&overview->path, profile, &overview->program, &overview->ranks, error)) {
        wf_overview_free(overview);
        return -1;
    }
    overview_sum_up(overview);
    overview_sum_up_parts(overview);
    return 0;
}

void wf_overview_free(struct wf_overview *overview)
{
    wf_critical_path_free(&overview->path);
    wf_order_list_free(&overview->orders);
    wf_cause_list_free(&overview->causes);
    wf_wait_list_free(&overview->waits);
    wf_statement_list_free(&overview->statements);
    wf_rank_list_free(&overview->ranks);
    wf_efficiency_free(&overview->efficiency);
    wf_program_free(&overview->program);
}
