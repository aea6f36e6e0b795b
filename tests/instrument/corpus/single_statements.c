/* Bodies of one statement of every kind, empty bodies, loops side by side on one line. */
#include <stdio.h>
#include <string.h>

struct pair {
    int a, b;
};

static int f(int x) { return x * 2; }
static int g(int n) { int s = 0; for (int i = 0; i < n; i++) s += f(i); return s; }
static int h(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; for (int i = 0; i < n; i++) s += f(i); while (n-- > 0) s++; return s; }
static void nothing(void) {}
static int first(const int *v, int n, int x) { for (int i = 0; i < n; i++) if (v[i] == x) return i; return -1; }

static struct pair compound(int n)
{
    struct pair p = {0, 0};
    for (int i = 0; i < n; i++)
        p = (struct pair){p.a + i, p.b - i};
    for (int i = 0; i < n; i++)
        p.a += ((int[]){1, 2, 3})[i % 3];
    return p;
}

static int text(const char *s)
{
    int n = 0;
    for (; *s; s++)
        switch (*s) case 'a': n++;
    while (*s++);
    for (s = "x;y}z{"; *s; s++) n += *s == ';' || *s == '}'; /* } ; */
    for (s = "'"; *s; s++) n += *s == '\''; // }
    return n;
}

static int nested(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) s += f(i + j + k);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            while (s % 7)
                do s++; while (s % 5);
    do ; while (s++ < 10);
    do do s += 3; while (s % 11); while (s % 13);
    return s;
}

static int returns(int n)
{
    for (int i = 0; i < n; i++)
        return i + 1;
    for (;;)
        return 17;
}

int main(void)
{
    const int v[] = {3, 1, 4, 1, 5};
    struct pair p = compound(9);
    nothing();
    printf("%d %d %d %d %d %d %d %d %d\n", g(5), h(6), first(v, 5, 4), p.a, p.b, text("banana"), nested(5), returns(0), returns(3));
    return (int)strlen("abc");
}
