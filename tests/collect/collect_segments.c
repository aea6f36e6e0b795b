/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collect_segments DIR OUTPUT: collects, and prints the result and its cost in one line for scripts.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "collect/collect.h"
#include "profile_query.h"

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: collect_segments DIR OUTPUT\n");
        return 2;
    }
    struct wf_collect_options options = {.directory = argv[1], .output = argv[2], .progress = true};
    struct wf_collect_result result;
    struct wf_error error;
    double start_s = now_s();
    if (wf_collect(&options, &result, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    double taken_s = now_s() - start_s;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    sqlite3 *profile = profile_open(argv[2]);
    printf("segments=%d ranks=%d refused=%d sites=%lld events=%lld coms=%lld waits=%lld seconds=%.2f "
           "peak_kib=%ld\n",
           result.segments, result.ranks, result.refused,
           profile_number(profile, "SELECT count(*) FROM weft_site"),
           profile_number(profile, "SELECT count(*) FROM weft_event"),
           profile_number(profile, "SELECT count(*) FROM weft_com"),
           profile_number(profile, "SELECT count(*) FROM weft_wait WHERE culprit_site"), taken_s,
           usage.ru_maxrss);
    profile_close(profile);
    return 0;
}
