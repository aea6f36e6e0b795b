/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who is on which host, and whether the processes of all of them exchange headers. Knows no MPI.
 */
#ifndef WF_HOSTS_H
#define WF_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

/* By world rank: the host's number, in the order of its lowest rank; so rank 0 is on host 0. NULL: nobody is on another host, as far as is known. */
extern uint16_t *wf_hosts;
extern int wf_hosts_count;

/* The lowest rank on a host. */
int wf_hosts_leader(int host);

enum wf_hosts_found {
    WF_HOSTS_ONE,     /* everybody is on one host; or this process knows no name of its world: then its box has none either, and nobody finds all */
    WF_HOSTS_SEVERAL, /* all boxes are there, on several hosts */
    WF_HOSTS_UNCLEAR, /* somebody is not watched, or not seen yet */
};

/* Looks for the boxes of all ranks. */
enum wf_hosts_found wf_hosts_find(int size);

/* All processes that have a box get the same answer, whatever they ask for: that of the first who asked. */
bool wf_hosts_agree(bool wanted);

#endif
