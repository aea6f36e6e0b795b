/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A message-passing program as data: for each process a list of actions. The only times in it are those of computing.
 * The caller owns it.
 *
 * Actions that belong together are a unit: a message (its send, its receive and the waits for them), a collective
 * operation (one action of each member), accesses to a window, a piece of computing, a region (enter and leave). A
 * message is matched by its unit, as if each had a tag of its own, so matching does not depend on the order of posts. A
 * request is known by its unit. A program without one of its units is still a program (sim_program_drop): this is how a
 * failing one is made small.
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
    SIM_POLL, /* for one request: asks for it again and again, with pauses of so many ns */
    SIM_POST,     /* a window's exposure: MPI_Win_post; */
    SIM_ACCESS,   /* MPI_Win_start, */
    SIM_COMPLETE, /* and MPI_Win_complete of those that access it; */
    SIM_CLOSE,    /* MPI_Win_wait: they have all completed */
    SIM_LOCK,     /* of a window, and its release */
    SIM_UNLOCK,
    SIM_KINDS
};

/* The entries that a member waits for. */
enum sim_class {
    SIM_ALL,       /* those of all members: barrier, allreduce, allgather, alltoall */
    SIM_FROM_ROOT, /* the root's: bcast, scatter */
    SIM_TO_ROOT,   /* the root those of all members, the others none: reduce, gather */
    SIM_PREFIX,    /* that of the members below: scan, exscan */
    SIM_NEIGHBOUR, /* that of the members beside it, on a ring: neighbourhood collectives */
    SIM_CLASSES, /* so many of them follow from MPI's rules. A library may do more, and a monitor does not know it: */
    SIM_DOWN_TREE = SIM_CLASSES, /* those of the members above it in a binomial tree, the root at its top: bcast */
    SIM_UP_TREE,                 /* those of the members below it in that tree: reduce */
    SIM_FENCE,                   /* those of all members */
    SIM_ALL_CLASSES
};

enum sim_unit_kind { SIM_MESSAGE, SIM_GROUP, SIM_WORK, SIM_REGION, SIM_EPOCH, SIM_SECTION };

#define SIM_WINDOWS 4 /* that are locked */
#define SIM_NO_UNIT UINT32_MAX

struct sim_unit {
    enum sim_unit_kind kind;
    uint32_t bytes;
    uint32_t source, destination; /* SIM_MESSAGE */
    bool synchronous;             /* its send waits for the receiver */
    enum sim_class class;         /* SIM_GROUP */
    uint32_t root;                /* index into the members */
    uint32_t member, members; /* place in sim_program.members, and how many; SIM_EPOCH: the target, then the origins */
    uint32_t window, previous;    /* SIM_SECTION: what is locked, and the unit that had it before; SIM_NO_UNIT: none */
};

/* What makes an action longer without being computing or transfer. It is the same in every run. */
struct sim_idle {
    uint32_t early_ns;  /* it has no core from its begin on */
    uint32_t stolen_ns; /* it has no core when it could go on */
    uint32_t hidden_ns; /* it goes on later, and nothing tells why */
};

struct sim_action {
    enum sim_kind kind;
    uint32_t serial;            /* of the program as it was made: stays when others are dropped */
    uint32_t unit;              /* not for SIM_WAIT and SIM_POLL */
    uint32_t region;            /* SIM_COMPUTE: the innermost one around it, 0 none; SIM_ENTER, SIM_LEAVE: this one */
    uint32_t member;            /* SIM_GROUP, SIM_EPOCH: index of this process among the members */
    uint32_t request, requests; /* SIM_WAIT, SIM_POLL: place in sim_program.requests, and how many */
    uint64_t ns;                /* SIM_COMPUTE; SIM_POLL: between two polls */
    uint32_t poll_ns;           /* SIM_POLL: what one takes that fails */
    struct sim_idle idle;
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

static inline bool sim_has_requests(const struct sim_action *action)
{
    return action->kind == SIM_WAIT || action->kind == SIM_POLL;
}

struct sim_program *sim_program_new(uint32_t processes);
void sim_program_free(struct sim_program *program);

void sim_program_compute(struct sim_program *program, uint32_t process, uint64_t ns);
void sim_program_enter(struct sim_program *program, uint32_t process, uint32_t region); /* does nothing where 16 are
                                                                                           open */
void sim_program_leave(struct sim_program *program, uint32_t process);

/* Adds a message without a sender or receiver so far; returns its unit. */
uint32_t sim_program_message(struct sim_program *program, uint32_t source, uint32_t destination, uint32_t bytes);
/* Adds one side of it: a send of any kind to its source, a receive of any kind to its destination. */
void sim_program_post(struct sim_program *program, enum sim_kind kind, uint32_t unit);
/* units: of operations that were posted without waiting. */
void sim_program_wait(struct sim_program *program, uint32_t process, const uint32_t *units, uint32_t count);

/* A collective operation, appended to each of its members (ascending); root: index into them. kind: blocking or not. */
uint32_t sim_program_collective(struct sim_program *program, enum sim_kind kind, enum sim_class class, uint32_t bytes,
                                uint32_t root, const uint32_t *members, uint32_t count);

/* The same by polls; each that fails takes poll_ns, more than 0. */
void sim_program_poll(struct sim_program *program, uint32_t process, uint32_t unit, uint32_t poll_ns,
                      uint64_t pause_ns);

/* Accesses of some processes to another's memory. members: the target, then the origins. Then each action: SIM_POST and
 * SIM_CLOSE of member 0, SIM_ACCESS and SIM_COMPLETE of the others. */
uint32_t sim_program_epoch(struct sim_program *program, const uint32_t *members, uint32_t count);
void sim_program_access(struct sim_program *program, enum sim_kind kind, uint32_t unit, uint32_t member);

/* A process locks a window, or releases it. */
uint32_t sim_program_lock(struct sim_program *program, uint32_t process, uint32_t window, uint32_t previous);
void sim_program_unlock(struct sim_program *program, uint32_t process, uint32_t unit);

/* A copy without one unit. */
struct sim_program *sim_program_drop(const struct sim_program *program, uint32_t unit);
uint32_t sim_program_actions(const struct sim_program *program);
void sim_program_print(const struct sim_program *program, FILE *to);
const char *sim_kind_name(enum sim_kind kind);

#endif
