/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/transport.h"

#include "base/memory.h"
#include "measure/exchange/exchange.h"
#include "measure/exchange/stamp.h"
#include "measure/library/real.h"
#include "measure/path/feed.h"

#define TAG 0 /* one for all: what one process sends comes in the order it was sent */
/* Address space only: memory is used for as many messages as were ever under way at one time. */
#define POSTS (1u << 16)
/* Below what MPI libraries send at once: a longer one would be waited for. */
#define LONGEST (sizeof(struct wf_message) + WF_FEED_FAR_BYTES)
/* All have agreed and are on their way: longer than that means that a process is dead. */
#define AGREED_NS 30000000000ll

struct transport_post {
    MPI_Request request;
    struct wf_message message;
};

static struct {
    MPI_Comm comm;
    wf_transport_take *take;
    struct transport_post *posts;
    char *paths;                   /* LONGEST bytes for each of the posts; NULL: no paths are sent */
    uint32_t oldest, newest;       /* posts [oldest, newest) modulo POSTS are under way */
    char *came;                    /* LONGEST bytes */
    _Atomic uint64_t pumped_ticks; /* when last */
    struct wf_lock posting;        /* for the posts, with MPI_THREAD_MULTIPLE; taken last, whatever other is held */
    struct wf_lock taking;         /* for what has come; no other is held when it is taken, but those of matching */
} transport;

static int64_t transport_now_ns(void)
{
    return (int64_t)wf_clock_mono_ns();
}

bool wf_transport_open(void)
{
    MPI_Request request;
    int complete = 0;
    if (wf_real.Comm_idup(MPI_COMM_WORLD, &transport.comm, &request) != MPI_SUCCESS)
        return false;
    for (int64_t since = transport_now_ns(); !complete && transport_now_ns() - since < AGREED_NS;)
        if (wf_real.Test(&request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
    return complete && wf_real.Comm_set_errhandler(transport.comm, MPI_ERRORS_RETURN) == MPI_SUCCESS;
}

bool wf_transport_start(wf_transport_take *take)
{
    transport.posts = wf_memory_pages((size_t)POSTS * sizeof *transport.posts);
    transport.paths = wf_memory_pages(POSTS * LONGEST);
    transport.came = wf_memory_pages(LONGEST);
    transport.take = take;
    return transport.posts && transport.came;
}

/* ---- sending ---- */

/* Forgets what is sent. Eager messages are so at once; to start over at the front keeps the posts in the cache. */
static void transport_reap(uint32_t most)
{
    for (int complete = 1; transport.oldest != transport.newest && most--; transport.oldest++) {
        MPI_Request *request = &transport.posts[transport.oldest % POSTS].request;
        if (wf_real.Test(request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && !complete)
            return;
    }
    if (transport.oldest == transport.newest)
        transport.oldest = transport.newest = 0;
}

static bool transport_has_room(void)
{
    transport_reap(8);
    return transport.newest - transport.oldest < POSTS;
}

/* With the lock, and where there is room. */
static bool transport_send(int32_t to, const void *message, size_t bytes)
{
    MPI_Request *request = &transport.posts[transport.newest % POSTS].request;
    bool sent = wf_real.Isend(message, (int)bytes, MPI_BYTE, to, TAG, transport.comm, request) == MPI_SUCCESS;
    transport.newest += sent;
    return sent;
}

bool wf_transport_post(int32_t to, const struct wf_message *message)
{
    bool sent = false;
    wf_threads_lock(&transport.posting);
    if (transport_has_room()) {
        struct wf_message *m = &transport.posts[transport.newest % POSTS].message;
        *m = *message;
        sent = transport_send(to, m, sizeof *m);
    }
    wf_threads_unlock(&transport.posting);
    return sent;
}

uint64_t wf_transport_post_path(int32_t to, struct wf_feed *feed, enum wf_message_kind with)
{
    bool sent = false;
    wf_threads_lock(&transport.posting);
    if (feed && transport.paths && transport_has_room()) {
        struct wf_message *m = (struct wf_message *)(transport.paths + (transport.newest % POSTS) * LONGEST);
        size_t bytes = wf_feed_write(feed, m + 1);
        *m = (struct wf_message){.kind = WF_MESSAGE_PATH, .number = (uint32_t)bytes, .flags = with};
        sent = bytes && transport_send(to, m, sizeof *m + bytes);
    }
    wf_threads_unlock(&transport.posting);
    return sent;
}

void wf_transport_drain(int64_t limit_ns)
{
    for (int64_t since = transport_now_ns();
         transport.oldest != transport.newest && transport_now_ns() - since < limit_ns;)
        transport_reap(UINT32_MAX);
}

/* ---- taking ---- */

void wf_transport_pump(int32_t from)
{
    int source = from == WF_TRANSPORT_ANY ? MPI_ANY_SOURCE : from;
    if (wf_process.threads && !wf_lock_try(&transport.taking))
        return; /* another thread does so already */
    for (int come = 1; come;) {
        MPI_Status status;
        come = 0;
        if (wf_real.Iprobe(source, TAG, transport.comm, &come, &status) != MPI_SUCCESS || !come)
            break;
        if (wf_real.Recv(transport.came, LONGEST, MPI_BYTE, status.MPI_SOURCE, TAG, transport.comm, &status) ==
            MPI_SUCCESS)
            transport.take(status.MPI_SOURCE, (const struct wf_message *)transport.came);
    }
    wf_threads_unlock(&transport.taking);
    if (from == WF_TRANSPORT_ANY)
        wf_set(transport.pumped_ticks, wf_clock_ticks());
}

uint64_t wf_transport_pumped(void)
{
    return wf_get(transport.pumped_ticks);
}
