/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which slots of the hosts' paths become which row of the one path. wf_critical_settle owns it, while it works. Slots
 * that a region has on several hosts are one row; so are the slots of one that has several (a statement that was
 * compiled into several places), whose savings are added: they may save more together.
 */
#ifndef WF_COLLECT_CRITICAL_NUMBERING_H
#define WF_COLLECT_CRITICAL_NUMBERING_H

#include "collect/critical.h"

/* What makes two regions one. */
struct wf_critical_identity {
    uint32_t kind, name, file, line;
};

/* The slots of all hosts, host by host: first as a forest, each tree of which becomes a row; then with the rows'
 * numbers. */
struct wf_critical_numbering {
    uint32_t per_host, count;
    uint32_t *up;  /* towards the root of its tree */
    uint32_t *row; /* of a root; UINT32_MAX: it has none */
};

/* A zeroed struct is an empty one. */
void wf_critical_numbering_fini(struct wf_critical_numbering *n);

/* Finds out which slots are one; the identities get their numbers here. Returns 0, or -1 without memory. */
int wf_critical_numbering_find(struct wf_critical_numbering *n, struct wf_critical *c, struct wf_intern *identities,
                               const struct wf_sites *sites, const struct wf_regions *regions);

/* Makes a row of each: "other" and "transfer" are the first two; then every region that is followed, or that something
 * is known of. Returns 0, or -1 without memory. */
int wf_critical_numbering_rows(struct wf_critical_numbering *n, struct wf_critical *c);

/* The slot that stands for all slots of the same row. */
uint32_t wf_critical_numbering_root(const struct wf_critical_numbering *n, uint32_t slot);

struct wf_critical_slot wf_critical_slot_at(const struct wf_critical *c, size_t number);

/* Whether an entry of this kind is one of sites; else it is one of regions. */
bool wf_critical_is_site(enum wf_critical_kind kind);

struct wf_critical_identity wf_critical_identity_of(enum wf_critical_kind kind, uint32_t entry,
                                                    const struct wf_sites *sites, const struct wf_regions *regions);

#endif
