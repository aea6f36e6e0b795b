/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/launch_order.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/word.h"
#include "base/executable.h"
#include "collect/recording.h"
#include "collect/resolve.h"
#include "present/text.h"

#define ORDER_PATIENCE_S 10

/* ---- the command ---- */

/* Does a file name MPI's library? Then it is a program that can be compared, and no shell or interpreter in front of
 * one. */
static bool order_uses_mpi(const char *path)
{
    static const char library[] = "libmpi";
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    void *map = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (map == MAP_FAILED)
        return false;
    bool uses = memmem(map, (size_t)status.st_size, library, sizeof library - 1) != NULL;
    munmap(map, (size_t)status.st_size);
    return uses;
}

/* The number of ranks as the command or the launcher says it. 0: not known. */
static long order_ranks(const struct wf_launch_place *place, char **argv)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL};
    static const char *const options[] = {"-n", "-np", "--np", "-c", NULL};
    long ranks = 0;
    for (const char *const *s = sizes; place->inner && *s && !ranks; s++) {
        const char *text = getenv(*s);
        ranks = text ? strtol(text, NULL, 10) : 0;
    }
    if (place->inner || !wf_launch_is_launcher(argv[0]))
        return ranks;
    bool srun = strncmp(wf_word_base_name(argv[0]), "srun", 4) == 0;
    for (char **w = argv + 1; *w; w++)
        if (strcmp(*w, ":") == 0)
            return 0; /* several programs, with ranks of their own */
    for (char **w = argv + 1; *w && **w == '-' && !ranks; w++)
        for (const char *const *o = options; *o && w[1]; o++)
            if (strcmp(*w, *o) == 0 && !(srun && strcmp(*o, "-c") == 0))
                ranks = strtol(w[1], NULL, 10);
    return ranks;
}

/* ---- before the run ---- */

static int order_check_record(struct wf_launch_order *order, struct wf_error *error)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(order->record, '/');
    if (wf_rundir_folder(order->record, folder, sizeof folder, error) != 0) {
        wf_error_set(error, "--record-order=%s: there is no such folder, or it is no name of a file", order->record);
        return -1;
    }
    if (access(folder, W_OK) != 0)
        return wf_error_set(error, "--record-order=%s: %s", order->record, strerror(errno));
    if (snprintf(order->recording, sizeof order->recording, "%s/%s", folder, slash ? slash + 1 : order->record) >=
        (int)sizeof order->recording)
        return wf_error_set(error, "--record-order=%s: the name is too long", order->record);
    snprintf(order->setting, sizeof order->setting, "record:%s", order->recording);
    return 0;
}

static bool order_is_recorded(const struct wf_recording_header *header, const struct wf_recording_rank *rows,
                              uint64_t program)
{
    for (uint32_t rank = 0; rank < header->ranks; rank++)
        if (rows[rank].stopped != WF_COURSE_UNWATCHED && rows[rank].program_id == program)
            return true;
    return false;
}

/* Any word of the command may be the program: an MPI program must be among those that were recorded, unless one of
 * these is there as well. */
static int order_check_program(const struct wf_launch_order *order, char **argv, struct wf_recording_header *header,
                               const struct wf_recording_rank *rows, struct wf_error *error)
{
    char path[PATH_MAX];
    const char *other = NULL;
    for (char **w = argv; *w; w++) {
        uint64_t program = 0;
        if (!wf_launch_is_launcher(*w) && wf_launch_find_program(*w, path, sizeof path))
            program = wf_executable_identity(path);
        if (program && order_is_recorded(header, rows, program))
            return 0;
        if (program && !other && order_uses_mpi(path))
            other = *w;
    }
    return other ? wf_error_set(error, "%s was recorded with another program than %s: %s, as it was then",
                                order->replay, other, wf_text_clean(header->program))
                 : 0;
}

static int order_check_replay(struct wf_launch_order *order, long ranks, char **argv, struct wf_error *error)
{
    struct wf_recording_header header;
    struct wf_recording_rank *rows;
    if (wf_recording_check(order->replay, &header, &rows, error) != 0)
        return -1;
    int result = order_check_program(order, argv, &header, rows, error);
    free(rows);
    if (result == 0 && ranks > 0 && (uint32_t)ranks != header.ranks)
        result = wf_error_set(error, "%s was recorded with %u ranks, and this command starts %ld", order->replay,
                              header.ranks, ranks);
    char path[PATH_MAX];
    long long patience = order->patience_s < 0 ? ORDER_PATIENCE_S : order->patience_s;
    if (result == 0 && !realpath(order->replay, path))
        return wf_error_set(error, "cannot read %s: %s", order->replay, strerror(errno));
    if (result == 0)
        snprintf(order->setting, sizeof order->setting, "replay:%lld:%s", patience, path);
    return result;
}

int wf_launch_order_check(struct wf_launch_order *order, const struct wf_launch_place *place, char **argv,
                          struct wf_error *error)
{
    if (!order->record && !order->replay)
        return 0;
    if (order->record && order->replay)
        return wf_error_set(error, "--record-order and --replay-order exclude each other; give one of them");
    return order->record ? order_check_record(order, error)
                         : order_check_replay(order, order_ranks(place, argv), argv, error);
}

void wf_launch_order_note(const struct wf_launch_order *order, const struct wf_rundir *rundir)
{
    if (order->record)
        wf_rundir_note(rundir, "recording", order->recording);
    if (order->no_profile)
        wf_rundir_note(rundir, "no-profile", "1");
}

/* ---- after the run ---- */

static void order_say_recorded(const char *path, struct wf_recording_result *r, bool quiet)
{
    if (r->kept[0])
        fprintf(stderr, "weft: the older recording of the same name is now %s\n", wf_text_clean(r->kept));
    if (!quiet)
        fprintf(stderr, "weft: the order of %" PRIu64 " events of %u ranks is in %s (%" PRIu64 " bytes)\n", r->events,
                r->ranks, path, r->bytes);
    if (r->missing)
        fprintf(stderr, "weft: the order of %u ranks was not recorded, because they were not watched\n", r->missing);
    if (r->cut)
        fprintf(stderr, "weft: the recorded order of %u ranks ends early, because there was no room for more\n",
                r->cut);
    if (r->unknown && !quiet)
        fprintf(stderr,
                "weft: what %" PRIu64 " receives took is not known, because they were freed or ended with an error\n",
                r->unknown);
}

static void order_finish_record(const struct wf_rundir *rundir, const char *path, bool force, bool quiet)
{
    char directory[WF_RUNDIR_NAME_BYTES];
    struct wf_recording_result result;
    struct wf_error error;
    struct wf_recording_options options = {
        .directory = wf_rundir_by_descriptor(rundir, directory), .output = path, .keep_older = !force};
    if (wf_recording_join(&options, &result, &error) != 0)
        fprintf(stderr, "weft: the order is not recorded: %s\n", error.text);
    else
        order_say_recorded(path, &result, quiet);
}

/* The sums over all hosts. */
struct order_states {
    const struct wf_rundir *rundir;
    struct wf_replay_state sum;
    int found;
};

static int order_add_state(const char *name, void *context)
{
    struct order_states *c = context;
    struct wf_replay_state state;
    int fd = wf_rundir_file(c->rundir, name, O_RDONLY);
    if (fd < 0)
        return 0;
    if (read(fd, &state, sizeof state) == (ssize_t)sizeof state) {
        c->found++;
        c->sum.events += state.events;
        c->sum.ranks += state.ranks;
        c->sum.departed += state.departed;
        c->sum.other_size += state.other_size;
        c->sum.other_program += state.other_program;
        c->sum.unable += state.unable;
        if (state.departed && !c->sum.departures[0].event)
            memcpy(c->sum.departures, state.departures, sizeof state.departures);
    }
    close(fd);
    return 0;
}

/* Where the first of them departed. */
static void order_say_departed(const struct wf_replay_state *s)
{
    const struct wf_replay_departure *d = &s->departures[0];
    struct wf_resolver *resolver = NULL;
    struct wf_location location = {.file = NULL};
    char module[sizeof d->module];
    snprintf(module, sizeof module, "%s", d->module);
    wf_resolver_stay_offline();
    if (*module && wf_resolver_open(module, NULL, 0, &resolver) == WF_RESOLVER_OK)
        wf_resolver_locate(resolver, d->offset, &location);
    fprintf(stderr,
            "weft: %u of %u ranks departed from the recorded order; the first was rank %d, at event %" PRIu64 ", ",
            s->departed, s->ranks, d->rank, d->event);
    if (location.file)
        fprintf(stderr, "at %s:%d\n", wf_word_base_name(location.file), location.line);
    else
        fprintf(stderr, "at %s+0x%" PRIx64 "\n", wf_word_base_name(wf_text_clean(module)), d->offset);
    if (resolver)
        wf_resolver_close(resolver);
    wf_resolver_go_online();
}

static void order_say_replayed(const struct wf_replay_state *s, bool quiet)
{
    const struct {
        uint32_t count;
        const char *why;
    } refused[] = {{s->other_size, "the recording is of another number of ranks"},
                   {s->other_program, "the recording is of another program"},
                   {s->unable, "the recording could not be read there"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].count)
            fprintf(stderr, "weft: %u processes ran without the recorded order: %s\n", refused[i].count,
                    refused[i].why);
    if (s->departed)
        order_say_departed(s);
    else if (s->ranks && !quiet)
        fprintf(stderr, "weft: %u ranks followed the recorded order, in %" PRIu64 " events\n", s->ranks, s->events);
}

void wf_launch_order_finish(const struct wf_rundir *rundir, bool force, bool quiet)
{
    char path[PATH_MAX];
    struct order_states states = {.rundir = rundir};
    if (!rundir->own)
        return; /* another user's choice of name is ignored */
    wf_rundir_read(rundir, "recording", path, sizeof path);
    if (*path)
        order_finish_record(rundir, path, force, quiet);
    wf_rundir_each(rundir, WF_REPLAY_PREFIX, "", order_add_state, &states);
    if (states.found)
        order_say_replayed(&states.sum, quiet);
}

bool wf_launch_order_is_alone(const struct wf_rundir *rundir)
{
    char text[8];
    wf_rundir_read(rundir, "no-profile", text, sizeof text);
    return *text != '\0';
}
