/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parser of command lines, with a command of its own. What it prints is tested by test_command_line.sh.
 */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

struct values {
    bool quiet, loud;
    const char *output, *order;
    long long number, size;
};

static const struct wf_option options[] = {
    {"quiet", 'q', WF_OPTION_FLAG, NULL, "WEFT_T_QUIET", "", offsetof(struct values, quiet)},
    {"loud", 'l', WF_OPTION_FLAG, NULL, NULL, "", offsetof(struct values, loud)},
    {"output", 'o', WF_OPTION_TEXT, "FILE", "WEFT_T_OUTPUT", "", offsetof(struct values, output)},
    {"order", 0, WF_OPTION_CHOICE, "this|that", NULL, "", offsetof(struct values, order)},
    {"number", 'n', WF_OPTION_NUMBER, "N", "WEFT_T_NUMBER", "", offsetof(struct values, number)},
    {"size", 0, WF_OPTION_SIZE, "BYTES", "WEFT_T_SIZE", "", offsetof(struct values, size)},
    {"width", 0, WF_OPTION_NUMBER, "72..1000", NULL, "", offsetof(struct values, number)},
    {"parts", 0, WF_OPTION_NUMBER, "1..", NULL, "", offsetof(struct values, number)},
    {"room", 0, WF_OPTION_SIZE, "64K..4G", "WEFT_T_ROOM", "", offsetof(struct values, size)},
    {0},
};
static const struct wf_command command = {
    .name = "test", .usage = "", .summary = "", .description = "", .options = options};
const struct wf_command wf_command_weft = {.name = "weft", .usage = "", .summary = "", .description = ""};
const struct wf_command *const wf_commands[] = {&command, NULL};

/* One parsed command line: its words are separated by blanks. */
struct parsed {
    struct values values;
    int first, status, argc;
    char line[256], *argv[32];
};

static struct parsed *parse(struct parsed *p, bool stop_at_word, const char *line)
{
    *p = (struct parsed){.status = 77};
    snprintf(p->line, sizeof p->line, "test %s", line);
    for (char *word = strtok(p->line, " "); word; word = strtok(NULL, " "))
        p->argv[p->argc++] = word;
    p->first = wf_command_parse(&command, p->argc, p->argv, stop_at_word, &p->values, &p->status);
    return p;
}

static void assert_words(const struct parsed *p, const char *wanted)
{
    char words[256] = "";
    for (int i = p->first; i < p->argc; i++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", *words ? " " : "", p->argv[i]);
    assert_string_equal(words, wanted);
}

static void words_and_options_mix(void **state)
{
    struct parsed p;
    (void)state;
    parse(&p, false, "a --quiet b --output x c");
    assert_true(p.values.quiet);
    assert_string_equal(p.values.output, "x");
    assert_words(&p, "a b c");
    parse(&p, false, "a -- --quiet -o");
    assert_false(p.values.quiet);
    assert_words(&p, "a --quiet -o");
    parse(&p, false, "- -q");
    assert_true(p.values.quiet);
    assert_words(&p, "-");
    parse(&p, false, "");
    assert_words(&p, "");
}

static void a_program_keeps_its_options(void **state)
{
    struct parsed p;
    (void)state;
    parse(&p, true, "-q mpirun -n 4 --quiet ./app -o x");
    assert_true(p.values.quiet);
    assert_null(p.values.output);
    assert_int_equal(p.values.number, 0);
    assert_words(&p, "mpirun -n 4 --quiet ./app -o x");
    parse(&p, true, "--output=x -- -odd --quiet");
    assert_words(&p, "-odd --quiet");
    parse(&p, true, "./app -- x");
    assert_words(&p, "./app -- x");
}

static void values_come_in_all_spellings(void **state)
{
    static const char *const lines[] = {"--number 7", "--number=7",           "-n 7", "-n7", "-qn7",
                                        "-ql -n 7",   "--number 3 --number 7"};
    struct parsed p;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_int_equal(parse(&p, false, lines[i])->values.number, 7);
    assert_string_equal(parse(&p, false, "--output=")->values.output, "");
    assert_string_equal(parse(&p, false, "--output=a=b")->values.output, "a=b");
    assert_string_equal(parse(&p, false, "--output --quiet")->values.output, "--quiet");
    assert_string_equal(parse(&p, false, "--order that")->values.order, "that");
}

static void sizes_have_units(void **state)
{
    struct parsed p;
    (void)state;
    assert_int_equal(parse(&p, false, "--size 4096")->values.size, 4096);
    assert_int_equal(parse(&p, false, "--size 64K")->values.size, 65536);
    assert_int_equal(parse(&p, false, "--size 16m")->values.size, 16 << 20);
    assert_int_equal(parse(&p, false, "--size 2G")->values.size, 2LL << 30);
    assert_int_equal(parse(&p, false, "--size 0")->values.size, 0);
}

static void wrong_lines_are_refused(void **state)
{
    static const char *const lines[] = {
        "--size 1T", "--size 64KB", "--size K",    "--size -1",   "--size 9999999999G", "--number 0x10",
        "--number",  "-n",          "--number +3", "--number 1K", "--quiet=1",          "--unknown",
        "-z",        "-qz",         "--order",     "--order=",    "--order thi",        "--order this|that",
        "--=x",      "--output",    "--quie"};
    struct parsed p;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        parse(&p, false, lines[i]);
        if (p.first != -1 || p.status != WF_EXIT_USAGE)
            fail_msg("accepted: %s", lines[i]);
    }
}

static void numbers_stay_in_their_range(void **state)
{
    static const char *const right[] = {"--width 72", "--width=1000", "--parts 1", "--parts 9223372036854775807",
                                        "--room 64K", "--room 65536", "--room 4G"},
                             *const wrong[] = {
                                 "--width 71", "--width=1001", "--width 0", "--parts 0", "--parts 9223372036854775808",
                                 "--room 63K", "--room 5G",    "--room 1"};
    struct parsed p;
    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        assert_int_equal(parse(&p, false, right[i])->status, 77);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(parse(&p, false, wrong[i])->first, -1);
        assert_int_equal(p.status, WF_EXIT_USAGE);
        assert_true(p.values.number == 0 && p.values.size == 0);
    }
}

static void help_is_a_success(void **state)
{
    static const char *const lines[] = {"--help", "-h", "-qh", "--quiet --help", "word --help"};
    struct parsed p;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        parse(&p, false, lines[i]);
        assert_int_equal(p.first, -1);
        assert_int_equal(p.status, WF_EXIT_OK);
    }
    assert_int_equal(parse(&p, true, "./app --help")->first, 1);
}

static void variables_stand_in(void **state)
{
    static const char *const yes[] = {"1", "yes", "ON", "true"}, *const no[] = {"0", "no", "Off", "false",
                                                                                ""};
    struct parsed p;
    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        setenv("WEFT_T_QUIET", yes[i], 1);
        assert_true(parse(&p, false, "")->values.quiet);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        setenv("WEFT_T_QUIET", no[i], 1);
        assert_false(parse(&p, false, "")->values.quiet);
        assert_true(parse(&p, false, "-q")->values.quiet);
    }
    setenv("WEFT_T_QUIET", "perhaps", 1);
    assert_int_equal(parse(&p, false, "")->status, WF_EXIT_USAGE);
    unsetenv("WEFT_T_QUIET");
    setenv("WEFT_T_NUMBER", "5", 1);
    assert_int_equal(parse(&p, false, "")->values.number, 5);
    assert_int_equal(parse(&p, false, "-n 6")->values.number, 6);
    setenv("WEFT_T_NUMBER", "five", 1);
    assert_int_equal(parse(&p, false, "")->first, -1);
    assert_int_equal(parse(&p, false, "-n 6")->values.number, 6);
    unsetenv("WEFT_T_NUMBER");
    setenv("WEFT_T_SIZE", "1K", 1);
    assert_int_equal(parse(&p, false, "")->values.size, 1024);
    unsetenv("WEFT_T_SIZE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_options_mix),        cmocka_unit_test(a_program_keeps_its_options),
        cmocka_unit_test(values_come_in_all_spellings), cmocka_unit_test(sizes_have_units),
        cmocka_unit_test(wrong_lines_are_refused),      cmocka_unit_test(help_is_a_success),
        cmocka_unit_test(variables_stand_in),           cmocka_unit_test(numbers_stay_in_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
