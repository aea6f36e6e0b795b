/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Disk space is asked for in these steps: a store into a page without any would be a SIGBUS in the application. */
#define STEP_BYTES (64u * 1024)

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static int back(int fd, uint64_t from, uint64_t to)
{
    return posix_fallocate(fd, (off_t)from, (off_t)(to - from));
}

int wf_segment_open(struct wf_segment *segment, const char *path, uint64_t limit_bytes)
{
    limit_bytes = round_up(limit_bytes, STEP_BYTES);
    if (strlen(path) >= sizeof segment->path)
        return ENAMETOOLONG;
    strcpy(segment->path, path);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno;
    int why = back(fd, 0, STEP_BYTES);
    void *map = MAP_FAILED;
    if (!why) {
        map = mmap(NULL, limit_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
        why = map == MAP_FAILED ? errno : 0;
    }
    if (why && ftruncate(fd, 0) < 0)
        unlink(path);
    close(fd); /* an application may close or reuse any descriptor: none is kept */
    if (why)
        return why;
    segment->backed_bytes = STEP_BYTES;
    atomic_flag_clear(&segment->growing);
    segment->header = map;
    segment->header->version = WF_SEGMENT_VERSION;
    segment->header->header_bytes = sizeof *segment->header;
    segment->header->limit_bytes = limit_bytes;
    atomic_store(&segment->header->used_bytes, sizeof *segment->header);
    return 0;
}

static int grow(struct wf_segment *segment, uint64_t bytes)
{
    uint64_t wanted = round_up(bytes, STEP_BYTES);
    if (wanted > segment->header->limit_bytes)
        return ENOSPC;
    int fd = open(segment->path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int why = back(fd, segment->backed_bytes, wanted);
    close(fd);
    if (!why)
        segment->backed_bytes = wanted;
    return why;
}

static struct wf_chunk *add_locked(struct wf_segment *segment, enum wf_chunk_kind kind, uint32_t lane, uint32_t record_bytes,
                                   size_t bytes)
{
    struct wf_segment_header *header = segment->header;
    uint64_t used = atomic_load_explicit(&header->used_bytes, memory_order_relaxed);
    bytes = round_up(bytes + sizeof(struct wf_chunk), WF_SEGMENT_UNIT);
    if (used + bytes > segment->backed_bytes && grow(segment, used + bytes) != 0)
        return NULL;
    struct wf_chunk *chunk = (struct wf_chunk *)((char *)header + used);
    chunk->kind = kind;
    chunk->bytes = (uint32_t)bytes;
    chunk->lane = lane;
    chunk->record_bytes = record_bytes;
    atomic_store_explicit(&header->used_bytes, used + bytes, memory_order_release);
    return chunk;
}

struct wf_chunk *wf_segment_add(struct wf_segment *segment, enum wf_chunk_kind kind, uint32_t lane, uint32_t record_bytes,
                                size_t bytes)
{
    int saved = errno;
    while (atomic_flag_test_and_set_explicit(&segment->growing, memory_order_acquire))
        ;
    struct wf_chunk *chunk = add_locked(segment, kind, lane, record_bytes, bytes);
    atomic_flag_clear_explicit(&segment->growing, memory_order_release);
    errno = saved;
    return chunk;
}
