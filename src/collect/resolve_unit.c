/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From an address to its compilation unit.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bisection.h"
#include "collect/resolve_inside.h"

static void resolver_add_ranges(struct wf_resolver *resolver, Dwarf_Die *unit)
{
    Dwarf_Addr base, low, high;
    for (ptrdiff_t next = 0; (next = dwarf_ranges(unit, next, &base, &low, &high)) > 0;) {
        if (low >= high)
            continue;
        if (WF_ARRAY_RESERVE(resolver->ranges, resolver->range_capacity, resolver->range_count + 1) != 0)
            return;
        resolver->ranges[resolver->range_count++] = (struct wf_resolver_range){low, high, dwarf_dieoffset(unit)};
    }
}

static int resolver_compare_ranges(const void *a, const void *b)
{
    const struct wf_resolver_range *x = a, *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

static void resolver_make_ranges(struct wf_resolver *resolver)
{
    resolver->ranges_made = true;
    Dwarf_CU *next = NULL;
    Dwarf_Die unit;
    uint8_t type;
    while (dwarf_get_units(resolver->dwarf, next, &next, NULL, &type, &unit, NULL) == 0)
        if (type == DW_UT_compile || type == DW_UT_skeleton)
            resolver_add_ranges(resolver, &unit);
    if (resolver->range_count)
        qsort(resolver->ranges, resolver->range_count, sizeof *resolver->ranges, resolver_compare_ranges);
}

/* clang writes no .debug_aranges, and libdw looks nowhere else. */
static bool resolver_find_unit_by_ranges(struct wf_resolver *resolver, Dwarf_Addr address, Dwarf_Die *unit)
{
    if (!resolver->ranges_made)
        resolver_make_ranges(resolver);
    struct wf_bisection b = {.high = resolver->range_count};
    while (wf_bisection_goes_on(&b))
        wf_bisection_step(&b, resolver->ranges[b.middle].low <= address);
    if (b.low == 0 || address >= resolver->ranges[b.low - 1].high)
        return false;
    return dwarf_offdie(resolver->dwarf, resolver->ranges[b.low - 1].unit, unit) != NULL;
}

bool wf_resolver_has_dwarf(struct wf_resolver *resolver)
{
    if (!resolver->dwarf_sought)
        resolver->dwarf = dwfl_module_getdwarf(resolver->module, &resolver->bias);
    resolver->dwarf_sought = true;
    return resolver->dwarf;
}

bool wf_resolver_find_unit(struct wf_resolver *resolver, Dwarf_Addr address, Dwarf_Die *unit)
{
    if (dwarf_addrdie(resolver->dwarf, address, unit))
        return true;
    return resolver_find_unit_by_ranges(resolver, address, unit);
}
