/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/overview.h"
#include "cli/command.h"
#include "cli/launch_find.h"
#include "collect/collect.h"
#include "format/registry.h"
#include "format/segment.h"
#include "present/report_text.h"
#include "present/quantity.h"

extern const struct wf_command wf_command_path;

struct path_options {
    long long top, width;
    bool all;
};

static const struct wf_option options[] = {
    {"top", 'n', WF_OPTION_NUMBER, "N", NULL, "Show the first N regions of the critical path.",
     offsetof(struct path_options, top)},
    {"all", 'a', WF_OPTION_FLAG, NULL, NULL, "Also show the regions that are not on the critical path, and all ranks.",
     offsetof(struct path_options, all)},
    {"width", 0, WF_OPTION_NUMBER, "72..1000", "WEFT_REPORT_WIDTH",
     "Print for this number of columns instead of the terminal's width.", offsetof(struct path_options, width)},
    {0},
};

/* ---- start and stop ---- */

/* The registries of all worlds and hosts of a run. */
struct path_registries {
    const struct wf_rundir *run;
    struct wf_registry **items;
    size_t count;
};

static int cmd_path_map_registry(const char *name, void *context)
{
    struct path_registries *all = context;
    struct stat status;
    int fd = wf_rundir_file(all->run, name, O_RDWR);
    if (fd < 0)
        return 0;
    bool whole = fstat(fd, &status) == 0 && (uint64_t)status.st_size >= sizeof(struct wf_registry);
    void *memory =
        whole ? mmap(NULL, sizeof(struct wf_registry), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    close(fd);
    if (memory == MAP_FAILED)
        return 0;
    void *items = realloc(all->items, (all->count + 1) * sizeof *all->items);
    if (!items) {
        munmap(memory, sizeof(struct wf_registry));
        return -1;
    }
    all->items = items;
    all->items[all->count++] = memory;
    return 0;
}

static int cmd_path_open_registries(struct path_registries *all, const struct wf_rundir *run, struct wf_error *error)
{
    *all = (struct path_registries){.run = run};
    wf_rundir_each(run, WF_REGISTRY_PREFIX, "", cmd_path_map_registry, all);
    if (all->count == 0)
        return wf_error_set(error,
                            "no process of %s can compute a critical path: the run was started with --path=off, or no "
                            "process has called MPI_Init yet",
                            wf_run_name(run));
    return 0;
}

static void cmd_path_close_registries(struct path_registries *all)
{
    for (size_t i = 0; i < all->count; i++)
        munmap(all->items[i], sizeof(struct wf_registry));
    free(all->items);
}

/* All registries get the same epoch; otherwise the hosts of one world would start one after the other. */
static void cmd_path_ask_start(const struct path_registries *all)
{
    uint32_t highest = 0;
    for (size_t i = 0; i < all->count; i++) {
        uint32_t epoch = atomic_load_explicit(&all->items[i]->epoch, memory_order_relaxed);
        highest = epoch > highest ? epoch : highest;
    }
    for (size_t i = 0; i < all->count; i++)
        wf_registry_ask(all->items[i], highest);
    for (size_t i = 0; i < all->count; i++)
        wf_registry_ask_start(all->items[i]);
}

static void cmd_path_say(const struct wf_rundir *run, const char *what)
{
    struct wf_page page;
    wf_page_init(&page, stdout, 0);
    wf_page_print(&page, WF_PLAIN, "The critical path of %s %s.", wf_run_name(run), what);
    putchar('\n');
}

static int cmd_path_start(const struct wf_rundir *run, const struct path_options *values, struct wf_error *error)
{
    struct path_registries all;
    (void)values;
    if (cmd_path_open_registries(&all, run, error) != 0)
        return -1;
    cmd_path_ask_start(&all);
    cmd_path_close_registries(&all);
    cmd_path_say(run, "is computed from now on");
    return 0;
}

static int cmd_path_stop(const struct wf_rundir *run, const struct path_options *values, struct wf_error *error)
{
    struct path_registries all;
    size_t stopped = 0;
    (void)values;
    if (cmd_path_open_registries(&all, run, error) != 0)
        return -1;
    for (size_t i = 0; i < all.count; i++)
        stopped += wf_registry_ask_stop(all.items[i]);
    cmd_path_close_registries(&all);
    if (!stopped)
        return wf_error_set(error, "the critical path of %s is not being computed; start it with: weft path start",
                            wf_run_name(run));
    cmd_path_say(run, "ends here; weft path show and the profile keep its values");
    return 0;
}

/* ---- show ---- */

static int cmd_path_print(const struct wf_rundir *run, struct wf_profile *profile, const struct path_options *values,
                          struct wf_error *error)
{
    struct wf_overview overview;
    struct wf_page page;
    if (wf_overview_read(&overview, profile, error) != 0)
        return -1;
    int result = 0;
    if (overview.path.length_ns == 0) {
        result = wf_error_set(error, "no critical path of %s is known yet; start it with: weft path start",
                              wf_run_name(run));
    } else {
        wf_page_init(&page, stdout, values->width);
        wf_page_wrap(&page, WF_BOLD, "", "%s", wf_program_text(&overview.program, "command"));
        wf_page_wrap(&page, WF_DIM, "", "%s %s up to now", wf_run_name(run), page.glyphs->dot);
        wf_critical_path_print(&page, &overview, values->top >= 0 ? (size_t)values->top : SIZE_MAX, values->all);
    }
    wf_overview_free(&overview);
    return result;
}

/* Once the file is open its name is not needed, and no file is left behind however this process ends. */
static int cmd_path_open_and_unlink(const char *directory, const char *file, struct wf_profile **profile,
                                    struct wf_error *error)
{
    int result = wf_profile_open(file, profile, error);
    unlink(file);
    rmdir(directory);
    return result;
}

/* The processes keep running; their segments are only read. */
static int cmd_path_collect_now(const struct wf_rundir *run, struct wf_profile **profile, struct wf_error *error)
{
    const char *temporary = getenv("TMPDIR");
    char directory[PATH_MAX], file[PATH_MAX + 16], command[4096], source[WF_RUNDIR_NAME_BYTES];
    struct wf_collect_result result = {0};
    int length =
        snprintf(directory, sizeof directory, "%s/weft-path-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (length >= (int)sizeof directory || !mkdtemp(directory))
        return wf_error_set(error, "cannot write in %s: %s; name another directory with TMPDIR",
                            temporary && *temporary ? temporary : "/tmp", strerror(errno));
    snprintf(file, sizeof file, "%s/now.weft", directory);
    wf_rundir_read(run, "command", command, sizeof command);
    struct wf_collect_options collect = {.directory = wf_rundir_by_descriptor(run, source),
                                         .directory_name = run->path,
                                         .output = file,
                                         .command = *command ? command : NULL,
                                         .outer = *command != '\0'};
    int status = wf_collect(&collect, &result, error);
    if (status == 0 && result.ranks > 0)
        return cmd_path_open_and_unlink(directory, file, profile, error);
    rmdir(directory);
    if (status == 0)
        wf_error_set(
            error, result.segments ? "no segment of %s can be read" : "no process of %s has returned from MPI_Init yet",
            wf_run_name(run));
    return -1;
}

static int cmd_path_show(const struct wf_rundir *run, const struct path_options *values, struct wf_error *error)
{
    struct wf_profile *profile = NULL;
    if (cmd_path_collect_now(run, &profile, error) != 0)
        return -1;
    int result = cmd_path_print(run, profile, values, error);
    wf_profile_close(profile);
    return result;
}

/* ---- the command ---- */

static const struct path_action {
    const char *name;
    int (*act)(const struct wf_rundir *run, const struct path_options *values, struct wf_error *error);
} actions[] = {{"start", cmd_path_start}, {"stop", cmd_path_stop}, {"show", cmd_path_show}};

static const struct path_action *cmd_path_find_action(const char *word)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(actions[i].name, word))
            return &actions[i];
    return NULL;
}

static int cmd_path_run(int argc, char **argv)
{
    struct path_options values = {.top = -1};
    struct wf_rundir found;
    struct wf_error error;
    int status, first = wf_command_parse(&wf_command_path, argc, argv, false, &values, &status);
    if (first < 0)
        return status;
    if (first == argc)
        return wf_command_misused(&wf_command_path, "give an action: start, stop or show");
    const struct path_action *action = cmd_path_find_action(argv[first]);
    if (!action)
        return wf_command_misused(&wf_command_path, "'%s' is not start, stop or show", argv[first]);
    if (argc - first > 2)
        return wf_command_misused(&wf_command_path, "give one run, not both '%s' and '%s'", argv[first + 1],
                                  argv[first + 2]);
    const char *word = argv[first + 1];
    if (wf_run_find(&found, word, "weft report --path shows the critical path", &error) != 0 ||
        action->act(&found, &values, &error) != 0)
        return wf_command_failed(&wf_command_path, "%s", error.text);
    return WF_EXIT_OK;
}

const struct wf_command wf_command_path = {
    .name = "path",
    .usage = "[options] start|stop|show [RUN]",
    .summary = "start, stop and show the critical path of a running program",
    .description =
        "start computes the critical path from now on, beginning with the next communication of each "
        "process. All processes start at a consistent cut, whenever each of them is told. A path that is "
        "already being computed starts anew. stop ends the path; its values remain for show and for the "
        "profile. show prints the path up to this moment, as weft report --path does for a run that has "
        "ended, and does not disturb the program.\n\n"
        "RUN is the run directory (.weft-*) that weft run made, or the part of its name after .weft-. Without "
        "RUN, the newest run in the current directory that has live processes is used.\n\n"
        "With weft run --path=later, nothing is computed until the path is started.",
    .examples = "weft path show   # the critical path of the run in this directory, up to now\n"
                "weft path start   # discard the path so far, and compute it from now on\n"
                "weft path stop .weft-Xa81Qz   # end it; the profile will have the path up to this moment",
    .words = "start stop show",
    .operand = "run",
    .options = options,
    .run = cmd_path_run,
    .environment = "TMPDIR   # the directory for the temporary files of show; /tmp if it is not set",
};
