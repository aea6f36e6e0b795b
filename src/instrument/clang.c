/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/clang.h"

#include <dlfcn.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/buffer.h"

#ifndef WEFT_LIBCLANG
#define WEFT_LIBCLANG "libclang.so.1"
#endif

struct wf_clang wf_clang;

/* Tries the library that weft was built with, then the names it has on other machines. */
static void *clang_open(void)
{
    static const char *const names[] = {
        WEFT_LIBCLANG,       "libclang.so.1",     "libclang-14.so.1",  "libclang-14.so.13", "libclang-15.so.15",
        "libclang-16.so.16", "libclang-17.so.17", "libclang-18.so.18", "libclang-19.so.19", "libclang.so"};
    const char *chosen = getenv("WEFT_LIBCLANG");
    if (chosen && *chosen)
        return dlopen(chosen, RTLD_LAZY | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
        if (library)
            return library;
    }
    return NULL;
}

int wf_clang_load(struct wf_error *error)
{
    static void *library;
    if (library)
        return 0;
    void *opened = clang_open();
    if (!opened)
        return wf_error_set(error, "libclang is not installed (Debian: libclang1-14)");
#define F(name)                                                      \
    if (!(*(void **)&wf_clang.name = dlsym(opened, "clang_" #name))) \
        return wf_error_set(error, "this libclang is too old: it has no clang_" #name);
    WF_CLANG_FUNCTIONS(F)
#undef F
    library = opened;
    return 0;
}

static const char *clang_find_headers(char *found)
{
    Dl_info info;
    char pattern[PATH_MAX + 32], *real = NULL;
    glob_t files = {0};
    found[0] = '\0';
    if (!wf_clang.createIndex || !dladdr(*(void **)&wf_clang.createIndex, &info) ||
        !(real = realpath(info.dli_fname, NULL)))
        return found;
    /* Debian has the library in /usr/lib/x86_64-linux-gnu and its headers in /usr/lib/llvm-14/lib/clang/14.0.6/include.
     */
    const char *version = strstr(real, "libclang-");
    snprintf(pattern, sizeof pattern, "%s/clang/*/include/stddef.h", dirname(real));
    if (glob(pattern, 0, NULL, &files) != 0 && version) {
        snprintf(pattern, sizeof pattern, "/usr/lib/llvm-%d/lib/clang/*/include/stddef.h",
                 atoi(version + strlen("libclang-")));
        glob(pattern, 0, NULL, &files);
    }
    if (files.gl_pathc)
        snprintf(found, PATH_MAX, "%s", dirname(files.gl_pathv[files.gl_pathc - 1]));
    globfree(&files);
    free(real);
    return found;
}

const char *wf_clang_headers(void)
{
    static char found[PATH_MAX];
    static int looked;
    if (!looked++)
        clang_find_headers(found);
    return found;
}

char *wf_clang_text(CXString string)
{
    const char *text = wf_clang.getCString(string);
    char *copy = wf_text_copy(text ? text : "");
    wf_clang.disposeString(string);
    return copy;
}
