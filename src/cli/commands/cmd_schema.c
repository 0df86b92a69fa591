// SPDX-License-Identifier: BSD-3-Clause
// cardan schema: schema of the model file as JSON Schema, or as reference manual.
#include "cli/commands/commands.h"
#include "cli/support/output_files.h"
#include "cli/support/messages.h"
#include "io/schema/schema.h"
#include "optimize/task/task_schema.h"

#include <string.h>

static const char* candidate(void* user, int i)
{
    (void)user;
    return i == 0 ? "model" : i == 1 ? "task" : NULL;
}

static int run(const cd_options* options)
{
    cd_text    text = {0};
    const bool task = options->noperand > 0 && strcmp(options->operand[0], "task") == 0;
    if (options->noperand > 0 && !task && strcmp(options->operand[0], "model") != 0)
        return cd_report_unknown_name("schema", options->operand[0], candidate, NULL, "it must be model or task");
    if (task)
        (options->manual ? cd_task_schema_manual : cd_task_schema_json)(&text);
    else
        (options->manual ? cd_schema_manual : cd_schema_json)(&text);
    return cd_write_text(options->output ? options->output : "-", &text, options->force);
}

const cd_command cd_command_schema = {
    .name         = "schema",
    .operands     = "[model|task]",
    .noperand_max = 1,
    .summary      = "JSON Schema of the model file, or of the task file of `optimize`, for editors; or the "
                    "reference manual",
    .text         = "Prints the JSON Schema (draft 7) of the model file, or of the task file, from the table\n"
                    "that the file reader uses. Editors with a YAML language server complete keys and mark\n"
                    "errors with it. They find the schema by the line\n"
                    "  # yaml-language-server: $schema=cardan.schema.json\n"
                    "at the top of the model file.",
    .examples     = "cardan schema -o cardan.schema.json  # for the editor\n"
                    "cardan schema task -o task.schema.json\n"
                    "cardan schema --manual               # every key of the model file, its unit and its default\n",
    CD_OPTIONS(CD_OPTION_MANUAL, CD_OPTION_TEXT_OUTPUT, CD_OPTION_FORCE, CD_OPTION_JSON, CD_OPTION_HELP),
    .run = run,
};
