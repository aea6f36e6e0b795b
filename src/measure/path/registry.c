/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/path/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/guest/directory.h"
#include "measure/guest/settings.h"
#include "base/file.h"
#include "base/pattern.h"
#include "base/table.h"
#include "measure/record/lane.h"
#include "measure/process/identity.h"

/* Smaller keys are slots that mean the same everywhere. The lowest bit says that it is a statement. */
enum { FIRST_KEY = WF_PATH_FIRST + (WF_PATH_FIRST & 1), KEY_STATEMENT = 1 };

struct wf_registry *wf_registry;

static uint32_t registry_slots; /* for regions */

int wf_registry_open(uint32_t slots)
{
    char name[WF_FILE_NAME_BYTES], host[64] = "", world[WF_WORLD_BYTES];
    gethostname(host, sizeof host - 1);
    wf_identity_world(world);
    snprintf(name, sizeof name, WF_REGISTRY_PREFIX "%s-%s", world, host);
    int fd = wf_directory_file(name, O_RDWR | O_CREAT | O_NONBLOCK);
    struct stat status;
    if (fd < 0)
        return errno;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid()) {
        close(fd);
        return EPERM;
    }
    /* The first process makes it as long as it is; all others find it so. Not posix_fallocate: it may write zeros
     * over what others have written. */
    void *map = MAP_FAILED;
    if (fallocate(fd, 0, 0, sizeof *wf_registry) == 0 ||
        (errno == EOPNOTSUPP && ftruncate(fd, sizeof *wf_registry) == 0))
        map = mmap(NULL, sizeof *wf_registry, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int why = map == MAP_FAILED ? errno : 0;
    close(fd);
    if (why)
        return why;
    wf_registry = map;
    registry_slots = slots;
    return 0;
}

bool wf_registry_selects(const char *name, const char *file)
{
    const char *patterns = wf_settings.path_select;
    return !*patterns || wf_pattern_matches(patterns, name, "::") || wf_pattern_matches(patterns, file, "/");
}

/* Another process has claimed the place and is about to say its number: a few instructions, unless it loses its core or
 * is killed there. */
static uint32_t registry_number_at(struct wf_registry_place *place)
{
    for (int i = 0; i < 100000; i++) {
        uint32_t number = atomic_load_explicit(&place->number, memory_order_acquire);
        if (number)
            return number;
    }
    return 0;
}

static uint32_t registry_find(uint64_t key)
{
    for (uint32_t i = wf_hash(key), tries = 0; tries < WF_REGISTRY_PLACES / 2; i++, tries++) {
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
            return registry_number_at(place);
    }
    return 0;
}

static uint32_t registry_region(uint64_t key)
{
    uint32_t number = registry_slots ? registry_find(key) : 0;
    if (number == 0 || number > WF_REGISTRY_REGIONS)
        return 0;
    return key & KEY_STATEMENT ? number | WF_PATH_STATEMENT : number;
}

uint32_t wf_registry_region(uint64_t key, bool statement)
{
    key = (key & ~(uint64_t)KEY_STATEMENT) + (key < FIRST_KEY ? FIRST_KEY : 0);
    return registry_region(key | (statement ? KEY_STATEMENT : 0));
}

uint32_t wf_registry_slot(uint32_t region, uint32_t map)
{
    uint32_t number = region & ~WF_PATH_STATEMENT;
    if (number == 0 || number > WF_REGISTRY_REGIONS)
        return WF_PATH_OTHER;
    uint64_t word = atomic_load_explicit(&wf_registry->slots[number - 1], memory_order_acquire);
    uint32_t slot = word ? (uint32_t)word : number <= registry_slots ? WF_PATH_FIRST + number - 1 : WF_PATH_OTHER;
    return word >> 32 <= map && slot < WF_PATH_FIRST + registry_slots ? slot : WF_PATH_OTHER;
}

uint64_t wf_registry_key(uint32_t number)
{
    return number && number <= WF_REGISTRY_REGIONS
               ? atomic_load_explicit(&wf_registry->keys[number - 1], memory_order_acquire)
               : 0;
}

uint32_t wf_registry_region_of_key(uint64_t key)
{
    return key < FIRST_KEY ? 0 : registry_region(key);
}

struct wf_registry_change wf_registry_change(uint32_t version)
{
    return wf_registry_unpack(
        version <= WF_REGISTRY_LOG ? atomic_load_explicit(&wf_registry->log[version - 1], memory_order_relaxed) : 0);
}

bool wf_registry_may_look(uint64_t now, uint64_t *next, uint64_t pause)
{
    *next = atomic_load_explicit(&wf_registry->look_ticks, memory_order_relaxed);
    uint32_t changes = atomic_load_explicit(&wf_registry->changes, memory_order_relaxed);
    if (changes >= WF_REGISTRY_LOG)
        *next = UINT64_MAX;
    if (now < *next)
        return false;
    uint64_t then = now + pause * (1 + changes / 64), was = *next;
    bool ours = atomic_compare_exchange_strong(&wf_registry->look_ticks, next, then);
    *next = ours ? then : *next;
    return ours && was; /* the first time, nothing is known yet */
}

bool wf_registry_change_begin(uint32_t map)
{
    uint32_t none = 0;
    if (!atomic_compare_exchange_strong(&wf_registry->changing, &none, (uint32_t)getpid()))
        return false;
    if (wf_registry_map() == map)
        return true;
    wf_registry_change_end();
    return false;
}

bool wf_registry_change_add(struct wf_registry_change c)
{
    uint32_t changes = atomic_load_explicit(&wf_registry->changes, memory_order_relaxed), map = changes + 2,
             from = c.from & ~WF_PATH_STATEMENT, to = c.to & ~WF_PATH_STATEMENT;
    if (changes >= WF_REGISTRY_LOG || to == 0 || to > WF_REGISTRY_REGIONS || from > WF_REGISTRY_REGIONS)
        return false;
    atomic_store_explicit(&wf_registry->log[changes], wf_registry_pack(c), memory_order_relaxed);
    if (from)
        atomic_store_explicit(&wf_registry->slots[from - 1], wf_registry_word(WF_PATH_OTHER, map),
                              memory_order_release);
    atomic_store_explicit(&wf_registry->slots[to - 1], wf_registry_word(c.slot, map), memory_order_release);
    atomic_store_explicit(&wf_registry->changes, changes + 1, memory_order_release);
    return true;
}

void wf_registry_change_end(void)
{
    atomic_store_explicit(&wf_registry->changing, 0, memory_order_release);
}
