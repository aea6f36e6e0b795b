/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An instrumented library in a namespace of its own (dlmopen), where weft is not; and the same library beside it, where
 * weft is.
 *
 * library: part.so part.c
 */
#include <dlfcn.h>

PROCEDURE static void work(void)
{
    REGION("work")
    {
        guest_sink++;
    }
}

static void call(void *library, int times)
{
    int (*part)(int);
    MUST(library);
    *(void **)&part = dlsym(library, "part");
    MUST(part);
    for (int i = 0; i < times; i++)
        MUST(part(i) == i + 1);
}

int main(void)
{
    work();
    void *apart = dlmopen(LM_ID_NEWLM, "./part.so", RTLD_NOW);
    call(apart, 100);
    call(dlopen("./part.so", RTLD_NOW), 10);
    work();
    MUST(dlclose(apart) == 0);
    work();
    printf("done\n");
    return 0;
}
