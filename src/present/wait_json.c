/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/wait_json.h"

#include <stdlib.h>

#include "analyse/place.h"
#include "present/json.h"
#include "present/report_text.h"

static void wait_json_set_sum(json_t *object, const struct wf_wait_sum *sum)
{
    wf_json_set(object, "num", sum->num);
    wf_json_set(object, "time_ns", sum->time_ns);
    wf_json_set(object, "time_raw_ns", sum->time_raw_ns);
    wf_json_set(object, "max_ns", sum->max_ns);
}

void wf_json_set_statement(json_t *object, const char *key, const struct wf_overview *o, int64_t site)
{
    const struct wf_statement *s = site ? wf_statement_list_by_id(&o->statements, site) : NULL;
    json_t *statement = s ? json_object() : json_null();
    if (s) {
        char *place = wf_place_text(s);
        wf_json_set(statement, "id", s->id);
        wf_json_set_text(statement, "name", s->name);
        wf_json_set_text(statement, "place", place);
        wf_json_set_text(statement, "file", s->file);
        wf_json_set(statement, "line", s->line);
        wf_json_set_text(statement, "procedure", s->procedure);
        free(place);
    }
    json_object_set_new(object, key, statement);
}

static json_t *wait_json_culprit(const struct wf_overview *o, const struct wf_wait *wait,
                                 const struct wf_culprit *culprit)
{
    json_t *object = json_object();
    char *sentence = wf_culprit_text(o, wait, culprit);
    wf_json_set(object, "rank", culprit->rank);
    wf_json_set(object, "late", culprit->late);
    wf_json_set(object, "of", culprit->chances < culprit->late ? culprit->late : culprit->chances);
    wf_json_set_text(object, "counted",
                     culprit->of_calls || wf_wait_states[wait->state].collective ? "calls" : "messages");
    json_t *passed = culprit->far ? json_null() : json_integer(culprit->passed_ns);
    json_object_set_new(object, "passed_on_ns", passed);
    wf_json_set(object, "waiting_ranks", (int64_t)culprit->waiters);
    wf_json_set(object, "longest_waiting_rank", culprit->waiter);
    wait_json_set_sum(object, &culprit->sum);
    wf_json_set_statement(object, "through", o, culprit->site);
    json_object_set_new(object, "through_others", json_boolean(culprit->elsewhere));
    wf_json_set_text(object, "sentence", sentence);
    free(sentence);
    return object;
}

static json_t *wait_json_wait(const struct wf_overview *o, const struct wf_wait *wait)
{
    json_t *object = json_object(), *culprits = json_array();
    wf_json_set_statement(object, "statement", o, wait->site);
    wf_json_set_text(object, "state", wf_wait_states[wait->state].name);
    wait_json_set_sum(object, &wait->sum);
    for (size_t i = 0; i < wait->culprit_count; i++)
        json_array_append_new(culprits, wait_json_culprit(o, wait, &wait->culprits[i]));
    json_object_set_new(object, "culprits", culprits);
    return object;
}

static json_t *wait_json_causes(const struct wf_overview *o)
{
    json_t *causes = json_array();
    for (size_t i = 0; i < o->causes.count; i++) {
        const struct wf_cause *cause = &o->causes.items[i];
        json_t *object = json_object();
        wf_json_set(object, "rank", cause->rank);
        wf_json_set(object, "time_ns", cause->time_ns);
        wf_json_set(object, "waiting_ranks", (int64_t)cause->waiters);
        wf_json_set_statement(object, "through", o, cause->site);
        json_array_append_new(causes, object);
    }
    return causes;
}

json_t *wf_wait_json(const struct wf_overview *o)
{
    json_t *object = json_object(), *states = json_object(), *statements = json_array();
    wait_json_set_sum(object, &o->waits.sum);
    for (int i = 0; i < WF_WAIT_STATES; i++) {
        json_t *state = json_object();
        wait_json_set_sum(state, &o->waits.by_state[i]);
        json_object_set_new(states, wf_wait_states[i].name, state);
    }
    for (size_t i = 0; i < o->waits.count; i++)
        json_array_append_new(statements, wait_json_wait(o, &o->waits.items[i]));
    json_object_set_new(object, "first_causes", wait_json_causes(o));
    wf_json_set(object, "causes_not_known_ns", o->causes.unknown_ns);
    json_object_set_new(object, "states", states);
    json_object_set_new(object, "statements", statements);
    return object;
}
