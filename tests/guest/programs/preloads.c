/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Other libraries are preloaded, too (the argument: before weft's, behind it, or both): an allocator that is
 * instrumented itself, so that weft is met inside malloc, also inside dlopen's and the first one of all.
 *
 * skip: main,again
 * library: allocator.so allocator.c
 * library: part.so part.c
 */
#include <dlfcn.h>
#include <pthread.h>

PROCEDURE static void work(void)
{
    REGION("work")
    {
        char *memory = malloc(100);
        MUST(memory);
        memset(memory, 1, 100);
        free(memory);
    }
}

static void *run(void *unused)
{
    for (int i = 0; i < 100; i++)
        work();
    return unused;
}

/* Starts itself once more, with the allocator among what is preloaded. */
UNWATCHED static void again(char **argv)
{
    char all[8192];
    const char *old = getenv("LD_PRELOAD"), *how = argv[1];
    if (!old || !*old)
        snprintf(all, sizeof all, "./allocator.so");
    else
        snprintf(all, sizeof all, "%s%s%s", strcmp(how, "behind") != 0 ? "./allocator.so:" : "", old,
                 strcmp(how, "before") != 0 ? ":./allocator.so" : "");
    setenv("LD_PRELOAD", all, 1);
    execl("/proc/self/exe", argv[0], how, "now", (char *)NULL);
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
    if (argc == 2)
        again(argv);
    pthread_t id;
    run(NULL);
    MUST(pthread_create(&id, NULL, run, NULL) == 0);
    pthread_join(id, NULL);
    void *library = dlopen("./part.so", RTLD_NOW);
    int (*part)(int);
    MUST(library);
    *(void **)&part = dlsym(library, "part");
    for (int i = 0; i < 10; i++)
        MUST(part(i) == i + 1);
    long (*allocated)(void);
    *(void **)&allocated = dlsym(RTLD_DEFAULT, "guest_allocated");
    MUST(allocated && allocated() >= 200);
    printf("done\n");
    return 0;
}
