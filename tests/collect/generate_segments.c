/* SPDX-License-Identifier: BSD-3-Clause
 *
 * generate_segments DIR RANKS SITES PARTNERS: the segments of a run of that size, to measure the collector
 * with.
 */
#include <stdio.h>
#include <stdlib.h>

#include "segment_builder.h"

static const char build_id[20] = "generated segments";

static void add_com(struct segment_builder *builder, uint32_t lane, uint32_t site, int partner, int number)
{
    struct wf_com_record *com =
        segment_builder_at(builder, segment_builder_com(builder, lane, site, partner));
    com->num = 1000 + (uint64_t)number;
    com->bytes = com->num * 8192;
    com->trans_raw_ticks = com->num * 1234;
    com->sync_raw_ticks = com->num * 321;
}

/* Partners are neighbours on both sides, as in a halo exchange. */
static int neighbour(int rank, int ranks, int number)
{
    int distance = 1 + number / 2;
    return (rank + (number % 2 ? ranks - distance % ranks : distance)) % ranks;
}

static void write_segment(const char *directory, int rank, int ranks, int sites, int partners)
{
    struct segment_builder builder;
    segment_builder_init(&builder, rank, ranks,
                         ((size_t)sites * (size_t)(partners + 2) + 1000) * 2 * WF_SEGMENT_UNIT);
    builder.header->clock = WF_CLOCK_TSC;
    builder.header->tick1 = builder.header->tick0 + 3 * (builder.header->ns1 - builder.header->ns0);
    uint64_t bias = 0x555500000000u + (uint64_t)rank * 0x100000; /* as if by ASLR */
    uint32_t lane = segment_builder_lane(&builder, 1000, 1);
    uint32_t module = segment_builder_module(&builder, "/generated/app", build_id, sizeof build_id, bias);
    struct wf_lane_record *record = segment_builder_at(&builder, lane);
    record->events = (uint64_t)sites * 1000;
    record->mpi_ticks = 500000;
    unsigned call = segment_builder_call("MPI_Sendrecv");
    for (int s = 0; s < sites; s++) {
        uint32_t offset =
            segment_builder_site(&builder, lane, module, bias + 0x1000 + 16 * (uint64_t)s, call);
        struct wf_site_record *site = segment_builder_at(&builder, offset);
        site->calls = 1000;
        site->ticks_raw = 1234567 + (uint64_t)s;
        site->max_ticks = 5000;
        for (int p = 0; p < partners; p++)
            add_com(&builder, lane, offset, neighbour(rank, ranks, p), p);
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/%d-node1-%d" WF_SEGMENT_SUFFIX, directory, rank, 1000 + rank);
    segment_builder_write(&builder, path);
    segment_builder_fini(&builder);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: generate_segments DIR RANKS SITES PARTNERS\n");
        return 2;
    }
    int ranks = atoi(argv[2]), sites = atoi(argv[3]), partners = atoi(argv[4]);
    for (int rank = 0; rank < ranks; rank++)
        write_segment(argv[1], rank, ranks, sites, partners);
    return 0;
}
