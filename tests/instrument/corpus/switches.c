/* SKIPPED: a switch jumps into it */
/* switch in loops, loops in switch, break and continue across both, fallthrough, Duff's device. */
#include <stdio.h>

static int f(int x)
{
    return x % 7 + 1;
}

static int in_loop(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        switch (i % 5) {
        case 0:
            continue;
        case 1:
            s += f(i);
            break;
        case 2:
            for (int j = 0; j < i; j++) {
                if (j == 3)
                    break;
                s += f(j);
            }
            /* fallthrough */
        case 3:
            while (s % 3)
                s++;
            break;
        default:
            s--;
        }
    }
    return s;
}

static int loop_in_case(int k)
{
    int s = 0;
    switch (k) {
    case 1: for (int i = 0; i < 9; i++) s += f(i); break;
    case 2:
    case 3:
        do {
            s += f(s);
        } while (s < 30);
        break;
    default: while (s < 4) s++;
    }
    return s;
}

static int duff(int count)
{
    int n = (count + 7) / 8, s = 0;
    switch (count % 8) {
    case 0: do { s += f(s); /* fallthrough */
    case 7: s += 7; /* fallthrough */
    case 6: s += 6; /* fallthrough */
    case 5: s += 5; /* fallthrough */
    case 4: s += 4; /* fallthrough */
    case 3: s += 3; /* fallthrough */
    case 2: s += 2; /* fallthrough */
    case 1: s += 1;
            } while (--n > 0);
    }
    return s;
}

static int half_in(int k, int n)
{
    int s = 0, i = 0;
    switch (k) {
    case 0:
        for (; i < n; i++) {
            for (int j = 0; j < 2; j++)
                s = f(s);
            if (0) {
            case 1:
                s += 2;
            }
        }
    }
    return s;
}

int main(void)
{
    printf("%d %d %d %d %d %d %d %d\n", in_loop(23), loop_in_case(1), loop_in_case(3), loop_in_case(9), duff(20), duff(3), half_in(0, 4), half_in(1, 5));
    return 0;
}
