/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program lowers a limit (the argument) when weft has begun, then meets so many procedures that weft needs more
 * room. It needs nothing itself that the limit forbids.
 *
 * procedures: met 600
 */
#include <signal.h>
#include <sys/resource.h>

static const struct {
    const char *name;
    int what;
    rlim_t value;
} limits[] = {{"fsize", RLIMIT_FSIZE, 4096},  {"nofile", RLIMIT_NOFILE, 3},
              {"nofile0", RLIMIT_NOFILE, 0},  {"as", RLIMIT_AS, 1 << 20},
              {"data", RLIMIT_DATA, 1 << 16}, {"stack", RLIMIT_STACK, 1 << 14},
              {"nproc", RLIMIT_NPROC, 0},     {"memlock", RLIMIT_MEMLOCK, 0},
              {"core", RLIMIT_CORE, 0},       {"sigpending", RLIMIT_SIGPENDING, 0},
              {"cpu", RLIMIT_CPU, 60},        {"msgqueue", RLIMIT_MSGQUEUE, 0},
              {"rtprio", RLIMIT_RTPRIO, 0},   {"rttime", RLIMIT_RTTIME, 1 << 24},
              {"locks", RLIMIT_LOCKS, 0},     {"rss", RLIMIT_RSS, 1 << 16},
              {"nice", RLIMIT_NICE, 0}};

PROCEDURE static void begin(void)
{
    REGION("begin")
    {
        guest_sink++;
    }
}

int main(int argc, char **argv)
{
    begin();
    for (int i = 0; argc > 1 && i < COUNT(limits); i++)
        if (strcmp(limits[i].name, argv[1]) == 0) {
            struct rlimit low = {limits[i].value, limits[i].value};
            MUST(setrlimit((__rlimit_resource_t)limits[i].what, &low) == 0);
        }
    for (int i = 0; i < COUNT(met); i++)
        met[i]();
    begin();
    static const char text[] = "done\n";
    return write(1, text, sizeof text - 1) == sizeof text - 1 ? 6 : 7;
}
