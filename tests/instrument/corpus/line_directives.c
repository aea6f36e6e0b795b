/* What generators of code leave: #line with other files, in and out of procedures. */
#include <stdio.h>
#include <string.h>
#line 100 "grammar.y"
static int f(int x)
{
    return x + __LINE__;
}
#line 7 "scanner \"one\".l"
static int g(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
#line 500 "other.y"
        s += f(i); for (int i = 0; i < n; i++) s += __LINE__ + f(i);
    while (n > 0) {
        n--;
#line 3
        s += __LINE__;
    } s += __LINE__;
    return s;
}
#line 31 "line_directives.c"
int main(void)
{
    printf("%d %d %s\n", f(1), g(4), __FILE__);
    return __LINE__ == 34 && !strcmp(__FILE__, "line_directives.c") ? 0 : 1;
}
