// SPDX-License-Identifier: BSD-3-Clause
// cardan version
#include "cli/commands/commands.h"
#include "cli/support/terminal_print.h"
#include "cli/support/messages.h"
#include "core/json.h"

#include <cardan/version.h>

#include <stdio.h>

static int run(const cd_options* options)
{
    if (!options->json) {
        cd_print("cardan %s\n", cardan_version());
        return CD_EXIT_DONE;
    }
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "version", cardan_version());
    cd_json_end(&json);
    return cd_print_and_free_text(&text);
}

const cd_command cd_command_version = {
    .name     = "version",
    .operands = "",
    .summary  = "print the version",
    .text     = "Prints the version of the library that is linked.",
    .examples = "cardan version  # also: cardan --version\n",
    CD_OPTIONS(CD_OPTION_JSON, CD_OPTION_HELP),
    .run = run,
};
