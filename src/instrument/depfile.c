/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/depfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One logical line: targets, a colon, and names. */
struct depfile_rule {
    struct wf_words targets, names;
};

struct depfile_writer {
    struct wf_buffer text;
    size_t column;
    enum wf_depfile_style style;
};

/* Reads the next name, escapes included. NULL at the end of the line. */
static const char *depfile_read_name(const char *at, struct wf_buffer *name)
{
    for (;;) {
        if (*at == ' ' || *at == '\t')
            at++;
        else if (at[0] == '\\' && at[1] == '\n')
            at += 2;
        else
            break;
    }
    if (!*at || *at == '\n')
        return NULL;
    for (; *at && !strchr(" \t\n", *at); at++) {
        if (at[0] == '\\' && at[1] == '\n')
            break;
        wf_buffer_add(name, at, 1);
        if (at[0] == '\\' && at[1])
            wf_buffer_add(name, ++at, 1);
    }
    return at;
}

/* Reads one rule. Returns the beginning of the next one, or NULL at the end. */
static const char *depfile_read_rule(const char *at, struct depfile_rule *rule)
{
    bool colon = false;
    at += strspn(at, "\n");
    if (!*at)
        return NULL;
    for (;;) {
        struct wf_buffer name = {0};
        const char *next = depfile_read_name(at, &name);
        if (!next)
            break;
        at = next;
        size_t length = name.length;
        bool ends = !colon && length && name.data[length - 1] == ':';
        if (ends)
            name.data[length - 1] = '\0';
        if (name.data && *name.data)
            wf_words_add(colon ? &rule->names : &rule->targets, name.data);
        colon |= ends;
        wf_buffer_fini(&name);
    }
    return at + strspn(at, " \t");
}

/* ---- writing ---- */

/* gcc breaks lines at 72 columns; clang leaves room for " \\" in 75. */
static void depfile_write_name(struct depfile_writer *writer, const char *name, const char *trail)
{
    bool gcc = writer->style == WF_DEPFILE_GCC;
    size_t length = strlen(name);
    if (writer->column) {
        if (gcc ? writer->column + length > 72 : writer->column + length + 3 > 75) {
            wf_buffer_add_text(&writer->text, gcc ? " \\\n" : " \\\n ");
            writer->column = gcc ? 0 : 2;
        }
        wf_buffer_add_text(&writer->text, " ");
        writer->column++;
    }
    wf_buffer_addf(&writer->text, "%s%s", name, trail);
    writer->column += length + strlen(trail);
}

static void depfile_write_rule(struct depfile_writer *writer, const struct depfile_rule *rule)
{
    writer->column = 0;
    if (writer->style == WF_DEPFILE_CLANG && !rule->names.count && writer->text.length)
        wf_buffer_add_text(&writer->text, "\n");
    for (size_t i = 0; i < rule->targets.count; i++)
        depfile_write_name(writer, rule->targets.items[i], i + 1 == rule->targets.count ? ":" : "");
    for (size_t i = 0; i < rule->names.count; i++)
        depfile_write_name(writer, rule->names.items[i], "");
    wf_buffer_add_text(&writer->text, "\n");
}

/* ---- names ---- */

/* Escapes blanks, # and $ for make. */
static void depfile_add_escaped(struct wf_buffer *name, const char *text)
{
    for (; *text; text++) {
        if (*text == '$')
            wf_buffer_add(name, "$", 1);
        else if (*text == ' ' || *text == '\t' || *text == '#')
            wf_buffer_add(name, "\\", 1);
        wf_buffer_add(name, text, 1);
    }
}

static char *depfile_translate(const struct wf_mirror *mirror, const char *name, enum wf_depfile_style style)
{
    struct wf_buffer text = {0};
    for (size_t i = 0; i < mirror->root_count && !text.length; i++) {
        const struct wf_mirror_root *root = &mirror->roots[i];
        if (!wf_text_starts(name, root->copy))
            continue;
        depfile_add_escaped(&text, root->original);
        wf_buffer_add_text(&text, name + strlen(root->copy));
    }
    if (!text.length)
        return wf_text_copy(name);
    char *plain = text.data;
    while (style == WF_DEPFILE_GCC && wf_text_starts(plain, "./"))
        plain += 2;
    plain = wf_text_copy(plain);
    wf_buffer_fini(&text);
    return plain;
}

static void depfile_translate_words(struct wf_words *words, const struct wf_mirror *mirror, const char *probe_header,
                                    enum wf_depfile_style style)
{
    struct wf_words kept = {0};
    struct wf_buffer escaped = {0};
    depfile_add_escaped(&escaped, probe_header);
    for (size_t i = 0; i < words->count; i++) {
        char *name = depfile_translate(mirror, words->items[i], style);
        if (strcmp(name, wf_buffer_text(&escaped)) != 0)
            wf_words_add(&kept, name);
        free(name);
    }
    wf_buffer_fini(&escaped);
    wf_words_fini(words);
    *words = kept;
}

void wf_depfile_fix(const char *path, const struct wf_mirror *mirror, const char *probe_header,
                    enum wf_depfile_style style)
{
    struct wf_buffer old = {0};
    struct depfile_writer writer = {.style = style};
    if (wf_buffer_read(&old, path) || !old.data || !strstr(old.data, mirror->top)) {
        wf_buffer_fini(&old);
        return;
    }
    const char *at = old.data;
    while (at) {
        struct depfile_rule rule = {0};
        at = depfile_read_rule(at, &rule);
        depfile_translate_words(&rule.targets, mirror, probe_header, style);
        depfile_translate_words(&rule.names, mirror, probe_header, style);
        if (at && rule.targets.count)
            depfile_write_rule(&writer, &rule);
        wf_words_fini(&rule.targets);
        wf_words_fini(&rule.names);
    }
    FILE *out = fopen(path, "we");
    if (out) {
        fwrite(wf_buffer_text(&writer.text), 1, writer.text.length, out);
        fclose(out);
    }
    wf_buffer_fini(&writer.text);
    wf_buffer_fini(&old);
}
