/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Damaged inputs: weft reads the valid part, or refuses with a sentence. It never crashes, hangs, takes all memory or
 * leaves half a file.
 *
 *     fuzz KIND INPUTS COUNT [FIRST [SEED]]
 *
 * KIND is segment, profile, elf or note. INPUTS is a directory with a run that was kept (run/), its profile (run.weft)
 * and its executable (app). COUNT damaged copies are tried; the first has number FIRST. A complaint names the number:
 * with COUNT 1 and this FIRST, the case runs again alone.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "format/registry.h"
#include "format/segment.h"
#include "mutate.h"
#include "trial.h"

enum {
    BATCH = 50,        /* cases that share a process */
    MOST_SECONDS = 30, /* for a case */
    MOST_FILES = 16,
    MOST_MEGABYTES = 1500,
};

const struct wf_command wf_command_weft = {.name = "weft"};

/* More memory than any of these inputs needs is refused, with a message. Leaks are found when a batch ends. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=1000:hard_rss_limit_mb=1500:detect_leaks=1:"
           "verify_asan_link_order=0";
}

__attribute__((weak)) int __lsan_do_recoverable_leak_check(void);

/* ---- the inputs ---- */

struct input {
    char name[256];
    struct image original;
};

static struct input files[MOST_FILES], app, profile;
static size_t file_count;
static const char run_name[] = ".weft-run";

static void read_input(struct input *input, const char *directory, const char *name, const char *as)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    snprintf(input->name, sizeof input->name, "%s", as);
    image_read(&input->original, path);
}

static bool is_input(const char *name)
{
    return strstr(name, WF_SEGMENT_SUFFIX) || !strncmp(name, WF_REGISTRY_PREFIX, strlen(WF_REGISTRY_PREFIX)) ||
           !strcmp(name, "command") || !strcmp(name, "output");
}

static int compare_inputs(const void *a, const void *b)
{
    return strcmp(((const struct input *)a)->name, ((const struct input *)b)->name);
}

static void read_inputs(const char *directory)
{
    char run[PATH_MAX];
    snprintf(run, sizeof run, "%s/run", directory);
    DIR *folder = opendir(run);
    for (struct dirent *entry; folder && file_count < MOST_FILES && (entry = readdir(folder));)
        if (is_input(entry->d_name))
            read_input(&files[file_count++], run, entry->d_name, entry->d_name);
    if (!folder || file_count == 0) {
        fprintf(stderr, "%s has no inputs\n", run);
        exit(2);
    }
    closedir(folder);
    qsort(files, file_count, sizeof *files, compare_inputs); /* a directory has no order */
    read_input(&app, directory, "app", "app");
    read_input(&profile, directory, "run.weft", "run.weft");
}

/* The executable that ran becomes "app" in this directory, without its build-id, so that it may change. Libraries,
 * whose debug information is large, are left out. */
static void move_module(struct wf_module_record *module, size_t room)
{
    char path[PATH_MAX + 8], here[PATH_MAX];
    const char *name = strrchr(module->path, '/');
    bool is_app = name && !strcmp(name, "/app");
    snprintf(path, sizeof path, "%s/app", getcwd(here, sizeof here));
    if (!is_app)
        module->path[1] = '-';
    if (!is_app || strlen(path) >= room)
        return;
    module->build_id_bytes = 0;
    module->path_bytes = (uint32_t)strlen(path);
    strcpy(module->path, path);
}

static void move_modules(struct image *segment)
{
    for (size_t at = sizeof(struct wf_segment_header); at + sizeof(struct wf_chunk) <= segment->size;) {
        struct wf_chunk *chunk = (void *)(segment->bytes + at);
        if (chunk->bytes < sizeof *chunk)
            break;
        if (chunk->kind == WF_CHUNK_MODULE)
            move_module((void *)(chunk + 1), chunk->bytes - sizeof *chunk - sizeof(struct wf_module_record));
        at += chunk->bytes;
    }
}

static void write_run_file(const struct input *input, const struct image *image)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", run_name, input->name);
    image_write(image, path);
}

static void write_run(void)
{
    for (size_t i = 0; i < file_count; i++)
        write_run_file(&files[i], &files[i].original);
}

static struct input *choose(struct chance *chance, const char *part)
{
    for (;;) {
        struct input *input = &files[chance_below(chance, file_count)];
        if (strstr(input->name, part))
            return input;
    }
}

/* ---- what is tried ---- */

/* Shared with the process that tries. */
struct progress {
    _Atomic uint64_t number; /* the case that is tried now */
    _Atomic uint64_t done;
    _Atomic uint64_t refused; /* commands that refused */
};

static struct progress *progress;

static int run_trial(enum trial_output output, int sentences, char *const *words)
{
    int status = trial_run(output, sentences, words);
    atomic_fetch_add(&progress->refused, status != WF_EXIT_OK);
    return status;
}

/* No half-written file is left, in any case. */
static void check_folder(bool with_profile)
{
    DIR *folder = opendir(".");
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *name = entry->d_name;
        bool known = name[0] == '.' && (!name[1] || !strcmp(name, "..") || !strcmp(name, run_name));
        if (!known && strcmp(name, "app") != 0 && !(with_profile && !strcmp(name, "out.weft")))
            trial_fail("it left %s", name);
    }
    closedir(folder);
}

static void look(struct chance *chance, const char *path, int times)
{
    static char *const ways[][8] = {
        {"report"},
        {"report", "--tree", "--all"},
        {"report", "--path", "--all"},
        {"report", "--json"},
        {"report", "--ranks"},
        {"report", "--raw", "--all"},
        {"report", "--tree", "--threads"},
        {"report", "--site", "heat.c:34"},
        {"report", "--tree", "--focus", "update", "--rank", "1"},
        {"report", "--width", "120", "--all"},
        {"report", "--source", "heat.c"},
        {"query", "program-time"},
        {"query", "procedure", "update", "--json"},
        {"query", "loop", "heat.c:81"},
        {"query", "--csv", "--sql", "SELECT * FROM event"},
        {"query", "--json", "--sql", "SELECT * FROM wait"},
        {"query", "--sql", "SELECT * FROM rank"},
        {"query", "--csv", "--sql", "SELECT * FROM weft_site"},
        {"query", "--sql", "SELECT * FROM weft_note"},
    };
    for (int i = 0; i < times; i++) {
        char *const *way = ways[chance_below(chance, sizeof ways / sizeof *ways)], *words[12];
        int count = 0;
        enum trial_output output = TRIAL_TEXT;
        for (; way[count]; count++) {
            words[count] = way[count];
            output = !strcmp(way[count], "--json")                          ? TRIAL_JSON
                     : !strcmp(way[count], "--sql") && output == TRIAL_TEXT ? TRIAL_ROWS
                                                                            : output;
        }
        words[count++] = (char *)path;
        words[count] = NULL;
        run_trial(output, 1, words);
    }
}

/* The collected profile is read, too, because its figures come from damaged records. */
static void collect(struct chance *chance)
{
    char *const words[] = {"collect", "--quiet", "--keep", "-o", "out.weft", (char *)run_name, NULL};
    int status = run_trial(TRIAL_TEXT, 2, words);
    bool made = access("out.weft", F_OK) == 0;
    if (made != (status == WF_EXIT_OK))
        trial_fail("exit status %d, and %s profile", status, made ? "a" : "no");
    check_folder(true);
    if (made)
        look(chance, "out.weft", 1);
    unlink("out.weft");
}

/* Without a name for the profile: the name is made from the program in a segment. And with the summary. */
static void collect_unnamed(void)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/output", run_name);
    unlink(path);
    run_trial(TRIAL_TEXT, -1, (char *const[]){"collect", "--keep", (char *)run_name, NULL});
    DIR *folder = opendir(".");
    for (struct dirent *entry; (entry = readdir(folder));) {
        size_t length = strlen(entry->d_name);
        if (length >= 5 && !strcmp(entry->d_name + length - 5, ".weft"))
            unlink(entry->d_name);
    }
    closedir(folder);
    check_folder(false);
}

static void try_segment(struct chance *chance)
{
    struct image image = {0};
    struct input *input = NULL;
    for (size_t i = chance_one_in(chance, 4) ? 2 : 1; i > 0; i--) {
        input = choose(chance, WF_SEGMENT_SUFFIX);
        image_copy(&image, &input->original);
        mutate_segment(chance, &image);
        write_run_file(input, &image);
    }
    if (chance_one_in(chance, 4))
        collect_unnamed();
    else
        collect(chance);
    write_run();
    image_free(&image);
}

static void try_profile(struct chance *chance)
{
    image_write(&profile.original, "out.weft");
    mutate_profile(chance, "out.weft");
    look(chance, "out.weft", 2);
    check_folder(true);
    unlink("out.weft");
}

static void try_elf(struct chance *chance)
{
    struct image image = {0};
    image_copy(&image, &app.original);
    mutate_elf(chance, &image);
    image_write(&image, "app");
    collect(chance);
    image_free(&image);
}

static void try_note(struct chance *chance)
{
    static char *const actions[] = {"start", "stop", "show"};
    struct image image = {0};
    struct input *input = choose(chance, chance_one_in(chance, 2) ? WF_REGISTRY_PREFIX : "o" /* command and output */);
    image_copy(&image, &input->original);
    mutate_note(chance, &image);
    write_run_file(input, &image);
    run_trial(TRIAL_TEXT, 1, (char *const[]){"path", actions[chance_below(chance, 3)], (char *)run_name, NULL});
    if (strcmp(input->name, "output") != 0)
        collect(chance);
    write_run();
    check_folder(false);
    image_free(&image);
}

static const struct kind {
    const char *name;
    void (*attempt)(struct chance *chance);
} kinds[] = {{"segment", try_segment}, {"profile", try_profile}, {"elf", try_elf}, {"note", try_note}};

/* ---- a batch in a process of its own ---- */

/* `weft path` looks for a process that runs: this one does. */
static void seem_alive(void)
{
    char host[64] = "", path[PATH_MAX];
    gethostname(host, sizeof host - 1);
    snprintf(path, sizeof path, "%s/pid-%s-%d", run_name, host, (int)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0)
        close(fd);
}

static void run_batch(const struct kind *kind, uint64_t seed, uint64_t first, uint64_t count)
{
    mkdir(run_name, 0777);
    for (size_t i = 0; i < file_count; i++)
        if (strstr(files[i].name, WF_SEGMENT_SUFFIX))
            move_modules(&files[i].original);
    write_run();
    image_write(&app.original, "app");
    seem_alive();
    for (uint64_t i = first; i < first + count; i++) {
        struct chance chance = {seed ^ i * 0xd1342543de82ef95};
        atomic_store(&progress->number, i);
        chance_next(&chance);
        kind->attempt(&chance);
        atomic_fetch_add(&progress->done, 1);
    }
    if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
        _exit(97);
    _exit(0);
}

/* 0, or what went wrong. */
static const char *wait_for(pid_t child)
{
    static char text[128];
    uint64_t seen = UINT64_MAX;
    int status, waited_ms = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        uint64_t done = atomic_load(&progress->done);
        waited_ms = done == seen ? waited_ms + 20 : 0;
        seen = done;
        if (waited_ms > 1000 * MOST_SECONDS) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return "it does not end";
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return NULL;
    snprintf(text, sizeof text, WIFSIGNALED(status) ? "it died of signal %d" : "it ended with %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return text;
}

static void remove_tree(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char inner[PATH_MAX];
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        remove_tree(inner);
        unlink(inner);
    }
    if (folder)
        closedir(folder);
    rmdir(path);
}

/* True: all is well. */
static bool try_batch(const struct kind *kind, uint64_t seed, uint64_t first, uint64_t count)
{
    char scratch[PATH_MAX];
    snprintf(scratch, sizeof scratch, "%s/weft-fuzz.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(scratch))
        exit(2);
    atomic_store(&progress->done, 0);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(scratch) != 0)
            _exit(2);
        run_batch(kind, seed, first, count);
    }
    const char *complaint = wait_for(child);
    remove_tree(scratch);
    if (complaint && atomic_load(&progress->done) == count)
        fprintf(stderr, "FAIL: %s: after cases %llu to %llu, %s\n", kind->name, (unsigned long long)first,
                (unsigned long long)(first + count - 1), complaint);
    else if (complaint)
        fprintf(stderr, "FAIL: %s: case %llu: %s\n", kind->name, (unsigned long long)atomic_load(&progress->number),
                complaint);
    return !complaint;
}

int main(int argc, char **argv)
{
    const struct kind *kind = NULL;
    for (size_t i = 0; argc >= 4 && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, argv[1]))
            kind = &kinds[i];
    if (!kind) {
        fprintf(stderr, "usage: fuzz segment|profile|elf|note INPUTS COUNT [FIRST [SEED]]\n");
        return 2;
    }
    uint64_t count = strtoull(argv[3], NULL, 10), first = argc > 4 ? strtoull(argv[4], NULL, 10) : 0,
             seed = argc > 5 ? strtoull(argv[5], NULL, 10) : 1, end = first + count;
    setlocale(LC_ALL, "C.UTF-8");
    read_inputs(argv[2]);
    progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int failures = 0;
    while (first < end && failures < 20) {
        uint64_t batch = end - first < BATCH ? end - first : BATCH;
        bool well = try_batch(kind, seed, first, batch);
        failures += !well;
        first = well || atomic_load(&progress->done) == batch ? first + batch : atomic_load(&progress->number) + 1;
    }
    if (!failures)
        printf("%llu damaged inputs (%s), %llu commands refused them\n", (unsigned long long)count, kind->name,
               (unsigned long long)atomic_load(&progress->refused));
    return failures != 0;
}
