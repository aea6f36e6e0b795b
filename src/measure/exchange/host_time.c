/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/host_time.h"

#include <sched.h>

#include "measure/clock/limits.h"
#include "measure/exchange/exchange.h"
#include "measure/exchange/hosts.h"
#include "measure/exchange/stamp.h"

#define MS 1000000
#define ROUNDS 24                 /* questions for the time, at start and end; more if */
#define ROUNDS_ERROR_NS (MS / 40) /* the best answer is worse than that, */
#define ROUNDS_NS (100ll * MS)    /* for that long */
#define SELDOM_NS (250ll * MS)    /* between the first two questions in between; */
#define SELDOM_MOST_NS (4000ll * MS)

static struct {
    struct wf_common_time common;
    struct wf_lock lock; /* for it, with MPI_THREAD_MULTIPLE; taken last, whatever other is held */
    _Atomic int64_t asked_ns, ask_interval_ns;
    int done_count;           /* leaders that have asked enough */
    bool told;                /* an answer has come since it was last cleared */
    struct wf_reading answer; /* and this is it */
    bool known;               /* common time is, so each answer may make it better */
} host_time = {.ask_interval_ns = SELDOM_NS};

/* One moment on both clocks, and what a tick is. */
struct host_moment {
    uint64_t ticks;
    int64_t ns;
    double ns_per_tick;
};

static struct host_moment host_moment_now(void)
{
    const struct wf_segment_header *h = wf_process.segment.header;
    struct host_moment m = {.ns = 0};
    for (int i = 0; i < 3; i++) {
        m.ticks = wf_clock_ticks();
        m.ns = wf_host_time_now_ns();
        if (wf_clock_ticks() - m.ticks < wf_limits.at_once) /* not interrupted */
            break;
    }
    m.ns_per_tick = m.ticks > h->tick0 ? (double)(m.ns - (int64_t)h->ns0) / (double)(m.ticks - h->tick0) : 1;
    return m;
}

double wf_host_time_ns_of(uint64_t ticks)
{
    return (double)ticks * host_moment_now().ns_per_tick;
}

void wf_host_time_write(struct wf_message *message, const struct wf_stamp *s)
{
    struct host_moment m = host_moment_now();
    int64_t own = m.ns + (int64_t)((double)(int64_t)(s->real - m.ticks) * m.ns_per_tick);
    wf_threads_lock(&host_time.lock);
    message->real = wf_common_time_of(&host_time.common, own);
    wf_threads_unlock(&host_time.lock);
    message->late = (int64_t)((double)(int64_t)(s->real - s->virt) * m.ns_per_tick);
    message->lag = (int64_t)((double)(int64_t)(s->virt - s->ideal) * m.ns_per_tick);
}

struct wf_stamp wf_host_time_read(const struct wf_message *message)
{
    struct host_moment m = host_moment_now();
    double ticks_per_ns = 1 / m.ns_per_tick;
    wf_threads_lock(&host_time.lock);
    int64_t own = wf_common_time_own(&host_time.common, message->real);
    wf_threads_unlock(&host_time.lock);
    struct wf_stamp s = {.real = m.ticks + (uint64_t)(int64_t)((double)(own - m.ns) * ticks_per_ns)};
    if ((int64_t)(s.real - m.ticks) > 0)
        s.real = m.ticks; /* nothing comes before it is sent: the clocks are a little apart */
    s.virt = s.real - (uint64_t)(int64_t)((double)message->late * ticks_per_ns);
    s.ideal = s.virt - (uint64_t)(int64_t)((double)message->lag * ticks_per_ns);
    return s;
}

static void host_time_learn(struct wf_reading reading)
{
    wf_threads_lock(&host_time.lock);
    wf_common_time_learn(&host_time.common, reading);
    wf_threads_unlock(&host_time.lock);
}

/* ---- questions and answers ---- */

void wf_host_time_ask_seldom(void)
{
    if (wf_hosts.own == 0)
        return;
    int64_t now = wf_host_time_now_ns(), before = wf_get(host_time.asked_ns),
            interval = wf_get(host_time.ask_interval_ns);
    if (now - before < interval || !atomic_compare_exchange_strong(&host_time.asked_ns, &before, now))
        return; /* another thread asks */
    wf_set(host_time.ask_interval_ns, interval + (interval < SELDOM_MOST_NS ? interval : 0));
    wf_transport_post(0, &(struct wf_message){.kind = WF_MESSAGE_ASK, .real = now});
}

void wf_host_time_asked(int32_t from, const struct wf_message *m)
{
    wf_transport_post(from,
                      &(struct wf_message){.kind = WF_MESSAGE_TELL, .real = m->real, .late = wf_host_time_now_ns()});
}

void wf_host_time_told(const struct wf_message *m)
{
    host_time.answer = wf_reading_of(m->real, wf_host_time_now_ns(), m->late);
    host_time.told = true;
    if (host_time.known)
        host_time_learn(host_time.answer);
}

void wf_host_time_done(void)
{
    host_time.done_count++;
}

/* ---- start and end ---- */

static void host_time_post(struct wf_shared_reading *own, bool known, struct wf_reading reading)
{
    wf_set(own->at, reading.at);
    wf_set(own->offset, reading.offset);
    wf_set(own->error, reading.error);
    atomic_store_explicit(&own->state, known ? WF_READING_KNOWN : WF_READING_UNKNOWN, memory_order_release);
}

/* Several questions, one after another; the answer that came soonest is the best. */
static bool host_time_ask(int64_t limit_ns, struct wf_reading *best)
{
    int64_t since = wf_host_time_now_ns();
    bool any = false;
    for (int64_t round = 0, first = 0; wf_host_time_now_ns() - since < limit_ns; round++) {
        if (round >= ROUNDS && (best->error < ROUNDS_ERROR_NS || wf_host_time_now_ns() - first > ROUNDS_NS))
            break;
        host_time.told = false;
        wf_transport_post(0, &(struct wf_message){.kind = WF_MESSAGE_ASK, .real = wf_host_time_now_ns()});
        while (!host_time.told && wf_host_time_now_ns() - since < limit_ns)
            wf_transport_pump(0); /* others may have headers for us already, which say nothing before common time is
                                     known */
        first = first ? first : wf_host_time_now_ns(); /* it may have been long before rank 0 came to answer */
        if (host_time.told && (!any || host_time.answer.error < best->error)) {
            *best = host_time.answer;
            any = true;
        }
    }
    wf_transport_post(0, &(struct wf_message){.kind = WF_MESSAGE_DONE});
    return any;
}

static void host_time_answer(int64_t limit_ns)
{
    int64_t since = wf_host_time_now_ns();
    while (host_time.done_count < wf_hosts.count - 1 && wf_host_time_now_ns() - since < limit_ns)
        wf_transport_pump(WF_TRANSPORT_ANY);
    host_time.done_count = 0;
}

static bool host_time_read_leader(const struct wf_shared_reading *leaders, int64_t limit_ns, struct wf_reading *reading)
{
    for (int64_t since = wf_host_time_now_ns(); leaders && wf_host_time_now_ns() - since < limit_ns; sched_yield()) {
        uint32_t state = atomic_load_explicit(&leaders->state, memory_order_acquire);
        *reading = (struct wf_reading){
            .at = wf_get(leaders->at), .offset = wf_get(leaders->offset), .error = wf_get(leaders->error)};
        if (state)
            return state == WF_READING_KNOWN;
    }
    return false;
}

static bool host_time_find(struct wf_shared_reading *own, const struct wf_shared_reading *leaders, int64_t limit_ns)
{
    struct wf_reading best = {.at = wf_host_time_now_ns()};
    bool known = true;
    if (wf_hosts.own == 0)
        return true;
    if (own == leaders)
        host_time_post(own, known = host_time_ask(limit_ns, &best), best);
    else
        known = host_time_read_leader(leaders, limit_ns, &best);
    if (known)
        host_time_learn(best);
    return known;
}

bool wf_host_time_compare(int rank, struct wf_shared_reading *own, const struct wf_shared_reading *leaders,
                          int64_t limit_ns)
{
    if (rank == 0)
        host_time_answer(limit_ns);
    host_time.known = host_time_find(own, leaders, limit_ns);
    wf_set(host_time.asked_ns, wf_host_time_now_ns());
    return host_time.known;
}

void wf_host_time_publish(void)
{
    struct wf_segment_header *h = wf_process.segment.header;
    const struct wf_common_time *c = &host_time.common;
    if (wf_hosts.own == 0)
        return;
    int64_t start = (int64_t)h->ns0, before = wf_ppb(c->drift_error_ppb, c->first.at - start), error = c->first.error;
    h->host_offset_ns = wf_common_time_offset(c, start);
    h->host_drift_ppb = c->drift_ppb;
    h->host_error_ns = (uint64_t)((error > c->last.error ? error : c->last.error) + before);
}
