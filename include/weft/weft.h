/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions, phases and counters marked by hand, in C and C++:
 *
 *     #include <weft/weft.h>
 *
 *     WEFT_REGION("solve") {             a region: the code in the braces, however they are left
 *         ...
 *     }
 *     WEFT_PHASE("setup") { ... }        the same; a phase is a part of the run
 *     WEFT_COUNT("cells", n);            adds n to a counter
 *     weft::region r("solve");           C++: a region until the end of the scope
 *     weft_path_start();                 starts the critical path anew; the n-th call of each process is the n-th start
 *     weft_path_stop();                  ends it here
 *
 * Header only. Without weft in the process, a region costs a test of one flag. `break` and `continue` directly in the
 * braces leave the region, as they would leave a loop. Names are string literals. For Fortran see weft.f90 beside this
 * file.
 */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#pragma GCC system_header

#include "probe.h"

struct weft_once_ {
    struct weft_frame_ frame;
    int go;
};

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((always_inline)) static __inline__ struct weft_once_ weft_once_enter_(void)
{
    struct weft_once_ once = {{(struct weft_region_ *)0, (struct weft_lane_ *)0}, 1};
    return once;
}

__attribute__((always_inline)) static __inline__ void weft_once_leave_(struct weft_once_ *once)
{
    weft_leave_(&once->frame);
}

static __inline__ void weft_path_start(void)
{
    const struct weft_probe_api_ *api = weft_api_();
    if (api)
        api->path(1);
}

static __inline__ void weft_path_stop(void)
{
    const struct weft_probe_api_ *api = weft_api_();
    if (api)
        api->path(0);
}

__attribute__((always_inline)) static __inline__ void weft_count_(struct weft_region_ *counter, double value)
{
    if (__builtin_expect(counter->state != WEFT_REGION_OFF_, 0)) {
        const struct weft_probe_api_ *api = weft_api_();
        if (api)
            api->count(counter, value);
        else
            counter->state = WEFT_REGION_OFF_;
    }
}

#ifdef __cplusplus
}
#endif

/* The region's only static object, in a place where the language allows expressions only. */
#define WEFT_STATIC_(kind, name)                                                                     \
    __extension__({                                                                                  \
        static struct weft_region_ weft_static_ = WEFT_REGION_INIT_(kind, name, __FILE__, __LINE__); \
        &weft_static_;                                                                               \
    })

#define WEFT_SCOPED_(kind, name)                                                                           \
    for (__attribute__((cleanup(weft_once_leave_))) struct weft_once_ weft_once_var_ = weft_once_enter_(); \
         weft_once_var_.go &&                                                                              \
         (weft_once_var_.frame.region = WEFT_STATIC_(kind, name), weft_enter_(&weft_once_var_.frame), 1);  \
         weft_once_var_.go = 0)

#define WEFT_REGION(name) WEFT_SCOPED_(WEFT_USER_, name)
#define WEFT_PHASE(name) WEFT_SCOPED_(WEFT_PHASE_, name)
#define WEFT_COUNT(name, value) weft_count_(WEFT_STATIC_(WEFT_COUNTER_, name), (double)(value))

#ifdef __cplusplus
namespace weft
{
/* A region from here to the end of the scope. The name is looked up at each entry; use WEFT_REGION for code that runs
 * often. */
class region
{
  public:
    explicit region(const char *name) : name_(name), bytes_(__builtin_strlen(name)), api_(weft_api_())
    {
        if (api_)
            api_->begin(name_, bytes_);
    }
    ~region()
    {
        if (api_)
            api_->end(name_, bytes_);
    }

  private:
    region(const region &);
    region &operator=(const region &);
    const char *name_;
    unsigned long bytes_;
    const weft_probe_api_ *api_;
};
} // namespace weft
#endif

#endif
