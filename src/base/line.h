/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines of the cache that two cores use: one writes, the other reads. These are hints to the processor: they change no
 * memory, fault nowhere, and may be used by any thread and in signal handlers.
 */
#ifndef WF_LINE_H
#define WF_LINE_H

#define WF_LINE_BYTES 64u

/* We will write there, and others have read it: without this the write, and all writes behind it, would wait for the
 * line. The compiler's builtin gets it for reading only. */
static inline void wf_line_expect_write(const void *line)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/* For another core to write to one that is read again and again. */
static inline void wf_line_wait(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/* Another core will read it: from the cache that both share it has it sooner than from ours. Where the processor cannot
 * do that, it does nothing. */
static inline void wf_line_hand_over(const void *line)
{
#ifdef __x86_64__
    __asm__ volatile("cldemote %0" : : "m"(*(const char *)line));
#else
    (void)line;
#endif
}

#endif
