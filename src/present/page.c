/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/page.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analyse/memory.h"
#include "present/text.h"

static const struct wf_glyphs utf8_glyphs = {
    .dot = "·",
    .ellipsis = "…",
    .rule = "─",
    .times = "×",
    .micro = "µ",
    .dash = "–",
    .to = "→",
    .from = "←",
    .with = "↔",
    .branch = "├",
    .corner = "└",
    .trunk = "│",
    .peak = "▲",
    .useful = "█",
    .mpi = "░",
    .track = "·",
    .eighths = {"·", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
    .levels = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
};
static const struct wf_glyphs ascii_glyphs = {
    .dot = "|",
    .ellipsis = "...",
    .rule = "-",
    .times = "x",
    .micro = "u",
    .dash = "-",
    .to = "->",
    .from = "<-",
    .with = "<->",
    .branch = "+",
    .corner = "`",
    .trunk = "|",
    .peak = "^",
    .useful = "#",
    .mpi = "-",
    .track = ".",
    .eighths = {".", ".", ".", ".", "#", "#", "#", "#", "#"},
    .levels = {".", "_", "_", "-", "-", "=", "=", "#", "#"},
};

static int page_terminal_width(FILE *out)
{
    struct winsize size;
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    return columns && atoi(columns) > 0 ? atoi(columns) : 80;
}

static bool page_wants_colour(FILE *out)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fileno(out)) && !(refused && *refused) && terminal && strcmp(terminal, "dumb") != 0;
}

void wf_page_init(struct wf_page *page, FILE *out, long long width)
{
    bool utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
    if (width == 0)
        width = page_terminal_width(out);
    width = width < WF_PAGE_NARROWEST ? WF_PAGE_NARROWEST : width > WF_PAGE_WIDEST ? WF_PAGE_WIDEST : width;
    *page = (struct wf_page){
        .out = out,
        .width = (int)width,
        .colour = page_wants_colour(out),
        .glyphs = utf8 ? &utf8_glyphs : &ascii_glyphs,
    };
}

static void page_print_styled(struct wf_page *page, enum wf_style style, const char *text)
{
    static const char *const codes[] = {[WF_BOLD] = "\033[1m",
                                        [WF_DIM] = "\033[2m",
                                        [WF_GOOD] = "\033[32m",
                                        [WF_WARN] = "\033[33m",
                                        [WF_BAD] = "\033[31m"};
    bool coloured = page->colour && style != WF_PLAIN;
    if (coloured)
        fputs(codes[style], page->out);
    fputs(text, page->out);
    if (coloured)
        fputs("\033[0m", page->out);
}

/* Everything that a page prints passes through here: the text is cleaned, and never NULL. */
static char *page_format(const char *format, va_list arguments)
{
    char *text;
    return vasprintf(&text, format, arguments) < 0 ? wf_memory_text("") : wf_text_clean(text);
}

void wf_page_print(struct wf_page *page, enum wf_style style, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = page_format(format, arguments);
    va_end(arguments);
    page_print_styled(page, style, text);
    free(text);
}

void wf_page_heading(struct wf_page *page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = page_format(format, arguments);
    va_end(arguments);
    fputc('\n', page->out);
    page_print_styled(page, WF_BOLD, text);
    fputc('\n', page->out);
    free(text);
}

void wf_page_rule(struct wf_page *page, int indent, int columns)
{
    int cells = (columns < page->width ? columns : page->width) - indent;
    char *rule = wf_memory_array((size_t)(cells > 0 ? cells : 0) * strlen(page->glyphs->rule) + 1, 1), *to = rule;
    while (cells-- > 0)
        to = stpcpy(to, page->glyphs->rule);
    fprintf(page->out, "%*s", indent, "");
    wf_page_print(page, WF_DIM, "%s", rule);
    fputc('\n', page->out);
    free(rule);
}

/* Bytes of the next line. A word wider than the page is broken. */
static size_t page_line_bytes(const char *text, int columns)
{
    size_t fit = wf_text_fit(text, columns);
    if (!text[fit] || text[fit] == ' ')
        return fit;
    for (size_t i = fit; i > 0; i--)
        if (text[i - 1] == ' ')
            return i - 1;
    return fit;
}

static void page_print_wrapped(struct wf_page *page, enum wf_style style, int indent, char *text)
{
    while (*text) {
        size_t bytes = page_line_bytes(text, page->width - indent);
        if (bytes == 0) /* a character wider than the line cannot occur, but must not cause an endless loop */
            bytes = strlen(text);
        size_t shown = bytes;
        while (shown > 0 && text[shown - 1] == ' ')
            shown--;
        char after = text[shown];
        text[shown] = '\0';
        page_print_styled(page, style, text);
        text[shown] = after;
        text += bytes;
        text += strspn(text, " ");
        if (*text)
            fprintf(page->out, "\n%*s", indent, "");
    }
    fputc('\n', page->out);
}

int wf_page_lines(const struct wf_page *page, int indent, const char *text)
{
    int lines = 0;
    for (; *text; lines++) {
        size_t bytes = page_line_bytes(text, page->width - indent);
        text += bytes ? bytes : strlen(text);
        text += strspn(text, " ");
    }
    return lines;
}

void wf_page_wrap(struct wf_page *page, enum wf_style style, const char *first, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = page_format(format, arguments);
    va_end(arguments);
    fputs(first, page->out);
    page_print_wrapped(page, style, wf_text_columns(first), text);
    free(text);
}

void wf_page_wrap_at(struct wf_page *page, enum wf_style style, int indent, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = page_format(format, arguments);
    va_end(arguments);
    page_print_wrapped(page, style, indent, text);
    free(text);
}
