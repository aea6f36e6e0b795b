/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of base/ have in common: cmocka with what it needs, and a kernel without memory.
 */
#ifndef TESTS_BASE_TESTING_H
#define TESTS_BASE_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/resource.h>

/* From now on the kernel has no memory for this process. Nothing but the object under test may run until it is given
 * back: the sanitizer's runtime and cmocka need some, too. */
static inline struct rlimit take_all_memory(void)
{
    struct rlimit before, none;
    getrlimit(RLIMIT_AS, &before);
    none = before;
    none.rlim_cur = 4096;
    setrlimit(RLIMIT_AS, &none);
    return before;
}

static inline void give_memory_back(struct rlimit before)
{
    setrlimit(RLIMIT_AS, &before);
}

#endif
