/* FLAGS: -std=c90 -pedantic -Wdeclaration-after-statement -Wno-long-long */
/* Declarations in front of statements, as C90 wants them. */
#include <stdio.h>

static int f(int x)
{
    int y = x;
    return y + 1;
}

static int g(int n)
{
    int i, s = 0;
    for (i = 0; i < n; i++) {
        int t = f(i);
        s += t;
    }
    {
        int u = s;
        while (u-- > 0)
            s = f(s);
    }
    return s;
}

int main(void)
{
    int result = g(6);
    printf("%d\n", result);
    return 0;
}
