/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Executes a program on a simulated machine, event by event in the order of real time, and tells an observer what a monitoring library in its
 * processes could see. Times are whole nanoseconds.
 *
 * Every action of a process is entered at its begin and ends at
 *
 *     max(begin, entered + latency over all its parts) + take
 *
 * where a part is the entry of an action, mostly somebody else's, that it cannot end without:
 *
 *     receive                        the send, with the message's latency
 *     receive of a synchronous send  the send, with none: the transfer begins when both are there, and is part of the taking
 *     synchronous send               the receive, or its post, with none: the same from the other side
 *     wait for a receive             the send, with the message's latency; if that was synchronous, the own post with the same
 *     wait for a synchronous send    the own post and the receive's, with the message's latency
 *     collective                     the entries that its class names (program.h), a member's own among them where everybody's count; with a latency
 *                                    unless all wait for all
 *     wait for a collective          the same with the posts, and always with a latency
 *     everything else                none
 *
 * A wait for several requests has the parts of all, and one take.
 *
 * Watched, each action is surrounded by what the probe costs:
 *
 *     | outer_before | read clock | inner_before | the action: begin ... end | inner_after | read clock | outer_after |
 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include "program.h"

/* How long things take. Everything is the same in every run of the same program: jitter is a property of the message. */
struct sim_network {
    uint64_t latency_ns, latency_kib_ns, hop_ns, jitter_ns;
    uint64_t take_ns, take_kib_ns, take_jitter_ns;
    uint64_t own_ns; /* of a call that only starts something */
    uint64_t collective_latency_ns, collective_ns;
    uint64_t seed;
    bool free; /* nothing takes any time but computing */
};

uint64_t sim_network_latency(const struct sim_network *network, const struct sim_program *program, uint32_t unit);
uint64_t sim_network_take(const struct sim_network *network, const struct sim_program *program, uint32_t unit);

struct sim_probe {
    uint32_t outer_before, inner_before, inner_after, outer_after;
};

/* What the probes of an action cost; NULL cost: the program is not watched. */
struct sim_probes {
    struct sim_probe (*cost)(const void *context, uint32_t process, const struct sim_action *action);
    const void *context;
};

struct sim_part {
    uint32_t process, index; /* whose entry: this action of this process */
    uint32_t unit;           /* what makes it a part */
    uint64_t entered, latency;
    const void *header; /* what the observer wrote when it was entered */
};

struct sim_event {
    uint32_t process, index;
    const struct sim_action *action;
    struct sim_probe probe;
    uint64_t begin, end; /* of the action itself: readings of the clock are inner_before earlier and inner_after later */
    const struct sim_part *parts;
    uint32_t part_count;
};

/* begin: may write header_bytes that every action which has this entry as a part will see. Calls come in the order of time. */
struct sim_observer {
    void *context;
    size_t header_bytes;
    void (*begin)(void *context, const struct sim_event *event, void *header);
    void (*end)(void *context, const struct sim_event *event);
};

#define SIM_START 1000000u /* when every process begins: late enough for a clock that errs to be still above 0 */

/* Where an action's results are kept by observers that keep any: one place for each, process by process. */
uint32_t sim_place(const struct sim_program *program, uint32_t process, uint32_t index);

/* finish: for each process, the time after its last probe. False: deadlock. */
bool sim_run(const struct sim_program *program, const struct sim_network *network, const struct sim_probes *probes,
             const struct sim_observer *observer, uint64_t *finish);

#endif
