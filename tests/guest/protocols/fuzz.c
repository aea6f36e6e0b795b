/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A process whose partner's box, and whose registry, hold anything: cut short at any byte, overwritten anywhere, of
 * another version or rank. It finds every message and entry of its partner, or counts it as missing, and lives. To be
 * built with AddressSanitizer and UBSan.
 *
 *     fuzz [CASES [FIRST]]
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "alone.h"
#include "measure/guest/settings.h"

enum { SIZE = 2, MESSAGES = 60, ENTRIES = 40, MOST = 1 << 20 };

static char directory[] = "/tmp/weft-fuzz.XXXXXX";

/* ---- the partner ---- */

static void begin(struct wf_call *c, int statement)
{
    if (!enter(c, statement))
        abort();
    wf_call_begin(c);
}

static void send_one(int tag)
{
    struct wf_call c;
    struct wf_args a = {
        .synchronous = tag % 5 == 1, .n = 1, .type = MPI_INT, .peer = 0, .tag = tag, .comm = MPI_COMM_WORLD};
    begin(&c, 1);
    wf_header_send(&c, &a);
    wf_call_end(&c);
    if (tag % 7 == 3)
        wf_header_retract(&a);
    struct wf_event e;
    wf_call_settle_alone(&c, &e);
    wf_call_take_shared(&c, &e);
    wf_call_leave(&c);
}

static void enter_one(int i)
{
    struct wf_call c;
    struct wf_group *ranks = comms[i % 2];
    begin(&c, 2);
    wf_header_enter(&c, ranks, ranks->number++, i % 3 == 0);
    wf_call_end(&c);
    struct wf_event e;
    wf_call_settle_alone(&c, &e);
    wf_call_take_shared(&c, &e);
    wf_call_leave(&c);
}

static void be_partner(void)
{
    for (int i = 0; i < MESSAGES; i++)
        send_one(i);
    for (int i = 0; i < ENTRIES; i++)
        enter_one(i);
}

/* ---- the process that reads it ---- */

static void receive_one(int tag)
{
    struct wf_call c;
    struct wf_header h;
    struct wf_others o = {.kind = 0};
    MPI_Status status = {.MPI_SOURCE = 1, .MPI_TAG = tag, .count_lo = 4};
    struct wf_args a = {
        .peer = tag % 3 ? 1 : MPI_ANY_SOURCE, .tag = tag, .comm = MPI_COMM_WORLD, .status = &status};
    begin(&c, 3);
    struct wf_posted *posted = tag % 2 ? wf_header_post(&c, wf_comm_world, a.peer, tag) : NULL;
    if (tag % 4 == 0)
        wf_header_announce(&c, &a, 1, tag, tag % 8 == 0);
    if (tag % 11 == 0)
        wf_header_found(&c, &a, 1, &o);
    struct wf_stamp now = wf_call_stamp(&c);
    wf_call_end(&c);
    if (!posted)
        wf_header_received(&c, &a, 1, a.peer, tag, &o);
    else if (wf_match_complete(posted, 1, tag, &now, c.site->address, &h))
        wf_header_came(&c, &h, 1, 4, false, &o);
    else
        wf_header_missing(&c, 1);
    wf_call_take_with(&c, &o, 1, 1, 4);
    wf_call_leave(&c);
}

static void gather_one(int i)
{
    struct wf_call c;
    struct wf_others o = {.kind = 0};
    struct wf_group *ranks = comms[i % 2];
    begin(&c, 4);
    uint32_t number = ranks->number++;
    wf_header_enter(&c, ranks, number, i % 3 == 0);
    wf_call_end(&c);
    wf_header_gather(&c, ranks, COMM + i % 2, number, WF_DEPENDS_all, 0, &o);
    struct wf_event e;
    wf_call_settle_with(&c, &o, &e);
    wf_call_take_shared(&c, &e);
    wf_call_leave(&c);
}

/* Sends of its own that wait: no reply comes, but it reads its partner's slots and rings. */
static void send_to_partner(int tag)
{
    struct wf_call c;
    struct wf_others o = {.kind = 0};
    struct wf_args a = {.synchronous = true, .n = 1, .type = MPI_INT, .peer = 1, .tag = tag, .comm = MPI_COMM_WORLD};
    begin(&c, 5);
    wf_header_send(&c, &a);
    wf_call_end(&c);
    wf_header_sent(&c, &a, 1, &o);
    struct wf_event e;
    wf_call_settle_with(&c, &o, &e);
    wf_call_take_shared(&c, &e);
    wf_call_leave(&c);
}

static int read_partner(bool whole)
{
    int expected = 0;
    for (int tag = 0; tag < MESSAGES; tag++)
        if (tag % 7 != 3) { /* which was taken back */
            receive_one(tag);
            expected++;
        }
    for (int i = 0; i < ENTRIES; i++, expected++)
        gather_one(i);
    wf_match_earlier(0, UINT64_MAX, UINT64_MAX);
    for (int tag = 0; tag < 3; tag++)
        send_to_partner(tag);
    const struct wf_header_counts *n = &own_lane->record->headers;
    if (n->taken + n->missing != (uint64_t)expected || (whole && n->missing)) {
        printf("%lu headers taken, %lu missing, of %d\n", (unsigned long)n->taken, (unsigned long)n->missing, expected);
        return 1;
    }
    wf_feed_thread_ends(own_lane);
    return 0;
}

/* ---- cases ---- */

static uint64_t state;

static uint64_t any(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? state % below : 0;
}

/* Where something is found that leads further: the begin, the directory, and wherever something is written. */
static size_t a_place(const unsigned char *bytes, size_t size)
{
    uint32_t directory_at = ((const struct wf_box *)bytes)->head.directory;
    switch (any(4)) {
    case 0:
        return any(sizeof(struct wf_box));
    case 1:
        return ((size_t)directory_at * 64 + any(256)) % size;
    default:
        for (int tries = 0; tries < 1000; tries++) {
            size_t at = any(size);
            if (bytes[at])
                return at;
        }
        return any(size);
    }
}

static void put_word(unsigned char *bytes, size_t size, size_t at)
{
    const uint32_t words[] = {0,
                              1,
                              2,
                              3,
                              0x7fffffff,
                              0x80000000,
                              UINT32_MAX,
                              (uint32_t)(size / 64),
                              (uint32_t)(size / 64 - 1),
                              (uint32_t)any(1 << 20),
                              (uint32_t)any(UINT32_MAX)};
    at = at / 4 * 4;
    memcpy(bytes + at, &words[any(sizeof words / sizeof *words)], 4);
}

static size_t damage(unsigned char *bytes, size_t size)
{
    size_t at = a_place(bytes, size), length = any(2000);
    switch (any(6)) {
    case 0:
        return any(8) ? any(size) : any(2 * sizeof(struct wf_box));
    case 1:
        memset(bytes + at, any(2) ? 0xff : 0, at + length < size ? length : size - at);
        return size;
    case 2:
        for (size_t i = at; i < size && i < at + length; i++)
            bytes[i] = (unsigned char)any(256);
        return size;
    default:
        for (uint64_t i = 1 + any(20); i > 0; i--)
            put_word(bytes, size, a_place(bytes, size));
        return size;
    }
}

static size_t load(const char *path, unsigned char *bytes)
{
    int fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, MOST);
    if (fd >= 0)
        close(fd);
    return n > 0 ? (size_t)n : 0;
}

static void store(const char *path, const unsigned char *bytes, size_t size)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    close(fd);
}

/* Runs one process of a rank; its exit status. */
static int run(int as, int (*body)(bool), bool argument)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        rank = as;
        alarm(60);
        start(directory, SIZE, 2, false);
        exit(body ? body(argument) : 0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return status;
}

static int partner(bool unused)
{
    (void)unused;
    be_partner();
    return 0;
}

int main(int argc, char **argv)
{
    static unsigned char box[MOST], registry[MOST], bytes[MOST];
    char host[64] = "", own[256], other[256], agreed[256], command[300];
    long cases = argc > 1 ? atol(argv[1]) : 1000, first = argc > 2 ? atol(argv[2]) : 0;
    wf_settings.directory = directory;
    if (!mkdtemp(directory))
        return 1;
    gethostname(host, sizeof host - 1);
    snprintf(own, sizeof own, "%s/box-alone-0-%s", directory, host);
    snprintf(other, sizeof other, "%s/box-alone-1-%s", directory, host);
    snprintf(agreed, sizeof agreed, "%s/path-alone-%s", directory, host);
    int status = run(0, NULL, false) | run(1, partner, false);
    size_t box_size = load(other, box), registry_size = load(agreed, registry);
    if (status || !box_size || !registry_size)
        printf("FAIL: no box to begin with: status %d\n", status);
    long failed = 0, refused = 0;
    for (long i = first; !status && i < first + cases; i++) {
        snprintf(command, sizeof command, "rm -f %s/p-*", directory);
        unlink(own);
        if (i % 100 == 0 && system(command) != 0)
            return 1;
        state = (uint64_t)i * 0x9E3779B97F4A7C15u + 88172645463325252u;
        memcpy(bytes, box, box_size);
        /* The first is whole; some have only another registry. */
        size_t size = i && any(8) ? damage(bytes, box_size) : box_size;
        store(other, bytes, size);
        memcpy(bytes, registry, registry_size);
        store(agreed, bytes, i && any(4) == 0 ? damage(bytes, registry_size) : registry_size);
        int ended = run(0, read_partner, i == 0);
        refused += size != box_size;
        if (ended) {
            printf("case %ld: status %#x\n", i, ended);
            failed++;
        }
    }
    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (system(command) != 0 || status)
        return 1;
    printf("%ld cases, %ld of them cut short: %ld failed\n", cases, refused, failed);
    return failed != 0;
}
