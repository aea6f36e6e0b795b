/* SPDX-License-Identifier: BSD-3-Clause */
#include <locale.h>
#include <stdio.h>

#include "analyse/profile.h"
#include "present/summary.h"

int main(int argc, char **argv)
{
    struct wf_profile *profile;
    struct wf_error error;
    setlocale(LC_CTYPE, "");
    if (argc != 2 || wf_profile_open(argv[1], &profile, &error))
        return 1;
    wf_summary_print(stdout, profile);
    wf_profile_close(profile);
    return 0;
}
