/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/box.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/birth.h"
#include "guest/directory.h"
#include "guest/settings.h"
#include "measure/file.h"
#include "measure/process.h"
#include "measure/remote.h"

#define MAGIC "weftbox"
#define LIMIT_BYTES (64ull << 20) /* address space; disk space for half a million messages that nobody has received */
#define UNIT 64u
#define FIRST_CAPACITY 16u
#define FIRST_BLOCKS 8u
#define BLOCK_LIMIT_BYTES (16u << 20) /* of unread snapshots; beyond it messages go without */

struct wf_box *wf_box;
struct wf_writer *wf_box_to;
struct wf_reader *wf_box_from;

bool wf_box_is_late;

static struct wf_file file;
static uint64_t used;
static int own_rank, world_size;

static void *pages(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Offset of new, zeroed space in the file, in units; 0: there is none. */
static uint32_t allocate(uint64_t bytes)
{
    bytes = (bytes + UNIT - 1) / UNIT * UNIT;
    int saved = errno;
    int why = wf_file_grow(&file, used + bytes);
    errno = saved;
    if (why)
        return 0;
    uint32_t offset = (uint32_t)(used / UNIT);
    used += bytes;
    return offset;
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
    int why = wf_file_create(&file, path, LIMIT_BYTES);
    if (why == EEXIST && is_left_over(path)) {
        wf_directory_remove(path);
        why = wf_file_create(&file, path, LIMIT_BYTES);
    }
    if (why)
        return why;
    wf_box = (struct wf_box *)file.base;
    struct wf_birth birth = wf_birth_of("/proc/self");
    wf_box->owner = (struct wf_box_owner){.start_time = birth.start, .pid_namespace = birth.namespace, .pid = (uint32_t)getpid()};
    own_rank = rank;
    used = sizeof *wf_box;
    return 0;
}

static void remove_box(void)
{
    munmap(wf_box, file.limit_bytes);
    wf_directory_remove(file.name);
    wf_box = NULL;
}

int wf_box_start(int rank, int size)
{
    if (wf_box && own_rank != rank)
        remove_box(); /* the launcher's word was about something else */
    int why = wf_box_create(rank);
    if (why || !wf_box)
        return why ? why : ENOENT;
    wf_box_to = pages((size_t)size * sizeof *wf_box_to);
    wf_box_from = pages((size_t)size * sizeof *wf_box_from);
    uint32_t directory = wf_box_to && wf_box_from ? allocate((uint64_t)size * sizeof(uint32_t)) : 0;
    if (!directory) {
        remove_box();
        return ENOMEM;
    }
    world_size = size;
    wf_box->rank = (uint32_t)rank;
    wf_box->size = (uint32_t)size;
    memcpy(wf_box->magic, MAGIC, sizeof MAGIC);
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
    w->ring = ring;
    _Atomic uint32_t *directory = at(wf_box, wf_box->directory);
    atomic_store_explicit(&directory[to], offset, memory_order_release);
    return true;
}

static bool larger_ring(struct wf_writer *w)
{
    uint32_t offset;
    struct wf_ring *ring = new_ring(2 * w->ring->capacity, &offset);
    if (!ring)
        return false;
    atomic_store_explicit(&ring->taken, w->next, memory_order_relaxed);
    atomic_store_explicit(&ring->syncs, w->syncs, memory_order_relaxed);
    atomic_store_explicit(&w->ring->full_at, w->next, memory_order_relaxed);
    atomic_store_explicit(&w->ring->next, offset, memory_order_release);
    w->ring = ring;
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
static atomic_flag pools_taken = ATOMIC_FLAG_INIT;
static uint64_t tickets;

static void lock_pools(void)
{
    if (wf_process.threads)
        while (atomic_flag_test_and_set_explicit(&pools_taken, memory_order_acquire))
            ;
}

static void unlock_pools(void)
{
    if (wf_process.threads)
        atomic_flag_clear_explicit(&pools_taken, memory_order_release);
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

static bool is_free(uint32_t offset)
{
    return atomic_load_explicit(&((struct wf_shown *)at(wf_box, offset))->ticket, memory_order_acquire) == 0;
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
    atomic_store_explicit(&((struct wf_shown *)at(wf_box, offset))->ticket, WF_TICKET_MESSAGE | ++tickets, memory_order_relaxed);
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
    uint32_t offset = spare ? spare : messages.given[1];
    return offset ? at(wf_box, offset) : NULL;
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
    uint32_t offset = passing.count ? block(&passing, passing.next++) : 0;
    *ticket = ++tickets;
    unlock_pools();
    if (!offset)
        return 0;
    struct wf_shown *shown = at(wf_box, offset);
    atomic_store_explicit(&shown->ticket, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    wf_feed_show(feed, shown);
    atomic_store_explicit(&shown->ticket, *ticket, memory_order_release);
    wf_line_hand_over(shown);
    return offset;
}

uint32_t wf_box_pair_block(uint32_t *first, uint32_t number, size_t bytes)
{
    bytes = (bytes + UNIT - 1) / UNIT * UNIT;
    if (*first == 0) {
        lock_pools();
        *first = allocate(2 * bytes);
        unlock_pools();
    }
    return *first ? *first + number % 2 * (uint32_t)(bytes / UNIT) : 0;
}

static struct {
    uint64_t begin_virt;
    int32_t to;
    struct wf_showing showing;
} sent;

void wf_box_sent(int32_t to, uint32_t path, uint64_t begin_virt)
{
    sent.begin_virt = begin_virt;
    sent.to = to;
    sent.showing.path = path;
    sent.showing.ticket = atomic_load_explicit(&((struct wf_shown *)at(wf_box, path))->ticket, memory_order_relaxed);
}

/* With several threads, another may have sent since. */
static bool went_with_message(const struct wf_ring *ring, uint64_t begin_virt)
{
    return sent.begin_virt == begin_virt && wf_box_from[sent.to].ring == ring && !wf_process.threads;
}

struct wf_showing wf_box_show_reply(const struct wf_ring *ring, uint64_t begin_virt)
{
    struct wf_feed *feed = weft_tls.lane ? weft_tls.lane->feed : NULL;
    struct wf_showing s = {.path = 0};
    if (feed && !wf_feed_began_at(feed, begin_virt))
        wf_box_is_late = true;
    else if (feed && went_with_message(ring, begin_virt))
        s = sent.showing;
    else if (feed)
        s.path = wf_box_show(feed, &s.ticket);
    return s;
}

/* ---- rings ---- */

bool wf_box_room(int32_t to)
{
    struct wf_writer *w = &wf_box_to[to];
    if (w->remote || w->absent)
        return false;
    if (!w->ring && !w->dropped && !wf_box_of(to)) {
        w->absent = true; /* and fills no memory that nobody reads */
        return false;
    }
    if (w->ring && !w->dropped) {
        w->taken = atomic_load_explicit(&w->ring->taken, memory_order_acquire);
        if (w->next - w->taken < w->ring->capacity)
            return true;
    }
    if (!w->dropped && (w->ring ? larger_ring(w) : first_ring(w, to)))
        return true;
    if (w->ring) /* a ring that is never full enough to be looked at again would hide it */
        w->taken = w->next - w->ring->capacity;
    w->dropped = true;
    wf_process.segment.header->headers_dropped++;
    return false;
}

const struct wf_box *wf_box_of(int32_t rank)
{
    struct wf_reader *r = &wf_box_from[rank];
    if (r->box || r->absent)
        return r->box;
    if (rank == own_rank)
        return r->box = wf_box;
    if (r->remote)
        return r->box = wf_remote_box(rank);
    char path[WF_FILE_NAME_BYTES];
    int saved = errno;
    name(path, sizeof path, rank);
    int fd = wf_directory_file(path, O_RDWR);
    void *map = fd < 0 ? MAP_FAILED : mmap(NULL, LIMIT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (fd >= 0)
        close(fd);
    errno = saved;
    r->box = map == MAP_FAILED ? NULL : map;
    r->absent = !r->box;
    return r->box;
}

bool wf_box_find_ring(struct wf_reader *r, int32_t from)
{
    const struct wf_box *box = wf_box_of(from);
    uint32_t directory = box ? atomic_load_explicit(&box->directory, memory_order_acquire) : 0;
    if (!directory)
        return false;
    uint32_t offset = atomic_load_explicit((_Atomic uint32_t *)at(box, directory) + own_rank, memory_order_acquire);
    if (offset)
        r->ring = at(box, offset);
    return offset != 0;
}

bool wf_box_next_ring(struct wf_reader *r)
{
    if (r->remote)
        return false; /* it grows in place */
    uint32_t offset = atomic_load_explicit(&r->ring->next, memory_order_acquire);
    if (!offset || atomic_load_explicit(&r->ring->full_at, memory_order_relaxed) != r->next)
        return false;
    r->ring = at(r->box, offset);
    return true;
}
