// SPDX-License-Identifier: BSD-3-Clause
// cardan help [COMMAND|LIST]
#include "cli/commands/commands.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"

#include <stdio.h>

static const char* topic(void* user, int i)
{
    (void)user;
    return i < cd_command_count() ? cd_command_at(i)->name : cd_list_name(i - cd_command_count());
}

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
    if (cd_list_print(name)) {
        cd_print("\n`cardan list %s` prints details of each.\n", name);
        return CD_EXIT_DONE;
    }
    return cd_report_unknown_name("command or list", name, topic, NULL,
                                  "`cardan help` lists the commands, `cardan list` the lists");
}

const cd_command cd_command_help = {
    .name         = "help",
    .operands     = "[COMMAND|LIST]",
    .noperand_max = 1,
    .summary      = "list the commands, describe one command, or print a list of choices",
    .text         = "Without an argument: lists all commands. With a command: describes it, with examples and\n"
                    "options, their units and defaults. With the name of a list (formulations, integrators,\n"
                    "stabilizations, joints and the others of `cardan list`): prints its entries, one line\n"
                    "each.",
    .examples     = "cardan help run           # the same as cardan run --help\n"
                    "cardan help formulations  # formulations of the equations of motion\n",
    CD_OPTIONS(CD_OPTION_HELP),
    .run = run,
};
