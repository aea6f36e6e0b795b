/* SPDX-License-Identifier: BSD-3-Clause */
#include "segment_builder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/mpi_calls.h"

#define CHUNK_BYTES 4032u

static void fail(const char *what)
{
    perror(what);
    abort();
}

void segment_builder_init(struct segment_builder *builder, int rank, int size, size_t limit_bytes)
{
    void *memory =
        mmap(NULL, limit_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        fail("mmap");
    *builder = (struct segment_builder){.header = memory};
    struct wf_segment_header *header = memory;
    *header = (struct wf_segment_header){.magic = WF_SEGMENT_MAGIC,
                                         .version = WF_SEGMENT_VERSION,
                                         .header_bytes = sizeof *header,
                                         .limit_bytes = limit_bytes,
                                         .used_bytes = sizeof *header,
                                         .state = WF_STATE_FINALIZED,
                                         .pid = 1000u + (uint32_t)rank,
                                         .rank = rank,
                                         .size = size,
                                         .mpi_calls = wf_mpi_call_count,
                                         .clock = WF_CLOCK_MONOTONIC,
                                         .tick0 = 1000,
                                         .ns0 = 1000,
                                         .tick1 = 1020000,
                                         .ns1 = 1020000,
                                         .epoch_ns0 = 1700000000000001000u,
                                         .init_begin_ticks = 2000,
                                         .init_end_ticks = 10000,
                                         .finalize_begin_ticks = 1010000,
                                         .finalize_end_ticks = 1020000,
                                         .probe_ticks = 30,
                                         .host = "node1",
                                         .mpi = "Open MPI 4.1.4",
                                         .world = "job.1",
                                         .boot_id = "not-this-boot",
                                         .program = "/generated/app",
                                         .command = "./app --fast"};
}

void segment_builder_fini(struct segment_builder *builder)
{
    munmap(builder->header, builder->header->limit_bytes);
}

void *segment_builder_at(const struct segment_builder *builder, uint32_t offset)
{
    return (char *)builder->header + (size_t)offset * WF_SEGMENT_UNIT;
}

static uint32_t add_chunk(struct segment_builder *builder, enum wf_chunk_kind kind, uint32_t lane,
                          size_t record_bytes, size_t records)
{
    size_t used = builder->header->used_bytes, bytes = sizeof(struct wf_chunk) + records * record_bytes;
    if (used + bytes > builder->header->limit_bytes)
        fail("the segment is too small");
    uint32_t offset = (uint32_t)(used / WF_SEGMENT_UNIT);
    struct wf_chunk *chunk = segment_builder_at(builder, offset);
    chunk->kind = kind;
    chunk->bytes = (uint32_t)bytes;
    chunk->lane = lane;
    chunk->record_bytes = (uint32_t)record_bytes;
    builder->header->used_bytes = used + bytes;
    return offset;
}

uint32_t segment_builder_lane(struct segment_builder *builder, uint32_t thread_id, int is_main)
{
    uint32_t offset = add_chunk(builder, WF_CHUNK_LANE, 0, sizeof(struct wf_lane_record), 1);
    struct wf_chunk *chunk = segment_builder_at(builder, offset);
    struct wf_lane_record *lane = (struct wf_lane_record *)(chunk + 1);
    lane->thread_id = thread_id;
    lane->main = is_main != 0;
    chunk->lane = offset + 1;
    chunk->count = 1;
    return offset + 1;
}

uint32_t segment_builder_module(struct segment_builder *builder, const char *path, const void *build_id,
                                size_t build_id_bytes, uint64_t bias)
{
    size_t bytes = sizeof(struct wf_module_record) + strlen(path) + 1;
    bytes = (bytes + WF_SEGMENT_UNIT - 1) / WF_SEGMENT_UNIT * WF_SEGMENT_UNIT;
    uint32_t offset = add_chunk(builder, WF_CHUNK_MODULE, 0, bytes, 1);
    struct wf_chunk *chunk = segment_builder_at(builder, offset);
    struct wf_module_record *module = (struct wf_module_record *)(chunk + 1);
    module->start = bias;
    module->end = bias + (1u << 24);
    module->bias = bias;
    module->build_id_bytes = (uint32_t)build_id_bytes;
    module->path_bytes = (uint32_t)strlen(path);
    if (build_id_bytes)
        memcpy(module->build_id, build_id, build_id_bytes);
    memcpy(module->path, path, strlen(path) + 1);
    chunk->count = 1;
    return offset + 1;
}

void segment_builder_close(struct segment_builder *builder, uint32_t module)
{
    ((struct wf_module_record *)segment_builder_at(builder, module))->closed_bytes = builder->header->used_bytes;
    builder->site_chunk = builder->com_chunk = builder->visit_chunk = builder->wait_chunk = 0;
}

/* The next free record in the lane's chunk of this kind; a new chunk where needed. */
static void *add_record(struct segment_builder *builder, uint32_t *current, enum wf_chunk_kind kind,
                        uint32_t lane, size_t bytes)
{
    struct wf_chunk *chunk = segment_builder_at(builder, *current);
    if (*current == 0 || chunk->lane != lane || chunk->count == CHUNK_BYTES / bytes) {
        *current = add_chunk(builder, kind, lane, bytes, CHUNK_BYTES / bytes);
        chunk = segment_builder_at(builder, *current);
    }
    return (char *)(chunk + 1) + chunk->count++ * bytes;
}

static uint32_t offset_of(const struct segment_builder *builder, const void *record)
{
    return (uint32_t)((size_t)((const char *)record - (const char *)builder->header) / WF_SEGMENT_UNIT);
}

uint32_t segment_builder_site(struct segment_builder *builder, uint32_t lane, uint32_t module,
                              uint64_t address, unsigned call)
{
    struct wf_site_record *site =
        add_record(builder, &builder->site_chunk, WF_CHUNK_SITE, lane, sizeof *site);
    site->address = address;
    site->module = module;
    site->call = (uint16_t)call;
    return offset_of(builder, site);
}

struct wf_com_record *segment_builder_com(struct segment_builder *builder, uint32_t lane, uint32_t site,
                                          int partner)
{
    struct wf_com_record *com = add_record(builder, &builder->com_chunk, WF_CHUNK_COM, lane, sizeof *com);
    com->site = site;
    com->partner = partner;
    return com;
}

struct wf_wait_record *segment_builder_wait(struct segment_builder *builder, uint32_t lane, uint32_t site,
                                            int culprit, enum wf_wait_kind kind, uint64_t address)
{
    struct wf_wait_record *wait =
        add_record(builder, &builder->wait_chunk, WF_CHUNK_WAIT, lane, sizeof *wait);
    wait->site = site;
    wait->culprit = culprit;
    wait->kind = kind;
    wait->address = address;
    return wait;
}

struct wf_order_record *segment_builder_order(struct segment_builder *builder, uint32_t lane, uint32_t site)
{
    struct wf_order_record *order =
        add_record(builder, &builder->order_chunk, WF_CHUNK_ORDER, lane, sizeof *order);
    order->site = site;
    return order;
}

uint32_t segment_builder_region(struct segment_builder *builder, enum wf_region_kind kind, const char *name,
                                const char *file, uint32_t line, uint64_t address)
{
    size_t bytes = sizeof(struct wf_region_record) + strlen(name) + strlen(file) + 2;
    bytes = (bytes + WF_SEGMENT_UNIT - 1) / WF_SEGMENT_UNIT * WF_SEGMENT_UNIT;
    uint32_t offset = add_chunk(builder, WF_CHUNK_REGION, 0, bytes, 1);
    struct wf_chunk *chunk = segment_builder_at(builder, offset);
    struct wf_region_record *region = (struct wf_region_record *)(chunk + 1);
    region->address = address;
    region->kind = kind;
    region->line = line;
    region->name_bytes = (uint32_t)strlen(name);
    region->file_bytes = (uint32_t)strlen(file);
    memcpy(region->text, name, strlen(name) + 1);
    memcpy(region->text + strlen(name) + 1, file, strlen(file) + 1);
    chunk->count = 1;
    return offset + 1;
}

uint32_t segment_builder_visit(struct segment_builder *builder, uint32_t lane, uint32_t region,
                               uint64_t caller, uint64_t probe)
{
    struct wf_visit_record *visit =
        add_record(builder, &builder->visit_chunk, WF_CHUNK_VISIT, lane, sizeof *visit);
    visit->region = region;
    visit->caller = caller;
    visit->probe = probe;
    return offset_of(builder, visit);
}

#define ADDRESS 0x7fff00000000u /* where the process has mapped it */

struct wf_open_record *segment_builder_open(struct segment_builder *builder, uint32_t lane, uint32_t visit,
                                            uint64_t start)
{
    builder->header->address = ADDRESS;
    struct wf_open_record *open =
        add_record(builder, &builder->open_chunk, WF_CHUNK_OPEN, lane, sizeof *open);
    open->visit = ADDRESS + (uint64_t)visit * WF_SEGMENT_UNIT;
    open->start = open->start_virtual = start;
    return open;
}

uint32_t segment_builder_path(struct segment_builder *builder, uint32_t lane, uint32_t capacity,
                              uint32_t places)
{
    size_t state = (wf_path_bytes(capacity, places) + 7) / 8 * 8,
           bytes = sizeof(struct wf_path_record) + state + capacity * sizeof(uint64_t); /* and keys */
    bytes = (bytes + WF_SEGMENT_UNIT - 1) / WF_SEGMENT_UNIT * WF_SEGMENT_UNIT;
    uint32_t offset = add_chunk(builder, WF_CHUNK_PATH, lane, bytes, 1);
    struct wf_chunk *chunk = segment_builder_at(builder, offset);
    struct wf_path_record *path = (struct wf_path_record *)(chunk + 1);
    path->state_bytes = (uint32_t)state;
    wf_path_init((struct wf_path *)(path + 1), capacity, places, (uint32_t)builder->header->rank);
    chunk->count = 1;
    return offset + 1;
}

struct wf_path *segment_builder_state(const struct segment_builder *builder, uint32_t path)
{
    return (struct wf_path *)((struct wf_path_record *)segment_builder_at(builder, path) + 1);
}

unsigned segment_builder_call(const char *name)
{
    for (unsigned i = 0; i < wf_mpi_call_count; i++)
        if (strcmp(wf_mpi_call_names[i], name) == 0)
            return i;
    fail(name);
    return 0;
}

void segment_builder_write(const struct segment_builder *builder, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        fail(path);
    size_t used = builder->header->used_bytes;
    if (used > builder->header->limit_bytes) /* a test sets a wrong one */
        used = builder->header->limit_bytes;
    for (size_t done = 0; done < used;) {
        ssize_t n = write(fd, (const char *)builder->header + done, used - done);
        if (n < 0)
            fail(path);
        done += (size_t)n;
    }
    close(fd);
}
