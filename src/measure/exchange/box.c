/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/birth.h"
#include "measure/guest/directory.h"
#include "measure/guest/settings.h"
#include "measure/process/identity.h"
#include "measure/process/process.h"

#define LIMIT_BYTES \
    (64ull << 20) /* address space; disk space for half a million messages that no process has received */
#define UNIT WF_ARENA_UNIT
#ifndef FIRST_CAPACITY /* tests have smaller ones */
#define FIRST_CAPACITY 16u
#endif
#define MAX_LOOKS 1000u /* so often a box is looked for that has been made, but not begun yet */

struct wf_own_box wf_own_box;

static struct wf_own_box *const own = &wf_own_box;

uint32_t wf_box_allocate(uint64_t bytes)
{
    return wf_arena_add(&own->arena, bytes);
}

int wf_box_rank_before_init(void)
{
    return *wf_settings.launch_rank ? atoi(wf_settings.launch_rank) : -1;
}

static void box_name(char *path, size_t bytes, int rank)
{
    char host[64] = "", world[WF_WORLD_BYTES];
    gethostname(host, sizeof host - 1);
    wf_identity_world(world);
    wf_box_name(path, bytes, world, rank, host);
}

/* Is the box without an owner: left by what this rank was before it became another program by exec, or by a process
 * that has ended? Where launchers name no world, it may also be that of a living process, whose memory it is. */
static bool box_is_left_over(const char *path)
{
    struct wf_box_owner owner = {.pid = 0};
    char folder[32];
    int fd = wf_directory_file(path, O_RDONLY);
    ssize_t n = fd < 0 ? 0 : pread(fd, &owner, sizeof owner, offsetof(struct wf_box, head.owner));
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
    if (rank < 0 || own->box || !*wf_settings.directory)
        return 0;
    box_name(path, sizeof path, rank);
    int why = wf_arena_create(&own->arena, &wf_directory_place, path, LIMIT_BYTES, sizeof *own->box);
    if (why == EEXIST && box_is_left_over(path)) {
        wf_directory_remove(path);
        why = wf_arena_create(&own->arena, &wf_directory_place, path, LIMIT_BYTES, sizeof *own->box);
    }
    if (why)
        return why;
    own->box = (struct wf_box *)own->arena.file.base;
    struct wf_birth birth = wf_birth_of("/proc/self");
    own->box->head.owner =
        (struct wf_box_owner){.start_time = birth.start, .pid_namespace = birth.namespace, .pid = (uint32_t)getpid()};
    own->rank = rank;
    own->box->head.rank = (uint32_t)rank;
    memcpy(own->box->head.magic, WF_BOX_MAGIC, sizeof WF_BOX_MAGIC);
    atomic_store_explicit(&own->box->head.version, WF_BOX_VERSION, memory_order_release);
    return 0;
}

void wf_box_remove(void)
{
    if (own->box)
        wf_arena_remove(&own->arena);
    own->box = NULL;
}

int wf_box_start(int rank, int size)
{
    if (own->box && own->rank != rank)
        wf_box_remove(); /* the launcher's word was about something else */
    int why = wf_box_create(rank);
    if (why || !own->box)
        return why ? why : ENOENT;
    uint32_t directory = wf_box_allocate((uint64_t)size * sizeof(uint32_t));
    if (!directory) {
        wf_box_remove();
        return ENOMEM;
    }
    own->size = size;
    own->box->head.size = (uint32_t)size;
    atomic_store_explicit(&own->box->head.directory, directory, memory_order_release);
    return 0;
}

/* ---- our own rings ---- */

static struct wf_ring *box_add_ring(uint32_t capacity, uint32_t *offset)
{
    *offset = wf_box_allocate(wf_ring_bytes(capacity));
    if (!*offset)
        return NULL;
    struct wf_ring *ring = wf_box_at(own->box, *offset);
    ring->capacity = capacity;
    ring->tell = own->tells_each ? 0 : capacity / 2 - 1;
    return ring;
}

bool wf_box_grow(struct wf_ring_writer *w, int32_t to)
{
    uint32_t offset;
    struct wf_ring *old = wf_get(w->ring), *ring = box_add_ring(old ? 2 * old->capacity : FIRST_CAPACITY, &offset);
    if (!ring)
        return false;
    if (old) {
        wf_ring_go_on(w, ring, offset);
        return true;
    }
    wf_set(w->ring, ring);
    _Atomic uint32_t *directory = wf_box_at(own->box, wf_get(own->box->head.directory));
    atomic_store_explicit(&directory[to], offset, memory_order_release);
    return true;
}

bool wf_box_add_replies(struct wf_ring *ring)
{
    uint32_t offset = wf_box_allocate((uint64_t)ring->capacity * sizeof(struct wf_reply));
    if (offset)
        ring->replies = (uint32_t)((char *)wf_box_at(own->box, offset) - (char *)ring);
    return offset != 0;
}

/* ---- others' boxes ---- */

/* So many bytes of the file can be read; 0: it is not there, or not ours to read. *fd: open, or -1. */
static uint64_t view_open_file(int32_t rank, int *fd)
{
    char path[WF_FILE_NAME_BYTES];
    struct stat status;
    box_name(path, sizeof path, rank);
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
static int view_check(const struct wf_box *box, int32_t rank)
{
    uint32_t version = atomic_load_explicit(&box->head.version, memory_order_acquire);
    if (version == 0)
        return 0;
    return version == WF_BOX_VERSION && memcmp(box->head.magic, WF_BOX_MAGIC, sizeof WF_BOX_MAGIC) == 0 &&
                   box->head.rank == (uint32_t)rank
               ? 1
               : -1;
}

static void view_look(struct wf_box_view *v, int32_t rank)
{
    int fd, is = 0, saved = errno;
    uint64_t bytes = view_open_file(rank, &fd);
    void *map = MAP_FAILED;
    if (bytes >= sizeof(struct wf_box))
        map = mmap(NULL, LIMIT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (map != MAP_FAILED && (is = view_check(map, rank)) <= 0)
        munmap(map, LIMIT_BYTES);
    bool may_come = fd >= 0 && is == 0 && ++v->looks < MAX_LOOKS;
    if (fd >= 0)
        close(fd);
    errno = saved;
    if (is > 0) {
        wf_set(v->units, (uint32_t)(bytes / UNIT));
        atomic_store_explicit(&v->box, map, memory_order_release);
    } else if (!may_come) {
        wf_set(v->where, WF_BOX_MISSING);
    }
}

const struct wf_box *wf_box_open(struct wf_box_view *v, int32_t rank)
{
    if (wf_get(v->where) != WF_BOX_HERE)
        return NULL;
    wf_lock_take(&own->looking);
    if (rank == own->rank) {
        wf_set(v->units, (uint32_t)(LIMIT_BYTES / UNIT));
        atomic_store_explicit(&v->box, own->box, memory_order_release);
    } else if (!wf_get(v->box) && wf_get(v->where) == WF_BOX_HERE) {
        view_look(v, rank);
    }
    wf_lock_give(&own->looking);
    return wf_get(v->box);
}

/* It may have grown since. */
bool wf_box_reaches(struct wf_box_view *v, int32_t rank, uint64_t bytes)
{
    int fd, saved = errno;
    if (rank == own->rank)
        return false;
    uint64_t now = view_open_file(rank, &fd);
    if (fd >= 0)
        close(fd);
    errno = saved;
    if (now >= bytes)
        wf_set(v->units, (uint32_t)(now / UNIT));
    return now >= bytes;
}

/* It is not what it should be. What has been taken from it stays mapped. */
static bool view_refuse(struct wf_box_view *v, struct wf_ring_reader *r)
{
    wf_set(v->refused, true);
    wf_set(r->ring, NULL);
    return false;
}

/* as: the capacity it must have; 0: any. */
static bool view_use_ring(struct wf_box_view *v, int32_t rank, struct wf_ring_reader *r, uint32_t offset, uint64_t as)
{
    if (!wf_box_has(v, rank, offset, sizeof(struct wf_ring)))
        return view_refuse(v, r);
    struct wf_ring *ring = wf_box_at(wf_get(v->box), offset);
    uint64_t capacity = ring->capacity;
    if (capacity < 2 || capacity & (capacity - 1) || (as && capacity != as) ||
        !wf_box_has(v, rank, offset, wf_ring_bytes(capacity)))
        return view_refuse(v, r);
    atomic_store_explicit(&r->ring, ring, memory_order_release);
    return true;
}

static bool view_first_ring(struct wf_box_view *v, int32_t rank, struct wf_ring_reader *r)
{
    const struct wf_box *box = wf_box_in(v, rank);
    uint32_t directory = box ? atomic_load_explicit(&box->head.directory, memory_order_acquire) : 0;
    if (!directory)
        return false;
    if (box->head.size != (uint32_t)own->size ||
        !wf_box_has(v, rank, directory, (uint64_t)own->size * sizeof(uint32_t)))
        return view_refuse(v, r);
    _Atomic uint32_t *offsets = wf_box_at(box, directory);
    uint32_t offset = atomic_load_explicit(&offsets[own->rank], memory_order_acquire);
    return offset && view_use_ring(v, rank, r, offset, 0);
}

bool wf_box_follow(struct wf_box_view *v, int32_t rank, struct wf_ring_reader *r)
{
    struct wf_ring *ring = wf_get(r->ring);
    if (wf_get(v->refused))
        return false;
    if (!ring)
        return view_first_ring(v, rank, r);
    uint32_t offset = wf_ring_next(r);
    return offset && view_use_ring(v, rank, r, offset, 2 * (uint64_t)ring->capacity); /* so that they come to an end */
}
