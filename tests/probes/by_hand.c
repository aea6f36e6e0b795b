/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions, phases and counters by hand; also compiled as C++.
 */
#include <stdio.h>
#include <weft/weft.h>

#ifdef __cplusplus
static void scoped(void)
{
    for (int i = 0; i < 3; i++)
        weft::region r("scoped");
}
#endif

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++) {
        WEFT_REGION("solve")
        {
            sum += i;
            if (i == 5)
                continue; /* leaves the region, not the loop around it */
            WEFT_PHASE("inner") sum++;
        }
        WEFT_COUNT("cells", i + 0.5);
    }
#ifdef __cplusplus
    scoped();
#endif
    printf("%d\n", sum);
    return 0;
}
