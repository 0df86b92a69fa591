// SPDX-License-Identifier: BSD-3-Clause
// cardan schema: the model file as JSON Schema, or as the reference manual.
#include "cli/commands.h"
#include "cli/files.h"
#include "io/schema.h"

static int run(const cd_options* options)
{
    cd_text text = {0};
    if (options->manual)
        cd_schema_manual(&text);
    else
        cd_schema_json(&text);
    return cd_write_text(options->output ? options->output : "-", &text, options->force);
}

const cd_command cd_command_schema = {
    .name     = "schema",
    .operands = "",
    .summary  = "the model file as JSON Schema, for completion in editors; or its reference manual",
    .text     = "Prints the JSON Schema (draft 7) of the model file, from the table that the reader itself\n"
                "checks files with. Editors with a YAML language server then complete keys and mark mistakes.\n"
                "With a first line\n"
                "  # yaml-language-server: $schema=cardan.schema.json\n"
                "in the model file they find it.",
    .examples = "cardan schema -o cardan.schema.json  # for the editor\n"
                "cardan schema --manual               # every key of the model file, its unit and its default\n",
    CD_OPTIONS(CD_OPTION_MANUAL, CD_OPTION_TEXT_OUTPUT, CD_OPTION_FORCE, CD_OPTION_JSON, CD_OPTION_HELP),
    .run = run,
};
