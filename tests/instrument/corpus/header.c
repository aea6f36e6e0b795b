/* SKIPPED: in a header that stays as it is */
/* Procedures in headers beside the source, headers that include others, and one that is read twice. */
#include "header_parts/shapes.h"
#include <stdio.h>

#define VALUE 2
#include "header_parts/twice.inc"
#undef VALUE
#define VALUE 3
#include "header_parts/twice.inc"

int main(void)
{
    int s = 0;
    for (int i = 0; i < 3; i++)
        s += area(i, i + 1) + perimeter(i, i + 1);
    printf("%d %s %d %d\n", s, shapes_file(), value_2(5), value_3(6));
    return 0;
}
