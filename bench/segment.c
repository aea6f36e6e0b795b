/* SPDX-License-Identifier: BSD-3-Clause
 *
 * segment FILE...: prints for each segment its size and how many records it holds, as JSON.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/segment.h"

static int print(const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &info) < 0 || info.st_size < (off_t)sizeof(struct wf_segment_header))
        return -1;
    const struct wf_segment_header *header = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (header == MAP_FAILED || memcmp(header->magic, WF_SEGMENT_MAGIC, sizeof WF_SEGMENT_MAGIC) != 0)
        return -1;
    unsigned long counts[WF_CHUNK_COM + 1] = {0};
    for (uint64_t at = header->header_bytes; at < header->used_bytes;) {
        const struct wf_chunk *chunk = (const void *)((const char *)header + at);
        if (chunk->kind <= WF_CHUNK_COM)
            counts[chunk->kind] += chunk->count;
        at += chunk->bytes;
    }
    double ns_per_tick = (double)(header->ns1 - header->ns0) / (double)(header->tick1 - header->tick0);
    printf("{\"rank\":%d,\"file_bytes\":%lld,\"used_bytes\":%llu,\"sites\":%lu,\"coms\":%lu,\"dropped\":%llu,"
           "\"probe_ns\":%.1f}\n",
           header->rank, (long long)info.st_size, (unsigned long long)header->used_bytes, counts[WF_CHUNK_SITE],
           counts[WF_CHUNK_COM], (unsigned long long)(header->dropped_sites + header->dropped_coms),
           (double)header->probe_ticks * ns_per_tick);
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (print(argv[i]) != 0) {
            fprintf(stderr, "segment: %s is not a segment\n", argv[i]);
            return 1;
        }
    return 0;
}
