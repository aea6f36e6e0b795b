/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of receives from any source, as text: whether monitoring changed it, and what order control did.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/name.h"
#include "analyse/place.h"
#include "present/quantity.h"
#include "present/report_text.h"
#include "present/text_table.h"

static const char advice[] = "weft run --keep-order keeps the order of the unwatched program";

static double order_text_share(int64_t part, int64_t all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

/* ---- at which statements ---- */

static const struct wf_column columns[] = {{"changed", true, WF_CUT_NEVER}, {"of", true, WF_CUT_NEVER},
                                           {"share", true, WF_CUT_NEVER},   {"call", false, WF_CUT_NEVER},
                                           {"place", false, WF_CUT_PATH},   {"procedure", false, WF_CUT_NAME}};

enum { COLUMNS = sizeof columns / sizeof *columns };

static void order_text_add(struct wf_text_table *table, const struct wf_overview *o, const struct wf_order *order)
{
    const struct wf_statement *s = wf_statement_list_by_id(&o->statements, order->site);
    char *place = wf_place_text(s), *procedure = wf_name_short(s->procedure);
    wf_text_table_add(table, WF_BOLD, "%s", wf_quantity_short_count(order->sum.changed).text);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_short_count(order->sum.num).text);
    wf_text_table_add(table, WF_PLAIN, "%s",
                      wf_quantity_short_percent(order_text_share(order->sum.changed, order->sum.num)).text);
    wf_text_table_add(table, WF_PLAIN, "%s", s->name);
    wf_text_table_add(table, WF_PLAIN, "%s", place);
    wf_text_table_add(table, WF_PLAIN, "%s", procedure);
    free(place);
    free(procedure);
}

static void order_text_print_statements(struct wf_page *page, const struct wf_overview *o, size_t top)
{
    struct wf_text_table table;
    size_t changed = 0;
    wf_text_table_init(&table, page, columns, COLUMNS, 2);
    for (size_t i = 0; i < o->orders.count && o->orders.items[i].sum.changed > 0; i++, changed++)
        if (i < top)
            order_text_add(&table, o, &o->orders.items[i]);
    if (wf_text_table_rows(&table))
        wf_text_table_print(&table);
    if (changed > top)
        wf_page_wrap(page, WF_DIM, "  ", "%s and %s more statements (--all)", page->glyphs->ellipsis,
                     wf_quantity_count((int64_t)(changed - top)).text);
    wf_text_table_free(&table);
}

/* ---- sentences ---- */

static void order_text_print_changed(struct wf_page *page, const struct wf_order_list *orders)
{
    const struct wf_order_sum *sum = &orders->sum;
    if (sum->changed == 0 && sum->num > sum->undecided)
        wf_page_wrap(page, WF_PLAIN, "  ",
                     "Monitoring has changed the order of none of %s receives and probes from any source.",
                     wf_quantity_count(sum->num - sum->undecided).text);
    if (sum->changed > 0)
        wf_page_wrap(page, WF_PLAIN, "  ",
                     "Without monitoring, %s of %s receives and probes from any source (%s of them) would have taken "
                     "another message.",
                     wf_quantity_count(sum->changed).text, wf_quantity_count(sum->num).text,
                     wf_quantity_percent(orders->changed_share).text);
}

static void order_text_print_undecided(struct wf_page *page, const struct wf_overview *o)
{
    const struct wf_order_sum *sum = &o->orders.sum;
    bool real = strcmp(wf_program_text(&o->program, "clock"), "real") == 0;
    if (sum->undecided > 0)
        wf_page_wrap(page, WF_DIM, "  ",
                     "For %s of %s receives and probes from any source (%s of them) this is not known: %s.",
                     wf_quantity_count(sum->undecided).text, wf_quantity_count(sum->num).text,
                     wf_quantity_percent(order_text_share(sum->undecided, sum->num)).text,
                     real ? "no times without monitoring were computed (--clock=real)"
                          : "the sender is not watched, or on a host that is not reached");
}

static void order_text_print_doubt(struct wf_page *page, const struct wf_order_list *orders)
{
    if (!orders->doubtful)
        return;
    wf_page_wrap(page, WF_WARN, "  ! ",
                 "That is more than 1 %% of the receives and probes from any source%s: the unwatched program may "
                 "take another course than this profile shows%s%s.",
                 orders->controlled ? ", although their order was controlled" : "", orders->controlled ? "" : "; ",
                 orders->controlled ? "" : advice);
}

static void order_text_print_control(struct wf_page *page, const struct wf_order_sum *sum)
{
    if (sum->decided > 0)
        wf_page_wrap(page, WF_PLAIN, "  ",
                     "Order control (--keep-order) decided %s receives and probes: %s of these (%s) took another "
                     "message than the first one in real time.",
                     wf_quantity_count(sum->decided).text, wf_quantity_count(sum->otherwise).text,
                     wf_quantity_percent(order_text_share(sum->otherwise, sum->decided)).text);
    if (sum->held_ns > 0)
        wf_page_wrap(page, WF_PLAIN, "  ",
                     "They were held back for %s in all, and for %s at most; this is subtracted from all times shown.",
                     wf_quantity_time(page, sum->held_ns).text, wf_quantity_time(page, sum->held_max_ns).text);
    if (sum->released > 0)
        wf_page_wrap(page, WF_WARN, "  ! ",
                     "%s receives and probes were held back for the longest time allowed, and let go without a "
                     "decision.",
                     wf_quantity_count(sum->released).text);
}

static void order_text_print_left(struct wf_page *page, const struct wf_order_list *orders)
{
    int64_t left = orders->sum.num - orders->sum.decided - orders->sum.released;
    if (orders->controlled && left > 0)
        wf_page_wrap(page, WF_PLAIN, "  ", "%s receives and probes could not be decided, and were left to MPI.",
                     wf_quantity_count(left).text);
}

void wf_order_list_print(struct wf_page *page, const struct wf_overview *o, size_t top)
{
    const struct wf_order_list *orders = &o->orders;
    if (orders->sum.num == 0 && !orders->controlled)
        return;
    wf_page_heading(page, "Order of receives from any source");
    order_text_print_changed(page, orders);
    order_text_print_statements(page, o, top);
    order_text_print_doubt(page, orders);
    order_text_print_undecided(page, o);
    order_text_print_control(page, &orders->sum);
    order_text_print_left(page, orders);
}

/* ---- the summary ---- */

static char *order_text_of_doubt(const struct wf_overview *o)
{
    const struct wf_order_list *orders = &o->orders;
    const struct wf_statement *s = wf_statement_list_by_id(&o->statements, orders->items[0].site);
    char *text, *place = wf_place_text(s);
    if (asprintf(&text,
                 "monitoring changed the order of %s of %s receives from any source (%s of them), most at %s (%s); %s",
                 wf_quantity_count(orders->sum.changed).text, wf_quantity_count(orders->sum.num).text,
                 wf_quantity_percent(orders->changed_share).text, place, s->name,
                 orders->controlled ? "their order was controlled, but not all could be decided" : advice) < 0)
        text = wf_memory_text("");
    free(place);
    return text;
}

static char *order_text_of_control(struct wf_page *page, const struct wf_order_sum *sum)
{
    char *text, released[96] = "";
    if (sum->released > 0)
        snprintf(released, sizeof released, "; %s were let go without a decision",
                 wf_quantity_count(sum->released).text);
    if (asprintf(&text,
                 "order control decided %s receives, %s of these otherwise than in real time; held back for %s%s",
                 wf_quantity_count(sum->decided).text, wf_quantity_count(sum->otherwise).text,
                 wf_quantity_time(page, sum->held_ns).text, released) < 0)
        text = wf_memory_text("");
    return text;
}

char *wf_order_text(struct wf_page *page, const struct wf_overview *o)
{
    if (o->orders.doubtful)
        return order_text_of_doubt(o);
    return o->orders.controlled ? order_text_of_control(page, &o->orders.sum) : wf_memory_text("");
}
