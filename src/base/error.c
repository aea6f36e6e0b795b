/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

int wf_error_set(struct wf_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): clang-tidy 14 does not see va_start */
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return -1;
}
