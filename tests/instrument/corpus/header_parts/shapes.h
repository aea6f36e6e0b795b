#ifndef SHAPES_H
#define SHAPES_H
#include "sizes.h"
#include "../header_parts/names.h"

static inline int area(int a, int b)
{
    int s = 0;
    for (int i = 0; i < a; i++)
        s = grow(s, b);
    return s;
}

static inline int perimeter(int a, int b) { int s = 0; for (int i = 0; i < 2; i++) s = grow(s, a + b); return s; }
#endif
