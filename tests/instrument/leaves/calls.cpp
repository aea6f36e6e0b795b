// SPDX-License-Identifier: BSD-3-Clause
//
// Procedures named short_... only call what is known to be short, and are leaves; those named long_... have probes. Loops say it themselves.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

using V = std::vector<double>;
struct P { double x, y; };
double short_index(const V &v, int i) { return v[i] + v.size() + v.at(i) + v.front() + v.back() + *v.begin() + v.empty() + v.data()[3]; }
void short_push(V &v) { v.push_back(3); v.emplace_back(4); v.pop_back(); v.reserve(10); v.resize(20); v.clear(); }
double short_iter(const V &v) { auto i = v.begin(); ++i; i++; i += 2; return i != v.end() ? *i : *(i + 1) + (i - v.begin()) + (i < v.end()); }
std::string short_string(const std::string &a) { std::string b = a + "x"; b += a; b.append("z"); return b == a ? b.substr(1) : std::to_string(b.length()) + b[0]; }
std::complex<double> short_complex(std::complex<double> a) { return a * a + std::conj(a) / std::abs(a) - a.real() + std::exp(a); }
double short_math(double x, float y) { return std::sin(x) + std::sqrt(y) + std::abs(x) + std::max(x, 3.0) + std::min(1, 2) + std::pow(x, 2) + std::isnan(x) + std::fmod(x, 2) + std::floor(y) + std::hypot(x, x); }
int short_map(std::map<int, int> &m, std::unordered_map<std::string, int> &u) { m[3] = 4; auto i = m.find(4); return i == m.end() ? 3 : i->second + u["x"] + (int)u.count("y"); }
int short_iterate_map(std::map<int, int> &m) { auto i = m.begin(); ++i; return i->first; }
int short_set(std::set<int> &m, std::list<int> &l, std::deque<int> &d) { m.insert(3); l.push_back(3); d.push_front(4); return *m.begin() + l.front() + d[3] + d.back() + (int)l.size(); }
double short_pointer(std::unique_ptr<P> &p, std::shared_ptr<P> q) { return p->x + (*p).y + q->x + (p ? 1 : 0) + q.get()->x; }
void short_throw(int n) { if (n < 0) throw std::runtime_error("negative"); if (n > 9) throw std::out_of_range(std::string("x")); }
double short_tuple(std::tuple<int, double> &t, std::pair<int, int> p, std::array<double, 3> &a) { auto q = std::make_pair(3, 4); std::swap(p, q); return std::get<0>(t) + p.first + a[2] + std::get<1>(p) + a.size(); }
long short_time() { auto t = std::chrono::steady_clock::now(); return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - t).count(); }
double short_chrono(std::chrono::duration<double> d) { return (d + d).count(); }
int short_atomic(std::atomic<int> &a) { a++; a += 2; int e = 3; a.compare_exchange_strong(e, 4); return a.load() + a.fetch_add(3) + a; }
double short_random(std::mt19937 &g) { std::uniform_real_distribution<double> d(0, 1); return d(g) + g(); }
int short_optional(const std::optional<int> &o) { return o.has_value() ? *o : o.value_or(3); }
double short_loop(const V &v) { double s = 0; for (int i = 0; i < 3; i++) s += v[i]; return s; } /* leaf */
void short_mem(char *a, const char *b) { std::memcpy(a, b, 3); std::strlen(a); std::move(a); }
double short_limits() { return std::numeric_limits<double>::max(); }

void long_sort(V &v) { std::sort(v.begin(), v.end()); }
double long_accumulate(V &v) { return std::accumulate(v.begin(), v.end(), 0.0); }
void long_for_each(V &v, void (*f)(double)) { std::for_each(v.begin(), v.end(), f); }
void long_listsort(std::list<int> &l) { l.sort(); }
void long_cout(int i) { std::cout << i << "x" << std::endl; }
void long_stream(std::ostream &o) { o << 3.0; }
void long_file() { std::ofstream f("x"); f.write("y", 1); }
void long_lock(std::mutex &m) { m.lock(); m.unlock(); }
void long_guard(std::mutex &m) { std::lock_guard<std::mutex> g(m); }
void long_wait(std::condition_variable &c, std::unique_lock<std::mutex> &l) { c.wait(l); }
void long_join(std::thread &t) { t.join(); }
int long_future(std::future<int> &f) { return f.get(); }
void long_sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }
int long_function(std::function<int(int)> &f) { return f(3); }
void long_printf() { std::printf("x"); }
void long_getline(std::string &s) { std::getline(std::cin, s); }

void long_loops(V &v, int n)
{
    for (int i = 0; i < n; i++) /* leaf */
        v.push_back(std::sin(v[i]));
    for (double x : v) /* leaf */
        short_math(x, x);
    for (auto i = v.begin(); i != v.end(); ++i) /* leaf */
        *i += 3;
    for (int i = 0; i < n; i++) /* probe */
        std::sort(v.begin(), v.end());
}
