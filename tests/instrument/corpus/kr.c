/* FLAGS: -std=gnu89 -Wno-old-style-definition -Wno-deprecated-non-prototype */
/* Definitions in the style of 1978, and a function without a type. */
#include <stdio.h>

int add(a, b)
    int a, b;
{
    return a + b;
}

static double scale(v, n, by)
    double *v;
    int n;
    double by;
{
    double s = 0;
    int i;
    for (i = 0; i < n; i++) {
        v[i] *= by;
        s += v[i];
    }
    return s;
}

char *
name(argc, argv)
register int argc;
char **argv; { while (argc-- > 1) { if (*argv) return *argv; }
  return "none"; }

int main()
{
    double v[3] = {1, 2, 3};
    int s = 0, i = 0;
    while (i < 4)
        s = add(s, i++);
    printf("%d %g %s\n", s, scale(v, 3, 2.0), name(0, (char **)0));
    return 0;
}
