/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libclang, opened when the first file has to be parsed: loading it costs 15 ms, and most of a build's steps do not
 * need it. One per process; one thread.
 */
#ifndef WF_CLANG_H
#define WF_CLANG_H

#include <clang-c/Index.h>

#include "base/error.h"

/* clang-format off */
#define WF_CLANG_FUNCTIONS(F)                                                                                          \
    F(createIndex) F(disposeIndex) F(parseTranslationUnit2) F(disposeTranslationUnit) F(getTranslationUnitCursor)      \
    F(visitChildren) F(getNumDiagnostics) F(getDiagnostic) F(disposeDiagnostic) F(getDiagnosticSeverity)               \
    F(getDiagnosticSpelling) F(getDiagnosticLocation) F(getCString) F(disposeString) F(getCursorKind)                  \
    F(getCursorLocation) F(getCursorExtent) F(getRangeStart) F(getRangeEnd) F(getExpansionLocation)                    \
    F(getPresumedLocation) F(Location_isInSystemHeader) F(getFileName) F(getFileContents) F(getFile)                   \
    F(getInclusions) F(getCursorSpelling) F(getCursorReferenced) F(getCursorDefinition) F(getCursorSemanticParent)     \
    F(getCursorUSR) F(isCursorDefinition) F(getCanonicalCursor) F(getSpecializedCursorTemplate) F(Cursor_isNull)       \
    F(Cursor_Evaluate) F(EvalResult_getKind) F(EvalResult_getAsLongLong) F(EvalResult_dispose)                         \
    F(CXXMethod_isVirtual) F(CXXMethod_isDefaulted) F(Cursor_isFunctionInlined) F(Cursor_getStorageClass)              \
    F(getCursorPrettyPrinted) F(getCursorPrintingPolicy) F(PrintingPolicy_setProperty) F(PrintingPolicy_dispose)       \
    F(getChildDiagnostics) F(getNumDiagnosticsInSet) F(getDiagnosticInSet)
/* clang-format on */

struct wf_clang {
#define F(name) __typeof__(clang_##name) *name;
    WF_CLANG_FUNCTIONS(F)
#undef F
};

/* Filled by wf_clang_load. */
extern struct wf_clang wf_clang;

/* Opens the library, once. Returns 0, or -1 with the reason. */
int wf_clang_load(struct wf_error *error);

/* The directory of clang's own headers (stddef.h, immintrin.h), or "" if it is not there. */
const char *wf_clang_headers(void);

/* Copies the string and disposes of it; never NULL, free() it. */
char *wf_clang_text(CXString string);

#endif
