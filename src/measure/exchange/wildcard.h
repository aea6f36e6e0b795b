/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Has monitoring changed the order of receives from any source? Such a receive took message m. It would have taken
 * another one without monitoring if another sender's message m' fitted it, was not taken by an earlier receive, and was
 * sent before m in virtual time, although it was sent after m in real time. When m is taken, m' may be unknown still.
 * So the last messages that were taken are kept here, and each message that is taken later is compared with them. That
 * is one comparison of two numbers, unless the message is out of order in virtual time.
 *
 * In virtual time m' has to be earlier by WF_ORDER_NS (clock/limits.h). Messages that are sent closer to each other may
 * come in either order without monitoring, too. A message needs about as long on its way, and the virtual clock is no
 * more exact than that. Between hosts, more is needed: messages take longer, and the clocks are not the same.
 *
 * One for the process. Only with the lock of match.h. Knows no MPI.
 */
#ifndef WF_WILDCARD_H
#define WF_WILDCARD_H

#include "measure/exchange/ring.h"
#include "measure/record/order.h"

#define WF_WILDCARDS_KEPT 64u /* messages; a receive whose message is forgotten counts as it was known then */

/* A receive or probe whose source is WF_ANY. */
struct wf_wildcard {
    struct wf_order_record *record; /* of its statement */
    int32_t tag;                    /* the one it wants; or WF_ANY */
};

/* A message that was taken sooner than this in virtual time may be out of order; 0: none can be. The largest number
 * while receives from any source are posted: then all that are taken are kept. */
extern uint64_t wf_wildcards_watched_until WF_HIDDEN;

/* A receive from any source is posted, or a posted one is complete. */
void wf_wildcard_posted(void);
void wf_wildcard_completed(void);

/* A message was taken by a receive that was posted as number `order`, or seen by a probe. by: if it was from any
 * source; NULL: it named its source. */
void wf_wildcard_take(const struct wf_header *h, int32_t source, uint64_t order, const struct wf_wildcard *by);

/* The same for a receive that named its source, where that has to do with no receive from any source most of the time.
 */
static inline void wf_wildcard_pass(const struct wf_header *h, int32_t source, uint64_t order)
{
    if (__builtin_expect(h->stamp.virt < wf_wildcards_watched_until, 0))
        wf_wildcard_take(h, source, order, NULL);
}

#endif
