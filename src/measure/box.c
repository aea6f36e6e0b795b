/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/box.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/birth.h"
#include "guest/directory.h"
#include "guest/memory.h"
#include "guest/settings.h"
#include "measure/arena.h"
#include "measure/process.h"
#include "measure/remote.h"

#define MAGIC "weftbox"
#define VERSION 1u
#define LIMIT_BYTES (64ull << 20) /* address space; disk space for half a million messages that nobody has received */
#define UNIT WF_ARENA_UNIT
#ifndef FIRST_CAPACITY /* tests have smaller ones */
#define FIRST_CAPACITY 16u
#endif
#define FIRST_BLOCKS 8u
#define BLOCK_LIMIT_BYTES (16u << 20) /* of unread snapshots; beyond it messages go without */
#define BUSY UINT64_MAX /* a ticket: it is being written */
#define MAX_LOOKS 1000u /* so often a box is looked for that has been made, but not begun yet */

struct wf_box *wf_box;
struct wf_writer *wf_box_to;
struct wf_reader *wf_box_from;
struct wf_lock wf_box_entering;

_Atomic bool wf_box_is_late;

static struct wf_arena arena; /* the box: its begin is a wf_box */
static int own_rank, world_size;

static uint32_t allocate(uint64_t bytes)
{
    return wf_arena_add(&arena, bytes);
}

/* What is rare, and found no room. */
static void count_dropped(void)
{
    if (weft_tls.lane)
        weft_tls.lane->record->headers.dropped++;
}

#define at wf_box_at

int wf_box_rank_before_init(void)
{
    return *wf_settings.launch_rank ? atoi(wf_settings.launch_rank) : -1;
}

/* One directory may hold several worlds, and a world several hosts. */
static void name(char *path, size_t bytes, int rank)
{
    char host[64] = "", world[WF_WORLD_BYTES];
    gethostname(host, sizeof host - 1);
    wf_process_world(world);
    snprintf(path, bytes, "box-%s-%d-%s", world, rank, host);
}

/* Is the box of nobody any more: of what this rank was before it became another program by exec, or of a process that has ended? Where launchers name
 * no world, it may also be that of a living process, whose memory it is. */
static bool is_left_over(const char *path)
{
    struct wf_box_owner owner = {.pid = 0};
    char folder[32];
    int fd = wf_directory_file(path, O_RDONLY);
    ssize_t n = fd < 0 ? 0 : pread(fd, &owner, sizeof owner, offsetof(struct wf_box, owner));
    if (fd >= 0)
        close(fd);
    if (n != sizeof owner || owner.pid == 0 || owner.pid_namespace != wf_birth_of("/proc/self").namespace)
        return false;
    snprintf(folder, sizeof folder, "/proc/%u", owner.pid);
    return owner.pid == (uint32_t)getpid() || wf_birth_of(folder).start != owner.start_time;
}

int wf_box_create(int rank)
{
    char path[WF_FILE_NAME_BYTES];
    if (rank < 0 || wf_box || !*wf_settings.directory)
        return 0;
    name(path, sizeof path, rank);
    int why = wf_arena_create(&arena, path, LIMIT_BYTES, sizeof *wf_box);
    if (why == EEXIST && is_left_over(path)) {
        wf_directory_remove(path);
        why = wf_arena_create(&arena, path, LIMIT_BYTES, sizeof *wf_box);
    }
    if (why)
        return why;
    wf_box = (struct wf_box *)arena.file.base;
    struct wf_birth birth = wf_birth_of("/proc/self");
    wf_box->owner = (struct wf_box_owner){.start_time = birth.start, .pid_namespace = birth.namespace, .pid = (uint32_t)getpid()};
    own_rank = rank;
    wf_box->rank = (uint32_t)rank;
    memcpy(wf_box->magic, MAGIC, sizeof MAGIC);
    atomic_store_explicit(&wf_box->version, VERSION, memory_order_release);
    return 0;
}

static void remove_box(void)
{
    wf_arena_remove(&arena);
    wf_box = NULL;
}

int wf_box_start(int rank, int size)
{
    const struct wf_segment_header *h = wf_process.segment.header;
    wf_limits_start(h->tick0, h->ns0, h->tick1, h->ns1);
    if (wf_box && own_rank != rank)
        remove_box(); /* the launcher's word was about something else */
    int why = wf_box_create(rank);
    if (why || !wf_box)
        return why ? why : ENOENT;
    wf_box_to = wf_memory_pages((size_t)size * sizeof *wf_box_to);
    wf_box_from = wf_memory_pages((size_t)size * sizeof *wf_box_from);
    uint32_t directory = wf_box_to && wf_box_from ? allocate((uint64_t)size * sizeof(uint32_t)) : 0;
    if (!directory) {
        remove_box();
        return ENOMEM;
    }
    world_size = size;
    wf_box->size = (uint32_t)size;
    atomic_store_explicit(&wf_box->directory, directory, memory_order_release);
    return 0;
}

static struct wf_ring *new_ring(uint32_t capacity, uint32_t *offset)
{
    *offset = allocate(sizeof(struct wf_ring) + (uint64_t)capacity * sizeof(struct wf_record));
    if (!*offset)
        return NULL;
    struct wf_ring *ring = at(wf_box, *offset);
    ring->capacity = capacity;
    return ring;
}

bool wf_box_add_replies(struct wf_ring *ring)
{
    uint32_t offset = allocate((uint64_t)ring->capacity * sizeof(struct wf_reply));
    if (offset)
        ring->replies = (uint32_t)((char *)at(wf_box, offset) - (char *)ring);
    return offset != 0;
}

static bool first_ring(struct wf_writer *w, int32_t to)
{
    uint32_t offset;
    struct wf_ring *ring = new_ring(FIRST_CAPACITY, &offset);
    if (!ring)
        return false;
    wf_set(w->ring, ring);
    _Atomic uint32_t *directory = at(wf_box, wf_get(wf_box->directory));
    atomic_store_explicit(&directory[to], offset, memory_order_release);
    return true;
}

static bool larger_ring(struct wf_writer *w)
{
    uint32_t offset;
    struct wf_ring *old = wf_get(w->ring), *ring = new_ring(2 * old->capacity, &offset);
    if (!ring)
        return false;
    wf_set(ring->taken, w->next);
    wf_set(ring->syncs, w->syncs);
    wf_set(old->full_at, w->next);
    atomic_store_explicit(&old->next, offset, memory_order_release);
    atomic_store_explicit(&w->ring, ring, memory_order_release);
    w->taken = w->next;
    return true;
}

/* ---- snapshots ---- */

/* Blocks of one size. When there are too few, as many again are added. */
struct pool {
    uint32_t first[24]; /* of the first FIRST_BLOCKS, of as many more, of twice as many more, ... */
    uint32_t count;
    uint32_t stride; /* in units */
    uint32_t next;
    uint32_t given[2]; /* the last one, and the one before */
};

static struct pool messages, passing;
static uint64_t tickets;
static struct wf_lock pools; /* for all these, with MPI_THREAD_MULTIPLE */

static void lock_pools(void)
{
    if (wf_process.threads)
        wf_lock_take(&pools);
}

static void unlock_pools(void)
{
    if (wf_process.threads)
        wf_lock_give(&pools);
}

/* The first, or as many as there are. */
static bool add_blocks(struct pool *p, size_t bytes)
{
    uint32_t count = p->count ? p->count : FIRST_BLOCKS, part = 0;
    while (p->first[part])
        part++;
    p->stride = p->count ? p->stride : (uint32_t)((bytes + UNIT - 1) / UNIT);
    uint64_t size = (uint64_t)count * p->stride * UNIT;
    p->first[part] = size <= BLOCK_LIMIT_BYTES ? allocate(size) : 0;
    p->count += p->first[part] ? count : 0;
    return p->first[part] != 0;
}

static uint32_t block(const struct pool *p, uint32_t i)
{
    i %= p->count;
    if (i < FIRST_BLOCKS)
        return p->first[0] + i * p->stride;
    uint32_t part = 32 - (uint32_t)__builtin_clz(i / FIRST_BLOCKS), before = FIRST_BLOCKS << (part - 1);
    return p->first[part] + (i - before) * p->stride;
}

static bool is_large_enough(const struct pool *p, size_t bytes)
{
    return bytes <= (size_t)p->stride * UNIT;
}

static _Atomic uint64_t *ticket_of(uint32_t offset)
{
    return &((struct wf_shown *)at(wf_box, offset))->ticket;
}

static bool is_free(uint32_t offset)
{
    return atomic_load_explicit(ticket_of(offset), memory_order_acquire) == 0;
}

/* The one before the last: its reader has most probably read it. Else one of the first few: little has changed since it was written last. Else one of the
 * next few. */
static uint32_t find_free(struct pool *p)
{
    if (p->given[1] && is_free(p->given[1]))
        return p->given[1];
    for (uint32_t tries = 0; tries < 16 && tries < p->count; tries++) {
        uint32_t offset = block(p, tries < 8 ? tries : p->next++);
        if (is_free(offset))
            return offset;
    }
    return 0;
}

static uint32_t free_block(struct pool *p)
{
    uint32_t offset = find_free(p);
    if (!offset)
        return 0;
    atomic_store_explicit(ticket_of(offset), WF_TICKET_MESSAGE | ++tickets, memory_order_relaxed);
    p->given[1] = p->given[0];
    p->given[0] = offset;
    return offset;
}

static uint32_t take_block(size_t bytes)
{
    if (!is_large_enough(&messages, bytes))
        messages = (struct pool){.count = 0}; /* what was there stays as long as somebody refers to it */
    uint32_t offset = messages.count ? free_block(&messages) : 0;
    if (!offset && add_blocks(&messages, bytes)) {
        messages.next = messages.count > FIRST_BLOCKS ? messages.count / 2 : 0;
        offset = free_block(&messages);
    }
    return offset;
}

static uint32_t spare; /* a block that has been taken, and is nobody's yet */

uint32_t wf_box_block(size_t bytes)
{
    lock_pools();
    uint32_t offset = spare && is_large_enough(&messages, bytes) ? spare : take_block(bytes);
    spare = 0;
    unlock_pools();
    return offset;
}

void wf_box_look_for_spare(size_t bytes)
{
    if (spare || !bytes || wf_process.threads)
        return;
    spare = take_block(bytes);
    if (spare)
        atomic_store_explicit(&((struct wf_shown *)at(wf_box, spare))->promised, 1, memory_order_relaxed);
}

struct wf_shown *wf_box_next_block(void)
{
    if (wf_process.threads)
        return NULL; /* it is anybody's */
    uint32_t offset = spare ? spare : messages.given[1];
    return offset ? at(wf_box, offset) : NULL;
}

/* One that no other thread is writing. */
static uint32_t passing_block(void)
{
    for (uint32_t tries = 0; passing.count && tries < WF_BOX_PASSING; tries++) {
        uint32_t offset = block(&passing, passing.next++);
        if (atomic_load_explicit(ticket_of(offset), memory_order_acquire) == BUSY)
            continue;
        atomic_store_explicit(ticket_of(offset), BUSY, memory_order_relaxed);
        return offset;
    }
    return 0;
}

uint32_t wf_box_show(struct wf_feed *feed, uint64_t *ticket)
{
    size_t bytes = wf_feed_shown_bytes(feed);
    if (!bytes)
        return 0;
    lock_pools();
    if (!is_large_enough(&passing, bytes))
        passing = (struct pool){.count = 0};
    while (passing.count < WF_BOX_PASSING && add_blocks(&passing, bytes))
        ;
    uint32_t offset = passing_block();
    *ticket = ++tickets;
    unlock_pools();
    if (!offset)
        return 0;
    struct wf_shown *shown = at(wf_box, offset);
    atomic_thread_fence(memory_order_release); /* whoever reads any of what follows finds it busy, too */
    wf_feed_show_for_now(feed, shown);
    atomic_store_explicit(&shown->ticket, *ticket, memory_order_release);
    wf_line_hand_over(shown);
    return offset;
}

uint32_t wf_box_pair_block(uint32_t *first, uint32_t number, size_t bytes)
{
    bytes = (bytes + UNIT - 1) / UNIT * UNIT;
    if (*first == 0 && bytes)
        *first = allocate(2 * bytes);
    return *first ? *first + number % 2 * (uint32_t)(bytes / UNIT) : 0;
}

static struct { /* with several threads, nothing: another may have sent since */
    uint64_t begin_virt;
    int32_t to;
    struct wf_showing showing;
} sent;

void wf_box_sent(int32_t to, uint32_t path, uint64_t begin_virt)
{
    if (wf_process.threads)
        return;
    sent.begin_virt = begin_virt;
    sent.to = to;
    sent.showing.path = path;
    sent.showing.ticket = atomic_load_explicit(ticket_of(path), memory_order_relaxed);
}

static bool went_with_message(const struct wf_ring *ring, uint64_t begin_virt)
{
    return !wf_process.threads && sent.begin_virt == begin_virt && wf_get(wf_box_from[sent.to].ring) == ring;
}

struct wf_showing wf_box_show_reply(const struct wf_ring *ring, uint64_t begin_virt)
{
    struct wf_feed *feed = weft_tls.lane ? weft_tls.lane->feed : NULL;
    struct wf_showing s = {.path = 0};
    if (feed && !wf_feed_began_at(feed, begin_virt))
        wf_set(wf_box_is_late, true);
    else if (feed && went_with_message(ring, begin_virt))
        s = sent.showing;
    else if (feed)
        s.path = wf_box_show(feed, &s.ticket);
    return s;
}

/* ---- rings ---- */

/* The reader says what it has taken. If that cannot be, nothing is. */
static bool has_room(struct wf_writer *w, struct wf_ring *ring)
{
    uint32_t taken = atomic_load_explicit(&ring->taken, memory_order_acquire);
    if (w->next - taken <= w->next - w->taken)
        w->taken = taken;
    return w->next - w->taken < ring->capacity;
}

/* A box that has been made, but not begun yet, is somebody's. */
static bool is_watched(int32_t to)
{
    return wf_box_of(to) || !wf_get(wf_box_from[to].absent);
}

bool wf_box_room(int32_t to)
{
    struct wf_writer *w = &wf_box_to[to];
    struct wf_ring *ring = wf_get(w->ring);
    if (w->remote || wf_get(w->absent))
        return false;
    if (!ring && !w->dropped && !is_watched(to)) {
        wf_set(w->absent, true); /* and fills no memory that nobody reads */
        return false;
    }
    if (ring && !w->dropped && has_room(w, ring))
        return true;
    if (!w->dropped && (ring ? larger_ring(w) : first_ring(w, to)))
        return true;
    if (ring) /* a ring that is never full enough to be looked at again would hide it */
        w->taken = w->next - ring->capacity;
    w->dropped = true;
    count_dropped();
    return false;
}

/* ---- others' boxes ---- */

/* So many bytes of the file can be read; 0: it is not there, or not ours to read. *fd: open, or -1. */
static uint64_t open_box(int32_t rank, int *fd)
{
    char path[WF_FILE_NAME_BYTES];
    struct stat status;
    name(path, sizeof path, rank);
    *fd = wf_directory_file(path, O_RDWR | O_NONBLOCK);
    if (*fd < 0)
        return 0;
    if (fstat(*fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid())
        return (uint64_t)status.st_size < LIMIT_BYTES ? (uint64_t)status.st_size : LIMIT_BYTES;
    close(*fd);
    *fd = -1;
    return 0;
}

/* 1: it is this rank's box; 0: not yet; -1: it is something else. */
static int check_box(const struct wf_box *box, int32_t rank)
{
    uint32_t version = atomic_load_explicit(&box->version, memory_order_acquire);
    if (version == 0)
        return 0;
    return version == VERSION && memcmp(box->magic, MAGIC, sizeof MAGIC) == 0 && box->rank == (uint32_t)rank ? 1 : -1;
}

static void look_for_box(struct wf_reader *r, int32_t rank)
{
    int fd, is = 0, saved = errno;
    uint64_t bytes = open_box(rank, &fd);
    void *map = MAP_FAILED;
    if (bytes >= sizeof(struct wf_box))
        map = mmap(NULL, LIMIT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (map != MAP_FAILED && (is = check_box(map, rank)) <= 0)
        munmap(map, LIMIT_BYTES);
    bool may_come = fd >= 0 && is == 0 && ++r->looks < MAX_LOOKS;
    if (fd >= 0)
        close(fd);
    errno = saved;
    if (is > 0) {
        wf_set(r->bytes, bytes);
        atomic_store_explicit(&r->box, map, memory_order_release);
    } else if (!may_come) {
        wf_set(r->absent, true);
    }
}

static const struct wf_box *find_box(struct wf_reader *r, int32_t rank)
{
    static struct wf_lock looking;
    if (r->remote)
        return wf_remote_box(rank);
    wf_lock_take(&looking);
    if (rank == own_rank) {
        wf_set(r->bytes, LIMIT_BYTES);
        atomic_store_explicit(&r->box, wf_box, memory_order_release);
    } else if (!wf_get(r->box) && !wf_get(r->absent)) {
        look_for_box(r, rank);
    }
    wf_lock_give(&looking);
    return wf_get(r->box);
}

const struct wf_box *wf_box_of(int32_t rank)
{
    struct wf_reader *r = &wf_box_from[rank];
    const struct wf_box *box = atomic_load_explicit(&r->box, memory_order_acquire);
    return box || wf_get(r->absent) ? box : find_box(r, rank);
}

/* It may have grown since. */
bool wf_box_reaches(struct wf_reader *r, uint64_t bytes)
{
    int fd, saved = errno;
    if (r->remote || r == &wf_box_from[own_rank])
        return false;
    uint64_t now = open_box((int32_t)(r - wf_box_from), &fd);
    if (fd >= 0)
        close(fd);
    errno = saved;
    if (now >= bytes)
        wf_set(r->bytes, now);
    return now >= bytes;
}

/* It is not what it should be: nothing of it is used any more. What has been taken from it stays mapped. */
static struct wf_ring *give_up(struct wf_reader *r)
{
    wf_set(r->absent, true);
    wf_set(r->ring, NULL);
    return NULL;
}

/* as: the capacity it must have; 0: any. */
static struct wf_ring *use_ring(struct wf_reader *r, const struct wf_box *box, uint32_t offset, uint64_t as)
{
    if (!wf_box_has(r, offset, sizeof(struct wf_ring)))
        return give_up(r);
    struct wf_ring *ring = at(box, offset);
    uint64_t capacity = ring->capacity;
    if (capacity < 2 || capacity & (capacity - 1) || (as && capacity != as) ||
        !wf_box_has(r, offset, sizeof *ring + capacity * sizeof(struct wf_record)))
        return give_up(r);
    atomic_store_explicit(&r->ring, ring, memory_order_release);
    return ring;
}

struct wf_ring *wf_box_find_ring(struct wf_reader *r, int32_t from)
{
    if (wf_get(r->absent))
        return NULL;
    const struct wf_box *box = wf_box_of(from);
    uint32_t directory = box ? atomic_load_explicit(&box->directory, memory_order_acquire) : 0;
    if (!directory)
        return NULL;
    if (box->size != (uint32_t)world_size || !wf_box_has(r, directory, (uint64_t)world_size * sizeof(uint32_t)))
        return give_up(r);
    uint32_t offset = atomic_load_explicit((_Atomic uint32_t *)at(box, directory) + own_rank, memory_order_acquire);
    return offset ? use_ring(r, box, offset, 0) : NULL;
}

struct wf_ring *wf_box_next_ring(struct wf_reader *r)
{
    struct wf_ring *ring = wf_get(r->ring);
    if (r->remote)
        return NULL; /* it grows in place */
    uint32_t offset = atomic_load_explicit(&ring->next, memory_order_acquire);
    if (!offset || wf_get(ring->full_at) != wf_get(r->next))
        return NULL;
    return use_ring(r, wf_get(r->box), offset, 2 * (uint64_t)ring->capacity); /* so that they come to an end */
}
