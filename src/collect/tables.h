/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The static tables of a program: which loops, calls and communication statements stand in which procedure or loop of
 * its text ([LZ] 6.2), as `weft cc` left them in the executables and libraries. A header's procedures come with every
 * unit that includes it, and are kept once. The collected program owns them.
 */
#ifndef WF_COLLECT_TABLES_H
#define WF_COLLECT_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "collect/procedures.h"

enum wf_table_kind { WF_TABLE_LOOP, WF_TABLE_COM, WF_TABLE_CALL };

struct wf_table_place {
    uint32_t file, line; /* file in texts */
};

/* A procedure or a loop. */
struct wf_table_node {
    struct wf_table_place place;
    uint32_t name;      /* in texts; of a loop: its kind */
    uint32_t status;    /* in texts: "probe", "leaf", "skipped: why" */
    uint32_t procedure; /* its own, or the one it stands in */
    bool loop;
};

/* A statement in a procedure or loop. */
struct wf_table_row {
    uint32_t kind; /* enum wf_table_kind */
    struct wf_table_place outer, inner;
    uint32_t outer_loop; /* 1: outer is a loop */
    uint32_t name;       /* in texts: the loop's kind, the MPI function, the procedure called; "*": by a pointer */
    uint32_t procedure;  /* it stands in */
    uint32_t callee;     /* WF_NO_PROCEDURE: not known, or not a call */
    uint32_t dynamic;    /* 1: not in the text, but the call was made */
};

struct wf_tables {
    struct wf_intern node_keys; /* numbers as in nodes, before they are sorted */
    struct wf_table_node *nodes;
    size_t node_capacity;
    struct wf_intern row_keys; /* numbers as in rows, before they are sorted */
    struct wf_table_row *rows;
    size_t row_capacity;
    size_t newer;                    /* units of a newer weft, which this one cannot read */
    struct wf_table_place *observed; /* lines where debug information has statements */
    size_t observed_count, observed_capacity;

    /* Since wf_tables_settle, both by place: */
    uint32_t pointer; /* "*" in texts */
    struct wf_table_row *dynamic_rows;
    struct wf_intern dynamic_keys; /* numbers as in dynamic_rows */
    size_t dynamic_capacity;
};

/* A zeroed struct is an empty one. */
void wf_tables_fini(struct wf_tables *tables);

/* Reads all units of a section. Damaged records are left out. Returns 0, or -1 without memory. */
int wf_tables_read(struct wf_tables *tables, struct wf_intern *texts, struct wf_procedures *procedures,
                   const char *bytes, size_t length);

/* For the reader: each is kept once. Both return 0, or -1 without memory. */
int wf_tables_add_node(struct wf_tables *tables, const struct wf_table_node *node);
int wf_tables_add_row(struct wf_tables *tables, const struct wf_table_row *row);

/* Adds a line that has a statement in the debug information. Returns 0, or -1 without memory. */
int wf_tables_observe(struct wf_tables *tables, struct wf_table_place place);

/* With all units read and the procedures unified: finds out which procedures are called. Returns 0, or -1 without
 * memory. */
int wf_tables_settle(struct wf_tables *tables, struct wf_intern *texts, const struct wf_procedures *procedures);

size_t wf_tables_node_count(const struct wf_tables *tables);
size_t wf_tables_row_count(const struct wf_tables *tables);
size_t wf_tables_dynamic_count(const struct wf_tables *tables);

/* The line where the text has the call, or the communication statement, that debug information puts at this line of a
 * procedure. gcc puts a call for an argument at the line of the outer call, which may begin lines above. */
uint32_t wf_tables_call_line(const struct wf_tables *tables, const struct wf_procedures *procedures,
                             struct wf_table_place place, uint32_t procedure, uint32_t callee);
uint32_t wf_tables_com_line(const struct wf_tables *tables, struct wf_table_place place, uint32_t procedure,
                            uint32_t name);

/* The procedure that a call of this procedure stands in, a loop of this kind, or anything else at a place;
 * WF_NO_PROCEDURE: the tables do not say. */
uint32_t wf_tables_procedure_of_call(const struct wf_tables *tables, const struct wf_procedures *procedures,
                                     struct wf_table_place place, uint32_t callee);
uint32_t wf_tables_procedure_of_loop(const struct wf_tables *tables, struct wf_table_place place, uint32_t name);
uint32_t wf_tables_procedure_around(const struct wf_tables *tables, struct wf_table_place place);

/* Adds a call that was made, unless the text has it or the caller's text is not known. Returns 0, or -1 without
 * memory. */
int wf_tables_add_call(struct wf_tables *tables, const struct wf_procedures *procedures, struct wf_table_place place,
                       uint32_t caller, uint32_t callee);

#endif
