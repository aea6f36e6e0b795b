/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program goes to another directory, another root, another user, or takes all permissions from new files (the
 * argument), and then meets so many procedures that weft needs more room. New files of its own are as they would be.
 *
 * procedures: met 600
 */
#include <fcntl.h>
#include <sys/stat.h>

PROCEDURE static void begin(void)
{
    REGION("begin")
    {
        guest_sink++;
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    begin();
    if (strcmp(how, "chdir") == 0)
        MUST(mkdir("sub", 0700) == 0 && chdir("sub") == 0 && rmdir("../sub") == 0);
    if (strcmp(how, "chroot") == 0)
        MUST(mkdir("jail", 0700) == 0 && chroot("jail") == 0 && chdir("/") == 0);
    if (strcmp(how, "setuid") == 0)
        MUST(setgid(65534) == 0 && setuid(65534) == 0);
    if (strcmp(how, "umask") == 0)
        umask(0777);
    for (int i = 0; i < COUNT(met); i++)
        met[i]();
    begin();
    if (strcmp(how, "umask") == 0) {
        struct stat state;
        int fd = open("new", O_CREAT | O_WRONLY, 0666);
        MUST(fd >= 0 && fstat(fd, &state) == 0);
        printf("mode %o\n", state.st_mode & 07777);
        unlink("new");
    }
    if (strcmp(how, "chroot") == 0)
        MUST(access("/jail", F_OK) != 0);
    if (strcmp(how, "chdir") != 0)
        rmdir("jail");
    printf("done\n");
    return 3;
}
