/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library goes, and another one comes to where it was: each procedure has its own visits under its own name.
 *
 * library: first.so part.c -DPART=alpha -DINNER_PART=alpha_inner
 * library: other.so part.c -DPART=gamma -DINNER_PART=gamma_inner
 */
#include <dlfcn.h>
#include <stdint.h>

static uintptr_t use(const char *path, const char *name, int times)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    MUST(library);
    int (*part)(int);
    *(void **)&part = dlsym(library, name);
    MUST(part);
    for (int i = 0; i < times; i++)
        MUST(part(i) == i + 1);
    uintptr_t address = (uintptr_t)*(void **)&part;
    MUST(dlclose(library) == 0);
    return address;
}

int main(void)
{
    uintptr_t first = 0, other = 0;
    int same = 0;
    for (int i = 0; i < 3; i++) {
        first = use("./first.so", "alpha", 7);
        other = use("./other.so", "gamma", 11);
        same += first == other;
    }
    if (getenv("WEFT_DIR") && same == 0)
        fprintf(stderr, "weft: test: the libraries were at different addresses\n");
    printf("done\n");
    return 0;
}
