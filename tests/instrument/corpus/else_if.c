/* Chains of else if, loops as branches without braces, and an else that belongs to an inner if. */
#include <stdio.h>

static int work(int x)
{
    return x + 1;
}

static int chain(int k, int n)
{
    int s = 0;
    if (k == 0)
        for (int i = 0; i < n; i++)
            s = work(s);
    else if (k == 1)
        while (s < n)
            s = work(s);
    else if (k == 2)
        do
            s = work(s);
        while (s < n);
    else if (k == 3) for (int i = 0; i < n; i++) { s += 2; } else if (k == 4)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                s = work(s);
    else
        for (;;)
            if (work(s++) > n)
                break;
    return s;
}

static int inner(int a, int b, int n)
{
    int s = 0;
    if (a) {
        for (int i = 0; i < n; i++)
            if (b)
                s = work(s);
            else
                s += 2;
    }
    if (a)
        for (int i = 0; i < n; i++) {
            if (b) s += 3; else s += 4;
        }
    else
        s = -1;
    return s;
}

int main(void)
{
    for (int k = 0; k < 6; k++)
        printf("%d ", chain(k, 5 + k));
    for (int k = 0; k < 4; k++) printf("%d ", inner(k & 1, k & 2, 4));
    puts("");
    return 0;
}
