/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/order/order.h"

#include <string.h>

#include "measure/guest/settings.h"
#include "measure/library/real.h"
#include "measure/order/sight.h"
#include "measure/order/stand_in.h"

const struct wf_order_way *wf_order_way;

static const struct order_row {
    const char *name;
    wf_order_start_function *start;
} order_rows[] = {
    {"hold", wf_order_hold_start},
    {"record", wf_order_record_start},
    {"replay", wf_order_replay_start},
    {"keep", wf_order_keep_start},
};

void wf_order_create(void)
{
    if (strncmp(wf_settings.order, "keep:", 5) == 0)
        wf_sight_show();
}

/* Spawned processes are a world of their own, with the ranks of the first one. */
static bool order_is_spawned(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    return wf_real.Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL;
}

void wf_order_start(void)
{
    const char *setting = wf_settings.order;
    if (!*setting || order_is_spawned())
        return;
    for (size_t i = 0; i < sizeof order_rows / sizeof *order_rows; i++) {
        size_t n = strlen(order_rows[i].name);
        if (strncmp(setting, order_rows[i].name, n) != 0 || setting[n] != ':')
            continue;
        wf_stand_in_start();
        wf_order_way = order_rows[i].start(setting + n + 1);
        return;
    }
}
