// FLAGS: -std=c++17
// SKIPPED: made by a macro
// SKIPPED: does not allow a probe
// Lambdas of all kinds: with loops, nested, generic, mutable, used in constant expressions, as arguments of macros.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

#define RUN(f) f()

static int twice(const std::function<int(int)> &f, int x)
{
    return f(f(x));
}

static auto at_file_scope = [](int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += i;
    return s;
};

template <class F> static int sum(const std::vector<int> &v, F f)
{
    int s = 0;
    for (int x : v) s += f(x);
    return s;
}

static int captures(int n)
{
    int s = 0;
    auto add = [&s](int x) mutable { while (x-- > 0) s++; return s; };
    auto nested = [&](int x) { return [=, &s](int y) { for (int i = 0; i < y; i++) s += x; return s; }; };
    add(n);
    nested(2)(3);
    return s;
}

int main()
{
    std::vector<int> v{3, 1, 2};
    std::sort(v.begin(), v.end(), [](int a, int b) { return a < b; });
    std::for_each(v.begin(), v.end(), [&](int &x) {
        for (int i = 0; i < 2; i++)
            x *= 2;
    });
    constexpr auto square = [](int x) { return x * x; };
    static_assert(square(3) == 9, "constant");
    auto generic = [](auto a, auto b) { for (int i = 0; i < 2; i++) a += b; return a; };
    int r = RUN([] { int s = 0; for (int i = 0; i < 5; i++) s += i; return s; });
    std::printf("%d %d %d %d %g %d %d\n", v[0], twice([](int x) { return x + 1; }, 5), at_file_scope(5), captures(4), generic(1.5, 2),
                sum(v, [](int x) -> int { if (x > 2) { return 2; } return 1; }), r);
    return [] { return 0; }();
}
