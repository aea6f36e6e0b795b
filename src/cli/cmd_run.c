/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/launch.h"
#include "cli/launch_guardian.h"

extern const struct wf_command wf_command_run;

struct run_options {
    const char *output;
    bool quiet, keep, force;
    struct wf_launch_settings settings;
};

static const struct wf_option options[] = {
    {"output", 'o', WF_OPTION_TEXT, "FILE", "WEFT_OUTPUT",
     "The profile to write. Without it: the program's name with .weft, in the current directory.", offsetof(struct run_options, output)},
    {"force", 'f', WF_OPTION_FLAG, NULL, "WEFT_FORCE", "Replace an older profile of that name, instead of keeping it beside the new one.",
     offsetof(struct run_options, force)},
    {"quiet", 'q', WF_OPTION_FLAG, NULL, "WEFT_QUIET", "Print no summary at the end.", offsetof(struct run_options, quiet)},
    {"segment-size", 0, WF_OPTION_SIZE, "BYTES", "WEFT_SEGMENT_SIZE",
     "How large the file of one process's records may become (K, M and G are understood). 64M if not given; what does not fit is counted and "
     "reported.",
     offsetof(struct run_options, settings.segment_bytes)},
    {"only", 0, WF_OPTION_TEXT, "PATTERNS", "WEFT_ONLY",
     "Of a program built with weft cc, watch only the procedures and files that match one of these shell patterns, separated by commas. "
     "Loops go with their procedure.",
     offsetof(struct run_options, settings.only)},
    {"skip", 0, WF_OPTION_TEXT, "PATTERNS", "WEFT_SKIP", "Do not watch the procedures and files that match.",
     offsetof(struct run_options, settings.skip)},
    {"filter", 0, WF_OPTION_TEXT, "FILE", "WEFT_FILTER", "Read such patterns from a file, with lines \"only PATTERN\" and \"skip PATTERN\".",
     offsetof(struct run_options, settings.filter)},
    {"no-adaptive", 0, WF_OPTION_FLAG, NULL, "WEFT_NO_ADAPTIVE",
     "Do not switch off procedures and loops whose visits are too short or too many for their cost (more than 100,000, of less than ten times the probe's or with more than 1 % of the run).",
     offsetof(struct run_options, settings.no_adaptive)},
    {"clock", 0, WF_OPTION_CHOICE, "virtual|delay|local|real", "WEFT_CLOCK",
     "How the cost of watching is taken out of the times. virtual, the default: with what it delayed elsewhere, by comparing virtual times. delay: the "
     "same by passing delays on, which needs no common time base. local: each process's own cost only. real: not at all.",
     offsetof(struct run_options, settings.clock)},
    {"path", 0, WF_OPTION_CHOICE, "on|later|off", "WEFT_PATH",
     "Compute the critical path: on, the default, from the start; later: when weft path start, or the program, says so; off: never.",
     offsetof(struct run_options, settings.path)},
    {"path-weight", 0, WF_OPTION_CHOICE, "elapsed|cpu", "WEFT_PATH_WEIGHT",
     "Of what the critical path is the longest: of elapsed time, the default, with transfers; or of CPU time.",
     offsetof(struct run_options, settings.path_weight)},
    {"path-regions", 0, WF_OPTION_NUMBER, "N", "WEFT_PATH_REGIONS",
     "Follow N regions on the critical path at a time, 64 if not given and at most 1024; of more, those on the path are found on the way.",
     offsetof(struct run_options, settings.path_regions)},
    {"path-select", 0, WF_OPTION_TEXT, "PATTERNS", "WEFT_PATH_SELECT",
     "Follow only the regions whose name or file matches one of these shell patterns, separated by commas.",
     offsetof(struct run_options, settings.path_select)},
    {"keep", 0, WF_OPTION_FLAG, NULL, "WEFT_KEEP", "Keep the run directory with the processes' segments.", offsetof(struct run_options, keep)},
    {0},
};

static char *join(char **words)
{
    size_t bytes = 1;
    for (char **w = words; *w; w++)
        bytes += strlen(*w) + 1;
    char *text = calloc(1, bytes);
    for (char **w = words; text && *w; w++) {
        strcat(text, *w);
        if (w[1])
            strcat(text, " ");
    }
    return text;
}

static pid_t child;

static void pass_on(int signal)
{
    if (child > 0)
        kill(child, signal);
}

static void do_nothing(int signal)
{
    (void)signal; /* the terminal sends it to the child, too: what it does with it is its own affair */
}

static void handle_signals(void)
{
    static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT, SIGALRM};
    static const int from_terminal[] = {SIGINT, SIGQUIT};
    struct sigaction action = {.sa_flags = SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    action.sa_handler = pass_on;
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (sigaction(passed[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(passed[i], &action, NULL); /* an ignored signal (nohup) stays ignored, here and in the child */
    action.sa_handler = do_nothing;
    for (size_t i = 0; i < sizeof from_terminal / sizeof *from_terminal; i++)
        if (sigaction(from_terminal[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(from_terminal[i], &action, NULL);
}

static int wait_for_child(void)
{
    int status = 0;
    while (waitpid(child, &status, WUNTRACED) < 0 && errno == EINTR)
        ;
    while (WIFSTOPPED(status)) {
        /* Ctrl-Z: stop with the child, and go on with it. */
        raise(SIGSTOP);
        while (waitpid(child, &status, WUNTRACED) < 0 && errno == EINTR)
            ;
    }
    return status;
}

/* Ends as the child did, so that whoever started weft sees no difference. */
static int end_like(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* the child left its core, if it was to */
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

/* Only what becomes the command gets weft's variables: whatever fails before, this process can still run it unwatched. */
static int prepare_environment(const struct wf_guardian *guardian, const struct wf_launch_settings *settings, bool outer)
{
    struct wf_error error;
    if (wf_launch_prepare(guardian->rundir.path, settings, &error) != 0)
        return -1; /* it was asked before */
    if (outer)
        wf_launch_reach_hosts();
    return 0;
}

/* Starts the command. 0: it runs; else errno, of exec or, with child < 0, of what comes before. */
static int start_child(const struct wf_guardian *guardian, const struct wf_launch_settings *settings)
{
    int ends[2], why = 0;
    child = -1;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    handle_signals();
    child = fork();
    if (child == 0) {
        prepare_environment(guardian, settings, true);
        execvp(guardian->argv[0], guardian->argv); /* handlers become SIG_DFL again */
        why = errno;
        if (write(ends[1], &why, sizeof why) < 0)
            _exit(126);
        _exit(127);
    }
    why = child < 0 ? errno : 0;
    close(ends[1]);
    if (child > 0 && read(ends[0], &why, sizeof why) == sizeof why)
        waitpid(child, NULL, 0);
    close(ends[0]);
    return why;
}

static int run_outer(struct wf_guardian *guardian, const struct wf_launch_settings *settings, struct wf_error *error)
{
    struct wf_keeper keeper;
    if (wf_guardian_start_outer(guardian, &keeper) != 0) {
        wf_error_set(error, "cannot start the process that makes the profile (%s)", strerror(errno));
        return -1;
    }
    int why = start_child(guardian, settings);
    if (why) {
        wf_guardian_dismiss(&keeper);
        wf_rundir_remove(&guardian->rundir);
        wf_error_set(error, "cannot start a second process (%s)", strerror(why));
        return child < 0 ? -1 : wf_launch_say_failure(guardian->argv[0], why);
    }
    wf_guardian_tell_child(&keeper, child);
    int status = wait_for_child();
    wf_guardian_finish_outer(guardian, &keeper);
    return end_like(status);
}

/* The program comes first: where weft cannot do its work, it says so once and lets it run. */
static int run_unwatched(const struct wf_launch_place *place, char **argv, const char *why)
{
    if (place->rank == 0)
        fprintf(stderr, "weft: %s; the program runs unwatched\n", why);
    return wf_launch_become(argv);
}

static int refuse(const struct wf_launch_place *place, const char *why)
{
    if (place->rank == 0)
        fprintf(stderr, "weft run: %s\n", why);
    return WF_EXIT_USAGE;
}

/* Options of a launcher given to weft are the sign of words in the wrong order. */
static int explain_order(const char *word)
{
    fprintf(stderr,
            "weft run: no program before '%s'; write either \"weft run mpirun -n 4 ./app\" or \"mpirun -n 4 weft run ./app\"\n", word);
    return WF_EXIT_USAGE;
}

static const char *launcher_option(const char *word)
{
    static const char *const of_launchers[] = {"-n", "-np", "--np", "-c", "-N", "--host", "--hostfile", "-ppn", "--oversubscribe", NULL};
    for (const char *const *option = of_launchers; word && *option; option++)
        if (strcmp(word, *option) == 0)
            return word;
    return NULL;
}

/* What a later `weft collect` needs to know, should this run's guardian not get that far. */
static void leave_notes(const struct wf_guardian *guardian, const char *output, bool inner)
{
    if (output) {
        char *path = NULL;
        const char *slash = strrchr(output, '/');
        if (asprintf(&path, "%s/%s", guardian->folder, slash ? slash + 1 : output) > 0)
            wf_rundir_note(&guardian->rundir, "output", path);
        free(path);
    }
    wf_rundir_note(&guardian->rundir, "folder", guardian->folder);
    if (!inner) {
        char *command = join(guardian->argv);
        wf_rundir_note(&guardian->rundir, "command", command ? command : "");
        free(command);
    }
}

/* Makes all ready for watching; -1: why not is in the error. */
static int prepare(struct wf_guardian *guardian, const struct wf_launch_place *place, const struct run_options *o, struct wf_error *error)
{
    if (wf_launch_is_static(guardian->argv[0]))
        return wf_error_set(error, "'%s' is statically linked and cannot be watched; link it dynamically", guardian->argv[0]);
    if (wf_launch_check_library(error) != 0 || wf_rundir_make(&guardian->rundir, guardian->folder, place, error) != 0)
        return -1;
    leave_notes(guardian, o->output, place->inner);
    return 0;
}

static int run(int argc, char **argv)
{
    struct run_options o = {.settings = {.segment_bytes = -1, .path_regions = -1}};
    static struct wf_guardian guardian;
    struct wf_launch_place place;
    struct wf_error error;
    int status = 0;
    if (launcher_option(argv[1]))
        return explain_order(argv[1]);
    int first = wf_command_parse(&wf_command_run, argc, argv, true, &o, &status);
    if (first < 0)
        return status;
    if (!argv[first]) {
        fprintf(stderr, "weft run: no program given; write for example: weft run mpirun -n 4 ./app\n");
        return WF_EXIT_USAGE;
    }
    if (getenv("WEFT_DIR"))
        return wf_launch_become(argv + first); /* under another weft run, which does all the work */
    wf_launch_look(&place, argv[first]);
    guardian.argv = argv + first;
    guardian.quiet = o.quiet;
    guardian.keep = o.keep;
    guardian.force = o.force;
    guardian.local_size = place.local_size;
    if (wf_launch_check(&o.settings, &error) != 0 || wf_launch_read_filter(&o.settings, &error) != 0)
        return refuse(&place, error.text);
    if (wf_rundir_folder(o.output, guardian.folder, sizeof guardian.folder, &error) != 0)
        return o.output ? refuse(&place, error.text) : run_unwatched(&place, guardian.argv, error.text);
    if (prepare(&guardian, &place, &o, &error) != 0)
        return run_unwatched(&place, guardian.argv, error.text);
    if (!place.inner) {
        status = run_outer(&guardian, &o.settings, &error);
        return status < 0 ? run_unwatched(&place, guardian.argv, error.text) : status;
    }
    if (wf_guardian_start_inner(&guardian) != 0) {
        wf_error_set(&error, "cannot start the process that makes the profile (%s)", strerror(errno));
        return run_unwatched(&place, guardian.argv, error.text);
    }
    prepare_environment(&guardian, &o.settings, false);
    return wf_launch_become(guardian.argv);
}

const struct wf_command wf_command_run = {
    .name = "run",
    .usage = "[options] [--] COMMAND [ARGUMENT...]",
    .summary = "run an MPI program and watch it",
    .description =
        "Runs COMMAND and watches every MPI process in it. The program needs no change and no special build; it must be dynamically linked. "
        "Open MPI and MPICH are recognised by themselves.\n\n"
        "COMMAND is either a launcher with its program (weft run mpirun -n 4 ./app), or a program that a launcher starts through weft "
        "(mpirun -n 4 weft run ./app, srun weft run ./app).\n\n"
        "The program's output, input, exit status and signals are its own. When it has ended, in whatever way, the profile is written: "
        "APP.weft in the current directory, unless --output names another file. An older profile of that name is kept beside it, as APP.1.weft or the next "
        "number that is free, unless --force is given. If processes of the program live on when COMMAND has ended, the profile is made when the last of them has "
        "ended. A short summary goes to standard error. If weft cannot do "
        "its work, it says so in one sentence and the program runs unwatched.\n\n"
        "MPI_Pcontrol(0) in the program pauses watching and MPI_Pcontrol(1) resumes it.\n\n"
        "A program built with weft cc is also watched by procedure and loop; so is a serial one.\n\n"
        "While the program runs, its critical path is computed: which regions make the run as long as it is, and what it would save if they were "
        "faster. The summary ends with it; weft path shows it before that, starts it and stops it.",
    .examples = "weft run mpirun -n 4 ./heat   # watch four ranks, profile in heat.weft\n"
                "mpirun -n 4 weft run -o a.weft ./heat   # the other order, and another name\n"
                "WEFT_OUTPUT=b.weft srun weft run ./heat   # options from the environment",
    .exit_status = "the program's own   # also where it was ended by a signal\n"
                   "127, 126   # the program was not found, or could not be started\n"
                   "2   # the command line is wrong, and nothing was started",
    .options = options,
    .run = run,
};
