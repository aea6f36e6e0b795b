/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/place.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/nearest.h"
#include "analyse/sum.h"
#include "analyse/word.h"

enum { SUGGESTIONS = 3 };

char *wf_place_text(const struct wf_statement *s)
{
    char *text;
    int length = s->line ? asprintf(&text, "%s:%" PRId64, s->file, s->line)
                         : asprintf(&text, "%s+0x%" PRIx64, wf_word_base_name(s->module), (uint64_t)s->offset);
    return length < 0 ? wf_memory_text(s->file) : text;
}

static bool place_matches(const struct wf_statement *s, const char *word, const struct wf_word *wanted)
{
    if (s->line && wanted->line >= 0 && s->line != wanted->line)
        return false;
    if (wf_word_path_ends(s->file, wanted->file))
        return s->line || wanted->line < 0;
    char *place = wf_place_text(s);
    bool same = !strcmp(place, word);
    free(place);
    return same;
}

/* How far a statement is from the wanted place: another file is always farther than another line. */
static int64_t place_distance(const struct wf_statement *s, const struct wf_word *wanted)
{
    int64_t lines = wanted->line >= 0 ? wf_sum_distance(s->line, wanted->line, INT_MAX) : 0;
    if (s->line && wf_word_path_ends(s->file, wanted->file))
        return lines;
    int letters =
        wf_nearest_distance(wf_word_base_name(s->line ? s->file : s->module), wf_word_base_name(wanted->file));
    return ((int64_t)letters + 1) * INT_MAX + lines;
}

static bool place_is_named(char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* The nearest place that is not yet among the names, or NULL. */
static char *place_next_nearest(const struct wf_statement_list *list, const struct wf_word *wanted, char *const *names,
                                int count)
{
    char *best = NULL;
    int64_t best_distance = INT64_MAX;
    for (size_t i = 0; i < list->count; i++) {
        int64_t far = place_distance(&list->items[i], wanted);
        if (far >= best_distance)
            continue;
        char *name = wf_place_text(&list->items[i]);
        if (place_is_named(names, count, name)) {
            free(name);
            continue;
        }
        free(best);
        best = name;
        best_distance = far;
    }
    return best;
}

static void place_explain(const struct wf_statement_list *list, const char *word, const struct wf_word *wanted,
                          struct wf_error *error)
{
    char *names[SUGGESTIONS];
    int count = 0;
    while (count < SUGGESTIONS && (names[count] = place_next_nearest(list, wanted, names, count)))
        count++;
    if (count == 0)
        wf_error_set(error, "no communication statement at '%s': this program called no MPI function that was watched",
                     word);
    else
        wf_error_set(error, "no communication statement at '%s'; nearest: %s%s%s%s%s", word, names[0],
                     count > 1 ? ", " : "", count > 1 ? names[1] : "", count > 2 ? ", " : "",
                     count > 2 ? names[2] : "");
    for (int i = 0; i < count; i++)
        free(names[i]);
}

int *wf_place_find(const struct wf_statement_list *list, const char *word, struct wf_error *error)
{
    struct wf_word wanted = wf_word_parse(word);
    int *found = wf_memory_array(list->count + 1, sizeof *found), count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (place_matches(&list->items[i], word, &wanted))
            found[count++] = (int)i;
    found[count] = -1;
    if (count == 0) {
        place_explain(list, word, &wanted, error);
        free(found);
        found = NULL;
    }
    wf_word_free(&wanted);
    return found;
}
