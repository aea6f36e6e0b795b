/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What code instrumented by `weft cc` is compiled with (through -include), and what <weft/weft.h> stands on. C and C++, gcc and clang;
 * header only; needs no library and includes nothing.
 *
 * A region is a procedure, a loop, or a stretch marked by hand. Each has one static weft_region_; on its first entry it asks once whether weft
 * is in this process, and from then on an entry without weft is a test of region.state. A frame is a variable in the region's scope whose
 * cleanup leaves the region on every way out (return, break, goto, an exception).
 */
#ifndef WEFT_PROBE_H
#define WEFT_PROBE_H

#define WEFT_PROBE_VERSION 1u

#ifdef __cplusplus
extern "C" {
#endif

enum weft_region_kind_ { WEFT_PROCEDURE_ = 1, WEFT_LOOP_ = 2, WEFT_USER_ = 3, WEFT_PHASE_ = 4, WEFT_COUNTER_ = 5 };
enum weft_region_state_ { WEFT_REGION_OFF_ = 0, WEFT_REGION_ON_ = 1, WEFT_REGION_NEW_ = 2 };

struct weft_region_ {
    unsigned char state;   /* enum weft_region_state_; weft may change it at any time */
    unsigned char kind;    /* enum weft_region_kind_ */
    unsigned short zero;
    unsigned line;
    const char *name;      /* procedure; loop: "for", "while" or "do"; or what the user called it */
    const char *file;      /* as the compiler was given it */
    void *weft;            /* weft's own */
};

struct weft_frame_ {
    struct weft_region_ *region; /* 0: not entered */
    unsigned depth;              /* weft's own */
};

/* What libweft.so offers under the name weft_probe_api_. */
struct weft_probe_api_ {
    unsigned version;
    /* A region's first entry: decides whether it is on. */
    void (*meet)(struct weft_region_ *region);
    /* base: the frame address of the function; caller: its return address. */
    void (*enter)(struct weft_frame_ *frame, struct weft_region_ *region, const void *base, const void *caller);
    void (*leave)(struct weft_frame_ *frame);
    void (*count)(struct weft_region_ *counter, double value);
    /* Regions by name only, for languages without scopes: end leaves the innermost one of that name. */
    void (*begin)(const char *name, unsigned long bytes);
    void (*end)(const char *name, unsigned long bytes);
};

/* glibc has dlsym in libc itself. Weak, so that a static program links and has no weft; renamed, so that <dlfcn.h> is not in the way. */
extern void *weft_dlsym_(void *, const char *) __asm__("dlsym") __attribute__((weak));

/* One a program, or one a shared library: 0 not looked yet, else the api or this variable's own address for "none". */
__attribute__((weak, visibility("hidden"))) const void *weft_api_found_;

__attribute__((unused)) static const struct weft_probe_api_ *weft_api_(void)
{
    if (!weft_api_found_) {
        const struct weft_probe_api_ *api = weft_dlsym_ ? (const struct weft_probe_api_ *)weft_dlsym_((void *)0, "weft_probe_api_") : (const struct weft_probe_api_ *)0;
        weft_api_found_ = api && api->version == WEFT_PROBE_VERSION ? (const void *)api : (const void *)&weft_api_found_;
    }
    return weft_api_found_ == (const void *)&weft_api_found_ ? (const struct weft_probe_api_ *)0 : (const struct weft_probe_api_ *)weft_api_found_;
}

/* A region's first entry. */
__attribute__((unused, noinline, cold)) static void weft_meet_(struct weft_region_ *region)
{
    const struct weft_probe_api_ *api = weft_api_();
    if (api)
        api->meet(region);
    else
        region->state = WEFT_REGION_OFF_;
}

__attribute__((unused, always_inline)) static inline void weft_enter_(struct weft_frame_ *frame, struct weft_region_ *region)
{
    if (__builtin_expect(region->state != WEFT_REGION_OFF_, 0)) {
        if (__builtin_expect(region->state == WEFT_REGION_NEW_, 0))
            weft_meet_(region);
        if (region->state == WEFT_REGION_ON_)
            ((const struct weft_probe_api_ *)weft_api_found_)->enter(frame, region, __builtin_frame_address(0), __builtin_return_address(0));
    }
}

__attribute__((unused, always_inline)) static inline void weft_leave_(struct weft_frame_ *frame)
{
    if (__builtin_expect(frame->region != (struct weft_region_ *)0, 0))
        ((const struct weft_probe_api_ *)weft_api_found_)->leave(frame);
}

#ifdef __cplusplus
}
#endif

/* The text that `weft cc` inserts: id is unique in its scope, kind one of PROCEDURE, LOOP, USER, PHASE. */
#define WEFT_SCOPE_(id, region_kind, region_name, region_file, region_line)                                                          \
    static struct weft_region_ weft_region_##id = {WEFT_REGION_NEW_, region_kind, 0, region_line, region_name, region_file, (void *)0}; \
    __attribute__((cleanup(weft_leave_))) struct weft_frame_ weft_frame_##id = {(struct weft_region_ *)0, 0};                           \
    weft_enter_(&weft_frame_##id, &weft_region_##id);

/* The static tables of a translation unit, as text: see docs/static-tables.md. */
#define WEFT_TABLE_(text) static const char weft_table_[] __attribute__((section("weft_static"), used)) = text;

#endif
