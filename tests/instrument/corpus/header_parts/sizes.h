#pragma once
static inline int grow(int x, int by)
{
    while (by-- > 0)
        x++;
    return x;
}
