/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/exchange.h"

#include "measure/clock/limits.h"
#include "measure/exchange/header.h"
#include "measure/exchange/host_time.h"
#include "measure/exchange/hosts.h"
#include "measure/exchange/needs.h"
#include "measure/exchange/remote.h"

#define MS 1000000ll
#define START_NS (5000 * MS)
#define FINISH_NS (1000 * MS)
#define DRAIN_NS (100 * MS)

void wf_exchange_create(void)
{
    wf_box_create(wf_box_rank_before_init());
}

/* which: 0 at start, 1 at the end. */
static bool exchange_compare_clocks(unsigned which, int64_t limit_ns)
{
    int rank = wf_own_box.rank, leader = wf_hosts_leader(wf_hosts.own);
    const struct wf_box *leaders = wf_box_in(&wf_link_to(leader)->view, leader);
    return wf_host_time_compare(rank, &wf_own_box.box->clocks[which], leaders ? &leaders->clocks[which] : NULL,
                                limit_ns);
}

/* able: this process has links. All that have agreed come here. */
static void exchange_reach_hosts(int rank, int size, bool able)
{
    if (!wf_hosts_agree(rank, size, &able) || !wf_transport_open() || !wf_remote_start(rank, size, able))
        return;
    if (!exchange_compare_clocks(0, START_NS)) {
        wf_remote_say_off();
        return;
    }
    wf_links_reach_hosts();
    wf_host_time_publish();
}

bool wf_exchange_start(int rank, int size, bool has_world)
{
    const struct wf_segment_header *h = wf_process.segment.header;
    bool seen = wf_own_box.box != NULL; /* others may know that this process has a box */
    if (!has_world)
        wf_hosts_refuse();
    if (wf_process.watching)
        wf_limits_start(h->tick0, h->ns0, h->tick1, h->ns1);
    bool able = wf_process.watching && wf_links_start(rank, size) == 0;
    if (able)
        wf_header_calibrate(rank);
    if (able)
        wf_needs_note_helpers(wf_process.threads);
    if (has_world && (seen || able)) {
        weft_tls.depth = WF_IN_MPI;
        exchange_reach_hosts(rank, size, able);
        weft_tls.depth = WF_AT_WORK;
    }
    return able;
}

/* MPI_Finalize itself frees the communicator: to free it here, its number might be given to one that the application
 * makes while MPI_Finalize calls it back, and late headers would come there. */
void wf_exchange_finish(void)
{
    if (!wf_links.far)
        return;
    weft_tls.depth = WF_IN_MPI;
    exchange_compare_clocks(1, FINISH_NS);
    wf_host_time_publish();
    wf_transport_drain(DRAIN_NS);
    weft_tls.depth = WF_AT_WORK;
}
