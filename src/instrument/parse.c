/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "format/mpi_calls.h"
#include "instrument/cursor.h"

struct parser {
    const struct wf_parse *parse;
    struct wf_unit *unit;
    CXTranslationUnit tree;
    CXPrintingPolicy policy;
    char *mpi_folder; /* where mpi.h lies, with its slash: not the user's, wherever it is */
    CXFile last_file; /* of the last look-up, which is nearly always the next one's */
    int last_source;
};

/* Where the walk stands; each level has its own copy. */
struct walk {
    struct parser *parser;
    int region;        /* innermost procedure or loop, or WF_NONE */
    int switch_region; /* the same of the innermost switch */
    unsigned depth;
    bool unevaluated; /* in a sizeof or the like: calls there do not happen */
    bool bare;        /* in a branch of an if, without braces between */
    struct guard {    /* the statement before, if it is an if or a loop whose last part has no braces */
        bool is_one;
        unsigned column, end_line;
    } guard;
};

/* ---- places ---- */

struct place {
    int source; /* WF_NONE: not in the user's text */
    size_t at;
    bool inserted; /* in text that weft put there */
};

static int find_source(struct parser *parser, CXFile file)
{
    struct wf_unit *unit = parser->unit;
    if (file == parser->last_file)
        return parser->last_source;
    parser->last_file = file;
    parser->last_source = WF_NONE;
    for (size_t i = 0; i < unit->source_count; i++)
        if (unit->sources[i].file == file)
            parser->last_source = (int)i;
    return parser->last_source;
}

static const struct wf_rewritten *find_rewritten(const struct parser *parser, int source)
{
    const struct wf_parse *parse = parser->parse;
    for (size_t i = 0; i < parse->rewritten_count; i++)
        if (!strcmp(parse->rewritten[i].name, parser->unit->sources[source].name))
            return &parse->rewritten[i];
    return NULL;
}

/* Back to the original's place. The end of something is the place behind it, so it belongs to what is in front. */
static void unmap(const struct parser *parser, struct place *place, bool is_end)
{
    const struct wf_rewritten *rewritten = find_rewritten(parser, place->source);
    if (!rewritten)
        return;
    size_t low = 0, high = rewritten->span_count, at = place->at;
    while (low < high) { /* the last span that begins in front of the place */
        size_t middle = low + (high - low) / 2;
        if (rewritten->spans[middle].begin + is_end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return;
    const struct wf_span *span = &rewritten->spans[low - 1];
    place->inserted = at < span->begin + span->length + is_end;
    place->at = place->inserted ? span->at : at - span->before - span->length;
}

static struct place locate(struct parser *parser, CXSourceLocation location, bool is_end)
{
    CXFile file = NULL;
    unsigned offset = 0;
    wf_clang.getExpansionLocation(location, &file, NULL, NULL, &offset);
    struct place place = {file ? find_source(parser, file) : WF_NONE, offset, false};
    if (place.source != WF_NONE && parser->parse->rewritten_count)
        unmap(parser, &place, is_end);
    return place;
}

static struct place begin_of(struct parser *parser, CXCursor cursor)
{
    return locate(parser, wf_clang.getRangeStart(wf_clang.getCursorExtent(cursor)), false);
}

static struct place end_of(struct parser *parser, CXCursor cursor)
{
    return locate(parser, wf_clang.getRangeEnd(wf_clang.getCursorExtent(cursor)), true);
}

/* gcc names headers beside a source without directory "x.h", libclang "./x.h". */
static const char *plain_name(const struct parser *parser, const char *name)
{
    bool strip = !parser->parse->compiler->clang && !strchr(parser->parse->path, '/') && wf_text_starts(name, "./");
    return strip ? name + 2 : name;
}

static void presumed(const struct parser *parser, CXSourceLocation location, char **file, unsigned *line)
{
    CXString name;
    wf_clang.getPresumedLocation(location, &name, line, NULL);
    char *text = wf_clang_text(name);
    *file = wf_text_copy(plain_name(parser, text));
    free(text);
}

/* Whether the place is in a header of the system's that preprocessing has brought into a source of ours. */
static bool is_foreign(const struct parser *parser, CXSourceLocation location)
{
    char *file;
    unsigned line;
    if (!parser->unit->preprocessed)
        return false;
    presumed(parser, location, &file, &line);
    bool foreign = wf_compiler_is_system(parser->parse->compiler, parser->parse->line, file);
    free(file);
    return foreign;
}

static unsigned presumed_line(CXSourceLocation location)
{
    CXString name;
    unsigned line;
    wf_clang.getPresumedLocation(location, &name, &line, NULL);
    wf_clang.disposeString(name);
    return line;
}

static void set_lines(struct wf_region *region, CXCursor cursor)
{
    CXSourceRange extent = wf_clang.getCursorExtent(cursor);
    region->begin_line = presumed_line(wf_clang.getRangeStart(extent));
    region->end_line = presumed_line(wf_clang.getRangeEnd(extent));
}

/* ---- regions ---- */

static int add_region(struct walk *walk, struct wf_region region)
{
    struct wf_unit *unit = walk->parser->unit;
    unit->regions = wf_buffer_grow(unit->regions, unit->region_count, sizeof *unit->regions);
    unit->regions[unit->region_count] = region;
    return (int)unit->region_count++;
}

/* Whether the word stands in the text as a whole. */
static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        bool before = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (!before && !isalnum((unsigned char)at[length]) && at[length] != '_')
            return true;
    }
    return false;
}

/* What the function is declared with, macros and earlier declarations included, tells whether it can have a probe. */
static void judge_declaration(struct walk *walk, CXCursor cursor, struct wf_region *region)
{
    static const struct {
        const char *word, *reason;
    } words[] = {
        {"constexpr", "constexpr"},
        {"consteval", "consteval"},
        {"naked", "naked function"},
        {"no_instrument_function", "no_instrument_function"},
        {"ifunc", "ifunc"},
        {"gnu_inline", "inline without static"},
    };
    struct parser *parser = walk->parser;
    const CXCursor declarations[] = {cursor, wf_clang.getCanonicalCursor(cursor)}; /* attributes may be on the first one alone */
    for (size_t d = 0; d < sizeof declarations / sizeof *declarations; d++) {
        char *text = wf_clang_text(wf_clang.getCursorPrettyPrinted(declarations[d], parser->policy));
        text[strcspn(text, "{")] = '\0';
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (has_word(text, words[i].word))
                wf_region_skip(region, words[i].reason);
        free(text);
    }
    /* In C such a function has one body here and another one elsewhere; a static variable in it is an error. */
    if (!parser->unit->cplusplus && wf_clang.Cursor_isFunctionInlined(cursor) &&
        wf_clang.Cursor_getStorageClass(cursor) != CX_SC_Static)
        wf_region_skip(region, "inline without static");
}

/* Functions that the look-up of weft in a process, or the start of a process, runs through. */
static void judge_name(struct wf_region *region)
{
    static const char *const names[] = {"malloc",         "calloc",        "realloc", "free",   "memalign", "posix_memalign",
                                        "aligned_alloc",  "valloc",        "pvalloc", "cfree",  "dlsym",    "dlopen",
                                        "operator new",   "operator new[]", "operator delete",  "operator delete[]",
                                        "pthread_getspecific", "pthread_setspecific", "_start", "__tls_get_addr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(region->name, names[i]))
            wf_region_skip(region, "weft itself needs it");
}

static void judge_coroutine(const struct wf_source *source, struct wf_region *region)
{
    size_t i = wf_token_find(source->tokens, source->token_count, region->begin);
    for (; i < source->token_count && source->tokens[i].at < region->end; i++) {
        const struct wf_token *token = &source->tokens[i];
        if (token->kind == WF_TOKEN_WORD && (wf_token_is(source->text, token, "co_await") || wf_token_is(source->text, token, "co_yield") ||
                                             wf_token_is(source->text, token, "co_return")))
            wf_region_skip(region, "coroutine");
    }
}

/* Words in front of a lambda's body. */
static void judge_lambda(const struct wf_source *source, size_t begin, struct wf_region *region)
{
    size_t i = wf_token_find(source->tokens, source->token_count, begin);
    for (; i < source->token_count && source->tokens[i].at < region->begin; i++)
        if (wf_token_is(source->text, &source->tokens[i], "constexpr") || wf_token_is(source->text, &source->tokens[i], "consteval"))
            wf_region_skip(region, "constexpr");
}

static char *lambda_name(const struct walk *walk)
{
    const struct wf_unit *unit = walk->parser->unit;
    const char *around = walk->region == WF_NONE ? NULL : unit->regions[unit->regions[walk->region].procedure].name;
    return around ? wf_text_format("%s::<lambda>", around) : wf_text_copy("<lambda>");
}

/* Adds the procedure, and returns it; WF_NONE if the cursor has no body. */
static int enter_procedure(struct walk *walk, CXCursor cursor)
{
    struct parser *parser = walk->parser;
    struct wf_unit *unit = parser->unit;
    bool lambda = wf_clang.getCursorKind(cursor) == CXCursor_LambdaExpr;
    CXCursor body;
    struct place begin = wf_cursor_body(cursor, &body) ? begin_of(parser, body) : (struct place){.source = WF_NONE};
    if (begin.source == WF_NONE)
        return WF_NONE;
    const struct wf_source *source = &unit->sources[begin.source];
    struct wf_region region = {.kind = WF_PROCEDURE, .parent = WF_NONE, .source = (size_t)begin.source, .begin = begin.at};
    region.end = end_of(parser, body).at;
    set_lines(&region, body);
    region.name = lambda ? lambda_name(walk) : wf_cursor_qualified_name(cursor);
    region.key = lambda ? NULL : wf_clang_text(wf_clang.getCursorUSR(cursor));
    region.is_main = !strcmp(region.name, "main");
    presumed(parser, lambda ? wf_clang.getRangeStart(wf_clang.getCursorExtent(cursor)) : wf_clang.getCursorLocation(cursor), &region.file,
             &region.line);
    if (!parser->parse->rewritten_count) {
        if (!strchr("{<", source->text[region.begin]) || begin_of(parser, cursor).source != begin.source)
            wf_region_skip(&region, "made by a macro");
        judge_name(&region);
        judge_coroutine(source, &region);
        if (lambda)
            judge_lambda(source, begin_of(parser, cursor).at, &region);
        else
            judge_declaration(walk, cursor, &region);
    }
    region.procedure = (int)unit->region_count;
    return add_region(walk, region);
}

/* ---- loops ---- */

/* The places of the two semicolons in for (a; b; c). */
static bool find_semicolons(const struct wf_source *source, size_t at, size_t found[2])
{
    size_t i = wf_token_find(source->tokens, source->token_count, at) + 1, count = 0;
    int depth = 0;
    for (; i < source->token_count && count < 2; i++) {
        char c = source->tokens[i].kind == WF_TOKEN_SIGN ? source->text[source->tokens[i].at] : 0;
        depth += (c == '(' || c == '{' || c == '[') - (c == ')' || c == '}' || c == ']');
        if (depth <= 0)
            return false;
        if (c == ';' && depth == 1)
            found[count++] = source->tokens[i].at;
    }
    return count == 2;
}

/* The number a part of the loop's head sets or compares with. */
static bool bound_of(CXCursor part, long long *value)
{
    enum CXCursorKind kind = wf_clang.getCursorKind(part);
    struct wf_children children = wf_cursor_children(part);
    if (kind == CXCursor_DeclStmt && children.count == 1)
        return wf_cursor_evaluate(children.items[0], value);
    return kind == CXCursor_BinaryOperator && children.count == 2 &&
           (wf_cursor_evaluate(children.items[1], value) || wf_cursor_evaluate(children.items[0], value));
}

enum { TINY_ROUNDS = 16 };

/* for (k = 0; k < 3; k++): a loop that its author meant to be unrolled, not looked at. */
static bool is_tiny(struct parser *parser, CXCursor loop, const struct wf_region *region)
{
    const struct wf_source *source = &parser->unit->sources[region->source];
    size_t semicolons[2];
    long long from, to;
    bool has_from = false, has_to = false;
    if (wf_clang.getCursorKind(loop) != CXCursor_ForStmt || strncmp(source->text + region->begin, "for", 3) != 0 ||
        !find_semicolons(source, region->begin, semicolons))
        return false;
    struct wf_children children = wf_cursor_children(loop);
    for (size_t i = 0; i < children.count && i < sizeof children.items / sizeof *children.items; i++) {
        size_t at = begin_of(parser, children.items[i]).at;
        if (at < semicolons[0])
            has_from = bound_of(children.items[i], &from);
        else if (at < semicolons[1])
            has_to = bound_of(children.items[i], &to);
    }
    return has_from && has_to && llabs(to - from) <= TINY_ROUNDS;
}

/* do { ... } while (0) is a way to write macros. */
static bool is_loop(CXCursor cursor, enum CXCursorKind kind)
{
    long long value;
    if (kind == CXCursor_DoStmt) {
        struct wf_children children = wf_cursor_children(cursor);
        return !(children.count == 2 && wf_cursor_evaluate(children.items[1], &value) && value == 0);
    }
    return kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_CXXForRangeStmt;
}

static int enter_loop(struct walk *walk, CXCursor cursor)
{
    struct parser *parser = walk->parser;
    struct place begin = begin_of(parser, cursor);
    enum CXCursorKind kind = wf_clang.getCursorKind(cursor);
    if (begin.source == WF_NONE || walk->region == WF_NONE)
        return WF_NONE;
    struct wf_region region = {.kind = WF_LOOP, .parent = walk->region, .source = (size_t)begin.source, .begin = begin.at};
    region.procedure = parser->unit->regions[walk->region].procedure;
    struct place end = end_of(parser, cursor);
    region.end = end.at;
    set_lines(&region, cursor);
    region.name = wf_text_copy(kind == CXCursor_WhileStmt ? "while" : kind == CXCursor_DoStmt ? "do" : "for");
    presumed(parser, wf_clang.getRangeStart(wf_clang.getCursorExtent(cursor)), &region.file, &region.line);
    if (!parser->parse->rewritten_count) {
        size_t length = strlen(region.name);
        const char *text = parser->unit->sources[begin.source].text + begin.at;
        if (strncmp(text, region.name, length) != 0 || isalnum((unsigned char)text[length]) || text[length] == '_' || end.source != begin.source)
            wf_region_skip(&region, "made by a macro");
        region.tiny = is_tiny(parser, cursor, &region);
        CXCursor tail = wf_cursor_tail(cursor);
        region.semicolon = wf_cursor_needs_semicolon(wf_clang.getCursorKind(tail));
        region.tail = begin_of(parser, tail).at;
    }
    return add_region(walk, region);
}

/* ---- calls ---- */

static bool is_watched(const char *name)
{
    if (!wf_text_starts(name, "MPI_"))
        return false;
    for (unsigned i = 0; i < wf_mpi_call_count; i++)
        if (!strcmp(wf_mpi_call_names[i], name))
            return true;
    return false;
}

/* Functions that return twice or look at their own frame: their callers stay as they are. */
static const char *disturbed_by_probe(const char *callee)
{
    static const char *const twice[] = {"setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", "savectx", "vfork", "getcontext",
                                        "__builtin_setjmp"};
    static const char *const frame[] = {"__builtin_return_address", "__builtin_frame_address", "__builtin_va_arg_pack",
                                        "__builtin_va_arg_pack_len", "__builtin_apply_args", "__builtin_apply", "__builtin_return",
                                        "__builtin_unwind_init", "__builtin_eh_return", "__builtin_dwarf_cfa"};
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
        if (!strcmp(callee, twice[i]))
            return "calls a function that returns twice";
    for (size_t i = 0; i < sizeof frame / sizeof *frame; i++)
        if (!strcmp(callee, frame[i]))
            return "looks at its own frame";
    return NULL;
}

static bool is_compiler_generated(struct parser *parser, CXCursor function)
{
    enum CXCursorKind kind = wf_clang.getCursorKind(function);
    if (kind != CXCursor_Constructor && kind != CXCursor_Destructor && kind != CXCursor_CXXMethod)
        return false;
    if (wf_clang.CXXMethod_isDefaulted(function))
        return true;
    struct place own = locate(parser, wf_clang.getCursorLocation(function), false);
    struct place class = locate(parser, wf_clang.getCursorLocation(wf_clang.getCursorSemanticParent(function)), false);
    return own.source == class.source && own.at == class.at;
}

/* The name in a call whose callee is not known before its template is used; NULL if it is no call: T(0). */
static char *dependent_name(CXCursor call)
{
    struct wf_children children = wf_cursor_children(call);
    if (!children.count)
        return wf_text_copy("*");
    enum CXCursorKind kind = wf_clang.getCursorKind(children.items[0]);
    if (kind == CXCursor_TypeRef || kind == CXCursor_TemplateRef || kind == CXCursor_NamespaceRef)
        return NULL;
    char *name = wf_clang_text(wf_clang.getCursorSpelling(children.items[0]));
    if (*name)
        return name;
    free(name);
    return wf_text_copy("*");
}

/* Fills callee, key and library; false if it is not a call that matters to anybody. */
static bool name_callee(struct parser *parser, CXCursor cursor, struct wf_call *call)
{
    CXCursor callee = wf_clang.getCursorReferenced(cursor);
    if (wf_clang.Cursor_isNull(callee) || !wf_cursor_is_function(wf_clang.getCursorKind(callee))) {
        call->callee = wf_clang.Cursor_isNull(callee) ? dependent_name(cursor) : wf_text_copy("*");
        return call->callee != NULL;
    }
    CXCursor pattern = wf_clang.getSpecializedCursorTemplate(callee);
    if (!wf_clang.Cursor_isNull(pattern))
        callee = pattern;
    if (is_compiler_generated(parser, callee))
        return false;
    call->callee = wf_cursor_qualified_name(callee);
    call->library = locate(parser, wf_clang.getCursorLocation(callee), false).source == WF_NONE;
    bool dynamic = wf_clang.getCursorKind(callee) == CXCursor_CXXMethod && wf_clang.CXXMethod_isVirtual(callee);
    if (!call->library && !dynamic)
        call->key = wf_clang_text(wf_clang.getCursorUSR(callee));
    return true;
}

static void add_call(struct walk *walk, CXCursor cursor)
{
    struct parser *parser = walk->parser;
    struct wf_unit *unit = parser->unit;
    struct wf_call call = {.kind = WF_CALL, .parent = walk->region, .target = WF_NONE};
    if (walk->region == WF_NONE || walk->unevaluated || !name_callee(parser, cursor, &call))
        return;
    const char *reason = disturbed_by_probe(call.callee);
    if (reason)
        wf_region_skip(&unit->regions[unit->regions[walk->region].procedure], reason);
    if (is_watched(call.callee))
        call.kind = WF_COMMUNICATION;
    else if (wf_text_starts(call.callee, "MPI_") || wf_text_starts(call.callee, "PMPI_"))
        call.library = true;
    /* a.b().c(): the place of the name, not of the whole. */
    struct wf_children children = wf_cursor_children(cursor);
    bool member = children.count && wf_clang.getCursorKind(children.items[0]) == CXCursor_MemberRefExpr;
    presumed(parser, wf_clang.getCursorLocation(member ? children.items[0] : cursor), &call.file, &call.line);
    unit->calls = wf_buffer_grow(unit->calls, unit->call_count, sizeof *unit->calls);
    unit->calls[unit->call_count++] = call;
}

/* ---- jumps ---- */

static void add_jump(const struct walk *walk, enum wf_jump_kind kind, char *label)
{
    struct wf_unit *unit = walk->parser->unit;
    unit->jumps = wf_buffer_grow(unit->jumps, unit->jump_count, sizeof *unit->jumps);
    unit->jumps[unit->jump_count++] = (struct wf_jump){kind, walk->region, label};
}

static char *label_of(CXCursor cursor)
{
    struct wf_children children = wf_cursor_children(cursor);
    return wf_clang_text(wf_clang.getCursorSpelling(children.count ? children.items[0] : cursor));
}

static void note_asm_goto(struct walk *walk, CXCursor cursor)
{
    struct wf_unit *unit = walk->parser->unit;
    struct place place = begin_of(walk->parser, cursor);
    if (place.source == WF_NONE || walk->region == WF_NONE)
        return;
    const struct wf_source *source = &unit->sources[place.source];
    size_t i = wf_token_find(source->tokens, source->token_count, place.at);
    bool asm_word = i < source->token_count && source->tokens[i].kind == WF_TOKEN_WORD &&
                    (wf_token_is(source->text, &source->tokens[i], "asm") || wf_token_is(source->text, &source->tokens[i], "__asm__") ||
                     wf_token_is(source->text, &source->tokens[i], "__asm"));
    bool jumps = !asm_word; /* from a macro: it might */
    for (; i < source->token_count && source->tokens[i].kind == WF_TOKEN_WORD; i++)
        jumps |= wf_token_is(source->text, &source->tokens[i], "goto");
    if (jumps)
        unit->regions[unit->regions[walk->region].procedure].asm_goto = true;
}

static void note_jump(struct walk *walk, CXCursor cursor, enum CXCursorKind kind)
{
    struct wf_unit *unit = walk->parser->unit;
    if (walk->region == WF_NONE)
        return;
    switch (kind) {
    case CXCursor_LabelStmt:
        add_jump(walk, WF_LABEL, wf_clang_text(wf_clang.getCursorSpelling(cursor)));
        break;
    case CXCursor_GotoStmt:
        add_jump(walk, WF_GOTO, label_of(cursor));
        break;
    case CXCursor_AddrLabelExpr:
        add_jump(walk, WF_LABEL_ADDRESS, label_of(cursor));
        break;
    case CXCursor_IndirectGotoStmt:
        add_jump(walk, WF_COMPUTED_GOTO, NULL);
        break;
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        /* Duff's device: a switch jumps into loops that begin inside of it. */
        for (int r = walk->region; r != WF_NONE && r != walk->switch_region && unit->regions[r].kind == WF_LOOP; r = unit->regions[r].parent)
            wf_region_skip(&unit->regions[r], "a switch jumps into it");
        break;
    case CXCursor_GCCAsmStmt:
        note_asm_goto(walk, cursor);
        break;
    default:
        break;
    }
}

/* ---- what compilers may warn of ---- */

static bool is_guard(enum CXCursorKind kind)
{
    return kind == CXCursor_IfStmt || kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_CXXForRangeStmt;
}

/* Not in a macro. */
static bool begins_with_keyword(struct parser *parser, CXCursor cursor)
{
    struct place place = begin_of(parser, cursor);
    const char *text = place.source == WF_NONE ? "" : parser->unit->sources[place.source].text + place.at;
    size_t length = wf_text_starts(text, "while") ? 5 : wf_text_starts(text, "for") ? 3 : wf_text_starts(text, "if") ? 2 : 0;
    return length && !isalnum((unsigned char)text[length]) && text[length] != '_';
}

/* The column, with tabs, and the line in the file. */
static unsigned column_of(CXSourceLocation location, unsigned *line)
{
    unsigned column;
    wf_clang.getExpansionLocation(location, NULL, line, &column, NULL);
    return column;
}

/* gcc looks at indentation only in a text without #line, and at an ambiguous else only where no braces are. Such places are noted, so that
 * its messages can be taken from the original. */
static void doubt(struct walk *walk, CXCursor cursor, enum CXCursorKind kind, enum CXCursorKind parent)
{
    struct wf_unit *unit = walk->parser->unit;
    if (walk->parser->parse->rewritten_count || walk->region == WF_NONE)
        return;
    CXSourceRange extent = wf_clang.getCursorExtent(cursor);
    unsigned line, column = column_of(wf_clang.getRangeStart(extent), &line);
    bool indented = parent == CXCursor_CompoundStmt && walk->guard.is_one && (column > walk->guard.column || line == walk->guard.end_line);
    bool ambiguous = kind == CXCursor_IfStmt && walk->bare && parent != CXCursor_IfStmt && wf_cursor_children(cursor).count > 2;
    unit->doubtful |= indented || ambiguous;
    walk->guard = (struct guard){.column = column};
    column_of(wf_clang.getRangeEnd(extent), &walk->guard.end_line);
    bool in_text = is_guard(kind) && begins_with_keyword(walk->parser, cursor);
    while (in_text && is_guard(wf_clang.getCursorKind(cursor)))
        cursor = wf_cursor_children(cursor).last;
    walk->guard.is_one = in_text && wf_clang.getCursorKind(cursor) != CXCursor_CompoundStmt;
}

/* ---- the walk ---- */

/* Kind, depth and beginning of all nodes, in order, are the tree. Blocks must also end where they did; what ends with a loop that now is in
 * braces ends with the brace. */
static void hash_node(struct walk *walk, CXCursor cursor, enum CXCursorKind kind, struct place begin)
{
    struct wf_unit *unit = walk->parser->unit;
    struct place end = {0};
    if (walk->region == WF_NONE)
        return;
    if (kind == CXCursor_CompoundStmt)
        end = end_of(walk->parser, cursor);
    uint64_t *hash = &unit->regions[unit->regions[walk->region].procedure].hash;
    const uint64_t values[] = {(uint64_t)kind, walk->depth, (uint64_t)begin.source, begin.at, (uint64_t)end.source, end.at, end.inserted};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        *hash = (*hash ^ values[i]) * UINT64_C(0x100000001b3) + (*hash >> 29);
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data);

static void descend(struct walk *walk, CXCursor cursor, int region)
{
    struct walk inner = *walk;
    inner.depth++;
    inner.region = region;
    wf_clang.visitChildren(cursor, visit, &inner);
}

/* The region that the cursor opens, or the one that is open already. */
static int region_of(struct walk *walk, CXCursor cursor, enum CXCursorKind kind)
{
    int region = WF_NONE;
    if (wf_cursor_is_function(kind) || kind == CXCursor_LambdaExpr)
        region = enter_procedure(walk, cursor);
    else if (is_loop(cursor, kind))
        region = enter_loop(walk, cursor);
    return region == WF_NONE ? walk->region : region;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct walk *walk = data, here = *walk;
    enum CXCursorKind kind = wf_clang.getCursorKind(cursor);
    struct place begin = begin_of(walk->parser, cursor);
    if (begin.inserted) {
        if (kind == CXCursor_CompoundStmt) /* the braces around a loop */
            wf_clang.visitChildren(cursor, visit, walk);
        return CXChildVisit_Continue;
    }
    if (walk->region == WF_NONE && (begin.source == WF_NONE || (wf_cursor_is_function(kind) && !wf_clang.isCursorDefinition(cursor))))
        return CXChildVisit_Continue;
    if (walk->region == WF_NONE && wf_cursor_is_function(kind) && is_foreign(walk->parser, wf_clang.getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    hash_node(walk, cursor, kind, begin);
    if (kind == CXCursor_CallExpr)
        add_call(walk, cursor);
    note_jump(walk, cursor, kind);
    doubt(walk, cursor, kind, wf_clang.getCursorKind(parent));
    here.guard.is_one = false;
    here.unevaluated |= kind == CXCursor_UnaryExpr;
    here.bare = kind == CXCursor_IfStmt || (walk->bare && kind != CXCursor_CompoundStmt);
    if (kind == CXCursor_SwitchStmt)
        here.switch_region = walk->region;
    descend(&here, cursor, region_of(walk, cursor, kind));
    return CXChildVisit_Continue;
}

/* ---- sources ---- */

static void add_source(struct parser *parser, CXFile file)
{
    struct wf_unit *unit = parser->unit;
    struct wf_source source = {.file = file, .included = 1};
    char *name = wf_clang_text(wf_clang.getFileName(file));
    source.name = wf_text_copy(plain_name(parser, name));
    free(name);
    source.text = wf_clang.getFileContents(parser->tree, file, &source.length);
    if (!source.text)
        source.text = "";
    if (!parser->parse->rewritten_count)
        source.token_count = wf_lexer_scan(source.text, source.length, &source.tokens);
    unit->sources = wf_buffer_grow(unit->sources, unit->source_count, sizeof *unit->sources);
    unit->sources[unit->source_count++] = source;
}

static void see_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    struct parser *parser = data;
    struct wf_unit *unit = parser->unit;
    (void)stack;
    for (size_t i = 0; i < unit->source_count; i++) {
        if (unit->sources[i].file == file) {
            unit->sources[i].included++;
            return;
        }
    }
    char *name = wf_clang_text(wf_clang.getFileName(file));
    if (!parser->mpi_folder && !strcmp(wf_path_base(name), "mpi.h") && strchr(name, '/'))
        parser->mpi_folder = wf_text_copy_bytes(name, (size_t)(wf_path_base(name) - name));
    bool system = depth > 0 && (wf_compiler_is_system(parser->parse->compiler, parser->parse->line, name) ||
                                (parser->mpi_folder && wf_text_starts(name, parser->mpi_folder)) || strstr(name, "/weft/probe.h"));
    free(name);
    if (!system)
        add_source(parser, file);
}

/* It begins with a line marker of the preprocessor's: # 1 "foo.c" */
static bool is_preprocessed(const struct wf_source *source)
{
    return source->length > 2 && source->text[0] == '#' && source->text[1] == ' ' && isdigit((unsigned char)source->text[2]);
}

/* The main file has to be the first. */
static void find_sources(struct parser *parser)
{
    CXFile main = wf_clang.getFile(parser->tree, parser->parse->path);
    if (main)
        add_source(parser, main);
    wf_clang.getInclusions(parser->tree, see_inclusion, parser);
    if (main) {
        parser->unit->sources[0].included--;
        parser->unit->preprocessed = parser->parse->preprocessed || is_preprocessed(&parser->unit->sources[0]);
    }
    free(parser->mpi_folder);
    parser->mpi_folder = NULL;
}

int wf_parse_find_source(const struct wf_unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->source_count; i++)
        if (!strcmp(unit->sources[i].name, name))
            return (int)i;
    return WF_NONE;
}

/* ---- parsing ---- */

/* The first note that points into inserted text, or the error's own place: f(3) is not constant *because* of the probe in f. */
static struct place place_to_blame(struct parser *parser, CXDiagnostic diagnostic)
{
    CXDiagnosticSet notes = wf_clang.getChildDiagnostics(diagnostic); /* the diagnostic's own */
    struct place place = locate(parser, wf_clang.getDiagnosticLocation(diagnostic), false);
    for (unsigned i = 0; !place.inserted && i < wf_clang.getNumDiagnosticsInSet(notes); i++) {
        CXDiagnostic note = wf_clang.getDiagnosticInSet(notes, i);
        struct place other = locate(parser, wf_clang.getDiagnosticLocation(note), false);
        if (other.inserted)
            place = other;
        wf_clang.disposeDiagnostic(note);
    }
    return place;
}

/* Errors that leave the user's tree as it is. What gcc's preprocessor has made of the system's headers is not meant for libclang, but what the user
 * makes of it would be an error of its own; and clang's <omp.h> declares variants with pragmas, which need the -fopenmp that libclang does not get. */
static bool is_harmless(const struct parser *parser, CXSourceLocation location)
{
    const struct wf_parse *parse = parser->parse;
    char *file;
    unsigned line;
    presumed(parser, location, &file, &line);
    bool omp = parse->line->openmp && !strcmp(wf_path_base(file), "omp.h") && wf_compiler_is_system(parse->compiler, parse->line, file);
    free(file);
    return omp || is_foreign(parser, location);
}

/* 1 and the first error, if there is one. */
static int complain(struct parser *parser, struct wf_complaint *complaint)
{
    unsigned count = wf_clang.getNumDiagnostics(parser->tree);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = wf_clang.getDiagnostic(parser->tree, i);
        bool error = wf_clang.getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error &&
                     !is_harmless(parser, wf_clang.getDiagnosticLocation(diagnostic));
        if (error) {
            CXSourceLocation location = wf_clang.getDiagnosticLocation(diagnostic);
            struct place place = place_to_blame(parser, diagnostic);
            char *file, *message = wf_clang_text(wf_clang.getDiagnosticSpelling(diagnostic));
            unsigned line;
            presumed(parser, location, &file, &line);
            *complaint = (struct wf_complaint){.source = place.source, .at = place.at};
            complaint->message = *file ? wf_text_format("%s:%u: %s", file, line, message) : wf_text_copy(message);
            free(file);
            free(message);
        }
        wf_clang.disposeDiagnostic(diagnostic);
        if (error)
            return 1;
    }
    return 0;
}

static int read_tree(struct parser *parser, struct wf_error *error)
{
    const struct wf_parse *parse = parser->parse;
    struct CXUnsavedFile *files = calloc(parse->rewritten_count + 1, sizeof *files);
    for (size_t i = 0; files && i < parse->rewritten_count; i++) {
        const struct wf_rewritten *rewritten = &parse->rewritten[i];
        files[i] = (struct CXUnsavedFile){rewritten->name, rewritten->text.data, rewritten->text.length};
    }
    struct wf_words words = {0};
    wf_words_add_all(&words, parse->words);
    if (parse->without_templates)
        wf_words_add(&words, "-fdelayed-template-parsing");
    /* "Incomplete": without instantiating templates. */
    parser->unit->index = wf_clang.createIndex(0, 0);
    enum CXErrorCode code =
        wf_clang.parseTranslationUnit2(parser->unit->index, parse->path, (const char *const *)words.items, (int)words.count, files,
                                       (unsigned)parse->rewritten_count, CXTranslationUnit_Incomplete, &parser->tree);
    parser->unit->tree = parser->tree;
    wf_words_fini(&words);
    free(files);
    return code == CXError_Success ? 0 : wf_error_set(error, "libclang fails with it (error %d)", (int)code);
}

int wf_parse_unit(const struct wf_parse *parse, struct wf_unit *unit, struct wf_complaint *complaint, struct wf_error *error)
{
    struct parser parser = {.parse = parse, .unit = unit, .last_source = WF_NONE};
    *unit = (struct wf_unit){.file = wf_text_copy(parse->path), .cplusplus = parse->compiler->cplusplus};
    *complaint = (struct wf_complaint){.source = WF_NONE};
    if (read_tree(&parser, error))
        return -1;
    find_sources(&parser);
    parser.last_file = NULL;
    if (complain(&parser, complaint))
        return 1;
    CXCursor root = wf_clang.getTranslationUnitCursor(parser.tree);
    parser.policy = wf_clang.getCursorPrintingPolicy(root);
    wf_clang.PrintingPolicy_setProperty(parser.policy, CXPrintingPolicy_TerseOutput, 1);
    struct walk walk = {.parser = &parser, .region = WF_NONE, .switch_region = WF_NONE};
    wf_clang.visitChildren(root, visit, &walk);
    wf_clang.PrintingPolicy_dispose(parser.policy);
    return 0;
}

void wf_parse_forget(struct wf_unit *unit)
{
    if (unit->tree)
        wf_clang.disposeTranslationUnit(unit->tree);
    if (unit->index)
        wf_clang.disposeIndex(unit->index);
    wf_unit_fini(unit);
}
