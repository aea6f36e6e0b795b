/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct wf_quantity wf_quantity_count(int64_t count)
{
    struct wf_quantity unit = {""};
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count < 0 ? -(uint64_t)count : (uint64_t)count);
    char *to = unit.text;
    if (count < 0)
        *to++ = '-';
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return unit;
}

/* Prints three digits: 9.99, 99.9, 999; from 1,000 on, all digits. */
static struct wf_quantity quantity_three_digits(double value, const char *name)
{
    struct wf_quantity unit = {""};
    if (value >= 999.5) {
        unit = wf_quantity_count((int64_t)(value + 0.5));
        size_t length = strlen(unit.text);
        snprintf(unit.text + length, sizeof unit.text - length, " %s", name);
        return unit;
    }
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(unit.text, sizeof unit.text, "%.*f %s", decimals, value, name);
    return unit;
}

struct wf_quantity wf_quantity_time(const struct wf_page *page, int64_t ns)
{
    struct wf_quantity unit = {"0"};
    char micro[8];
    snprintf(micro, sizeof micro, "%ss", page->glyphs->micro);
    if (ns == 0)
        return unit;
    if (ns > -1000 && ns < 1000)
        snprintf(unit.text, sizeof unit.text, "%d ns", (int)ns);
    else if (ns < 999500)
        unit = quantity_three_digits((double)ns / 1e3, micro);
    else if (ns < 999500000)
        unit = quantity_three_digits((double)ns / 1e6, "ms");
    else if (ns < INT64_C(10000) * 1000000000)
        unit = quantity_three_digits((double)ns / 1e9, "s");
    else
        unit = quantity_three_digits((double)ns / 3600e9, "h");
    return unit;
}

struct wf_quantity wf_quantity_difference(const struct wf_page *page, int64_t raw_ns, int64_t ns)
{
    int64_t difference;
    struct wf_quantity unit;
    if (__builtin_sub_overflow(raw_ns, ns, &difference) || difference == INT64_MIN)
        difference = raw_ns < ns ? -INT64_MAX : INT64_MAX;
    struct wf_quantity size = wf_quantity_time(page, difference < 0 ? -difference : difference);
    snprintf(unit.text, sizeof unit.text, "%s%.40s", difference < 0 ? "-" : "", size.text);
    return unit;
}

struct wf_quantity wf_quantity_bytes(int64_t bytes)
{
    static const char *const names[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    struct wf_quantity unit = {"0"};
    if (bytes == 0)
        return unit;
    if (bytes < 1000) {
        snprintf(unit.text, sizeof unit.text, "%d B", (int)bytes);
        return unit;
    }
    size_t i = 0;
    double value = (double)bytes / 1024;
    for (; value >= 999.5 && i + 1 < sizeof names / sizeof *names; i++)
        value /= 1024;
    return quantity_three_digits(value, names[i]);
}

struct wf_quantity wf_quantity_short_count(int64_t count)
{
    static const char *const names[] = {"M", "G", "T", "P", "E"};
    if (count < 10000000)
        return wf_quantity_count(count);
    size_t i = 0;
    double value = (double)count / 1e6;
    for (; value >= 999.5 && i + 1 < sizeof names / sizeof *names; i++)
        value /= 1000;
    return quantity_three_digits(value, names[i]);
}

struct wf_quantity wf_quantity_short_percent(double share)
{
    struct wf_quantity unit = {""};
    if (share > 0 && share < 0.0005)
        snprintf(unit.text, sizeof unit.text, "< 0.1 %%");
    else
        snprintf(unit.text, sizeof unit.text, "%.1f %%", 100 * share);
    return unit;
}

struct wf_quantity wf_quantity_percent(double share)
{
    struct wf_quantity unit = {""};
    double percent = 100 * share;
    if (percent > 0 && percent < 0.005)
        snprintf(unit.text, sizeof unit.text, "< 0.01 %%");
    else
        snprintf(unit.text, sizeof unit.text, "%.*f %%", percent > 0 && percent < 0.1 ? 2 : 1, percent);
    return unit;
}
