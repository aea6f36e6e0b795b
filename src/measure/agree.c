/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/agree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/directory.h"
#include "guest/settings.h"
#include "measure/file.h"
#include "measure/lane.h"
#include "measure/probe.h"
#include "measure/process.h"

/* Smaller keys are slots that mean the same everywhere; this one is where all regions are that came too late. */
enum { KEY_REST = WF_PATH_FIRST };

struct wf_registry *wf_registry;

static uint32_t buckets; /* regions that are told apart */

int wf_agree_start(uint32_t slots)
{
    char name[WF_FILE_NAME_BYTES], host[64] = "", world[WF_WORLD_BYTES];
    gethostname(host, sizeof host - 1);
    wf_process_world(world);
    snprintf(name, sizeof name, WF_REGISTRY_PREFIX "%s-%s", world, host);
    int fd = wf_directory_file(name, O_RDWR | O_CREAT | O_NONBLOCK);
    struct stat status;
    if (fd < 0)
        return errno;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid()) {
        close(fd);
        return EPERM;
    }
    /* Whoever comes first makes it as long as it is; all others find it so. Not posix_fallocate: it may write zeros over what others have written. */
    void *map = MAP_FAILED;
    if (fallocate(fd, 0, 0, sizeof *wf_registry) == 0 || (errno == EOPNOTSUPP && ftruncate(fd, sizeof *wf_registry) == 0))
        map = mmap(NULL, sizeof *wf_registry, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int why = map == MAP_FAILED ? errno : 0;
    close(fd);
    if (why)
        return why;
    wf_registry = map;
    buckets = slots;
    return 0;
}

uint64_t wf_agree_mix_text(uint64_t key, const void *text, size_t bytes)
{
    const unsigned char *c = text;
    for (size_t i = 0; i < bytes; i++)
        key = (key ^ c[i]) * 0x100000001B3u;
    return wf_agree_mix(key, bytes);
}

bool wf_agree_selects(const char *name, const char *file)
{
    const char *patterns = wf_settings.path_select;
    return !*patterns || wf_probe_matches(patterns, name, file);
}

/* Another process has claimed the place and is about to say its number: a few instructions, unless it is put aside or killed there. */
static uint32_t number_at(struct wf_registry_place *place)
{
    for (int i = 0; i < 100000; i++) {
        uint32_t number = atomic_load_explicit(&place->number, memory_order_acquire);
        if (number)
            return number;
    }
    return 0;
}

uint32_t wf_agree_number(uint64_t key)
{
    key += key <= KEY_REST ? KEY_REST + 1 : 0;
    for (uint32_t i = wf_lane_hash(key), tries = 0; tries < WF_REGISTRY_PLACES / 2; i++, tries++) {
        struct wf_registry_place *place = &wf_registry->places[i % WF_REGISTRY_PLACES];
        uint64_t found = 0;
        if (atomic_load_explicit(&place->key, memory_order_relaxed) == 0) {
            if (atomic_load_explicit(&wf_registry->regions, memory_order_relaxed) >= WF_REGISTRY_REGIONS)
                return 0;
            if (atomic_compare_exchange_strong(&place->key, &found, key)) {
                uint32_t number = atomic_fetch_add(&wf_registry->regions, 1) + 1;
                if (number <= WF_REGISTRY_REGIONS)
                    atomic_store_explicit(&wf_registry->keys[number - 1], key, memory_order_release);
                atomic_store_explicit(&place->number, number, memory_order_release);
                return number;
            }
        }
        if (atomic_load_explicit(&place->key, memory_order_relaxed) == key)
            return number_at(place);
    }
    return 0;
}

/* The first ones have slots of their own; all others share the last. */
static uint32_t first_slot(uint32_t region)
{
    return WF_PATH_FIRST + (region < buckets - 1 ? region : buckets - 1);
}

static struct wf_registry_map *map_of(uint32_t refined)
{
    struct wf_registry_map *map = &wf_registry->maps[refined % WF_REGISTRY_MAPS];
    return atomic_load_explicit(&map->refined, memory_order_acquire) == refined ? map : NULL;
}

uint32_t wf_agree_slot(uint32_t number, uint32_t epoch)
{
    uint32_t refined = wf_epoch_refined(epoch);
    if (number == 0 || buckets == 0)
        return WF_PATH_OTHER;
    if (refined == 0)
        return first_slot(number - 1);
    struct wf_registry_map *map = number <= WF_REGISTRY_REGIONS ? map_of(refined) : NULL;
    if (!map)
        return WF_PATH_OTHER;
    uint32_t slot = wf_buckets_slot(&map->buckets, number - 1);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&map->refined, memory_order_relaxed) == refined ? slot : WF_PATH_OTHER;
}

uint64_t wf_agree_key(uint32_t slot)
{
    if (slot < WF_PATH_FIRST)
        return slot;
    uint32_t number = slot - WF_PATH_FIRST;
    return number < buckets - 1 ? atomic_load_explicit(&wf_registry->keys[number], memory_order_acquire) : KEY_REST;
}

uint32_t wf_agree_slot_of(uint64_t key)
{
    if (key < KEY_REST)
        return (uint32_t)key;
    return wf_agree_slot(key == KEY_REST ? WF_REGISTRY_REGIONS : wf_agree_number(key), 0);
}

bool wf_agree_is_leader(void)
{
    uint32_t nobody = 0, us = (uint32_t)getpid();
    return atomic_load_explicit(&wf_registry->leader, memory_order_relaxed) == us ||
           atomic_compare_exchange_strong(&wf_registry->leader, &nobody, us);
}

/* Those of the beginning. */
static const struct wf_buckets *first_buckets(void)
{
    static union {
        struct wf_buckets buckets;
        char bytes[sizeof(struct wf_buckets) + sizeof(uint16_t) * WF_REGISTRY_REGIONS];
    } first;
    wf_buckets_init(&first.buckets, WF_REGISTRY_REGIONS, buckets - 1, buckets);
    return &first.buckets;
}

/* What lies in the file may be anything: they must be of this process's slots. */
static bool are_ours(const struct wf_buckets *b)
{
    if (b->buckets != buckets || b->capacity != WF_REGISTRY_REGIONS || b->regions > WF_REGISTRY_REGIONS)
        return false;
    for (uint32_t r = 0; r < b->regions; r++)
        if (b->slot_of[r] >= WF_PATH_FIRST + buckets)
            return false;
    return true;
}

void wf_agree_refine(const int64_t *shares, uint32_t epoch)
{
    uint32_t regions = atomic_load_explicit(&wf_registry->regions, memory_order_acquire), refined = wf_epoch_refined(epoch);
    if (buckets < 2 || regions < buckets || !(epoch & WF_EPOCH_ON) || refined + 2 >= WF_EPOCH_START / WF_EPOCH_REFINED)
        return;
    const struct wf_registry_map *map = refined ? map_of(refined) : NULL;
    const struct wf_buckets *now = map ? &map->buckets : refined ? NULL : first_buckets();
    if (!now || !are_ours(now) || (wf_buckets_are_single(now) && regions <= now->regions))
        return;
    struct wf_registry_map *next = &wf_registry->maps[(refined + 1) % WF_REGISTRY_MAPS];
    atomic_store_explicit(&next->refined, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    wf_buckets_refine(&next->buckets, now, shares, regions);
    atomic_store_explicit(&next->refined, refined + 1, memory_order_release);
    wf_registry_ask(wf_registry, epoch + WF_EPOCH_REFINED);
}
