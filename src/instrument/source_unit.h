/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A translation unit as [LZ] sees it: procedures, with their loops, calls and communication statements, and loops with
 * theirs. The unit owns all its parts; one thread.
 */
#ifndef WF_SOURCE_UNIT_H
#define WF_SOURCE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instrument/lexer.h"

/* Text that is inserted into a source. */
struct wf_insertion {
    size_t at;
    bool opens; /* it goes after insertions that close at the same place */
    char *text;
    unsigned line; /* of the place, as the compiler counts it */
    bool own_line; /* the rest of the line goes on a new one, after #line, to keep its column */
};

/* A file of the user's. */
struct wf_source {
    void *file;       /* CXFile */
    char *name;       /* as the compiler names it in messages and debug information */
    const char *text; /* owned by libclang, ends with a 0 */
    size_t length;
    struct wf_token *tokens;
    size_t token_count;
    unsigned included; /* how many times */
    bool untouchable;  /* must not change */
    struct wf_insertion *insertions;
    size_t insertion_count;
};

enum wf_source_region_kind { WF_PROCEDURE, WF_LOOP };

enum wf_probe { WF_PROBE_ON, WF_PROBE_LEAF, WF_PROBE_SKIPPED };

enum { WF_NONE = -1 };

struct wf_source_region {
    enum wf_source_region_kind kind;
    int parent;    /* the procedure or loop directly around it; WF_NONE for a procedure */
    int procedure; /* the procedure it is in, or it itself */
    size_t source;
    size_t begin, end; /* from a loop's keyword or the { of a procedure's body to the last token, as libclang counts it
                        */
    char *name;        /* procedure, qualified in C++; or "for", "while", "do" */
    char *file;        /* place, as the compiler names it */
    unsigned line;
    unsigned begin_line, end_line; /* of `begin` and `end`, as the compiler counts */
    char *key;                     /* procedure: libclang's name, the same in all units */
    uint64_t hash;                 /* procedure: of its tree */
    enum wf_probe probe;
    const char *reason; /* why it is skipped; a constant */
    bool is_main;
    bool tiny;         /* loop: few rounds, known from its text */
    bool semicolon;    /* loop: a semicolon after `end` ends it */
    size_t tail;       /* loop: where the last block or simple statement of its body begins */
    bool asm_goto;     /* procedure: has one */
    bool unbounded;    /* it may last: see leaf.h */
    bool brief;        /* procedure: only calls procedures with probes, from a loop: see leaf.c */
    bool communicates; /* procedure: has communication statements of its own */
    bool wanted;       /* procedure: the user named it */
};

enum wf_source_call_kind { WF_CALL, WF_COMMUNICATION };

struct wf_source_call {
    enum wf_source_call_kind kind;
    int parent;   /* the procedure or loop directly around it */
    int target;   /* the called procedure, if it is in this unit; else WF_NONE */
    char *callee; /* name, qualified in C++; "*" through a pointer */
    char *key;    /* libclang's name, or NULL */
    char *file;
    unsigned line;
    bool library;  /* declared in a system header: not in the tables */
    bool is_short; /* a call of the system's or the compiler's that is known to be short */
};

enum wf_jump_kind { WF_LABEL, WF_GOTO, WF_LABEL_ADDRESS, WF_COMPUTED_GOTO };

struct wf_jump {
    enum wf_jump_kind kind;
    int region;
    char *label; /* NULL for a computed goto */
};

struct wf_source_unit {
    void *tree, *index; /* libclang's; they own the sources' texts */
    char *file;         /* as on the compiler's command line */
    bool cplusplus;
    bool preprocessed;         /* the output of gcc -E: has system headers in it, as gcc reads them */
    bool doubtful;             /* compilers may warn of its indentation or braces, but not in the instrumented text */
    struct wf_source *sources; /* the first is the main file */
    size_t source_count;
    struct wf_source_region *regions;
    size_t region_count;
    struct wf_source_call *calls;
    size_t call_count;
    struct wf_jump *jumps;
    size_t jump_count;
};

/* Frees all but libclang's part: see wf_parse_forget. */
void wf_source_unit_fini(struct wf_source_unit *unit);

/* The region gets no probe. The first reason stays. */
void wf_source_region_skip(struct wf_source_region *region, const char *reason);

/* Whether `region` is `around` or in it, in the same procedure. */
bool wf_source_unit_is_within(const struct wf_source_unit *unit, int region, int around);

/* The innermost procedure around a place, or WF_NONE. */
int wf_source_unit_procedure_at(const struct wf_source_unit *unit, size_t source, size_t at);

#endif
