// Exceptions through procedures and loops, function-try blocks, noexcept, destructors in between.
#include <cstdio>
#include <stdexcept>
#include <string>

static int alive;

struct guard {
    guard() { alive++; }
    ~guard() { for (int i = 0; i < 1; i++) alive--; }
};

static int thrower(int n)
{
    guard g;
    for (int i = 0;; i++) {
        guard h;
        if (i == n)
            throw std::runtime_error("at " + std::to_string(i));
        if (i > 5)
            throw i;
    }
}

static int catcher(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        try {
            s += thrower(i);
        } catch (const std::exception &e) {
            for (const char *c = e.what(); *c; c++)
                s += *c == 't';
            if (i == 2)
                continue;
        } catch (int k) {
            while (k-- > 0) s += 10;
            break;
        }
    }
    return s;
}

struct member {
    int value;
    explicit member(int v) try : value(v > 3 ? throw v : v) {
        for (int i = 0; i < v; i++)
            value++;
    } catch (int k) {
        alive += k - k;
    }
};

static int whole(int n) try {
    for (int i = 0; i < n; i++) if (i == 2) throw 5;
    return 1;
} catch (int k) {
    int s = 0;
    for (int i = 0; i < k; i++) s++;
    return s;
}

static int quiet(int n) noexcept(noexcept(n + 1))
{
    int s = 0;
    do {
        try { s += thrower(n); } catch (...) { s++; }
    } while (s < 3);
    return s;
}

int main()
{
    int built = 0;
    for (int i = 0; i < 6; i++) {
        try {
            built += member(i).value;
        } catch (int k) {
            built += 100 * k;
        }
    }
    std::printf("%d %d %d %d %d %d\n", catcher(9), built, whole(2), whole(4), quiet(3), alive);
    return 0;
}
