/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every case of Figures 2 to 12 of Malony, Shende, Morris, Wolf: Compensation of Measurement Overhead in Parallel
 * Performance Profiling (2007).
 *
 * Overheads o and computing are chosen; the waits w and y result from the watched run. The delay model must give the
 * paper's expressions for the corrected wait (w') and the new delay (x'). The virtual clock must give the truth, which
 * is a run without probes. Where the receiver waited, this is the paper's answer. Where it did not and had more
 * overhead than the sender, the paper invents a wait: those cases are here too, named ..._unwaited.
 *
 * The paper also rewrites the overhead itself (o2'); the clocks have no such value. What moves between waiting and
 * overhead is in w' and x', because x2' + w' = o2 + w always: no real time is lost or added. (The paper's o2' = o2 -
 * (o1 - o2 if o1 > o2) would not add up.)
 */
#include "../collect/testing.h"

#include "scene.h"

enum { P1, P2, P3 };

/* What was measured at a process's last receive, or `back` calls earlier. */
struct measured {
    uint64_t own;  /* x2 before: the receiver's delay when it began to receive */
    uint64_t wait; /* w */
};

static struct measured measured(const struct scene *s, uint32_t process, uint32_t back)
{
    const struct sim_record *real = scene_call(s, &s->real, process, back),
                            *delay = scene_call(s, &s->delay, process, back);
    return (struct measured){real->begin - delay->begin, real->sync};
}

static uint64_t delay_after(const struct scene *s, uint32_t process, uint32_t back)
{
    return scene_call(s, &s->real, process, back)->end - scene_call(s, &s->delay, process, back)->end;
}

/* The delay model says that the call waited w and left its process x later than without probes. */
static void delay_says(const struct scene *s, uint32_t process, uint32_t back, uint64_t w, uint64_t x)
{
    struct measured before = measured(s, process, back);
    assert_int_equal(scene_call(s, &s->delay, process, back)->sync, w);
    assert_int_equal(delay_after(s, process, back), x);
    assert_int_equal(x + w, before.own + before.wait);
}

static void virtual_is_true(const struct scene *s, uint32_t process, uint32_t back)
{
    const struct sim_record *truth = scene_call(s, &s->truth, process, back),
                            *virtual = scene_call(s, &s->virtual, process, back);
    assert_int_equal(virtual->begin, truth->begin);
    assert_int_equal(virtual->end, truth->end);
    assert_int_equal(virtual->sync, truth->sync);
}

/* The paper's answer, and it is right. */
static void expect(const struct scene *s, uint32_t process, uint32_t back, uint64_t w, uint64_t x)
{
    const struct sim_record *truth = scene_call(s, &s->truth, process, back);
    delay_says(s, process, back, w, x);
    virtual_is_true(s, process, back);
    assert_int_equal(truth->sync, w);
    assert_int_equal(truth->end, scene_call(s, &s->real, process, back)->end - x);
}

/* The paper's answer is a wait of w. It is invented, because no process waited, and the delay is too small by as
 * much. */
static void expect_invented(const struct scene *s, uint32_t process, uint32_t back, uint64_t w, uint64_t x)
{
    const struct sim_record *truth = scene_call(s, &s->truth, process, back);
    assert_int_equal(measured(s, process, back).wait, 0);
    delay_says(s, process, back, w, x);
    virtual_is_true(s, process, back);
    assert_true(w > 0);
    assert_int_equal(truth->sync, 0);
    assert_int_equal(truth->end, scene_call(s, &s->real, process, back)->end - x - w);
}

/* ---- one send ---- */

static void figure_2_case_1_one_send(void **state)
{
    (void)state;
    const uint64_t o1 = 700, o2 = 200;
    struct scene s = scene_new(2);
    scene_compute(&s, P1, 1000);
    scene_compute(&s, P2, 1200);
    scene_message(&s, SIM_SEND, P1, P2, o1, o2);
    scene_run(&s);
    const uint64_t w = measured(&s, P2, 0).wait;
    assert_int_equal(w, 300);
    assert_true(o1 >= o2 + w);
    expect(&s, P2, 0, 0, o2 + w);
    assert_int_equal(delay_after(&s, P1, 0), o1);
    scene_free(&s);
}

static void figure_2_case_2_one_send(void **state)
{
    (void)state;
    const uint64_t o1 = 300, o2 = 200;
    struct scene s = scene_new(2);
    scene_compute(&s, P1, 1000);
    scene_compute(&s, P2, 600);
    scene_message(&s, SIM_SEND, P1, P2, o1, o2);
    scene_run(&s);
    const uint64_t w = measured(&s, P2, 0).wait;
    assert_int_equal(w, 500);
    assert_true(o1 < o2 + w);
    expect(&s, P2, 0, w + o2 - o1, o1);
    assert_int_equal(delay_after(&s, P1, 0), o1);
    scene_free(&s);
}

/* w' may be longer than w. */
static void figure_2_case_2_one_send_waits_longer(void **state)
{
    (void)state;
    const uint64_t o1 = 100, o2 = 400;
    struct scene s = scene_new(2);
    scene_compute(&s, P1, 1000);
    scene_compute(&s, P2, 600);
    scene_message(&s, SIM_SEND, P1, P2, o1, o2);
    scene_run(&s);
    const uint64_t w = measured(&s, P2, 0).wait;
    assert_int_equal(w, 100);
    assert_true(o1 < o2 + w);
    expect(&s, P2, 0, w + (o2 - o1), o1);
    scene_free(&s);
}

static void figure_2_case_2_one_send_unwaited(void **state)
{
    (void)state;
    const uint64_t o1 = 50, o2 = 400, w = 0;
    struct scene s = scene_new(2);
    scene_compute(&s, P1, 100);
    scene_compute(&s, P2, 900);
    scene_message(&s, SIM_SEND, P1, P2, o1, o2);
    scene_run(&s);
    assert_true(o1 < o2 + w);
    expect_invented(&s, P2, 0, w + (o2 - o1), o1);
    scene_free(&s);
}

/* ---- two sends: P1 sends to P2, computes, and sends again ---- */

struct then {
    uint64_t compute1, compute2;
};

static struct scene two_sends(uint64_t c1, uint64_t c2, uint64_t o1, uint64_t o2, struct then next, uint64_t o1a,
                              uint64_t o2a)
{
    struct scene s = scene_new(2);
    scene_compute(&s, P1, c1);
    scene_compute(&s, P2, c2);
    scene_message(&s, SIM_SEND, P1, P2, (uint32_t)o1, (uint32_t)o2);
    scene_compute(&s, P1, next.compute1);
    scene_compute(&s, P2, next.compute2);
    scene_message(&s, SIM_SEND, P1, P2, (uint32_t)o1a, (uint32_t)o2a);
    scene_run(&s);
    return s;
}

static void figure_3_case_1_two_sends(void **state)
{
    (void)state;
    const uint64_t o1 = 700, o2 = 200, o1a = 500, o2a = 50;
    struct scene s = two_sends(1000, 1200, o1, o2, (struct then){100, 400}, o1a, o2a);
    const uint64_t w = measured(&s, P2, 1).wait, y = measured(&s, P2, 0).wait, x2 = o2 + w;
    assert_int_equal(w, 300);
    assert_int_equal(y, 150);
    assert_true(o1 >= o2 + w);
    expect(&s, P2, 1, 0, x2);
    const uint64_t O1 = o1 + o1a, O2 = x2 + o2a;
    assert_true(O1 >= O2 + y);
    expect(&s, P2, 0, 0, O2 + y);
    assert_int_equal(delay_after(&s, P1, 0), O1);
    scene_free(&s);
}

static void figure_3_case_2_two_sends(void **state)
{
    (void)state;
    const uint64_t o1 = 300, o2 = 200, o1a = 900, o2a = 100;
    struct scene s = two_sends(1000, 600, o1, o2, (struct then){100, 500}, o1a, o2a);
    const uint64_t w = measured(&s, P2, 1).wait, y = measured(&s, P2, 0).wait, x2 = o1;
    assert_int_equal(w, 500);
    assert_int_equal(y, 400);
    assert_true(o1 < o2 + w);
    expect(&s, P2, 1, w + o2 - o1, x2);
    const uint64_t O1 = o1 + o1a, O2 = x2 + o2a;
    assert_true(O1 >= O2 + y);
    expect(&s, P2, 0, 0, O2 + y);
    assert_int_equal(delay_after(&s, P1, 0), O1);
    scene_free(&s);
}

static void figure_4_case_3_two_sends(void **state)
{
    (void)state;
    const uint64_t o1 = 700, o2 = 200, o1a = 100, o2a = 150;
    struct scene s = two_sends(1000, 1200, o1, o2, (struct then){800, 100}, o1a, o2a);
    const uint64_t w = measured(&s, P2, 1).wait, y = measured(&s, P2, 0).wait, x2 = o2 + w;
    assert_int_equal(w, 300);
    assert_int_equal(y, 650);
    assert_true(o1 >= o2 + w);
    expect(&s, P2, 1, 0, x2);
    const uint64_t O1 = o1 + o1a, O2 = x2 + o2a;
    assert_true(O1 < O2 + y);
    expect(&s, P2, 0, y + O2 - O1, O1);
    assert_int_equal(delay_after(&s, P1, 0), O1);
    scene_free(&s);
}

static void figure_4_case_4_two_sends(void **state)
{
    (void)state;
    const uint64_t o1 = 300, o2 = 200, o1a = 100, o2a = 150;
    struct scene s = two_sends(1000, 600, o1, o2, (struct then){900, 200}, o1a, o2a);
    const uint64_t w = measured(&s, P2, 1).wait, y = measured(&s, P2, 0).wait, x2 = o1;
    assert_int_equal(w, 500);
    assert_int_equal(y, 650);
    assert_true(o1 < o2 + w);
    expect(&s, P2, 1, w + o2 - o1, x2);
    const uint64_t O1 = o1 + o1a, O2 = x2 + o2a;
    assert_true(O1 < O2 + y);
    expect(&s, P2, 0, y + O2 - O1, O1);
    assert_int_equal(delay_after(&s, P1, 0), O1);
    scene_free(&s);
}

static void figure_4_case_4_two_sends_unwaited(void **state)
{
    (void)state;
    const uint64_t o1 = 300, o2 = 200, o1a = 100, o2a = 450, y = 0;
    struct scene s = two_sends(1000, 600, o1, o2, (struct then){100, 2000}, o1a, o2a);
    const uint64_t w = measured(&s, P2, 1).wait, x2 = o1;
    assert_true(o1 < o2 + w);
    expect(&s, P2, 1, w + o2 - o1, x2);
    const uint64_t O1 = o1 + o1a, O2 = x2 + o2a;
    assert_true(O1 < O2 + y);
    expect_invented(&s, P2, 0, y + O2 - O1, O1);
    scene_free(&s);
}

/* ---- handshake: P1 sends to P2, P2 answers ---- */

static struct scene handshake(uint64_t c1, uint64_t c2, uint64_t o1, uint64_t o2, struct then next, uint64_t o1a,
                              uint64_t o2a)
{
    struct scene s = scene_new(2);
    scene_compute(&s, P1, c1);
    scene_compute(&s, P2, c2);
    scene_message(&s, SIM_SEND, P1, P2, (uint32_t)o1, (uint32_t)o2);
    scene_compute(&s, P1, next.compute1);
    scene_compute(&s, P2, next.compute2);
    scene_message(&s, SIM_SEND, P2, P1, (uint32_t)o2a, (uint32_t)o1a);
    scene_run(&s);
    return s;
}

static void figure_5_case_1_handshake(void **state)
{
    (void)state;
    const uint64_t o1 = 700, o2 = 200, o1a = 200, o2a = 100;
    struct scene s = handshake(1000, 1200, o1, o2, (struct then){100, 800}, o1a, o2a);
    const uint64_t w2 = measured(&s, P2, 1).wait, w1 = measured(&s, P1, 0).wait, x2 = o2 + w2;
    assert_int_equal(w2, 300);
    assert_int_equal(w1, 600);
    assert_true(o1 >= o2 + w2);
    expect(&s, P2, 1, 0, x2);
    const uint64_t O1 = o1 + o1a, O2 = x2 + o2a;
    assert_true(O2 < O1 + w1);
    expect(&s, P1, 0, w1 + O1 - O2, O2);
    assert_int_equal(delay_after(&s, P2, 0), O2); /* both are late by the same amount after the handshake */
    scene_free(&s);
}

static void figure_5_case_2_handshake(void **state)
{
    (void)state;
    const uint64_t o1 = 300, o2 = 200, o1a = 200, o2a = 100;
    struct scene s = handshake(1000, 600, o1, o2, (struct then){100, 800}, o1a, o2a);
    const uint64_t w2 = measured(&s, P2, 1).wait, w1 = measured(&s, P1, 0).wait, x2 = o1;
    assert_int_equal(w2, 500);
    assert_int_equal(w1, 600);
    assert_true(o1 < o2 + w2);
    expect(&s, P2, 1, w2 + o2 - o1, x2);
    const uint64_t O1 = o1 + o1a, O2 = x2 + o2a;
    assert_true(O2 < O1 + w1);
    expect(&s, P1, 0, w1 + O1 - O2, O2);
    assert_int_equal(delay_after(&s, P2, 0), O2);
    scene_free(&s);
}

static void figure_5_case_2_handshake_unwaited(void **state)
{
    (void)state;
    const uint64_t o1 = 300, o2 = 200, o1a = 900, o2a = 100, w1 = 0;
    struct scene s = handshake(1000, 600, o1, o2, (struct then){2000, 800}, o1a, o2a);
    const uint64_t w2 = measured(&s, P2, 1).wait, x2 = o1;
    assert_true(o1 < o2 + w2);
    const uint64_t O1 = o1 + o1a, O2 = x2 + o2a;
    assert_true(O2 < O1 + w1);
    expect_invented(&s, P1, 0, w1 + O1 - O2, O2);
    scene_free(&s);
}

static void figure_6_case_3_handshake(void **state)
{
    (void)state;
    const uint64_t o1 = 700, o2 = 200, o1a = 100, o2a = 900;
    struct scene s = handshake(1000, 1200, o1, o2, (struct then){700, 100}, o1a, o2a);
    const uint64_t w2 = measured(&s, P2, 1).wait, w1 = measured(&s, P1, 0).wait, x2 = o2 + w2;
    assert_int_equal(w2, 300);
    assert_int_equal(w1, 200);
    assert_true(o1 >= o2 + w2);
    expect(&s, P2, 1, 0, x2);
    const uint64_t O1 = o1 + o1a, O2 = x2 + o2a;
    assert_true(O2 >= O1 + w1);
    expect(&s, P1, 0, 0, O1 + w1);
    assert_int_equal(delay_after(&s, P2, 0), O2);
    scene_free(&s);
}

static void figure_6_case_4_handshake(void **state)
{
    (void)state;
    const uint64_t o1 = 300, o2 = 200, o1a = 100, o2a = 900;
    struct scene s = handshake(1000, 600, o1, o2, (struct then){700, 100}, o1a, o2a);
    const uint64_t w2 = measured(&s, P2, 1).wait, w1 = measured(&s, P1, 0).wait, x2 = o1;
    assert_int_equal(w2, 500);
    assert_int_equal(w1, 200);
    assert_true(o1 < o2 + w2);
    expect(&s, P2, 1, w2 + o2 - o1, x2);
    const uint64_t O1 = o1 + o1a, O2 = x2 + o2a;
    assert_true(O2 >= O1 + w1);
    expect(&s, P1, 0, 0, O1 + w1);
    assert_int_equal(delay_after(&s, P2, 0), O2);
    scene_free(&s);
}

/* ---- general: delays that are not the process's own overhead; here after a handshake ---- */

static struct scene general(uint64_t c1, uint64_t c2, uint64_t o1, uint64_t o2)
{
    struct scene s = scene_new(2);
    scene_compute(&s, P1, 1000);
    scene_compute(&s, P2, 1200);
    scene_message(&s, SIM_SEND, P1, P2, 700, 200);
    scene_compute(&s, P1, 100);
    scene_compute(&s, P2, 800);
    scene_message(&s, SIM_SEND, P2, P1, 100, 200);
    scene_compute(&s, P1, c1);
    scene_compute(&s, P2, c2);
    scene_message(&s, SIM_SEND, P1, P2, (uint32_t)o1, (uint32_t)o2);
    scene_run(&s);
    return s;
}

static void figure_7_case_1_general(void **state)
{
    (void)state;
    struct scene s = general(100, 600, 900, 100);
    const uint64_t x1 = delay_after(&s, P1, 0), x2 = measured(&s, P2, 0).own, w = measured(&s, P2, 0).wait;
    assert_int_equal(x1, 600 + 900);
    assert_int_equal(x2, 600 + 100);
    assert_int_equal(w, 300);
    assert_true(x1 >= x2 + w);
    expect(&s, P2, 0, 0, x2 + w);
    scene_free(&s);
}

static void figure_7_case_2_general(void **state)
{
    (void)state;
    struct scene s = general(800, 300, 100, 200);
    const uint64_t x1 = delay_after(&s, P1, 0), x2 = measured(&s, P2, 0).own, w = measured(&s, P2, 0).wait;
    assert_int_equal(x1, 600 + 100);
    assert_int_equal(x2, 600 + 200);
    assert_int_equal(w, 400);
    assert_true(x1 < x2 + w);
    expect(&s, P2, 0, w + x2 - x1, x1);
    scene_free(&s);
}

static void figure_7_case_2_general_unwaited(void **state)
{
    (void)state;
    struct scene s = general(100, 900, 100, 500);
    const uint64_t x1 = delay_after(&s, P1, 0), x2 = measured(&s, P2, 0).own;
    assert_int_equal(x2 - x1, 400);
    expect_invented(&s, P2, 0, x2 - x1, x1);
    scene_free(&s);
}

/* ---- pipeline: P1 sends to P2, P2 to P3 ---- */

static struct scene pipeline(uint64_t c1, uint64_t c2, uint64_t c3, uint64_t x1, uint64_t x2, uint64_t o3)
{
    struct scene s = scene_new(3);
    scene_compute(&s, P1, c1);
    scene_compute(&s, P2, c2);
    scene_compute(&s, P3, c3);
    scene_message(&s, SIM_SEND, P1, P2, (uint32_t)x1, (uint32_t)x2);
    scene_compute(&s, P2, 100);
    scene_message(&s, SIM_SEND, P2, P3, 0, (uint32_t)o3);
    scene_run(&s);
    return s;
}

static void figure_8_case_1_pipeline(void **state)
{
    (void)state;
    const uint64_t x1 = 700, x2 = 200, o3 = 100;
    struct scene s = pipeline(1000, 1200, 1500, x1, x2, o3);
    const uint64_t w2 = measured(&s, P2, 1).wait, w3 = measured(&s, P3, 0).wait, x2n = x2 + w2;
    assert_int_equal(w2, 300);
    assert_int_equal(w3, 200);
    assert_true(x1 >= x2 + w2);
    expect(&s, P2, 1, 0, x2n);
    assert_true(x2n >= o3 + w3);
    expect(&s, P3, 0, 0, o3 + w3);
    scene_free(&s);
}

static void figure_8_case_2_pipeline(void **state)
{
    (void)state;
    const uint64_t x1 = 300, x2 = 200, o3 = 100;
    struct scene s = pipeline(1000, 600, 500, x1, x2, o3);
    const uint64_t w2 = measured(&s, P2, 1).wait, w3 = measured(&s, P3, 0).wait, x2n = x1;
    assert_int_equal(w2, 500);
    assert_int_equal(w3, 800);
    assert_true(x1 < x2 + w2);
    expect(&s, P2, 1, w2 + x2 - x1, x2n);
    assert_true(x2n < o3 + w3);
    expect(&s, P3, 0, w3 + o3 - x2n, x2n);
    scene_free(&s);
}

static void figure_8_case_2_pipeline_unwaited(void **state)
{
    (void)state;
    const uint64_t x1 = 300, x2 = 200, o3 = 800, w3 = 0;
    struct scene s = pipeline(1000, 600, 1500, x1, x2, o3);
    const uint64_t x2n = x1;
    assert_true(x2n < o3 + w3);
    expect_invented(&s, P3, 0, w3 + o3 - x2n, x2n);
    scene_free(&s);
}

/* ---- two receives: P2 receives from P1, then from P3 ---- */

static struct scene two_receives(uint64_t c1, uint64_t c2, uint64_t c3, uint64_t o1, uint64_t o2, uint64_t o3,
                                 uint64_t o2a)
{
    struct scene s = scene_new(3);
    scene_compute(&s, P1, c1);
    scene_compute(&s, P2, c2);
    scene_compute(&s, P3, c3);
    scene_message(&s, SIM_SEND, P1, P2, (uint32_t)o1, (uint32_t)o2);
    scene_compute(&s, P2, 100);
    scene_message(&s, SIM_SEND, P3, P2, (uint32_t)o3, (uint32_t)o2a);
    scene_run(&s);
    return s;
}

static void figure_9_case_1_two_receives(void **state)
{
    (void)state;
    const uint64_t o1 = 700, o2 = 200, o3 = 900, o2a = 100;
    struct scene s = two_receives(1000, 1200, 1200, o1, o2, o3, o2a);
    const uint64_t w = measured(&s, P2, 1).wait, y = measured(&s, P2, 0).wait, x2 = o2 + w, O2 = x2 + o2a;
    assert_int_equal(w, 300);
    assert_int_equal(y, 200);
    assert_true(o1 >= o2 + w);
    expect(&s, P2, 1, 0, x2);
    assert_true(o3 >= O2 + y);
    expect(&s, P2, 0, 0, O2 + y);
    scene_free(&s);
}

static void figure_10_case_2_two_receives(void **state)
{
    (void)state;
    const uint64_t o1 = 700, o2 = 200, o3 = 200, o2a = 100;
    struct scene s = two_receives(1000, 1200, 1900, o1, o2, o3, o2a);
    const uint64_t w = measured(&s, P2, 1).wait, y = measured(&s, P2, 0).wait, x2 = o2 + w, O2 = x2 + o2a;
    assert_int_equal(y, 200);
    assert_true(o1 >= o2 + w);
    expect(&s, P2, 1, 0, x2);
    assert_true(o3 < O2 + y);
    expect(&s, P2, 0, y + O2 - o3, o3);
    scene_free(&s);
}

static void figure_10_case_2_two_receives_unwaited(void **state)
{
    (void)state;
    const uint64_t o1 = 700, o2 = 200, o3 = 200, o2a = 100, y = 0;
    struct scene s = two_receives(1000, 1200, 300, o1, o2, o3, o2a);
    const uint64_t w = measured(&s, P2, 1).wait, O2 = o2 + w + o2a;
    assert_true(o3 < O2 + y);
    expect_invented(&s, P2, 0, y + O2 - o3, o3);
    scene_free(&s);
}

static void figure_11_case_3_two_receives(void **state)
{
    (void)state;
    const uint64_t o1 = 300, o2 = 200, o3 = 200, o2a = 100;
    struct scene s = two_receives(1000, 600, 1500, o1, o2, o3, o2a);
    const uint64_t w = measured(&s, P2, 1).wait, y = measured(&s, P2, 0).wait, x2 = o1, O2 = x2 + o2a;
    assert_int_equal(w, 500);
    assert_int_equal(y, 200);
    assert_true(o1 < o2 + w);
    expect(&s, P2, 1, w + o2 - o1, x2);
    assert_true(o3 < O2 + y);
    expect(&s, P2, 0, y + O2 - o3, o3);
    scene_free(&s);
}

/* Without probes P3 sends before P1. Receives that name their sender do not care. */
static void figure_12_case_4_two_receives_reordered(void **state)
{
    (void)state;
    const uint64_t o1 = 300, o2 = 200, o3 = 800, o2a = 100;
    struct scene s = two_receives(1000, 600, 900, o1, o2, o3, o2a);
    const uint64_t w = measured(&s, P2, 1).wait, y = measured(&s, P2, 0).wait, x2 = o1, O2 = x2 + o2a;
    assert_int_equal(w, 500);
    assert_int_equal(y, 200);
    assert_true(scene_call(&s, &s.real, P1, 0)->begin < scene_call(&s, &s.real, P3, 0)->begin);
    assert_true(scene_call(&s, &s.truth, P3, 0)->begin < scene_call(&s, &s.truth, P1, 0)->begin);
    assert_true(scene_call(&s, &s.virtual, P3, 0)->begin < scene_call(&s, &s.virtual, P1, 0)->begin);
    assert_true(o1 < o2 + w);
    expect(&s, P2, 1, w + o2 - o1, x2);
    assert_true(o3 >= O2 + y);
    expect(&s, P2, 0, 0, O2 + y);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_2_case_1_one_send),
        cmocka_unit_test(figure_2_case_2_one_send),
        cmocka_unit_test(figure_2_case_2_one_send_waits_longer),
        cmocka_unit_test(figure_2_case_2_one_send_unwaited),
        cmocka_unit_test(figure_3_case_1_two_sends),
        cmocka_unit_test(figure_3_case_2_two_sends),
        cmocka_unit_test(figure_4_case_3_two_sends),
        cmocka_unit_test(figure_4_case_4_two_sends),
        cmocka_unit_test(figure_4_case_4_two_sends_unwaited),
        cmocka_unit_test(figure_5_case_1_handshake),
        cmocka_unit_test(figure_5_case_2_handshake),
        cmocka_unit_test(figure_5_case_2_handshake_unwaited),
        cmocka_unit_test(figure_6_case_3_handshake),
        cmocka_unit_test(figure_6_case_4_handshake),
        cmocka_unit_test(figure_7_case_1_general),
        cmocka_unit_test(figure_7_case_2_general),
        cmocka_unit_test(figure_7_case_2_general_unwaited),
        cmocka_unit_test(figure_8_case_1_pipeline),
        cmocka_unit_test(figure_8_case_2_pipeline),
        cmocka_unit_test(figure_8_case_2_pipeline_unwaited),
        cmocka_unit_test(figure_9_case_1_two_receives),
        cmocka_unit_test(figure_10_case_2_two_receives),
        cmocka_unit_test(figure_10_case_2_two_receives_unwaited),
        cmocka_unit_test(figure_11_case_3_two_receives),
        cmocka_unit_test(figure_12_case_4_two_receives_reordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
