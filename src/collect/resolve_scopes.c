/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The scopes of a compilation unit: what is inside what, and which code each has. A unit is walked once and not for
 * each address, so that a file with thousands of procedures is looked up in reasonable time. (dwarf_getscopes and
 * dwarf_getscopes_die walk it each time, and the first does not look into namespaces and Fortran's modules.)
 */
#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bisection.h"
#include "base/intern.h"
#include "collect/resolve_inside.h"

enum { NO_SCOPE = -1, ASTRAY = -2 };

struct resolver_scope {
    Dwarf_Die die;
    int parent; /* NO_SCOPE: the unit */
    int holder; /* the innermost scope around it that has code */
    bool inlined;
};

/* Code of a scope. Its group is the scope's holder; or ASTRAY, if the holder's code does not include it: a procedure in
 * a procedure, and one made of an OpenMP construct, has code of its own. */
struct resolver_code {
    Dwarf_Addr low, high, highest; /* highest: of this one and all before it in its group */
    int group, scope;
};

struct wf_resolver_unit {
    struct resolver_scope *scopes; /* in the order of the text, and so of their addresses in memory */
    size_t count, capacity;
    struct resolver_code *code; /* by group, low address and scope */
    size_t code_count, code_capacity;
};

/* ---- the walk ---- */

static bool die_holds_code(Dwarf_Die *die)
{
    return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

static bool die_may_contain_procedures(Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt:
    case DW_TAG_entry_point:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return true;
    default:
        return false;
    }
}

static bool die_is_procedure(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_entry_point;
}

static bool unit_add_code(struct wf_resolver_unit *unit, int number)
{
    struct resolver_scope *scope = &unit->scopes[number];
    Dwarf_Addr base, low, high;
    for (ptrdiff_t next = 0; (next = dwarf_ranges(&scope->die, next, &base, &low, &high)) > 0;) {
        int group = scope->holder;
        if (low >= high)
            continue;
        if (group != NO_SCOPE && dwarf_haspc(&unit->scopes[group].die, low) != 1) {
            if (unit->scopes[group].inlined)
                continue;
            group = ASTRAY;
        }
        if (WF_ARRAY_RESERVE(unit->code, unit->code_capacity, unit->code_count + 1) != 0)
            return false;
        unit->code[unit->code_count++] = (struct resolver_code){low, high, 0, group, number};
    }
    return true;
}

/* A damaged file may lead back to what was there before. */
static bool unit_add_scope(struct wf_resolver_unit *unit, const Dwarf_Die *die, int parent)
{
    if (unit->count && (const char *)die->addr <= (const char *)unit->scopes[unit->count - 1].die.addr)
        return false;
    if (unit->count >= INT32_MAX || WF_ARRAY_RESERVE(unit->scopes, unit->capacity, unit->count + 1) != 0)
        return false;
    struct resolver_scope *scope = &unit->scopes[unit->count++];
    *scope = (struct resolver_scope){.die = *die, .parent = parent, .holder = NO_SCOPE};
    scope->inlined = dwarf_tag(&scope->die) == DW_TAG_inlined_subroutine;
    if (parent == NO_SCOPE)
        return true;
    struct resolver_scope *around = &unit->scopes[parent];
    scope->inlined = scope->inlined || around->inlined;
    scope->holder = die_holds_code(&around->die) ? parent : around->holder;
    return true;
}

static bool unit_walk(struct wf_resolver_unit *unit, Dwarf_Die *scope, int parent, int depth)
{
    Dwarf_Die child;
    if (depth > WF_DEEPEST_SCOPE || dwarf_child(scope, &child) != 0)
        return true;
    do {
        if (!die_may_contain_procedures(&child))
            continue;
        int number = (int)unit->count;
        if (!unit_add_scope(unit, &child, parent) || (die_holds_code(&child) && !unit_add_code(unit, number)) ||
            !unit_walk(unit, &child, number, depth + 1))
            return false;
    } while (dwarf_siblingof(&child, &child) == 0);
    return true;
}

static int resolver_code_compare(const void *a, const void *b)
{
    const struct resolver_code *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->scope > y->scope) - (x->scope < y->scope);
}

static void unit_sort_code(struct wf_resolver_unit *unit)
{
    if (unit->code_count)
        qsort(unit->code, unit->code_count, sizeof *unit->code, resolver_code_compare);
    for (size_t i = 0; i < unit->code_count; i++) {
        struct resolver_code *code = &unit->code[i];
        code->highest = code->high;
        if (i && code[-1].group == code->group && code[-1].highest > code->high)
            code->highest = code[-1].highest;
    }
}

/* With -gsplit-dwarf the unit in the executable is a skeleton; its procedures stand in the .dwo file. */
static Dwarf_Die resolver_unit_body(Dwarf_Die *unit)
{
    Dwarf_Die split;
    uint8_t type;
    bool skeleton = dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 &&
                    type == DW_UT_skeleton && split.addr;
    return skeleton ? split : *unit;
}

/* NULL without memory. Valid until the next call. */
static struct wf_resolver_unit *resolver_unit_of(struct wf_resolver *resolver, Dwarf_Die *die)
{
    struct wf_resolver_unit empty = {0};
    Dwarf_Die body = resolver_unit_body(die);
    size_t before = resolver->unit_keys.count;
    uint32_t number =
        WF_INTERN_ADD_ITEM(&resolver->unit_keys, &body.addr, resolver->units, resolver->unit_capacity, &empty);
    if (number == WF_INTERN_NONE)
        return NULL;
    if (number == before) {
        unit_walk(&resolver->units[number], &body, NO_SCOPE, 0);
        unit_sort_code(&resolver->units[number]);
    }
    return &resolver->units[number];
}

void wf_resolver_free_units(struct wf_resolver *resolver)
{
    for (size_t i = 0; i < resolver->unit_keys.count; i++) {
        free(resolver->units[i].scopes);
        free(resolver->units[i].code);
    }
    free(resolver->units);
    wf_intern_fini(&resolver->unit_keys);
}

/* ---- what is around ---- */

/* The first scope of the group, in the order of the text, that has the address; NO_SCOPE: none. */
static int unit_find_code(const struct wf_resolver_unit *unit, int group, Dwarf_Addr address)
{
    int found = NO_SCOPE;
    struct wf_bisection b = {.high = unit->code_count};
    while (wf_bisection_goes_on(&b)) {
        const struct resolver_code *code = &unit->code[b.middle];
        wf_bisection_step(&b, code->group != group ? code->group < group : code->low <= address);
    }
    for (size_t i = b.low; i-- > 0 && unit->code[i].group == group && unit->code[i].highest > address;)
        if (unit->code[i].high > address && (found == NO_SCOPE || unit->code[i].scope < found))
            found = unit->code[i].scope;
    return found;
}

static void unit_find_chain(struct wf_resolver_unit *unit, int group, Dwarf_Addr address,
                            struct wf_procedure_chain *chain)
{
    for (int scope = unit_find_code(unit, group, address); scope >= 0 && chain->count <= WF_DEEPEST_SCOPE;
         scope = unit_find_code(unit, scope, address))
        if (die_is_procedure(&unit->scopes[scope].die))
            chain->procedures[chain->count++] = unit->scopes[scope].die;
}

void wf_procedure_chain_find(struct wf_resolver *resolver, Dwarf_Die *unit, Dwarf_Addr address,
                             struct wf_procedure_chain *chain)
{
    struct wf_resolver_unit *known = resolver_unit_of(resolver, unit);
    chain->count = 0;
    if (known)
        unit_find_chain(known, NO_SCOPE, address, chain);
    if (known && chain->count == 0)
        unit_find_chain(known, ASTRAY, address, chain);
}

int wf_resolver_scopes_of(struct wf_resolver *resolver, Dwarf_Die *procedure, Dwarf_Die *scopes)
{
    Dwarf_Die unit;
    struct wf_resolver_unit *known =
        dwarf_diecu(procedure, &unit, NULL, NULL) ? resolver_unit_of(resolver, &unit) : NULL;
    struct wf_bisection b = {.high = known ? known->count : 0};
    int count = 0;
    while (wf_bisection_goes_on(&b))
        wf_bisection_step(&b, (const char *)known->scopes[b.middle].die.addr < (const char *)procedure->addr);
    if (!known || b.low == known->count || known->scopes[b.low].die.addr != procedure->addr)
        return 0;
    for (int scope = (int)b.low; scope >= 0; scope = known->scopes[scope].parent)
        scopes[count++] = known->scopes[scope].die;
    return count;
}
