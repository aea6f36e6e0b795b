/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A hundred instrumented libraries (copies of one), in two threads; with "unload" one after the other.
 *
 * library: part.so part.c
 */
#include <dlfcn.h>
#include <pthread.h>

static int (*parts[100])(int);

static void *call_all(void *unused)
{
    (void)unused;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < COUNT(parts); i++)
            MUST(parts[i](i) == i + 1);
    return NULL;
}

int main(int argc, char **argv)
{
    int unload = argc > 1 && strcmp(argv[1], "unload") == 0;
    for (int i = 0; i < COUNT(parts); i++) {
        char path[32];
        snprintf(path, sizeof path, "./part%d.so", i + 1);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            printf("%s\n", dlerror());
        MUST(library);
        *(void **)&parts[i] = dlsym(library, "part");
        MUST(parts[i]);
        for (int round = 0; unload && round < 6; round++)
            MUST(parts[i](i) == i + 1);
        MUST(!unload || dlclose(library) == 0);
    }
    pthread_t id;
    if (!unload) {
        MUST(pthread_create(&id, NULL, call_all, NULL) == 0);
        pthread_join(id, NULL);
        call_all(NULL);
    }
    printf("done\n");
    return 0;
}
