/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/hosts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "measure/clock/clock.h"
#include "measure/guest/directory.h"
#include "measure/guest/settings.h"
#include "measure/process/identity.h"
#include "measure/process/process.h"

#define MAX_HOSTS 4096
#define NAME_BYTES 64
/* For names that another host has made and this one's file system does not show yet. */
#define PATIENCE_NS 2000000000u

struct wf_hosts wf_hosts;

typedef char host_name[NAME_BYTES];

/* What a process finds when it looks for the boxes of all ranks. */
enum hosts_found {
    HOSTS_ONE,     /* all are on one host; or this process knows no name of its world: then its box has none either, and
                      no process finds all */
    HOSTS_SEVERAL, /* all boxes are there, on several hosts */
    HOSTS_UNCLEAR, /* a rank is not watched, or not seen yet */
};

/* Index + 1 of a host by its name; 0: there are too many. */
static int host_number(host_name *names, const char *name)
{
    for (int i = 0; i < wf_hosts.count; i++)
        if (strcmp(names[i], name) == 0)
            return i + 1;
    if (wf_hosts.count == MAX_HOSTS)
        return 0;
    snprintf(names[wf_hosts.count], NAME_BYTES, "%s", name);
    return ++wf_hosts.count;
}

/* box-WORLD-RANK-HOST of this world: a host + 1 for its rank. Returns 1; 0: it is something else; -1: a second one of
 * one rank. */
static int host_note_box(host_name *names, const char *name, const char *prefix, int size)
{
    size_t n = strlen(prefix);
    char *end;
    if (strncmp(name, prefix, n) != 0)
        return 0;
    long rank = strtol(name + n, &end, 10);
    if (end == name + n || *end != '-' || rank < 0 || rank >= size)
        return 0;
    if (wf_hosts.of[rank])
        return -1;
    wf_hosts.of[rank] = (uint16_t)host_number(names, end + 1);
    return wf_hosts.of[rank] ? 1 : -1;
}

/* How many ranks have a box; -1: it is not clear which. */
static int hosts_scan(host_name *names, int size)
{
    char prefix[WF_WORLD_BYTES + 8], world[WF_WORLD_BYTES];
    wf_identity_world(world);
    snprintf(prefix, sizeof prefix, "box-%s-", world);
    memset(wf_hosts.of, 0, (size_t)size * sizeof *wf_hosts.of);
    wf_hosts.count = 0;
    DIR *dir = opendir(wf_settings.directory);
    if (!dir)
        return -1;
    int found = 0, one = 0;
    for (struct dirent *e; one >= 0 && (e = readdir(dir)); found += one)
        one = host_note_box(names, e->d_name, prefix, size);
    closedir(dir);
    return one < 0 ? -1 : found;
}

/* Is the directory one whose changes may be seen late? Each that is not known to be local is. */
static bool hosts_may_be_late(void)
{
    static const long local[] = {0xEF53 /* ext */,
                                 0x01021994 /* tmpfs */,
                                 0x58465342 /* xfs */,
                                 0x9123683E /* btrfs */,
                                 0x794C7630 /* overlay */,
                                 0x858458F6 /* ramfs */,
                                 0x2FC12FC1 /* zfs */};
    struct statfs fs;
    if (statfs(wf_settings.directory, &fs) != 0)
        return false;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if ((fs.f_type & 0xffffffffL) == local[i])
            return false;
    return true;
}

/* Hosts in the order of their lowest rank, from 0 on. */
static void hosts_put_in_order(int size)
{
    uint16_t *order = wf_memory_pages(MAX_HOSTS * sizeof *order), *of = wf_hosts.of;
    int next = 0;
    for (int r = 0; order && r < size; r++) {
        if (!order[of[r] - 1])
            order[of[r] - 1] = (uint16_t)++next;
        of[r] = (uint16_t)(order[of[r] - 1] - 1);
    }
    if (order)
        wf_memory_release(order, MAX_HOSTS * sizeof *order);
}

int wf_hosts_leader(int host)
{
    int r = 0;
    while (wf_hosts.of[r] != host)
        r++;
    return r;
}

static int hosts_scan_patiently(host_name *names, int size)
{
    uint64_t since = wf_clock_read_ns(CLOCK_MONOTONIC);
    int found = hosts_scan(names, size);
    if (found != size && hosts_may_be_late())
        while ((found = hosts_scan(names, size)) != size && wf_clock_read_ns(CLOCK_MONOTONIC) - since < PATIENCE_NS)
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    return found;
}

/* Looks for the boxes of all ranks. */
static enum hosts_found hosts_find(int size)
{
    char world[WF_WORLD_BYTES];
    wf_identity_world(world);
    if (!*world || size < 2)
        return HOSTS_ONE;
    host_name *names = wf_memory_pages((size_t)MAX_HOSTS * NAME_BYTES);
    wf_hosts.of = wf_memory_pages((size_t)size * sizeof *wf_hosts.of);
    bool all = wf_hosts.of && names && hosts_scan_patiently(names, size) == size;
    if (all && wf_hosts.count > 1)
        hosts_put_in_order(size);
    else
        wf_hosts.of = NULL;
    if (names)
        wf_memory_release(names, (size_t)MAX_HOSTS * NAME_BYTES);
    return !all ? HOSTS_UNCLEAR : wf_hosts.of ? HOSTS_SEVERAL : HOSTS_ONE;
}

/* One name that is made once, by the first process that asks, and holds the answer: a symbolic link. To make it is one
 * indivisible operation of the file system, on network file systems as well, so there is no moment at which two
 * processes can have different answers, and none waits for another. */
static bool hosts_decide(bool wanted)
{
    char name[WF_FILE_NAME_BYTES], world[WF_WORLD_BYTES], answer[8] = "";
    const char *word = wanted ? "yes" : "no";
    int saved = errno, directory = wf_directory_open();
    if (directory < 0)
        return false;
    wf_identity_world(world);
    snprintf(name, sizeof name, "remote-%s", world);
    bool first = symlinkat(word, directory, name) == 0;
    ssize_t n = first ? 0 : readlinkat(directory, name, answer, sizeof answer - 1);
    close(directory);
    errno = saved;
    return first ? wanted : n > 0 && strcmp(answer, "yes") == 0;
}

/* Who takes part has to be the same in the eyes of all: a process alone in a collective operation hangs, or worse,
 * meets the application's next one. So:
 *   - a process that has a box gets to this point, unless it dies: also one that could not start watching. One that
 *     never will (sessions alone, without MPI_COMM_WORLD) has refused before its box could be seen;
 *   - a process asks for headers between hosts only if it has seen the boxes of all ranks. So without all ranks watched
 *     none does;
 *   - the first to ask or to refuse decides for all, by one indivisible operation. A process that sees the boxes too
 *     late or not at all refuses, and if others have decided before, goes along. */
bool wf_hosts_agree(int rank, int size, bool *able)
{
    enum hosts_found found = hosts_find(size);
    if (found == HOSTS_ONE || !hosts_decide(*able && found == HOSTS_SEVERAL))
        return false;
    if (found != HOSTS_SEVERAL && hosts_find(size) != HOSTS_SEVERAL)
        *able = false;
    wf_hosts.own = wf_hosts.of ? wf_hosts.of[rank] : 0;
    return true;
}

void wf_hosts_refuse(void)
{
    hosts_decide(false);
}
