/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the procedures around an address are called, and where they are declared.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "collect/resolve_inside.h"

static bool die_follow(Dwarf_Die *die, unsigned attribute_name)
{
    Dwarf_Attribute attribute;
    return dwarf_formref_die(dwarf_attr(die, attribute_name, &attribute), die) != NULL;
}

/* From an inlined or outlined copy to the procedure's place in the text, inside its classes and namespaces. */
static Dwarf_Die die_origin(const Dwarf_Die *procedure)
{
    Dwarf_Die die = *procedure;
    for (int i = 0; i < 16 && (die_follow(&die, DW_AT_abstract_origin) || die_follow(&die, DW_AT_specification)); i++)
        ;
    return die;
}

static bool die_is_class(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* What a scope adds to the names in it. A procedure adds to the names of its local classes, lambdas among them, but not
 * to those of procedures in it, as Fortran has them. */
static const char *die_scope_name(Dwarf_Die *scope, bool holds_class)
{
    const char *name = dwarf_diename(scope);
    if (dwarf_tag(scope) == DW_TAG_namespace)
        return name ? name : "(anonymous namespace)";
    if (die_is_class(scope))
        return name ? name : "(lambda)";
    return holds_class && dwarf_tag(scope) == DW_TAG_subprogram ? name : NULL;
}

static bool resolver_append_name(struct wf_resolver *resolver, const char *text)
{
    size_t length = resolver->name ? strlen(resolver->name) : 0;
    if (WF_ARRAY_RESERVE(resolver->name, resolver->name_capacity, length + strlen(text) + 1) != 0)
        return false;
    strcpy(resolver->name + length, text);
    return true;
}

/* `scopes` are the procedure's, the innermost and so itself first. */
static const char *resolver_qualified_name(struct wf_resolver *resolver, Dwarf_Die *procedure, Dwarf_Die *scopes,
                                           int count)
{
    const char *own = dwarf_diename(procedure);
    if (!own)
        return NULL;
    if (resolver->name)
        resolver->name[0] = '\0';
    int outermost_class = count - 1;
    while (outermost_class > 0 && !die_is_class(&scopes[outermost_class]))
        outermost_class--;
    for (int i = count - 1; i > 0; i--) {
        const char *outer = die_scope_name(&scopes[i], outermost_class > 0 && outermost_class < i);
        if (outer && !(resolver_append_name(resolver, outer) && resolver_append_name(resolver, "::")))
            return own;
    }
    return resolver_append_name(resolver, own) ? resolver->name : own;
}

static void resolver_locate_declaration(struct wf_resolver *resolver, Dwarf_Die *procedure,
                                        struct wf_location *location)
{
    Dwarf_Die unit;
    Dwarf_Attribute attribute;
    int line;
    const char *path = wf_source_file_named(dwarf_attr_integrate(procedure, DW_AT_decl_file, &attribute), &unit);
    if (!path || dwarf_decl_line(procedure, &line) != 0)
        return;
    location->procedure_file = wf_source_file_as_given(&unit, path);
    location->procedure_full_file = wf_source_file_in_full(&unit, path, &resolver->procedure_full_file);
    location->procedure_line = line;
}

void wf_resolver_describe(struct wf_resolver *resolver, Dwarf_Die *procedure, struct wf_location *location)
{
    Dwarf_Die origin = die_origin(procedure), scopes[WF_DEEPEST_SCOPE + 1];
    int count = wf_resolver_scopes_of(resolver, &origin, scopes);
    location->procedure = resolver_qualified_name(resolver, procedure, scopes, count);
    location->inlined = dwarf_tag(procedure) == DW_TAG_inlined_subroutine;
    resolver_locate_declaration(resolver, procedure, location);
    if (!location->procedure_file && count > 1 && die_is_class(&scopes[1])) /* a lambda: its class stands where it does
                                                                             */
        resolver_locate_declaration(resolver, &scopes[1], location);
}
