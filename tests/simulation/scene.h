/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program of a few actions whose probes have given costs, seen without probes and on every clock. Messages take no
 * time. The caller owns it.
 */
#ifndef SIM_SCENE_H
#define SIM_SCENE_H

#include "clocks.h"

enum { SCENE_ACTIONS = 64 };

struct scene {
    struct sim_program *program;
    struct sim_probe cost[SCENE_ACTIONS]; /* by serial */
    struct sim_records truth, real, local, delay, virtual;
};

struct scene scene_new(uint32_t processes);
void scene_compute(struct scene *scene, uint32_t process, uint64_t ns);
/* A message of two blocking calls; each process spends so much just before its call. */
void scene_message(struct scene *scene, enum sim_kind send, uint32_t from, uint32_t to, uint32_t before_send,
                   uint32_t before_receive);
void scene_run(struct scene *scene);
void scene_free(struct scene *scene);

/* Of one of the five records: its last call of this process, or the one `back` calls earlier. Computing does not count.
 */
const struct sim_record *scene_call(const struct scene *scene, const struct sim_records *records, uint32_t process,
                                    uint32_t back);

#endif
