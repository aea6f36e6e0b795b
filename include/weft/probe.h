/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What code instrumented by `weft cc` is compiled with (through -include), and what <weft/weft.h> stands on. C and C++,
 * gcc and clang; header only; needs no library and includes nothing.
 *
 * A region is a procedure, a loop, or a stretch marked by hand. Each has one static weft_region_; on its first entry it
 * asks once whether weft is in this process, and from then on an entry without weft is a test of region.state. A frame
 * is a variable in the region's scope whose cleanup leaves the region on every way out (return, break, goto, an
 * exception).
 */
#ifndef WEFT_PROBE_H
#define WEFT_PROBE_H

#pragma GCC system_header /* what a compiler warns of here is not the user's to mend */

#define WEFT_PROBE_VERSION 5u

#ifdef __cplusplus
extern "C" {
#endif

enum weft_region_kind_ { WEFT_PROCEDURE_ = 1, WEFT_LOOP_ = 2, WEFT_USER_ = 3, WEFT_PHASE_ = 4, WEFT_COUNTER_ = 5 };
enum weft_region_state_ { WEFT_REGION_OFF_ = 0, WEFT_REGION_ON_ = 1, WEFT_REGION_NEW_ = 2 };

/* What follows down to weft_region_ belongs to weft, which lays these structures out in its segment and its own memory;
 * instrumented code writes into them directly, because a call would cost as much as everything else together. Times are
 * ticks. Virtual times are those without the cost of the probes themselves. */
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
    unsigned long start; /* 0: it has been left, as a reader of what a dead process left behind must know */
    unsigned long start_virtual;
    unsigned long weft_[4];
};

struct weft_lane_ { /* a thread */
    struct weft_stack_ *top;
    unsigned long intrusion;  /* how much later it is than it would be unwatched; modulo 2^64, and may fall, too */
    unsigned long pair;       /* what a visit adds to it */
    unsigned long pair_inner; /* the part of pair between the visit's two readings of the clock */
    unsigned long visits;     /* that went the fast way */
    unsigned long wrapped; /* not 0: the visit just left was the 65,536th since the last time; its carry is to be added
                            */
    unsigned long weft_[3];
};

struct weft_region_ {
    /* The fast way, for the procedures that one thread met first: where its next entry is counted. key stands for the
     * thread and the place it was last entered from, and is inverted while the procedure is being visited. Only that
     * thread writes here. */
    unsigned long key;
    struct weft_visit_ *visit;
    void *unused;
    void *weft;          /* weft's own */
    unsigned char state; /* enum weft_region_state_; weft may change it at any time */
    unsigned char kind;  /* enum weft_region_kind_ */
    unsigned short zero;
    unsigned line;
    const char *name; /* procedure; loop: "for", "while" or "do", and behind its end the procedure; or what the user
                         called it */
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
    /* Enters a region that is new, or where the fast way does not know what to do; 0: there is nothing to leave. probe:
     * an address in the function; key: that + the function's return address + *lane; frame: where its part of the stack
     * begins, above that of what it calls; lane: where this program or library keeps its thread's lane. On x86-64, this
     * and leave use general registers only (see below). */
    struct weft_lane_ *(*enter)(struct weft_region_ *region, unsigned long key, unsigned long probe, const void *frame,
                                struct weft_lane_ **lane);
    void (*leave)(struct weft_region_ *region); /* or what is to be done after every 65,536th visit: see
                                                   weft_lane_.wrapped */
    void (*count)(struct weft_region_ *counter, double value);
    /* Regions by name only, for languages without scopes: end leaves the innermost one of that name. */
    void (*begin)(const char *name, unsigned long bytes);
    void (*end)(const char *name, unsigned long bytes);
    void (*path)(int start); /* the critical path starts anew here, or, with 0, stops */
};

/* glibc has dlsym in libc itself. Weak, so that a static program links and has no weft; renamed, so that <dlfcn.h> is
 * not in the way. */
extern void *weft_dlsym_(void *, const char *) __asm__("dlsym") __attribute__((weak));

/* One a program, or one a shared library: 0 not looked yet, else the api or this variable's own address for "none". */
__attribute__((weak, visibility("hidden"), used)) const void *weft_api_found_;

__attribute__((weak, visibility("hidden"), used, noinline, cold)) void weft_api_look_(void)
{
    const struct weft_probe_api_ *api = (const struct weft_probe_api_ *)0;
    if (weft_dlsym_)
        api = (const struct weft_probe_api_ *)weft_dlsym_((void *)0, "weft_probe_api_");
    weft_api_found_ = api && api->version == WEFT_PROBE_VERSION ? (const void *)api : (const void *)&weft_api_found_;
}

static __inline__ const struct weft_probe_api_ *weft_api_(void)
{
    if (!weft_api_found_)
        weft_api_look_();
    return weft_api_found_ == (const void *)&weft_api_found_ ? (const struct weft_probe_api_ *)0
                                                             : (const struct weft_probe_api_ *)weft_api_found_;
}

/* clang-format off */
#if defined(__PIC__) && !defined(__PIE__)
/* a shared library: it is there when the thread starts, or small enough to fit in later */
__attribute__((tls_model("initial-exec")))
#endif
__attribute__((weak, visibility("hidden"), used)) __thread struct weft_lane_ *weft_lane_of_thread_;

#if defined(__x86_64__) && defined(__LP64__)
/* Probes are assembly, because then they take the compiler less time: to it they are no calls. (The branch around each
 * it must see: the way without weft is then free of all that the other one needs.) So a probe that does call must not
 * change anything in which the compiler may keep a value: the red zone below the stack pointer, and all registers that
 * the probe does not name. The call itself overwrites 8 bytes of the red zone, which r11 keeps meanwhile. The stubs
 * save the general registers. What they call uses no other registers, and goes through weft_saved_ where it needs
 * functions that might.
 * The numbers are offsets in the structures above. */

/* how weft_saved_ saves: 0 not known yet, 1 fxsave, 2 xsave */
__attribute__((weak, visibility("hidden"), used)) int weft_saves_;

/* function(a, b, c, d, e), with all vector registers left as they are */
unsigned long weft_saved_(void *function, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
                          unsigned long e) __attribute__((visibility("hidden")));

#define WEFT_STUB_BEGIN_(name) \
    ".pushsection .text." name ",\"axG\",@progbits," name ",comdat\n\t" \
    ".weak " name "\n\t.hidden " name "\n\t.type " name ",@function\n" name ":\n\t" \
    ".cfi_startproc\n\tlea -128(%rsp),%rsp\n\t.cfi_def_cfa_offset 136\n\t" \
    "push %rbp\n\t.cfi_def_cfa_offset 144\n\t.cfi_offset %rbp,-144\n\tmov %rsp,%rbp\n\t.cfi_def_cfa_register %rbp\n\t"
#define WEFT_STUB_END_(name) \
    "leave\n\t.cfi_def_cfa %rsp,136\n\tlea 128(%rsp),%rsp\n\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\n\t" \
    ".size " name ",.-" name "\n\t.popsection\n"

/* In: r10 the region; rax, rcx, rdx the enter function's key, probe and frame. Out: rax. */
__asm__(WEFT_STUB_BEGIN_("weft_enter_stub_")
        "push %rdi\n\tpush %rsi\n\tpush %r8\n\tpush %r9\n\tpush %r11\n\t"
        "and $-16,%rsp\n\t"
        "mov %r10,%rdi\n\tmov %rax,%rsi\n\txchg %rcx,%rdx\n"
        "1:\tmov weft_api_found_(%rip),%rax\n\t"
        "test %rax,%rax\n\tjz 2f\n\t"
        "lea weft_api_found_(%rip),%r8\n\tcmp %r8,%rax\n\tje 3f\n\t"
        "mov weft_lane_of_thread_@gottpoff(%rip),%r8\n\tadd %fs:0,%r8\n\t"
        "call *8(%rax)\n\tjmp 4f\n"
        "2:\tpush %rdi\n\tpush %rsi\n\tpush %rdx\n\tpush %rcx\n\t"
        "lea weft_api_look_(%rip),%rdi\n\tcall weft_saved_\n\t"
        "pop %rcx\n\tpop %rdx\n\tpop %rsi\n\tpop %rdi\n\tjmp 1b\n"
        "3:\tmovb $0,32(%rdi)\n\txor %eax,%eax\n" /* state: WEFT_REGION_OFF_ */
        "4:\tlea -40(%rbp),%rsp\n\t"
        "pop %r11\n\tpop %r9\n\tpop %r8\n\tpop %rsi\n\tpop %rdi\n\t" WEFT_STUB_END_("weft_enter_stub_"));

/* In: r10 the region. */
__asm__(WEFT_STUB_BEGIN_("weft_leave_stub_")
        "push %rdi\n\tpush %rsi\n\tpush %r8\n\tpush %r9\n\tpush %r11\n\t"
        "and $-16,%rsp\n\t"
        "mov %r10,%rdi\n\tmov weft_api_found_(%rip),%rax\n\tcall *16(%rax)\n\t"
        "lea -40(%rbp),%rsp\n\t"
        "pop %r11\n\tpop %r9\n\tpop %r8\n\tpop %rsi\n\tpop %rdi\n\t" WEFT_STUB_END_("weft_leave_stub_"));

/* x87, SSE, AVX and AVX-512 take 2,688 bytes; xsave wants them on a multiple of 64, and its header empty. */
__asm__(WEFT_STUB_BEGIN_("weft_saved_")
        "sub $2688,%rsp\n\tand $-64,%rsp\n\t"
        "mov %rdi,%r11\n\tmov %rdx,%r10\n"
        "1:\tmov weft_saves_(%rip),%eax\n\t"
        "cmp $1,%eax\n\tje 3f\n\tjb 2f\n\t"
        "xor %eax,%eax\n\tmov %rax,512(%rsp)\n\tmov %rax,520(%rsp)\n\tmov %rax,528(%rsp)\n\t"
        "mov $0xe7,%eax\n\txor %edx,%edx\n\txsave64 (%rsp)\n\tjmp 4f\n"
        "2:\tpush %rbx\n\tpush %rcx\n\t"
        "mov $1,%eax\n\txor %ecx,%ecx\n\tcpuid\n\tshr $27,%ecx\n\tand $1,%ecx\n\tinc %ecx\n\t"
        "mov %ecx,weft_saves_(%rip)\n\t"
        "pop %rcx\n\tpop %rbx\n\tjmp 1b\n"
        "3:\tfxsave64 (%rsp)\n"
        "4:\tmov %rsi,%rdi\n\tmov %r10,%rsi\n\tmov %rcx,%rdx\n\tmov %r8,%rcx\n\tmov %r9,%r8\n\tcall *%r11\n\t"
        "mov %rax,%r11\n\tcmpl $1,weft_saves_(%rip)\n\tje 5f\n\t"
        "mov $0xe7,%eax\n\txor %edx,%edx\n\txrstor64 (%rsp)\n\tjmp 6f\n"
        "5:\tfxrstor64 (%rsp)\n"
        "6:\tmov %r11,%rax\n\t" WEFT_STUB_END_("weft_saved_"));

__attribute__((always_inline)) static __inline__ int weft_enter_(struct weft_frame_ *frame)
{
    if (__builtin_expect(frame->region->state == WEFT_REGION_OFF_, 1))
        return 0;
    __asm__ volatile("mov %2, %0\n\t"
                     /* an address here; a label's would do, but taking it keeps a function from being inlined */
                     "lea 0(%%rip), %%rcx\n\t"
                     "mov %3, %%rax\n\t"
                     "add %%rcx, %%rax\n\t"
                     "add %0, %%rax\n\t"
                     "cmp %%rax, %5\n\t"
                     "je 1f\n\t"
                     "lea %1, %%r10\n\t"
                     "lea %4, %%rdx\n\t"
                     "mov -8(%%rsp), %%r11\n\t"
                     "call weft_enter_stub_\n\t"
                     "mov %%r11, -8(%%rsp)\n\t"
                     "mov %%rax, %0\n\t"
                     "jmp 2f\n"
                     /* A signal handler may push and pop an entry here between any two of these: the visit is
                      * written before the entry is below the top, so that there always is one, and again when no
                      * one else writes there. */
                     "1:\tmov %6, %%rax\n\t"
                     "mov (%0), %%rcx\n\t"        /* top */
                     "mov %%rax, 64(%%rcx)\n\t"
                     "notq %5\n\t"
                     "addq $64, (%0)\n\t"
                     "mov %%rax, 64(%%rcx)\n\t"
                     "mov %%rsp, 72(%%rcx)\n\t"
                     "rdtsc\n\t"
                     "shl $32, %%rdx\n\t"
                     "or %%rdx, %%rax\n\t"
                     "mov %%rax, 80(%%rcx)\n\t"
                     "sub 8(%0), %%rax\n\t"
                     "mov %%rax, 88(%%rcx)\n"
                     "2:"
                     : "=&r"(frame->lane)
                     : "m"(*frame->region), "m"(weft_lane_of_thread_), "m"(((void *const *)__builtin_dwarf_cfa())[-1]),
                       "m"(*(const char *)__builtin_dwarf_cfa()), "m"(frame->region->key), "m"(frame->region->visit)
                     : "rax", "rcx", "rdx", "r10", "r11", "cc");
    return 0;
}

__attribute__((always_inline)) static __inline__ void weft_leave_(struct weft_frame_ *frame)
{
    if (__builtin_expect(!frame->lane, 1))
        return;
    __asm__ volatile("rdtsc\n\t"
                     "shl $32, %%rdx\n\t"
                     "or %%rdx, %%rax\n\t"
                     "mov %2, %%rdx\n\t"
                     "mov (%0), %%rcx\n\t"      /* top */
                     "cmp %%rdx, (%%rcx)\n\t"
                     "je 2f\n"
                     "1:\tlea %1, %%r10\n\t"
                     "mov -8(%%rsp), %%r11\n\t"
                     "call weft_leave_stub_\n\t"
                     "mov %%r11, -8(%%rsp)\n\t"
                     "jmp 3f\n"
                     "2:\tmov -64(%%rcx), %%r10\n\t" /* the visit it was entered in */
                     "mov %%rax, %%r11\n\t"
                     "sub 16(%%rcx), %%r11\n\t"
                     "movq $0, 16(%%rcx)\n\t"
                     "add %%r11, 32(%%rdx)\n\t"
                     "add %%r11, 40(%%r10)\n\t"
                     "sub 8(%0), %%rax\n\t"
                     "sub 24(%0), %%rax\n\t"
                     "sub 24(%%rcx), %%rax\n\t"
                     "add %%rax, 48(%%rdx)\n\t"
                     "add %%rax, 56(%%r10)\n\t"
                     "mov 16(%0), %%rax\n\t"
                     "add %%rax, 8(%0)\n\t"
                     "incq 32(%0)\n\t"
                     "notq %1\n\t"
                     "subq $64, (%0)\n\t"
                     "incw 24(%%rdx)\n\t" /* only the lower 16 bits: carrying is done elsewhere */
                     "jnz 3f\n\t"
                     "incq 40(%0)\n\t"
                     "jmp 1b\n"
                     "3:"
                     :
                     : "r"(frame->lane), "m"(*frame->region), "m"(frame->region->visit)
                     : "rax", "rcx", "rdx", "r10", "r11", "cc");
}
#else
static __inline__ unsigned long weft_saved_(void *function, unsigned long a, unsigned long b, unsigned long c,
                                            unsigned long d, unsigned long e)
{
    typedef unsigned long any(unsigned long, unsigned long, unsigned long, unsigned long, unsigned long);
    return ((any *)function)(a, b, c, d, e);
}

__attribute__((always_inline)) static __inline__ int weft_enter_(struct weft_frame_ *frame)
{
    struct weft_region_ *region = frame->region;
    const struct weft_probe_api_ *api;
    if (__builtin_expect(region->state == WEFT_REGION_OFF_, 1))
        return 0;
    api = weft_api_();
    if (api)
        frame->lane = api->enter(region,
                                 (unsigned long)__builtin_return_address(0) + (unsigned long)weft_lane_of_thread_, 0,
                                 __builtin_dwarf_cfa(), &weft_lane_of_thread_);
    else
        region->state = WEFT_REGION_OFF_;
    return 0;
}

__attribute__((always_inline)) static __inline__ void weft_leave_(struct weft_frame_ *frame)
{
    if (__builtin_expect(frame->lane != (struct weft_lane_ *)0, 0))
        ((const struct weft_probe_api_ *)weft_api_found_)->leave(frame->region);
}
#endif

#ifdef __cplusplus
}
#endif

/* clang-format on */

#define WEFT_REGION_INIT_(kind, name, file, line)                                                     \
    {                                                                                                 \
        0, (struct weft_visit_ *)0, (void *)0, (void *)0, WEFT_REGION_NEW_, kind, 0, line, name, file \
    }

/* The text that `weft cc` inserts: declarations only, because C90 wants them in front of statements. id is unique in
 * its scope. */
#define WEFT_SCOPE_(id, region_kind, region_name, region_file, region_line)                              \
    static struct weft_region_ weft_region_##id =                                                        \
        WEFT_REGION_INIT_(region_kind, region_name, region_file, region_line);                           \
    __attribute__((cleanup(weft_leave_))) struct weft_frame_ weft_frame_##id = {&weft_region_##id,       \
                                                                                (struct weft_lane_ *)0}; \
    __attribute__((unused)) int weft_entered_##id = weft_enter_(&weft_frame_##id);

/* The static tables of a translation unit, as text: see docs/static-tables.md. Nothing refers to them: the linker's
 * --gc-sections has to be told. */
#if defined(__has_attribute)
#if __has_attribute(retain)
#define WEFT_RETAIN_ , retain
#endif
#endif
#ifndef WEFT_RETAIN_
#define WEFT_RETAIN_
#endif
#define WEFT_TABLE_(text) \
    static const char weft_table_[] __attribute__((section("weft_static"), used WEFT_RETAIN_)) = text;

#endif
