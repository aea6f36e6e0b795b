/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/launch_rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/profile.h"
#include "format/segment.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int wf_rundir_folder(const char *output, char *folder, size_t bytes, struct wf_error *error)
{
    struct stat status;
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s", output ? output : "./");
    if (output && (*output == '\0' || (stat(output, &status) == 0 && S_ISDIR(status.st_mode))))
        return wf_error_set(error, "-o '%s' is a directory; give the name of a file", output);
    char *slash = strrchr(name, '/');
    if (!slash)
        strcpy(name, ".");
    else
        slash[slash == name] = '\0';
    char *real = realpath(name, NULL);
    if (!real)
        return wf_error_set(error, "-o '%s': %s: %s", output, name, strerror(errno));
    snprintf(folder, bytes, "%s", real);
    free(real);
    return 0;
}

int wf_rundir_open(struct wf_rundir *rundir, const char *folder, const char *job)
{
    int n = snprintf(rundir->path, sizeof rundir->path, "%s/" WF_RUNDIR_PREFIX "%s", folder, job ? job : "XXXXXX");
    if (n < 0 || (size_t)n >= sizeof rundir->path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (!job)
        return mkdtemp(rundir->path) ? 0 : -1;
    if (mkdir(rundir->path, 0777) == 0 || errno == EEXIST)
        return access(rundir->path, W_OK);
    return -1;
}

static int entry_path(const struct wf_rundir *rundir, const char *name, char *path)
{
    int n = snprintf(path, PATH_MAX, "%s/%s", rundir->path, name);
    return n > 0 && n < PATH_MAX ? 0 : -1;
}

void wf_rundir_note(const struct wf_rundir *rundir, const char *name, const char *text)
{
    char path[PATH_MAX];
    FILE *file = entry_path(rundir, name, path) == 0 ? fopen(path, "we") : NULL;
    if (!file)
        return; /* a help for later, not a need */
    fputs(text, file);
    fclose(file);
}

void wf_rundir_read(const struct wf_rundir *rundir, const char *name, char *text, size_t bytes)
{
    char path[PATH_MAX];
    FILE *file = entry_path(rundir, name, path) == 0 ? fopen(path, "re") : NULL;
    size_t n = file ? fread(text, 1, bytes - 1, file) : 0;
    text[n] = '\0';
    if (file)
        fclose(file);
}

int wf_rundir_each(const struct wf_rundir *rundir, const char *prefix, const char *suffix, int (*visit)(const char *name, void *context),
                   void *context)
{
    DIR *folder = opendir(rundir->path);
    if (!folder)
        return 0;
    int stopped = 0;
    for (struct dirent *entry; !stopped && (entry = readdir(folder));) {
        size_t length = strlen(entry->d_name), tail = strlen(suffix);
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && length >= tail &&
            strcmp(entry->d_name + length - tail, suffix) == 0)
            stopped = visit(entry->d_name, context);
    }
    closedir(folder);
    return stopped;
}

/* ---- who is still there ---- */

/* A zombie is over: it only waits for its parent. */
static bool is_alive(pid_t pid)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    const char *rest = strrchr(line, ')');
    return read && rest && rest[1] == ' ' && rest[2] != 'Z' && rest[2] != 'X';
}

pid_t wf_rundir_local_pid(const char *name)
{
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    const char *last = strrchr(name, '-');
    size_t length = strlen(host);
    if (!last || (size_t)(last - name) < length + 1 || memcmp(last - length, host, length) != 0 || last[-(long)length - 1] != '-')
        return 0;
    return (pid_t)atoi(last + 1);
}

static int visit_alive(const char *name, void *context)
{
    (void)context;
    pid_t pid = wf_rundir_local_pid(name);
    return pid > 0 && is_alive(pid) ? pid : 0;
}

pid_t wf_rundir_alive(const struct wf_rundir *rundir, const char *prefix, const char *suffix)
{
    return (pid_t)wf_rundir_each(rundir, prefix, suffix, visit_alive, NULL);
}

/* ---- the end ---- */

static int remove_entry(const char *name, void *context)
{
    char path[PATH_MAX];
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && entry_path(context, name, path) == 0)
        unlink(path);
    return 0;
}

/* Only what weft itself has made: a user may collect from any folder. */
void wf_rundir_remove(const struct wf_rundir *rundir)
{
    if (strncmp(base_name(rundir->path), WF_RUNDIR_PREFIX, strlen(WF_RUNDIR_PREFIX)) != 0)
        return;
    wf_rundir_each(rundir, "", "", remove_entry, (void *)rundir);
    rmdir(rundir->path);
}

struct lowest {
    const struct wf_rundir *rundir;
    struct wf_segment_header header;
    int found;
};

static int keep_lowest(const char *name, void *context)
{
    struct lowest *lowest = context;
    struct wf_segment_header header;
    char path[PATH_MAX];
    int fd = entry_path(lowest->rundir, name, path) == 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return 0;
    if (read(fd, &header, sizeof header) == sizeof header && memcmp(header.magic, WF_SEGMENT_MAGIC, sizeof header.magic) == 0 &&
        (!lowest->found || header.rank < lowest->header.rank)) {
        memcpy(&lowest->header, &header, sizeof header);
        lowest->found = 1;
    }
    close(fd);
    return 0;
}

/* A script is better known by its own name than by its interpreter's: the first argument that is no option. */
static void program_name(const struct wf_segment_header *header, char *name, size_t bytes)
{
    char command[sizeof header->command];
    snprintf(name, bytes, "%.200s", base_name(header->program));
    if (strncmp(name, "python", 6) != 0)
        return;
    memcpy(command, header->command, sizeof command);
    command[sizeof command - 1] = '\0';
    char *rest = command;
    strsep(&rest, " "); /* the interpreter itself */
    for (char *word; (word = strsep(&rest, " "));)
        if (*word && *word != '-') {
            snprintf(name, bytes, "%s", base_name(word));
            char *dot = strrchr(name, '.');
            if (dot && strcmp(dot, ".py") == 0)
                *dot = '\0';
            return;
        }
}

int wf_rundir_output(const struct wf_rundir *rundir, const char *folder, char *output, size_t bytes)
{
    char name[256], asked[PATH_MAX];
    wf_rundir_read(rundir, "output", asked, sizeof asked);
    if (*asked) {
        snprintf(output, bytes, "%s", asked);
        return 0;
    }
    struct lowest lowest = {.rundir = rundir};
    wf_rundir_each(rundir, "", WF_SEGMENT_SUFFIX, keep_lowest, &lowest);
    if (!lowest.found)
        return -1;
    program_name(&lowest.header, name, sizeof name);
    snprintf(output, bytes, "%s/%s" WF_PROFILE_SUFFIX, folder, name);
    return 0;
}
