/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/remote.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>

#include "guest/memory.h"
#include "measure/comm.h"
#include "measure/common.h"
#include "measure/hosts.h"
#include "measure/process.h"
#include "measure/real.h"

#define TAG 0 /* one for all: what one process sends comes in the order it was sent */
#define POOL (1u << 16) /* address space only: memory is used for as many messages as were ever under way at once */
#define SENT_CAPACITY 256u
#define CAME_CAPACITY 64u
#define CAME_LIMIT (1u << 20)
#define SKIPS 16
#define ROUNDS 24 /* questions for the time, at start and end; more if */
#define ROUNDS_ERROR_NS (MS / 40) /* the best answer is worse than that, */
#define ROUNDS_NS (100ll * MS) /* for that long */
#define MS 1000000
#define AGREED_NS (30000ll * MS) /* all have agreed and are on their way: longer than that means that somebody is dead */
#define START_NS (5000ll * MS)
#define FINISH_NS (1000ll * MS)
#define PATIENCE_NS (20 * MS) /* for what has been sent before something that has come */
#define REPLY_FROM_NS MS      /* a send that took less has not waited for its receiver long enough to wait for the answer, */
#define REPLY_NS MS           /* which is waited for that long, or less if it often does not come */

enum kind {
    HEADER = 1, /* of message `number` of this pair */
    RETRACT,    /* which was not sent after all */
    REPLY,      /* the receiver's, to header `number` */
    ENTRY,      /* into collective `number` of a communicator */
    ASK,        /* what time is it? `real` is when it was asked */
    TELL,       /* `real` as asked, the answer in `late` */
    DONE,       /* asked enough */
    GONE,       /* there will be no more headers from here */
    OFF,        /* nor does anybody here take any */
    PATH,       /* goes before one of the first and belongs to it: `number` bytes of critical path follow; flags: the kind of that one */
};

struct message {
    uint32_t kind, number;
    uint64_t comm;
    int32_t tag;
    uint32_t flags;
    int64_t real;  /* common time */
    int64_t late;  /* by how much virtual time is earlier, */
    int64_t lag;   /* and ideal time earlier than that: both in ns */
    uint64_t address;
    uint64_t path; /* 1: the one before was its path */
};

#define LONGEST (sizeof(struct message) + WF_FEED_FAR_BYTES) /* below what MPI libraries send at once: a longer one would be waited for */
#define SHOWN_BYTES 16384u /* room for one of them here */
#define STAND_IN_BYTES (sizeof(struct wf_box) + 2 * PATHS * SHOWN_BYTES)
#define PATHS 64u /* of one sender, for headers that are not received yet: further ones are lost. And as many of the latest of other kinds */

struct sending {
    MPI_Request request;
    struct message message;
};

struct skip {
    uint64_t comm;
    int32_t tag;
};

/* What is not atomic is of whoever takes what has come; `told`, of whoever writes to it. */
struct peer {
    _Atomic(struct wf_box *) box; /* stands for its box: what it has entered; and behind it, what it has shown */
    uint32_t shown;          /* how many, so far */
    struct wf_showing last;  /* the last of them, for what comes behind it */
    _Atomic uint32_t written; /* records in the ring that stands for what it sent */
    _Atomic bool gone;       /* nothing more will come */
    bool told;               /* that nothing more will come from here */
    uint32_t skip_count;
    struct skip skips[SKIPS];
};

bool wf_remote_on;
_Atomic int64_t wf_remote_put_ticks;

/* Stands for what a rank sent that has sent nothing yet. Whoever looks should look closer: `syncs` is never what was taken. */
static union {
    struct wf_ring ring;
    struct wf_record room[sizeof(struct wf_ring) / sizeof(struct wf_record) + 1];
} nothing = {.ring = {.capacity = 1, .syncs = UINT32_MAX}};

static MPI_Comm comm = MPI_COMM_NULL;
static int own_rank, world_size;
static struct peer *peers; /* by world rank */
static struct sending *pool;
static char *long_pool; /* LONGEST bytes for each in the pool; NULL: no paths are sent */
static char *came; /* LONGEST bytes */
static uint32_t oldest, newest; /* sendings [oldest, newest) modulo POOL are under way */
static struct wf_common common_time;
static _Atomic int64_t patience_ns = PATIENCE_NS, reply_ns = REPLY_NS, ask_interval_ns = 250ll * MS, asked_ns;
static _Atomic uint64_t pumped_ticks; /* when last */
static int done_count;     /* leaders that have asked enough */
static bool told_time;     /* an answer has come since it was last cleared */
static struct wf_reading told; /* and this is it */

/* With MPI_THREAD_MULTIPLE: for the pool, for what has come, for the common time. Each is taken last, whatever other is held; but the time while taking. */
static struct wf_lock sending, taking, timing;

/* Clocks. */

static int64_t now_ns(void)
{
    return (int64_t)wf_clock_mono_ns();
}

/* One moment on both clocks, and what a tick is. */
struct moment {
    uint64_t ticks;
    int64_t ns;
    double ns_per_tick;
};

static struct moment moment_now(void)
{
    const struct wf_segment_header *h = wf_process.segment.header;
    struct moment m = {.ns = 0};
    for (int i = 0; i < 3; i++) {
        m.ticks = wf_clock_ticks();
        m.ns = now_ns();
        if (wf_clock_ticks() - m.ticks < wf_limits.at_once) /* not interrupted */
            break;
    }
    m.ns_per_tick = m.ticks > h->tick0 ? (double)(m.ns - (int64_t)h->ns0) / (double)(m.ticks - h->tick0) : 1;
    return m;
}

static void acquire(struct wf_lock *lock)
{
    if (wf_process.threads)
        wf_lock_take(lock);
}

static void release(struct wf_lock *lock)
{
    if (wf_process.threads)
        wf_lock_give(lock);
}

static void write_stamp(struct message *message, const struct wf_stamp *s)
{
    struct moment m = moment_now();
    int64_t own = m.ns + (int64_t)((double)(int64_t)(s->real - m.ticks) * m.ns_per_tick);
    acquire(&timing);
    message->real = wf_common_of(&common_time, own);
    release(&timing);
    message->late = (int64_t)((double)(int64_t)(s->real - s->virt) * m.ns_per_tick);
    message->lag = (int64_t)((double)(int64_t)(s->virt - s->ideal) * m.ns_per_tick);
}

static struct wf_stamp read_stamp(const struct message *message)
{
    struct moment m = moment_now();
    double ticks_per_ns = 1 / m.ns_per_tick;
    acquire(&timing);
    int64_t own = wf_common_own(&common_time, message->real);
    release(&timing);
    struct wf_stamp s = {.real = m.ticks + (uint64_t)(int64_t)((double)(own - m.ns) * ticks_per_ns)};
    if ((int64_t)(s.real - m.ticks) > 0)
        s.real = m.ticks; /* nothing comes before it is sent: the clocks are a little apart */
    s.virt = s.real - (uint64_t)(int64_t)((double)message->late * ticks_per_ns);
    s.ideal = s.virt - (uint64_t)(int64_t)((double)message->lag * ticks_per_ns);
    return s;
}

/* Sending. */

/* Forgets what is sent. Eager messages are so at once; to start over at the front keeps the pool in the cache. */
static void reap(uint32_t most)
{
    for (int complete = 1; oldest != newest && most--; oldest++) {
        if (wf_real.Test(&pool[oldest % POOL].request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && !complete)
            return;
    }
    if (oldest == newest)
        oldest = newest = 0;
}

static bool post(int32_t to, const struct message *message)
{
    acquire(&sending);
    reap(8);
    bool sent = newest - oldest < POOL;
    if (sent) {
        struct sending *s = &pool[newest % POOL];
        s->message = *message;
        sent = wf_real.Isend(&s->message, sizeof s->message, MPI_BYTE, to, TAG, comm, &s->request) == MPI_SUCCESS;
        newest += sent;
    }
    release(&sending);
    return sent;
}

/* What goes before a header: its sender's path. Without it, if there is no room. */
static uint64_t post_path(int32_t to, struct wf_feed *feed, enum kind with)
{
    bool sent = false;
    acquire(&sending);
    reap(8);
    if (feed && long_pool && newest - oldest < POOL) {
        struct sending *s = &pool[newest % POOL];
        struct message *m = (struct message *)(long_pool + (size_t)(newest % POOL) * LONGEST);
        size_t bytes = wf_feed_write(feed, m + 1);
        *m = (struct message){.kind = PATH, .number = (uint32_t)bytes, .flags = with};
        sent = bytes && wf_real.Isend(m, (int)(sizeof *m + bytes), MPI_BYTE, to, TAG, comm, &s->request) == MPI_SUCCESS;
        newest += sent;
    }
    release(&sending);
    return sent;
}

/* Where a header for this rank leaves a trace until its message is received: for replies, and to take it back. */
static struct wf_ring *sent_ring(struct wf_writer *w)
{
    struct wf_ring *ring = wf_get(w->ring);
    if (!ring) {
        uint32_t replies = (uint32_t)(sizeof(struct wf_ring) + SENT_CAPACITY * sizeof(struct wf_record));
        ring = wf_memory_pages(replies + SENT_CAPACITY * sizeof(struct wf_reply));
        if (!ring)
            return NULL;
        ring->capacity = SENT_CAPACITY;
        ring->replies = replies;
        atomic_store_explicit(&w->ring, ring, memory_order_release);
    }
    return ring;
}

static void count_dropped(void)
{
    if (weft_tls.lane)
        weft_tls.lane->record->headers.dropped++;
}

/* A header was lost: nobody could tell any more which header belongs to which message. */
static void give_up(int32_t to, struct wf_writer *w)
{
    w->dropped = true;
    count_dropped();
    if (!peers[to].told)
        peers[to].told = post(to, &(struct message){.kind = GONE});
}

/* Clocks drift apart: asks for the time now and then, along with what is sent anyway. Nobody waits for the answer. */
static void ask_now_and_then(void)
{
    if (wf_hosts[own_rank] == 0)
        return;
    int64_t now = now_ns(), before = wf_get(asked_ns), interval = wf_get(ask_interval_ns);
    if (now - before < interval || !atomic_compare_exchange_strong(&asked_ns, &before, now)) /* another thread asks */
        return;
    wf_set(ask_interval_ns, interval + (interval < 4000ll * MS ? interval : 0));
    post(0, &(struct message){.kind = ASK, .real = now});
}

struct wf_record *wf_remote_put(int32_t to, const struct wf_header *h, struct wf_feed *feed)
{
    struct wf_writer *w = &wf_box_to[to];
    struct wf_ring *ring = w->dropped ? NULL : sent_ring(w);
    struct message m = {.kind = HEADER, .number = w->next + 1, .comm = h->comm, .tag = h->tag, .flags = h->flags, .address = h->address};
    if (ring) {
        m.path = post_path(to, feed, HEADER);
        write_stamp(&m, &h->stamp);
    }
    if (!ring || !post(to, &m)) {
        give_up(to, w);
        return NULL;
    }
    struct wf_record *record = &ring->records[w->next % SENT_CAPACITY];
    w->next++;
    w->taken = w->next - SENT_CAPACITY; /* full, for whoever looks: so each header comes here */
    record->remote = (uint32_t)to + 1;
    atomic_store_explicit(&record->number, w->next, memory_order_relaxed);
    ask_now_and_then();
    return record;
}

void wf_remote_retract(const struct wf_record *record)
{
    post((int32_t)record->remote - 1, &(struct message){.kind = RETRACT, .number = atomic_load(&record->number)});
}

void wf_remote_reply(int32_t to, uint32_t number, const struct wf_stamp *begin, uint64_t address)
{
    struct wf_feed *feed = weft_tls.lane ? weft_tls.lane->feed : NULL;
    struct message m = {.kind = REPLY, .number = number, .address = address};
    if (feed && wf_feed_began_at(feed, begin->virt))
        m.path = post_path(to, feed, REPLY);
    write_stamp(&m, begin);
    post(to, &m);
}

static bool depends(const struct wf_ranks *ranks, enum wf_waits waits, int root, int member)
{
    switch (waits) {
    case WF_WAITS_barrier:
    case WF_WAITS_all:
        return true;
    case WF_WAITS_root:
        return ranks->rank == root;
    case WF_WAITS_members:
        return member == root;
    case WF_WAITS_below:
        return member > ranks->rank;
    default:
        return false;
    }
}

bool wf_remote_enter(const struct wf_ranks *ranks, enum wf_waits waits, int root, uint32_t number, const struct wf_stamp *stamp, uint64_t address,
                     struct wf_feed *feed)
{
    struct message m = {.kind = ENTRY, .number = number, .comm = ranks->id, .address = address};
    struct wf_stamp sent = *stamp;
    bool any = false;
    if (!wf_remote_reaches(ranks->size, waits))
        return false;
    sent.real += (uint64_t)wf_get(wf_remote_put_ticks); /* when all are told */
    for (int i = 0; i < ranks->size; i++) {
        int32_t to = ranks->partner[i];
        if (to < 0 || !wf_box_to[to].remote || wf_get(wf_box_to[to].absent) || !depends(ranks, waits, root, i))
            continue;
        if (!any)
            write_stamp(&m, &sent);
        any = true;
        m.path = post_path(to, feed, ENTRY);
        if (!post(to, &m))
            count_dropped();
    }
    if (any)
        ask_now_and_then();
    return any;
}

/* Taking. */

/* The ring that stands for what `from` sent has room for one more. */
static struct wf_ring *came_ring(struct wf_reader *r, uint32_t written)
{
    struct wf_ring *now = wf_get(r->ring), *old = now == &nothing.ring ? NULL : now;
    uint32_t next = atomic_load_explicit(&r->next, memory_order_acquire); /* what is before it has been read */
    if (old && written - next < old->capacity)
        return old;
    uint32_t capacity = old ? 2 * old->capacity : CAME_CAPACITY;
    struct wf_ring *ring = capacity <= CAME_LIMIT ? wf_memory_pages(sizeof *ring + (size_t)capacity * sizeof(struct wf_record)) : NULL;
    if (!ring)
        return NULL;
    ring->capacity = capacity;
    wf_set(ring->syncs, UINT32_MAX);
    for (uint32_t n = next; old && n != written; n++)
        ring->records[n % capacity] = old->records[n % old->capacity];
    atomic_store_explicit(&r->ring, ring, memory_order_release); /* the old one stays: another thread may be reading it */
    return ring;
}

static bool is_skipped(struct peer *p, const struct message *m)
{
    for (uint32_t i = 0; i < p->skip_count; i++)
        if (p->skips[i].comm == m->comm && p->skips[i].tag == m->tag) {
            p->skips[i] = p->skips[--p->skip_count];
            return true;
        }
    return false;
}

static struct wf_shown *block(struct wf_box *box, uint32_t i, uint32_t *offset)
{
    *offset = (uint32_t)(sizeof *box + (size_t)i * SHOWN_BYTES) / 64;
    return wf_box_at(box, *offset);
}

/* Room for what goes with a header: it stays until that is received. NULL: there is none. */
static struct wf_shown *free_block(struct wf_box *box, uint32_t *offset)
{
    for (uint32_t i = 0; i < PATHS; i++) {
        struct wf_shown *shown = block(box, i, offset);
        if (atomic_load_explicit(&shown->ticket, memory_order_acquire) == 0)
            return shown;
    }
    return NULL;
}

/* A path has come: it is kept where the sender's process would have shown it. */
static void path_came(int32_t from, const struct message *m)
{
    struct peer *p = &peers[from];
    struct wf_feed *feed = weft_tls.lane ? weft_tls.lane->feed : NULL;
    struct wf_box *box = feed ? wf_remote_box(from) : NULL;
    p->last = (struct wf_showing){.path = 0};
    if (!box || m->number > WF_FEED_FAR_BYTES || wf_feed_room > SHOWN_BYTES)
        return;
    uint32_t offset;
    struct wf_shown *shown = m->flags == HEADER ? free_block(box, &offset) : block(box, PATHS + p->shown % PATHS, &offset);
    if (!shown)
        return;
    atomic_store_explicit(&shown->ticket, 0, memory_order_relaxed); /* whoever has not read what was here yet finds another ticket */
    atomic_thread_fence(memory_order_release);
    if (!wf_feed_read(feed, m + 1, m->number, shown))
        return;
    p->last = (struct wf_showing){.path = offset, .ticket = ++p->shown};
    atomic_store_explicit(&shown->ticket, p->last.ticket, memory_order_release);
}

static struct wf_showing shown_with(struct peer *p, const struct message *m)
{
    struct wf_showing last = p->last;
    p->last.path = 0;
    return m->path ? last : (struct wf_showing){.path = 0};
}

static void header_came(int32_t from, const struct message *m)
{
    struct peer *p = &peers[from];
    uint32_t written = wf_get(p->written);
    if (wf_get(p->gone) || is_skipped(p, m))
        return;
    struct wf_reader *r = &wf_box_from[from];
    struct wf_ring *ring = came_ring(r, written);
    if (!ring) {
        wf_set(p->gone, true);
        return;
    }
    struct wf_record *record = &ring->records[written % ring->capacity];
    struct wf_stamp stamp = read_stamp(m);
    wf_set(record->flags, m->flags | WF_HEADER_FAR);
    wf_set(record->comm, m->comm);
    wf_set(record->tag, m->tag);
    wf_box_write_stamp(&record->stamp, &stamp);
    wf_set(record->address, m->address);
    wf_set(record->path, shown_with(p, m).path);
    record->remote_number = m->number; /* what a reply has to name */
    atomic_store_explicit(&record->number, written + 1, memory_order_release);
    atomic_store_explicit(&p->written, written + 1, memory_order_release);
}

static void retract_came(int32_t from, const struct message *m)
{
    const struct wf_reader *r = &wf_box_from[from];
    struct wf_ring *ring = wf_get(r->ring);
    for (uint32_t n = wf_get(r->next); ring && n != wf_get(peers[from].written); n++) {
        struct wf_record *record = &ring->records[n % ring->capacity];
        if (record->remote_number == m->number)
            atomic_fetch_or_explicit(&record->flags, WF_HEADER_DEAD, memory_order_relaxed);
    }
}

static void reply_came(int32_t from, const struct message *m)
{
    struct wf_ring *ring = atomic_load_explicit(&wf_box_to[from].ring, memory_order_acquire);
    if (!ring || !wf_box_to[from].remote)
        return;
    struct wf_reply *reply = wf_box_reply_of(ring, m->number);
    struct wf_showing shown = shown_with(&peers[from], m);
    struct wf_stamp stamp = read_stamp(m);
    if (wf_get(reply->number) != m->number) /* each has one */
        wf_box_write_reply(reply, m->number, &stamp, m->address, shown);
}

static void entry_came(int32_t from, const struct message *m)
{
    struct wf_box *box = wf_remote_box(from);
    struct wf_showing shown = shown_with(&peers[from], m);
    struct wf_entry e = {.stamp = read_stamp(m), .address = m->address, .path = shown.path, .path_ticket = shown.ticket};
    if (box)
        wf_box_enter(box, m->comm, m->number, &e);
}

static void time_came(const struct message *m)
{
    told = wf_reading_of(m->real, now_ns(), m->late);
    told_time = true;
    acquire(&timing);
    if (wf_remote_on)
        wf_common_learn(&common_time, told);
    release(&timing);
}

static void take(int32_t from, const struct message *m)
{
    switch ((enum kind)m->kind) {
    case HEADER:
        header_came(from, m);
        break;
    case RETRACT:
        retract_came(from, m);
        break;
    case REPLY:
        reply_came(from, m);
        break;
    case ENTRY:
        entry_came(from, m);
        break;
    case ASK:
        post(from, &(struct message){.kind = TELL, .real = m->real, .late = now_ns()});
        break;
    case TELL:
        time_came(m);
        break;
    case DONE:
        done_count++;
        break;
    case OFF:
        if (wf_hosts[from] != wf_hosts[own_rank])
            wf_set(wf_box_to[from].absent, true);
        wf_set(peers[from].gone, true);
        done_count += wf_hosts_leader(wf_hosts[from]) == from;
        break;
    case GONE:
        wf_set(peers[from].gone, true);
        break;
    case PATH:
        path_came(from, m);
        break;
    }
}

static void pump(int source)
{
    if (wf_process.threads && !wf_lock_try(&taking))
        return; /* somebody does so already */
    for (int come = 1; come;) {
        MPI_Status status;
        come = 0;
        if (wf_real.Iprobe(source, TAG, comm, &come, &status) != MPI_SUCCESS || !come)
            break;
        if (wf_real.Recv(came, LONGEST, MPI_BYTE, status.MPI_SOURCE, TAG, comm, &status) == MPI_SUCCESS)
            take(status.MPI_SOURCE, (const struct message *)came);
    }
    release(&taking);
}

void wf_remote_pump(void)
{
    pump(MPI_ANY_SOURCE);
    wf_set(pumped_ticks, wf_clock_ticks());
}

void wf_remote_pump_seldom(void)
{
    if (wf_clock_ticks() - wf_get(pumped_ticks) > wf_limits.seldom)
        wf_remote_pump();
}

/* Waiting. What is waited for has been sent before something that has come, unless a guess about who depends on whom is wrong; then it never
 * comes, and the more often that happens the shorter is the wait. */
static bool is_late(int64_t since)
{
    int64_t patience = wf_get(patience_ns);
    if (now_ns() - since < patience) {
        sched_yield();
        return false;
    }
    wf_set(patience_ns, patience / 2 > MS / 20 ? patience / 2 : MS / 20);
    return true;
}

static void not_late(void)
{
    int64_t patience = wf_get(patience_ns);
    wf_set(patience_ns, patience + (patience < PATIENCE_NS ? patience / 16 : 0));
}

bool wf_remote_await(int32_t source, int64_t *since)
{
    struct peer *p = &peers[source];
    *since = *since ? *since : now_ns();
    do {
        wf_remote_pump();
        if (wf_get(p->written) != wf_get(wf_box_from[source].next)) {
            not_late();
            return true;
        }
    } while (!wf_get(p->gone) && !is_late(*since));
    return false;
}

void wf_remote_skip(int32_t source, uint64_t id, int32_t tag)
{
    struct peer *p = &peers[source];
    acquire(&taking);
    if (p->skip_count < SKIPS)
        p->skips[p->skip_count++] = (struct skip){.comm = id, .tag = tag};
    else
        wf_set(p->gone, true);
    release(&taking);
}

void wf_remote_await_reply(struct wf_ring *ring, uint32_t number, uint64_t ticks)
{
    const struct wf_reply *reply = wf_box_reply_of(ring, number);
    int64_t since = now_ns(), most = wf_get(reply_ns);
    int64_t limit = (double)ticks * moment_now().ns_per_tick < REPLY_FROM_NS ? 0 : most;
    bool come, late;
    do {
        wf_remote_pump();
        come = atomic_load_explicit(&reply->number, memory_order_acquire) == number;
        late = now_ns() - since >= limit;
    } while (!come && !late);
    if (!come && limit)
        wf_set(reply_ns, most / 2 > REPLY_NS / 64 ? most / 2 : REPLY_NS / 64);
    else if (come)
        wf_set(reply_ns, most + (most < REPLY_NS ? most / 4 : 0));
}

bool wf_remote_await_entry(int32_t member, uint64_t id, uint32_t number)
{
    struct wf_entry e;
    int64_t since = now_ns();
    const struct wf_box *box = wf_remote_box(member);
    if (!box)
        return false;
    do {
        wf_remote_pump();
        if (wf_box_entered(box, id, number, &e)) {
            not_late();
            return true;
        }
    } while (!wf_get(peers[member].gone) && !is_late(since));
    return false;
}

struct wf_box *wf_remote_box(int32_t rank)
{
    static struct wf_lock making;
    struct wf_box *box = atomic_load_explicit(&peers[rank].box, memory_order_acquire);
    if (box)
        return box;
    wf_lock_take(&making);
    box = wf_get(peers[rank].box);
    if (!box)
        box = wf_memory_pages(STAND_IN_BYTES);
    wf_set(wf_box_from[rank].bytes, STAND_IN_BYTES);
    atomic_store_explicit(&wf_box_from[rank].box, box, memory_order_release); /* what comes may refer to it before anybody has asked for it */
    atomic_store_explicit(&peers[rank].box, box, memory_order_release);
    wf_lock_give(&making);
    return box;
}

/* The time base. The lowest rank of each host asks rank 0, the others of the host read from its box what it found. */

static void publish(unsigned which, bool known, struct wf_reading reading)
{
    struct wf_box_clock *clock = &wf_box->clocks[which];
    wf_set(clock->at, reading.at);
    wf_set(clock->offset, reading.offset);
    wf_set(clock->error, reading.error);
    atomic_store_explicit(&clock->state, known ? WF_BOX_CLOCK_KNOWN : WF_BOX_CLOCK_UNKNOWN, memory_order_release);
}

/* Several questions, one after another; the answer that came soonest is the best. */
static bool ask(int64_t limit_ns, struct wf_reading *best)
{
    int64_t since = now_ns();
    bool any = false;
    for (int64_t round = 0, first = 0; now_ns() - since < limit_ns; round++) {
        if (round >= ROUNDS && (best->error < ROUNDS_ERROR_NS || now_ns() - first > ROUNDS_NS))
            break;
        told_time = false;
        post(0, &(struct message){.kind = ASK, .real = now_ns()});
        while (!told_time && now_ns() - since < limit_ns)
            pump(0); /* others may have headers for us already, which say nothing before the time base is known */
        first = first ? first : now_ns(); /* it may have been long before rank 0 came to answer */
        if (told_time && (!any || told.error < best->error)) {
            *best = told;
            any = true;
        }
    }
    post(0, &(struct message){.kind = DONE});
    return any;
}

static void answer(int64_t limit_ns)
{
    for (int64_t since = now_ns(); done_count < wf_hosts_count - 1 && now_ns() - since < limit_ns;)
        wf_remote_pump();
    done_count = 0;
}

static bool read_leader(int leader, unsigned which, int64_t limit_ns, struct wf_reading *reading)
{
    const struct wf_box *box = wf_box_of(leader);
    for (int64_t since = now_ns(); box && now_ns() - since < limit_ns; sched_yield()) {
        const struct wf_box_clock *clock = &box->clocks[which];
        uint32_t state = atomic_load_explicit(&clock->state, memory_order_acquire);
        *reading = (struct wf_reading){.at = wf_get(clock->at), .offset = wf_get(clock->offset), .error = wf_get(clock->error)};
        if (state)
            return state == WF_BOX_CLOCK_KNOWN;
    }
    return false;
}

/* This process's part in finding the time base; which: 0 at start, 1 at the end. */
static bool compare_clocks(unsigned which, int64_t limit_ns)
{
    struct wf_reading best = {.at = now_ns()};
    int leader = wf_hosts_leader(wf_hosts[own_rank]);
    bool known = true;
    if (own_rank == 0)
        answer(limit_ns);
    else if (wf_hosts[own_rank] == 0)
        return true;
    else if (leader == own_rank)
        publish(which, known = ask(limit_ns, &best), best);
    else
        known = read_leader(leader, which, limit_ns, &best);
    acquire(&timing);
    if (known && wf_hosts[own_rank])
        wf_common_learn(&common_time, best);
    release(&timing);
    return known;
}

static void write_base(void)
{
    struct wf_segment_header *h = wf_process.segment.header;
    const struct wf_common *c = &common_time;
    if (wf_hosts[own_rank] == 0)
        return;
    int64_t start = (int64_t)h->ns0, before = wf_ppb(c->drift_error_ppb, c->first.at - start), error = c->first.error;
    h->host_offset_ns = wf_common_offset(c, start);
    h->host_drift_ppb = c->drift_ppb;
    h->host_error_ns = (uint64_t)((error > c->last.error ? error : c->last.error) + before);
}

/* Start and end. */

static void say_off(void)
{
    for (int r = 0; r < world_size; r++)
        if (r != own_rank && (!wf_hosts || wf_hosts[r] != wf_hosts[own_rank]))
            post(r, &(struct message){.kind = OFF});
}

/* The one collective operation. Everybody has agreed to it, so everybody comes; if somebody has died meanwhile, nobody hangs. */
static bool duplicate_world(void)
{
    MPI_Request request;
    int complete = 0;
    if (wf_real.Comm_idup(MPI_COMM_WORLD, &comm, &request) != MPI_SUCCESS)
        return false;
    for (int64_t since = now_ns(); !complete && now_ns() - since < AGREED_NS;)
        if (wf_real.Test(&request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
    return complete && wf_real.Comm_set_errhandler(comm, MPI_ERRORS_RETURN) == MPI_SUCCESS;
}

/* Who takes part has to be the same in the eyes of all: a process alone in a collective operation hangs, or worse, meets the application's
 * next one. So:
 *   - a process that has a box gets to this point, unless it dies: also one that could not start watching. One that never will (sessions alone,
 *     without MPI_COMM_WORLD) has refused before its box could be seen;
 *   - nobody asks for headers between hosts who has not seen the boxes of all ranks. So without all ranks watched nobody does;
 *   - the first to ask or to refuse decides for all, by one indivisible operation (wf_hosts_agree). Who sees the boxes too late or not at all
 *     refuses, and if others have decided before, goes along. */
static bool agree(bool *able)
{
    enum wf_hosts_found found = wf_hosts_find(world_size);
    if (found == WF_HOSTS_ONE || !wf_hosts_agree(*able && found == WF_HOSTS_SEVERAL))
        return false;
    if (found != WF_HOSTS_SEVERAL && wf_hosts_find(world_size) != WF_HOSTS_SEVERAL)
        *able = false;
    return true;
}

void wf_remote_start(int rank, int size, bool able)
{
    own_rank = rank;
    world_size = size;
    if (!agree(&able) || !duplicate_world())
        return;
    peers = wf_memory_pages((size_t)size * sizeof *peers);
    pool = wf_memory_pages((size_t)POOL * sizeof *pool);
    long_pool = wf_memory_pages(POOL * LONGEST);
    came = wf_memory_pages(LONGEST);
    if (!pool || !came)
        return;
    if (!able || !wf_hosts || !peers || !compare_clocks(0, START_NS)) {
        say_off();
        return;
    }
    for (int r = 0; r < size; r++)
        if (wf_hosts[r] != wf_hosts[rank]) {
            wf_box_to[r].remote = wf_box_from[r].remote = true;
            if (!wf_get(wf_box_from[r].ring))
                wf_set(wf_box_from[r].ring, &nothing.ring);
        }
    wf_set(asked_ns, now_ns());
    wf_remote_on = true;
    write_base();
}

void wf_remote_refuse(void)
{
    wf_hosts_agree(false);
}

/* MPI_Finalize itself frees the communicator: to free it here, its number might be given to one that the application makes while MPI_Finalize
 * calls it back, and late headers would come there. */
void wf_remote_finish(void)
{
    if (!wf_remote_on)
        return;
    compare_clocks(1, FINISH_NS);
    write_base();
    for (int64_t since = now_ns(); oldest != newest && now_ns() - since < 100ll * MS;)
        reap(UINT32_MAX);
}
