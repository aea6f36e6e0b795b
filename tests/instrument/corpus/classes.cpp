// FLAGS: -Wold-style-cast -Wzero-as-null-pointer-constant -Wextra-semi -Wnon-virtual-dtor -Woverloaded-virtual -Weffc++ -Wno-effc++ -Wuseless-cast -Wno-unknown-warning-option
// Members defined in and out of classes, virtual ones, operators, static objects, local classes, unnamed namespaces, extern "C".
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {
int created;
struct tracked {
    tracked() { for (int i = 0; i < 2; i++) created++; }
    ~tracked() { created -= 2; }
} at_start;
} // namespace

namespace outer { namespace inner {
class base {
public:
    virtual ~base() {}
    virtual int value(int n) const = 0;
    int total(int n) const;
};
class derived : public base {
    int factor;

public:
    explicit derived(int f) : factor(f) {}
    int value(int n) const override { int s = 0; for (int i = 0; i < n; i++) s += factor; return s; }
    derived operator+(const derived &o) const { return derived(factor + o.factor); }
    derived &operator++()
    {
        factor++;
        return *this;
    }
    int operator()(int x) { while (x > factor) x -= factor; return x; }
    friend int peek(const derived &d) { return d.factor; }
    void *operator new(std::size_t n) { return std::malloc(n); }
    void operator delete(void *p) { std::free(p); }
};
int base::total(int n) const
{
    int s = 0;
    for (int i = 0; i <= n; ++i)
        s += value(i);
    return s;
}
} } // namespace outer::inner

extern "C" {
int plain(int n);
int plain(int n) { int s = 1; for (; n > 1; n--) s *= n; return s; }
}
extern "C" int other(int n)
{
    return plain(n) + 1;
}

static int once()
{
    static tracked t;
    static const int n = plain(3);
    struct local {
        int sum(int k) { int s = 0; for (int i = 0; i < k; i++) s += i; return s; }
    } l;
    return l.sum(n) + created;
}

int main()
{
    using outer::inner::derived;
    derived a(2), b(3);
    outer::inner::base *p = new derived(a + b);
    int r = p->total(4) + (++a)(11) + peek(a) + other(4) + once() + once();
    delete p;
    std::printf("%d %d\n", r, created);
    return 0;
}
