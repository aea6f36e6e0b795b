/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The recorder lives in libweft.so and is used by the backends. What they share is exported under names that no application has: a preloaded
 * library's names win over everybody else's.
 */
#ifndef WF_SHARED_H
#define WF_SHARED_H

#define WF_SHARED(name) __asm__("weft_internal_" #name) __attribute__((visibility("default")))

#endif
