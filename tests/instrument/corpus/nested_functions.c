/* ONLY: gcc */
/* UNPARSED */
/* Functions in functions: gcc knows them, libclang does not. */
#include <stdio.h>

static int apply(int (*f)(int), int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += f(i);
    return s;
}

int main(void)
{
    int factor = 3;
    int times(int x)
    {
        int s = 0;
        for (int i = 0; i < factor; i++)
            s += x;
        return s;
    }
    printf("%d\n", apply(times, 5));
    return 0;
}
