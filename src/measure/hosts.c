/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/hosts.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "guest/directory.h"
#include "guest/memory.h"
#include "guest/settings.h"
#include "measure/clock.h"
#include "measure/file.h"
#include "measure/process.h"

#define MAX_HOSTS 4096
#define NAME_BYTES 64
#define PATIENCE_NS 2000000000u /* for names that another host has made and this one's file system does not show yet */

uint16_t *wf_hosts;
int wf_hosts_count;

static char (*names)[NAME_BYTES]; /* of hosts */

/* Index + 1 of a host by its name; 0: there are too many. */
static int host_number(const char *name)
{
    for (int i = 0; i < wf_hosts_count; i++)
        if (strcmp(names[i], name) == 0)
            return i + 1;
    if (wf_hosts_count == MAX_HOSTS)
        return 0;
    snprintf(names[wf_hosts_count], NAME_BYTES, "%s", name);
    return ++wf_hosts_count;
}

/* box-WORLD-RANK-HOST of this world: a host + 1 for its rank. Returns 1; 0: it is something else; -1: a second one of one rank. */
static int note_box(const char *name, const char *prefix, int size)
{
    size_t n = strlen(prefix);
    char *end;
    if (strncmp(name, prefix, n) != 0)
        return 0;
    long rank = strtol(name + n, &end, 10);
    if (end == name + n || *end != '-' || rank < 0 || rank >= size)
        return 0;
    if (wf_hosts[rank])
        return -1;
    wf_hosts[rank] = (uint16_t)host_number(end + 1);
    return wf_hosts[rank] ? 1 : -1;
}

/* How many ranks have a box; -1: it is not clear which. */
static int scan(int size)
{
    char prefix[WF_WORLD_BYTES + 8], world[WF_WORLD_BYTES];
    wf_process_world(world);
    snprintf(prefix, sizeof prefix, "box-%s-", world);
    memset(wf_hosts, 0, (size_t)size * sizeof *wf_hosts);
    wf_hosts_count = 0;
    DIR *dir = opendir(wf_settings.directory);
    if (!dir)
        return -1;
    int found = 0, one = 0;
    for (struct dirent *e; one >= 0 && (e = readdir(dir)); found += one)
        one = note_box(e->d_name, prefix, size);
    closedir(dir);
    return one < 0 ? -1 : found;
}

/* Is the directory one whose changes may be seen late? Whatever is not known to be local is. */
static bool may_be_late(void)
{
    static const long local[] = {0xEF53 /* ext */, 0x01021994 /* tmpfs */, 0x58465342 /* xfs */, 0x9123683E /* btrfs */, 0x794C7630 /* overlay */,
                                 0x858458F6 /* ramfs */, 0x2FC12FC1 /* zfs */};
    struct statfs fs;
    if (statfs(wf_settings.directory, &fs) != 0)
        return false;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if ((fs.f_type & 0xffffffffL) == local[i])
            return false;
    return true;
}

/* Hosts in the order of their lowest rank, from 0 on. */
static void number_hosts(int size)
{
    uint16_t *order = wf_memory_pages(MAX_HOSTS * sizeof *order);
    int next = 0;
    for (int r = 0; order && r < size; r++) {
        if (!order[wf_hosts[r] - 1])
            order[wf_hosts[r] - 1] = (uint16_t)++next;
        wf_hosts[r] = (uint16_t)(order[wf_hosts[r] - 1] - 1);
    }
    if (order)
        wf_memory_release(order, MAX_HOSTS * sizeof *order);
}

int wf_hosts_leader(int host)
{
    int r = 0;
    while (wf_hosts[r] != host)
        r++;
    return r;
}

static int scan_patiently(int size)
{
    uint64_t since = wf_clock_read_ns(CLOCK_MONOTONIC);
    int found = scan(size);
    if (found != size && may_be_late())
        while ((found = scan(size)) != size && wf_clock_read_ns(CLOCK_MONOTONIC) - since < PATIENCE_NS)
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    return found;
}

enum wf_hosts_found wf_hosts_find(int size)
{
    char world[WF_WORLD_BYTES];
    wf_process_world(world);
    if (!*world || size < 2)
        return WF_HOSTS_ONE;
    wf_hosts = wf_memory_pages((size_t)size * sizeof *wf_hosts);
    names = wf_memory_pages((size_t)MAX_HOSTS * NAME_BYTES);
    bool all = wf_hosts && names && scan_patiently(size) == size;
    if (all && wf_hosts_count > 1)
        number_hosts(size);
    else
        wf_hosts = NULL;
    if (names)
        wf_memory_release(names, (size_t)MAX_HOSTS * NAME_BYTES);
    return !all ? WF_HOSTS_UNCLEAR : wf_hosts ? WF_HOSTS_SEVERAL : WF_HOSTS_ONE;
}

/* One name that is made once, by whoever is first, and holds the answer: a symbolic link. To make it is one indivisible operation of the file
 * system, on network file systems as well, so there is no moment at which two processes can have different answers, and nobody waits for
 * anybody. */
bool wf_hosts_agree(bool wanted)
{
    char name[WF_FILE_NAME_BYTES], world[WF_WORLD_BYTES], answer[8] = "";
    const char *word = wanted ? "yes" : "no";
    int saved = errno, directory = wf_directory_open();
    if (directory < 0)
        return false;
    wf_process_world(world);
    snprintf(name, sizeof name, "remote-%s", world);
    bool first = symlinkat(word, directory, name) == 0;
    ssize_t n = first ? 0 : readlinkat(directory, name, answer, sizeof answer - 1);
    close(directory);
    errno = saved;
    return first ? wanted : n > 0 && strcmp(answer, "yes") == 0;
}
