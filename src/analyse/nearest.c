/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/nearest.h"

#include <string.h>

enum { LONGEST = 64 }; /* longer names are compared by their first letters only */

static int nearest_min3(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

int wf_nearest_distance(const char *a, const char *b)
{
    int rows = (int)strnlen(a, LONGEST), columns = (int)strnlen(b, LONGEST);
    int d[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= rows; i++)
        d[i][0] = i;
    for (int j = 0; j <= columns; j++)
        d[0][j] = j;
    for (int i = 1; i <= rows; i++) {
        for (int j = 1; j <= columns; j++) {
            int change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = nearest_min3(d[i - 1][j] + 1, d[i][j - 1] + 1, change);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    }
    return d[rows][columns];
}

bool wf_nearest_close(const char *word, int distance)
{
    int length = (int)strlen(word);
    return distance <= (length < 4 ? 1 : length < 9 ? 2 : 3);
}
