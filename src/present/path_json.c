/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/path_json.h"

#include "present/json.h"

static const char *const steps[WF_CRITICAL_STEPS] = {"25", "50", "75", "100"};

static json_t *path_json_savings(const int64_t *saved_ns)
{
    json_t *object = json_object();
    for (int i = 0; i < WF_CRITICAL_STEPS; i++)
        wf_json_set(object, steps[i], saved_ns[i]);
    return object;
}

static json_t *path_json_share(int64_t part_ns, int64_t whole_ns)
{
    return whole_ns > 0 ? json_real((double)part_ns / (double)whole_ns) : json_null();
}

static json_t *path_json_region(const struct wf_critical_path *path, const struct wf_critical_region *region)
{
    json_t *object = json_object();
    wf_json_set_text(object, "kind", region->kind);
    wf_json_set_text(object, "name", region->name);
    wf_json_set_text(object, "file", region->file);
    wf_json_set(object, "line", region->line);
    wf_json_set_text(object, "procedure", region->procedure);
    wf_json_set(object, "regions", region->regions);
    wf_json_set(object, "share_ns", region->share_ns);
    json_object_set_new(object, "share", path_json_share(region->share_ns, path->length_ns));
    json_object_set_new(object, "all_share_ns",
                        region->all_share_known ? json_integer(region->all_share_ns) : json_null());
    json_object_set_new(object, "saves_ns", region->saved_known ? path_json_savings(region->saved_ns) : json_null());
    json_object_set_new(object, "all_saves_ns",
                        region->all_known ? path_json_savings(region->all_saved_ns) : json_null());
    json_object_set_new(object, "time_ns", region->time_known ? json_integer(region->time_ns) : json_null());
    wf_json_set(object, "wait_ns", region->wait_ns);
    wf_json_set(object, "idle_ns", region->idle_ns);
    json_object_set_new(object, "hot_without_saving", json_boolean(region->hot));
    return object;
}

static json_t *path_json_place(const struct wf_critical_path *path, const struct wf_critical_place *place)
{
    json_t *object = json_object();
    wf_json_set(object, "first_rank", place->first_rank);
    wf_json_set(object, "last_rank", place->last_rank);
    wf_json_set(object, "share_ns", place->share_ns);
    json_object_set_new(object, "share", path_json_share(place->share_ns, path->length_ns));
    wf_json_set(object, "arrivals", place->arrivals);
    return object;
}

json_t *wf_path_json(const struct wf_overview *o)
{
    const struct wf_critical_path *path = &o->path;
    if (path->length_ns == 0)
        return json_null();
    json_t *object = json_object(), *regions = json_array(), *places = json_array();
    wf_json_set(object, "length_ns", path->length_ns);
    wf_json_set(object, "from_ns", path->from_ns);
    wf_json_set(object, "whole_ns", path->whole_ns);
    wf_json_set_text(object, "weight", path->cpu ? "cpu" : "elapsed");
    wf_json_set(object, "parts", path->parts);
    wf_json_set(object, "lost", path->lost);
    for (size_t i = 0; i < path->count; i++)
        json_array_append_new(regions, path_json_region(path, &path->regions[i]));
    for (size_t i = 0; i < path->place_count; i++)
        json_array_append_new(places, path_json_place(path, &path->places[i]));
    json_object_set_new(object, "regions", regions);
    json_object_set_new(object, "other", path->other.kind ? path_json_region(path, &path->other) : json_null());
    json_object_set_new(object, "transfer",
                        path->transfer.kind ? path_json_region(path, &path->transfer) : json_null());
    json_object_set_new(object, "places", places);
    return object;
}
