/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whom the caller of a collective depends on. wrap.awk derives it from a function's name and parameters.
 */
#ifndef WF_WAITS_H
#define WF_WAITS_H

enum wf_waits { /* whom the caller of a collective cannot go on without */
    WF_WAITS_none,
    WF_WAITS_barrier,    /* everybody, and nothing is moved */
    WF_WAITS_all,        /* everybody */
    WF_WAITS_root,       /* the root, unless it is the root itself */
    WF_WAITS_members,    /* everybody, if it is the root */
    WF_WAITS_below,      /* lower ranks */
    WF_WAITS_neighbours, /* those that send to it in the topology */
};

#endif
