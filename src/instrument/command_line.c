/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/command_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

enum option_form {
    ALONE,    /* exactly this word */
    JOINED,   /* this word with anything behind it */
    SEPARATE, /* this word and the next one */
    EITHER,   /* joined, or the next word if nothing is joined */
};

enum option_use {
    PARSE = 1,     /* libclang needs it */
    ASK = 2,       /* a question to the compiler needs it */
    NO_OBJECT = 4, /* no object file is made */
    ONLY_COMPILE = 8,
    UNTOUCHABLE = 16,
    DEBUG = 32,
    DIRECTORY = 64,
    OUTPUT = 128,
    LANGUAGE = 256,
    DEPENDENCIES = 512,
    DEPENDENCY_FILE = 1024,
    OPENMP = 2048,
    DEFINE = 4096,
    STANDARD = 8192,
    INCLUDE = 16384, /* a file that is read before the source */
    INNER = 32768,   /* a word for the compiler behind the driver */
};

struct command_line_option {
    const char *name;
    enum option_form form;
    int use;
};

/* The longest name that fits counts. All other words are options without a value that weft need not know. */
static const struct command_line_option options[] = {
    {"-o", EITHER, OUTPUT},
    {"-x", EITHER, LANGUAGE},
    {"-c", ALONE, ONLY_COMPILE},
    {"-S", ALONE, ONLY_COMPILE},
    {"-E", ALONE, NO_OBJECT},
    {"-M", ALONE, NO_OBJECT},
    {"-MM", ALONE, NO_OBJECT},
    {"-MD", ALONE, DEPENDENCIES},
    {"-MMD", ALONE, DEPENDENCIES},
    {"-MF", EITHER, DEPENDENCY_FILE},
    {"-MT", EITHER, 0},
    {"-MQ", EITHER, 0},
    {"-MJ", EITHER, 0},
    {"-fsyntax-only", ALONE, NO_OBJECT},
    {"-###", ALONE, NO_OBJECT},
    {"--version", ALONE, NO_OBJECT},
    {"--help", JOINED, NO_OBJECT},
    {"--target-help", ALONE, NO_OBJECT},
    {"-dumpversion", ALONE, NO_OBJECT},
    {"-dumpfullversion", ALONE, NO_OBJECT},
    {"-dumpmachine", ALONE, NO_OBJECT},
    {"-dumpspecs", ALONE, NO_OBJECT},
    {"-print-", JOINED, NO_OBJECT},
    {"--print-", JOINED, NO_OBJECT},
    {"-show", JOINED, NO_OBJECT},
    {"--showme", JOINED, NO_OBJECT},
    {"-showme", JOINED, NO_OBJECT},
    {"-cc1", JOINED, NO_OBJECT},
    {"-compile_info", ALONE, NO_OBJECT},
    {"-link_info", ALONE, NO_OBJECT},

    {"-traditional", JOINED, UNTOUCHABLE},
    {"-fpreprocessed", ALONE, UNTOUCHABLE},
    {"-ffreestanding", ALONE, UNTOUCHABLE},
    {"-fno-hosted", ALONE, UNTOUCHABLE},
    {"-fmodule", JOINED, UNTOUCHABLE},
    {"-emit-", JOINED, 0},
    {"-emit-pch", ALONE, UNTOUCHABLE},
    {"-emit-ast", ALONE, UNTOUCHABLE},

    {"-I", EITHER, DIRECTORY | ASK},
    {"-iquote", EITHER, DIRECTORY | ASK},
    {"-isystem", EITHER, ASK},
    {"-idirafter", EITHER, ASK},
    {"-iprefix", EITHER, ASK},
    {"-iwithprefix", EITHER, ASK},
    {"-iwithprefixbefore", EITHER, ASK},
    {"-isysroot", EITHER, PARSE | ASK},
    {"-imultilib", EITHER, ASK},
    {"--sysroot", EITHER, PARSE | ASK},
    {"--sysroot=", JOINED, PARSE | ASK},
    {"--gcc-toolchain=", JOINED, ASK},
    {"-stdlib=", JOINED, ASK},
    {"-nostdinc", JOINED, ASK},
    {"-include", EITHER, INCLUDE},
    {"-imacros", EITHER, INCLUDE},
    {"-include-pch", SEPARATE, 0},
    {"-D", EITHER, PARSE | DEFINE},
    {"-U", EITHER, PARSE | DEFINE},
    {"-std=", JOINED, PARSE | ASK | STANDARD},
    {"--std=", JOINED, PARSE | ASK | STANDARD},
    {"-ansi", ALONE, PARSE | ASK | STANDARD},
    {"-pthread", ALONE, PARSE | ASK},
    {"-O", JOINED, PARSE | ASK},
    {"-m", JOINED, ASK},
    {"-m32", ALONE, PARSE | ASK},
    {"-m64", ALONE, PARSE | ASK},
    {"-march=", JOINED, PARSE | ASK},
    {"-mcpu=", JOINED, PARSE | ASK},
    {"-msse", JOINED, PARSE | ASK},
    {"-mssse3", ALONE, PARSE | ASK},
    {"-mavx", JOINED, PARSE | ASK},
    {"-mfma", ALONE, PARSE | ASK},
    {"-mf16c", ALONE, PARSE | ASK},
    {"-mbmi", JOINED, PARSE | ASK},
    {"-mno-", JOINED, ASK},
    {"-mllvm", SEPARATE, 0},
    {"-target", SEPARATE, ASK},
    {"--target=", JOINED, ASK},
    {"-arch", SEPARATE, ASK},
    {"-B", EITHER, ASK},
    {"-specs=", JOINED, ASK},
    {"--specs=", JOINED, ASK},
    {"-f", JOINED, ASK},
    {"-fopenmp", JOINED, OPENMP | ASK},
    {"-fno-openmp", ALONE, ASK},
    {"-funsigned-char", ALONE, PARSE | ASK},
    {"-fsigned-char", ALONE, PARSE | ASK},
    {"-fshort-wchar", ALONE, PARSE | ASK},
    {"-fshort-enums", ALONE, PARSE | ASK},
    {"-fno-exceptions", ALONE, PARSE | ASK},
    {"-fno-rtti", ALONE, PARSE | ASK},
    {"-fexceptions", ALONE, PARSE | ASK},
    {"-fms-extensions", ALONE, PARSE | ASK},
    {"-fgnu89-inline", ALONE, PARSE | ASK},
    {"-fchar8_t", ALONE, PARSE | ASK},
    {"-fno-char8_t", ALONE, PARSE | ASK},
    {"-fno-builtin", JOINED, PARSE | ASK},
    {"-ffast-math", ALONE, PARSE | ASK},
    {"-fPIC", ALONE, PARSE | ASK},
    {"-fpic", ALONE, PARSE | ASK},
    {"-fPIE", ALONE, PARSE | ASK},
    {"-fpie", ALONE, PARSE | ASK},
    {"-fblocks", ALONE, PARSE | ASK},
    {"-ftemplate-depth", JOINED, PARSE | ASK},
    {"-fconstexpr-depth", JOINED, PARSE | ASK},
    {"-fintrinsic-modules-path", SEPARATE, 0},

    {"-g", JOINED, DEBUG},
    {"-gcc-name=", JOINED, 0},
    {"-L", EITHER, 0},
    {"-l", EITHER, 0},
    {"-T", EITHER, 0},
    {"-u", EITHER, 0},
    {"-z", EITHER, 0},
    {"-e", EITHER, 0},
    {"-A", EITHER, 0},
    {"-J", EITHER, 0},
    {"-G", EITHER, 0},
    {"-h", EITHER, 0},
    {"-V", EITHER, 0},
    {"-rpath", SEPARATE, 0},
    {"-soname", SEPARATE, 0},
    {"-framework", SEPARATE, 0},
    {"-wrapper", SEPARATE, 0},
    {"-aux-info", SEPARATE, 0},
    {"-dumpbase", SEPARATE, 0},
    {"-dumpbase-ext", SEPARATE, 0},
    {"-dumpdir", SEPARATE, 0},
    {"--param", EITHER, 0},
    {"--param=", JOINED, 0},
    {"-Xlinker", SEPARATE, 0},
    {"-Xassembler", SEPARATE, 0},
    {"-Xpreprocessor", SEPARATE, ASK},
    {"-Xclang", SEPARATE, INNER},
    {"-Xopenmp-target", JOINED, 0},
    {"-Wp,", JOINED, PARSE | ASK},
    {"-Wp,-MD,", JOINED, DEPENDENCIES | DEPENDENCY_FILE},
    {"-Wp,-MMD,", JOINED, DEPENDENCIES | DEPENDENCY_FILE},
    {"-cc=", JOINED, ASK}, /* MPICH: the compiler that the wrapper calls */
    {"-cxx=", JOINED, ASK},
};

static bool command_line_option_fits(const struct command_line_option *option, const char *word)
{
    if (option->form == ALONE || option->form == SEPARATE)
        return !strcmp(word, option->name);
    return wf_text_starts(word, option->name);
}

static const struct command_line_option *command_line_find_option(const char *word)
{
    const struct command_line_option *best = NULL;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (command_line_option_fits(&options[i], word) && (!best || strlen(options[i].name) > strlen(best->name)))
            best = &options[i];
    return best;
}

/* ---- languages ---- */

struct language_suffix {
    const char *names; /* each between two spaces */
    enum wf_language language;
};

static const struct language_suffix suffixes[] = {
    {" c cc cp cxx cpp CPP c++ C ", WF_LANGUAGE_C},
    {" h H hh hp hxx hpp HPP h++ tcc ", WF_LANGUAGE_HEADER},
    {" f for ftn F FOR fpp FPP FTN f90 f95 f03 f08 F90 F95 F03 F08 adb ads d go mod ", WF_LANGUAGE_OTHER},
};

static const struct language_suffix forced_languages[] = {
    {" c c++ ", WF_LANGUAGE_C},
    {" c-header c++-header ", WF_LANGUAGE_HEADER},
    {" f77 f95 f77-cpp-input f95-cpp-input ada d go ", WF_LANGUAGE_OTHER},
};

static enum wf_language command_line_look_up_suffix(const struct language_suffix *table, size_t count, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < count; i++)
        for (const char *at = table[i].names + 1; *at; at += strcspn(at, " ") + 1)
            if (strcspn(at, " ") == length && !strncmp(at, name, length))
                return table[i].language;
    return WF_LANGUAGE_NONE;
}

static enum wf_language command_line_language_of(const char *path, const char *forced)
{
    if (forced)
        return command_line_look_up_suffix(forced_languages, sizeof forced_languages / sizeof *forced_languages,
                                           forced);
    const char *dot = strrchr(wf_path_base(path), '.');
    return dot ? command_line_look_up_suffix(suffixes, sizeof suffixes / sizeof *suffixes, dot + 1) : WF_LANGUAGE_NONE;
}

/* ---- response files ---- */

/* Reads one word of a response file, without its quotes and backslashes. NULL at the end. */
static const char *command_line_read_file_word(const char *at, struct wf_buffer *word)
{
    char quote = 0;
    while (isspace((unsigned char)*at))
        at++;
    if (!*at)
        return NULL;
    wf_buffer_add(word, "", 0);
    for (; *at && (quote || !isspace((unsigned char)*at)); at++) {
        if (*at == '\\' && at[1])
            wf_buffer_add(word, ++at, 1);
        else if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else
            wf_buffer_add(word, at, 1);
    }
    return at;
}

enum { MAX_NESTED = 20 };

static void command_line_add_words(struct wf_words *words, const char *word, int depth)
{
    struct wf_buffer content = {0};
    if (word[0] != '@' || depth > MAX_NESTED || wf_buffer_read(&content, word + 1)) {
        /* As for the compiler, @file is an ordinary word if there is no such file. */
        wf_buffer_fini(&content);
        wf_words_add(words, word);
        return;
    }
    for (const char *at = wf_buffer_text(&content); at;) {
        struct wf_buffer next = {0};
        at = command_line_read_file_word(at, &next);
        if (at)
            command_line_add_words(words, wf_buffer_text(&next), depth + 1);
        wf_buffer_fini(&next);
    }
    wf_buffer_fini(&content);
}

/* ---- reading ---- */

/* Programs that run the compiler that their arguments name. */
static bool command_line_is_launcher(const char *word)
{
    static const char *const names[] = {"ccache",     "distcc",   "sccache", "icecc",
                                        "buildcache", "colorgcc", "nice",    "time"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(wf_path_base(word), names[i]))
            return true;
    return false;
}

static void command_line_add_include(struct wf_command_line *line, size_t word, const char *option, const char *path)
{
    line->includes = wf_buffer_grow(line->includes, line->include_count, sizeof *line->includes);
    line->includes[line->include_count++] = (struct wf_include){word, option, path};
}

static void command_line_add_input(struct wf_command_line *line, size_t word, const char *forced)
{
    const char *path = line->words.items[word];
    enum wf_language language = strcmp(path, "-") ? command_line_language_of(path, forced) : WF_LANGUAGE_NONE;
    line->inputs = wf_buffer_grow(line->inputs, line->input_count, sizeof *line->inputs);
    line->inputs[line->input_count++] = (struct wf_input){word, path, forced, language};
}

static void command_line_add_defined(struct wf_command_line *line, const char *value)
{
    char *name = wf_text_copy_bytes(value, strcspn(value, "=("));
    wf_words_add(&line->defined, name);
    free(name);
}

static void command_line_pass_on(struct wf_command_line *line, const struct command_line_option *option,
                                 const char *word, const char *separate)
{
    struct wf_words *const lists[] = {option->use & PARSE ? &line->parser_words : NULL,
                                      option->use & ASK ? &line->asked_words : NULL};
    for (size_t i = 0; i < 2; i++) {
        if (!lists[i])
            continue;
        wf_words_add(lists[i], word);
        if (separate)
            wf_words_add(lists[i], separate);
    }
}

/* Goes past libclang's driver, which would use gcc's precompiled header of the same name. */
static void command_line_include_first(struct wf_command_line *line, const char *option, const char *file)
{
    const char *const words[] = {"-Xclang", option, "-Xclang", file};
    for (size_t i = 0; i < 4; i++)
        wf_words_add(&line->parser_words, words[i]);
}

static void command_line_use_option(struct wf_command_line *line, const struct command_line_option *option, size_t at,
                                    const char *value, const char **forced)
{
    int use = option->use;
    const char *word = line->words.items[at];
    bool separate = value && value == line->words.items[at + 1];
    line->no_object |= (use & NO_OBJECT) != 0;
    line->compiles_only |= (use & ONLY_COMPILE) != 0;
    line->untouchable |= (use & UNTOUCHABLE) != 0;
    line->debug_given |= (use & DEBUG) != 0;
    line->dependencies |= (use & DEPENDENCIES) != 0;
    line->openmp |= (use & OPENMP) != 0;
    line->has_standard |= (use & STANDARD) != 0;
    if (use & OUTPUT)
        line->output = value;
    if (use & DEPENDENCY_FILE)
        line->dependency_file = value;
    if (use & LANGUAGE && value && (separate || islower((unsigned char)*value))) /* -xHost is no language */
        *forced = strcmp(value, "none") ? value : NULL;
    if (use & DIRECTORY && value)
        command_line_add_include(line, at, option->name, value);
    if (use & DEFINE && value)
        command_line_add_defined(line, value);
    if (use & INCLUDE && value)
        command_line_include_first(line, option->name, value);
    if (use & INNER && value) { /* -Xclang -include -Xclang FILE */
        if (line->inner_include)
            command_line_include_first(line, "-include", value);
        line->inner_include = !line->inner_include && !strcmp(value, "-include");
    }
    command_line_pass_on(line, option, word, separate ? value : NULL);
}

static void command_line_read_words(struct wf_command_line *line)
{
    const char *forced = NULL;
    char **items = line->words.items;
    for (size_t i = line->compiler_words; i < line->words.count; i++) {
        if (items[i][0] != '-' || !items[i][1]) {
            command_line_add_input(line, i, forced);
            continue;
        }
        const struct command_line_option *option = command_line_find_option(items[i]);
        if (!option)
            continue;
        size_t at = i, length = strlen(option->name);
        const char *value = NULL;
        if (option->form == SEPARATE || (option->form == EITHER && !items[i][length]))
            value = i + 1 < line->words.count ? items[++i] : NULL;
        else if (option->form != ALONE)
            value = items[i] + length;
        command_line_use_option(line, option, at, value, &forced);
    }
}

void wf_command_line_read(struct wf_command_line *line, char *const *argv)
{
    *line = (struct wf_command_line){.compiler_words = 1};
    for (size_t i = 0; argv[i]; i++)
        command_line_add_words(&line->words, argv[i], 0);
    while (line->compiler_words < line->words.count &&
           command_line_is_launcher(line->words.items[line->compiler_words - 1]))
        line->compiler_words++;
    command_line_read_words(line);
}

void wf_command_line_fini(struct wf_command_line *line)
{
    wf_words_fini(&line->words);
    wf_words_fini(&line->parser_words);
    wf_words_fini(&line->asked_words);
    wf_words_fini(&line->defined);
    free(line->inputs);
    free(line->includes);
}

size_t wf_command_line_count(const struct wf_command_line *line, enum wf_language language)
{
    size_t count = 0;
    for (size_t i = 0; i < line->input_count; i++)
        count += line->inputs[i].language == language;
    return count;
}
