/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "cli/command.h"
#include "cli/doctor.h"
#include "present/json.h"
#include "present/page.h"
#include "present/text.h"

struct doctor_options {
    bool json;
    long long width;
};

static const struct wf_option options[] = {
    {"json", 0, WF_OPTION_FLAG, NULL, NULL, "Print the findings as JSON.", offsetof(struct doctor_options, json)},
    {"width", 0, WF_OPTION_NUMBER, "72..1000", NULL,
     "Print for this number of columns instead of the terminal's width.", offsetof(struct doctor_options, width)},
    {0},
};

static int cmd_doctor_run(int argc, char **argv);

const struct wf_command wf_command_doctor = {
    .name = "doctor",
    .usage = "[options]",
    .summary = "check what this machine offers and what is missing",
    .description = "Checks the MPI libraries, compilers, kernel settings, limits and environment variables of this "
                   "machine. For each it says whether weft can work with it, and if not, what to do. weft's library "
                   "for each MPI library is loaded once, in a process of its own, to test whether it works. Nothing is "
                   "changed.",
    .examples = "weft doctor         # check everything\n"
                "weft doctor --json | jq '.findings[] | select(.health != \"ok\")'  # only the problems",
    .options = options,
    .run = cmd_doctor_run,
    .exit_status = "0   # weft can watch programs of at least one MPI library\n"
                   "1   # weft cannot watch any MPI program\n"
                   "2   # the command line is wrong",
};

/* All checks, in the order of printing. */
static const struct {
    const char *section;
    void (*look)(struct wf_doctor *);
} checks[] = {
    {"MPI libraries", wf_doctor_check_mpi},
    {"Compilers", wf_doctor_check_compilers},
    {"Debug information", wf_doctor_check_debug_info},
    {"Clock and kernel", wf_doctor_check_clock},
    {"Clock and kernel", wf_doctor_check_kernel},
    {"Clock and kernel", wf_doctor_check_cores},
    {"Limits", wf_doctor_check_limits},
    {"Limits", wf_doctor_check_space},
    {"Environment", wf_doctor_check_variables},
    {"Environment", wf_doctor_check_launcher},
    {"Environment", wf_doctor_check_terminal},
};

static const struct {
    const char *name;
    enum wf_style style;
} healths[] = {
    [WF_HEALTH_OK] = {"ok", WF_GOOD},
    [WF_HEALTH_NOTE] = {"note", WF_WARN},
    [WF_HEALTH_MISSING] = {"missing", WF_BAD},
};

void wf_doctor_add(struct wf_doctor *doctor, enum wf_health health, const char *subject, const char *advice,
                   const char *format, ...)
{
    char *found;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&found, format, arguments) < 0)
        found = wf_memory_text("");
    va_end(arguments);
    doctor->findings = wf_memory_grow(doctor->findings, doctor->count, sizeof *doctor->findings);
    doctor->findings[doctor->count++] = (struct wf_finding){.section = doctor->section,
                                                            .health = health,
                                                            .subject = wf_memory_text(subject),
                                                            .found = found,
                                                            .advice = wf_memory_text(advice)};
}

static void cmd_doctor_free_findings(struct wf_doctor *doctor)
{
    for (size_t i = 0; i < doctor->count; i++) {
        free(doctor->findings[i].subject);
        free(doctor->findings[i].found);
        free(doctor->findings[i].advice);
    }
    free(doctor->findings);
}

/* ---- text ---- */

enum { HEALTH_COLUMNS = 7, WIDEST_SUBJECT = 20 };

static void cmd_doctor_print_finding(struct wf_page *page, const struct wf_finding *finding, int subject_columns)
{
    int rest = subject_columns - wf_text_columns(finding->subject),
        indent = 2 + HEALTH_COLUMNS + 2 + subject_columns + 2;
    fputs("  ", page->out);
    wf_page_print(page, healths[finding->health].style, "%-*s", HEALTH_COLUMNS, healths[finding->health].name);
    fprintf(page->out, "  %s%*s", finding->subject, rest > 0 ? rest + 2 : 2, "");
    wf_page_wrap_at(page, WF_PLAIN, rest < 0 ? indent - rest : indent, "%s", finding->found);
    if (!*finding->advice)
        return;
    int arrow = wf_text_columns(page->glyphs->to) + 1;
    fprintf(page->out, "%*s%s ", indent, "", page->glyphs->to);
    wf_page_wrap_at(page, WF_PLAIN, indent + arrow, "%s", finding->advice);
}

static void cmd_doctor_print_text(const struct wf_doctor *doctor, long long width)
{
    struct wf_page page;
    const char *section = "";
    int columns = 0;
    wf_page_init(&page, stdout, width);
    for (size_t i = 0; i < doctor->count; i++) {
        int wanted = wf_text_columns(doctor->findings[i].subject);
        columns = wanted > columns && wanted <= WIDEST_SUBJECT ? wanted : columns;
    }
    for (size_t i = 0; i < doctor->count; i++) {
        if (strcmp(section, doctor->findings[i].section) != 0)
            wf_page_heading(&page, "%s", section = doctor->findings[i].section);
        cmd_doctor_print_finding(&page, &doctor->findings[i], columns);
    }
    fputc('\n', stdout);
    if (doctor->watchable)
        wf_page_wrap(&page, WF_GOOD, "", "Ready: weft can watch programs of %d MPI librar%s here.", doctor->watchable,
                     doctor->watchable == 1 ? "y" : "ies");
    else
        wf_page_wrap(&page, WF_BAD, "",
                     "Not ready: weft cannot watch any MPI program here; the findings above show what is missing.");
}

/* ---- JSON ---- */

static void cmd_doctor_print_json(const struct wf_doctor *doctor)
{
    json_t *root = json_object(), *findings = json_array();
    for (size_t i = 0; i < doctor->count; i++) {
        const struct wf_finding *f = &doctor->findings[i];
        json_t *object = json_object();
        wf_json_set_text(object, "section", f->section);
        wf_json_set_text(object, "health", healths[f->health].name);
        wf_json_set_text(object, "subject", f->subject);
        wf_json_set_text(object, "found", f->found);
        wf_json_set_text(object, "advice", f->advice);
        json_array_append_new(findings, object);
    }
    wf_json_set(root, "watchable", doctor->watchable);
    json_object_set_new(root, "findings", findings);
    json_dumpf(root, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
    putchar('\n');
    json_decref(root);
}

static int cmd_doctor_run(int argc, char **argv)
{
    struct doctor_options values = {false, 0};
    struct wf_doctor doctor = {0};
    int status, first = wf_command_parse(&wf_command_doctor, argc, argv, false, &values, &status);
    if (first < 0)
        return status;
    if (first < argc)
        return wf_command_misused(&wf_command_doctor, "there is no argument '%s'", argv[first]);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        doctor.section = checks[i].section;
        checks[i].look(&doctor);
    }
    if (values.json)
        cmd_doctor_print_json(&doctor);
    else
        cmd_doctor_print_text(&doctor, values.width);
    cmd_doctor_free_findings(&doctor);
    return doctor.watchable ? WF_EXIT_OK : WF_EXIT_FAILED;
}
