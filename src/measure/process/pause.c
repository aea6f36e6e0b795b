/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Pcontrol(0) and MPI_Pcontrol(1): a pause of the whole process, of which each thread hears for itself.
 */
#include "base/quiet.h"
#include "measure/guest/thread.h"
#include "measure/process/listener.h"
#include "measure/process/process.h"

/* For each thread: whether it goes uncounted. The other threads hear of it when they next enter weft; until then they
 * are in no probe that would not ask. */
static void pause_tell_lanes(struct wf_lane *own, uint64_t since, uint64_t pause)
{
    for (struct wf_lane *lane = wf_lane_first(); lane; lane = lane->next) {
        if (pause == 0) {
            atomic_fetch_or(&lane->attention, WF_ATTEND_PAUSED);
            wf_lane_revoke(lane);
            continue;
        }
        lane->pause_since = since;
        lane->pause_ticks += lane != own ? pause : 0;
        atomic_fetch_or(&lane->attention, lane != own ? WF_ATTEND_RESUMED : 0);
        atomic_fetch_and(&lane->attention, ~(uint32_t)WF_ATTEND_PAUSED);
    }
}

void wf_process_pause(void)
{
    struct wf_quiet quiet;
    if (!wf_process.watching)
        return;
    wf_quiet_lock(&quiet, &wf_lanes.lock);
    struct wf_segment_header *header = wf_process.segment.header;
    if (!wf_process.paused) {
        header->paused_since_ticks = wf_clock_ticks();
        WF_TELL(paused, weft_tls.lane, header->paused_since_ticks);
        wf_process.paused = true;
        pause_tell_lanes(weft_tls.lane, 0, 0);
    }
    wf_quiet_unlock(&quiet, &wf_lanes.lock);
}

void wf_process_resume(void)
{
    struct wf_quiet quiet;
    if (!wf_process.watching || !wf_process.paused)
        return;
    wf_quiet_lock(&quiet, &wf_lanes.lock);
    struct wf_segment_header *header = wf_process.segment.header;
    if (wf_process.paused) {
        uint64_t now = wf_clock_ticks(), since = header->paused_since_ticks;
        header->paused_ticks += now - since;
        header->paused_since_ticks = 0;
        pause_tell_lanes(weft_tls.lane, since, now > since ? now - since : 1);
        WF_TELL(resumed, weft_tls.lane, since, now - since);
        wf_process.paused = false;
    }
    wf_quiet_unlock(&quiet, &wf_lanes.lock);
}

/* A library has been closed, and the statements of its addresses are of the past. */
static void pause_forget_closed(struct wf_lane *lane)
{
    for (const struct wf_listener *l = wf_listeners; l < wf_listeners + wf_listener_count; l++)
        if (l->library_closed && !l->library_closed(lane)) {
            atomic_fetch_or(&lane->attention, WF_ATTEND_CLOSED);
            return;
        }
    wf_lane_forget_closed(lane);
}

static void pause_attend(struct wf_lane *lane, uint32_t news)
{
    struct wf_quiet quiet;
    uint64_t since = wf_clock_ticks();
    wf_quiet_lock(&quiet, &wf_lanes.lock);
    uint64_t begin = lane->pause_since, pause = lane->pause_ticks;
    lane->pause_ticks = 0;
    atomic_fetch_and(&lane->attention, ~(uint32_t)(WF_ATTEND_RESUMED | WF_ATTEND_CLOSED));
    wf_quiet_unlock(&quiet, &wf_lanes.lock);
    if (news & WF_ATTEND_RESUMED) {
        WF_TELL(paused, lane, begin);
        WF_TELL(resumed, lane, begin, pause);
    }
    if (news & WF_ATTEND_CLOSED)
        pause_forget_closed(lane);
    wf_lane_charge(lane, since);
}

bool wf_process_attend(struct wf_lane *lane)
{
    uint32_t news = atomic_load(&lane->attention);
    if (news & (WF_ATTEND_RESUMED | WF_ATTEND_CLOSED))
        pause_attend(lane, news);
    return atomic_load(&lane->attention) & WF_ATTEND_PAUSED;
}
