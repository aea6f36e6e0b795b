/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which regions and statements of a simulated program are tracked, in which slots, over which part of the run; and the
 * resulting path. Only this is shared by the computation on line (paths.h) and its twin off line (twin.h).
 */
#ifndef SIM_FOLLOW_H
#define SIM_FOLLOW_H

#include "engine.h"
#include "format/path.h"
#include "random.h"

enum { SIM_SLOTS = 64, SIM_PLACES = 16, SIM_SAVED = 2 * WF_PATH_STEPS };

struct sim_follow {
    uint32_t regions;    /* 1 to so many have a slot each */
    uint32_t statements; /* so many kinds of statements have one each, and as many more for the stretch behind each;
                            another kind has none */
    bool stretches;
    bool counted; /* on line, regions are not entered and left but counted, and added at the next call; not with
                     stretches */
    uint64_t latency_error; /* on line, latencies are wrong by less than so many ns: then only the path's length is
                               checked */
    bool cpu; /* weights are computing and taking: travelling does not count */
    uint32_t places;
    const uint16_t *slot_of; /* by region, instead: [region] */
    const struct sim_rules *rules; /* calls depend on what these say (ruled.h); NULL: on what they do depend on */
};

static inline uint32_t sim_follow_capacity(const struct sim_follow *f)
{
    return f->slot_of ? SIM_SLOTS : WF_PATH_FIRST + f->regions + 2 * f->statements;
}

static inline uint32_t sim_follow_region(const struct sim_follow *f, uint32_t region)
{
    if (f->slot_of)
        return f->slot_of[region];
    return region >= 1 && region <= f->regions ? WF_PATH_FIRST + region - 1 : WF_PATH_OTHER;
}

static inline uint32_t sim_follow_statement(const struct sim_follow *f, const struct sim_action *action)
{
    uint32_t kind = (uint32_t)(sim_hash(action->serial) % (f->statements + 1));
    return kind < f->statements ? WF_PATH_FIRST + f->regions + kind : WF_PATH_TRANSFER;
}

static inline uint32_t sim_follow_stretch(const struct sim_follow *f, const struct sim_action *action)
{
    uint32_t statement = sim_follow_statement(f, action);
    return statement == WF_PATH_TRANSFER ? WF_PATH_OTHER : statement + f->statements;
}

static inline bool sim_is_call(const struct sim_action *action)
{
    return action->kind != SIM_COMPUTE && action->kind != SIM_ENTER && action->kind != SIM_LEAVE;
}

/* How long this computing is: without a core, no CPU time passes. */
static inline uint64_t sim_follow_compute(const struct sim_follow *f, const struct sim_event *event)
{
    return event->end - event->begin - (f->cpu ? event->idle : 0);
}

/* Where each process starts, stops, and is sampled: before it begins this action. NULL: from the beginning, never, at
 * its end. */
struct sim_cut {
    const uint32_t *start, *stop, *sample;
};

struct sim_answer {
    int64_t length;
    int64_t share[SIM_SLOTS][2];
    int64_t place[SIM_PLACES][2];
    int64_t saved[SIM_SLOTS][SIM_SAVED];
};

#endif
