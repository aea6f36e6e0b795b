/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The messages that a process has taken, as far as they may have raced. A receive from any source R took a message. The
 * message m' of another sender raced with it if m' fits R, was not taken by a receive that was posted earlier, and was
 * not sent after R was complete: then R could have taken it, on another day. "After" is happened-before; how many of
 * this process's receives from any source the sender of m' had heard of comes with it (measure/exchange/known.h).
 *
 * Pure: numbers in, numbers out. tests/recorder compares it with full vector clocks.
 */
#ifndef WF_RACE_LOG_H
#define WF_RACE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#ifndef WF_RACE_KEPT      /* a test has fewer */
#define WF_RACE_KEPT 512u /* a power of 2 */
#endif
#define WF_RACE_ANY INT32_MIN /* tag */

/* A message that is taken, or found by a probe. */
struct wf_race_message {
    uint64_t comm;
    uint64_t order;  /* of its receive, among all that were posted */
    uint64_t sent;   /* tells it apart from others of its sender */
    uint32_t heard;  /* so many receives from any source of this process had its sender heard of, */
    bool unsure;     /* or of more */
    bool any;        /* its own receive is one */
    uint32_t number; /* which of them; 0: it is none */
    uint32_t site;   /* and its statement */
    int32_t source, tag;
    int32_t wanted; /* the tag that it wants; or WF_RACE_ANY */
};

struct wf_race_log {
    struct wf_race_message kept[WF_RACE_KEPT];
    uint32_t next;     /* so many were put in; modulo 2^32 */
    uint32_t receives; /* so many receives from any source are complete */
    uint64_t last;     /* the largest order of a receive here, */
    uint64_t gone;     /* and of those that were overwritten */
};

/* A race of the receive at `site` that took a message of rank `took`, with one of rank `other`. unsure: whether it is a
 * race is not known. took < 0: which messages were taken is not known any more. */
typedef void wf_race_found(void *context, uint32_t site, int32_t took, int32_t other, bool unsure);

/* Could the receive that took `m` have taken `other`, were it not sent too late? */
static inline bool wf_race_fits(const struct wf_race_message *m, const struct wf_race_message *other)
{
    return m->any && other->order > m->order && other->source != m->source && other->comm == m->comm &&
           (m->wanted == WF_RACE_ANY || m->wanted == other->tag);
}

static inline const struct wf_race_message *wf_race_kept(const struct wf_race_log *log, uint32_t back)
{
    return &log->kept[(log->next - 1 - back) & (WF_RACE_KEPT - 1)];
}

static inline uint32_t wf_race_count(const struct wf_race_log *log)
{
    return log->next < WF_RACE_KEPT ? log->next : WF_RACE_KEPT;
}

/* Receives of which the sender of `m` had not heard. */
static inline void wf_race_find_earlier(const struct wf_race_log *log, const struct wf_race_message *m,
                                        wf_race_found *found, void *context)
{
    uint32_t count = wf_race_count(log), back = 0, oldest = log->receives + 1;
    const struct wf_race_message *e = NULL;
    for (; back < count; back++) {
        e = wf_race_kept(log, back);
        if (e->any && e->number <= m->heard)
            return;
        oldest = e->any ? e->number : oldest;
        if (wf_race_fits(e, m))
            found(context, e->site, e->source, m->source, m->unsure);
    }
    if (e && oldest > m->heard + 1) /* there were more */
        found(context, m->site ? m->site : e->site, -1, m->source, true);
}

/* Messages that receives have taken which were posted later, and complete earlier: they were there in time. */
static inline void wf_race_find_later(const struct wf_race_log *log, const struct wf_race_message *m,
                                      wf_race_found *found, void *context)
{
    uint32_t count = wf_race_count(log);
    for (uint32_t back = 0; back < count && m->any && m->order < log->last; back++) {
        const struct wf_race_message *e = wf_race_kept(log, back);
        if (wf_race_fits(m, e))
            found(context, m->site, m->source, e->source, false);
    }
    if (m->any && m->order < log->gone) /* there were more */
        found(context, m->site, -1, m->source, true);
}

/* A probe may find one message again and again. */
static inline bool wf_race_is_again(const struct wf_race_log *log, const struct wf_race_message *m)
{
    const struct wf_race_message *last = log->next && m->any ? wf_race_kept(log, 0) : NULL;
    return last && last->any && last->site == m->site && last->source == m->source && last->comm == m->comm &&
           last->sent == m->sent && last->tag == m->tag;
}

/* A message is taken: tells of the races in which it was. keep: receives from any source are posted that may have been
 * able to take it. */
static inline void wf_race_log_take(struct wf_race_log *log, struct wf_race_message m, bool keep, wf_race_found *found,
                                    void *context)
{
    if (wf_race_is_again(log, &m))
        return;
    wf_race_find_earlier(log, &m, found, context);
    wf_race_find_later(log, &m, found, context);
    m.number = m.any ? ++log->receives : 0;
    if (!m.any && !keep)
        return;
    struct wf_race_message *to = &log->kept[log->next++ & (WF_RACE_KEPT - 1)];
    log->gone = to->order > log->gone ? to->order : log->gone;
    *to = m;
    log->next = log->next ? log->next : WF_RACE_KEPT;
    log->last = m.order > log->last ? m.order : log->last;
}

#endif
