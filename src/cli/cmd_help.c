// SPDX-License-Identifier: BSD-3-Clause
// cardan help [COMMAND]
#include "cli/commands.h"

#include <stdio.h>

static int run(const cd_options* options)
{
    if (options->noperand == 0) {
        cd_help_overview();
        return CD_EXIT_DONE;
    }
    const char*       name    = options->operand[0];
    const cd_command* command = cd_command_find(name);
    if (command) {
        cd_help_command(command);
        return CD_EXIT_DONE;
    }
    const char* near = cd_command_near(name);
    if (near)
        fprintf(stderr, "cardan: there is no command '%s' (did you mean '%s'?)\n", name, near);
    else
        fprintf(stderr, "cardan: there is no command '%s'\n", name);
    return CD_EXIT_USAGE;
}

const cd_command cd_command_help = {
    .name     = "help",
    .operands = "[COMMAND]",
    .most     = 1,
    .summary  = "the commands, or one of them in full",
    .text     = "Without a command: the list of all. With one: what it does, examples, options with units and\n"
                "defaults.",
    .examples = "cardan help run  # the same as cardan run --help\n",
    CD_OPTIONS(CD_OPTION_HELP),
    .run = run,
};
