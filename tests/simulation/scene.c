/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene.h"

static struct sim_probe cost_of(const void *context, uint32_t process, const struct sim_action *action)
{
    const struct scene *scene = context;
    (void)process;
    return scene->cost[action->serial];
}

struct scene scene_new(uint32_t processes)
{
    return (struct scene){.program = sim_program_new(processes)};
}

void scene_compute(struct scene *scene, uint32_t process, uint64_t ns)
{
    sim_program_compute(scene->program, process, ns);
}

void scene_message(struct scene *scene, enum sim_kind send, uint32_t from, uint32_t to, uint32_t before_send,
                   uint32_t before_receive)
{
    uint32_t unit = sim_program_message(scene->program, from, to, 8);
    scene->cost[scene->program->serials].outer_before = before_send;
    sim_program_post(scene->program, send, unit);
    scene->cost[scene->program->serials].outer_before = before_receive;
    sim_program_post(scene->program, SIM_RECV, unit);
}

void scene_run(struct scene *scene)
{
    static const struct sim_network network = {.free = true};
    struct sim_probes probes = {cost_of, scene};
    scene->truth = sim_truth(scene->program, &network);
    scene->real = sim_watched(scene->program, &network, &probes, WF_MODEL_REAL, false);
    scene->local = sim_watched(scene->program, &network, &probes, WF_MODEL_LOCAL, false);
    scene->delay = sim_watched(scene->program, &network, &probes, WF_MODEL_DELAY, false);
    scene->virtual = sim_watched(scene->program, &network, &probes, WF_MODEL_VIRTUAL, false);
}

void scene_free(struct scene *scene)
{
    sim_records_free(&scene->truth);
    sim_records_free(&scene->real);
    sim_records_free(&scene->local);
    sim_records_free(&scene->delay);
    sim_records_free(&scene->virtual);
    sim_program_free(scene->program);
}

const struct sim_record *scene_call(const struct scene *scene, const struct sim_records *records, uint32_t process,
                                    uint32_t back)
{
    const struct sim_list *list = &scene->program->lists[process];
    for (uint32_t i = list->count; i-- > 0;)
        if (list->actions[i].kind != SIM_COMPUTE && back-- == 0)
            return &records->actions[sim_place(scene->program, process, i)];
    return NULL;
}
