/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A completion for bash. Where it has nothing to say, bash's own completion of file names stands in.
 */
#include "cli/help.h"

static void print_commands(FILE *out)
{
    for (const struct wf_command *const *c = wf_commands; *c; c++)
        fprintf(out, "%s%s", c == wf_commands ? "" : " ", (*c)->name);
}

static void print_options(FILE *out, const struct wf_command *command)
{
    for (const struct wf_option *o = command->options; o && o->name; o++)
        fprintf(out, "--%s ", o->name);
    fputs("--help", out);
}

/* Behind an option that takes a value: its words if they are known, else nothing of ours. */
static void print_values(FILE *out, const struct wf_option *option)
{
    fprintf(out, "        --%s", option->name);
    if (option->letter)
        fprintf(out, "|-%c", option->letter);
    fputs(") values='", out);
    for (const char *c = option->argument; option->kind == WF_OPTION_CHOICE && *c; c++)
        fputc(*c == '|' ? ' ' : *c, out);
    fputs("' ;;\n", out);
}

static void print_case(FILE *out, const struct wf_command *command)
{
    fprintf(out, "    %s)\n        options='", command->name);
    print_options(out, command);
    fputs("'\n", out);
    if (command->words)
        fprintf(out, "        words='%s'\n", command->words);
    fputs("        case $previous in\n", out);
    for (const struct wf_option *o = command->options; o && o->name; o++)
        if (o->kind != WF_OPTION_FLAG)
            print_values(out, o);
    fputs("        esac ;;\n", out);
}

void wf_completion_print(FILE *out)
{
    fputs("# SPDX-License-Identifier: BSD-3-Clause\n"
          "# Printed by weft help --completion bash: do not edit.\n"
          "_weft() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options='' "
          "values=- words='' commands='",
          out);
    print_commands(out);
    fputs("'\n"
          "    COMPREPLY=()\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$commands ",
          out);
    print_options(out, &wf_command_weft);
    fputs("\" -- \"$current\")\n"
          "        return\n"
          "    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          out);
    for (const struct wf_command *const *c = wf_commands; *c; c++)
        print_case(out, *c);
    fputs("    esac\n"
          "    if [[ $values != - ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$current\")\n"
          "    elif [[ $current == -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
          "    elif [[ -n $words ]] && ((COMP_CWORD == 2)); then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
          "    elif [[ ${COMP_WORDS[1]} == help ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$current\")\n"
          "    fi\n"
          "}\n"
          "complete -o default -o bashdefault -F _weft weft\n",
          out);
}
