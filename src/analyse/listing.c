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

static bool node_is_source(const struct wf_node *node)
{
    return *node->file && node->line > 0;
}

/* The first file that the word means and that is not `except`; NULL if there is none. */
static const char *listing_find_file(const struct wf_graph *graph, const char *word, const char *except)
{
    for (size_t i = 0; i < graph->count; i++) {
        const struct wf_node *node = &graph->nodes[i];
        if (node_is_source(node) && wf_word_path_ends(node->file, word) && !(except && !strcmp(node->file, except)))
            return node->file;
    }
    return NULL;
}

static const char *listing_nearest_file(const struct wf_graph *graph, const char *word)
{
    const char *nearest = NULL;
    int least = 0;
    for (size_t i = 0; i < graph->count; i++) {
        if (!node_is_source(&graph->nodes[i]))
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

static const char *listing_choose_file(const struct wf_graph *graph, const char *word, struct wf_error *error)
{
    for (size_t i = 0; i < graph->count; i++)
        if (node_is_source(&graph->nodes[i]) && !strcmp(graph->nodes[i].file, word))
            return graph->nodes[i].file;
    const char *file = listing_find_file(graph, word, NULL),
               *other = file ? listing_find_file(graph, word, file) : NULL;
    const char *nearest = listing_nearest_file(graph, word);
    if (other)
        wf_error_set(error, "'%s' can be %s or %s; give more of the path", word, file, other);
    else if (!file && nearest)
        wf_error_set(error, "this profile has no source file '%s'; nearest: %s", word, nearest);
    else if (!file)
        wf_error_set(error, "this profile has no source files; compile the program with -g");
    return other ? NULL : file;
}

/* ---- its text ---- */

static FILE *listing_try_open(struct wf_listing *listing, const char *directory, const char *file)
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

/* Below a directory, leading parts of the path may be missing: sources are built in one place and kept in another. */
static FILE *listing_open_below(struct wf_listing *listing, const char *directory)
{
    FILE *in = NULL;
    for (const char *rest = listing->file; rest && !in; rest = strchr(rest, '/')) {
        rest += strspn(rest, "/");
        in = listing_try_open(listing, directory, rest);
    }
    return in;
}

static int listing_read_content(struct wf_listing *listing, FILE *in, struct wf_error *error)
{
    size_t bytes = 0;
    ssize_t got = getdelim(&listing->content, &bytes, 0, in);
    if (got < 0 && ferror(in))
        return wf_error_set(error, "cannot read '%s': %s; copy it to a local disk and try again", listing->path,
                            strerror(errno));
    if (got < 0) {
        free(listing->content);
        listing->content = wf_memory_text("");
    }
    return 0;
}

static int listing_open(struct wf_listing *listing, const char *directory, struct wf_error *error)
{
    FILE *in = listing_try_open(listing, "", listing->file);
    if (!in && directory)
        in = listing_open_below(listing, directory);
    if (!in && directory)
        return wf_error_set(error, "cannot find '%s' here or below '%s'; give its directory with --source-dir",
                            listing->file, directory);
    if (!in)
        return wf_error_set(error, "cannot find '%s' here; give its directory with --source-dir", listing->file);
    int result = listing_read_content(listing, in, error);
    fclose(in);
    return result;
}

static void listing_split_lines(struct wf_listing *listing)
{
    char *rest = listing->content, *line;
    while ((line = strsep(&rest, "\n"))) {
        if (!rest && !*line) /* after the last end of line */
            break;
        line[strcspn(line, "\r")] = 0;
        listing->lines = wf_memory_grow(listing->lines, listing->count, sizeof *listing->lines);
        listing->lines[listing->count++] = (struct wf_listing_line){.text = line};
    }
}

static bool listing_is_newer(const struct wf_listing *listing, const struct wf_graph *graph)
{
    struct tm started = {0};
    struct stat status;
    if (!strptime(wf_program_text(&graph->overview->program, "started"), "%Y-%m-%dT%H:%M:%S", &started))
        return false;
    return stat(listing->path, &status) == 0 && status.st_mtim.tv_sec > timegm(&started);
}

/* ---- its figures ---- */

static bool listing_holds(const struct wf_listing *listing, const struct wf_node *node)
{
    return node->line > 0 && (size_t)node->line <= listing->count && !strcmp(node->file, listing->file);
}

/* Whether its time is part of the time of another node that begins on the same line. */
static bool listing_is_counted(const struct wf_graph *graph, const struct wf_node *node)
{
    for (int i = node->parent; i != WF_NO_NODE; i = graph->nodes[i].parent)
        if (graph->nodes[i].line == node->line && !strcmp(graph->nodes[i].file, node->file))
            return true;
    return false;
}

static void listing_set_figures(struct wf_listing *listing, const struct wf_graph *graph)
{
    int64_t *most = wf_memory_array(listing->count + 1, sizeof *most);
    for (size_t i = 0; i < graph->count; i++) {
        const struct wf_node *node = &graph->nodes[i];
        if (!listing_holds(listing, node) || !wf_node_is_known(node) || listing_is_counted(graph, node))
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

/* ---- which lines are shown ---- */

static size_t listing_line_indent(const char *text)
{
    return strspn(text, " \t");
}

/* Whether a procedure whose first line is `head` can end here: with its brace, or with Fortran's END. */
static bool listing_line_can_end(const char *text, const char *head)
{
    static const char *const units[] = {"", "subroutine", "function", "program", "procedure"};
    const char *word = text + listing_line_indent(text);
    if (*word == '}')
        return listing_line_indent(text) <= listing_line_indent(head);
    if (strncasecmp(word, "end", 3) != 0)
        return false;
    word += 3 + listing_line_indent(word + 3);
    size_t letters = 0;
    while (isalpha((unsigned char)word[letters]))
        letters++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i]) == letters && !strncasecmp(units[i], word, letters) && (letters || !*word))
            return true;
    return false;
}

/* Whether a procedure's first line is also its last. */
static bool listing_line_is_whole(const char *text)
{
    const char *brace = strrchr(text, '}');
    return brace && strchr(text, '{') && !brace[1 + strspn(brace + 1, " \t")];
}

/* Only the first line of a procedure is known. It ends after its last known statement, and before the next
 * procedure. */
static size_t listing_last_line(const struct wf_listing *listing, const struct wf_graph *graph, int procedure)
{
    size_t head = (size_t)graph->nodes[procedure].line, from = head, to = listing->count;
    for (size_t i = 0; i < graph->count; i++) {
        const struct wf_node *node = &graph->nodes[i];
        if (!listing_holds(listing, node))
            continue;
        if (node->kind == WF_NODE_PROCEDURE && (size_t)node->line > head && (size_t)node->line - 1 < to)
            to = (size_t)node->line - 1;
        if (node->procedure == procedure && (size_t)node->line > from)
            from = (size_t)node->line;
    }
    if (from > to) /* a nested procedure */
        to = from;
    if (from == head && listing_line_is_whole(listing->lines[head - 1].text))
        return head;
    for (size_t line = from; line <= to; line++)
        if (listing_line_can_end(listing->lines[line - 1].text, listing->lines[head - 1].text))
            return line;
    return to;
}

static void listing_show_procedures(struct wf_listing *listing, const struct wf_graph *graph, double least)
{
    for (size_t i = 0; i < graph->count; i++) {
        const struct wf_node *node = &graph->nodes[i];
        bool matters = node->kind == WF_NODE_PROCEDURE && listing_holds(listing, node) && wf_node_is_known(node) &&
                       (double)node->max_ns >= least * (double)graph->shown_ns;
        if (!matters)
            continue;
        size_t last = listing_last_line(listing, graph, (int)i);
        for (size_t line = (size_t)node->line; line <= last; line++)
            listing->lines[line - 1].shown = true;
    }
}

/* So few hidden lines are shown after all. */
enum { SHORT_GAP = 2 };

static void listing_close_gaps(struct wf_listing *listing)
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

/* Statements outside of known procedures are shown alone. */
static void listing_show_lines(struct wf_listing *listing, const struct wf_graph *graph, double least)
{
    if (least > 0)
        listing_show_procedures(listing, graph, least);
    for (size_t i = 0; i < listing->count; i++) {
        struct wf_listing_line *line = &listing->lines[i];
        line->shown |= least == 0 || (line->known && (double)line->time_ns >= least * (double)graph->shown_ns);
    }
    listing_close_gaps(listing);
}

int wf_listing_read(struct wf_listing *listing, const struct wf_graph *graph, const char *word, const char *directory,
                    double least, struct wf_error *error)
{
    *listing = (struct wf_listing){0};
    const char *file = listing_choose_file(graph, word, error);
    if (!file)
        return -1;
    listing->file = wf_memory_text(file);
    if (listing_open(listing, directory, error)) {
        wf_listing_free(listing);
        return -1;
    }
    listing->newer = listing_is_newer(listing, graph);
    listing_split_lines(listing);
    listing_set_figures(listing, graph);
    listing_show_lines(listing, graph, least);
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
