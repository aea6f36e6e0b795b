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
#include "cli/launch_order.h"

extern const struct wf_command wf_command_run;

struct run_options {
    const char *output;
    bool quiet, keep, force;
    long long stuck;
    struct wf_launch_settings settings;
    struct wf_launch_order order;
};

static const struct wf_option options[] = {
    {"output", 'o', WF_OPTION_TEXT, "FILE", "WEFT_OUTPUT",
     "The profile to write. Without it: the program's name with .weft, in the current directory.",
     offsetof(struct run_options, output)},
    {"force", 'f', WF_OPTION_FLAG, NULL, "WEFT_FORCE",
     "Replace an older profile of the same name instead of keeping it beside the new one.",
     offsetof(struct run_options, force)},
    {"quiet", 'q', WF_OPTION_FLAG, NULL, "WEFT_QUIET", "Print no summary at the end.",
     offsetof(struct run_options, quiet)},
    {"stuck", 0, WF_OPTION_NUMBER, "SECONDS", "WEFT_STUCK",
     "End the run when the program has been deadlocked for so long: with SIGTERM to COMMAND, and SIGKILL 5 s later. "
     "The "
     "exit status is 113 then. Without it, a deadlock is only reported.",
     offsetof(struct run_options, stuck)},
    {"segment-size", 0, WF_OPTION_SIZE, "BYTES", "WEFT_SEGMENT_SIZE",
     "Limit the file that holds the records of one process; K, M and G are understood, and the default is 64M. Records "
     "that do not fit are counted and reported.",
     offsetof(struct run_options, settings.segment_bytes)},
    {"only", 0, WF_OPTION_TEXT, "PATTERNS", "WEFT_ONLY",
     "In a program built with weft cc, watch only the procedures and files that match one of these shell patterns, "
     "separated by commas. A loop is watched if its procedure is.",
     offsetof(struct run_options, settings.only)},
    {"skip", 0, WF_OPTION_TEXT, "PATTERNS", "WEFT_SKIP", "Do not watch the procedures and files that match.",
     offsetof(struct run_options, settings.skip)},
    {"filter", 0, WF_OPTION_TEXT, "FILE", "WEFT_FILTER",
     "Read such patterns from a file, with lines \"only PATTERN\" and \"skip PATTERN\".",
     offsetof(struct run_options, settings.filter)},
    {"no-adaptive", 0, WF_OPTION_FLAG, NULL, "WEFT_NO_ADAPTIVE",
     "Do not switch off expensive probes. By default a procedure or loop is switched off after 100,000 visits if a "
     "visit takes less than ten times the cost of its probe, or if its probes cost more than 1 % of the run.",
     offsetof(struct run_options, settings.no_adaptive)},
    {"clock", 0, WF_OPTION_CHOICE, "virtual|delay|local|real", "WEFT_CLOCK",
     "Choose how the cost of watching is subtracted from the times. virtual (the default): the process's own cost, and "
     "the waiting that the cost of other processes caused, by comparing virtual times. delay: the same by passing "
     "delays on, which needs no common time base. local: only the process's own cost. real: nothing.",
     offsetof(struct run_options, settings.clock)},
    {"path", 0, WF_OPTION_CHOICE, "on|later|off", "WEFT_PATH",
     "Compute the critical path. on (the default): from the start. later: when weft path start or the program starts "
     "it. off: never.",
     offsetof(struct run_options, settings.path)},
    {"path-weight", 0, WF_OPTION_CHOICE, "elapsed|cpu", "WEFT_PATH_WEIGHT",
     "Choose what the critical path measures: elapsed time including transfers (the default), or CPU time.",
     offsetof(struct run_options, settings.path_weight)},
    {"path-regions", 0, WF_OPTION_NUMBER, "N", "WEFT_PATH_REGIONS",
     "Follow N regions on the critical path at a time (default 64, at most 4096). If there are more, those with most "
     "of the path are followed, and of the others only the shares are known.",
     offsetof(struct run_options, settings.path_regions)},
    {"path-select", 0, WF_OPTION_TEXT, "PATTERNS", "WEFT_PATH_SELECT",
     "Track only the regions whose name or file matches one of these shell patterns, separated by commas.",
     offsetof(struct run_options, settings.path_select)},
    {"keep-order", 0, WF_OPTION_FLAG, NULL, "WEFT_KEEP_ORDER",
     "Keep the order that the run would have without monitoring: each receive or probe from any source takes the "
     "message that was sent first in virtual time. It is held back until that is certain; the time for this is "
     "subtracted from all times. For ranks on one host that call MPI from one thread.",
     offsetof(struct run_options, settings.keep_order)},
    {"hold", 0, WF_OPTION_NUMBER, "MS", "WEFT_HOLD",
     "With --keep-order: hold a receive back for so many milliseconds at the most (default 1000). Then MPI decides, "
     "which is counted and reported.",
     offsetof(struct run_options, settings.hold_ms)},
    {"races", 0, WF_OPTION_FLAG, NULL, "WEFT_RACES",
     "Find out where messages raced: receives from any source that could have taken another message, by what happened "
     "before. This costs something for each message.",
     offsetof(struct run_options, settings.races)},
    {"record-order", 0, WF_OPTION_TEXT, "FILE", "WEFT_RECORD_ORDER",
     "Write to FILE in which order receives and probes from any source, Waitany, Waitsome, Test, Iprobe and the like "
     "were satisfied. An older FILE is kept as FILE.1, unless --force is given.",
     offsetof(struct run_options, order.record)},
    {"replay-order", 0, WF_OPTION_TEXT, "FILE", "WEFT_REPLAY_ORDER",
     "Enforce the order in FILE, which --record-order has written. A recording of another program or number of ranks "
     "is refused.",
     offsetof(struct run_options, order.replay)},
    {"replay-wait", 0, WF_OPTION_NUMBER, "SECONDS", "WEFT_REPLAY_WAIT",
     "A rank departs from the recorded order if what is recorded does not come within SECONDS without progress "
     "(default 10, and at least twice the longest pause that was recorded).",
     offsetof(struct run_options, order.patience_s)},
    {"no-profile", 0, WF_OPTION_FLAG, NULL, "WEFT_NO_PROFILE",
     "Measure nothing and write no profile: only the order is recorded or replayed.",
     offsetof(struct run_options, order.no_profile)},
    {"keep", 0, WF_OPTION_FLAG, NULL, "WEFT_KEEP", "Keep the run directory with the processes' segments.",
     offsetof(struct run_options, keep)},
    {0},
};

static char *cmd_run_join(char **words)
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

static void cmd_run_pass_signal(int signal)
{
    if (child > 0)
        kill(child, signal);
}

static void cmd_run_ignore_signal(int signal)
{
    (void)signal; /* the terminal also sends the signal to the child, which decides what happens */
}

static void cmd_run_handle_signals(void)
{
    static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT, SIGALRM};
    static const int from_terminal[] = {SIGINT, SIGQUIT};
    struct sigaction action = {.sa_flags = SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    action.sa_handler = cmd_run_pass_signal;
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (sigaction(passed[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(passed[i], &action, NULL); /* an ignored signal (nohup) stays ignored, here and in the child */
    action.sa_handler = cmd_run_ignore_signal;
    for (size_t i = 0; i < sizeof from_terminal / sizeof *from_terminal; i++)
        if (sigaction(from_terminal[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(from_terminal[i], &action, NULL);
}

static int cmd_run_wait_for_child(void)
{
    int status = 0;
    while (waitpid(child, &status, WUNTRACED) < 0 && errno == EINTR)
        ;
    while (WIFSTOPPED(status)) {
        /* Ctrl-Z: stop and continue together with the child. */
        raise(SIGSTOP);
        while (waitpid(child, &status, WUNTRACED) < 0 && errno == EINTR)
            ;
    }
    return status;
}

/* Ends as the child did, so that the parent of weft sees no difference. */
static int cmd_run_end_like(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* the child has written its core file already */
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

/* Only the process that becomes the command gets weft's variables. If an earlier step fails, this process can still
 * run the command unwatched. */
static int cmd_run_prepare_environment(const struct wf_guardian *guardian, const struct wf_launch_settings *settings,
                                       bool outer)
{
    struct wf_error error;
    if (wf_launch_prepare(guardian->rundir.path, settings, &error) != 0)
        return -1; /* already checked by wf_launch_check_library */
    if (outer)
        wf_launch_reach_hosts();
    return 0;
}

/* Starts the command. Returns 0, the errno of exec, or, with child < 0, the errno of an earlier step. */
static int cmd_run_start_child(const struct wf_guardian *guardian, const struct wf_launch_settings *settings)
{
    int ends[2], why = 0;
    child = -1;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    cmd_run_handle_signals();
    child = fork();
    if (child == 0) {
        cmd_run_prepare_environment(guardian, settings, true);
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

static int cmd_run_outer(struct wf_guardian *guardian, const struct wf_launch_settings *settings,
                         struct wf_error *error)
{
    struct wf_keeper keeper;
    if (wf_guardian_start_outer(guardian, &keeper) != 0) {
        wf_error_set(error, "cannot start the process that makes the profile (%s)", strerror(errno));
        return -1;
    }
    int why = cmd_run_start_child(guardian, settings);
    if (why) {
        wf_guardian_dismiss(&keeper);
        wf_rundir_remove(&guardian->rundir);
        wf_error_set(error, "cannot start a second process (%s)", strerror(why));
        return child < 0 ? -1 : wf_launch_say_failure(guardian->argv[0], why);
    }
    wf_guardian_tell_child(&keeper, child);
    int status = cmd_run_wait_for_child();
    return wf_guardian_finish_outer(guardian, &keeper) ? WF_EXIT_STUCK : cmd_run_end_like(status);
}

/* The program comes first: if weft cannot do its work, it says so once and runs the program. */
static int cmd_run_unwatched(const struct wf_launch_place *place, char **argv, const char *why)
{
    if (place->rank == 0)
        fprintf(stderr, "weft: %s; the program runs unwatched\n", why);
    return wf_launch_become(argv);
}

static int cmd_run_refuse(const struct wf_launch_place *place, const char *why)
{
    if (place->rank == 0)
        fprintf(stderr, "weft run: %s\n", why);
    return WF_EXIT_USAGE;
}

/* A launcher's option in this place means that the words are in the wrong order. */
static int cmd_run_explain_order(const char *word)
{
    fprintf(stderr,
            "weft run: no program before '%s'; write either \"weft run mpirun -n 4 ./app\" or \"mpirun -n 4 weft run "
            "./app\"\n",
            word);
    return WF_EXIT_USAGE;
}

static const char *cmd_run_launcher_option(const char *word)
{
    static const char *const of_launchers[] = {
        "-n", "-np", "--np", "-c", "-N", "--host", "--hostfile", "-ppn", "--oversubscribe", NULL};
    for (const char *const *option = of_launchers; word && *option; option++)
        if (strcmp(word, *option) == 0)
            return word;
    return NULL;
}

/* Notes for a later `weft collect`, which is needed if this run's guardian fails. */
static void cmd_run_leave_notes(const struct wf_guardian *guardian, const char *output, bool inner)
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
        char *command = cmd_run_join(guardian->argv);
        wf_rundir_note(&guardian->rundir, "command", command ? command : "");
        free(command);
    }
}

/* Prepares the run directory. Returns -1 with the reason in *error. */
static int cmd_run_prepare(struct wf_guardian *guardian, const struct wf_launch_place *place,
                           const struct run_options *o, struct wf_error *error)
{
    if (wf_launch_is_static(guardian->argv[0]))
        return wf_error_set(error, "'%s' is statically linked and cannot be watched; link it dynamically",
                            guardian->argv[0]);
    if (wf_launch_check_library(error) != 0 || wf_rundir_make(&guardian->rundir, guardian->folder, place, error) != 0)
        return -1;
    cmd_run_leave_notes(guardian, o->output, place->inner);
    wf_launch_order_note(&o->order, &guardian->rundir);
    return 0;
}

static int cmd_run_watch(struct wf_guardian *guardian, const struct wf_launch_place *place, const struct run_options *o)
{
    struct wf_error error;
    if (cmd_run_prepare(guardian, place, o, &error) != 0)
        return cmd_run_unwatched(place, guardian->argv, error.text);
    if (!place->inner) {
        int status = cmd_run_outer(guardian, &o->settings, &error);
        return status < 0 ? cmd_run_unwatched(place, guardian->argv, error.text) : status;
    }
    if (wf_guardian_start_inner(guardian) != 0) {
        wf_error_set(&error, "cannot start the process that makes the profile (%s)", strerror(errno));
        return cmd_run_unwatched(place, guardian->argv, error.text);
    }
    cmd_run_prepare_environment(guardian, &o->settings, false);
    return wf_launch_become(guardian->argv);
}

static int cmd_run_run(int argc, char **argv)
{
    struct run_options o = {
        .stuck = -1, .settings = {.segment_bytes = -1, .path_regions = -1, .hold_ms = -1}, .order = {.patience_s = -1}};
    static struct wf_guardian guardian;
    struct wf_launch_place place;
    struct wf_error error;
    int status = 0;
    if (cmd_run_launcher_option(argv[1]))
        return cmd_run_explain_order(argv[1]);
    int first = wf_command_parse(&wf_command_run, argc, argv, true, &o, &status);
    if (first < 0)
        return status;
    if (!argv[first]) {
        fprintf(stderr, "weft run: no program given; for example: weft run mpirun -n 4 ./app\n");
        return WF_EXIT_USAGE;
    }
    if (getenv("WEFT_DIR"))
        return wf_launch_become(argv + first); /* the outer weft run does all the work */
    wf_launch_look(&place, argv[first]);
    guardian.argv = argv + first;
    guardian.quiet = o.quiet;
    guardian.keep = o.keep;
    guardian.force = o.force;
    guardian.stuck_seconds = o.stuck;
    guardian.local_size = place.local_size;
    if (wf_launch_check(&o.settings, &error) != 0 || wf_launch_read_filter(&o.settings, &error) != 0 ||
        wf_launch_order_check(&o.order, &place, guardian.argv, &error) != 0)
        return cmd_run_refuse(&place, error.text);
    if (o.settings.keep_order && (*o.order.setting || o.order.no_profile))
        return cmd_run_refuse(&place, "--keep-order needs monitoring, and no recorded order; leave out --record-order, "
                                      "--replay-order and --no-profile");
    o.settings.order = *o.order.setting ? o.order.setting : NULL;
    if (o.order.no_profile) {
        o.settings.path = "off";
        o.settings.profile = "off";
    }
    if (wf_rundir_folder(o.output, guardian.folder, sizeof guardian.folder, &error) != 0)
        return o.output ? cmd_run_refuse(&place, error.text) : cmd_run_unwatched(&place, guardian.argv, error.text);
    return cmd_run_watch(&guardian, &place, &o);
}

const struct wf_command wf_command_run = {
    .name = "run",
    .usage = "[options] [--] COMMAND [ARGUMENT...]",
    .summary = "run an MPI program and watch it",
    .description = "Runs COMMAND and watches every MPI process in it. The program needs no change and no special "
                   "build, but it must be dynamically linked. weft recognises Open MPI and MPICH.\n\n"
                   "COMMAND is either a launcher with its program (weft run mpirun -n 4 ./app), or a program that a "
                   "launcher starts through weft "
                   "(mpirun -n 4 weft run ./app, srun weft run ./app).\n\n"
                   "weft changes neither the program's output nor its input, exit status and signals. The profile is "
                   "written when the program has ended, also after a crash. It is APP.weft in the current directory, "
                   "unless --output names another file. An older profile of the same name is kept as APP.1.weft, or "
                   "with the next free number, unless --force is given. If processes of the program outlive COMMAND, "
                   "the profile is made when the last process has ended. A short summary goes to standard error. If "
                   "weft cannot do its work, it gives the reason in one sentence, and the program runs unwatched.\n\n"
                   "MPI_Pcontrol(0) in the program pauses watching and MPI_Pcontrol(1) resumes it.\n\n"
                   "A program built with weft cc is also watched by procedure and loop, even if it is serial.\n\n"
                   "While the program runs, weft computes its critical path: the regions that determine how long the "
                   "run takes, and what the run would save if they were faster. The summary ends with it. weft path "
                   "shows, starts and stops it during the run.",
    .examples = "weft run mpirun -n 4 ./heat   # watch four ranks; the profile is heat.weft\n"
                "mpirun -n 4 weft run -o a.weft ./heat   # the same in the other order, with another profile name\n"
                "WEFT_OUTPUT=b.weft srun weft run ./heat   # options from the environment",
    .exit_status = "the program's own   # also if a signal ended it\n"
                   "127, 126   # the program was not found, or could not be started\n"
                   "2   # the command line is wrong, and nothing was started\n"
                   "113   # the program was deadlocked, and --stuck has ended it",
    .operand = "program",
    .options = options,
    .run = cmd_run_run,
};
