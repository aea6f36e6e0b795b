/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A message-passing program as data: for each process a list of actions. Nothing here knows of time beyond how long computing takes.
 *
 * What several actions have in common is a unit: a message (its send, its receive and the waits for them), a collective operation (one action of
 * each member), a piece of computing, a region (enter and leave). A message is matched by its unit, as if each had a tag of its own, so matching is
 * deterministic whatever the order of posts. A request is known by the unit it is for. A program without one of its units is still a program
 * (sim_program_drop), which is how a failing one is made small.
 */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum sim_kind {
    SIM_COMPUTE,
    SIM_ENTER, /* a region of the source text; regions nest */
    SIM_LEAVE,
    SIM_SEND, /* does not wait for its receiver; a send above the eager limit is a SIM_SSEND */
    SIM_SSEND,
    SIM_ISEND,
    SIM_ISSEND,
    SIM_RECV,
    SIM_IRECV,
    SIM_WAIT, /* for one or more requests */
    SIM_COLLECTIVE,
    SIM_ICOLLECTIVE,
};

/* Whose entry a member waits for. */
enum sim_class {
    SIM_ALL,       /* everybody's: barrier, allreduce, allgather, alltoall */
    SIM_FROM_ROOT, /* the root's: bcast, scatter */
    SIM_TO_ROOT,   /* the root everybody's, the others nobody's: reduce, gather */
    SIM_PREFIX,    /* that of the members below: scan, exscan */
    SIM_NEIGHBOUR, /* that of the members beside it, on a ring: neighbourhood collectives */
    SIM_CLASSES
};

enum sim_unit_kind { SIM_MESSAGE, SIM_GROUP, SIM_WORK, SIM_REGION };

struct sim_unit {
    enum sim_unit_kind kind;
    uint32_t bytes;
    uint32_t source, destination; /* SIM_MESSAGE */
    bool synchronous;             /* its send waits for the receiver */
    enum sim_class class;         /* SIM_GROUP */
    uint32_t root;                /* index into the members */
    uint32_t member, members;     /* place in sim_program.members, and how many */
};

struct sim_action {
    enum sim_kind kind;
    uint32_t serial;            /* of the program as it was made: stays when others are dropped */
    uint32_t unit;              /* not for SIM_WAIT */
    uint32_t region;            /* SIM_COMPUTE: the innermost one around it, 0 none; SIM_ENTER, SIM_LEAVE: this one */
    uint32_t member;            /* SIM_COLLECTIVE, SIM_ICOLLECTIVE: index of this process among the members */
    uint32_t request, requests; /* SIM_WAIT: place in sim_program.requests, and how many */
    uint64_t ns;                /* SIM_COMPUTE */
};

struct sim_list {
    struct sim_action *actions;
    uint32_t count, capacity;
    uint32_t open[16], depth; /* regions that are not left yet, and their units */
    uint32_t open_unit[16];
};

struct sim_program {
    uint32_t processes;
    struct sim_list *lists;
    struct sim_unit *units;
    uint32_t *members;  /* processes, ascending in each group */
    uint32_t *requests; /* units */
    uint32_t unit_count, unit_capacity, member_count, member_capacity, request_count, request_capacity, serials;
};

struct sim_program *sim_program_new(uint32_t processes);
void sim_program_free(struct sim_program *program);

void sim_program_compute(struct sim_program *program, uint32_t process, uint64_t ns);
void sim_program_enter(struct sim_program *program, uint32_t process, uint32_t region); /* does nothing where 16 are open */
void sim_program_leave(struct sim_program *program, uint32_t process);

/* A message that nobody sends or receives yet; its unit. */
uint32_t sim_program_message(struct sim_program *program, uint32_t source, uint32_t destination, uint32_t bytes);
/* One side of it: a send of any kind appends to its source, a receive of any kind to its destination. */
void sim_program_post(struct sim_program *program, enum sim_kind kind, uint32_t unit);
/* units: of operations that were posted without waiting. */
void sim_program_wait(struct sim_program *program, uint32_t process, const uint32_t *units, uint32_t count);

/* A collective operation, appended to each of its members (ascending); root: index into them. kind: blocking or not. */
uint32_t sim_program_collective(struct sim_program *program, enum sim_kind kind, enum sim_class class, uint32_t bytes, uint32_t root,
                                const uint32_t *members, uint32_t count);

/* A copy without one unit. */
struct sim_program *sim_program_drop(const struct sim_program *program, uint32_t unit);
uint32_t sim_program_actions(const struct sim_program *program);
void sim_program_print(const struct sim_program *program, FILE *to);
const char *sim_kind_name(enum sim_kind kind);

#endif
