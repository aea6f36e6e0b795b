/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Children are made while another thread meets procedures, in every way there is to make one (the argument). A child of
 * fork, _Fork or clone calls procedures, known and new ones, and ends. What the parent does is counted, and nothing of
 * what children do.
 *
 * procedures: met 600
 * procedures: late 40
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { CHILDREN = 20 };

extern char **environ;
static volatile int children, begun, stop;

/* Regions by name are looked for at each entry. */
static void press(void)
{
#ifdef BY_HAND
    const struct weft_probe_api_ *api = weft_api_();
    if (api) {
        api->begin("named", 5);
        api->end("named", 5);
    }
#endif
}

PROCEDURE static void work(void)
{
    REGION("work")
    {
        guest_sink++;
    }
}

/* A burst for each child: it is met while the child is made. */
static void *meet(void *unused)
{
    (void)unused;
    for (int i = 0; i < COUNT(met); i++) {
        while (i >= children * (COUNT(met) / CHILDREN) && !stop)
            press();
        met[i]();
        begun = i + 1;
    }
    return NULL;
}

PROCEDURE static int in_child(int n)
{
    REGION("in_child")
    {
        work();
        press();
        late[2 * n]();
        late[2 * n + 1]();
    }
    return 10 + n;
}

static void by_fork(int n)
{
    pid_t pid = fork();
    if (pid == 0)
        (n % 2 ? exit : _exit)(in_child(n));
    int status;
    MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
    printf("fork %d: %x\n", n, (unsigned)status);
}

static void by_fork_exec(int n)
{
    pid_t pid = fork();
    if (pid == 0) {
        in_child(n);
        execl("/bin/sh", "sh", "-c", "exit 4", (char *)NULL);
    }
    int status;
    MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
    printf("fork, exec %d: %x\n", n, (unsigned)status);
}

static void by_bare_fork(int n)
{
    pid_t pid = _Fork();
    if (pid == 0)
        _exit(in_child(n));
    int status;
    MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
    printf("_Fork %d: %x\n", n, (unsigned)status);
}

static int cloned(void *n)
{
    return in_child((int)(long)n);
}

static void by_clone(int n)
{
    static char stack[64 * 1024] __attribute__((aligned(64)));
    pid_t pid = clone(cloned, stack + sizeof stack, SIGCHLD, (void *)(long)n);
    int status;
    MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
    printf("clone %d: %x\n", n, (unsigned)status);
}

static void by_vfork(int n)
{
    pid_t pid = vfork();
    if (pid == 0) {
        if (n % 2)
            _exit(6);
        execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
        _exit(98);
    }
    int status;
    MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
    printf("vfork %d: %x\n", n, (unsigned)status);
}

static void by_spawn(int n)
{
    char *words[] = {"sh", "-c", "exit 5", NULL};
    pid_t pid;
    int status;
    MUST(posix_spawn(&pid, "/bin/sh", NULL, NULL, words, environ) == 0);
    MUST(waitpid(pid, &status, 0) == pid);
    printf("spawn %d: %x\n", n, (unsigned)status);
}

static void by_system(int n)
{
    printf("system %d: %x\n", n, (unsigned)system("exit 9"));
}

static void by_popen(int n)
{
    char line[32] = "";
    FILE *pipe = popen("echo out", "r");
    MUST(pipe && fgets(line, sizeof line, pipe));
    printf("popen %d: %s%x\n", n, line, (unsigned)pclose(pipe));
}

static const struct {
    const char *name;
    void (*make)(int n);
} kinds[] = {{"fork", by_fork},   {"exec", by_fork_exec}, {"bare", by_bare_fork}, {"clone", by_clone},
             {"vfork", by_vfork}, {"spawn", by_spawn},    {"system", by_system},  {"popen", by_popen}};

PROCEDURE static void make(int kind, int n)
{
    REGION("make")
    {
        kinds[kind].make(n);
    }
}

int main(int argc, char **argv)
{
    int kind = COUNT(kinds) - 1;
    setvbuf(stdout, NULL, _IONBF, 0);
    while (kind > 0 && argc > 1 && strcmp(kinds[kind].name, argv[1]) != 0)
        kind--;
    pthread_t other;
    MUST(pthread_create(&other, NULL, meet, NULL) == 0);
    for (int n = 0; n < CHILDREN; n++) {
        work();
        children = n + 1;
        while (begun <= n * (COUNT(met) / CHILDREN))
            ;
        make(kind, n);
    }
    stop = 1;
    pthread_join(other, NULL);
    for (int n = 0; n < COUNT(late); n++)
        late[n]();
    return 2;
}
