/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who is on which host, and whether the processes of all hosts exchange headers. Found out once, in MPI_Init, by the
 * thread that is in it. Knows no MPI.
 */
#ifndef WF_HOSTS_H
#define WF_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

struct wf_hosts {
    uint16_t *of; /* by world rank: the host's number, in the order of its lowest rank; so rank 0 is on host 0. NULL: no
                     rank is on another host, as far as is known */
    int count;
    int own; /* this process's */
};

extern struct wf_hosts wf_hosts;

/* The lowest rank on a host; several are known. */
int wf_hosts_leader(int host);

/* Do the processes of all hosts exchange headers? All that have a box, or will have one, get the same answer. *able:
 * this process can take part; false afterwards: it cannot, although others may not know. */
bool wf_hosts_agree(int rank, int size, bool *able);

/* There are no headers between hosts in this process's world; to be called before its box can be seen. */
void wf_hosts_refuse(void);

#endif
