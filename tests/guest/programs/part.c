/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with one procedure, PART, that calls another, INNER_PART; -DPAD=n makes it another size.
 */
#include "guest.h"

#ifndef PART
#define PART part
#define INNER_PART inner_part
#endif
#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)

int INNER_PART(int n);
int PART(int n);

PROCEDURE int INNER_PART(int n)
{
    REGION(TEXT(INNER_PART))
    {
        guest_sink += n;
    }
    return n + 1;
}

PROCEDURE int PART(int n)
{
    int m = 0;
    REGION(TEXT(PART))
    {
        m = INNER_PART(n);
    }
    return m;
}
