/* SKIPPED: made by a macro */
/* SKIPPED: does not allow a probe */
/* ({ ... }) with loops in them, in conditions, in heads of loops, nested; __label__; __auto_type. */
#include <stdio.h>

static int f(int x)
{
    return x + 1;
}

#define SUM(n)                              \
    ({                                      \
        int sum_ = 0;                       \
        for (int i_ = 0; i_ < (n); i_++)    \
            sum_ += f(i_);                  \
        sum_;                               \
    })

static int inner(int n)
{
    int s = ({
        int t = 0;
        for (int i = 0; i < n; i++)
            t = f(t);
        t;
    });
    while (({ int k = s; for (int i = 0; i < 2; i++) k = f(k); k; }) < 20)
        s = f(s);
    for (int i = ({ int z = 1; while (z < 3) z = f(z); z; }); i < n; i++)
        s += i;
    return s;
}

static int local_label(int n)
{
    __label__ out;
    __auto_type s = 0;
    for (int i = 0; i < n; i++) {
        __label__ next;
        if (i % 2)
            goto next;
        if (i > 10)
            goto out;
        s = f(s);
    next:;
    }
out:
    return s;
}

int main(void)
{
    printf("%d %d %d\n", inner(5), SUM(6), local_label(20));
    return 0;
}
