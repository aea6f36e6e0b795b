/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/launch_rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/word.h"
#include "cli/launch.h"
#include "cli/launch_private.h"
#include "format/course.h"
#include "format/profile.h"
#include "format/registry.h"
#include "format/segment.h"

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
        return output ? wf_error_set(error, "-o '%s': %s: %s", output, name, strerror(errno))
                      : wf_error_set(error, "the current directory does not exist (%s); name a file elsewhere with -o",
                                     strerror(errno));
    snprintf(folder, bytes, "%s", real);
    free(real);
    return 0;
}

/* ---- making and opening ---- */

static const char *rundir_others_format(enum wf_access access)
{
    return access == WF_ACCESS_SHARED ? "other users can write in %s and know the run's name"
                                      : "other users can write in or above %s";
}

/* A run directory is made beside its profile, unless other users could replace it there. */
static int rundir_choose_parent(const char *folder, const struct wf_launch_place *place, char *parent, size_t bytes,
                                struct wf_error *error)
{
    struct wf_error why, others;
    enum wf_access access = wf_private_look(folder);
    snprintf(parent, bytes, "%s", folder);
    if (faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) != 0)
        return wf_error_set(error, "cannot write in %s (%s); name a file elsewhere with -o", folder, strerror(errno));
    if (access == WF_ACCESS_PRIVATE || (access == WF_ACCESS_SHARED && (!place->inner || place->secret)))
        return 0;
    if (wf_private_folder(parent, bytes, &why) == 0)
        return 0;
    wf_error_set(&others, rundir_others_format(access), folder);
    return wf_error_set(
        error,
        "%s, and weft cannot use a directory of your own for the run instead (%s); name a file elsewhere with -o",
        others.text, why.text);
}

/* Checks the opened directory, not its name. A directory that other users can enter is refused. */
static int rundir_take(struct wf_rundir *rundir)
{
    struct stat status;
    rundir->fd = open(rundir->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (rundir->fd < 0 || fstat(rundir->fd, &status) != 0)
        return -1;
    rundir->own = status.st_uid == geteuid();
    if (rundir->own && !(status.st_mode & 077) && fchmod(rundir->fd, 0700) == 0) /* regardless of the first rank's umask
                                                                                  */
        return 0;
    errno = EPERM;
    return -1;
}

int wf_rundir_make(struct wf_rundir *rundir, const char *folder, const struct wf_launch_place *place,
                   struct wf_error *error)
{
    char parent[PATH_MAX];
    *rundir = (struct wf_rundir){.fd = -1};
    if (rundir_choose_parent(folder, place, parent, sizeof parent, error) != 0)
        return -1;
    int n = snprintf(rundir->path, sizeof rundir->path, "%s/" WF_RUNDIR_PREFIX "%s", parent,
                     place->inner ? place->job : "XXXXXX");
    if (n < 0 || (size_t)n >= sizeof rundir->path)
        return wf_error_set(error, "the name of %s is too long", parent);
    bool made = place->inner ? mkdir(rundir->path, 0700) == 0 || errno == EEXIST : mkdtemp(rundir->path) != NULL;
    if (!made)
        return wf_error_set(error, "cannot write in %s (%s); name a file elsewhere with -o", parent, strerror(errno));
    if (rundir_take(rundir) == 0)
        return 0;
    wf_error_set(error,
                 errno == EPERM                       ? "%s exists already and is not private to you; remove it"
                 : errno == ENOTDIR || errno == ELOOP ? "%s exists already and is not a directory; remove it"
                                                      : "cannot open %s",
                 rundir->path);
    wf_rundir_close(rundir);
    return -1;
}

int wf_rundir_open(struct wf_rundir *rundir, const char *path, struct wf_error *error)
{
    char name[PATH_MAX];
    struct stat status;
    snprintf(name, sizeof name, "%s", path);
    for (size_t n = strlen(name); n > 1 && name[n - 1] == '/'; n--)
        name[n - 1] = '\0'; /* with a slash behind it, a link would be followed */
    *rundir = (struct wf_rundir){.fd = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (rundir->fd < 0 || fstat(rundir->fd, &status) != 0) {
        int why = errno;
        bool link = lstat(name, &status) == 0 && S_ISLNK(status.st_mode);
        wf_rundir_close(rundir);
        if (link)
            return wf_error_set(error, "%s is a link; name the directory itself", path);
        return wf_error_set(error, why == ENOTDIR ? "%s is not a run directory; name one that weft run left" : "%s: %s",
                            path, strerror(why));
    }
    rundir->own = status.st_uid == geteuid();
    char *real = realpath(name, NULL);
    snprintf(rundir->path, sizeof rundir->path, "%s", real ? real : name);
    free(real);
    return 0;
}

void wf_rundir_close(struct wf_rundir *rundir)
{
    if (rundir->fd >= 0)
        close(rundir->fd);
    rundir->fd = -1;
}

const char *wf_rundir_by_descriptor(const struct wf_rundir *rundir, char name[static WF_RUNDIR_NAME_BYTES])
{
    snprintf(name, WF_RUNDIR_NAME_BYTES, "/proc/self/fd/%d", rundir->fd);
    return name;
}

/* ---- what is in it ---- */

int wf_rundir_file(const struct wf_rundir *rundir, const char *name, int flags)
{
    struct stat status;
    int fd = openat(rundir->fd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        fd = -1;
    }
    if (fd >= 0 && (flags & O_CREAT) && (status.st_mode & 0600) != 0600)
        fchmod(fd, 0600); /* even if the umask removes the user's own rights */
    return fd;
}

void wf_rundir_note(const struct wf_rundir *rundir, const char *name, const char *text)
{
    int fd = wf_rundir_file(rundir, name, O_WRONLY | O_CREAT | O_TRUNC);
    if (fd < 0)
        return; /* the note is useful, but not required */
    while (*text) {
        ssize_t n = write(fd, text, strlen(text));
        if (n <= 0)
            break;
        text += n;
    }
    close(fd);
}

void wf_rundir_read(const struct wf_rundir *rundir, const char *name, char *text, size_t bytes)
{
    int fd = wf_rundir_file(rundir, name, O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read(fd, text, bytes - 1);
    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

int wf_rundir_each(const struct wf_rundir *rundir, const char *prefix, const char *suffix,
                   int (*visit)(const char *name, void *context), void *context)
{
    int fd = openat(rundir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
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

/* ---- those of the user ---- */

static bool rundir_belongs_here(const struct wf_rundir *rundir, const char *here)
{
    char folder[PATH_MAX];
    wf_rundir_read(rundir, "folder", folder, sizeof folder);
    return strcmp(folder, here) == 0;
}

/* Run directories of other users are skipped; they must be named. */
static int rundir_visit_folder(const char *parent, const char *here,
                               int (*visit)(struct wf_rundir *rundir, void *context), void *context)
{
    struct wf_rundir rundir;
    struct wf_error error;
    char path[PATH_MAX + 300];
    int stopped = 0;
    DIR *folder = opendir(parent);
    for (struct dirent *entry; folder && !stopped && (entry = readdir(folder));) {
        if (strncmp(entry->d_name, WF_RUNDIR_PREFIX, strlen(WF_RUNDIR_PREFIX)) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", parent, entry->d_name);
        if (wf_rundir_open(&rundir, path, &error) != 0)
            continue;
        if (rundir.own && (!here || rundir_belongs_here(&rundir, here)))
            stopped = visit(&rundir, context);
        else
            wf_rundir_close(&rundir);
    }
    if (folder)
        closedir(folder);
    return stopped;
}

int wf_rundir_each_here(int (*visit)(struct wf_rundir *rundir, void *context), void *context)
{
    char own[PATH_MAX], here[PATH_MAX];
    int stopped = rundir_visit_folder(".", NULL, visit, context);
    if (!stopped && getcwd(here, sizeof here) && wf_private_name(own, sizeof own) == 0)
        stopped = rundir_visit_folder(own, here, visit, context);
    return stopped;
}

/* ---- the end ---- */

static const char *const own_names[] = {"command",
                                        "folder",
                                        "output",
                                        "recording",
                                        "no-profile",
                                        (WF_COURSE_PREFIX "*"),
                                        (WF_REPLAY_PREFIX "*"),
                                        "merge",
                                        "pid-*",
                                        "guardian-*",
                                        (WF_REGISTRY_PREFIX "*"),
                                        "box-*",
                                        "remote-*",
                                        (WF_SEGMENT_GONE "*"),
                                        (WF_SEGMENT_STUCK "*"),
                                        ("*" WF_SEGMENT_SUFFIX)};

static int rundir_remove_entry(const char *name, void *context)
{
    const struct wf_rundir *rundir = context;
    for (size_t i = 0; i < sizeof own_names / sizeof *own_names; i++)
        if (fnmatch(own_names[i], name, 0) == 0) {
            unlinkat(rundir->fd, name, 0);
            break;
        }
    return 0;
}

void wf_rundir_remove(const struct wf_rundir *rundir)
{
    if (!rundir->own || strncmp(wf_word_base_name(rundir->path), WF_RUNDIR_PREFIX, strlen(WF_RUNDIR_PREFIX)) != 0)
        return;
    wf_rundir_each(rundir, "", "", rundir_remove_entry, (void *)rundir);
    rmdir(rundir->path);
}

/* ---- the profile's name ---- */

struct rundir_lowest {
    const struct wf_rundir *rundir;
    struct wf_segment_header header;
    int found;
};

static int rundir_keep_lowest(const char *name, void *context)
{
    struct rundir_lowest *lowest = context;
    struct wf_segment_header header;
    int fd = wf_rundir_file(lowest->rundir, name, O_RDONLY);
    if (fd < 0)
        return 0;
    if (read(fd, &header, sizeof header) == sizeof header &&
        memcmp(header.magic, WF_SEGMENT_MAGIC, sizeof header.magic) == 0 &&
        (!lowest->found || header.rank < lowest->header.rank)) {
        memcpy(&lowest->header, &header, sizeof header);
        lowest->found = 1;
    }
    close(fd);
    return 0;
}

/* A Python program is named after its script: the first argument that is not an option. */
static void rundir_program_name(const struct wf_segment_header *header, char *name, size_t bytes)
{
    char command[sizeof header->command];
    snprintf(name, bytes, "%.200s", wf_word_base_name(header->program));
    if (strncmp(name, "python", 6) != 0)
        return;
    memcpy(command, header->command, sizeof command);
    command[sizeof command - 1] = '\0';
    char *rest = command;
    strsep(&rest, " "); /* the interpreter itself */
    for (char *word; (word = strsep(&rest, " "));)
        if (*word && *word != '-') {
            snprintf(name, bytes, "%s", wf_word_base_name(word));
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
    if (*asked && rundir->own) { /* another user's choice of name is ignored */
        snprintf(output, bytes, "%s", asked);
        return 0;
    }
    struct rundir_lowest lowest = {.rundir = rundir};
    wf_rundir_each(rundir, "", WF_SEGMENT_SUFFIX, rundir_keep_lowest, &lowest);
    if (!lowest.found)
        return -1;
    rundir_program_name(&lowest.header, name, sizeof name);
    snprintf(output, bytes, "%s/%s" WF_PROFILE_SUFFIX, folder, name);
    return 0;
}
