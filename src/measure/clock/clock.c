/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/clock/clock.h"

#include <cpuid.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/guest/settings.h"

bool wf_clock_is_tsc;

/* WEFT_TEST_CLOCK on this host. */
static struct clock_test {
    int64_t offset_ns, drift_ppb;
} clock_test;

/* A virtual machine may hide that the counter is invariant; the kernel has watched it and knows. */
static bool clock_kernel_trusts_tsc(void)
{
    char text[8] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool tsc = read(fd, text, sizeof text - 1) > 0 && strncmp(text, "tsc\n", 4) == 0;
    close(fd);
    return tsc;
}

static void clock_read_test(void)
{
    char host[64] = "";
    const char *text = *wf_settings.test_clock ? wf_settings.test_clock : NULL;
    gethostname(host, sizeof host - 1);
    for (size_t n = strlen(host); text; text = strchr(text, ','), text += text != NULL) {
        if (strncmp(text, host, n) != 0 || text[n] != ':')
            continue;
        char *end;
        clock_test.offset_ns = strtoll(text + n + 1, &end, 10);
        clock_test.drift_ppb = *end == ':' ? strtoll(end + 1, NULL, 10) : 0;
        return;
    }
}

uint64_t wf_clock_mono_ns(void)
{
    uint64_t ns = wf_clock_read_ns(CLOCK_MONOTONIC);
    if (__builtin_expect(clock_test.drift_ppb != 0, 0))
        ns += (uint64_t)(int64_t)((__int128)ns * clock_test.drift_ppb / 1000000000);
    return ns + (uint64_t)clock_test.offset_ns;
}

void wf_clock_choose(void)
{
    clock_read_test();
    unsigned a, b, c, d;
    wf_clock_is_tsc = (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8))) || clock_kernel_trusts_tsc();
}

void wf_clock_pair(uint64_t *ticks, uint64_t *ns)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = wf_clock_ticks();
        uint64_t now = wf_clock_mono_ns();
        uint64_t after = wf_clock_ticks();
        if (after - before < best) {
            best = after - before;
            *ticks = before + best / 2;
            *ns = now;
        }
    }
}
