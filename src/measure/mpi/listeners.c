/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rooms that hear of what happens to the process, in the order in which they hear of it.
 */
#include "measure/event/call.h"
#include "measure/path/feed.h"
#include "measure/probe/probe.h"
#include "measure/process/listener.h"

const struct wf_listener wf_listeners[] = {
    {.calibrate = wf_call_calibrate},
    {.resumed = wf_probe_resumed,
     .library_closed = wf_probe_forget_closed,
     .thread_ends = wf_probe_thread_ends,
     .exiting = wf_probe_ended,
     .forked = wf_probe_forked},
    {.paused = wf_feed_paused,
     .resumed = wf_feed_resumed,
     .thread_ends = wf_feed_thread_ends,
     .finishing = wf_feed_finish},
};

const unsigned wf_listener_count = sizeof wf_listeners / sizeof *wf_listeners;
