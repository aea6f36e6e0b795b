/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Executes a program on a simulated machine, event by event in the order of real time, and tells an observer what a
 * monitoring library in its processes could see. Times are whole nanoseconds. The caller owns program and results; one
 * thread at a time.
 *
 * Every action of a process is entered at its begin and ends at
 *
 *     max(begin, entered + latency over all its parts) + take
 *
 * where a part is the entry of an action, mostly in another process, without which it cannot end:
 *
 *     receive                        the send, with the message's latency
 *     receive of a synchronous send  the send, with none: the transfer begins when both are there, and is part of the
 *                                    taking
 *     synchronous send               the receive, or its post, with none: the same from the other side
 *     wait for a receive             the send, with the message's latency; if that was synchronous, the own post with
 *                                    the same
 *     wait for a synchronous send    the own post and the receive's, with the message's latency
 *     collective                     the entries that its class names (program.h), the own one among them where all
 *                                    members' count; with a latency unless all wait for all
 *     wait for a collective          the same with the posts, and always with a latency
 *     down a tree                    the entries of all members above, with a latency for each hop between
 *     up a tree                      those of all members below, the same
 *     fence                          those of all members, with none
 *     start or complete accesses     the post, with a latency
 *     close an exposure              that all accesses are completed, with a latency
 *     lock                           that the window is unlocked, with a latency
 *     others                         none
 *
 * A wait for several requests has the parts of all, and one take. A poll that succeeds is the first one that begins
 * when all its parts are there. What an action is idle besides (sim_idle) is the same in every run: the begin counts
 * so much later, and the taking is longer.
 *
 * Watched, each action is surrounded by what the probe costs:
 *
 *     | outer_before | read clock | inner_before | the action: begin ... end | inner_after | read clock | outer_after |
 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include "program.h"

/* How long calls take. It is the same in every run of the same program: jitter is a property of the message. */
struct sim_network {
    uint64_t latency_ns, latency_kib_ns, hop_ns, jitter_ns;
    uint64_t take_ns, take_kib_ns, take_jitter_ns;
    uint64_t own_ns; /* of a call that only starts something */
    uint64_t collective_latency_ns, collective_ns;
    uint64_t seed;
    bool free; /* only computing takes time */
};

/* Of a message or collective. Down or up a tree: for one hop. */
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
    uint64_t begin, end; /* of the action itself: the clock is read inner_before earlier and inner_after later */
    const struct sim_part *parts;
    uint32_t part_count;
    uint64_t idle;           /* of the call, without polling and what it had no core early */
    uint64_t asked, refused; /* SIM_POLL: the begin of the last poll; and the end of the one before, if there was one */
    uint64_t period;         /* SIM_POLL: from one poll to the next, with its probe */
};

/* begin: may write header_bytes that every action which has this entry as a part will see. Calls come in the order of
 * time. */
struct sim_observer {
    void *context;
    size_t header_bytes;
    void (*begin)(void *context, const struct sim_event *event, void *header);
    void (*end)(void *context, const struct sim_event *event);
};

#define SIM_START 1000000u /* when every process begins: late enough that a wrong clock is still above 0 */

/* How many hops up a tree `other` is from the member; 0: it is not above it. */
uint32_t sim_hops_up(const struct sim_unit *unit, uint32_t member, uint32_t other);

/* What an action takes when all its parts are there, without being idle. */
uint64_t sim_take(const struct sim_network *network, const struct sim_program *program, uint32_t process,
                  const struct sim_action *action);

/* The place of an action's results, for observers that keep them: one for each action, process by process. */
uint32_t sim_place(const struct sim_program *program, uint32_t process, uint32_t index);

/* finish: for each process, the time after its last probe. False: deadlock. */
bool sim_run(const struct sim_program *program, const struct sim_network *network, const struct sim_probes *probes,
             const struct sim_observer *observer, uint64_t *finish);

#endif
