/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/instrument.h"

#include <stdlib.h>
#include <string.h>

#include "instrument/clang.h"
#include "instrument/jumps.h"
#include "instrument/prescan.h"
#include "instrument/rewrite.h"
#include "instrument/tables.h"
#include "instrument/verify.h"

int wf_instrument_ready(struct wf_error *error)
{
    return wf_clang_load(error);
}

/* ---- which files may change ---- */

/* A copy of a header with #include_next would find its own original. */
static bool instrument_asks_for_next(const struct wf_source *source)
{
    for (size_t i = 0; i < source->token_count; i++)
        if (source->tokens[i].kind == WF_TOKEN_DIRECTIVE &&
            memmem(source->text + source->tokens[i].at, source->tokens[i].length, "include_next", 12))
            return true;
    return false;
}

static void instrument_choose_sources(struct wf_instrument *instrument)
{
    struct wf_source_unit *unit = &instrument->unit;
    bool headers = instrument->may_change != NULL;
    for (size_t i = 0; i < unit->source_count; i++)
        headers &= !instrument_asks_for_next(&unit->sources[i]);
    for (size_t i = 0; i < unit->source_count; i++) {
        struct wf_source *source = &unit->sources[i];
        /* A file that is read twice may have two meanings. */
        source->untouchable =
            source->included > 1 || (i > 0 && (!headers || !instrument->may_change(instrument->context, source->name)));
    }
}

/* ---- the new text ---- */

static void instrument_forget_text(struct wf_instrument *instrument)
{
    for (size_t i = 0; i < instrument->rewritten_count; i++)
        wf_rewritten_fini(&instrument->rewritten[i]);
    free(instrument->rewritten);
    instrument->rewritten = NULL;
    instrument->rewritten_count = 0;
}

static void instrument_rewrite(struct wf_instrument *instrument)
{
    struct wf_source_unit *unit = &instrument->unit;
    struct wf_buffer table = {0}, prelude = {0};
    instrument_forget_text(instrument);
    wf_rewrite_plan(unit);
    wf_tables_definition(unit, &table);
    wf_buffer_addf(&prelude, "#include \"%s\"\n", instrument->probe_header);
    for (size_t i = 0; i < unit->source_count; i++) {
        if (i > 0 && !unit->sources[i].insertion_count)
            continue;
        instrument->rewritten =
            wf_buffer_grow(instrument->rewritten, instrument->rewritten_count, sizeof *instrument->rewritten);
        wf_rewrite_source(&unit->sources[i], i ? "" : prelude.data, i ? "" : table.data,
                          &instrument->rewritten[instrument->rewritten_count++]);
    }
    wf_buffer_fini(&table);
    wf_buffer_fini(&prelude);
}

/* ---- procedures that do not allow probes ---- */

static bool instrument_skip_procedure(struct wf_source_unit *unit, int procedure)
{
    bool news = unit->regions[procedure].probe != WF_PROBE_SKIPPED;
    for (size_t i = 0; news && i < unit->region_count; i++)
        if (unit->regions[i].procedure == procedure)
            wf_source_region_skip(&unit->regions[i], "does not allow a probe");
    return news;
}

static bool instrument_is_at(const struct wf_source_region *procedure, const char *place)
{
    const char *colon = strrchr(place, ':');
    unsigned line = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
    return colon && strlen(procedure->file) == (size_t)(colon - place) && wf_text_starts(place, procedure->file) &&
           procedure->line <= line && line <= procedure->end_line;
}

static void instrument_skip_blamed(struct wf_instrument *instrument)
{
    struct wf_source_unit *unit = &instrument->unit;
    for (size_t p = 0; instrument->blamed && p < instrument->blamed->count; p++)
        for (size_t i = 0; i < unit->region_count; i++)
            if (unit->regions[i].kind == WF_PROCEDURE &&
                instrument_is_at(&unit->regions[i], instrument->blamed->items[p]))
                instrument_skip_procedure(unit, (int)i);
}

/* ---- from the text to the new text ---- */

static int instrument_parse(struct wf_instrument *instrument, bool again, struct wf_source_unit *unit,
                            struct wf_complaint *complaint, struct wf_error *error)
{
    struct wf_parse parse = {.path = instrument->path,
                             .words = &instrument->words,
                             .compiler = instrument->compiler,
                             .line = instrument->line,
                             .without_templates = instrument->without_templates};
    if (again) {
        parse.rewritten = instrument->rewritten;
        parse.rewritten_count = instrument->rewritten_count;
        parse.preprocessed = instrument->unit.preprocessed;
    }
    return wf_parse_unit(&parse, unit, complaint, error);
}

/* A guess before parsing. In C++20 any function may be a template. */
static bool instrument_may_lack_templates(const struct wf_instrument *instrument)
{
    return instrument->compiler->cplusplus && atol(instrument->compiler->standard) < 202002 &&
           !wf_prescan_finds(instrument->line, instrument->path, "template");
}

static bool instrument_has_templates(const struct wf_source_unit *unit)
{
    for (size_t s = 0; s < unit->source_count; s++)
        for (size_t i = 0; i < unit->sources[s].token_count; i++)
            if (wf_token_is(unit->sources[s].text, &unit->sources[s].tokens[i], "template"))
                return true;
    return false;
}

static int instrument_parse_first(struct wf_instrument *instrument, struct wf_complaint *complaint,
                                  struct wf_error *error)
{
    instrument->without_templates = instrument_may_lack_templates(instrument);
    int result = instrument_parse(instrument, false, &instrument->unit, complaint, error);
    if (result < 0 || !instrument->without_templates || !instrument_has_templates(&instrument->unit))
        return result;
    if (result > 0)
        free(complaint->message);
    wf_parse_forget(&instrument->unit);
    instrument->without_templates = false;
    return instrument_parse(instrument, false, &instrument->unit, complaint, error);
}

int wf_instrument_prepare(struct wf_instrument *instrument, struct wf_error *error)
{
    struct wf_complaint complaint;
    if (wf_clang_load(error))
        return -1;
    wf_compiler_parser_words(instrument->compiler, instrument->line, &instrument->words);
    int result = instrument_parse_first(instrument, &complaint, error);
    if (result > 0) {
        wf_error_set(error, "%s", complaint.message);
        free(complaint.message);
    }
    if (result)
        return -1;
    if (!instrument->unit.source_count)
        return wf_error_set(error, "libclang does not find the file");
    if (!instrument->unit.region_count)
        return 1;
    instrument_choose_sources(instrument);
    instrument_skip_blamed(instrument);
    wf_jumps_check(&instrument->unit);
    wf_filter_apply(instrument->filter, &instrument->unit);
    instrument_rewrite(instrument);
    return 0;
}

/* ---- verifying ---- */

enum { MOST_ROUNDS = 6 };

/* Mostly lambdas, which may be constant without the word constexpr. */
static bool instrument_skip_inner_procedures(struct wf_source_unit *unit, int procedure)
{
    const struct wf_source_region *outer = &unit->regions[procedure];
    bool news = false;
    for (size_t i = 0; i < unit->region_count; i++) {
        const struct wf_source_region *region = &unit->regions[i];
        if (region->kind == WF_PROCEDURE && region->source == outer->source && region->begin > outer->begin &&
            region->end < outer->end)
            news |= instrument_skip_procedure(unit, (int)i);
    }
    return news;
}

/* libclang does not accept a probe: its procedure loses all probes. */
static int instrument_blame(struct wf_instrument *instrument, const struct wf_complaint *complaint,
                            struct wf_error *error)
{
    struct wf_source_unit *unit = &instrument->unit;
    int procedure = complaint->source == WF_NONE
                        ? WF_NONE
                        : wf_source_unit_procedure_at(unit, (size_t)complaint->source, complaint->at);
    if (procedure != WF_NONE &&
        (instrument_skip_inner_procedures(unit, procedure) || instrument_skip_procedure(unit, procedure)))
        return 1;
    return wf_error_set(error, "with probes it cannot be parsed: %s", complaint->message);
}

/* 0: right. 1: some procedures lost their probes. -1: wrong. */
static int instrument_check(struct wf_instrument *instrument, struct wf_error *error)
{
    struct wf_source_unit again;
    struct wf_complaint complaint;
    int result = instrument_parse(instrument, true, &again, &complaint, error);
    if (result > 0) {
        result = instrument_blame(instrument, &complaint, error);
        free(complaint.message);
    } else if (result == 0) {
        result = wf_verify_compare(&instrument->unit, &again);
        if (result < 0)
            wf_error_set(error, "with probes its syntax tree would change");
    }
    wf_parse_forget(&again);
    return result;
}

int wf_instrument_verify(struct wf_instrument *instrument, bool thorough, struct wf_error *error)
{
    if (!thorough && wf_verify_text(&instrument->unit))
        return 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        int result = instrument_check(instrument, error);
        if (result == 0)
            return round > 0;
        if (result < 0)
            return -1;
        instrument_rewrite(instrument);
    }
    return wf_error_set(error, "too many of its procedures do not allow probes");
}

/* ---- listing ---- */

struct probe_tally {
    unsigned on, leaf, skipped;
};

static struct probe_tally instrument_count(const struct wf_source_unit *unit, enum wf_source_region_kind kind)
{
    struct probe_tally tally = {0};
    for (size_t i = 0; i < unit->region_count; i++) {
        const struct wf_source_region *region = &unit->regions[i];
        if (region->kind != kind)
            continue;
        tally.on += region->probe == WF_PROBE_ON;
        tally.leaf += region->probe == WF_PROBE_LEAF;
        tally.skipped += region->probe == WF_PROBE_SKIPPED;
    }
    return tally;
}

void wf_instrument_list(const struct wf_instrument *instrument, bool each, FILE *out)
{
    const struct wf_source_unit *unit = &instrument->unit;
    struct probe_tally procedures = instrument_count(unit, WF_PROCEDURE), loops = instrument_count(unit, WF_LOOP);
    unsigned calls = 0, communication = 0;
    for (size_t i = 0; i < unit->call_count; i++) {
        communication += unit->calls[i].kind == WF_COMMUNICATION;
        calls += unit->calls[i].kind == WF_CALL && !unit->calls[i].library;
    }
    fprintf(out,
            "%s: procedures: %u with a probe, %u leaves, %u skipped; loops: %u with a probe, %u leaves, %u skipped; %u "
            "calls; "
            "%u communication statements\n",
            unit->file, procedures.on, procedures.leaf, procedures.skipped, loops.on, loops.leaf, loops.skipped, calls,
            communication);
    for (size_t i = 0; each && i < unit->region_count; i++) {
        const struct wf_source_region *region = &unit->regions[i];
        const char *what = region->kind == WF_LOOP ? "loop" : "procedure";
        if (region->probe == WF_PROBE_SKIPPED)
            fprintf(out, "%s:%u: %s %s skipped: %s\n", region->file, region->line, what, region->name, region->reason);
        else if (region->probe == WF_PROBE_LEAF)
            fprintf(out, "%s:%u: %s %s is a leaf\n", region->file, region->line, what, region->name);
    }
}

void wf_instrument_fini(struct wf_instrument *instrument)
{
    instrument_forget_text(instrument);
    wf_parse_forget(&instrument->unit);
    wf_words_fini(&instrument->words);
}
