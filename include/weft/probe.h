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

#pragma GCC system_header /* what a compiler warns of here is not the user's to mend */

#define WEFT_PROBE_VERSION 2u

#ifdef __cplusplus
extern "C" {
#endif

enum weft_region_kind_ { WEFT_PROCEDURE_ = 1, WEFT_LOOP_ = 2, WEFT_USER_ = 3, WEFT_PHASE_ = 4, WEFT_COUNTER_ = 5 };
enum weft_region_state_ { WEFT_REGION_OFF_ = 0, WEFT_REGION_ON_ = 1, WEFT_REGION_NEW_ = 2 };

/* What follows down to weft_region_ belongs to weft, which lays these structures out in its segment and its own memory; instrumented code writes
 * into them directly, because a call would cost as much as everything else together. Times are ticks. Virtual times are those without the cost of
 * the probes themselves. */
struct weft_visit_ { /* a region, entered from one place, on one thread */
    unsigned weft_[2];
    unsigned long caller, probe;
    unsigned long num, ticks;
    unsigned long inner; /* of what is entered inside */
    unsigned long ticks_virtual, inner_virtual;
};

struct weft_stack_ { /* a region that is being visited */
    struct weft_visit_ *visit;
    unsigned long stack; /* pointer of the function that entered it: above the frames of all that it calls */
    unsigned long start, start_virtual;
    unsigned long weft_[4];
};

struct weft_lane_ { /* a thread */
    struct weft_stack_ *top;
    unsigned long intrusion;  /* how much later it is than it would be unwatched; modulo 2^64, and may fall, too */
    unsigned long pair;       /* what a visit adds to it */
    unsigned long pair_inner; /* of that, between the visit's two readings of the clock */
    unsigned long visits;     /* that went the fast way */
    unsigned long wrapped;    /* not 0: the visit just left was the 65,536th since the last time; its carry is to be added */
    unsigned long weft_[3];
};

struct weft_region_ {
    /* The fast way, for the procedures that one thread met first: where its next entry is counted. key stands for the thread and the place it was
     * last entered from, and is inverted while the procedure is being visited. Only that thread writes here. */
    unsigned long key;
    struct weft_visit_ *visit;
    void *owner;
    void *weft;          /* weft's own */
    unsigned char state; /* enum weft_region_state_; weft may change it at any time */
    unsigned char kind;  /* enum weft_region_kind_ */
    unsigned short zero;
    unsigned line;
    const char *name; /* procedure; loop: "for", "while" or "do"; or what the user called it */
    const char *file; /* as the compiler was given it */
};

struct weft_frame_ { /* a variable of a scope; never in memory if the compiler can help it */
    struct weft_region_ *region;
    struct weft_lane_ *lane; /* 0: not entered */
};

/* What libweft.so offers under the name weft_probe_api_. */
struct weft_probe_api_ {
    unsigned version;
    int zero;
    /* Enters a region that is new, or where the fast way does not know what to do; 0: there is nothing to leave. probe: an address in the function;
     * key: that + the function's return address + *lane; frame: where its part of the stack begins, above that of what it calls; lane: where
     * this program or library keeps its thread's lane. */
    struct weft_lane_ *(*enter)(struct weft_region_ *region, unsigned long key, unsigned long probe, const void *frame, struct weft_lane_ **lane);
    void (*leave)(struct weft_region_ *region); /* or what is to be done after every 65,536th visit: see weft_lane_.wrapped */
    void (*count)(struct weft_region_ *counter, double value);
    /* Regions by name only, for languages without scopes: end leaves the innermost one of that name. */
    void (*begin)(const char *name, unsigned long bytes);
    void (*end)(const char *name, unsigned long bytes);
};

/* glibc has dlsym in libc itself. Weak, so that a static program links and has no weft; renamed, so that <dlfcn.h> is not in the way. */
extern void *weft_dlsym_(void *, const char *) __asm__("dlsym") __attribute__((weak));

/* One a program, or one a shared library: 0 not looked yet, else the api or this variable's own address for "none". */
__attribute__((weak, visibility("hidden"))) const void *weft_api_found_;

static __inline__ const struct weft_probe_api_ *weft_api_(void)
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

__attribute__((noinline, cold)) static struct weft_lane_ *weft_enter_slow_(struct weft_region_ *region, unsigned long key,
                                                                                unsigned long probe, const void *frame)
{
    const struct weft_probe_api_ *api = weft_api_();
    if (api)
        return api->enter(region, key, probe, frame, &weft_lane_of_thread_);
    region->state = WEFT_REGION_OFF_;
    return (struct weft_lane_ *)0;
}

__attribute__((noinline, cold)) static void weft_leave_slow_(struct weft_region_ *region)
{
    ((const struct weft_probe_api_ *)weft_api_found_)->leave(region);
}

/* The fast way is assembly, because then it takes the compiler hardly any time. The numbers are offsets in the structures above. */
#if defined(__x86_64__) && defined(__LP64__)
/* An address here. A label's would do, but taking it keeps a function from being inlined. */
#define WEFT_HERE_(address) __asm__ volatile("lea 0(%%rip), %0" : "=r"(address))
#define WEFT_ENTER_FAST_(region, lane, lane_key, slow)                                                                                              \
    __asm__ goto("cmp %1, %2\n\t"                                                                                                                   \
                 "jne %l["#slow"]\n\t"                                                                                                              \
                 "lea %2, %%rax\n\t"                                                                                                                \
                 "mov 8(%%rax), %%rax\n\t" /* visit */                                                                                              \
                 "mov (%0), %%rcx\n\t"      /* top */                                                                                               \
                 "mov %%rax, 64(%%rcx)\n\t"                                                                                                         \
                 "mov %%rsp, 72(%%rcx)\n\t"                                                                                                         \
                 "notq %2\n\t"                                                                                                                      \
                 "addq $64, (%0)\n\t"                                                                                                               \
                 "rdtsc\n\t"                                                                                                                        \
                 "shl $32, %%rdx\n\t"                                                                                                               \
                 "or %%rdx, %%rax\n\t"                                                                                                              \
                 "mov %%rax, 80(%%rcx)\n\t"                                                                                                         \
                 "sub 8(%0), %%rax\n\t"                                                                                                             \
                 "mov %%rax, 88(%%rcx)"                                                                                                             \
                 :                                                                                                                                  \
                 : "r"(lane), "r"(lane_key), "m"(*(region))                                                                                         \
                 : "rax", "rcx", "rdx", "cc"                                                                                                        \
                 : slow)
#define WEFT_LEAVE_FAST_(region, lane, slow)                                                                                                        \
    __asm__ goto("rdtsc\n\t"                                                                                                                        \
                 "shl $32, %%rdx\n\t"                                                                                                               \
                 "or %%rdx, %%rax\n\t"                                                                                                              \
                 "lea %1, %%rdx\n\t"                                                                                                                \
                 "mov 8(%%rdx), %%rdx\n\t" /* visit */                                                                                              \
                 "mov (%0), %%rcx\n\t"      /* top */                                                                                               \
                 "cmp %%rdx, (%%rcx)\n\t"                                                                                                           \
                 "jne %l["#slow"]\n\t"                                                                                                              \
                 "mov -64(%%rcx), %%rsi\n\t" /* the visit it was entered in */                                                                      \
                 "mov %%rax, %%rdi\n\t"                                                                                                             \
                 "sub 16(%%rcx), %%rdi\n\t"                                                                                                         \
                 "add %%rdi, 32(%%rdx)\n\t"                                                                                                         \
                 "add %%rdi, 40(%%rsi)\n\t"                                                                                                         \
                 "sub 8(%0), %%rax\n\t"                                                                                                             \
                 "sub 24(%0), %%rax\n\t"                                                                                                            \
                 "sub 24(%%rcx), %%rax\n\t"                                                                                                         \
                 "add %%rax, 48(%%rdx)\n\t"                                                                                                         \
                 "add %%rax, 56(%%rsi)\n\t"                                                                                                         \
                 "mov 16(%0), %%rax\n\t"                                                                                                            \
                 "add %%rax, 8(%0)\n\t"                                                                                                             \
                 "incq 32(%0)\n\t"                                                                                                                  \
                 "notq %1\n\t"                                                                                                                      \
                 "subq $64, (%0)\n\t"                                                                                                               \
                 "incw 24(%%rdx)\n\t" /* only the lower 16 bits: carrying is done elsewhere */                                                      \
                 "jnz 1f\n\t"                                                                                                                       \
                 "incq 40(%0)\n\t"                                                                                                                  \
                 "jmp %l["#slow"]\n"                                                                                                                \
                 "1:"                                                                                                                               \
                 :                                                                                                                                  \
                 : "r"(lane), "m"(*(region))                                                                                                        \
                 : "rax", "rcx", "rdx", "rsi", "rdi", "cc"                                                                                          \
                 : slow)
#else
#define WEFT_HERE_(address) (address = 0)
#define WEFT_ENTER_FAST_(region, lane, lane_key, slow) goto slow
#define WEFT_LEAVE_FAST_(region, lane, slow) goto slow
#endif

__attribute__((always_inline)) static __inline__ int weft_enter_(struct weft_frame_ *frame)
{
    struct weft_region_ *region = frame->region;
    struct weft_lane_ *lane;
    unsigned long key, probe;
    if (__builtin_expect(region->state == WEFT_REGION_OFF_, 1))
        return 0;
    lane = weft_lane_of_thread_;
    WEFT_HERE_(probe);
    key = probe + (unsigned long)__builtin_return_address(0) + (unsigned long)lane;
    WEFT_ENTER_FAST_(region, lane, key, slow);
    if (!lane)
        __builtin_unreachable();
    frame->lane = lane;
    return 0;
slow:
    frame->lane = weft_enter_slow_(region, key, probe, __builtin_dwarf_cfa());
    return 0;
}

__attribute__((always_inline)) static __inline__ void weft_leave_(struct weft_frame_ *frame)
{
    struct weft_region_ *region = frame->region;
    struct weft_lane_ *lane = frame->lane;
    if (__builtin_expect(!lane, 1))
        return;
    WEFT_LEAVE_FAST_(region, lane, slow);
    return;
slow:
    weft_leave_slow_(region);
}

#ifdef __cplusplus
}
#endif

#define WEFT_REGION_INIT_(kind, name, file, line)                                                                                   \
    {0, (struct weft_visit_ *)0, (void *)0, (void *)0, WEFT_REGION_NEW_, kind, 0, line, name, file}

/* The text that `weft cc` inserts: declarations only, because C90 wants them in front of statements. id is unique in its scope. */
#define WEFT_SCOPE_(id, region_kind, region_name, region_file, region_line)                                                          \
    static struct weft_region_ weft_region_##id = WEFT_REGION_INIT_(region_kind, region_name, region_file, region_line);               \
    __attribute__((cleanup(weft_leave_))) struct weft_frame_ weft_frame_##id = {&weft_region_##id, (struct weft_lane_ *)0};             \
    __attribute__((unused)) int weft_entered_##id = weft_enter_(&weft_frame_##id);

/* The static tables of a translation unit, as text: see docs/static-tables.md. Nothing refers to them: the linker's --gc-sections has to be told. */
#if defined(__has_attribute)
#if __has_attribute(retain)
#define WEFT_RETAIN_ , retain
#endif
#endif
#ifndef WEFT_RETAIN_
#define WEFT_RETAIN_
#endif
#define WEFT_TABLE_(text) static const char weft_table_[] __attribute__((section("weft_static"), used WEFT_RETAIN_)) = text;

#endif
