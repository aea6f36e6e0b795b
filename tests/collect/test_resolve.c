/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Addresses of real programs, built in many ways, are found in their text.
 */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/resolve.h"
#include "fixture_calls.h"

static struct fixture_call calls[64];

static size_t run_fixture(const char *command)
{
    size_t count = fixture_calls_run(command, calls, sizeof calls / sizeof *calls);
    if (count == 0) {
        print_message("%s was not built: its compiler is not installed\n", command);
        skip();
    }
    return count;
}

static struct wf_resolver *open_resolver(const char *path)
{
    struct wf_resolver *resolver = NULL;
    assert_int_equal(wf_resolver_open(path, NULL, 0, &resolver), WF_RESOLVER_OK);
    return resolver;
}

/* Every call is where it says it is. */
static void expect_all_found(const char *command)
{
    size_t count = run_fixture(command);
    for (size_t i = 0; i < count; i++) {
        struct wf_location location;
        struct wf_resolver *resolver = open_resolver(calls[i].module);
        wf_resolver_locate(resolver, calls[i].offset, &location);
        assert_non_null(location.file);
        assert_string_equal(location.file, calls[i].file);
        assert_int_equal(location.line, calls[i].line);
        assert_non_null(location.procedure);
        assert_string_equal(location.procedure, calls[i].procedure);
        assert_non_null(location.procedure_file);
        assert_true(location.procedure_line > 0 && location.procedure_line < location.line);
        wf_resolver_close(resolver);
    }
}

static void a_position_independent_executable(void **state)
{
    (void)state;
    expect_all_found(FIXTURES "/pie " FIXTURES "/libsolver.so");
}

static void an_executable_at_a_fixed_address(void **state)
{
    (void)state;
    expect_all_found(FIXTURES "/no_pie " FIXTURES "/libsolver.so");
}

static void an_executable_with_dwarf_4(void **state)
{
    (void)state;
    expect_all_found(FIXTURES "/dwarf4");
}

static void a_source_given_by_its_absolute_path(void **state)
{
    (void)state;
    /* With an argument it also calls from a header; clang makes the header's path relative again, whatever it was
     * given. */
    expect_all_found(FIXTURES_BY_GCC ? FIXTURES "/absolute x 2>/dev/null" : FIXTURES "/absolute");
    assert_string_equal(calls[0].file, FIXTURE_SOURCE "/calls.c");
}

static void an_executable_of_clang_without_aranges(void **state)
{
    (void)state;
    expect_all_found(FIXTURES "/clang");
}

static void debug_information_in_a_file_of_its_own(void **state)
{
    (void)state;
    expect_all_found(FIXTURES "/separate");
}

static void procedures_of_cxx_are_qualified(void **state)
{
    (void)state;
    expect_all_found(FIXTURES "/grid");
}

static void procedures_of_fortran_modules(void **state)
{
    (void)state;
    expect_all_found(FIXTURES "/ocean");
}

static const struct fixture_call *find_call(size_t count, const char *procedure)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(calls[i].procedure, procedure) == 0)
            return &calls[i];
    fail_msg("no call from %s", procedure);
    return NULL;
}

static void an_inlined_procedure_is_the_innermost_and_has_its_own_declaration(void **state)
{
    (void)state;
    size_t count = run_fixture(FIXTURES "/pie x 2>/dev/null");
    struct wf_resolver *resolver = open_resolver(FIXTURES "/pie");
    struct wf_location location;
    wf_resolver_locate(resolver, find_call(count, "halo_fill")->offset, &location);
    assert_string_equal(location.procedure, "halo_fill");
    assert_string_equal(location.procedure_file, "include/halo.h");
    assert_int_equal(location.procedure_line, 7);
    assert_string_equal(location.full_file, FIXTURE_SOURCE "/include/halo.h");
    wf_resolver_close(resolver);
}

static void without_debug_information_the_symbol_is_left(void **state)
{
    (void)state;
    size_t count = run_fixture(FIXTURES "/no_debug");
    struct wf_resolver *resolver = open_resolver(FIXTURES "/no_debug");
    struct wf_location location;
    wf_resolver_locate(resolver, find_call(count, "exchange")->offset, &location);
    assert_null(location.file);
    assert_int_equal(location.line, 0);
    assert_string_equal(location.procedure, "step"); /* it was inlined, and no symbol knows that */
    wf_resolver_close(resolver);
}

static void without_symbols_nothing_is_invented(void **state)
{
    (void)state;
    size_t count = run_fixture(FIXTURES "/stripped");
    struct wf_resolver *resolver = open_resolver(FIXTURES "/stripped");
    struct wf_location location;
    wf_resolver_locate(resolver, find_call(count, "step")->offset, &location);
    assert_null(location.file);
    assert_null(location.procedure);
    wf_resolver_close(resolver);
}

static void a_symbol_of_cxx_is_demangled_where_possible(void **state)
{
    (void)state;
    size_t count = run_fixture(FIXTURES "/grid_no_debug");
    struct wf_resolver *resolver = open_resolver(FIXTURES "/grid_no_debug");
    struct wf_location location;
    wf_resolver_locate(resolver, find_call(count, "physics::Solver::run")->offset, &location);
    assert_string_equal(location.procedure, "physics::Solver::run()");
    wf_resolver_close(resolver);
}

static void an_address_outside_the_module_finds_nothing(void **state)
{
    (void)state;
    struct wf_resolver *resolver = open_resolver(FIXTURES "/pie");
    static const uint64_t offsets[] = {0, 1, 0xffffff, UINT64_MAX, 0x7fffffffffff};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        struct wf_location location;
        wf_resolver_locate(resolver, offsets[i], &location);
        assert_null(location.file);
    }
    wf_resolver_close(resolver);
}

static void a_file_with_another_build_id_is_not_used(void **state)
{
    (void)state;
    struct wf_resolver *resolver = NULL;
    assert_int_equal(wf_resolver_open(FIXTURES "/pie", (const unsigned char *)"another", 7, &resolver),
                     WF_RESOLVER_CHANGED);
    assert_null(resolver);
}

static void what_is_no_executable_is_not_used(void **state)
{
    (void)state;
    struct wf_resolver *resolver = NULL;
    assert_int_equal(wf_resolver_open("/nowhere/at/all", NULL, 0, &resolver), WF_RESOLVER_MISSING);
    assert_int_equal(wf_resolver_open(FIXTURES, NULL, 0, &resolver), WF_RESOLVER_MISSING);
    assert_int_equal(wf_resolver_open(FIXTURE_SOURCE "/calls.c", NULL, 0, &resolver), WF_RESOLVER_NO_ELF);
    assert_null(resolver);
}

static void no_server_is_asked_meanwhile(void **state)
{
    (void)state;
    setenv("DEBUGINFOD_URLS", "http://localhost:1/", 1);
    wf_resolver_stay_offline();
    assert_null(getenv("DEBUGINFOD_URLS"));
    wf_resolver_go_online();
    assert_string_equal(getenv("DEBUGINFOD_URLS"), "http://localhost:1/");
    unsetenv("DEBUGINFOD_URLS");
    wf_resolver_stay_offline();
    wf_resolver_go_online();
    assert_null(getenv("DEBUGINFOD_URLS"));
}

/* ---- work ---- */

enum { PROCEDURES = 1000 }; /* of fixtures/crowd.c */

int __real_dwarf_child(void *die, void *result);
int __real_dwarf_siblingof(void *die, void *result);
int __real_dwarf_getscopes(void *unit, unsigned long address, void *scopes);
int __real_dwarf_getscopes_die(void *die, void *scopes);
int __wrap_dwarf_child(void *die, void *result);
int __wrap_dwarf_siblingof(void *die, void *result);
int __wrap_dwarf_getscopes(void *unit, unsigned long address, void *scopes);
int __wrap_dwarf_getscopes_die(void *die, void *scopes);

static long steps; /* through the tree of a unit */

int __wrap_dwarf_child(void *die, void *result)
{
    steps++;
    return __real_dwarf_child(die, result);
}

int __wrap_dwarf_siblingof(void *die, void *result)
{
    steps++;
    return __real_dwarf_siblingof(die, result);
}

/* The next two walk through the unit until they have found it. */
int __wrap_dwarf_getscopes(void *unit, unsigned long address, void *scopes)
{
    steps += PROCEDURES;
    return __real_dwarf_getscopes(unit, address, scopes);
}

int __wrap_dwarf_getscopes_die(void *die, void *scopes)
{
    steps += PROCEDURES;
    return __real_dwarf_getscopes_die(die, scopes);
}

static void a_thousand_procedures_are_found_in_one_walk(void **state)
{
    (void)state;
    char name[128] = "", expected[32];
    struct wf_resolver *resolver;
    struct wf_location location;
    size_t count = run_fixture(FIXTURES "/crowd");
    int number = 0;
    assert_int_equal(count, 2);
    resolver = open_resolver(calls[0].module);
    steps = 0;
    for (unsigned long offset = calls[0].offset; offset <= calls[1].offset; offset++) {
        wf_resolver_locate(resolver, offset, &location);
        if (!location.procedure || strcmp(location.procedure, name) == 0) /* between two there may be nothing */
            continue;
        snprintf(name, sizeof name, "%s", location.procedure);
        snprintf(expected, sizeof expected, "crowd_%03d", number++);
        assert_string_equal(name, expected);
    }
    wf_resolver_close(resolver);
    assert_int_equal(number, PROCEDURES);
    assert_in_range(steps, PROCEDURES, 20 * PROCEDURES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_position_independent_executable),
        cmocka_unit_test(an_executable_at_a_fixed_address),
        cmocka_unit_test(an_executable_with_dwarf_4),
        cmocka_unit_test(a_source_given_by_its_absolute_path),
        cmocka_unit_test(an_executable_of_clang_without_aranges),
        cmocka_unit_test(debug_information_in_a_file_of_its_own),
        cmocka_unit_test(procedures_of_cxx_are_qualified),
        cmocka_unit_test(procedures_of_fortran_modules),
        cmocka_unit_test(an_inlined_procedure_is_the_innermost_and_has_its_own_declaration),
        cmocka_unit_test(without_debug_information_the_symbol_is_left),
        cmocka_unit_test(without_symbols_nothing_is_invented),
        cmocka_unit_test(a_symbol_of_cxx_is_demangled_where_possible),
        cmocka_unit_test(an_address_outside_the_module_finds_nothing),
        cmocka_unit_test(a_file_with_another_build_id_is_not_used),
        cmocka_unit_test(what_is_no_executable_is_not_used),
        cmocka_unit_test(no_server_is_asked_meanwhile),
        cmocka_unit_test(a_thousand_procedures_are_found_in_one_walk),
    };
    return cmocka_run_group_tests_name("resolve", tests, NULL, NULL);
}
