/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nodes on a common cycle are found in any graph.
 */
#include "testing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collect/cycles.h"

static void nodes_without_edges_are_alone(void **state)
{
    (void)state;
    uint32_t component[3];
    assert_int_equal(wf_cycles_find(NULL, 0, 3, component), 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(component[i], i);
    assert_int_equal(wf_cycles_find(NULL, 0, 0, NULL), 0);
}

static void a_node_that_calls_itself_is_alone(void **state)
{
    (void)state;
    struct wf_edge edges[] = {{1, 1}, {0, 1}};
    uint32_t component[2];
    assert_int_equal(wf_cycles_find(edges, 2, 2, component), 0);
    assert_int_equal(component[0], 0);
    assert_int_equal(component[1], 1);
}

static void two_cycles_with_a_bridge_stay_two(void **state)
{
    (void)state;
    struct wf_edge edges[] = {{5, 4}, {4, 5}, {5, 2}, {2, 1}, {1, 3}, {3, 2}, {2, 1}, {3, 0}};
    uint32_t component[6];
    assert_int_equal(wf_cycles_find(edges, sizeof edges / sizeof *edges, 6, component), 0);
    static const uint32_t expected[] = {0, 1, 1, 1, 4, 4};
    assert_memory_equal(component, expected, sizeof expected);
}

static void a_ring_of_a_million_needs_no_deep_stack(void **state)
{
    (void)state;
    enum { COUNT = 1000000 };
    struct wf_edge *edges = malloc(COUNT * sizeof *edges);
    uint32_t *component = malloc(COUNT * sizeof *component);
    for (uint32_t i = 0; i < COUNT; i++)
        edges[i] = (struct wf_edge){i, (i + 1) % COUNT};
    assert_int_equal(wf_cycles_find(edges, COUNT, COUNT, component), 0);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(component[i], 0);
    free(edges);
    free(component);
}

enum { NODES = 12 };

static void close_paths(bool reaches[NODES][NODES])
{
    for (int k = 0; k < NODES; k++)
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < NODES; j++)
                reaches[i][j] = reaches[i][j] || (reaches[i][k] && reaches[k][j]);
}

static void random_graphs_agree_with_all_paths(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 2000; round++) {
        struct wf_edge edges[40];
        bool reaches[NODES][NODES] = {{false}};
        uint32_t component[NODES];
        size_t count = (size_t)rand() % 40;
        for (size_t e = 0; e < count; e++) {
            edges[e] = (struct wf_edge){(uint32_t)rand() % NODES, (uint32_t)rand() % NODES};
            reaches[edges[e].from][edges[e].to] = true;
        }
        close_paths(reaches);
        assert_int_equal(wf_cycles_find(edges, count, NODES, component), 0);
        for (uint32_t i = 0; i < NODES; i++) {
            uint32_t lowest = i;
            for (uint32_t j = 0; j < NODES; j++)
                if (reaches[i][j] && reaches[j][i] && j < lowest)
                    lowest = j;
            assert_int_equal(component[i], lowest);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_without_edges_are_alone),
        cmocka_unit_test(a_node_that_calls_itself_is_alone),
        cmocka_unit_test(two_cycles_with_a_bridge_stay_two),
        cmocka_unit_test(a_ring_of_a_million_needs_no_deep_stack),
        cmocka_unit_test(random_graphs_agree_with_all_paths),
    };
    return cmocka_run_group_tests_name("cycles", tests, NULL, NULL);
}
