/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/listing.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "analyse/memory.h"
#include "analyse/nearest.h"
#include "analyse/sum.h"
#include "analyse/word.h"

/* ---- which file is meant ---- */

static bool is_source(const struct wf_node *node)
{
    return *node->file && node->line > 0;
}

/* The first file that the word means and that is not `except`; NULL if there is none. */
static const char *find_file(const struct wf_graph *graph, const char *word, const char *except)
{
    for (size_t i = 0; i < graph->count; i++) {
        const struct wf_node *node = &graph->nodes[i];
        if (is_source(node) && wf_word_path_ends(node->file, word) &&
            !(except && !strcmp(node->file, except)))
            return node->file;
    }
    return NULL;
}

static const char *nearest_file(const struct wf_graph *graph, const char *word)
{
    const char *nearest = NULL;
    int least = 0;
    for (size_t i = 0; i < graph->count; i++) {
        if (!is_source(&graph->nodes[i]))
            continue;
        const char *file = graph->nodes[i].file;
        int distance = wf_nearest_distance(wf_word_base_name(file), wf_word_base_name(word));
        if (!nearest || distance < least) {
            nearest = file;
            least = distance;
        }
    }
    return nearest;
}

static const char *choose_file(const struct wf_graph *graph, const char *word, struct wf_error *error)
{
    for (size_t i = 0; i < graph->count; i++)
        if (is_source(&graph->nodes[i]) && !strcmp(graph->nodes[i].file, word))
            return graph->nodes[i].file;
    const char *file = find_file(graph, word, NULL), *other = file ? find_file(graph, word, file) : NULL;
    const char *nearest = nearest_file(graph, word);
    if (other)
        wf_error_set(error, "'%s' can be %s or %s; give more of the path", word, file, other);
    else if (!file && nearest)
        wf_error_set(error, "nothing is known of a source file '%s'; nearest: %s", word, nearest);
    else if (!file)
        wf_error_set(error, "this profile knows no source files; compile the program with -g");
    return other ? NULL : file;
}

/* ---- its text ---- */

static FILE *try_open(struct wf_listing *listing, const char *directory, const char *file)
{
    struct stat status;
    char *path;
    if (asprintf(&path, "%s%s%s", directory, *directory ? "/" : "", file) < 0)
        return NULL;
    FILE *in = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
    if (in) {
        listing->path = path;
        return in;
    }
    free(path);
    return NULL;
}

/* Below a directory the path may begin later: sources are built in one place and kept in another. */
static FILE *open_below(struct wf_listing *listing, const char *directory)
{
    FILE *in = NULL;
    for (const char *rest = listing->file; rest && !in; rest = strchr(rest, '/')) {
        rest += strspn(rest, "/");
        in = try_open(listing, directory, rest);
    }
    return in;
}

static int read_content(struct wf_listing *listing, FILE *in, struct wf_error *error)
{
    size_t bytes = 0;
    ssize_t got = getdelim(&listing->content, &bytes, 0, in);
    if (got < 0 && ferror(in))
        return wf_error_set(error, "cannot read '%s': %s; copy it to a local disk and try again",
                            listing->path, strerror(errno));
    if (got < 0) {
        free(listing->content);
        listing->content = wf_memory_text("");
    }
    return 0;
}

static int open_file(struct wf_listing *listing, const char *directory, struct wf_error *error)
{
    FILE *in = try_open(listing, "", listing->file);
    if (!in && directory)
        in = open_below(listing, directory);
    if (!in && directory)
        return wf_error_set(error, "cannot find '%s' here or below '%s'; say with --source-dir where it is",
                            listing->file, directory);
    if (!in)
        return wf_error_set(error, "cannot find '%s' here; say with --source-dir where it is", listing->file);
    int result = read_content(listing, in, error);
    fclose(in);
    return result;
}

static void split_lines(struct wf_listing *listing)
{
    char *rest = listing->content, *line;
    while ((line = strsep(&rest, "\n"))) {
        if (!rest && !*line) /* behind the last end of line */
            break;
        line[strcspn(line, "\r")] = 0;
        listing->lines = wf_memory_grow(listing->lines, listing->count, sizeof *listing->lines);
        listing->lines[listing->count++] = (struct wf_listing_line){.text = line};
    }
}

static bool is_newer(const struct wf_listing *listing, const struct wf_graph *graph)
{
    struct tm started = {0};
    struct stat status;
    if (!strptime(wf_program_text(&graph->overview->program, "started"), "%Y-%m-%dT%H:%M:%S", &started))
        return false;
    return stat(listing->path, &status) == 0 && status.st_mtim.tv_sec > timegm(&started);
}

/* ---- its figures ---- */

static bool is_in(const struct wf_listing *listing, const struct wf_node *node)
{
    return node->line > 0 && (size_t)node->line <= listing->count && !strcmp(node->file, listing->file);
}

/* Whether its time is part of that of something else that begins on the same line. */
static bool is_counted(const struct wf_graph *graph, const struct wf_node *node)
{
    for (int i = node->parent; i != WF_NO_NODE; i = graph->nodes[i].parent)
        if (graph->nodes[i].line == node->line && !strcmp(graph->nodes[i].file, node->file))
            return true;
    return false;
}

static void set_figures(struct wf_listing *listing, const struct wf_graph *graph)
{
    int64_t *most = wf_memory_array(listing->count + 1, sizeof *most);
    for (size_t i = 0; i < graph->count; i++) {
        const struct wf_node *node = &graph->nodes[i];
        if (!is_in(listing, node) || !wf_node_is_known(node) || is_counted(graph, node))
            continue;
        struct wf_listing_line *line = &listing->lines[node->line - 1];
        if (!line->known || node->shown.time_ns > most[node->line]) {
            most[node->line] = node->shown.time_ns;
            line->calls = node->shown.calls;
        }
        line->known = true;
        wf_sum_add(&line->time_ns, node->shown.time_ns);
    }
    free(most);
}

/* ---- what is shown of it ---- */

static size_t indent_of(const char *text)
{
    return strspn(text, " \t");
}

/* Whether a procedure whose first line is `head` can end here: with its brace, or with Fortran's END. */
static bool can_end(const char *text, const char *head)
{
    static const char *const units[] = {"", "subroutine", "function", "program", "procedure"};
    const char *word = text + indent_of(text);
    if (*word == '}')
        return indent_of(text) <= indent_of(head);
    if (strncasecmp(word, "end", 3) != 0)
        return false;
    word += 3 + indent_of(word + 3);
    size_t letters = 0;
    while (isalpha((unsigned char)word[letters]))
        letters++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i]) == letters && !strncasecmp(units[i], word, letters) && (letters || !*word))
            return true;
    return false;
}

/* Whether a procedure's first line is its last one, too. */
static bool is_whole(const char *text)
{
    const char *brace = strrchr(text, '}');
    return brace && strchr(text, '{') && !brace[1 + strspn(brace + 1, " \t")];
}

/* Only the first line of a procedure is known. It ends behind its last known statement, and before the next
 * one. */
static size_t last_line(const struct wf_listing *listing, const struct wf_graph *graph, int procedure)
{
    size_t head = (size_t)graph->nodes[procedure].line, from = head, to = listing->count;
    for (size_t i = 0; i < graph->count; i++) {
        const struct wf_node *node = &graph->nodes[i];
        if (!is_in(listing, node))
            continue;
        if (node->kind == WF_NODE_PROCEDURE && (size_t)node->line > head && (size_t)node->line - 1 < to)
            to = (size_t)node->line - 1;
        if (node->procedure == procedure && (size_t)node->line > from)
            from = (size_t)node->line;
    }
    if (from > to) /* a nested procedure */
        to = from;
    if (from == head && is_whole(listing->lines[head - 1].text))
        return head;
    for (size_t line = from; line <= to; line++)
        if (can_end(listing->lines[line - 1].text, listing->lines[head - 1].text))
            return line;
    return to;
}

static void show_procedures(struct wf_listing *listing, const struct wf_graph *graph, double least)
{
    for (size_t i = 0; i < graph->count; i++) {
        const struct wf_node *node = &graph->nodes[i];
        bool matters = node->kind == WF_NODE_PROCEDURE && is_in(listing, node) && wf_node_is_known(node) &&
                       (double)node->max_ns >= least * (double)graph->shown_ns;
        if (!matters)
            continue;
        size_t last = last_line(listing, graph, (int)i);
        for (size_t line = (size_t)node->line; line <= last; line++)
            listing->lines[line - 1].shown = true;
    }
}

/* A stretch that is no longer than this is not worth cutting. */
enum { SHORT_GAP = 2 };

static void close_gaps(struct wf_listing *listing)
{
    size_t gap = SHORT_GAP + 1; /* hidden lines since the last shown one; before the first, too many */
    for (size_t i = 0; i < listing->count; i++) {
        if (listing->lines[i].shown) {
            for (; gap > 0 && gap <= SHORT_GAP; gap--)
                listing->lines[i - gap].shown = true;
            gap = 0;
        } else {
            gap++;
        }
    }
}

/* Statements that are in no procedure that is known are shown alone. */
static void show_lines(struct wf_listing *listing, const struct wf_graph *graph, double least)
{
    if (least > 0)
        show_procedures(listing, graph, least);
    for (size_t i = 0; i < listing->count; i++) {
        struct wf_listing_line *line = &listing->lines[i];
        line->shown |=
            least == 0 || (line->known && (double)line->time_ns >= least * (double)graph->shown_ns);
    }
    close_gaps(listing);
}

int wf_listing_read(struct wf_listing *listing, const struct wf_graph *graph, const char *word,
                    const char *directory, double least, struct wf_error *error)
{
    *listing = (struct wf_listing){0};
    const char *file = choose_file(graph, word, error);
    if (!file)
        return -1;
    listing->file = wf_memory_text(file);
    if (open_file(listing, directory, error)) {
        wf_listing_free(listing);
        return -1;
    }
    listing->newer = is_newer(listing, graph);
    split_lines(listing);
    set_figures(listing, graph);
    show_lines(listing, graph, least);
    return 0;
}

void wf_listing_free(struct wf_listing *listing)
{
    free(listing->file);
    free(listing->path);
    free(listing->content);
    free(listing->lines);
    *listing = (struct wf_listing){0};
}
