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
        cd_print("\n`cardan list %s` tells more of each.\n", name);
        return CD_EXIT_DONE;
    }
    return cd_report_unknown_name("command or list", name, topic, NULL,
                                  "`cardan help` shows the commands, `cardan list` the lists");
}

const cd_command cd_command_help = {
    .name         = "help",
    .operands     = "[COMMAND|LIST]",
    .noperand_max = 1,
    .summary      = "the commands, one of them in full, or what there is to choose from",
    .text         = "Without a command: the list of all. With one: what it does, examples, options with units and\n"
                    "defaults. With the name of a list (formulations, integrators, stabilizations, joints and the\n"
                    "others of `cardan list`): its entries, a line each.",
    .examples     = "cardan help run           # the same as cardan run --help\n"
                    "cardan help formulations  # which equations of motion there are\n",
    CD_OPTIONS(CD_OPTION_HELP),
    .run = run,
};
