/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/order_json.h"

#include "present/json.h"
#include "present/wait_json.h"

static void order_json_set_sum(json_t *object, const struct wf_order_sum *sum)
{
    wf_json_set(object, "num", sum->num);
    wf_json_set(object, "changed", sum->changed);
    wf_json_set(object, "undecided", sum->undecided);
    wf_json_set(object, "decided", sum->decided);
    wf_json_set(object, "otherwise", sum->otherwise);
    wf_json_set(object, "held_ns", sum->held_ns);
    wf_json_set(object, "held_max_ns", sum->held_max_ns);
    wf_json_set(object, "released", sum->released);
}

json_t *wf_order_json(const struct wf_overview *o)
{
    json_t *object = json_object(), *statements = json_array();
    order_json_set_sum(object, &o->orders.sum);
    json_object_set_new(object, "doubtful", json_boolean(o->orders.doubtful));
    for (size_t i = 0; i < o->orders.count; i++) {
        const struct wf_order *order = &o->orders.items[i];
        json_t *statement = json_object();
        wf_json_set_statement(statement, "statement", o, order->site);
        wf_json_set(statement, "ranks", (int64_t)order->ranks);
        order_json_set_sum(statement, &order->sum);
        json_array_append_new(statements, statement);
    }
    json_object_set_new(object, "statements", statements);
    return object;
}
