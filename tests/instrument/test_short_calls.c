/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of short calls is sorted, and finds names in all their forms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "instrument/short_calls.h"

static void the_table_is_sorted(void **state)
{
    (void)state;
    for (size_t i = 1; i < wf_short_call_count; i++)
        if (strcmp(wf_short_calls[i - 1], wf_short_calls[i]) >= 0)
            fail_msg("%s does not belong before %s", wf_short_calls[i - 1], wf_short_calls[i]);
}

static void every_entry_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < wf_short_call_count; i++) {
        char name[256];
        const char *dots = strstr(wf_short_calls[i], "...");
        snprintf(name, sizeof name, "%.*s%s", dots ? (int)(dots - wf_short_calls[i]) : 200, wf_short_calls[i],
                 dots ? "more" : "");
        if (!wf_short_call_is_known(name))
            fail_msg("%s is not known", name);
    }
}

static void names_are_known_in_all_their_forms(void **state)
{
    (void)state;
    static const char *const known[] = {
        "memcpy",
        "std::memcpy",
        "__builtin_memcpy",
        "__memcpy_chk",
        "__builtin___memcpy_chk",
        "std::sqrt",
        "std::vector::size",
        "std::__1::vector::size",
        "std::__cxx11::basic_string::c_str",
        "std::operator*",
        "std::chrono::_V2::steady_clock::now",
        "__builtin_popcountll",
        "__builtin_ia32_addpd",
        "_mm256_add_pd",
        "operator new[]",
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!wf_short_call_is_known(known[i]))
            fail_msg("%s is not known", known[i]);
}

static void other_names_are_not_known(void **state)
{
    (void)state;
    static const char *const unknown[] = {
        "",
        "...",
        "mem",
        "memcpyx",
        "ns::memcpy",
        "ns::vector::size",
        "vector::size",
        "std::vector",
        "std::sort",
        "std::list::sort",
        "std::operator<<",
        "std::operator>>",
        "std::mutex::lock",
        "std::ns::memcpy",
        "qsort",
        "usleep",
        "printf",
        "__printf_chk",
        "__builtin_printf",
        "__builtin___printf_chk",
        "_chk",
        "___chk",
        "std::",
        "__builtin_",
        "::",
        "sinister",
        "fftw_execute",
        "std::atomic::wait",
        "std::function::operator()",
        "std::this_thread::sleep_for",
    };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (wf_short_call_is_known(unknown[i]))
            fail_msg("%s is known", unknown[i]);
    char longest[4096];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_false(wf_short_call_is_known(longest));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_sorted),
        cmocka_unit_test(every_entry_is_found),
        cmocka_unit_test(names_are_known_in_all_their_forms),
        cmocka_unit_test(other_names_are_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
