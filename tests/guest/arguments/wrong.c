/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes all calls of cases.awk and tells what MPI says to each: the class of the error, or that the MPI library itself
 * crashed or did not return.
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "world.h"

#include "cases.h"

#define HANG_SECONDS 3

static sigjmp_buf back;
static int spoilt; /* the last call did not return */

static void caught(int signal)
{
    siglongjmp(back, signal);
}

static void watch_for(int signal)
{
    struct sigaction action = {.sa_handler = caught, .sa_flags = SA_NODEFER};
    sigaction(signal, &action, NULL);
}

static void limit(int seconds)
{
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
}

static void say(const struct wrong_case *c, const char *what)
{
    char line[256];
    int n = snprintf(line, sizeof line, "%s %s %s: %s\n", c->name, c->argument, c->how, what);
    if (write(STDOUT_FILENO, line, (size_t)n) != n)
        _exit(1);
}

static void try(const struct wrong_case *c)
{
    char word[64];
    int class, signal = sigsetjmp(back, 1);
    if (signal) {
        limit(0);
        spoilt = 1;
        say(c, signal == SIGALRM ? "hangs" : "crashes");
        return;
    }
    limit(HANG_SECONDS);
    renew_world(spoilt);
    spoilt = 0;
    int rc = c->call();
    limit(0);
    MPI_Error_class(rc, &class);
    snprintf(word, sizeof word, "%d", class);
    say(c, rc == MPI_SUCCESS ? "right" : word);
}

/* wrong FROM: from there to the end of the section; says where the next one begins. A call that went wrong in MPI may
 * have spoilt something, so each section has its own process. */
int main(int argc, char **argv)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM};
    size_t all = sizeof wrong_cases / sizeof *wrong_cases, i = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    const char *section = wrong_cases[i].section;
    char next[32];
    MPI_Init(&argc, &argv);
    build_world();
    for (size_t s = 0; s < sizeof signals / sizeof *signals; s++)
        watch_for(signals[s]);
    for (; i < all && strcmp(wrong_cases[i].section, section) == 0; i++)
        try(&wrong_cases[i]);
    snprintf(next, sizeof next, "%zu", i < all ? i : 0);
    say(&(struct wrong_case){"the", "next", "is"}, next);
    _exit(0);
}
