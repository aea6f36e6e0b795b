// FLAGS: -std=c++17
// Raw strings, separators in numbers, characters and comments that look like code.
#include <cstdio>
#include <cstring>

static const char *raw = R"x(for (;;) { "quotes" } // not a comment
#pragma omp parallel for
)" still )x";
static const char *prefixed = u8R"(while (1) { )";
static int big = 1'000'000; static char quote = '"', brace = '{', backslash = '\\', apostrophe = '\'';

static int count(const char *s, char c) { int n = 0; for (; *s; s++) n += *s == c; /* "for" */ return n; }

int main()
{
    int s = 0'17; // ' one
    for (int i = 0'0; i < 1'0; i++) s += i; /* ' " { */
    while (s > 1'000) s -= 1'0'0;
    std::printf("%d %d %zu %d %c%c%c%c %s", count(raw, '\n'), big, std::strlen(prefixed), s, quote, brace, backslash, apostrophe, "%:\n");
    return 0;
}
