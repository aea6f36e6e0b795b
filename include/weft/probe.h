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

/* What follows down to weft_region_ belongs to weft, which lays these structures out in its segment and its own memory; instrumented code writes
 * into them directly, because a call would cost as much as everything else together. */
struct weft_visit_ { /* a region, entered from one place, on one thread */
    unsigned weft_[2];
    unsigned long caller, probe;
    unsigned long num, ticks;
    unsigned long inner; /* ticks of what is entered inside */
};

struct weft_stack_ { /* a region that is being visited */
    struct weft_visit_ *visit;
    const struct weft_frame_ *frame; /* one byte beside it: to be left the slow way */
    unsigned long start;
    unsigned long weft_[5];
};

struct weft_lane_ { /* a thread */
    struct weft_stack_ *top;
    unsigned long intrusion; /* how many ticks later it is than it would be unwatched */
};

struct weft_region_ {
    unsigned char state; /* enum weft_region_state_; weft may change it at any time */
    unsigned char kind;  /* enum weft_region_kind_ */
    unsigned short zero;
    unsigned line;
    const char *name; /* procedure; loop: "for", "while" or "do"; or what the user called it */
    const char *file; /* as the compiler was given it */
    void *weft;       /* weft's own */
    /* The fast way, for the procedures that one thread met first: where its next entry is counted. key stands for the thread and the place it was
     * last entered from, and is inverted while the procedure is being visited. Only that thread writes here. */
    unsigned long key;
    struct weft_visit_ *visit;
    void *owner;
};

struct weft_frame_ {
    struct weft_region_ *region; /* 0: not entered */
};

/* What libweft.so offers under the name weft_probe_api_. */
struct weft_probe_api_ {
    unsigned version;
    int zero;
    /* Enters a region that is new, or where the fast way does not know what to do. caller: the function's return address; probe: an address in it;
     * lane: where this program or library keeps its thread's lane. */
    void (*enter)(struct weft_frame_ *frame, struct weft_region_ *region, const void *caller, const void *probe, struct weft_lane_ **lane);
    void (*leave)(struct weft_frame_ *frame);
    void (*judge)(struct weft_region_ *region); /* after every 65,536th visit the fast way: carries, and asks whether it is worth its cost */
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

#if defined(__PIC__) && !defined(__PIE__)
__attribute__((tls_model("initial-exec"))) /* a shared library: it is there when the thread starts, or small enough to fit in later */
#endif
__attribute__((weak, visibility("hidden"))) __thread struct weft_lane_ *weft_lane_of_thread_;

__attribute__((unused, noinline, cold)) static void weft_enter_slow_(struct weft_frame_ *frame, struct weft_region_ *region, const void *caller,
                                                                   const void *probe)
{
    const struct weft_probe_api_ *api = weft_api_();
    if (api)
        api->enter(frame, region, caller, probe, &weft_lane_of_thread_);
    else
        region->state = WEFT_REGION_OFF_;
}

__attribute__((unused, noinline, cold)) static void weft_leave_slow_(struct weft_frame_ *frame)
{
    ((const struct weft_probe_api_ *)weft_api_found_)->leave(frame);
}

__attribute__((unused, noinline, cold)) static void weft_judge_(struct weft_region_ *region)
{
    ((const struct weft_probe_api_ *)weft_api_found_)->judge(region);
}

#if defined(__x86_64__)
#define WEFT_TICKS_() __builtin_ia32_rdtsc()
/* An address here. A label's would do, but taking it keeps a function from being inlined. */
#define WEFT_HERE_(address) __asm__ volatile("lea 0(%%rip), %0" : "=r"(address))
#define WEFT_INVERT_(key) __asm__("notq %0" : "+m"(key) : : "cc")
/* Counts in the lower 16 bits; every 65,536th time, weft_judge_ does what is to be done with the others. */
#define WEFT_COUNT_(num, wrapped) __asm__("incw %0" : "+m"(num), "=@ccz"(wrapped))
#else
#define WEFT_TICKS_() 0ul /* nothing goes the fast way there */
#define WEFT_HERE_(address) (address = (const void *)0)
#define WEFT_INVERT_(key) (key = ~key)
#define WEFT_COUNT_(num, wrapped) (wrapped = (unsigned short)++(num) == 0)
#endif

__attribute__((unused, always_inline)) static __inline__ int weft_enter_(struct weft_frame_ *frame, struct weft_region_ *region)
{
    if (__builtin_expect(region->state != WEFT_REGION_OFF_, 0)) {
        const void *probe, *caller = __builtin_return_address(0);
        struct weft_lane_ *lane = weft_lane_of_thread_;
        unsigned long key;
        WEFT_HERE_(probe);
        key = (unsigned long)caller + (unsigned long)probe + (unsigned long)lane;
        if (__builtin_expect(region->key == key, 1)) {
            struct weft_stack_ *top = lane->top + 1;
            top->visit = region->visit;
            top->frame = frame;
            WEFT_INVERT_(region->key);
            lane->top = top;
            frame->region = region;
            top->start = WEFT_TICKS_();
        } else {
            weft_enter_slow_(frame, region, caller, probe);
        }
    }
    return 0;
}

__attribute__((unused, always_inline)) static __inline__ void weft_leave_(struct weft_frame_ *frame)
{
    struct weft_region_ *region = frame->region;
    if (__builtin_expect(region != (struct weft_region_ *)0, 0)) {
        unsigned long ticks = WEFT_TICKS_();
        struct weft_lane_ *lane = weft_lane_of_thread_;
        struct weft_stack_ *top = lane->top;
        if (__builtin_expect(top->frame == frame, 1)) {
            struct weft_visit_ *visit = top->visit;
            int wrapped;
            ticks -= top->start;
            visit->ticks += ticks;
            top[-1].visit->inner += ticks;
            WEFT_INVERT_(region->key);
            lane->top = top - 1;
            WEFT_COUNT_(visit->num, wrapped);
            if (__builtin_expect(wrapped, 0))
                weft_judge_(region);
        } else {
            weft_leave_slow_(frame);
        }
    }
}

#ifdef __cplusplus
}
#endif

#define WEFT_REGION_INIT_(kind, name, file, line)                                                                                   \
    {WEFT_REGION_NEW_, kind, 0, line, name, file, (void *)0, 0, (struct weft_visit_ *)0, (void *)0}

/* The text that `weft cc` inserts: declarations only, because C90 wants them in front of statements. id is unique in its scope. */
#define WEFT_SCOPE_(id, region_kind, region_name, region_file, region_line)                                                          \
    static struct weft_region_ weft_region_##id = WEFT_REGION_INIT_(region_kind, region_name, region_file, region_line);               \
    __attribute__((cleanup(weft_leave_))) struct weft_frame_ weft_frame_##id = {(struct weft_region_ *)0};                             \
    __attribute__((unused)) int weft_entered_##id = weft_enter_(&weft_frame_##id, &weft_region_##id);

/* The static tables of a translation unit, as text: see docs/static-tables.md. */
#define WEFT_TABLE_(text) static const char weft_table_[] __attribute__((section("weft_static"), used)) = text;

#endif
