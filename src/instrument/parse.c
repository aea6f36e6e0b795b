/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/source_place.h"
#include "instrument/walk.h"

/* ---- sources ---- */

static void parse_add_source(struct wf_parser *parser, CXFile file)
{
    struct wf_source_unit *unit = parser->unit;
    struct wf_source source = {.file = file, .included = 1};
    char *name = wf_clang_text(wf_clang.getFileName(file));
    source.name = wf_text_copy(wf_source_place_plain_name(parser, name));
    free(name);
    source.text = wf_clang.getFileContents(parser->tree, file, &source.length);
    if (!source.text)
        source.text = "";
    if (!parser->parse->rewritten_count)
        source.token_count = wf_lexer_scan(source.text, source.length, &source.tokens);
    unit->sources = wf_buffer_grow(unit->sources, unit->source_count, sizeof *unit->sources);
    unit->sources[unit->source_count++] = source;
}

static void parse_see_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    struct wf_parser *parser = data;
    struct wf_source_unit *unit = parser->unit;
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
    bool system = depth > 0 &&
                  (wf_compiler_is_system(parser->parse->compiler, parser->parse->line, name) ||
                   (parser->mpi_folder && wf_text_starts(name, parser->mpi_folder)) || strstr(name, "/weft/probe.h"));
    free(name);
    if (!system)
        parse_add_source(parser, file);
}

/* Preprocessed text begins with a line marker: # 1 "foo.c" */
static bool parse_is_preprocessed(const struct wf_source *source)
{
    return source->length > 2 && source->text[0] == '#' && source->text[1] == ' ' &&
           isdigit((unsigned char)source->text[2]);
}

/* The main file has to be the first. */
static void parse_find_sources(struct wf_parser *parser)
{
    CXFile main = wf_clang.getFile(parser->tree, parser->parse->path);
    if (main)
        parse_add_source(parser, main);
    wf_clang.getInclusions(parser->tree, parse_see_inclusion, parser);
    if (main) {
        parser->unit->sources[0].included--;
        parser->unit->preprocessed = parser->parse->preprocessed || parse_is_preprocessed(&parser->unit->sources[0]);
    }
    free(parser->mpi_folder);
    parser->mpi_folder = NULL;
}

int wf_parse_find_source(const struct wf_source_unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->source_count; i++)
        if (!strcmp(unit->sources[i].name, name))
            return (int)i;
    return WF_NONE;
}

/* ---- parsing ---- */

/* The first note that points into inserted text, else the error's own place: f(3) is not constant because of the probe
 * in f. */
static struct wf_source_place parse_place_to_blame(struct wf_parser *parser, CXDiagnostic diagnostic)
{
    CXDiagnosticSet notes = wf_clang.getChildDiagnostics(diagnostic); /* owned by the diagnostic */
    struct wf_source_place place = wf_source_place_at(parser, wf_clang.getDiagnosticLocation(diagnostic), false);
    for (unsigned i = 0; !place.inserted && i < wf_clang.getNumDiagnosticsInSet(notes); i++) {
        CXDiagnostic note = wf_clang.getDiagnosticInSet(notes, i);
        struct wf_source_place other = wf_source_place_at(parser, wf_clang.getDiagnosticLocation(note), false);
        if (other.inserted)
            place = other;
        wf_clang.disposeDiagnostic(note);
    }
    return place;
}

/* Errors that leave the user's tree as it is: in system headers that gcc has preprocessed, which libclang cannot read
 * in full, and in clang's <omp.h>, whose pragmas need the -fopenmp that libclang does not get. */
static bool parse_is_harmless(const struct wf_parser *parser, CXSourceLocation location)
{
    const struct wf_parse *parse = parser->parse;
    char *file;
    unsigned line;
    wf_source_place_presumed(parser, location, &file, &line);
    bool omp = parse->line->openmp && !strcmp(wf_path_base(file), "omp.h") &&
               wf_compiler_is_system(parse->compiler, parse->line, file);
    free(file);
    return omp || wf_source_place_is_foreign(parser, location);
}

/* Returns 1 and the first error, or 0. */
static int parse_complain(struct wf_parser *parser, struct wf_complaint *complaint)
{
    unsigned count = wf_clang.getNumDiagnostics(parser->tree);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = wf_clang.getDiagnostic(parser->tree, i);
        bool error = wf_clang.getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error &&
                     !parse_is_harmless(parser, wf_clang.getDiagnosticLocation(diagnostic));
        if (error) {
            CXSourceLocation location = wf_clang.getDiagnosticLocation(diagnostic);
            struct wf_source_place place = parse_place_to_blame(parser, diagnostic);
            char *file, *message = wf_clang_text(wf_clang.getDiagnosticSpelling(diagnostic));
            unsigned line;
            wf_source_place_presumed(parser, location, &file, &line);
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

static int parse_read_tree(struct wf_parser *parser, struct wf_error *error)
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
    /* "Incomplete" means that templates are not instantiated. */
    parser->unit->index = wf_clang.createIndex(0, 0);
    enum CXErrorCode code = wf_clang.parseTranslationUnit2(
        parser->unit->index, parse->path, (const char *const *)words.items, (int)words.count, files,
        (unsigned)parse->rewritten_count, CXTranslationUnit_Incomplete, &parser->tree);
    parser->unit->tree = parser->tree;
    wf_words_fini(&words);
    free(files);
    return code == CXError_Success ? 0 : wf_error_set(error, "libclang fails (error %d)", (int)code);
}

int wf_parse_unit(const struct wf_parse *parse, struct wf_source_unit *unit, struct wf_complaint *complaint,
                  struct wf_error *error)
{
    struct wf_parser parser = {.parse = parse, .unit = unit, .last_source = WF_NONE};
    *unit = (struct wf_source_unit){.file = wf_text_copy(parse->path), .cplusplus = parse->compiler->cplusplus};
    *complaint = (struct wf_complaint){.source = WF_NONE};
    if (parse_read_tree(&parser, error))
        return -1;
    parse_find_sources(&parser);
    parser.last_file = NULL;
    if (parse_complain(&parser, complaint))
        return 1;
    wf_walk_unit(&parser);
    wf_library_fini(&parser.library);
    return 0;
}

void wf_parse_forget(struct wf_source_unit *unit)
{
    if (unit->tree)
        wf_clang.disposeTranslationUnit(unit->tree);
    if (unit->index)
        wf_clang.disposeIndex(unit->index);
    wf_source_unit_fini(unit);
}
