/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/launch_private.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static unsigned long long private_read_number(const char *path, int position)
{
    unsigned long long numbers[3] = {0};
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%llu %llu %llu", &numbers[0], &numbers[1], &numbers[2]) <= position)
        numbers[position] = 0;
    if (file)
        fclose(file);
    return numbers[position];
}

/* In a user namespace (a container without root), all users that are unknown to it, root among them, appear as this
 * one. */
static bool private_is_unknown_owner(uid_t owner)
{
    return private_read_number("/proc/self/uid_map", 2) < 4294967295u &&
           owner == private_read_number("/proc/sys/kernel/overflowuid", 0);
}

/* Many systems give each user a private group with the user's name, and make files writable for it. */
static bool private_is_users_group(const char *path, gid_t group)
{
    struct passwd *user = getpwuid(geteuid());
    char *name = user ? strdup(user->pw_name) : NULL;
    struct group *entry = name ? getgrgid(group) : NULL;
    bool own = entry && strcmp(entry->gr_name, name) == 0;
    for (char **member = own ? entry->gr_mem : NULL; member && *member; member++)
        own = own && strcmp(*member, name) == 0;
    free(name);
    /* With an access control list, the group bits cover everyone in the list. */
    return own && lgetxattr(path, "system.posix_acl_access", NULL, 0) < 0;
}

static enum wf_access private_look_at(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return WF_ACCESS_OTHERS;
    if (status.st_uid != 0 && status.st_uid != geteuid() && !private_is_unknown_owner(status.st_uid))
        return WF_ACCESS_OTHERS;
    bool group = (status.st_mode & S_IWGRP) && status.st_gid != 0 && !private_is_users_group(path, status.st_gid);
    if (!(status.st_mode & S_IWOTH) && !group)
        return WF_ACCESS_PRIVATE;
    return status.st_mode & S_ISVTX ? WF_ACCESS_SHARED : WF_ACCESS_OTHERS;
}

enum wf_access wf_private_look(const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", folder);
    enum wf_access access = private_look_at("/");
    for (char *end = path; *end && access != WF_ACCESS_OTHERS;) {
        end += 1 + strcspn(end + 1, "/");
        char kept = *end;
        *end = '\0';
        if (path[1])
            access = private_look_at(path);
        *end = kept;
    }
    return access;
}

int wf_private_name(char *folder, size_t bytes)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (cache && *cache == '/')
        n = snprintf(folder, bytes, "%s/weft", cache);
    else if (home && *home == '/')
        n = snprintf(folder, bytes, "%s/.cache/weft", home);
    return n > 0 && (size_t)n < bytes ? 0 : -1;
}

/* Also makes missing parent folders. */
static int private_make_folders(char *path)
{
    for (char *end = path; *end;) {
        end += 1 + strcspn(end + 1, "/");
        char kept = *end;
        *end = '\0';
        int result = mkdir(path, 0700);
        if (result == 0)
            chmod(path, 0700); /* regardless of the umask */
        *end = kept;
        if (result != 0 && errno != EEXIST && errno != EACCES && errno != EROFS)
            return -1;
    }
    return access(path, W_OK | X_OK);
}

int wf_private_folder(char *folder, size_t bytes, struct wf_error *error)
{
    char name[PATH_MAX];
    if (wf_private_name(name, sizeof name) != 0)
        return wf_error_set(error, "HOME is not set");
    if (private_make_folders(name) != 0)
        return wf_error_set(error, "%s: %s", name, strerror(errno));
    char *real = realpath(name, NULL);
    bool private = real && wf_private_look(real) == WF_ACCESS_PRIVATE;
    snprintf(folder, bytes, "%s", real ? real : "");
    free(real);
    return private ? 0 : wf_error_set(error, "other users can write in %s", name);
}
