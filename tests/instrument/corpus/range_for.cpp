// FLAGS: -std=c++20
// Loops over ranges, with initialisers, structured bindings, arrays, and loops under attributes.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

struct counter {
    int n;
    struct iterator {
        int i;
        int operator*() const { return i; }
        iterator &operator++() { ++i; return *this; }
        bool operator!=(const iterator &o) const { return i != o.i; }
    };
    iterator begin() const { return {0}; }
    iterator end() const { return {n}; }
};

int main()
{
    std::map<std::string, std::vector<int>> m{{"a", {1, 2}}, {"b", {3}}, {"c", {}}};
    int s = 0, a[] = {4, 5, 6};
    for (const auto &[key, values] : m)
        for (int x : values)
            s += x * static_cast<int>(key.size());
    for (int x : a) s += x;
    for (auto c = counter{4}; int x : c) { s += x; }
    for (auto &&x : counter{3})
        if (x == 1) continue; else s += x;
    for (auto it = m.begin(); it != m.end();) {
        if (it->second.empty()) it = m.erase(it); else ++it;
    }
    for (int i = 0; i < 3; i++) s++;
    if (s > 3) [[unlikely]] { while (s > 100) s -= 10; }
    std::printf("%d %zu\n", s, m.size());
    return 0;
}
