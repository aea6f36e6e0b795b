/* SKIPPED: no_instrument_function */
/* SKIPPED: inline without static */
/* SKIPPED: looks at its own frame */
/* Attributes of functions, inline in all its forms, functions that run before main and after it. */
#include <stdio.h>
#include <stdlib.h>

#define QUIET __attribute__((no_instrument_function))

static int log_[8], logged;

__attribute__((constructor)) static void before(void)
{
    for (int i = 0; i < 2; i++)
        log_[logged++] = i + 1;
}

__attribute__((destructor)) static void after(void)
{
    for (int i = 0; i < 1; i++)
        puts("after");
}

static void quiet(int n) QUIET;
static void quiet(int n)
{
    while (n-- > 0)
        log_[logged++ % 8] = n;
}

static inline int static_inline(int x)
{
    int s = 0;
    for (int i = 0; i < x; i++)
        s += i;
    return s;
}

extern inline int extern_inline(int x)
{
    for (int i = 0; i < 2; i++)
        x++;
    return x;
}

__attribute__((always_inline)) static inline int always(int x)
{
    for (int i = 0; i < 3; i++) x *= 2;
    return x;
}

__attribute__((noinline, noclone, cold)) static int never(int x)
{
    while (x > 10)
        x /= 2;
    return x;
}

__attribute__((pure)) static int is_pure(int x)
{
    int s = 0;
    for (int i = 0; i < x; i++) s += i * i;
    return s;
}

_Noreturn static void leave(int code)
{
    for (;;)
        exit(code);
}

static void *frame(void)
{
    for (int i = 0; i < 1; i++)
        if (!__builtin_frame_address(0))
            return NULL;
    return __builtin_return_address(0);
}

__attribute__((weak)) int maybe(void)
{
    return 4;
}

__attribute__((visibility("hidden"))) int hidden(int n) { int s = 1; for (int i = 1; i < n; i++) s *= i; return s; }

int main(void)
{
    quiet(2);
    printf("%d %d %d %d %d %d %d %d %d\n", logged, log_[0], static_inline(5), extern_inline(6), always(7), never(100), is_pure(5), maybe(), hidden(5));
    if (!frame())
        return 1;
    leave(3);
}
