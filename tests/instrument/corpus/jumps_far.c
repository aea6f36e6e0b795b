/* SKIPPED: calls a function that returns twice */
/* setjmp and longjmp over procedures and loops. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;

static int leap(int depth)
{
    for (int i = 0; i < 3; i++) {
        if (depth == 0)
            longjmp(back, 7);
        leap(depth - 1);
    }
    return depth;
}

static int survive(int depth)
{
    volatile int before = depth;
    int code = setjmp(back);
    if (code == 0) {
        for (volatile int i = 0; i < 2; i++)
            leap(depth);
    }
    return code + before;
}

int main(void)
{
    int s = 0;
    for (int i = 0; i < 4; i++)
        s += survive(i);
    printf("%d\n", s);
    return 0;
}
