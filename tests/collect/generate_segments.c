/* SPDX-License-Identifier: BSD-3-Clause
 *
 * generate_segments DIR RANKS SITES PARTNERS [REGIONS]: the segments of a run of that size, to measure the
 * collector with. Every region is a procedure, called from two places.
 */
#include <stdio.h>
#include <stdlib.h>

#include "segment_builder.h"

static const char build_id[20] = "generated segments";

static void add_com(struct segment_builder *builder, uint32_t lane, uint32_t site, int partner, int number)
{
    struct wf_com_record *com = segment_builder_com(builder, lane, site, partner);
    com->num = 1000 + (uint64_t)number;
    com->bytes = com->num * 8192;
    com->trans_raw_ticks = com->num * 1234;
    com->sync_raw_ticks = com->num * 321;
}

/* Every rank waits for its partners, in the statement of the same number. */
static void add_wait(struct segment_builder *builder, uint32_t lane, uint32_t site, int partner,
                     uint64_t address)
{
    struct wf_wait_record *wait =
        segment_builder_wait(builder, lane, site, partner, WF_WAIT_LATE_SENDER, address);
    wait->num = 500;
    wait->raw_ticks = wait->num * 321;
    wait->max_virtual_ticks = 1000;
}

static uint64_t bias_of(int rank)
{
    return 0x555500000000u + (uint64_t)rank * 0x1000000; /* as if by ASLR */
}

/* Partners are neighbours on both sides, as in a halo exchange. */
static int neighbour(int rank, int ranks, int number)
{
    int distance = 1 + number / 2;
    return (rank + (number % 2 ? ranks - distance % ranks : distance)) % ranks;
}

static void add_region(struct segment_builder *builder, uint32_t lane, uint64_t bias, int number)
{
    char name[32];
    snprintf(name, sizeof name, "procedure_%d", number);
    uint32_t region = segment_builder_region(builder, WF_REGION_PROCEDURE, name, "src/generated.c",
                                             10 * (uint32_t)number, 0);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t address = bias + 0x100000 + 64 * (uint64_t)number;
        struct wf_visit_record *visit = segment_builder_at(
            builder, segment_builder_visit(builder, lane, region, address + 16 * i, address));
        visit->num = 1000;
        visit->ticks_raw = 123456 + i;
        visit->inner_raw = 12345;
    }
}

struct size {
    int ranks, sites, partners, regions;
};

static void write_segment(const char *directory, int rank, struct size size)
{
    struct segment_builder builder;
    int ranks = size.ranks, sites = size.sites, partners = size.partners;
    segment_builder_init(&builder, rank, ranks,
                         ((size_t)sites * (size_t)(2 * partners + 2) + 6 * (size_t)size.regions + 1000) * 2 *
                             WF_SEGMENT_UNIT);
    builder.header->clock = WF_CLOCK_TSC;
    builder.header->tick1 = builder.header->tick0 + 3 * (builder.header->ns1 - builder.header->ns0);
    uint64_t bias = bias_of(rank);
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
        for (int p = 0; p < partners; p++) {
            int partner = neighbour(rank, ranks, p);
            add_com(&builder, lane, offset, partner, p);
            add_wait(&builder, lane, offset, partner, bias_of(partner) + 0x1000 + 16 * (uint64_t)s);
        }
    }
    for (int r = 0; r < size.regions; r++)
        add_region(&builder, lane, bias, r);
    char path[4096];
    snprintf(path, sizeof path, "%s/%d-node1-%d" WF_SEGMENT_SUFFIX, directory, rank, 1000 + rank);
    segment_builder_write(&builder, path);
    segment_builder_fini(&builder);
}

int main(int argc, char **argv)
{
    if (argc != 5 && argc != 6) {
        fprintf(stderr, "usage: generate_segments DIR RANKS SITES PARTNERS [REGIONS]\n");
        return 2;
    }
    struct size size = {atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), argc == 6 ? atoi(argv[5]) : 0};
    for (int rank = 0; rank < size.ranks; rank++)
        write_segment(argv[1], rank, size);
    return 0;
}
