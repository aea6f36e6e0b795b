/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/guest/settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MOST_VARIABLES 4

/* The first variable that is set and not empty counts. */
static const struct settings_row {
    size_t offset;
    const char *variables[MOST_VARIABLES + 1];
} settings_rows[] = {
#define ROW(member, ...)                      \
    {                                         \
        offsetof(struct wf_settings, member), \
        {                                     \
            __VA_ARGS__                       \
        }                                     \
    }
    ROW(directory, "WEFT_DIR"),
    ROW(segment_size, "WEFT_SEGMENT_SIZE"),
    ROW(clock, "WEFT_CLOCK"),
    ROW(only, "WEFT_ONLY"),
    ROW(skip, "WEFT_SKIP"),
    ROW(adaptive, "WEFT_ADAPTIVE"),
    ROW(path, "WEFT_PATH"),
    ROW(path_weight, "WEFT_PATH_WEIGHT"),
    ROW(path_regions, "WEFT_PATH_REGIONS"),
    ROW(path_select, "WEFT_PATH_SELECT"),
    ROW(races, "WEFT_RACES"),
    ROW(profile, "WEFT_PROFILE"),
    ROW(order, "WEFT_ORDER"),
    ROW(test_delay, "WEFT_TEST_DELAY"),
    ROW(test_clock, "WEFT_TEST_CLOCK"),
    ROW(test_trace, "WEFT_TEST_TRACE"),
    ROW(launch_rank, "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"),
    ROW(launch_world, "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_STEP_ID", "PMI_JOBID"),
    ROW(launch_fd, "PMI_FD"),
#undef ROW
};

struct wf_settings wf_settings;

static const char *settings_value(const struct settings_row *row)
{
    const char *value = NULL;
    for (const char *const *v = row->variables; *v && !(value && *value); v++)
        value = getenv(*v);
    return value && *value ? value : NULL;
}

void wf_settings_read(void)
{
    static bool read;
    size_t bytes = 0;
    if (read)
        return;
    read = true;
    for (size_t i = 0; i < sizeof settings_rows / sizeof *settings_rows; i++) {
        const char *value = settings_value(&settings_rows[i]);
        bytes += value ? strlen(value) + 1 : 0;
    }
    char *text = getenv("WEFT_DIR") ? wf_memory_pages(bytes + 1) : NULL;
    for (size_t i = 0; i < sizeof settings_rows / sizeof *settings_rows; i++) {
        const char *value = text ? settings_value(&settings_rows[i]) : NULL;
        *(const char **)((char *)&wf_settings + settings_rows[i].offset) = value ? text : "";
        if (value)
            text = stpcpy(text, value) + 1;
    }
}

__attribute__((constructor)) static void settings_begin(void)
{
    wf_settings_read();
}
