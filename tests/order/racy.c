/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program whose course depends on who is faster: workers send after random pauses, and rank 0 receives in every form
 * that leaves the order to MPI. It prints a hash of the course for each form, with the failed polls in it.
 *
 *     racy [FORM...]      all forms without an argument
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EACH 5 /* messages of each worker in a form */
#define MOST 64

static int rank, size, workers, messages;
static unsigned seed;
static unsigned long hash;

static void pause_randomly(void)
{
    usleep((useconds_t)(rand_r(&seed) % 1500));
}

static void note(long value)
{
    hash = (hash ^ (unsigned long)(value + 77)) * 0x100000001B3ul;
    hash ^= hash >> 29;
}

static void note_status(const MPI_Status *status, int got)
{
    note(status->MPI_SOURCE);
    note(status->MPI_TAG);
    note(got);
}

static void polled(void)
{
    note(-1);
    usleep(150);
}

/* Worker w's message i: its tag says how far it is. */
static void send_all(MPI_Comm comm, int to)
{
    for (int i = 0; i < EACH; i++) {
        int value = rank * 100 + i;
        pause_randomly();
        MPI_Send(&value, 1, MPI_INT, to, i % 3, comm);
    }
}

static void worker(void)
{
    send_all(MPI_COMM_WORLD, 0);
}

static void form_any_tag(void)
{
    MPI_Status status;
    int got;
    for (int i = 0; i < messages; i++) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        note_status(&status, got);
    }
}

static void form_ignored(void)
{
    int got;
    for (int i = 0; i < messages; i++) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        note(got);
    }
}

static void form_wait(void)
{
    MPI_Request request;
    MPI_Status status;
    int got;
    for (int i = 0; i < messages; i++) {
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        note_status(&status, got);
    }
}

static void post(MPI_Request *requests, int *got)
{
    for (int i = 0; i < messages; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
}

static void form_waitall(void)
{
    MPI_Request requests[MOST];
    MPI_Status statuses[MOST];
    int got[MOST];
    post(requests, got);
    MPI_Waitall(messages, requests, statuses);
    for (int i = 0; i < messages; i++)
        note_status(&statuses[i], got[i]);
}

static void form_waitany(void)
{
    MPI_Request requests[MOST];
    MPI_Status status;
    int got[MOST], index;
    post(requests, got);
    for (int i = 0; i <= messages; i++) {
        MPI_Waitany(messages, requests, &index, &status);
        note(index);
        if (index != MPI_UNDEFINED)
            note_status(&status, got[index]);
    }
}

/* Receives from single ranks race in a Waitany, too. */
static void form_named(void)
{
    MPI_Request requests[MOST];
    int got[MOST], index;
    for (int i = 0; i < messages; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, 1 + i % workers, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < messages; i++) {
        MPI_Waitany(messages, requests, &index, MPI_STATUS_IGNORE);
        note(index);
        note(got[index]);
    }
}

static void some(int tests)
{
    MPI_Request requests[MOST];
    MPI_Status statuses[MOST];
    int got[MOST], n, indices[MOST];
    post(requests, got);
    for (int done = 0; done < messages; done += n) {
        if (tests)
            MPI_Testsome(messages, requests, &n, indices, statuses);
        else
            MPI_Waitsome(messages, requests, &n, indices, statuses);
        note(n);
        for (int k = 0; k < n; k++) {
            note(indices[k]);
            note_status(&statuses[k], got[indices[k]]);
        }
        polled();
    }
}

static void form_waitsome(void)
{
    some(0);
}

static void form_testsome(void)
{
    some(1);
}

static void form_test(void)
{
    MPI_Request request;
    MPI_Status status;
    int got, flag;
    for (int i = 0; i < messages; i++) {
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        for (flag = 0; !flag; polled())
            MPI_Test(&request, &flag, &status);
        note_status(&status, got);
    }
}

static void form_testany(void)
{
    MPI_Request requests[MOST];
    MPI_Status status;
    int got[MOST], index, flag;
    post(requests, got);
    for (int done = 0; done < messages; polled()) {
        MPI_Testany(messages, requests, &index, &flag, &status);
        if (!flag)
            continue;
        note(index);
        note_status(&status, got[index]);
        done++;
    }
}

static void form_testall(void)
{
    MPI_Request requests[MOST];
    MPI_Status statuses[MOST];
    int got[MOST], flag = 0;
    post(requests, got);
    for (; !flag; polled())
        MPI_Testall(messages, requests, &flag, statuses);
    for (int i = 0; i < messages; i++)
        note_status(&statuses[i], got[i]);
}

static void form_status(void)
{
    MPI_Request request;
    MPI_Status status;
    int got, flag;
    for (int i = 0; i < messages; i++) {
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        for (flag = 0; !flag; polled())
            MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
        MPI_Wait(&request, &status);
        note_status(&status, got);
    }
}

static void form_persistent(void)
{
    MPI_Request requests[3];
    MPI_Status status;
    int got[3], index, started = 3;
    for (int i = 0; i < 3; i++)
        MPI_Recv_init(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
    MPI_Startall(3, requests);
    for (int i = 0; i < messages; i++) {
        MPI_Waitany(3, requests, &index, &status);
        note(index);
        note_status(&status, got[index]);
        if (started++ < messages)
            MPI_Start(&requests[index]);
    }
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&requests[i]);
}

static void form_sendrecv(void)
{
    MPI_Status status;
    int got, ball = 1;
    for (int i = 0; i < messages; i++) {
        if (i % 2) {
            MPI_Sendrecv(&ball, 1, MPI_INT, 1 + i % workers, 5, &got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                         MPI_COMM_WORLD, &status);
        } else {
            got = 1;
            MPI_Sendrecv_replace(&got, 1, MPI_INT, 1 + i % workers, 5, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                                 &status);
        }
        note_status(&status, got);
    }
}

static void worker_sendrecv(void)
{
    MPI_Request requests[EACH];
    int balls[EACH];
    for (int i = 0; i < EACH; i++)
        MPI_Irecv(&balls[i], 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[i]);
    worker();
    MPI_Waitall(EACH, requests, MPI_STATUSES_IGNORE);
}

static void form_probe(void)
{
    MPI_Status status;
    int got;
    for (int i = 0; i < messages; i++) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        note_status(&status, got);
    }
}

static void form_iprobe(void)
{
    MPI_Status status;
    int got, flag;
    for (int i = 0; i < messages; i++) {
        for (flag = 0; !flag; polled())
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
        MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        note_status(&status, got);
    }
}

static void form_iprobe_each(void)
{
    MPI_Status status;
    int got, flag;
    for (int i = 0, from = 0; i < messages; i++) {
        for (flag = 0; !flag; polled())
            MPI_Iprobe(1 + from++ % workers, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
        MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        note_status(&status, got);
    }
}

static void form_mprobe(void)
{
    MPI_Message message;
    MPI_Status status;
    int got;
    for (int i = 0; i < messages; i++) {
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        note_status(&status, got);
    }
}

static void form_improbe(void)
{
    MPI_Message message;
    MPI_Status status;
    int got, flag;
    for (int i = 0; i < messages; i++) {
        for (flag = 0; !flag; polled())
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
        MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        note_status(&status, got);
    }
}

static MPI_Comm backwards;

static void form_communicator(void)
{
    MPI_Status status;
    int got;
    for (int i = 0; i < messages; i++) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, backwards, &status);
        note_status(&status, got);
    }
}

static void worker_communicator(void)
{
    send_all(backwards, size - 1);
}

/* Whether a receive can still be cancelled is a race, too. */
static void form_cancel(void)
{
    MPI_Request request, never;
    MPI_Status status;
    int got, other, cancelled, flag;
    MPI_Irecv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &never);
    for (int done = 0; done < messages; done += !cancelled) {
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        pause_randomly();
        MPI_Test(&request, &flag, &status);
        if (!flag) {
            MPI_Cancel(&request);
            MPI_Wait(&request, &status);
        }
        MPI_Test_cancelled(&status, &cancelled);
        note(flag);
        note(cancelled);
        if (!cancelled)
            note_status(&status, got);
    }
    MPI_Cancel(&never);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
}

static const struct form {
    const char *name;
    void (*master)(void), (*worker)(void);
} forms[] = {{"any_tag", form_any_tag, worker},
             {"ignored", form_ignored, worker},
             {"wait", form_wait, worker},
             {"waitall", form_waitall, worker},
             {"waitany", form_waitany, worker},
             {"named", form_named, worker},
             {"waitsome", form_waitsome, worker},
             {"test", form_test, worker},
             {"testany", form_testany, worker},
             {"testall", form_testall, worker},
             {"testsome", form_testsome, worker},
             {"status", form_status, worker},
             {"persistent", form_persistent, worker},
             {"sendrecv", form_sendrecv, worker_sendrecv},
             {"probe", form_probe, worker},
             {"iprobe", form_iprobe, worker},
             {"iprobe_each", form_iprobe_each, worker},
             {"mprobe", form_mprobe, worker},
             {"improbe", form_improbe, worker},
             {"communicator", form_communicator, worker_communicator},
             {"cancel", form_cancel, worker}};

static int is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return 1;
    return argc == 1;
}

int main(int argc, char **argv)
{
    struct timespec now;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    clock_gettime(CLOCK_REALTIME, &now);
    seed = (unsigned)(now.tv_nsec ^ (getpid() * 7919));
    workers = size - 1;
    messages = workers * EACH;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    if (getenv("RACY_PAUSED"))
        MPI_Pcontrol(0);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!is_wanted(forms[i].name, argc, argv))
            continue;
        hash = 1;
        MPI_Barrier(MPI_COMM_WORLD);
        rank == 0 ? forms[i].master() : forms[i].worker();
        if (rank == 0)
            printf("%s %016lx\n", forms[i].name, hash);
    }
    MPI_Comm_free(&backwards);
    MPI_Finalize();
    return 0;
}
