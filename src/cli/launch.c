/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/word.h"
#include "base/birth.h"
#include "instrument/filter.h"

/* A launcher under weft starts the ranks itself, whatever the environment says: a batch script has a rank, too. */
static const char *const launchers[] = {"mpirun", "mpiexec", "orterun", "prterun", "srun",
                                        "aprun",  "jsrun",   "flux",    NULL};
static const char *const daemons[] = {"orted",      "prted", "hydra_pmi_proxy", "hydra_bstrap_proxy",
                                      "slurmstepd", NULL}; /* daemons of launchers on each host */

static const struct {
    const char *rank, *local_size, *job;
    const char *secret; /* known only to processes of the job; NULL: there is none */
} conventions[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports"},
    {"PMIX_RANK", NULL, "PMIX_NAMESPACE", NULL},
    {"PMI_RANK", "MPI_LOCALNRANKS", "PMI_JOBID", NULL},
};

static bool launch_is_among(const char *program, const char *const *names)
{
    const char *base = wf_word_base_name(program);
    size_t length = strcspn(base, "."); /* Debian's mpirun.openmpi, mpiexec.hydra */
    for (const char *const *n = names; *n; n++)
        if (strlen(*n) == length && strncmp(base, *n, length) == 0)
            return true;
    return false;
}

bool wf_launch_is_launcher(const char *program)
{
    return launch_is_among(program, launchers) || launch_is_among(program, daemons);
}

static int launch_number(const char *variable)
{
    const char *text = variable ? getenv(variable) : NULL;
    return text ? atoi(text) : 0;
}

/* If the launcher names no job, the ranks of one host are recognised by their common parent. */
static void launch_name_by_parent(char *job, size_t bytes)
{
    char host[64] = "", folder[32];
    gethostname(host, sizeof host - 1);
    snprintf(folder, sizeof folder, "/proc/%d", (int)getppid());
    snprintf(job, bytes, "%s-%d-%llu", host, (int)getppid(), (unsigned long long)wf_birth_of(folder).start);
}

/* Adds a hash of the secret: the name cannot be guessed, and reveals little of the secret. */
static void launch_add_secret(struct wf_launch_place *place, const char *secret)
{
    size_t length = strlen(place->job);
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *c = secret; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001B3u;
    snprintf(place->job + length, sizeof place->job - length, "-%016llx", (unsigned long long)(hash ^ hash >> 29));
    place->secret = true;
}

static bool launch_in_slurm_step(void)
{
    const char *step = getenv("SLURM_STEP_ID");
    return getenv("SLURM_PROCID") && step && strtoull(step, NULL, 10) < 0xfffffff0u; /* larger values: the batch script
                                                                                        itself */
}

static void launch_look_at_slurm(struct wf_launch_place *place)
{
    place->inner = true;
    place->rank = launch_number("SLURM_PROCID");
    place->local_size = launch_number("SLURM_NTASKS_PER_NODE");
    snprintf(place->job, sizeof place->job, "%.50s.%.50s", getenv("SLURM_JOB_ID") ? getenv("SLURM_JOB_ID") : "",
             getenv("SLURM_STEP_ID"));
}

void wf_launch_look(struct wf_launch_place *place, const char *program)
{
    *place = (struct wf_launch_place){.inner = false};
    if (launch_is_among(program, launchers))
        return;
    if (launch_in_slurm_step()) {
        launch_look_at_slurm(place);
        return;
    }
    for (size_t i = 0; i < sizeof conventions / sizeof *conventions; i++) {
        if (!getenv(conventions[i].rank))
            continue;
        const char *job = getenv(conventions[i].job);
        place->inner = true;
        place->rank = launch_number(conventions[i].rank);
        place->local_size = launch_number(conventions[i].local_size);
        if (job)
            snprintf(place->job, sizeof place->job, "%.100s", job);
        else
            launch_name_by_parent(place->job, sizeof place->job);
        const char *secret = conventions[i].secret ? getenv(conventions[i].secret) : NULL;
        if (secret && strlen(secret) >= 16)
            launch_add_secret(place, secret);
        for (char *c = place->job; *c; c++)
            if (*c == '/')
                *c = '_';
        return;
    }
}

static int launch_preload_path(char *path, size_t bytes, struct wf_error *error)
{
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n < 0)
        return wf_error_set(error, "cannot find weft's own files: /proc is not mounted");
    exe[n] = '\0';
    *strrchr(exe, '/') = '\0';
    char relative[PATH_MAX + 32];
    snprintf(relative, sizeof relative, "%s/../lib/weft/libweft.so", exe);
    char *real = realpath(relative, NULL);
    if (!real)
        return wf_error_set(error, "cannot find %s: install weft again with make install", relative);
    snprintf(path, bytes, "%s", real);
    free(real);
    if (strpbrk(path, " :"))
        return wf_error_set(
            error,
            "the loader cannot preload '%s', because the path contains a blank or a colon: install weft elsewhere",
            path);
    return 0;
}

int wf_launch_check_library(struct wf_error *error)
{
    char path[PATH_MAX];
    return launch_preload_path(path, sizeof path, error);
}

/* Joins the words with commas; NULL if there are none. */
static const char *launch_join_words(const struct wf_words *words)
{
    char *list = NULL;
    for (size_t i = 0; i < words->count; i++) {
        char *longer = NULL;
        if (asprintf(&longer, "%s%s%s", list ? list : "", list ? "," : "", words->items[i]) < 0)
            return list;
        free(list);
        list = longer;
    }
    return list;
}

int wf_launch_read_filter(struct wf_launch_settings *settings, struct wf_error *error)
{
    struct wf_filter filter = {0};
    if (!settings->filter)
        return 0;
    wf_filter_add(&filter.only, settings->only);
    wf_filter_add(&filter.skip, settings->skip);
    int result = wf_filter_read(&filter, settings->filter, error);
    if (result == 0) {
        settings->only = launch_join_words(&filter.only);
        settings->skip = launch_join_words(&filter.skip);
    }
    wf_filter_fini(&filter);
    return result;
}

int wf_launch_check(const struct wf_launch_settings *settings, struct wf_error *error)
{
    const char *select = settings->path_select;
    if (settings->segment_bytes != -1 && settings->segment_bytes < WF_LAUNCH_SEGMENT_LEAST)
        return wf_error_set(error, "--segment-size=%lld is too small; give %dK or more", settings->segment_bytes,
                            WF_LAUNCH_SEGMENT_LEAST / 1024);
    if (settings->path_regions > WF_LAUNCH_PATH_REGIONS)
        return wf_error_set(error, "--path-regions=%lld is too many; give 0 to %d", settings->path_regions,
                            WF_LAUNCH_PATH_REGIONS);
    if (settings->keep_order && settings->clock && strcmp(settings->clock, "virtual") != 0)
        return wf_error_set(error, "--keep-order compares virtual times; it does not go together with --clock=%s",
                            settings->clock);
    if (settings->hold_ms != -1 && !settings->keep_order)
        return wf_error_set(error, "--hold says how long --keep-order holds a receive back; give both");
    if (select && (!*select || *select == ',' || strstr(select, ",,") || select[strlen(select) - 1] == ','))
        return wf_error_set(
            error,
            "--path-select='%s' contains an empty pattern; give names of procedures or files, separated by commas",
            select);
    return 0;
}

/* Order control: see measure/order/order.h. */
static void launch_set_order(const struct wf_launch_settings *settings)
{
    char text[64];
    if (!settings->keep_order)
        return;
    snprintf(text, sizeof text, "keep:%lld", (settings->hold_ms < 0 ? WF_LAUNCH_HOLD_MS : settings->hold_ms) * 1000000);
    setenv("WEFT_ORDER", text, 1);
}

static void launch_set_number(const char *variable, long long value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    setenv(variable, text, 1);
}

/* gcc's AddressSanitizer refuses to start behind a preloaded library; libweft.so replaces nothing that it needs. */
#define ASAN_VARIABLE "ASAN_OPTIONS"
#define ASAN_OPTION "verify_asan_link_order=0"

static void launch_add_asan_option(void)
{
    const char *others = getenv(ASAN_VARIABLE);
    char *value = NULL;
    if (!others || !*others)
        setenv(ASAN_VARIABLE, ASAN_OPTION, 1);
    else if (asprintf(&value, "%s:" ASAN_OPTION, others) > 0)
        setenv(ASAN_VARIABLE, value, 1);
    free(value);
}

int wf_launch_prepare(const char *directory, const struct wf_launch_settings *settings, struct wf_error *error)
{
    const struct {
        const char *variable, *value; /* NULL: not given */
    } texts[] = {
        {"WEFT_ONLY", settings->only},
        {"WEFT_SKIP", settings->skip},
        {"WEFT_ADAPTIVE", settings->no_adaptive ? "0" : NULL},
        {"WEFT_CLOCK", settings->clock},
        {"WEFT_PATH", settings->path},
        {"WEFT_PATH_WEIGHT", settings->path_weight},
        {"WEFT_PATH_SELECT", settings->path_select},
        {"WEFT_RACES", settings->races ? "1" : NULL},
        {"WEFT_ORDER", settings->order},
        {"WEFT_PROFILE", settings->profile},
    };
    char library[PATH_MAX];
    if (launch_preload_path(library, sizeof library, error) != 0)
        return -1;
    const char *others = getenv("LD_PRELOAD");
    char *value = NULL;
    if (asprintf(&value, "%s%s%s", library, others && *others ? ":" : "", others ? others : "") < 0)
        return wf_error_set(error, "out of memory");
    setenv("LD_PRELOAD", value, 1);
    setenv("WEFT_DIR", directory, 1);
    launch_add_asan_option();
    if (settings->segment_bytes >= 0)
        launch_set_number("WEFT_SEGMENT_SIZE", settings->segment_bytes);
    if (settings->path_regions >= 0)
        launch_set_number("WEFT_PATH_REGIONS", settings->path_regions);
    launch_set_order(settings);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value)
            setenv(texts[i].variable, texts[i].value, 1);
    free(value);
    return 0;
}

/* Quotes a value for a remote shell. Launchers that use no shell pass values on as they are; most values consist of
 * plain characters and need no quotes. */
static bool launch_append_quoted(char *text, size_t bytes, const char *value)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:,=+@%-";
    size_t at = strlen(text);
    for (; *value && at + 3 < bytes; value++) {
        if (!strchr(plain, *value))
            text[at++] = '\\';
        text[at++] = *value;
    }
    text[at] = '\0';
    return *value == '\0';
}

static bool launch_is_in_file(const char *path, const char *word)
{
    char line[1024];
    bool found = false;
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = strncmp(line + strspn(line, " \t"), word, strlen(word)) == 0;
    if (file)
        fclose(file);
    return found;
}

/* The environment would override a parameter in a configuration file of Open MPI. */
static bool launch_is_users_parameter(const char *name)
{
    char own[PATH_MAX];
    snprintf(own, sizeof own, "%s/.openmpi/mca-params.conf", getenv("HOME") ? getenv("HOME") : "");
    return launch_is_in_file(own, name) || launch_is_in_file("/etc/openmpi/openmpi-mca-params.conf", name);
}

/* Open MPI starts the ranks of another host through a daemon with a fresh environment. The daemon's command may
 * begin with other words, and every host has env. -x and other ways to set variables stay free for the user and take
 * precedence, as on this host. */
void wf_launch_reach_hosts(void)
{
    static const char *const variables[] = {"WEFT_DIR",          "WEFT_SEGMENT_SIZE", "WEFT_ONLY",  "WEFT_SKIP",
                                            "WEFT_ADAPTIVE",     "WEFT_CLOCK",        "WEFT_PATH",  "WEFT_PATH_WEIGHT",
                                            "WEFT_PATH_REGIONS", "WEFT_PATH_SELECT",  "WEFT_ORDER", "WEFT_PROFILE",
                                            "WEFT_RACES",        "WEFT_TEST_DELAY",   NULL};
    char command[8192] = "env " ASAN_VARIABLE "=" ASAN_OPTION " LD_PRELOAD=", library[PATH_MAX] = "";
    struct wf_error error;
    if (launch_is_users_parameter("orte_launch_agent") || launch_preload_path(library, sizeof library, &error) != 0)
        return;
    bool fits = launch_append_quoted(command, sizeof command, library);
    for (const char *const *v = variables; *v && fits; v++)
        if (getenv(*v)) {
            strcat(command, " "); /* launch_append_quoted leaves room for it */
            fits = launch_append_quoted(command, sizeof command, *v) &&
                   launch_append_quoted(command, sizeof command, "=") &&
                   launch_append_quoted(command, sizeof command, getenv(*v));
        }
    if (fits && strlen(command) + sizeof " orted" < sizeof command)
        setenv("OMPI_MCA_orte_launch_agent", strcat(command, " orted"), 0);
}

bool wf_launch_find_program(const char *program, char *path, size_t bytes)
{
    if (strchr(program, '/')) {
        snprintf(path, bytes, "%s", program);
        return true;
    }
    const char *folders = getenv("PATH");
    for (const char *at = folders ? folders : ""; *at;) {
        size_t length = strcspn(at, ":");
        snprintf(path, bytes, "%.*s/%s", (int)length, at, program);
        struct stat status;
        if (access(path, X_OK) == 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

bool wf_launch_is_static(const char *program)
{
    char path[PATH_MAX];
    Elf64_Ehdr elf;
    struct stat status;
    if (!wf_launch_find_program(program, path, sizeof path) || stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        access(path, X_OK) != 0)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_static = read(fd, &elf, sizeof elf) == sizeof elf && memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0 &&
                     (elf.e_type == ET_EXEC || elf.e_type == ET_DYN);
    for (unsigned i = 0; is_static && i < elf.e_phnum; i++) {
        Elf64_Phdr part;
        if (pread(fd, &part, sizeof part, (off_t)(elf.e_phoff + i * sizeof part)) == sizeof part &&
            part.p_type == PT_INTERP)
            is_static = false;
    }
    close(fd);
    return is_static;
}

int wf_launch_say_failure(const char *program, int why)
{
    fprintf(stderr, "weft run: cannot run '%s': %s\n", program, strerror(why));
    return why == ENOENT ? 127 : 126;
}

int wf_launch_become(char **argv)
{
    execvp(argv[0], argv);
    return wf_launch_say_failure(argv[0], errno);
}
