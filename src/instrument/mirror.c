/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/mirror.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEVELS = 6 }; /* how many ".." a name may begin with and stay in the root */

int wf_mirror_open(struct wf_mirror *mirror, struct wf_error *error)
{
    const char *folder = getenv("TMPDIR");
    *mirror = (struct wf_mirror){0};
    mirror->top = wf_text_format("%s/weft-cc-XXXXXX", folder && *folder == '/' ? folder : "/tmp");
    if (mkdtemp(mirror->top))
        return 0;
    int result = wf_error_set(error, "cannot make %s: %s", mirror->top, strerror(errno));
    free(mirror->top);
    mirror->top = NULL;
    return result;
}

static int mirror_remove_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status;
    (void)type;
    (void)ftw;
    return remove(path);
}

void wf_mirror_close(struct wf_mirror *mirror)
{
    if (mirror->top)
        nftw(mirror->top, mirror_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    for (size_t i = 0; i < mirror->root_count; i++) {
        free(mirror->roots[i].original);
        free(mirror->roots[i].shown);
        free(mirror->roots[i].copy);
    }
    free(mirror->roots);
    free(mirror->top);
    *mirror = (struct wf_mirror){0};
}

size_t wf_mirror_add(struct wf_mirror *mirror, const char *directory)
{
    struct wf_mirror_root root = {0};
    size_t length = strlen(directory);
    root.original = wf_text_format("%s%s", directory, length && directory[length - 1] != '/' ? "/" : "");
    root.shown = wf_text_copy(root.original);
    struct wf_buffer copy = {0};
    wf_buffer_addf(&copy, "%s/%zu", mirror->top, mirror->root_count);
    for (int i = 0; i < LEVELS; i++)
        wf_buffer_add_text(&copy, "/u");
    wf_buffer_add_text(&copy, "/");
    root.copy = copy.data;
    mirror->roots = wf_buffer_grow(mirror->roots, mirror->root_count, sizeof *mirror->roots);
    mirror->roots[mirror->root_count] = root;
    return mirror->root_count++;
}

/* Whether a path never goes more than LEVELS levels above its beginning. */
static bool mirror_stays(const char *path)
{
    int depth = 0;
    while (*path) {
        size_t bytes = strcspn(path, "/");
        if (bytes == 2 && !strncmp(path, "..", 2))
            depth--;
        else if (bytes && !(bytes == 1 && *path == '.'))
            depth++;
        if (depth < -LEVELS)
            return false;
        path += bytes + (path[bytes] == '/');
    }
    return true;
}

const char *wf_mirror_rest(const struct wf_mirror_root *root, const char *name)
{
    bool here = !*root->original || !strcmp(root->original, "./");
    if (here)
        return *name != '/' && mirror_stays(name) ? name : NULL;
    if (!wf_text_starts(name, root->original) || name[strlen(root->original)] == '/')
        return NULL;
    const char *rest = name + strlen(root->original);
    return mirror_stays(rest) ? rest : NULL;
}

static int mirror_make_directories(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int result = mkdir(path, 0700);
        *slash = '/';
        if (result && errno != EEXIST)
            return -1;
    }
    return 0;
}

static int mirror_write_file(const char *path, const struct wf_buffer *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    size_t done = 0;
    while (done < text->length) {
        ssize_t n = write(fd, text->data + done, text->length - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    int result = close(fd);
    return done == text->length ? result : -1;
}

static int mirror_link_original(const char *name, const char *path)
{
    char *real = realpath(name, NULL);
    if (!real)
        return -1;
    int result = symlink(real, path);
    free(real);
    return result && errno == EEXIST ? 0 : result;
}

int wf_mirror_put(struct wf_mirror_root *root, const char *name, const struct wf_buffer *text)
{
    const char *rest = wf_mirror_rest(root, name);
    if (!rest) {
        errno = ENAMETOOLONG;
        return -1;
    }
    char *path = wf_text_format("%s%s", root->copy, rest);
    int result = mirror_make_directories(path);
    if (result == 0 && text) {
        unlink(path); /* it may be a link of an earlier try */
        result = mirror_write_file(path, text);
    } else if (result == 0) {
        result = mirror_link_original(name, path);
    }
    free(path);
    return result;
}

void wf_mirror_translate(const struct wf_mirror *mirror, const char *text, size_t length, struct wf_buffer *translated)
{
    size_t top = strlen(mirror->top);
    for (size_t at = 0; at < length;) {
        const char *found = memmem(text + at, length - at, mirror->top, top);
        size_t until = found ? (size_t)(found - text) : length;
        wf_buffer_add(translated, text + at, until - at);
        at = until;
        if (!found)
            return;
        const struct wf_mirror_root *root = NULL;
        for (size_t i = 0; i < mirror->root_count; i++)
            if (strlen(mirror->roots[i].copy) <= length - at &&
                !strncmp(text + at, mirror->roots[i].copy, strlen(mirror->roots[i].copy)))
                root = &mirror->roots[i];
        wf_buffer_add_text(translated, root ? root->shown : mirror->top);
        at += root ? strlen(root->copy) : top;
    }
}
