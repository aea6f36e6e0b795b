/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file system with the run directory has little room (run.sh mounts one of 256 KiB): full from the start, or while
 * weft grows. The program goes on.
 *
 * procedures: met 600
 */
PROCEDURE static void begin(void)
{
    REGION("begin")
    {
        guest_sink++;
    }
}

int main(void)
{
    begin();
    for (int i = 0; i < COUNT(met); i++)
        met[i]();
    begin();
    printf("done\n");
    return 4;
}
