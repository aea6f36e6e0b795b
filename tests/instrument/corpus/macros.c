/* SKIPPED: made by a macro */
/* SKIPPED: ends in a macro */
/* SKIPPED: its tree would change */
/* Loops and procedures made by macros, in macro arguments, ending in macros, and do {} while (0), which is no loop. */
#include <stdio.h>

#define FOREACH(i, n) for (int i = 0; i < (n); i++)
#define FOREVER for (;;)
#define SWAP(a, b)       \
    do {                 \
        int swap_ = (a); \
        (a) = (b);       \
        (b) = swap_;     \
    } while (0)
#define DEFINE(name, value)      \
    static int name(int n)       \
    {                            \
        int s = 0;               \
        for (int i = 0; i < n; i++) \
            s += (value);        \
        return s;                \
    }
#define RUN(statement) statement
#define BEGIN {
#define END }
#define ADD(s, x) (s) += (x)
#define ADD_STATEMENT(s, x) (s) += (x);
#define ADD_BLOCK(s, x) \
    {                   \
        (s) += (x);     \
    }
#define TWO(s, x) (s) += (x); (s) *= 2
#define EMPTY

DEFINE(three_times, 3)
DEFINE(squares, i *i)

static int begin_end(int n) BEGIN
    int s = 0;
    for (int i = 0; i < n; i++) BEGIN s += i; END
    return s;
END

static int bodies(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        ADD(s, i);
    for (int i = 0; i < n; i++)
        ADD_STATEMENT(s, i)
    for (int i = 0; i < n; i++)
        ADD_BLOCK(s, i)
    for (int i = 0; i < n; i++)
        SWAP(s, n);
    if (n > 100)
        for (int i = 0; i < n; i++) TWO(s, i);
    for (int i = 0; i < n; i++) EMPTY;
    EMPTY for (int i = 0; i < n; i++) EMPTY s++;
    return s;
}

static int arguments(int n)
{
    int s = 0;
    RUN(for (int i = 0; i < n; i++) s += i;)
    RUN({
        for (int i = 0; i < n; i++)
            s += 2 * i;
    })
    return s;
}

int main(void)
{
    int s = 0, a = 1, b = 2;
    FOREACH (i, 10) {
        FOREACH (j, i)
            s += j;
    }
    FOREVER {
        if (s++ > 200)
            break;
    }
    SWAP(a, b);
    printf("%d %d %d %d %d %d %d %d\n", s, a, b, three_times(4), squares(5), begin_end(6), bodies(7), arguments(8));
    return 0;
}
