/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table finds what was put in and not taken out, whatever the hashes are, and is right also when it has no memory.
 */
#include "testing.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/table.h"

struct thing {
    uint64_t key;
    uint64_t hash;
};

enum { THINGS = 20000 };

static struct thing things[THINGS];

static uint32_t hash_of_thing(const void *thing)
{
    return (uint32_t)((const struct thing *)thing)->hash;
}

static void name_things(uint64_t (*hash)(uint64_t key))
{
    for (uint64_t i = 0; i < THINGS; i++)
        things[i] = (struct thing){.key = i, .hash = hash(i)};
}

static uint64_t good_hash(uint64_t key)
{
    return wf_hash(key);
}

/* Four slots for all, at the end of any table, so that searches go over it. */
static uint64_t bad_hash(uint64_t key)
{
    return UINT32_MAX - key % 4;
}

static struct thing *find(const struct wf_table *table, const struct thing *wanted)
{
    for (uint32_t i = hash_of_thing(wanted);; i++) {
        struct thing *thing = wf_table_at(table, i);
        if (!thing || thing->key == wanted->key)
            return thing;
    }
}

static void release_slots(struct wf_table *table)
{
    if (table->mask)
        wf_memory_release(table->slots, (table->mask + 1) * sizeof *table->slots);
}

static void an_empty_table_finds_nothing_without_memory(void **state)
{
    (void)state;
    struct wf_table table = WF_TABLE(things);
    name_things(good_hash);
    assert_null(find(&table, &things[5]));
    wf_table_remove(&table, &things[5], hash_of_thing);
    assert_int_equal(table.used, 0);
    assert_ptr_equal(table.slots, wf_table_no_slots);
}

static void all_that_is_put_in_is_found(void **state)
{
    (void)state;
    struct wf_table table = WF_TABLE(things);
    name_things(good_hash);
    for (int i = 0; i < THINGS; i++) { /* the first one lies at the base itself */
        assert_null(find(&table, &things[i]));
        assert_true(wf_table_add(&table, &things[i], hash_of_thing));
        assert_ptr_equal(find(&table, &things[i / 2]), &things[i / 2]);
    }
    assert_int_equal(table.used, THINGS);
    for (int i = 0; i < THINGS; i++)
        assert_ptr_equal(find(&table, &things[i]), &things[i]);
    release_slots(&table);
}

/* Puts in and takes out at random; what is in is found, what is not is not. */
static void change_at_random(uint64_t (*hash)(uint64_t key), int most, int steps)
{
    struct wf_table table = WF_TABLE(things);
    static char is_in[THINGS];
    uint32_t count = 0;
    srand(1);
    name_things(hash);
    for (int step = 0; step < steps; step++) {
        int i = rand() % most;
        if (is_in[i])
            wf_table_remove(&table, &things[i], hash_of_thing);
        else
            assert_true(wf_table_add(&table, &things[i], hash_of_thing));
        is_in[i] = !is_in[i];
        count += is_in[i] ? 1 : -1;
        int other = rand() % most;
        assert_ptr_equal(find(&table, &things[other]), is_in[other] ? &things[other] : NULL);
    }
    assert_int_equal(table.used, count);
    for (int i = 0; i < most; i++, is_in[i - 1] = 0)
        assert_ptr_equal(find(&table, &things[i]), is_in[i] ? &things[i] : NULL);
    release_slots(&table);
}

static void what_is_taken_out_is_not_found(void **state)
{
    (void)state;
    change_at_random(good_hash, 1000, 200000);
}

static void searches_that_collide_and_go_over_the_end(void **state)
{
    (void)state;
    change_at_random(bad_hash, 150, 20000);
}

static bool is_odd(const void *thing)
{
    return ((const struct thing *)thing)->key % 2;
}

static void keep_odd(uint64_t (*hash)(uint64_t key), int count)
{
    struct wf_table table = WF_TABLE(things);
    name_things(hash);
    for (int i = 0; i < count; i++)
        assert_true(wf_table_add(&table, &things[i], hash_of_thing));
    struct rlimit limit = take_all_memory();
    wf_table_keep(&table, is_odd, hash_of_thing);
    give_memory_back(limit);
    assert_int_equal(table.used, count / 2);
    for (int i = 0; i < count; i++)
        assert_ptr_equal(find(&table, &things[i]), i % 2 ? &things[i] : NULL);
    release_slots(&table);
}

static void only_what_is_wanted_stays_and_that_needs_no_memory(void **state)
{
    (void)state;
    keep_odd(good_hash, THINGS);
    keep_odd(good_hash, 200);
    keep_odd(bad_hash, 200);
}

static void without_memory_the_table_stays_as_it_is(void **state)
{
    (void)state;
    struct wf_table table = WF_TABLE(things);
    int count = 0;
    name_things(good_hash);
    errno = EXDEV;
    struct rlimit limit = take_all_memory();
    bool first = wf_table_add(&table, &things[0], hash_of_thing);
    give_memory_back(limit);
    assert_false(first);
    assert_true(wf_table_add(&table, &things[count++], hash_of_thing));
    limit = take_all_memory();
    while (count < THINGS && wf_table_add(&table, &things[count], hash_of_thing))
        count++;
    give_memory_back(limit);
    assert_int_equal(errno, EXDEV);
    assert_in_range(count, 100, 256);
    assert_int_equal(table.used, count);
    for (int i = 0; i <= count; i++)
        assert_ptr_equal(find(&table, &things[i]), i < count ? &things[i] : NULL);
    assert_true(wf_table_add(&table, &things[count], hash_of_thing));
    release_slots(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_table_finds_nothing_without_memory),
        cmocka_unit_test(all_that_is_put_in_is_found),
        cmocka_unit_test(what_is_taken_out_is_not_found),
        cmocka_unit_test(searches_that_collide_and_go_over_the_end),
        cmocka_unit_test(only_what_is_wanted_stays_and_that_needs_no_memory),
        cmocka_unit_test(without_memory_the_table_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
