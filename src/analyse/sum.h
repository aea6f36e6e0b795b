/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums that stop at the largest number: a damaged profile may hold any figures, which must not overflow. Pure
 * functions.
 */
#ifndef WF_ANALYSE_SUM_H
#define WF_ANALYSE_SUM_H

#include <stdint.h>

static inline void wf_sum_add(int64_t *sum, int64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = value < 0 ? INT64_MIN : INT64_MAX;
}

/* How far two numbers are apart, but no more than `most`. */
static inline int64_t wf_sum_distance(int64_t a, int64_t b, int64_t most)
{
    int64_t distance;
    if (__builtin_sub_overflow(a < b ? b : a, a < b ? a : b, &distance))
        return most;
    return distance < most ? distance : most;
}

#endif
