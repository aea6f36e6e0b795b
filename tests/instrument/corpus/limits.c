/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of the C library, which the compiler's own <limits.h> only leads to. */
#include <limits.h>
#include <stdio.h>

int main(void)
{
    char path[PATH_MAX] = "x";
    long sum = 0;
    for (int i = 0; i < _POSIX_OPEN_MAX; i++)
        sum += path[i] + CHAR_BIT + (INT_MAX > SHRT_MAX);
    printf("%ld %d\n", sum, NAME_MAX);
    return 0;
}
