/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The question to hydra's proxy: no other process is asked, nothing but the answer is read, and whatever comes instead
 * of it does no harm. This process makes the pair of sockets, so it is the one at the other end; a child answers in its
 * name.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/guest/settings.h"
#include "measure/process/hydra.h"

#define QUESTION "cmd=get_my_kvsname\n"

static int ends[2];

static void pass_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void say(int fd)
{
    static char text[16];
    snprintf(text, sizeof text, "%d", fd);
    wf_settings.launch_fd = text;
}

/* The child waits, reads the question, waits again and writes the parts of its answer. */
static pid_t answer(long ms, const char *const *parts)
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    say(ends[0]);
    pid_t child = fork();
    if (child != 0) {
        close(ends[1]);
        return child;
    }
    char question[64] = "";
    close(ends[0]);
    pass_ms(ms);
    ssize_t n = read(ends[1], question, sizeof question - 1);
    for (; *parts; parts++) {
        pass_ms(ms);
        n += write(ends[1], *parts, strlen(*parts));
    }
    _exit(n < 0 || strcmp(question, QUESTION) != 0);
}

/* Ends it; did it get the question? */
static bool was_asked(pid_t child)
{
    int status = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void the_name_and_nothing_behind_it(void **state)
{
    (void)state;
    char name[64], rest[16] = "";
    pid_t child = answer(0, PARTS("cmd=my_kvsname kvsname=kvs_17_0_4711_node-a\ncmd=more"));
    errno = 4711;
    assert_true(wf_hydra_world(name, sizeof name));
    assert_int_equal(errno, 4711);
    assert_string_equal(name, "kvs_17_0_4711_node-a");
    assert_int_equal(read(ends[0], rest, sizeof rest - 1), strlen("cmd=more"));
    assert_string_equal(rest, "cmd=more");
    assert_true(was_asked(child));
}

static void ignore(int number)
{
    (void)number;
}

static void slowly_and_interrupted(void **state)
{
    (void)state;
    char name[64];
    struct sigaction action = {.sa_handler = ignore};
    sigaction(SIGALRM, &action, NULL);
    pid_t child = answer(150, PARTS("cmd=my_", "kvsname kvsname=a", "b\n"));
    setitimer(ITIMER_REAL, &(struct itimerval){.it_interval.tv_usec = 3000, .it_value.tv_usec = 3000}, NULL);
    bool found = wf_hydra_world(name, sizeof name);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 0}, NULL);
    assert_true(found);
    assert_string_equal(name, "ab");
    assert_true(was_asked(child));
}

static void other_answers_are_no_names(void **state)
{
    (void)state;
    char name[8], line[1200];
    memset(line, 'x', sizeof line);
    line[sizeof line - 2] = '\n';
    line[sizeof line - 1] = '\0';
    const char *const lines[] = {"cmd=unknown rc=-1\n", "\n", "cmd=my_kvsname kvsname=\n",
                                 "cmd=my_kvsname kvsname=too_long\n", line,
                                 "cmd=my_kv" /* and the end */};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        pid_t child = answer(0, PARTS(lines[i]));
        assert_false(wf_hydra_world(name, sizeof name));
        char more;
        assert_int_equal(read(ends[0], &more, 1), 0); /* all of it is read */
        assert_true(was_asked(child));
    }
}

/* A process that is asked and should not be would have something to read. */
static void only_the_proxy_is_asked(void **state)
{
    (void)state;
    char name[64], more;
    int pipes[2];
    wf_settings.launch_fd = "";
    assert_false(wf_hydra_world(name, sizeof name));
    assert_int_equal(pipe(pipes), 0);
    say(pipes[1]);
    assert_false(wf_hydra_world(name, sizeof name));
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &more, 1), 0);
    close(pipes[0]);
    assert_false(wf_hydra_world(name, sizeof name)); /* closed */
    prctl(PR_SET_NAME, "slurmstepd");
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    say(ends[0]);
    assert_false(wf_hydra_world(name, sizeof name));
    close(ends[0]);
    assert_int_equal(read(ends[1], &more, 1), 0);
    close(ends[1]);
    prctl(PR_SET_NAME, "hydra_pmi_proxy");
}

static void no_proxy_is_there(void **state)
{
    (void)state;
    char name[64];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    say(ends[0]);
    close(ends[1]);
    assert_false(wf_hydra_world(name, sizeof name)); /* and no SIGPIPE */
    close(ends[0]);
}

int main(void)
{
    prctl(PR_SET_NAME, "hydra_pmi_proxy");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_name_and_nothing_behind_it),
        cmocka_unit_test(slowly_and_interrupted),
        cmocka_unit_test(other_answers_are_no_names),
        cmocka_unit_test(only_the_proxy_is_asked),
        cmocka_unit_test(no_proxy_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
