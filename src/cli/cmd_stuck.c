/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/launch_alive.h"
#include "cli/launch_find.h"
#include "cli/stuck_find.h"
#include "cli/stuck_watch.h"
#include "present/stuck_text.h"

extern const struct wf_command wf_command_stuck;

enum { LOOKS = 14 }; /* a deadlock is certain after WF_STUCK_NS of them, unless large messages may be under way */

struct stuck_options {
    bool json, all;
    long long width;
};

static const struct wf_option options[] = {
    {"json", 'j', WF_OPTION_FLAG, NULL, NULL, "Print JSON instead of text.", offsetof(struct stuck_options, json)},
    {"all", 'a', WF_OPTION_FLAG, NULL, NULL, "Print all ranks, also where there are many.",
     offsetof(struct stuck_options, all)},
    {"width", 0, WF_OPTION_NUMBER, "72..1000", "WEFT_REPORT_WIDTH",
     "Print for this number of columns instead of the terminal's width.", offsetof(struct stuck_options, width)},
    {0},
};

static void cmd_stuck_print_others(struct wf_page *page, const struct wf_stuck *stuck, bool all)
{
    enum { SHOWN = 16 };
    size_t shown = 0, others = stuck->count - stuck->stuck;
    for (size_t i = 0; i < stuck->count; i++)
        if (!stuck->items[i].stuck && (all || shown < SHOWN)) {
            wf_stuck_print_rank(page, &stuck->items[i], WF_PLAIN, "  ");
            shown++;
        }
    if (shown < others)
        wf_page_wrap(page, WF_PLAIN, "  ", "and %zu more ranks: see weft stuck --all", others - shown);
}

static void cmd_stuck_print(const struct wf_rundir *run, const struct wf_stuck *stuck,
                            const struct stuck_options *values)
{
    struct wf_page page;
    wf_page_init(&page, stdout, values->width);
    if (stuck->stuck)
        wf_stuck_print(&page, stuck, WF_BAD, "", "  ", values->all);
    else
        wf_page_wrap(&page, WF_PLAIN, "", "No rank of %s is stuck, as far as is known.", wf_run_name(run));
    if (stuck->stuck && stuck->stuck < stuck->count)
        wf_page_wrap(&page, WF_PLAIN, "", "The other ranks can go on, as far as is known:");
    cmd_stuck_print_others(&page, stuck, values->all);
}

static int cmd_stuck_show(const struct wf_rundir *run, const struct wf_stuck_watch *watch,
                          const struct stuck_options *values, struct wf_error *error)
{
    json_t *worlds = json_array();
    for (size_t i = 0; i < watch->world_count; i++) {
        struct wf_stuck stuck;
        if (wf_stuck_find(&watch->worlds[i], run, true, &stuck) != 0) {
            json_decref(worlds);
            return wf_error_set(error, "out of memory");
        }
        if (values->json)
            json_array_append_new(worlds, wf_stuck_json(&stuck));
        else
            cmd_stuck_print(run, &stuck, values);
        wf_stuck_free(&stuck);
    }
    if (values->json) {
        json_t *all = json_object();
        json_object_set(all, "worlds", worlds);
        json_dumpf(all, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(all);
    }
    json_decref(worlds);
    return 0;
}

/* What a look has seen is said only once it has been so for long enough. */
static int cmd_stuck_look(const struct wf_rundir *run, const struct stuck_options *values, struct wf_error *error)
{
    struct wf_stuck_watch watch;
    wf_stuck_watch_init(&watch, run);
    for (int look = 0; !wf_stuck_watch_look(&watch) && look < LOOKS; look++)
        wf_alive_pause(WF_STUCK_LOOK_MS / 2);
    int result = watch.world_count
                     ? cmd_stuck_show(run, &watch, values, error)
                     : wf_error_set(error, "no process of %s has returned from MPI_Init yet", wf_run_name(run));
    wf_stuck_watch_fini(&watch);
    return result;
}

static int cmd_stuck_run(int argc, char **argv)
{
    struct stuck_options values = {0};
    struct wf_rundir found;
    struct wf_error error;
    int status, first = wf_command_parse(&wf_command_stuck, argc, argv, false, &values, &status);
    if (first < 0)
        return status;
    if (argc - first > 1)
        return wf_command_misused(&wf_command_stuck, "give one run, not both '%s' and '%s'", argv[first],
                                  argv[first + 1]);
    if (wf_run_find(&found, argv[first], "weft report shows which ranks were stuck", &error) != 0 ||
        cmd_stuck_look(&found, &values, &error) != 0)
        return wf_command_failed(&wf_command_stuck, "%s", error.text);
    wf_rundir_close(&found);
    return WF_EXIT_OK;
}

const struct wf_command wf_command_stuck = {
    .name = "stuck",
    .usage = "[options] [RUN]",
    .summary = "show which ranks of a running program wait for which, and whether they can ever go on",
    .description =
        "Looks at a run for up to 1.5 seconds, without stopping it. Prints which ranks can never go on, because each "
        "of "
        "them waits for another one, or for a rank that has ended: at which statement each waits, since when, and the "
        "cycle. Then it prints what the other ranks are in.\n\n"
        "A rank is called stuck only if nothing that any other rank may still do can end its call. A program that is "
        "only slow is never called stuck. Nor is one of which a rank that matters is stopped, under a debugger, on "
        "another host, not watched, or polls.\n\n"
        "RUN is the run directory (.weft-*) that weft run made, or the part of its name after .weft-. Without "
        "RUN, the newest run in the current directory that has live processes is used.\n\n"
        "weft run looks by itself and prints the same to standard error. weft report shows it after the run.",
    .examples = "weft stuck   # the run in this directory\n"
                "weft stuck --json .weft-Xa81Qz   # a run by its directory, for other programs",
    .operand = "run",
    .options = options,
    .run = cmd_stuck_run,
};
