/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program closes all descriptors but the first three, and uses the numbers for files of its own, while weft grows:
 * what it writes there is what is in them. The lowest free number is the same as without weft.
 *
 * procedures: met 300
 */
#include <fcntl.h>
#include <sys/stat.h>

enum { FILES = 50 };

PROCEDURE static void begin(void)
{
    REGION("begin")
    {
        guest_sink++;
    }
}

static void check(int fd, int n)
{
    char text[16], is[16];
    int bytes = snprintf(text, sizeof text, "file %d", n);
    struct stat state;
    MUST(fstat(fd, &state) == 0 && state.st_size == bytes);
    MUST(pread(fd, is, sizeof is, 0) == bytes && memcmp(is, text, (size_t)bytes) == 0);
}

int main(void)
{
    begin();
    int lowest = open("/dev/null", O_RDONLY);
    close(lowest);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    for (int n = 0; n < FILES; n++) {
        char text[16];
        FILE *file = tmpfile();
        MUST(file && fileno(file) == 3 + n);
        snprintf(text, sizeof text, "file %d", n);
        MUST(write(3 + n, text, strlen(text)) == (ssize_t)strlen(text));
        for (int i = 0; i < COUNT(met) / FILES; i++)
            met[n * (COUNT(met) / FILES) + i]();
    }
    MUST(dup2(3, 200) == 200);
    for (int n = 0; n < FILES; n++)
        check(3 + n, n);
    check(200, 0);
    begin();
    printf("%d was free\n", lowest);
    return 0;
}
