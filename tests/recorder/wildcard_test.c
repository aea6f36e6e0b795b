/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Has monitoring changed the order of receives from any source? The definition, applied to all pairs of messages of
 * random runs, against what weft counts while the messages are taken one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "measure/clock/limits.h"
#include "measure/exchange/wildcard.h"
#include "measure/process/process.h"

enum { RUNS = 20000, MOST = 40, SOURCES = 4, TAGS = 2 };

struct wf_process wf_process;

/* A message, and the receive that takes it. */
struct message {
    struct wf_header header;
    int32_t source, wanted;
    bool any;
    uint64_t order; /* of its receive */
};

static struct wf_segment_header segment;
static uint64_t orders = 1; /* so many receives were posted in all runs so far */

static bool is_changed(const struct message *m, const struct message *other)
{
    return m->any && other->order > m->order && other->source != m->source && other->header.comm == m->header.comm &&
           (m->wanted == WF_ANY || m->wanted == other->header.tag) &&
           other->header.stamp.real > m->header.stamp.real &&
           other->header.stamp.virt + wf_limits.order < m->header.stamp.virt;
}

static uint64_t count_changed(const struct message *messages, int count)
{
    uint64_t changed = 0;
    for (int i = 0; i < count; i++) {
        bool found = false;
        for (int k = 0; k < count; k++)
            found |= is_changed(&messages[i], &messages[k]);
        changed += found;
    }
    return changed;
}

/* Receives are posted in their order, and complete in another one. */
static int make_run(struct message *messages, uint64_t comm)
{
    int count = 2 + rand() % (MOST - 1);
    for (int i = 0; i < count; i++) {
        struct message *m = &messages[i];
        uint64_t real = comm * 1000000 + (uint64_t)(rand() % 20) * wf_limits.order + (uint64_t)i, /* no two are equal */
                 virt = real - (uint64_t)(rand() % 3 ? 0 : rand() % 20) * wf_limits.order;
        *m = (struct message){.source = rand() % SOURCES, .any = rand() % 3 != 0, .order = orders++};
        m->header = (struct wf_header){.comm = comm + (uint64_t)(rand() % 4 == 0),
                                       .tag = rand() % TAGS,
                                       .stamp = {.real = real, .virt = virt}};
        m->wanted = rand() % 2 ? WF_ANY : m->header.tag;
    }
    return count;
}

static void shuffle(int *numbers, int count, int far)
{
    for (int i = 0; i < count; i++)
        numbers[i] = i;
    for (int i = 0; i < count; i++) {
        int k = i + rand() % (far + 1), kept = numbers[i];
        k = k < count ? k : i;
        numbers[i] = numbers[k];
        numbers[k] = kept;
    }
}

static void take(const struct message *m, struct wf_order_record *record)
{
    struct wf_wildcard by = {record, m->wanted};
    if (m->any)
        wf_wildcard_take(&m->header, m->source, m->order, &by);
    else
        wf_wildcard_pass(&m->header, m->source, m->order);
    if (m->any)
        wf_wildcard_completed();
}

/* All receives from any source are posted at first, so that every message may matter. */
static void the_definition(void **state)
{
    (void)state;
    uint64_t changed = 0;
    for (int run = 0; run < RUNS; run++) {
        struct message messages[MOST];
        struct wf_order_record record = {.any = 0};
        int count = make_run(messages, 1 + 2 * (uint64_t)run), numbers[MOST];
        uint64_t any = 0, expected = count_changed(messages, count);
        for (int i = 0; i < count; i++) {
            any += messages[i].any;
            if (messages[i].any)
                wf_wildcard_posted();
        }
        shuffle(numbers, count, run % 3 * 4);
        for (int i = 0; i < count; i++)
            take(&messages[numbers[i]], &record);
        assert_int_equal(record.any, any);
        assert_int_equal(record.changed, expected);
        changed += expected;
    }
    assert_true(changed > RUNS);
}

static void probes_for_one_message_count_each(void **state)
{
    (void)state;
    struct wf_order_record record = {.any = 0};
    struct message late = {.header = {.comm = 0, .stamp = {.real = 9000000, .virt = 1000000}}, .source = 1},
                   found = {.header = {.comm = 0, .stamp = {.real = 5000000, .virt = 5000000}}, .source = 2, .any = true,
                            .wanted = WF_ANY};
    struct wf_wildcard by = {&record, WF_ANY};
    for (int i = 0; i < 5; i++)
        wf_wildcard_take(&found.header, found.source, orders++, &by);
    assert_int_equal(record.changed, 0);
    wf_wildcard_pass(&late.header, late.source, orders++);
    assert_int_equal(record.any, 5);
    assert_int_equal(record.changed, 5);
    wf_wildcard_take(&found.header, found.source, orders++, &by);
    assert_int_equal(record.changed, 6);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_definition),
        cmocka_unit_test(probes_for_one_message_count_each),
    };
    wf_process.segment.header = &segment;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
