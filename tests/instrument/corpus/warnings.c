/* FLAGS: -Wshadow -Wconversion -Wunused -Wunreachable-code -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wcast-qual -Wundef -Wredundant-decls -Wpedantic */
/* COMPILE ONLY */
/* A program that the compilers have much to say about: with and without probes they must say the same, at the same columns. */
#include <stdio.h>

int undeclared(int n)
{
    int unused, i = 3; for (unsigned u = 0; u < n; u++) i += u;
    for (int i = 0; i < n; i++) { int i = 2; (void)i; }
    return i;
}

static int never_called(void) { for (int i = 0; i < 3; i++) ; return 1; }

static int misleading(int n)
{
    int s = 0;
    if (n > 2)
        s++;
        for (int i = 0; i < n; i++)
            s += i;
    for (int i = 0; i < n; i++)
        s += i;
        s += 2;
    while (s < 3);
        s++;
    if (n) for (int i = 0; i < n; i++) if (i == 2) s++; else s--;
    return s;
}

static int falls(int k)
{
    int s = 0;
    switch (k) {
    case 1:
        for (int i = 0; i < 3; i++) s++;
    case 2:
        s += 2;
        while (s < 2) { s++; }
        // fallthrough
    case 3: s += 3;
    }
    if (s = 4)
        s++;
    return s;
}

static int no_return(int n)
{
    for (int i = 0; i < n; i++)
        if (i == 3)
            return i;
}

static int always_returns(int n)
{
    for (;;) {
        if (n-- < 0)
            return n;
    }
}

static int forever(void) { while (1) { if (undeclared(3)) return 2; } }

static void strings(char *s, const char *format)
{
    printf("%s %d\n", format, s);
    for (char c = 0; c < 300; c++) if (s[c] == "x") break;
    printf(format);
}

int main(int argc, char **argv)
{
    int x, y = misleading(argc) + falls(2) + no_return(9) + always_returns(2) + forever();
    for (;;) { x = y; break; y = 3; }
    strings(argv[0] + x - x, "z") ;
    return 0 ;
}
