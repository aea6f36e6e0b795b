/* Arrays of variable length: in parameters, in loops, with sizeof, jumped around. */
#include <stdio.h>

static int sum(int n, int m, int v[n][m])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            s += v[i][j];
    return s;
}

static int fill(int n)
{
    int total = 0;
    for (int k = 1; k <= n; k++) {
        int v[k][k + 1];
        for (int i = 0; i < k; i++)
            for (int j = 0; j <= k; j++)
                v[i][j] = i * j;
        if (k == 3)
            continue;
        total += sum(k, k + 1, v) + (int)(sizeof v / sizeof v[0][0]);
        if (total > 5000)
            break;
    }
    return total;
}

static int pointer(int n)
{
    int v[n];
    int(*p)[n] = &v;
    for (int i = 0; i < n; i++) (*p)[i] = i;
    return (int)sizeof *p + v[n - 1];
}

int main(void)
{
    printf("%d %d\n", fill(9), pointer(7));
    return 0;
}
