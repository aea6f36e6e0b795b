/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/quantity.h"

#include <locale.h>

#include "present/bar.h"
#include "testing.h"

static struct wf_page page;

static void times_have_three_digits(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {0, "0"},
        {1, "1 ns"},
        {999, "999 ns"},
        {1000, "1.00 µs"},
        {9994, "9.99 µs"},
        {9995, "10.0 µs"},
        {99949, "99.9 µs"},
        {99951, "100 µs"},
        {999499, "999 µs"},
        {999500, "1.00 ms"},
        {431000000, "431 ms"},
        {999600000, "1.00 s"},
        {8740000000, "8.74 s"},
        {1234000000000, "1,234 s"},
        {10000000000000, "2.78 h"},
        {INT64_C(3600000000000) * 5000, "5,000 h"},
        {-5, "-5 ns"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(wf_quantity_time(&page, cases[i].ns).text, cases[i].text);
}

static void bytes_are_binary(void **state)
{
    (void)state;
    assert_string_equal(wf_quantity_bytes(0).text, "0");
    assert_string_equal(wf_quantity_bytes(999).text, "999 B");
    assert_string_equal(wf_quantity_bytes(1000).text, "0.98 KiB");
    assert_string_equal(wf_quantity_bytes(32000).text, "31.2 KiB");
    assert_string_equal(wf_quantity_bytes(1023 * 1024).text, "1.00 MiB");
    assert_string_equal(wf_quantity_bytes(INT64_C(1) << 40).text, "1.00 TiB");
    assert_string_equal(wf_quantity_bytes(INT64_MAX).text, "8.00 EiB");
}

static void counts_have_separators(void **state)
{
    (void)state;
    assert_string_equal(wf_quantity_count(0).text, "0");
    assert_string_equal(wf_quantity_count(999).text, "999");
    assert_string_equal(wf_quantity_count(1000).text, "1,000");
    assert_string_equal(wf_quantity_count(1234567).text, "1,234,567");
    assert_string_equal(wf_quantity_count(-1234).text, "-1,234");
    assert_string_equal(wf_quantity_count(INT64_MIN).text, "-9,223,372,036,854,775,808");
    assert_string_equal(wf_quantity_short_count(9999999).text, "9,999,999");
    assert_string_equal(wf_quantity_short_count(10000000).text, "10.0 M");
    assert_string_equal(wf_quantity_short_count(999600000).text, "1.00 G");
}

static void small_shares_are_not_nothing(void **state)
{
    (void)state;
    assert_string_equal(wf_quantity_percent(0).text, "0.0 %");
    assert_string_equal(wf_quantity_percent(0.00001).text, "< 0.01 %");
    assert_string_equal(wf_quantity_percent(0.0003).text, "0.03 %");
    assert_string_equal(wf_quantity_percent(0.612).text, "61.2 %");
    assert_string_equal(wf_quantity_short_percent(0.0003).text, "< 0.1 %");
    assert_string_equal(wf_quantity_short_percent(0).text, "0.0 %");
}

static void bars_fill_their_cells(void **state)
{
    (void)state;
    assert_string_equal(wf_bar_draw(&page, 0, 4, true).text, "····");
    assert_string_equal(wf_bar_draw(&page, 1, 4, true).text, "████");
    assert_string_equal(wf_bar_draw(&page, 0.5, 4, true).text, "██··");
    assert_string_equal(wf_bar_draw(&page, 0.53125, 4, true).text, "██▏·");
    assert_string_equal(wf_bar_draw(&page, 0.0001, 4, false).text, "▏");
    assert_string_equal(wf_bar_draw(&page, 7, 2, false).text, "██");
    assert_string_equal(wf_bar_draw(&page, -1, 2, true).text, "··");
    assert_string_equal(wf_bar_draw(&page, 0.0 / 0.0, 2, true).text, "··");
    assert_string_equal(wf_bar_draw_two(&page, 0.5, 0.25, 8).text, "████░░  ");
}

static void sketches_show_extremes(void **state)
{
    const int64_t few[] = {0, 1, 50, 100}, many[] = {10, 10, 10, 10, 10, 10, 100, 10};
    (void)state;
    assert_string_equal(wf_bar_sketch(&page, few, 4, 16).text, "·▁▄█");
    assert_string_equal(wf_bar_sketch(&page, many, 8, 4).text, "▁▁▁█");
    assert_string_equal(wf_bar_sketch(&page, few, 0, 4).text, "");
}

static void a_difference_may_be_negative(void **state)
{
    (void)state;
    assert_string_equal(wf_quantity_difference(&page, 10000000, 4000000).text, "6.00 ms");
    assert_string_equal(wf_quantity_difference(&page, 4000000, 10000000).text, "-6.00 ms");
    assert_string_equal(wf_quantity_difference(&page, 5, 5).text, "0");
    assert_string_equal(wf_quantity_difference(&page, INT64_MIN, INT64_MAX).text,
                        wf_quantity_difference(&page, -INT64_MAX, 0).text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_three_digits),      cmocka_unit_test(bytes_are_binary),
        cmocka_unit_test(counts_have_separators),       cmocka_unit_test(small_shares_are_not_nothing),
        cmocka_unit_test(bars_fill_their_cells),        cmocka_unit_test(sketches_show_extremes),
        cmocka_unit_test(a_difference_may_be_negative),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    wf_page_init(&page, stdout, 80);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
