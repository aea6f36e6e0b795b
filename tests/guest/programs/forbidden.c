/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A filter (seccomp) makes system calls fail that weft would like and the program does not need: opening, mapping and
 * enlarging files, and asking who it is. "errno": with EPERM; "all": every call but writing and ending.
 *
 * procedures: met 600
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

PROCEDURE static void begin(void)
{
    REGION("begin")
    {
        guest_sink++;
    }
}

#define FAIL(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))

static void forbid(struct sock_filter *filter, int count)
{
    struct sock_fprog program = {(unsigned short)count, filter};
    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0);
}

int main(int argc, char **argv)
{
    struct sock_filter some[] = {NUMBER,
                                 FAIL(SYS_open),
                                 FAIL(SYS_openat),
                                 FAIL(SYS_fallocate),
                                 FAIL(SYS_ftruncate),
                                 FAIL(SYS_gettid),
                                 FAIL(SYS_readlink),
                                 FAIL(SYS_mmap),
                                 FAIL(SYS_mremap),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_filter all[] = {
        NUMBER,          ALLOW(SYS_write),        ALLOW(SYS_exit_group),
        ALLOW(SYS_exit), ALLOW(SYS_rt_sigreturn), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)};
    begin();
    if (argc > 1 && strcmp(argv[1], "all") == 0)
        forbid(all, COUNT(all));
    else
        forbid(some, COUNT(some));
    for (int i = 0; i < COUNT(met); i++)
        met[i]();
    begin();
    static const char text[] = "done\n";
    return write(1, text, sizeof text - 1) == sizeof text - 1 ? 6 : 7;
}
