/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All executions of what processes tell each other in boxes: the code of the library (measure/exchange/ring.h, slots.h,
 * box.c and link.c) with every atomic access taken to a small model of memory. There a load may find any value that C11
 * allows, not only the last one. Rings with wrap-around and growth, replies and slots with reuse.
 *
 * The model: each place keeps all that was ever stored there; each thread has seen some of it, and finds that or
 * anything later. What a release store, or a relaxed one behind a release fence, carries along is what its thread had
 * seen; an acquire load, or an acquire fence behind a relaxed one, sees the same. This is C11 without loads that run
 * ahead of what they depend on, where each place has one writer at a time, as here. Threads change only where one loads
 * what another writes: anywhere else it would make no difference.
 *
 * To show that it finds what is wrong, the same is done with protocols of which one part is left out, and with those
 * that weft once had: there it must.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/lock.h"
#include "format/registry.h"
#include "measure/clock/clock.h"

/* ---- memory ---- */

enum { PLACES = 192, THREADS = 2, STACK = 65536, CHOICES = 512 };

struct view {
    uint8_t seen[PLACES] __attribute__((aligned(64)));
};

struct message {
    uint64_t value;
    struct view view;
};

struct place {
    const void *address;
    unsigned count, capacity;
    struct message *messages;
};

struct thread {
    struct view seen, found, fenced; /* by it; with relaxed loads; before its last release fence */
    ucontext_t context;
    bool ended;
};

enum left_out { NOTHING, RELEASE, ACQUIRE, RELEASE_FENCE, ACQUIRE_FENCE };

static struct place places[PLACES];
static unsigned place_count;
static const void *written[PLACES][THREADS]; /* over all executions: by which threads */
static bool learned;                         /* one more of those */
static struct thread threads[THREADS], *running;
static ucontext_t outside;
static void (*programs[THREADS])(void);
static enum left_out left_out;

static void join(struct view *to, const struct view *from)
{
    for (unsigned i = 0; i < PLACES; i++)
        to->seen[i] = to->seen[i] > from->seen[i] ? to->seen[i] : from->seen[i];
}

static uint64_t read_memory(const void *address, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, address, bytes);
    return value;
}

static struct message *add_message(struct place *p)
{
    if (p->count == p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 8;
        p->messages = realloc(p->messages, p->capacity * sizeof *p->messages);
    }
    struct message *m = &p->messages[p->count++];
    memset(&m->view, 0, sizeof m->view);
    return m;
}

static unsigned place_of(const void *address, size_t bytes)
{
    for (unsigned i = 0; i < place_count; i++)
        if (places[i].address == address)
            return i;
    if (place_count == PLACES)
        abort();
    places[place_count].address = address;
    places[place_count].count = 0;
    add_message(&places[place_count])->value = read_memory(address, bytes);
    return place_count++;
}

/* ---- choices: one execution after another, depth first ---- */

static struct {
    unsigned made, of;
} choices[CHOICES];
static unsigned depth, chosen;

static unsigned choose(unsigned of)
{
    if (of < 2)
        return 0;
    if (depth == CHOICES)
        abort();
    if (depth == chosen) {
        choices[chosen].made = 0;
        choices[chosen++].of = of;
    }
    return choices[depth++].made;
}

static bool next_execution(void)
{
    while (chosen && choices[chosen - 1].made + 1 == choices[chosen - 1].of)
        chosen--;
    if (chosen)
        choices[chosen - 1].made++;
    return chosen != 0;
}

/* ---- threads ---- */

static bool is_others(const void *address)
{
    for (unsigned i = 0; i < PLACES && written[i][0]; i++)
        if (written[i][0] == address)
            return written[i][1] != (const void *)running;
    return false;
}

/* One writer at a time, so the first one is enough. */
static void note_writer(const void *address)
{
    unsigned i = 0;
    while (i < PLACES && written[i][0] && written[i][0] != address)
        i++;
    if (i == PLACES)
        abort();
    if (written[i][0])
        return;
    written[i][0] = address;
    written[i][1] = running;
    learned = true;
}

static void may_switch(const void *address)
{
    struct thread *other = &threads[running == threads];
    if (other->ended || !is_others(address) || choose(2) == 0)
        return;
    struct thread *self = running;
    running = other;
    swapcontext(&self->context, &other->context);
}

static void thread_main(int which)
{
    programs[which]();
    threads[which].ended = true;
    struct thread *other = &threads[which == 0];
    if (!other->ended) {
        running = other;
        setcontext(&other->context);
    }
    setcontext(&outside);
}

/* ---- what the code under test calls ---- */

static uint64_t model_load(const void *address, size_t bytes, memory_order order)
{
    if (!running)
        return read_memory(address, bytes);
    may_switch(address);
    unsigned place = place_of(address, bytes);
    struct place *p = &places[place];
    unsigned first = running->seen.seen[place], which = first;
    if (is_others(address))
        which += choose(p->count - first);
    else
        which = p->count - 1;
    struct message *m = &p->messages[which];
    running->seen.seen[place] = (uint8_t)which;
    join(&running->found, &m->view);
    if (order == memory_order_acquire && left_out != ACQUIRE)
        join(&running->seen, &m->view);
    return m->value;
}

static void model_store(void *address, size_t bytes, uint64_t value, memory_order order)
{
    if (running) {
        unsigned place = place_of(address, bytes);
        note_writer(address);
        struct message *m = add_message(&places[place]);
        m->value = value;
        running->seen.seen[place] = (uint8_t)(places[place].count - 1);
        m->view = order == memory_order_release && left_out != RELEASE ? running->seen : running->fenced;
        m->view.seen[place] = running->seen.seen[place];
    }
    memcpy(address, &value, bytes);
}

static void model_fence(memory_order order)
{
    if (running && order == memory_order_release && left_out != RELEASE_FENCE)
        running->fenced = running->seen;
    else if (running && order == memory_order_acquire && left_out != ACQUIRE_FENCE)
        join(&running->seen, &running->found);
}

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_thread_fence
#define VALUE_OF(p) __typeof__((void)0, *(p))
#define atomic_load_explicit(p, order) ((VALUE_OF(p))model_load((const void *)(p), sizeof *(p), order))
#define atomic_store_explicit(p, v, order) \
    model_store((void *)(uintptr_t)(p), sizeof *(p), (uint64_t)(VALUE_OF(p))(v), order)
#define atomic_thread_fence(order) model_fence(order)

#define FIRST_CAPACITY 2u
#define WF_SLOT_GROUPS 1u
#include "measure/exchange/box.c"
#include "measure/exchange/link.c"
#include "measure/clock/limits.c"

/* There is no directory: boxes are in memory. */
struct wf_settings wf_settings;

int wf_directory_file(const char *name, int flags)
{
    (void)name, (void)flags;
    errno = ENOENT;
    return -1;
}

void wf_directory_remove(const char *name)
{
    (void)name;
}

/* ---- what they use ---- */

struct wf_process wf_process;
__thread struct wf_tls weft_tls;
size_t wf_feed_room = sizeof(struct wf_shown);
static char memory[1 << 16] __attribute__((aligned(4096)));

void wf_identity_world(char text[static WF_WORLD_BYTES])
{
    text[0] = '\0';
}

struct wf_showing wf_snapshot_show_reply(int32_t to, uint64_t begin_virt)
{
    (void)to, (void)begin_virt;
    return (struct wf_showing){.path = 0};
}

const struct wf_file_place wf_directory_place;

int wf_arena_create(struct wf_arena *a, const struct wf_file_place *place, const char *path, uint64_t limit_bytes,
                    uint64_t first_bytes)
{
    (void)place, (void)path, (void)limit_bytes;
    a->file.base = memory;
    a->used_bytes = (first_bytes + UNIT - 1) / UNIT * UNIT;
    return 0;
}

void wf_arena_remove(struct wf_arena *a)
{
    (void)a;
}

uint32_t wf_arena_add(struct wf_arena *a, uint64_t bytes)
{
    uint32_t offset = (uint32_t)(a->used_bytes / UNIT);
    a->used_bytes += (bytes + UNIT - 1) / UNIT * UNIT;
    return a->used_bytes <= sizeof memory ? offset : 0;
}

/* ---- running ---- */

static const char *fault;
static unsigned long executions;

static void expect(bool holds, const char *what)
{
    if (!holds && !fault)
        fault = what;
}

static void run_once(void (*prepare)(void), void (*last)(void))
{
    static char stacks[THREADS][STACK] __attribute__((aligned(64)));
    place_count = depth = 0;
    running = NULL;
    prepare();
    for (int i = 0; i < THREADS; i++) {
        memset(&threads[i].seen, 0, 3 * sizeof(struct view));
        threads[i].ended = false;
        getcontext(&threads[i].context);
        threads[i].context.uc_stack.ss_sp = stacks[i];
        threads[i].context.uc_stack.ss_size = STACK;
        makecontext(&threads[i].context, (void (*)(void))(uintptr_t)thread_main, 1, i);
    }
    running = &threads[choose(THREADS)];
    swapcontext(&outside, &running->context);
    running = NULL;
    last(); /* with everything that was ever stored */
    executions++;
}

/* The first fault, or NULL. */
static const char *explore(void (*prepare)(void), void (*first)(void), void (*second)(void), void (*last)(void),
                           enum left_out without)
{
    programs[0] = first;
    programs[1] = second;
    left_out = without;
    fault = NULL;
    memset(written, 0, sizeof written);
    do { /* until it is known who writes what */
        learned = false;
        chosen = 0;
        do
            run_once(prepare, last);
        while (!fault && next_execution());
    } while (learned && !fault);
    return fault;
}

/* ---- rings ---- */

enum { SENT = 5 }; /* in rings of 2 and of 4 */
static unsigned received;

static void prepare_ring(void)
{
    static struct wf_link *links; /* the same memory each time: places are known by their addresses */
    if (links) {
        memset(memory, 0, wf_own_box.arena.used_bytes);
        memset(links, 0, sizeof *links);
        wf_own_box.box = NULL;
    }
    expect(wf_links_start(0, 1) == 0, "no box");
    if (links) {
        munmap(wf_links.of, sizeof *links);
        wf_links.of = links;
    }
    links = wf_links.of;
    received = 0;
}

static void send_all(void)
{
    for (uint64_t i = 1; i <= SENT; i++) {
        struct wf_header h = {.comm = 10 * i,
                              .tag = (int32_t)i,
                              .address = 20 * i,
                              .path = (uint32_t)(30 * i),
                              .stamp = {.real = 40 * i, .virt = 50 * i, .ideal = 60 * i}};
        expect(wf_link_put(wf_links.of, &h) != NULL, "a header was dropped");
    }
}

static bool receive_one(void)
{
    struct wf_header h;
    struct wf_record *record = wf_link_peek(wf_links.of);
    if (!record)
        return false;
    wf_ring_take(&wf_links.of->from, record, &h);
    uint64_t i = ++received;
    expect(h.comm == 10 * i && h.tag == (int32_t)i && h.address == 20 * i && h.path == 30 * i &&
               h.stamp.real == 40 * i && h.stamp.virt == 50 * i && h.stamp.ideal == 60 * i,
           "a header is not what was sent");
    return true;
}

static void receive_some(void)
{
    for (int tries = 0; tries < 4; tries++)
        receive_one();
}

static void receive_rest(void)
{
    while (receive_one())
        ;
    expect(received == SENT, "a header was lost");
}

/* ---- replies ---- */

static struct wf_reply the_reply;

static void prepare_reply(void)
{
    memset(&the_reply, 0, sizeof the_reply);
}

static void write_reply(uint32_t number)
{
    struct wf_stamp begin = {.real = 10 * number, .virt = 20 * number, .ideal = 30 * number};
    wf_reply_write(&the_reply, number, &begin, 40 * number,
                   (struct wf_showing){.path = 50 * number, .ticket = 60 * number});
}

/* As it was: a reader of the first may find parts of the second. */
static void write_reply_once(uint32_t number)
{
    struct wf_stamp begin = {.real = 10 * number, .virt = 20 * number, .ideal = 30 * number};
    wf_shared_stamp_write(&the_reply.stamp, &begin);
    wf_set(the_reply.address, 40 * number);
    wf_set(the_reply.path, 50 * number);
    wf_set(the_reply.path_ticket, 60 * number);
    atomic_store_explicit(&the_reply.number, number, memory_order_release);
}

static void write_replies(void)
{
    write_reply(1);
    write_reply(3);
    write_reply(5);
}

static void write_replies_once(void)
{
    write_reply_once(1);
    write_reply_once(3);
    write_reply_once(5);
}

static void read_reply(uint32_t number)
{
    struct wf_stamp begin;
    struct wf_showing shown;
    uint64_t address;
    if (wf_reply_read(&the_reply, number, &begin, &address, &shown))
        expect(begin.real == 10 * number && begin.virt == 20 * number && begin.ideal == 30 * number &&
                   address == 40 * number && shown.path == 50 * number && shown.ticket == 60 * number,
               "a reply is not what was written");
}

static void read_replies(void)
{
    read_reply(1);
    read_reply(3);
}

static void read_last_reply(void)
{
    struct wf_stamp begin;
    struct wf_showing shown;
    uint64_t address;
    expect(wf_reply_read(&the_reply, 5, &begin, &address, &shown), "a reply was lost");
    read_reply(5);
}

/* ---- slots: an entry, the same with another stamp, and one of another communicator ---- */

static struct wf_slots the_slots;
static const uint64_t comm_of[] = {UINT64_C(7) << 32, UINT64_C(7) << 32, (uint64_t)(7 + WF_SLOT_GROUPS) << 32};
static const uint32_t number_of[] = {3, 3, 3}; /* all in one slot */

static void prepare_slot(void)
{
    memset(&the_slots, 0, sizeof the_slots);
}

static struct wf_entry entry_of(uint64_t i)
{
    return (struct wf_entry){.stamp = {.real = 10 * i, .virt = 20 * i, .ideal = 30 * i},
                             .address = 40 * i,
                             .path = (uint32_t)(50 * i),
                             .path_ticket = 60 * i};
}

static void enter_all(void)
{
    for (unsigned i = 0; i < 3; i++) {
        struct wf_entry e = entry_of(i + 1);
        wf_slots_enter(&the_slots, comm_of[i], number_of[i], &e);
    }
}

static void expect_entry(const struct wf_entry *e)
{
    uint64_t i = e->address / 40;
    expect(e->stamp.real == 10 * i && e->stamp.virt == 20 * i && e->stamp.ideal == 30 * i && e->address == 40 * i &&
               e->path == 50 * i && e->path_ticket == 60 * i,
           "an entry is put together from two");
}

static void look_first(void)
{
    struct wf_entry e;
    if (wf_slots_entered(&the_slots, comm_of[0], number_of[0], &e))
        expect_entry(&e);
}

static void look_third(void)
{
    struct wf_entry e;
    if (wf_slots_entered(&the_slots, comm_of[2], number_of[2], &e))
        expect_entry(&e);
}

static void look_last(void)
{
    struct wf_entry e = {.path = 0};
    expect(wf_slots_entered(&the_slots, comm_of[2], number_of[2], &e), "an entry was lost");
    expect_entry(&e);
}

/* As it was: the key says what it is, and nothing how often it was written. */
static void enter_by_key(void)
{
    for (unsigned i = 0; i < 3; i++) {
        struct wf_entry e = entry_of(i + 1);
        struct wf_slot *slot = &the_slots.slot[wf_slot_of(comm_of[i], number_of[i])];
        wf_set(slot->key, 0);
        atomic_thread_fence(memory_order_release);
        wf_shared_stamp_write(&slot->stamp, &e.stamp);
        wf_set(slot->address, e.address);
        wf_set(slot->path, e.path);
        wf_set(slot->path_ticket, e.path_ticket);
        atomic_store_explicit(&slot->key, wf_slot_key(comm_of[i], number_of[i]), memory_order_release);
    }
}

static void look_by_key(void)
{
    struct wf_entry e;
    const struct wf_slot *slot = &the_slots.slot[wf_slot_of(comm_of[0], number_of[0])];
    uint64_t key = wf_slot_key(comm_of[0], number_of[0]);
    if (atomic_load_explicit(&slot->key, memory_order_acquire) != key)
        return;
    wf_shared_stamp_read(&e.stamp, &slot->stamp);
    e.address = wf_get(slot->address);
    e.path = wf_get(slot->path);
    e.path_ticket = wf_get(slot->path_ticket);
    atomic_thread_fence(memory_order_acquire);
    if (wf_get(slot->key) == key)
        expect_entry(&e);
}

static void nothing_more(void)
{
}

/* ---- all of them ---- */

static const struct scenario {
    const char *name;
    void (*prepare)(void), (*first)(void), (*second)(void), (*last)(void);
    enum left_out without;
    bool holds;
} scenarios[] = {
    {"ring", prepare_ring, send_all, receive_some, receive_rest, NOTHING, true},
    {"ring without release", prepare_ring, send_all, receive_some, receive_rest, RELEASE, false},
    {"ring without acquire", prepare_ring, send_all, receive_some, receive_rest, ACQUIRE, false},
    {"reply", prepare_reply, write_replies, read_replies, read_last_reply, NOTHING, true},
    {"reply without release", prepare_reply, write_replies, read_replies, read_last_reply, RELEASE, false},
    {"reply without acquire", prepare_reply, write_replies, read_replies, read_last_reply, ACQUIRE, false},
    {"reply without the writer's fence", prepare_reply, write_replies, read_replies, read_last_reply, RELEASE_FENCE,
     false},
    {"reply without the reader's fence", prepare_reply, write_replies, read_replies, read_last_reply, ACQUIRE_FENCE,
     false},
    {"reply that is written over another", prepare_reply, write_replies_once, read_replies, read_last_reply, NOTHING,
     false},
    {"slot", prepare_slot, enter_all, look_first, look_last, NOTHING, true},
    {"slot of another", prepare_slot, enter_all, look_third, look_last, NOTHING, true},
    {"slot without release", prepare_slot, enter_all, look_first, look_last, RELEASE, false},
    {"slot without acquire", prepare_slot, enter_all, look_first, look_last, ACQUIRE, false},
    {"slot without the writer's fence", prepare_slot, enter_all, look_first, look_last, RELEASE_FENCE, false},
    {"slot without the reader's fence", prepare_slot, enter_all, look_first, look_last, ACQUIRE_FENCE, false},
    {"slot without a sequence", prepare_slot, enter_by_key, look_by_key, nothing_more, NOTHING, false},
};

int main(void)
{
    int wrong = 0;
    wf_settings.directory = "/nowhere";
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        const struct scenario *s = &scenarios[i];
        executions = 0;
        const char *found = explore(s->prepare, s->first, s->second, s->last, s->without);
        printf("%s: %lu executions, %s\n", s->name, executions, found ? found : "all right");
        wrong += s->holds != !found;
    }
    if (wrong)
        printf("FAIL: %d of them are not as expected\n", wrong);
    return wrong != 0;
}
