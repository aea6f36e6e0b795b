/* SPDX-License-Identifier: BSD-3-Clause */
#include "guest/child.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "guest/memory.h"

static bool before_anybody_watches = true;
bool *wf_child_parent = &before_anybody_watches;

static void (*told)(void);

static void in_child(void)
{
    *wf_child_parent = false;
    told();
}

void wf_child_watch(void (*forked)(void))
{
    int saved = errno;
    bool *page = wf_memory_pages(4096);
    if (page) {
        *page = true;
        madvise(page, 4096, MADV_WIPEONFORK);
        wf_child_parent = page;
    }
    told = forked;
    pthread_atfork(NULL, NULL, in_child);
    errno = saved;
}
