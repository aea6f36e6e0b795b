/* Calls that do not happen: sizeof, typeof, _Alignof, _Generic; and calls through pointers, in commas, in conditions. */
#include <stddef.h>
#include <stdio.h>

static int calls;

static long count(int x)
{
    calls++;
    return x;
}

static int twice(int (*f)(int), int x)
{
    return f(f(x));
}

static int inc(int x)
{
    return x + 1;
}

struct operations {
    int (*one)(int);
    int (*const *many)(int);
};

int main(void)
{
    int (*const table[])(int) = {inc, inc};
    struct operations o = {inc, table};
    size_t a = sizeof count(1);
    __typeof__(count(2)) b = 3;
    int c = _Generic(count(3), long: 1, default: 2);
    int d = (count(4), twice(inc, 5)), e = d > 3 && count(5) ? o.one(6) : (*o.one)(7);
    for (int i = 0; i < (int)sizeof count(8) && i < 4; i++)
        e += o.many[i % 2](i) + (i % 2 ? inc : o.one)(i);
    printf("%zu %ld %d %d %d %d\n", a, b, c, d, e, calls);
    return 0;
}
