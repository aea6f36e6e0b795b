/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One-word compilers: links to bin/weft whose names stand for `weft cc COMPILER`. WF_ALIASES is their only list: main's
 * dispatch and the help of weft cc are made of it, and CMake reads it for the links in bin/ and their man pages.
 * Constant data, for any thread.
 */
#ifndef WF_ALIAS_H
#define WF_ALIAS_H

/* ALIAS(name of the link, compiler) */
#define WF_ALIASES(ALIAS)          \
    ALIAS("weft-cc", "cc")         \
    ALIAS("weft-c++", "c++")       \
    ALIAS("weft-mpicc", "mpicc")   \
    ALIAS("weft-mpicxx", "mpicxx") \
    ALIAS("weft-mpif90", "mpif90")

/* Whether this process was started through an alias: argv[0], or the file that was executed, or a link on the way from
 * that file to weft has an alias's name. Returns its compiler, or NULL. */
const char *wf_alias_compiler(const char *argv0);

/* Runs `weft cc COMPILER` with the arguments behind argv[0], all of which are the compiler's. Where PATH leads from the
 * compiler's name back to weft, the next compiler of that name in PATH is run. Returns the exit status. */
int wf_alias_run(const char *compiler, int argc, char **argv);

#endif
