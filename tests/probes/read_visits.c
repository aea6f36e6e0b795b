/* SPDX-License-Identifier: BSD-3-Clause
 *
 * read_visits SEGMENT: "lane PROBES OVERHEAD_US" a thread, and "NAME NUM RAW_US VIRTUAL_US INNER_RAW_US
 * INNER_VIRTUAL_US" a visit record.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "format/segment.h"

static double us_per_tick;

static double us(uint64_t ticks)
{
    return (double)(int64_t)ticks * us_per_tick;
}

static void print(const char *segment, const struct wf_chunk *chunk, const void *record)
{
    if (chunk->kind == WF_CHUNK_LANE) {
        const struct wf_lane_record *lane = record;
        printf("lane %lu %.1f\n", (unsigned long)lane->probes, us(lane->overhead_ticks));
    }
    if (chunk->kind == WF_CHUNK_VISIT) {
        const struct wf_visit_record *visit = record;
        const struct wf_region_record *region = (const void *)(segment + (size_t)visit->region * WF_SEGMENT_UNIT);
        printf("%s %lu %.1f %.1f %.1f %.1f\n", region->text, (unsigned long)visit->num, us(visit->ticks_raw),
               us(visit->ticks_virtual), us(visit->inner_raw), us(visit->inner_virtual));
    }
}

int main(int argc, char **argv)
{
    struct stat status;
    int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0 || fstat(fd, &status) != 0)
        return 2;
    const char *segment = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (segment == MAP_FAILED)
        return 2;
    const struct wf_segment_header *header = (const void *)segment;
    us_per_tick = (double)(header->ns1 - header->ns0) / (double)(header->tick1 - header->tick0) / 1000;
    const struct wf_chunk *chunk;
    for (uint64_t at = header->header_bytes; at < header->used_bytes; at += chunk->bytes) {
        chunk = (const void *)(segment + at);
        for (uint32_t i = 0; i < chunk->count; i++)
            print(segment, chunk, (const char *)(chunk + 1) + (size_t)i * chunk->record_bytes);
    }
    return 0;
}
