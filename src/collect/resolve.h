/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From addresses of one executable or shared library to places in the program's text, by its DWARF and ELF symbols.
 * Debug information may lie in a separate file where the system keeps such files; nothing is fetched over the network.
 * Who opens a resolver owns it; one thread at a time.
 */
#ifndef WF_COLLECT_RESOLVE_H
#define WF_COLLECT_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wf_resolver_status {
    WF_RESOLVER_OK,
    WF_RESOLVER_MISSING, /* the file cannot be opened: errno says why */
    WF_RESOLVER_CHANGED, /* it has another build-id than the one that ran */
    WF_RESOLVER_NO_ELF,  /* it is no ELF file */
};

/* A statement and the procedure it stands in. Texts belong to the resolver and live until the next look-up,
 * or the next frame of the same one. */
struct wf_location {
    const char *file;                                 /* as the compiler was given it; NULL: no line information */
    const char *full_file;                            /* the same with its directory, to tell files of one name apart */
    int line;                                         /* 0 without line information */
    const char *procedure;                            /* the innermost one, inlined ones included; NULL: not known */
    const char *procedure_file, *procedure_full_file; /* where it is declared; NULL: not known */
    int procedure_line;
    bool inlined; /* the procedure stands here in the code of another one */
};

struct wf_resolver;

/* Before the first and after the last use of any resolver: keeps libdw from asking debuginfod servers
 * meanwhile. */
void wf_resolver_stay_offline(void);
void wf_resolver_go_online(void);

/* A build-id of 0 bytes is not compared. Sets *resolver only if it returns WF_RESOLVER_OK. */
enum wf_resolver_status wf_resolver_open(const char *path, const unsigned char *build_id, size_t build_id_bytes,
                                         struct wf_resolver **resolver);
void wf_resolver_close(struct wf_resolver *resolver);

/* `offset` is a return address as the file sees it: the statement is the one before it. */
void wf_resolver_locate(struct wf_resolver *resolver, uint64_t offset, struct wf_location *location);

/* The same for a visitor, and, for as long as the procedure is an inlined one, the statement that called it. The
 * visitor ends the walk by returning a value other than 0, which is then returned. */
typedef int wf_resolver_visitor(void *context, const struct wf_location *location);
int wf_resolver_walk(struct wf_resolver *resolver, uint64_t offset, wf_resolver_visitor *visit, void *context);

/* `offset` is a procedure's own address; file and line stay empty. */
void wf_resolver_locate_procedure(struct wf_resolver *resolver, uint64_t offset, struct wf_location *location);

/* The bytes of a section as they are in the file, or NULL; they live as long as the resolver. */
const char *wf_resolver_section(struct wf_resolver *resolver, const char *name, size_t *bytes);

#endif
