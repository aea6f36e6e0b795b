/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An instrumented library comes, is called and goes. What weft has met there is gone: it must not look there again,
 * neither when it judges regions (argument "judge"), nor in a forked child ("fork"), nor at the end ("end"), nor when
 * the library comes back ("again").
 *
 * library: part.so part.c
 */
#include <dlfcn.h>
#include <sys/wait.h>

PROCEDURE static void use_part(int times)
{
    REGION("use_part")
    {
        void *library = dlopen("./part.so", RTLD_NOW | RTLD_LOCAL);
        MUST(library);
        int (*part)(int);
        *(void **)&part = dlsym(library, "part");
        MUST(part);
        for (int i = 0; i < times; i++)
            MUST(part(i) == i + 1);
        MUST(dlclose(library) == 0);
        MUST(!dlopen("./part.so", RTLD_NOLOAD | RTLD_NOW));
    }
}

PROCEDURE static void tiny(void)
{
    REGION("tiny")
    {
        guest_sink++;
    }
}

PROCEDURE static void work(void)
{
    REGION("work")
    {
        tiny();
    }
}

PROCEDURE static void judge(void)
{
    for (int i = 0; i < 300000; i++)
        work();
}

PROCEDURE static void child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        work();
        _exit(3);
    }
    int status;
    MUST(waitpid(pid, &status, 0) == pid);
    printf("child: %d\n", status);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "end";
    use_part(10);
    work();
    if (strcmp(how, "judge") == 0)
        judge();
    if (strcmp(how, "fork") == 0)
        child();
    if (strcmp(how, "again") == 0)
        for (int i = 0; i < 20; i++)
            use_part(10);
    printf("done\n");
    return 5;
}
