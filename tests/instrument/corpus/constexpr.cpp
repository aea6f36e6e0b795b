// FLAGS: -std=c++17
// SKIPPED: constexpr
// Functions that the compiler itself runs stay as they are.
#include <array>
#include <cstdio>

#define CONSTANT constexpr

constexpr int fibonacci(int n)
{
    int a = 0, b = 1;
    for (int i = 0; i < n; i++) {
        int c = a + b;
        a = b;
        b = c;
    }
    return a;
}

CONSTANT int hidden(int n)
{
    int s = 0;
    while (n-- > 0) s += 2;
    return s;
}

struct point {
    int x, y;
    constexpr point(int a, int b) : x(a), y(b) {}
    constexpr int sum() const { int s = 0; for (int v : {x, y}) s += v; return s; }
};

constexpr auto table()
{
    std::array<int, 5> a{};
    for (int i = 0; i < 5; i++)
        a[static_cast<unsigned>(i)] = fibonacci(i);
    return a;
}

static int runtime(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += fibonacci(i);
    return s;
}

int main()
{
    static_assert(fibonacci(10) == 55, "");
    constexpr point p(1, 2);
    constexpr auto t = table();
    int array[hidden(3)] = {0};
    auto counted = [](int n) constexpr { int s = 0; for (int i = 0; i < n; i++) s++; return s; };
    static_assert(counted(3) == 3, "");
    std::printf("%d %d %d %d %zu\n", p.sum(), t[4], runtime(7), counted(4), sizeof array / sizeof *array);
    return 0;
}
