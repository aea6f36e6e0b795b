/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/segment_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bisection.h"
#include "format/path.h"

void wf_segment_reader_fini(struct wf_segment_reader *reader)
{
    free(reader->bytes);
    free(reader->views);
    wf_mappings_fini(&reader->modules);
    *reader = (struct wf_segment_reader){0};
}

const struct wf_segment_header *wf_segment_reader_header(const struct wf_segment_reader *reader)
{
    return (const struct wf_segment_header *)reader->bytes;
}

/* Makes room for so many bytes; their old contents may be lost. */
static int reader_reserve(struct wf_segment_reader *reader, size_t bytes)
{
    size_t rounded = (bytes + WF_SEGMENT_UNIT - 1) / WF_SEGMENT_UNIT * WF_SEGMENT_UNIT;
    if (rounded <= reader->capacity)
        return 0;
    unsigned char *larger = aligned_alloc(WF_SEGMENT_UNIT, rounded);
    if (!larger)
        return -1;
    free(reader->bytes);
    reader->bytes = larger;
    reader->capacity = rounded;
    return 0;
}

static int reader_read_at(int fd, unsigned char *bytes, size_t wanted, off_t offset, struct wf_error *error)
{
    size_t got = 0;
    while (got < wanted) {
        ssize_t n = pread(fd, bytes + got, wanted - got, offset + (off_t)got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return wf_error_set(error, "it cannot be read (%s)", strerror(errno));
        if (n == 0) /* it was cut off after its size was read */
            return wf_error_set(error, "it became shorter while it was read");
        got += (size_t)n;
    }
    return 0;
}

static int reader_check_header(const struct wf_segment_header *header, struct wf_error *error)
{
    static const char nothing[sizeof header->magic];
    if (memcmp(header->magic, nothing, sizeof nothing) == 0)
        return wf_error_set(error, "its process did not come out of MPI_Init");
    if (memcmp(header->magic, WF_SEGMENT_MAGIC, sizeof header->magic) != 0)
        return wf_error_set(error, "it is not a segment of weft");
    if (header->version > WF_SEGMENT_VERSION)
        return wf_error_set(
            error, "it was written by a newer weft (segment version %u, this one reads %u); collect with that one",
            header->version, WF_SEGMENT_VERSION);
    if (header->version == 0 || header->header_bytes < sizeof *header || header->header_bytes % WF_SEGMENT_UNIT)
        return wf_error_set(error, "its header is damaged");
    if (header->version < WF_SEGMENT_VERSION)
        return wf_error_set(
            error, "it was written by an older weft (segment version %u, this one reads %u); collect with that one",
            header->version, WF_SEGMENT_VERSION);
    if (header->rank == -1) /* MPI was never initialised: there is no size to compare with */
        return 0;
    if (header->size <= 0 || header->rank < 0 || header->rank >= header->size)
        return wf_error_set(error, "it names no valid rank (%d of %d)", header->rank, header->size);
    return 0;
}

static int reader_load_file(struct wf_segment_reader *reader, int fd, struct wf_error *error)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return wf_error_set(error, "it cannot be read (%s)", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return wf_error_set(error, "it is not a regular file");
    if (status.st_size == 0)
        return wf_error_set(error, "it is empty, because its process got no disk space and ran unwatched");
    if ((uint64_t)status.st_size < sizeof(struct wf_segment_header))
        return wf_error_set(error, "it is cut short");
    struct wf_segment_header header;
    if (reader_read_at(fd, (unsigned char *)&header, sizeof header, 0, error) != 0 ||
        reader_check_header(&header, error) != 0)
        return -1;
    uint64_t used = header.used_bytes;
    reader->damaged = used > (uint64_t)status.st_size || used < header.header_bytes;
    if (used > (uint64_t)status.st_size)
        used = (uint64_t)status.st_size;
    if (used < sizeof header)
        used = sizeof header;
    if (reader_reserve(reader, used) != 0)
        return wf_error_set(error, "there is not enough memory for it");
    /* The header is read again with the rest: from here on, only this copy is used. */
    if (reader_read_at(fd, reader->bytes, used, 0, error) != 0)
        return -1;
    reader->used_bytes = used;
    return reader_check_header(wf_segment_reader_header(reader), error);
}

/* The path must end inside the chunk, because it is used as a string. */
static bool reader_module_is_whole(const struct wf_module_record *module, size_t bytes)
{
    return bytes > sizeof *module && module->build_id_bytes <= sizeof module->build_id &&
           module->path_bytes < bytes - sizeof *module && module->path[module->path_bytes] == '\0';
}

/* So must a region's name and file. */
static bool reader_region_is_whole(const struct wf_region_record *region, size_t bytes)
{
    if (bytes < sizeof *region + 2)
        return false;
    size_t room = bytes - sizeof *region - 2; /* without the terminating 0s */
    if (region->name_bytes > room || region->file_bytes > room - region->name_bytes)
        return false;
    return region->text[region->name_bytes] == '\0' &&
           region->text[(size_t)region->name_bytes + 1 + region->file_bytes] == '\0';
}

/* So must the state behind a path record. */
static bool reader_path_is_whole(const struct wf_path_record *path, size_t bytes)
{
    return bytes >= sizeof *path && path->state_bytes >= sizeof(struct wf_path) &&
           path->state_bytes <= bytes - sizeof *path;
}

const char *wf_segment_region_name(const struct wf_region_record *region)
{
    return region->text;
}

const char *wf_segment_region_file(const struct wf_region_record *region)
{
    return region->text + region->name_bytes + 1;
}

/* The kinds that are known, the least that a record of each must have, and what its size must be a multiple of:
 * records are used in place, and some are named in units. Those with a text or a state behind them stand alone
 * in their chunk, and may have any size. */
static const struct {
    size_t least_bytes, multiple;
} record_kinds[WF_SEGMENT_KINDS] = {
    [WF_CHUNK_LANE] = {sizeof(struct wf_lane_record), WF_SEGMENT_UNIT},
    [WF_CHUNK_MODULE] = {sizeof(struct wf_module_record), 1},
    [WF_CHUNK_SITE] = {sizeof(struct wf_site_record), WF_SEGMENT_UNIT},
    [WF_CHUNK_COM] = {sizeof(struct wf_com_record), WF_SEGMENT_WORD},
    [WF_CHUNK_REGION] = {sizeof(struct wf_region_record), 1},
    [WF_CHUNK_VISIT] = {sizeof(struct wf_visit_record), WF_SEGMENT_UNIT},
    [WF_CHUNK_WAIT] = {sizeof(struct wf_wait_record), WF_SEGMENT_WORD},
    [WF_CHUNK_PATH] = {sizeof(struct wf_path_record), 1},
    [WF_CHUNK_OPEN] = {sizeof(struct wf_open_record), WF_SEGMENT_UNIT},
    [WF_CHUNK_ORDER] = {sizeof(struct wf_order_record), WF_SEGMENT_WORD},
};

static bool reader_knows_kind(uint32_t kind)
{
    return kind < WF_SEGMENT_KINDS && record_kinds[kind].least_bytes;
}

static bool reader_record_size_fits(const struct wf_chunk *chunk)
{
    return chunk->record_bytes >= record_kinds[chunk->kind].least_bytes &&
           chunk->record_bytes % record_kinds[chunk->kind].multiple == 0;
}

/* How many whole records its chunk has room for: one, of those that stand alone. */
static size_t reader_fitting_records(const struct wf_chunk *chunk, const void *first, size_t bytes)
{
    switch (chunk->kind) {
    case WF_CHUNK_MODULE:
        return reader_module_is_whole(first, bytes);
    case WF_CHUNK_REGION:
        return reader_region_is_whole(first, bytes);
    case WF_CHUNK_PATH:
        return reader_path_is_whole(first, bytes);
    default:
        return bytes / chunk->record_bytes;
    }
}

static int reader_add_view(struct wf_segment_reader *reader, const struct wf_chunk *chunk, size_t start, size_t bytes)
{
    size_t count = chunk->count;
    if (count == 0 || !reader_knows_kind(chunk->kind))
        return 0;
    if (!reader_record_size_fits(chunk)) {
        reader->damaged = true;
        return 0;
    }
    size_t fitting = reader_fitting_records(chunk, reader->bytes + start, bytes);
    if (count > fitting) {
        reader->damaged = true;
        count = fitting;
    }
    if (WF_ARRAY_RESERVE(reader->views, reader->view_capacity, reader->view_count + 1) != 0)
        return -1;
    reader->views[reader->view_count++] = (struct wf_segment_view){.start = start,
                                                                   .kind = chunk->kind,
                                                                   .lane = chunk->lane,
                                                                   .count = (uint32_t)count,
                                                                   .record_bytes = chunk->record_bytes,
                                                                   .first = reader->counts[chunk->kind]};
    reader->counts[chunk->kind] += count;
    return 0;
}

static int reader_walk_chunks(struct wf_segment_reader *reader)
{
    size_t at = wf_segment_reader_header(reader)->header_bytes;
    while (at < reader->used_bytes && reader->used_bytes - at >= sizeof(struct wf_chunk)) {
        const struct wf_chunk *chunk = (const struct wf_chunk *)(reader->bytes + at);
        size_t left = reader->used_bytes - at;
        if (chunk->bytes < sizeof *chunk || chunk->bytes % WF_SEGMENT_UNIT) {
            reader->damaged = true;
            return 0;
        }
        if (chunk->bytes > left)
            reader->damaged = true;
        size_t bytes = (chunk->bytes < left ? chunk->bytes : left) - sizeof *chunk;
        if (reader_add_view(reader, chunk, at + sizeof *chunk, bytes) != 0)
            return -1;
        at += chunk->bytes;
    }
    return 0;
}

static int reader_index_modules(struct wf_segment_reader *reader)
{
    struct wf_segment_records modules = wf_segment_reader_records(reader, WF_CHUNK_MODULE);
    for (const struct wf_module_record *module; (module = wf_segment_records_next(&modules));) {
        struct wf_mapping mapping = {.start = module->start,
                                     .end = module->end,
                                     .closed_bytes = module->closed_bytes,
                                     .bias = module->bias,
                                     .module = (size_t)((const unsigned char *)module - reader->bytes)};
        if (wf_mappings_add(&reader->modules, mapping) != 0)
            return -1;
    }
    wf_mappings_settle(&reader->modules);
    return 0;
}

/* What a process is in is read once more: what it has left meanwhile, the records may have counted already. */
static int reader_read_again(struct wf_segment_reader *reader, int fd, struct wf_error *error)
{
    for (size_t i = 0; i < reader->view_count; i++) {
        const struct wf_segment_view *view = &reader->views[i];
        if ((view->kind == WF_CHUNK_LANE || view->kind == WF_CHUNK_OPEN) &&
            reader_read_at(fd, reader->bytes + view->start, view->count * view->record_bytes, (off_t)view->start,
                           error) != 0)
            return -1;
    }
    return 0;
}

const struct wf_module_record *wf_segment_reader_module_at(const struct wf_segment_reader *reader, size_t chunk,
                                                           uint64_t address)
{
    const struct wf_mapping *mapping = wf_mappings_find(&reader->modules, address, chunk);
    return mapping ? (const struct wf_module_record *)(reader->bytes + mapping->module) : NULL;
}

int wf_segment_reader_load(struct wf_segment_reader *reader, const char *path, struct wf_error *error)
{
    reader->used_bytes = reader->view_count = reader->modules.count = 0;
    memset(reader->counts, 0, sizeof reader->counts);
    /* Not blocking, and following no link: the name may be that of a pipe, or lead to another file. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return wf_error_set(error, "it cannot be opened (%s)", strerror(errno));
    int result = reader_load_file(reader, fd, error);
    if (result == 0 && (reader_walk_chunks(reader) != 0 || reader_index_modules(reader) != 0))
        result = wf_error_set(error, "there is not enough memory for it");
    if (result == 0)
        result = reader_read_again(reader, fd, error);
    close(fd);
    return result;
}

struct wf_segment_records wf_segment_reader_records(const struct wf_segment_reader *reader, enum wf_chunk_kind kind)
{
    return (struct wf_segment_records){.reader = reader, .kind = kind};
}

const void *wf_segment_records_next(struct wf_segment_records *records)
{
    const struct wf_segment_reader *reader = records->reader;
    for (; records->view < reader->view_count; records->view++, records->record = 0) {
        const struct wf_segment_view *view = &reader->views[records->view];
        records->lane = view->lane;
        if (view->kind == records->kind && records->record < view->count)
            return reader->bytes + view->start + records->record++ * view->record_bytes;
    }
    return NULL;
}

/* The last view that does not begin behind this byte; NULL: none. */
static const struct wf_segment_view *reader_find_view(const struct wf_segment_reader *reader, size_t at)
{
    struct wf_bisection b = {.high = reader->view_count};
    while (wf_bisection_goes_on(&b))
        wf_bisection_step(&b, reader->views[b.middle].start <= at);
    return b.low == 0 ? NULL : &reader->views[b.low - 1];
}

size_t wf_segment_reader_chunk(const struct wf_segment_reader *reader, const void *record)
{
    return reader_find_view(reader, (size_t)((const unsigned char *)record - reader->bytes))->start -
           sizeof(struct wf_chunk);
}

/* The view that holds a record of this kind at this offset, and which of its records it is. */
static const struct wf_segment_view *reader_find_record(const struct wf_segment_reader *reader, enum wf_chunk_kind kind,
                                                        uint32_t offset, size_t *record)
{
    size_t at = (size_t)offset * WF_SEGMENT_UNIT;
    const struct wf_segment_view *view = reader_find_view(reader, at);
    if (!view)
        return NULL;
    *record = (at - view->start) / view->record_bytes;
    bool begins = (at - view->start) % view->record_bytes == 0;
    return view->kind == kind && begins && *record < view->count ? view : NULL;
}

long wf_segment_reader_find(const struct wf_segment_reader *reader, enum wf_chunk_kind kind, uint32_t offset)
{
    size_t record;
    const struct wf_segment_view *view = reader_find_record(reader, kind, offset, &record);
    return view ? (long)(view->first + record) : -1;
}

static const void *reader_record_at(const struct wf_segment_reader *reader, enum wf_chunk_kind kind, uint32_t offset)
{
    return wf_segment_reader_find(reader, kind, offset) < 0 ? NULL : reader->bytes + (size_t)offset * WF_SEGMENT_UNIT;
}

const struct wf_lane_record *wf_segment_reader_lane(const struct wf_segment_reader *reader, uint32_t offset)
{
    return reader_record_at(reader, WF_CHUNK_LANE, offset);
}

const struct wf_site_record *wf_segment_reader_site(const struct wf_segment_reader *reader, uint32_t offset)
{
    return reader_record_at(reader, WF_CHUNK_SITE, offset);
}

const struct wf_module_record *wf_segment_reader_module(const struct wf_segment_reader *reader, uint32_t offset)
{
    return reader_record_at(reader, WF_CHUNK_MODULE, offset);
}

const struct wf_region_record *wf_segment_reader_region(const struct wf_segment_reader *reader, uint32_t offset)
{
    return reader_record_at(reader, WF_CHUNK_REGION, offset);
}

static bool reader_lanes_have_virtual(const struct wf_segment_reader *reader)
{
    struct wf_segment_records lanes = wf_segment_reader_records(reader, WF_CHUNK_LANE);
    for (const struct wf_lane_record *lane; (lane = wf_segment_records_next(&lanes));)
        if (lane->mpi_virtual_ticks)
            return true;
    return false;
}

static bool reader_sites_have_virtual(const struct wf_segment_reader *reader)
{
    struct wf_segment_records sites = wf_segment_reader_records(reader, WF_CHUNK_SITE);
    for (const struct wf_site_record *site; (site = wf_segment_records_next(&sites));)
        if (site->ticks_virtual)
            return true;
    return false;
}

static bool reader_coms_have_virtual(const struct wf_segment_reader *reader)
{
    struct wf_segment_records coms = wf_segment_reader_records(reader, WF_CHUNK_COM);
    for (const struct wf_com_record *com; (com = wf_segment_records_next(&coms));)
        if (com->trans_virtual_ticks || com->sync_virtual_ticks)
            return true;
    return false;
}

static bool reader_visits_have_virtual(const struct wf_segment_reader *reader)
{
    struct wf_segment_records visits = wf_segment_reader_records(reader, WF_CHUNK_VISIT);
    for (const struct wf_visit_record *visit; (visit = wf_segment_records_next(&visits));)
        if (visit->ticks_virtual || visit->inner_virtual)
            return true;
    return false;
}

bool wf_segment_reader_has_virtual(const struct wf_segment_reader *reader)
{
    return wf_segment_reader_header(reader)->init_end_virtual_ticks || reader_lanes_have_virtual(reader) ||
           reader_sites_have_virtual(reader) || reader_coms_have_virtual(reader) || reader_visits_have_virtual(reader);
}
