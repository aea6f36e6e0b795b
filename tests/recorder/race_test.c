/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Races between messages, against their definition. Random programs run on simulated processes with MPI's matching:
 * sends, receives from one source and from any, which complete in any order, and barriers. Each process keeps what
 * weft keeps, and a full vector clock. When the run is over, the definition is applied to all pairs of a receive from
 * any source and a message: what weft has counted must be equal, where no knowledge was lost. Where some was lost, what
 * it calls a race must be one, and no race may be missing among those and those of which it says it does not know.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/exchange/known.h"
#include "measure/exchange/race_log.h"

enum { RUNS = 5000, PROCESSES = 70, MESSAGES = 1500, TAGS = 3, NONE = -1 };

struct message {
    int from, to, tag;
    uint32_t version;           /* of what the sender knew; 0: lost */
    uint32_t clock[PROCESSES];  /* the sender's vector clock */
    bool arrived;
    int receive;                /* which it is matched with */
};

struct receive {
    int at, source, tag; /* source or tag NONE: any */
    uint64_t order;
    int message;
    bool complete;
    uint32_t moment; /* of its completion, on its process's own clock */
};

struct process {
    struct wf_known known;
    struct wf_known_version versions[WF_KNOWN_VERSIONS];
    uint32_t version;
    struct wf_race_log log;
    uint64_t orders;
    uint32_t clock[PROCESSES];
};

static struct process processes[PROCESSES];
static struct message messages[MESSAGES];
static struct receive receives[MESSAGES];
static uint16_t raced[MESSAGES][PROCESSES], unsure[MESSAGES][PROCESSES]; /* by receive and other sender */
static uint32_t forgotten[PROCESSES];
static int message_count, receive_count, process_count, any_of_8;
static bool loses;

static void count(void *context, uint32_t site, int32_t took, int32_t other, bool is_unsure)
{
    int at = *(int *)context;
    if (took < 0)
        forgotten[at]++;
    else if (is_unsure)
        unsure[site - 1][other]++;
    else
        raced[site - 1][other]++;
}

static uint32_t show(struct process *p)
{
    if (p->known.changed)
        wf_known_write(p->versions, ++p->version, &p->known);
    p->known.changed = false;
    return p->version;
}

/* As race_hear in race.c. */
static bool hear(int at, int from, uint32_t version, uint32_t *heard)
{
    struct wf_known known;
    *heard = 0;
    if (version == 0 || !wf_known_read(processes[from].versions, version, &known)) {
        wf_known_lose(&processes[at].known);
        return true;
    }
    wf_known_merge(&processes[at].known, &known, at);
    *heard = wf_known_get(&known, at);
    return known.lost;
}

static void clock_merge(struct process *p, const uint32_t *clock)
{
    for (int i = 0; i < process_count; i++)
        p->clock[i] = clock[i] > p->clock[i] ? clock[i] : p->clock[i];
}

static bool fits(const struct receive *r, const struct message *m)
{
    return r->at == m->to && (r->source == NONE || r->source == m->from) && (r->tag == NONE || r->tag == m->tag);
}

static void do_send(int from)
{
    struct process *p = &processes[from];
    struct message *m = &messages[message_count++];
    *m = (struct message){.from = from, .to = rand() % process_count, .tag = rand() % TAGS, .receive = NONE};
    p->clock[from]++;
    memcpy(m->clock, p->clock, sizeof m->clock);
    m->version = show(p);
    if (loses && rand() % 20 == 0)
        m->version = 0;
}

/* The message that was there first. */
static void match_receive(int number)
{
    struct receive *r = &receives[number];
    for (int i = 0; i < message_count && r->message == NONE; i++)
        if (messages[i].arrived && messages[i].receive == NONE && fits(r, &messages[i])) {
            r->message = i;
            messages[i].receive = number;
        }
}

static void do_post(int at)
{
    struct receive *r = &receives[receive_count];
    *r = (struct receive){.at = at, .tag = rand() % 3 ? NONE : rand() % TAGS, .message = NONE};
    r->source = rand() % 8 < any_of_8 ? NONE : rand() % process_count;
    r->order = ++processes[at].orders;
    match_receive(receive_count++);
}

/* The oldest message between two processes that is on its way arrives, and goes to the first receive that fits. */
static void do_arrive(int from, int to)
{
    int i = 0;
    while (i < message_count && (messages[i].from != from || messages[i].to != to || messages[i].arrived))
        i++;
    if (i == message_count)
        return;
    messages[i].arrived = true;
    for (int r = 0; r < receive_count && messages[i].receive == NONE; r++)
        if (receives[r].message == NONE && fits(&receives[r], &messages[i])) {
            receives[r].message = i;
            messages[i].receive = r;
        }
}

static void complete(int number)
{
    struct receive *r = &receives[number];
    struct process *p = &processes[r->at];
    const struct message *m = &messages[r->message];
    struct wf_race_message taken = {.comm = 1,
                                    .order = r->order,
                                    .sent = (uint64_t)r->message,
                                    .any = r->source == NONE,
                                    .site = r->source == NONE ? (uint32_t)number + 1 : 0,
                                    .source = m->from,
                                    .tag = m->tag,
                                    .wanted = r->tag == NONE ? WF_RACE_ANY : r->tag};
    taken.unsure = hear(r->at, m->from, m->version, &taken.heard);
    wf_race_log_take(&p->log, taken, true, count, &r->at);
    if (taken.any)
        wf_known_raise(&p->known, r->at, p->log.receives);
    clock_merge(p, m->clock);
    r->moment = ++p->clock[r->at];
    r->complete = true;
}

static void do_complete(void)
{
    int first = receive_count ? rand() % receive_count : 0;
    for (int i = 0; i < receive_count; i++) {
        int number = (first + i) % receive_count;
        if (receives[number].message != NONE && !receives[number].complete) {
            complete(number);
            return;
        }
    }
}

static void do_barrier(void)
{
    static uint32_t clocks[PROCESSES][PROCESSES], versions[PROCESSES];
    uint32_t heard;
    for (int i = 0; i < process_count; i++) {
        processes[i].clock[i]++;
        memcpy(clocks[i], processes[i].clock, sizeof clocks[i]);
        versions[i] = show(&processes[i]);
    }
    for (int i = 0; i < process_count; i++)
        for (int k = 0; k < process_count; k++)
            if (i != k) {
                hear(i, k, versions[k], &heard);
                clock_merge(&processes[i], clocks[k]);
            }
}

static void run(void)
{
    memset(processes, 0, (size_t)process_count * sizeof *processes);
    memset(raced, 0, sizeof raced);
    memset(unsure, 0, sizeof unsure);
    memset(forgotten, 0, sizeof forgotten);
    message_count = receive_count = 0;
    for (int i = 0; i < process_count; i++)
        processes[i].known.changed = true;
    int steps = 20 + rand() % 500, eager = 1 + rand() % 4;
    for (int i = 0; i < steps; i++)
        switch (rand() % (6 + eager)) {
        case 0:
            do_send(rand() % process_count);
            break;
        case 1:
        case 2:
            do_post(rand() % process_count);
            break;
        case 3:
            if (rand() % 40 == 0)
                do_barrier();
            do_send(rand() % process_count);
            break;
        case 4:
            do_complete();
            break;
        default:
            do_arrive(rand() % process_count, rand() % process_count);
        }
}

/* Another message of `other` that the receive could have taken. */
static uint32_t defined(const struct receive *r, int other)
{
    uint32_t found = 0;
    for (int i = 0; i < message_count; i++) {
        const struct message *m = &messages[i];
        const struct receive *by = m->receive == NONE ? NULL : &receives[m->receive];
        found += by && by->complete && m->from == other && other != messages[r->message].from && fits(r, m) &&
                 by->order > r->order && m->clock[r->at] < r->moment;
    }
    return found;
}

static uint32_t compare(void)
{
    uint32_t sum = 0, missing[PROCESSES] = {0};
    for (int i = 0; i < receive_count; i++) {
        const struct receive *r = &receives[i];
        for (int other = 0; other < process_count && r->source == NONE && r->complete; other++) {
            uint32_t truth = defined(r, other);
            sum += truth;
            assert_true(raced[i][other] <= truth); /* no race that is none */
            if (raced[i][other] + unsure[i][other] < truth)
                missing[r->at]++;
            if (!loses && process_count <= (int)WF_KNOWN_MOST && WF_KNOWN_VERSIONS > 100)
                assert_int_equal(unsure[i][other], 0);
        }
    }
    for (int p = 0; p < process_count; p++)
        assert_true(missing[p] == 0 || forgotten[p] > 0); /* none that is not told */
    return sum;
}

static void all_pairs(void **state)
{
    (void)state;
    uint64_t sum = 0;
    for (int i = 0; i < RUNS; i++) {
        process_count = i % 50 == 49 ? PROCESSES : 2 + rand() % 6;
        any_of_8 = 1 + rand() % 8;
        loses = i % 3 == 2;
        run();
        sum += compare();
    }
    assert_true(sum > 10 * RUNS);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(all_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
