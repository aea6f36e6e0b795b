/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/overview.h"

static void sum_up(struct wf_overview *o)
{
    const struct wf_rank_list *ranks = &o->ranks;
    int64_t wall_raw_ns = wf_rank_list_sum(ranks, offsetof(struct wf_rank, wall_raw_ns));
    int64_t mpi_ns = wf_rank_list_sum(ranks, offsetof(struct wf_rank, mpi_ns));
    int64_t count = (int64_t)ranks->first_world;
    o->wall_ns = wf_rank_list_sum(ranks, offsetof(struct wf_rank, wall_ns));
    o->overhead_ns = wf_rank_list_sum(ranks, offsetof(struct wf_rank, overhead_ns));
    int64_t sync_ns = wf_rank_list_sum(ranks, offsetof(struct wf_rank, sync_ns));
    if (o->wall_ns > 0) {
        o->mpi_share = (double)mpi_ns / (double)o->wall_ns;
        o->sync_share = (double)sync_ns / (double)o->wall_ns;
    }
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
        wf_critical_path_read(&overview->path, profile, &overview->program, &overview->ranks, error)) {
        wf_overview_free(overview);
        return -1;
    }
    sum_up(overview);
    return 0;
}

void wf_overview_free(struct wf_overview *overview)
{
    wf_critical_path_free(&overview->path);
    wf_wait_list_free(&overview->waits);
    wf_statement_list_free(&overview->statements);
    wf_rank_list_free(&overview->ranks);
    wf_efficiency_free(&overview->efficiency);
    wf_program_free(&overview->program);
}
