/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A handler, 10,000 times a second, meets procedures that are new, while the program meets others that are.
 *
 * procedures: seen 400
 * procedures: struck 400
 */
#include <signal.h>
#include <sys/time.h>

static volatile int strikes;

PROCEDURE static void handler(int number)
{
    (void)number;
    REGION("handler")
    {
        /* Several at a time: the program has as many to meet. */
        for (int i = 0; i < 8 && strikes < COUNT(struck); i++)
            struck[strikes++]();
    }
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, 100}, {0, 100}}, none = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    int met = 0;
    while (strikes < COUNT(struck))
        if (met < COUNT(seen))
            seen[met++]();
    setitimer(ITIMER_REAL, &none, NULL);
    while (met < COUNT(seen))
        seen[met++]();
    printf("%d and %d\n", met, strikes);
    return 0;
}
