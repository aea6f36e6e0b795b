/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/walk.h"

#include <stdlib.h>
#include <string.h>

#include "format/mpi_calls.h"
#include "instrument/candidate.h"
#include "instrument/cursor.h"
#include "instrument/doubt.h"
#include "instrument/source_place.h"

/* The state of the walk; each level of the tree has its own copy. */
struct walk {
    struct wf_parser *parser;
    int region;        /* innermost procedure or loop, or WF_NONE */
    int switch_region; /* the one around the innermost switch */
    unsigned depth;
    bool unevaluated; /* in a sizeof or the like: calls there do not happen */
    struct wf_doubt doubt;
};

/* ---- procedures ---- */

static int walk_add_region(struct walk *walk, struct wf_source_region region)
{
    struct wf_source_unit *unit = walk->parser->unit;
    unit->regions = wf_buffer_grow(unit->regions, unit->region_count, sizeof *unit->regions);
    unit->regions[unit->region_count] = region;
    return (int)unit->region_count++;
}

static char *walk_lambda_name(const struct walk *walk)
{
    const struct wf_source_unit *unit = walk->parser->unit;
    const char *around = walk->region == WF_NONE ? NULL : unit->regions[unit->regions[walk->region].procedure].name;
    return around ? wf_text_format("%s::<lambda>", around) : wf_text_copy("<lambda>");
}

/* Adds the procedure, and returns it; WF_NONE if the cursor has no body. */
static int walk_enter_procedure(struct walk *walk, CXCursor cursor)
{
    struct wf_parser *parser = walk->parser;
    struct wf_source_unit *unit = parser->unit;
    bool lambda = wf_clang.getCursorKind(cursor) == CXCursor_LambdaExpr;
    CXCursor body;
    struct wf_source_place begin = wf_cursor_body(cursor, &body) ? wf_source_place_begin(parser, body)
                                                                 : (struct wf_source_place){.source = WF_NONE};
    if (begin.source == WF_NONE)
        return WF_NONE;
    struct wf_source_region region = {
        .kind = WF_PROCEDURE, .parent = WF_NONE, .source = (size_t)begin.source, .begin = begin.at};
    region.end = wf_source_place_end(parser, body).at;
    wf_source_place_set_lines(&region, body);
    region.name = lambda ? walk_lambda_name(walk) : wf_cursor_qualified_name(cursor);
    region.key = lambda ? NULL : wf_clang_text(wf_clang.getCursorUSR(cursor));
    region.is_main = !strcmp(region.name, "main");
    wf_source_place_presumed(
        parser, lambda ? wf_clang.getRangeStart(wf_clang.getCursorExtent(cursor)) : wf_clang.getCursorLocation(cursor),
        &region.file, &region.line);
    if (!parser->parse->rewritten_count)
        wf_candidate_judge_procedure(parser, cursor, &region);
    region.procedure = (int)unit->region_count;
    return walk_add_region(walk, region);
}

/* ---- loops ---- */

/* do { ... } while (0) is no loop, but an idiom of macros. */
static bool walk_is_loop(CXCursor cursor, enum CXCursorKind kind)
{
    long long value;
    if (kind == CXCursor_DoStmt) {
        struct wf_children children = wf_cursor_children(cursor);
        return !(children.count == 2 && wf_cursor_evaluate(children.items[1], &value) && value == 0);
    }
    return kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_CXXForRangeStmt;
}

static int walk_enter_loop(struct walk *walk, CXCursor cursor)
{
    struct wf_parser *parser = walk->parser;
    struct wf_source_place begin = wf_source_place_begin(parser, cursor);
    enum CXCursorKind kind = wf_clang.getCursorKind(cursor);
    if (begin.source == WF_NONE || walk->region == WF_NONE)
        return WF_NONE;
    struct wf_source_region region = {
        .kind = WF_LOOP, .parent = walk->region, .source = (size_t)begin.source, .begin = begin.at};
    region.procedure = parser->unit->regions[walk->region].procedure;
    region.end = wf_source_place_end(parser, cursor).at;
    wf_source_place_set_lines(&region, cursor);
    region.name = wf_text_copy(kind == CXCursor_WhileStmt ? "while" : kind == CXCursor_DoStmt ? "do" : "for");
    wf_source_place_presumed(parser, wf_clang.getRangeStart(wf_clang.getCursorExtent(cursor)), &region.file,
                             &region.line);
    if (!parser->parse->rewritten_count) {
        wf_candidate_judge_loop(parser, cursor, &region);
        CXCursor tail = wf_cursor_tail(cursor);
        region.semicolon = wf_cursor_needs_semicolon(wf_clang.getCursorKind(tail));
        region.tail = wf_source_place_begin(parser, tail).at;
    }
    return walk_add_region(walk, region);
}

/* ---- calls ---- */

/* `name`: MPI_..., not PMPI_... */
static bool walk_is_watched(const char *name)
{
    for (unsigned i = 0; i < wf_mpi_call_count; i++)
        if (!strcmp(wf_mpi_call_names[i], name))
            return true;
    return false;
}

/* The name in a call whose callee depends on template parameters; NULL if it is a conversion: T(0). */
static char *walk_dependent_name(CXCursor call)
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

/* libclang gives builtins the place of their first use. */
static bool walk_is_builtin(const char *name)
{
    return wf_text_starts(name, "__builtin_") || wf_text_starts(name, "__sync_") || wf_text_starts(name, "__atomic_") ||
           wf_text_starts(name, "__c11_atomic_");
}

/* Fills callee, key, library and is_short. False for conversions and for functions that the compiler generates. */
static bool walk_name_callee(struct wf_parser *parser, CXCursor cursor, struct wf_source_call *call)
{
    CXCursor callee = wf_clang.getCursorReferenced(cursor);
    if (wf_clang.Cursor_isNull(callee) || !wf_cursor_is_function(wf_clang.getCursorKind(callee))) {
        call->callee = wf_clang.Cursor_isNull(callee) ? walk_dependent_name(cursor) : wf_text_copy("*");
        return call->callee != NULL;
    }
    CXCursor pattern = wf_clang.getSpecializedCursorTemplate(callee);
    if (!wf_clang.Cursor_isNull(pattern))
        callee = pattern;
    if (wf_cursor_is_generated(callee))
        return false;
    call->callee = wf_cursor_qualified_name(callee);
    call->library = wf_source_place_at(parser, wf_clang.getCursorLocation(callee), false).source == WF_NONE;
    if ((call->library || walk_is_builtin(call->callee)) && !parser->parse->rewritten_count)
        call->is_short = wf_library_is_short(&parser->library, callee);
    bool dynamic = wf_clang.getCursorKind(callee) == CXCursor_CXXMethod && wf_clang.CXXMethod_isVirtual(callee);
    if (!call->library && !dynamic)
        call->key = wf_clang_text(wf_clang.getCursorUSR(callee));
    return true;
}

/* MPI functions that weft does not watch do not communicate, and are short. */
static void walk_judge_mpi(struct wf_source_call *call)
{
    bool profiling = wf_text_starts(call->callee, "PMPI_");
    if (!profiling && !wf_text_starts(call->callee, "MPI_"))
        return;
    bool watched = walk_is_watched(call->callee + profiling);
    if (watched && !profiling)
        call->kind = WF_COMMUNICATION;
    else
        call->library = true;
    call->is_short = !watched;
}

static void walk_add_call(struct walk *walk, CXCursor cursor)
{
    struct wf_parser *parser = walk->parser;
    struct wf_source_unit *unit = parser->unit;
    struct wf_source_call call = {.kind = WF_CALL, .parent = walk->region, .target = WF_NONE};
    if (walk->region == WF_NONE || walk->unevaluated || !walk_name_callee(parser, cursor, &call))
        return;
    const char *reason = wf_candidate_disturbed_by(call.callee);
    if (reason)
        wf_source_region_skip(&unit->regions[unit->regions[walk->region].procedure], reason);
    walk_judge_mpi(&call);
    /* a.b().c(): the place of the name, not of the expression. */
    struct wf_children children = wf_cursor_children(cursor);
    bool member = children.count && wf_clang.getCursorKind(children.items[0]) == CXCursor_MemberRefExpr;
    wf_source_place_presumed(parser, wf_clang.getCursorLocation(member ? children.items[0] : cursor), &call.file,
                             &call.line);
    unit->calls = wf_buffer_grow(unit->calls, unit->call_count, sizeof *unit->calls);
    unit->calls[unit->call_count++] = call;
}

/* ---- jumps ---- */

static void walk_add_jump(const struct walk *walk, enum wf_jump_kind kind, char *label)
{
    struct wf_source_unit *unit = walk->parser->unit;
    unit->jumps = wf_buffer_grow(unit->jumps, unit->jump_count, sizeof *unit->jumps);
    unit->jumps[unit->jump_count++] = (struct wf_jump){kind, walk->region, label};
}

static char *walk_label_of(CXCursor cursor)
{
    struct wf_children children = wf_cursor_children(cursor);
    return wf_clang_text(wf_clang.getCursorSpelling(children.count ? children.items[0] : cursor));
}

static void walk_note_asm_goto(struct walk *walk, CXCursor cursor)
{
    struct wf_source_unit *unit = walk->parser->unit;
    struct wf_source_place place = wf_source_place_begin(walk->parser, cursor);
    if (place.source == WF_NONE || walk->region == WF_NONE)
        return;
    const struct wf_source *source = &unit->sources[place.source];
    size_t i = wf_token_find(source->tokens, source->token_count, place.at);
    bool asm_word = i < source->token_count && source->tokens[i].kind == WF_TOKEN_WORD &&
                    (wf_token_is(source->text, &source->tokens[i], "asm") ||
                     wf_token_is(source->text, &source->tokens[i], "__asm__") ||
                     wf_token_is(source->text, &source->tokens[i], "__asm"));
    bool jumps = !asm_word; /* asm from a macro may have goto */
    for (; i < source->token_count && source->tokens[i].kind == WF_TOKEN_WORD; i++)
        jumps |= wf_token_is(source->text, &source->tokens[i], "goto");
    if (jumps)
        unit->regions[unit->regions[walk->region].procedure].asm_goto = true;
}

static void walk_note_jump(struct walk *walk, CXCursor cursor, enum CXCursorKind kind)
{
    struct wf_source_unit *unit = walk->parser->unit;
    if (walk->region == WF_NONE)
        return;
    switch (kind) {
    case CXCursor_LabelStmt:
        walk_add_jump(walk, WF_LABEL, wf_clang_text(wf_clang.getCursorSpelling(cursor)));
        break;
    case CXCursor_GotoStmt:
        walk_add_jump(walk, WF_GOTO, walk_label_of(cursor));
        break;
    case CXCursor_AddrLabelExpr:
        walk_add_jump(walk, WF_LABEL_ADDRESS, walk_label_of(cursor));
        break;
    case CXCursor_IndirectGotoStmt:
        walk_add_jump(walk, WF_COMPUTED_GOTO, NULL);
        break;
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        /* Duff's device: a switch jumps into loops inside it. */
        for (int r = walk->region; r != WF_NONE && r != walk->switch_region && unit->regions[r].kind == WF_LOOP;
             r = unit->regions[r].parent)
            wf_source_region_skip(&unit->regions[r], "a switch jumps into it");
        break;
    case CXCursor_GCCAsmStmt:
        walk_note_asm_goto(walk, cursor);
        break;
    default:
        break;
    }
}

/* ---- the walk ---- */

/* Hashes kind, depth and beginning of each node, and the end of blocks only: other nodes that end with a loop now end
 * with the brace behind the loop. */
static void walk_hash_node(struct walk *walk, CXCursor cursor, enum CXCursorKind kind, struct wf_source_place begin)
{
    struct wf_source_unit *unit = walk->parser->unit;
    struct wf_source_place end = {0};
    if (walk->region == WF_NONE)
        return;
    if (kind == CXCursor_CompoundStmt)
        end = wf_source_place_end(walk->parser, cursor);
    uint64_t *hash = &unit->regions[unit->regions[walk->region].procedure].hash;
    const uint64_t values[] = {(uint64_t)kind, walk->depth, (uint64_t)begin.source, begin.at, (uint64_t)end.source,
                               end.at,         end.inserted};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        *hash = (*hash ^ values[i]) * UINT64_C(0x100000001b3) + (*hash >> 29);
}

static enum CXChildVisitResult walk_visit(CXCursor cursor, CXCursor parent, CXClientData data);

static void walk_descend(struct walk *walk, CXCursor cursor, int region)
{
    struct walk inner = *walk;
    inner.depth++;
    inner.region = region;
    wf_clang.visitChildren(cursor, walk_visit, &inner);
}

/* The region that the cursor opens, or else the current one. */
static int walk_region_of(struct walk *walk, CXCursor cursor, enum CXCursorKind kind)
{
    int region = WF_NONE;
    if (wf_cursor_is_function(kind) || kind == CXCursor_LambdaExpr)
        region = walk_enter_procedure(walk, cursor);
    else if (walk_is_loop(cursor, kind))
        region = walk_enter_loop(walk, cursor);
    return region == WF_NONE ? walk->region : region;
}

static enum CXChildVisitResult walk_visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct walk *walk = data, here = *walk;
    enum CXCursorKind kind = wf_clang.getCursorKind(cursor);
    struct wf_source_place begin = wf_source_place_begin(walk->parser, cursor);
    if (begin.inserted) {
        if (kind == CXCursor_CompoundStmt) /* the braces around a loop */
            wf_clang.visitChildren(cursor, walk_visit, walk);
        return CXChildVisit_Continue;
    }
    if (walk->region == WF_NONE &&
        (begin.source == WF_NONE || (wf_cursor_is_function(kind) && !wf_clang.isCursorDefinition(cursor))))
        return CXChildVisit_Continue;
    if (walk->region == WF_NONE && wf_cursor_is_function(kind) &&
        wf_source_place_is_foreign(walk->parser, wf_clang.getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    walk_hash_node(walk, cursor, kind, begin);
    if (kind == CXCursor_CallExpr)
        walk_add_call(walk, cursor);
    walk_note_jump(walk, cursor, kind);
    if (walk->region != WF_NONE)
        wf_doubt_statement(&walk->doubt, walk->parser, cursor, parent);
    here.doubt.is_guard = false;
    here.unevaluated |= kind == CXCursor_UnaryExpr;
    here.doubt.bare = kind == CXCursor_IfStmt || (walk->doubt.bare && kind != CXCursor_CompoundStmt);
    if (kind == CXCursor_SwitchStmt)
        here.switch_region = walk->region;
    walk_descend(&here, cursor, walk_region_of(walk, cursor, kind));
    return CXChildVisit_Continue;
}

void wf_walk_unit(struct wf_parser *parser)
{
    CXCursor root = wf_clang.getTranslationUnitCursor(parser->tree);
    struct walk walk = {.parser = parser, .region = WF_NONE, .switch_region = WF_NONE};
    parser->policy = wf_clang.getCursorPrintingPolicy(root);
    wf_clang.PrintingPolicy_setProperty(parser->policy, CXPrintingPolicy_TerseOutput, 1);
    wf_clang.visitChildren(root, walk_visit, &walk);
    wf_clang.PrintingPolicy_dispose(parser->policy);
}
