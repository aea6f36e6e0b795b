/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers that are the same everywhere for the same seed (splitmix64).
 */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct sim_random {
    uint64_t state;
};

static inline uint64_t sim_hash(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t sim_random_next(struct sim_random *r)
{
    r->state += 0x9e3779b97f4a7c15u;
    return sim_hash(r->state);
}

/* 0 to bound - 1; 0 for a bound of 0. */
static inline uint64_t sim_random_below(struct sim_random *r, uint64_t bound)
{
    return bound ? sim_random_next(r) % bound : 0;
}

static inline bool sim_random_one_in(struct sim_random *r, uint64_t n)
{
    return sim_random_below(r, n) == 0;
}

#endif
