/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How figures were compensated, and how far the result can be trusted: messages whose sender's clock is not known, and
 * probes whose cost is not the calibrated one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collect/findings.h"
#include "collect/timebase.h"
#include "format/segment.h"

static const double tolerated = 0.25; /* a probe's cost varies by this much anyway */
static const double matters = 0.001;  /* an uncertainty below this part of the run is not told */
static const double many = 0.01;      /* messages without a stamp, as a part of all */

/* Where no rank has virtual times, nothing was compensated. */
const char *wf_findings_clock(const struct wf_collected_ranks *ranks)
{
    static const char *const names[] = {[WF_MODEL_VIRTUAL] = "virtual",
                                        [WF_MODEL_DELAY] = "delay",
                                        [WF_MODEL_LOCAL] = "local",
                                        [WF_MODEL_REAL] = "real"};
    uint32_t model = WF_MODEL_VIRTUAL;
    bool compensated = false;
    for (size_t i = 0; i < ranks->count; i++) {
        compensated = compensated || ranks->items[i].has_virtual;
        if (ranks->items[i].header->clock_model > model)
            model = ranks->items[i].header->clock_model;
    }
    return names[compensated && model < WF_MODEL_REAL ? model : WF_MODEL_REAL];
}

struct stamp_sums {
    uint64_t taken, missing, ambiguous, dropped;
};

static struct stamp_sums compensation_sum_stamps(const struct wf_collected_ranks *ranks)
{
    struct stamp_sums sum = {0};
    for (size_t i = 0; i < ranks->count; i++) {
        const struct wf_header_counts *headers = &ranks->items[i].lanes.headers;
        sum.taken += headers->taken;
        sum.missing += headers->missing;
        sum.ambiguous += headers->ambiguous;
        sum.dropped += headers->dropped;
    }
    return sum;
}

/* A stamp that found no room at its sender is missing at its receiver, too, if the receiver is watched. */
static void compensation_note_stamps(struct wf_notes *notes, const struct wf_collected_ranks *ranks)
{
    struct stamp_sums sum = compensation_sum_stamps(ranks);
    uint64_t without = sum.missing + sum.ambiguous, all = without + sum.taken;
    if (without == 0 && sum.dropped)
        wf_notes_add(notes,
                     "%s messages were sent without a stamp of their sender's clock, which found no room: "
                     "the figures of their "
                     "receivers, if these are watched, are corrected locally only.",
                     wf_phrase_count(sum.dropped).text);
    if (without && (double)without >= many * (double)all)
        wf_notes_add(
            notes,
            "%s of %s messages and collectives (%s of them) came without a time stamp of the other side "
            "(%s missing, %s ambiguous; %s found no room at the sender): their times are corrected locally only, "
            "and whom they waited for is not known.",
            wf_phrase_count(without).text, wf_phrase_count(all).text,
            wf_phrase_percent((double)without, (double)all).text, wf_phrase_count(sum.missing).text,
            wf_phrase_count(sum.ambiguous).text, wf_phrase_count(sum.dropped).text);
}

/* Either all hosts exchange stamps, or none: then no clock was compared with another host's. */
static void compensation_note_hosts(struct wf_notes *notes, const struct wf_collected_ranks *ranks)
{
    bool several = false, compared = false;
    for (size_t i = 0; i < ranks->count; i++) {
        several = several || strcmp(ranks->items[i].header->host, ranks->items[0].header->host) != 0;
        compared = compared || wf_host_clock_compared(ranks->items[i].header);
    }
    if (several && !compared && compensation_sum_stamps(ranks).missing)
        wf_notes_add(
            notes,
            "The hosts exchanged no stamps of their clocks, because not every rank could take part: what went between "
            "hosts is corrected locally only, and whom ranks waited for there is not known.");
}

/* The cost of probes at the end of the run, as a multiple of the expected cost; 1 where it was not checked. */
static double compensation_cost_ratio(const struct wf_collected_rank *rank)
{
    const struct wf_segment_header *header = rank->header;
    bool checked = header->check_expected_ticks && header->check_seen_ticks;
    return checked ? (double)header->check_seen_ticks / (double)header->check_expected_ticks : 1;
}

static int compensation_note_costs(struct wf_notes *notes, const struct wf_collected_ranks *ranks)
{
    int64_t *which = calloc(ranks->count + 1, sizeof *which);
    size_t count = 0;
    double worst = 1;
    if (!which)
        return -1;
    for (size_t i = 0; i < ranks->count; i++) {
        double ratio = compensation_cost_ratio(&ranks->items[i]);
        double doubt = fabs(ratio - 1) * (double)ranks->items[i].times.overhead_ns;
        if (fabs(ratio - 1) <= tolerated || doubt < matters * (double)ranks->items[i].times.wall_raw_ns)
            continue;
        which[count++] = ranks->items[i].rank;
        if (fabs(log(ratio)) > fabs(log(worst)))
            worst = ratio;
    }
    if (count)
        wf_notes_add(notes,
                     "Probe cost changed during the run (x %.2f, %s%s), so the overhead correction is uncertain by "
                     "about that factor.",
                     worst, count == 1 ? "" : "the worst of ", wf_phrase_ranks(which, count).text);
    free(which);
    return 0;
}

int wf_findings_note_compensation(struct wf_notes *notes, const struct wf_collected_ranks *ranks)
{
    compensation_note_stamps(notes, ranks);
    compensation_note_hosts(notes, ranks);
    return compensation_note_costs(notes, ranks) == 0 && !notes->lost ? 0 : -1;
}
