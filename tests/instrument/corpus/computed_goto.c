/* SKIPPED: a computed goto jumps into it */
/* SKIPPED: a computed goto jumps out of it */
/* An interpreter with a table of labels, and loops that a computed goto enters or leaves. */
#include <stdio.h>

static int add(int a, int b)
{
    return a + b;
}

static int interpret(const unsigned char *code)
{
    static const void *const table[] = {&&op_end, &&op_inc, &&op_double, &&op_sum};
    int value = 1;
    goto *table[*code];
op_inc:
    value = add(value, 1);
    goto *table[*++code];
op_double:
    for (int i = 0; i < 1; i++)
        value = add(value, value);
    goto *table[*++code];
op_sum:
    for (int i = 0; i < 4; i++)
        value = add(value, i);
    goto *table[*++code];
op_end:
    return value;
}

static int across(int n)
{
    void *where = n & 1 ? &&inside : &&outside;
    int i = 0, s = 0;
    goto *where;
outside:
    for (i = 0; i < n; i++) {
        s = add(s, i);
    inside:
        s = add(s, 1);
        if (s > 50) {
            where = &&end;
            goto *where;
        }
    }
end:
    return s;
}

static int leaves(int n)
{
    void *where = &&end;
    int s = 0;
    for (int i = 0; i < n; i++) {
        s = add(s, i);
        if (s > 9)
            goto *where;
    }
end:
    return s;
}

int main(void)
{
    const unsigned char code[] = {1, 2, 3, 2, 1, 0};
    printf("%d %d %d %d %d\n", interpret(code), across(4), across(5), across(40), leaves(20));
    return 0;
}
