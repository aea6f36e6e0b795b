/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A translation unit as [LZ] sees it: procedures, and in them loops, calls and communication statements; and in each loop the same.
 * The unit owns everything that hangs on it; one thread.
 */
#ifndef WF_UNIT_H
#define WF_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instrument/lexer.h"

/* Text that is put into a source. */
struct wf_insertion {
    size_t at;
    bool opens;    /* and so comes behind what closes at the same place */
    char *text;
    unsigned line; /* of the place, as the compiler counts */
    bool own_line; /* something follows on the line and keeps its column: a new line, and #line in front of it */
};

/* A file of the user's own. */
struct wf_source {
    void *file;       /* libclang's */
    char *name;       /* as the compiler names it in messages and debug information */
    const char *text; /* libclang's, with a 0 behind it */
    size_t length;
    struct wf_token *tokens;
    size_t token_count;
    unsigned included; /* how often */
    bool untouchable;  /* is to stay as it is */
    struct wf_insertion *insertions;
    size_t insertion_count;
};

enum wf_region_kind { WF_PROCEDURE, WF_LOOP };

enum wf_probe { WF_PROBE_ON, WF_PROBE_LEAF, WF_PROBE_SKIPPED };

enum { WF_NONE = -1 };

struct wf_region {
    enum wf_region_kind kind;
    int parent;         /* the procedure or loop directly around it; WF_NONE for a procedure */
    int procedure;      /* the procedure it is in, or it itself */
    size_t source;
    size_t begin, end;  /* loop: from its keyword; procedure: from the { of its body; to the last token that libclang counts */
    char *name;         /* procedure, qualified in C++; or "for", "while", "do" */
    char *file;         /* place, as the compiler names it */
    unsigned line;
    unsigned begin_line, end_line; /* of `begin` and `end`, as the compiler counts */
    char *key;          /* procedure: libclang's name for it in all units */
    uint64_t hash;      /* procedure: of all that is in it */
    enum wf_probe probe;
    const char *reason; /* why it is skipped; not owned */
    bool is_main;
    bool tiny;          /* loop: a few rounds, known from its text */
    bool semicolon;     /* loop: ends with a semicolon behind `end` */
    size_t tail;        /* loop: where its last part begins that is no loop, if or label itself: a block or a simple statement */
    bool asm_goto;      /* procedure */
    bool unbounded;     /* procedure or loop: what it does is not bounded by its text */
    bool brief;         /* procedure: a loop calls it, and it does little more than call others that have probes */
    bool communicates;  /* procedure: has communication statements of its own */
    bool wanted;        /* procedure: the user named it */
};

enum wf_call_kind { WF_CALL, WF_COMMUNICATION };

struct wf_call {
    enum wf_call_kind kind;
    int parent;     /* the procedure or loop directly around it */
    int target;     /* the procedure, if it is in this unit; else WF_NONE */
    char *callee;   /* name, qualified in C++; "*" through a pointer */
    char *key;      /* libclang's name, or NULL */
    char *file;
    unsigned line;
    bool library;   /* of the system: not in the tables, and taken for short */
};

enum wf_jump_kind { WF_LABEL, WF_GOTO, WF_LABEL_ADDRESS, WF_COMPUTED_GOTO };

struct wf_jump {
    enum wf_jump_kind kind;
    int region;
    char *label; /* NULL for a computed one */
};

struct wf_unit {
    void *tree, *index; /* libclang's; the sources' texts are in them */
    char *file; /* as the compiler was given it */
    bool cplusplus;
    bool preprocessed; /* gcc -E >foo.2.c, and that is compiled: the headers of the system are in it, as gcc reads them */
    bool doubtful; /* compilers may warn of its indentation or braces, and could fail to see it in the instrumented text */
    struct wf_source *sources; /* the first is the main file */
    size_t source_count;
    struct wf_region *regions;
    size_t region_count;
    struct wf_call *calls;
    size_t call_count;
    struct wf_jump *jumps;
    size_t jump_count;
};

/* All but libclang's part: see wf_parse_forget. */
void wf_unit_fini(struct wf_unit *unit);

/* Leaves the region without a probe. The first reason stays. */
void wf_region_skip(struct wf_region *region, const char *reason);

/* Whether `region` is `around` or in it, in the same procedure. */
bool wf_unit_is_within(const struct wf_unit *unit, int region, int around);

/* The innermost procedure around a place, or WF_NONE. */
int wf_unit_procedure_at(const struct wf_unit *unit, size_t source, size_t at);

#endif
