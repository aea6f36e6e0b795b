/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/prescan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FILES = 300 };

/* Adds the file if it exists and is not in the list. */
static bool prescan_add_if_there(struct wf_words *files, const char *folder, int folder_bytes, const char *name,
                                 int name_bytes)
{
    char *path = wf_text_format("%.*s%s%.*s", folder_bytes, folder,
                                folder_bytes && folder[folder_bytes - 1] != '/' ? "/" : "", name_bytes, name);
    bool there = access(path, R_OK) == 0;
    if (there && files->count < MOST_FILES && !wf_words_have(files, path))
        wf_words_add(files, path);
    free(path);
    return there;
}

static void prescan_add_header(const struct wf_command_line *line, struct wf_words *files, const char *includer,
                               const char *name, int bytes)
{
    if (prescan_add_if_there(files, includer, (int)(wf_path_base(includer) - includer), name, bytes))
        return;
    for (size_t i = 0; i < line->include_count; i++)
        if (prescan_add_if_there(files, line->includes[i].path, (int)strlen(line->includes[i].path), name, bytes))
            return;
}

/* Headers of #include "name", and of <name> if -I has it. */
static void prescan_add_headers(const struct wf_command_line *line, struct wf_words *files, const char *includer,
                                const char *text)
{
    for (const char *at = strstr(text, "include"); at; at = strstr(at, "include")) {
        at += strlen("include");
        const char *name = at + strspn(at, " \t");
        const char *end = *name == '"' ? "\"\n" : *name == '<' ? ">\n" : NULL;
        if (end)
            prescan_add_header(line, files, includer, name + 1, (int)strcspn(name + 1, end));
    }
}

bool wf_prescan_finds(const struct wf_command_line *line, const char *path, const char *word)
{
    struct wf_words files = {0};
    bool found = false;
    wf_words_add(&files, path);
    for (size_t i = 0; i < files.count && !found; i++) {
        struct wf_buffer text = {0};
        if (wf_buffer_read(&text, files.items[i]) == 0 && text.data) {
            found = strstr(text.data, word) != NULL;
            prescan_add_headers(line, &files, files.items[i], text.data);
        }
        wf_buffer_fini(&text);
    }
    wf_words_fini(&files);
    return found;
}
