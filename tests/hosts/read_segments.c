/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What segments say about waits and about their host's clock, for the tests of several hosts:
 *
 *     clock RANK HOST NS0 OFFSET_NS DRIFT_PPB ERROR_NS
 *     headers RANK SENT TAKEN MISSING AMBIGUOUS DROPPED  of each thread
 *     wait RANK ADDRESS KIND CULPRIT NS RAW_NS          ADDRESS in the program's file, of the call
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/segment.h"

static const unsigned char *base;

static const void *at(uint32_t offset)
{
    return base + (size_t)offset * WF_SEGMENT_UNIT;
}

static void print_wait(const struct wf_segment_header *h, const struct wf_wait_record *w)
{
    const struct wf_site_record *site = at(w->site);
    const struct wf_module_record *module = at(site->module);
    double ns_per_tick = (double)(h->ns1 - h->ns0) / (double)(h->tick1 - h->tick0);
    printf("wait %d 0x%" PRIx64 " %u %d %.0f %.0f\n", h->rank, site->address - 1 - (site->module ? module->bias : 0),
           w->kind, w->culprit, (double)w->virtual_ticks * ns_per_tick, (double)w->raw_ticks * ns_per_tick);
}

static void print_headers(const struct wf_segment_header *h, const struct wf_lane_record *lane)
{
    const struct wf_header_counts *n = &lane->headers;
    printf("headers %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", h->rank, n->sent, n->taken,
           n->missing, n->ambiguous, n->dropped);
}

static void print_segment(const struct wf_segment_header *h)
{
    printf("clock %d %s %" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64 "\n", h->rank, h->host, h->ns0, h->host_offset_ns,
           h->host_drift_ppb, h->host_error_ns);
    for (uint64_t offset = h->header_bytes; offset < h->used_bytes;) {
        const struct wf_chunk *chunk = (const void *)(base + offset);
        const struct wf_wait_record *waits = (const void *)(base + offset + WF_SEGMENT_UNIT);
        if (chunk->kind == WF_CHUNK_LANE)
            print_headers(h, (const void *)(chunk + 1));
        for (uint32_t i = 0; chunk->kind == WF_CHUNK_WAIT && i < chunk->count; i++)
            print_wait(h, &waits[i]);
        offset += chunk->bytes;
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct stat status;
        int fd = open(argv[i], O_RDONLY);
        if (fd < 0 || fstat(fd, &status) != 0)
            return 1;
        base = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        close(fd);
        if (base == MAP_FAILED)
            return 1;
        print_segment((const void *)base);
    }
    return 0;
}
