// FLAGS: -std=c++17
// SKIPPED: constexpr
// Templates: functions, classes, members, specialisations, variadic, calls that depend on parameters, if constexpr.
#include <cstdio>
#include <string>
#include <type_traits>

namespace shapes {
template <class T, int N> class Vector {
    T items[N]{};

public:
    Vector() { for (int i = 0; i < N; i++) items[i] = T(i); }
    explicit Vector(T x)
    {
        for (auto &item : items)
            item = x;
    }
    T sum() const
    {
        T s{};
        for (int i = 0; i < N; i++)
            s += items[i];
        return s;
    }
    template <class U> U sum_as() const;
    T operator[](int i) const { return items[i]; }
    operator bool() const { return sum() != T(); }
    static int size() { return N; }
};

template <class T, int N> template <class U> U Vector<T, N>::sum_as() const
{
    U s = 0;
    for (const T &x : items)
        s += static_cast<U>(x);
    return s;
}
} // namespace shapes

template <class T> static std::string name(const T &)
{
    return "other";
}
template <> std::string name(const int &)
{
    std::string s;
    for (int i = 0; i < 3; i++)
        s += "i";
    return s;
}

template <class T> static T power(T x, unsigned n)
{
    T r(1);
    while (n-- > 0) {
        if constexpr (std::is_integral_v<T>) {
            for (int i = 0; i < 1; i++) r *= x;
        } else {
            r *= x;
        }
    }
    return r;
}

template <class... T> static int count(T... x)
{
    int s = 0;
    for (int v : {static_cast<int>(x)...})
        s += v;
    return s + static_cast<int>(sizeof...(x));
}

template <int N> struct factorial {
    static constexpr int value() { return N * factorial<N - 1>::value(); }
};
template <> struct factorial<0> {
    static constexpr int value() { return 1; }
};

template <class F, class... A> auto call(F &&f, A &&...a) -> decltype(f(a...))
{
    return f(a...);
}

int main()
{
    shapes::Vector<int, 4> v;
    shapes::Vector<double, 3> w(1.5);
    static_assert(factorial<5>::value() == 120, "");
    std::printf("%d %g %ld %d %d %s %s %d %g %d %d\n", v.sum(), w.sum(), v.sum_as<long>(), v[2], static_cast<bool>(w), name(3).c_str(),
                name("x").c_str(), power(3, 4), power(1.5, 2), count(1, 2.5, 'a'), call([](int a, int b) { return a - b; }, 7, 3));
    return 0;
}
