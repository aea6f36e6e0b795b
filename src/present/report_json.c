/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/report_json.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/pair.h"
#include "analyse/place.h"
#include "analyse/region.h"
#include "present/graph_json.h"
#include "present/json.h"
#include "present/order_json.h"
#include "present/path_json.h"
#include "present/report_text.h"
#include "present/wait_json.h"

enum { LAYOUT = JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9) };

/* ---- parts of time in MPI ---- */

/* Waiting is there already, as sync_delay_ns. */
static void report_json_set_parts(json_t *object, struct wf_parts parts)
{
    for (int part = 0; part < WF_PARTS; part++)
        if (part != WF_PART_WAITING)
            wf_json_set(object, wf_part_names[part].key, parts.ns[part]);
}

/* ---- the program ---- */

static json_t *report_json_run(const struct wf_overview *o)
{
    json_t *run = json_object();
    for (size_t i = 0; i < o->program.fact_count; i++) {
        const struct wf_fact *fact = &o->program.facts[i];
        json_object_set_new(run, fact->key, fact->is_integer ? json_integer(fact->integer) : wf_json_text(fact->text));
    }
    return run;
}

static json_t *report_json_notes(const struct wf_overview *o)
{
    json_t *notes = json_array();
    for (size_t i = 0; i < o->program.note_count; i++)
        json_array_append_new(notes, wf_json_text(o->program.notes[i]));
    return notes;
}

static json_t *report_json_efficiency(const struct wf_overview *o)
{
    json_t *efficiency = json_object();
    for (size_t i = 0; i < o->efficiency.count; i++) {
        const struct wf_factor *factor = &o->efficiency.items[i];
        json_object_set_new(efficiency, factor->name, factor->known ? json_real(factor->value) : json_null());
    }
    return efficiency;
}

static json_t *report_json_reasons(const struct wf_overview *o)
{
    json_t *reasons = json_object();
    for (size_t i = 0; i < o->efficiency.count; i++) {
        const struct wf_factor *factor = &o->efficiency.items[i];
        if (!factor->known && *factor->reason)
            wf_json_set_text(reasons, factor->name, factor->reason);
    }
    return reasons;
}

static json_t *report_json_totals(const struct wf_overview *o)
{
    const struct wf_traffic *t = &o->statements.traffic;
    const struct {
        const char *name;
        int64_t value;
    } values[] = {
        {"ranks", (int64_t)o->ranks.first_world},
        {"spawned_ranks", (int64_t)(o->ranks.count - o->ranks.first_world)},
        {"hosts", (int64_t)o->ranks.hosts},
        {"statement_time_ns", o->statements.time_ns},
        {"statement_sync_delay_ns", o->statements.sync_delay_ns},
        {"overhead_ns", o->overhead_ns},
        {"init_mean_ns", o->init_ns},
        {"finalize_mean_ns", o->finalize_ns},
        {"paused_mean_ns", o->paused_ns},
        {"messages", t->messages},
        {"message_bytes", t->message_bytes},
        {"one_sided", t->one_sided},
        {"one_sided_bytes", t->one_sided_bytes},
        {"collective_calls", t->collective_calls},
        {"collective_bytes", t->collective_bytes},
    };
    json_t *totals = json_object();
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        wf_json_set(totals, values[i].name, values[i].value);
    json_object_set_new(totals, "useful_share", json_real(o->useful_share));
    json_object_set_new(totals, "absent_share", json_real(o->absent_share));
    json_object_set_new(totals, "mpi_share", json_real(o->mpi_share));
    json_object_set_new(totals, "sync_share", json_real(o->sync_share));
    json_object_set_new(totals, "transfer_share", json_real(o->part_share[WF_PART_TRANSFER]));
    json_object_set_new(totals, "polling_share", json_real(o->part_share[WF_PART_POLLING]));
    json_object_set_new(totals, "no_core_share", json_real(o->part_share[WF_PART_NO_CORE]));
    json_object_set_new(totals, "unexplained_share", json_real(o->part_share[WF_PART_UNEXPLAINED]));
    json_object_set_new(totals, "no_core_outside_share", json_real(o->outside_share));
    json_object_set_new(totals, "no_core_all_share", json_real(o->no_core_share));
    json_object_set_new(totals, "overhead_share", json_real(o->overhead_share));
    return totals;
}

static json_t *report_json_headline(const struct wf_overview *o)
{
    struct wf_headline headline = wf_headline_find(o);
    char *sentence = wf_headline_text(o, &headline);
    json_t *object = json_object();
    wf_json_set_text(object, "cause", wf_loss_name(headline.cause));
    json_object_set_new(object, "share", json_real(headline.share));
    wf_json_set_text(object, "sentence", sentence);
    free(sentence);
    return object;
}

/* ---- ranks ---- */

static void report_json_set_label(json_t *object, const struct wf_statement *s)
{
    char *place = wf_place_text(s);
    wf_json_set(object, "id", s->id);
    wf_json_set_text(object, "name", s->name);
    wf_json_set_text(object, "place", place);
    wf_json_set_text(object, "file", s->file);
    wf_json_set(object, "line", s->line);
    wf_json_set_text(object, "procedure", s->procedure);
    free(place);
}

static json_t *report_json_rank(const struct wf_overview *o, size_t index)
{
    const struct wf_rank *rank = &o->ranks.items[index];
    json_t *object = json_object();
    for (const struct wf_rank_field *f = wf_rank_fields; f->name; f++)
        wf_json_set(object, f->name, wf_rank_value(rank, f));
    wf_json_set(object, "made_others_wait_ns", o->waits.caused_ns[index]);
    wf_json_set(object, "first_cause_of_ns", o->causes.caused_ns[index]);
    wf_json_set_text(object, "host", rank->host);
    wf_json_set_text(object, "ending", rank->ending);
    if (strcmp(rank->ending, "aborted") != 0)
        json_object_set_new(object, "end_code", json_null());
    const struct wf_statement *last = wf_statement_list_by_id(&o->statements, rank->last_site);
    json_t *place = last ? json_object() : json_null();
    if (last)
        report_json_set_label(place, last);
    json_object_set_new(object, "last_site", place);
    json_t *region = *rank->region.name ? json_object() : json_null();
    if (*rank->region.name) {
        wf_json_set_text(region, "type", rank->region.type);
        wf_json_set_text(region, "name", rank->region.name);
        wf_json_set_text(region, "procedure", rank->region.procedure);
        wf_json_set_text(region, "file", rank->region.file);
        wf_json_set(region, "line", rank->region.line);
    }
    json_object_set_new(object, "last_region", region);
    return object;
}

static json_t *report_json_ranks(const struct wf_overview *o)
{
    json_t *ranks = json_array();
    for (size_t i = 0; i < o->ranks.count; i++)
        json_array_append_new(ranks, report_json_rank(o, i));
    return ranks;
}

/* ---- statements ---- */

static json_t *report_json_by_rank(const struct wf_overview *o, const struct wf_statement *s)
{
    json_t *ranks = json_array();
    for (size_t i = 0; i < o->ranks.count; i++) {
        const struct wf_statement_rank *r = &s->by_rank[i];
        if (!r->present)
            continue;
        json_t *object = json_object();
        wf_json_set(object, "rank", o->ranks.items[i].rank);
        wf_json_set(object, "calls", r->calls);
        wf_json_set(object, "bytes", r->bytes);
        wf_json_set(object, "time_ns", r->time_ns);
        wf_json_set(object, "time_raw_ns", r->time_raw_ns);
        wf_json_set(object, "sync_delay_ns", r->sync_delay_ns);
        wf_json_set(object, "sync_delay_raw_ns", r->sync_delay_raw_ns);
        report_json_set_parts(object, wf_statement_rank_parts(r));
        wf_json_set(object, "longest_call_ns", r->longest_ns);
        json_array_append_new(ranks, object);
    }
    return ranks;
}

static json_t *report_json_partners(const struct wf_pair_list *pairs)
{
    json_t *partners = json_array();
    for (size_t i = 0; i < pairs->count; i++) {
        const struct wf_pair *p = &pairs->items[i];
        json_t *object = json_object();
        wf_json_set(object, "rank", p->rank);
        wf_json_set(object, "partner", p->partner);
        wf_json_set(object, "count", p->count);
        wf_json_set(object, "bytes", p->bytes);
        wf_json_set(object, "time_ns", p->time_ns);
        wf_json_set(object, "time_raw_ns", p->time_raw_ns);
        wf_json_set(object, "transfer_ns", p->transfer_ns);
        wf_json_set(object, "transfer_raw_ns", p->transfer_raw_ns);
        wf_json_set(object, "sync_delay_ns", p->sync_delay_ns);
        wf_json_set(object, "sync_delay_raw_ns", p->sync_delay_raw_ns);
        json_array_append_new(partners, object);
    }
    return partners;
}

static void report_json_set_figures(json_t *object, const struct wf_overview *o, const struct wf_statement *s)
{
    const struct {
        const char *name;
        int64_t value;
    } values[] = {
        {"calls", s->calls},
        {"bytes", s->bytes},
        {"time_ns", s->time_ns},
        {"time_raw_ns", s->time_raw_ns},
        {"sync_delay_ns", s->sync_delay_ns},
        {"sync_delay_raw_ns", s->sync_delay_raw_ns},
        {"longest_call_ns", s->longest_ns},
        {"min_ns", s->min_ns},
        {"mean_ns", s->mean_ns},
        {"max_ns", s->max_ns},
        {"imbalance_ns", wf_statement_imbalance_ns(s)},
    };
    bool ranked = s->kind != WF_CALL_START_END && o->statements.time_ns;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        wf_json_set(object, values[i].name, values[i].value);
    report_json_set_parts(object, wf_statement_parts(s));
    json_object_set_new(object, "worst_rank", s->ranks ? json_integer(o->ranks.items[s->worst].rank) : json_null());
    json_object_set_new(object, "share",
                        ranked ? json_real((double)s->time_ns / (double)o->statements.time_ns) : json_null());
}

static json_t *report_json_statement(const struct wf_overview *o, const struct wf_statement *s, struct wf_error *error)
{
    struct wf_pair_list pairs;
    if (wf_pair_list_read(&pairs, o->profile, s, &o->ranks, error))
        return NULL;
    json_t *object = json_object();
    report_json_set_label(object, s);
    wf_json_set_text(object, "kind", wf_call_kind_name(s->kind));
    wf_json_set_text(object, "module", s->module);
    wf_json_set(object, "offset", s->offset);
    report_json_set_figures(object, o, s);
    json_object_set_new(object, "ranks", report_json_by_rank(o, s));
    json_object_set_new(object, "partners", report_json_partners(&pairs));
    wf_pair_list_free(&pairs);
    return object;
}

/* ---- procedures, loops and regions, in both times ---- */

static json_t *report_json_region(const struct wf_region *region)
{
    json_t *object = json_object();
    wf_json_set(object, "id", region->id);
    wf_json_set_text(object, "kind", region->type);
    wf_json_set_text(object, "name", region->name);
    wf_json_set_text(object, "file", region->file);
    wf_json_set(object, "line", region->line);
    wf_json_set(object, "calls", region->calls);
    wf_json_set(object, "time_ns", region->time_ns);
    wf_json_set(object, "time_raw_ns", region->time_raw_ns);
    wf_json_set(object, "self_ns", region->self_ns);
    wf_json_set(object, "self_raw_ns", region->self_raw_ns);
    return object;
}

static json_t *report_json_regions(const struct wf_overview *o, struct wf_error *error)
{
    struct wf_region_list regions;
    if (wf_region_list_read(&regions, o->profile, error))
        return NULL;
    json_t *array = json_array();
    for (size_t i = 0; i < regions.count; i++)
        json_array_append_new(array, report_json_region(&regions.items[i]));
    wf_region_list_free(&regions);
    return array;
}

/* ---- all of it ---- */

static void report_json_write_member(FILE *out, const char *name, json_t *value, const char *end)
{
    fprintf(out, "\"%s\": ", name);
    json_dumpf(value, out, LAYOUT | JSON_ENCODE_ANY);
    fputs(end, out);
    json_decref(value);
}

static bool report_json_is_chosen(const int *chosen, size_t index)
{
    if (!chosen)
        return true;
    while (*chosen >= 0)
        if ((size_t)*chosen++ == index)
            return true;
    return false;
}

/* Writes the chosen statements of [from, to). */
static int report_json_write_statements(FILE *out, const char *name, const struct wf_overview *o, size_t from,
                                        size_t to, const int *chosen, struct wf_error *error)
{
    const char *separator = "\n";
    fprintf(out, "\"%s\": [", name);
    for (size_t i = from; i < to; i++) {
        if (!report_json_is_chosen(chosen, i))
            continue;
        json_t *statement = report_json_statement(o, &o->statements.items[i], error);
        if (!statement)
            return -1;
        fputs(separator, out);
        json_dumpf(statement, out, LAYOUT);
        json_decref(statement);
        separator = ",\n";
    }
    fputs("]", out);
    return 0;
}

int wf_report_write_json(FILE *out, const struct wf_overview *o, const int *chosen, const struct wf_graph *graph,
                         struct wf_error *error)
{
    json_t *regions = report_json_regions(o, error);
    if (!regions)
        return -1;
    fputs("{", out);
    report_json_write_member(out, "profile", wf_json_text(wf_profile_path(o->profile)), ",\n");
    report_json_write_member(out, "run", report_json_run(o), ",\n");
    report_json_write_member(out, "headline", report_json_headline(o), ",\n");
    report_json_write_member(out, "notes", report_json_notes(o), ",\n");
    report_json_write_member(out, "totals", report_json_totals(o), ",\n");
    report_json_write_member(out, "efficiency", report_json_efficiency(o), ",\n");
    report_json_write_member(out, "efficiency_reasons", report_json_reasons(o), ",\n");
    report_json_write_member(out, "ranks", report_json_ranks(o), ",\n");
    report_json_write_member(out, "waiting", wf_wait_json(o), ",\n");
    report_json_write_member(out, "receive_order", wf_order_json(o), ",\n");
    report_json_write_member(out, "path", wf_path_json(o), ",\n");
    report_json_write_member(
        out, "path_doubt",
        o->cores_short ? json_string("ranks had no core: savings depend on who gets the cores") : json_null(), ",\n");
    report_json_write_member(out, "compensation", regions, ",\n");
    if (report_json_write_statements(out, "statements", o, 0, o->statements.ranked, chosen, error))
        return -1;
    fputs(",\n", out);
    if (report_json_write_statements(out, "start_end", o, o->statements.ranked,
                                     o->statements.ranked + o->statements.start_end, chosen, error))
        return -1;
    if (graph) {
        fputs(",\n", out);
        wf_graph_write_json(out, graph);
    }
    fputs("}\n", out);
    return 0;
}
