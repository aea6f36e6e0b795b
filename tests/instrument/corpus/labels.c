/* SKIPPED: a goto jumps into it */
/* goto out of loops, to the next round, over loops, backwards, and into loops. */
#include <stdio.h>

static int step(int x)
{
    return x + 3;
}

static int out(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i * j > 6)
                goto done;
            s = step(s);
        }
done:
    return s;
}

static int again(int n)
{
    int s = 0, rounds = 0;
retry:
    for (int i = 0; i < n; i++) {
        if (i & 1)
            goto next;
        s = step(s);
    next:;
    }
    if (++rounds < 3)
        goto retry;
    return s;
}

static int labelled(int n)
{
    int s = 0, i = 0;
    goto start;
start:
    while (i < n) {
        s = step(s);
        i++;
    }
    if (s < 20) {
        i--;
        goto start;
    }
other: __attribute__((unused));
    for (i = 0; i < n; i++) s += i;
    return s;
}

static int into(int n)
{
    int s = 0, i = 0;
    if (n > 3)
        goto middle;
    for (i = 0; i < n; i++) {
        s += 100;
    middle:
        s = step(s);
    }
    while (s < 60) {
        for (i = 0; i < 3; i++)
            s = step(s);
        if (s == 45)
            goto behind;
    }
    s++;
behind:
    return s;
}

int main(void)
{
    printf("%d %d %d %d %d\n", out(5), again(7), labelled(4), into(2), into(6));
    return 0;
}
