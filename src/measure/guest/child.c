/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/guest/child.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "base/memory.h"

static struct child_watch {
    bool unwatched; /* what wf_child_parent leads to until there is a page */
    void (*forked)(void);
} child_watch = {.unwatched = true};

bool *wf_child_parent = &child_watch.unwatched;

static void child_is_forked(void)
{
    *wf_child_parent = false;
    child_watch.forked();
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
    child_watch.forked = forked;
    pthread_atfork(NULL, NULL, child_is_forked);
    errno = saved;
}
