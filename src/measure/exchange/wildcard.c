/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/wildcard.h"

#include "measure/clock/limits.h"
#include "measure/process/process.h"

/* A message that was taken. */
struct wildcard_taken {
    uint64_t comm, order; /* of its receive */
    uint64_t real, virt, margin;
    struct wf_order_record *record; /* of the receive from any source; NULL: the receive named its source */
    uint32_t times;                 /* as many probes have found it, one after the other */
    int32_t source, tag, wanted;
    bool changed;
};

static struct wildcards {
    struct wildcard_taken taken[WF_WILDCARDS_KEPT];
    uint32_t next, count;
    uint32_t posted; /* receives from any source that are under way */
    uint64_t latest; /* the latest virtual time of a message that a receive from any source took */
    uint64_t last;   /* the largest order of a receive whose message is here */
} wildcards;

uint64_t wf_wildcards_watched_until;

static void wildcard_watch(void)
{
    wf_wildcards_watched_until = wildcards.posted ? UINT64_MAX : wildcards.latest;
}

void wf_wildcard_posted(void)
{
    wildcards.posted++;
    wildcard_watch();
}

void wf_wildcard_completed(void)
{
    wildcards.posted--;
    wildcard_watch();
}

/* Between hosts a message is longer on its way, and the clocks are not the same. */
static uint64_t wildcard_margin(const struct wf_header *h)
{
    if (!(h->flags & WF_HEADER_FAR))
        return wf_limits.order;
    return wf_limits.long_call + 2 * wf_limits_ticks(wf_process.segment.header->host_error_ns);
}

/* The receive that took `m` from any source would have taken `other` without monitoring. */
static bool wildcard_is_changed(const struct wildcard_taken *m, const struct wildcard_taken *other)
{
    uint64_t margin = m->margin > other->margin ? m->margin : other->margin;
    return m->record && other->order > m->order && other->source != m->source && other->comm == m->comm &&
           (m->wanted == WF_ANY || m->wanted == other->tag) && other->real > m->real && other->virt + margin < m->virt;
}

static void wildcard_change(struct wildcard_taken *m)
{
    m->changed = true;
    if (m->record)
        m->record->changed += m->times;
}

/* Compares a message with those that were taken before: each may be what the other one's receive had taken. */
static void wildcard_compare(struct wildcard_taken *m)
{
    for (uint32_t i = 0; i < wildcards.count; i++) {
        struct wildcard_taken *t = &wildcards.taken[i];
        if (!t->changed && wildcard_is_changed(t, m))
            wildcard_change(t);
        if (!m->changed && wildcard_is_changed(m, t))
            wildcard_change(m);
    }
}

static void wildcard_keep(const struct wildcard_taken *m)
{
    wildcards.taken[wildcards.next++ % WF_WILDCARDS_KEPT] = *m;
    if (wildcards.count < WF_WILDCARDS_KEPT)
        wildcards.count++;
    wildcards.last = wf_max(wildcards.last, m->order);
    if (m->record && m->virt > wildcards.latest) {
        wildcards.latest = m->virt;
        wildcard_watch();
    }
}

/* A program may probe again and again for the message that it has found. */
static bool wildcard_is_again(const struct wildcard_taken *m)
{
    struct wildcard_taken *last = &wildcards.taken[(wildcards.next - 1) % WF_WILDCARDS_KEPT];
    if (wildcards.count == 0 || !m->record || last->record != m->record || last->source != m->source ||
        last->real != m->real || last->virt != m->virt || last->comm != m->comm || last->tag != m->tag)
        return false;
    last->times++;
    m->record->changed += last->changed;
    return true;
}

void wf_wildcard_take(const struct wf_header *h, int32_t source, uint64_t order, const struct wf_wildcard *by)
{
    struct wildcard_taken m = {.comm = h->comm,
                               .order = order,
                               .real = h->stamp.real,
                               .virt = h->stamp.virt,
                               .margin = wildcard_margin(h),
                               .record = by ? by->record : NULL,
                               .times = 1,
                               .source = source,
                               .tag = h->tag,
                               .wanted = by ? by->tag : 0};
    if (m.record)
        m.record->any++;
    if (wildcard_is_again(&m))
        return;
    if (m.virt < wildcards.latest || (m.record && order < wildcards.last))
        wildcard_compare(&m);
    if (m.record || wildcards.posted)
        wildcard_keep(&m);
}
