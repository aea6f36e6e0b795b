/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/race_json.h"

#include "present/json.h"
#include "present/wait_json.h"

json_t *wf_race_json(const struct wf_overview *o)
{
    const struct wf_race_list *races = &o->races;
    if (!races->wanted)
        return json_null();
    json_t *object = json_object(), *items = json_array();
    wf_json_set(object, "num", races->num);
    wf_json_set(object, "unknown", races->unknown);
    for (size_t i = 0; i < races->count; i++) {
        const struct wf_race *race = &races->items[i];
        json_t *item = json_object();
        wf_json_set_statement(item, "statement", o, race->site);
        wf_json_set(item, "rank", race->rank);
        json_object_set_new(item, "senders", json_pack("[I,I]", (json_int_t)race->first, (json_int_t)race->second));
        wf_json_set(item, "num", race->num);
        json_array_append_new(items, item);
    }
    json_object_set_new(object, "races", items);
    return object;
}
