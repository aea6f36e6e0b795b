/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The resolver from inside: what its files (resolve*.c) share. Other files include resolve.h.
 */
#ifndef WF_COLLECT_RESOLVE_INSIDE_H
#define WF_COLLECT_RESOLVE_INSIDE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "base/intern.h"
#include "collect/resolve.h"

#define WF_DEEPEST_SCOPE 128 /* no compiler nests like this; a damaged file might */

struct wf_resolver_range {
    Dwarf_Addr low, high;
    Dwarf_Off unit;
};

struct wf_resolver {
    Dwfl *dwfl;
    Dwfl_Module *module;
    Dwarf *dwarf;    /* NULL: no debug information, or not looked for yet */
    Dwarf_Addr bias; /* address in the module - address in the DWARF */
    bool dwarf_sought;
    struct wf_resolver_range *ranges; /* of all units; made only where .debug_aranges is incomplete */
    size_t range_count, range_capacity;
    bool ranges_made;
    struct wf_intern unit_keys; /* of the units whose scopes are known, by where they lie in memory */
    struct wf_resolver_unit *units;
    size_t unit_capacity;
    char *name; /* the last procedure's, put together */
    size_t name_capacity;
    char *demangled;
    char *full_file, *procedure_full_file; /* the last ones, where they had to be put together */
};

/* The procedures around an address, the outermost first. */
struct wf_procedure_chain {
    Dwarf_Die procedures[WF_DEEPEST_SCOPE + 1];
    int count;
};

/* Whether there is debug information. Finding it, perhaps in a separate file, is the slowest part of a look-up. */
bool wf_resolver_has_dwarf(struct wf_resolver *resolver);

/* The compilation unit that holds an address of the DWARF. */
bool wf_resolver_find_unit(struct wf_resolver *resolver, Dwarf_Addr address, Dwarf_Die *unit);

/* A path as the compiler was given it; and with its directory, in *buffer where libdw left it out. */
const char *wf_source_file_as_given(Dwarf_Die *unit, const char *path);
const char *wf_source_file_in_full(Dwarf_Die *unit, const char *path, char **buffer);

/* The file that DW_AT_decl_file or DW_AT_call_file names. The unit is set to the one that numbers the files: with
 * link-time optimisation not the one where the code is. */
const char *wf_source_file_named(Dwarf_Attribute *attribute, Dwarf_Die *unit);

/* All procedures around the address, inlined ones inside of those they are inlined in. */
void wf_procedure_chain_find(struct wf_resolver *resolver, Dwarf_Die *unit, Dwarf_Addr address,
                             struct wf_procedure_chain *chain);

/* Where a procedure stands in the text: itself and the scopes around it, without the unit; up to WF_DEEPEST_SCOPE + 1.
 * Returns how many they are; 0: not known. */
int wf_resolver_scopes_of(struct wf_resolver *resolver, Dwarf_Die *procedure, Dwarf_Die *scopes);

void wf_resolver_free_units(struct wf_resolver *resolver);

/* Sets a procedure's name, where it is declared, and whether it is inlined. */
void wf_resolver_describe(struct wf_resolver *resolver, Dwarf_Die *procedure, struct wf_location *location);

#endif
