/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture_calls.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

size_t fixture_calls_run(const char *command, struct fixture_call *calls, size_t room)
{
    char line[2048], program[1024] = "";
    sscanf(command, "%1023s", program);
    FILE *output = access(program, X_OK) == 0 ? popen(command, "r") : NULL;
    size_t count = 0;
    while (output && count < room && fgets(line, sizeof line, output)) {
        struct fixture_call *call = &calls[count];
        count += sscanf(line, "%127[^|]|%d|%511[^|]|%lx|%511[^\n]", call->procedure, &call->line, call->file,
                        &call->offset, call->module) == 5;
    }
    if (output)
        pclose(output);
    return count;
}
