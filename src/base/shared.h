/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The recorder lives in libweft.so and is used by the backends. What they share is exported under names that no
 * application has: a preloaded library's names win over those of all other libraries.
 */
#ifndef WF_SHARED_H
#define WF_SHARED_H

#define WF_SHARED(name) __asm__("weft_internal_" #name) __attribute__((visibility("default")))

/* A variable that is read inline in one library only: without this, each access would go through a table. */
#define WF_HIDDEN __attribute__((visibility("hidden")))

#endif
