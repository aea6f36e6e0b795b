/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whom the caller of a collective certainly depends on. wrap.awk derives it from a function's name and parameters.
 * Whether it waited for other members, too, is left to the library: measure/exchange/arrival.h finds that out.
 */
#ifndef WF_DEPENDS_H
#define WF_DEPENDS_H

#include <stdbool.h>

/* Without whose entry the caller of a collective cannot go on. */
enum wf_depends {
    WF_DEPENDS_none,
    WF_DEPENDS_barrier,    /* all members, and nothing is moved */
    WF_DEPENDS_all,        /* all members */
    WF_DEPENDS_root,       /* the root, unless it is the root itself */
    WF_DEPENDS_members,    /* all members, if it is the root */
    WF_DEPENDS_below,      /* lower ranks */
    WF_DEPENDS_neighbours, /* those that send to it in the topology */
    WF_DEPENDS_arrivals,   /* no member for certain */
    WF_DEPENDS_made,       /* the same, of the members of the communicator that it makes */
};

/* Does member `rank` depend on the entry of member `on`? Neighbours are not known here. */
static inline bool wf_depends_on(enum wf_depends depends, int root, int rank, int on)
{
    switch (depends) {
    case WF_DEPENDS_none:
    case WF_DEPENDS_neighbours:
    case WF_DEPENDS_arrivals:
    case WF_DEPENDS_made:
        return false;
    case WF_DEPENDS_barrier:
    case WF_DEPENDS_all:
        return on != rank;
    case WF_DEPENDS_root:
        return on == root && rank != root;
    case WF_DEPENDS_members:
        return rank == root && on != root;
    case WF_DEPENDS_below:
        return on < rank;
    }
    return false;
}

/* In larger communicators an entry does not go from one member to each of the others on other hosts: what would need
 * that is counted as missing. */
#define WF_DEPENDS_MEMBERS 128

/* Do members on other hosts hear of an entry that they depend on? */
static inline bool wf_depends_reaches(enum wf_depends depends, int size)
{
    return depends < WF_DEPENDS_neighbours && (depends == WF_DEPENDS_members || size <= WF_DEPENDS_MEMBERS);
}

/* Is there no other member that it may have waited for? */
static inline bool wf_depends_on_all(enum wf_depends depends)
{
    return depends == WF_DEPENDS_barrier || depends == WF_DEPENDS_all;
}

#endif
