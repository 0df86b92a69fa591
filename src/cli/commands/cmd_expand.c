// SPDX-License-Identifier: BSD-3-Clause
// cardan expand: the model file with all elements and values written explicitly.
#include "cli/commands/commands.h"
#include "cli/support/output_files.h"
#include "cli/support/loaded_model.h"
#include "cli/support/messages.h"
#include "io/format.h"

#include <stdlib.h>
#include <string.h>

static int run(const cd_options* options)
{
    cd_loaded_model mechanism;
    int             code = cd_loaded_model_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_loaded_model_warn(&mechanism);
    char*               saved  = NULL;
    const cardan_status status = cd_save_text(mechanism.description, &saved, &mechanism.report);
    if (status == CARDAN_OK) {
        cd_text text = {.data = saved, .length = strlen(saved), .capacity = strlen(saved) + 1};
        code         = cd_write_text(options->output ? options->output : "-", &text, options->force);
    } else
        code = cd_report_failure(&mechanism.report, status);
    cd_loaded_model_close(&mechanism);
    return code;
}

const cd_command cd_command_expand = {
    .name          = "expand",
    .operands      = "MODEL",
    .noperand_min  = 1,
    .noperand_max  = 1,
    .summary       = "print the model fully expanded: parameters, templates and repetitions evaluated",
    .text          = "Prints the model with includes, templates, repetitions and parameters resolved, in SI\n"
                     "units. The output is a model file of the same mechanism.",
    .examples      = "cardan expand ladder.yaml --set cells=2     # elements of the repetition\n"
                     "cardan expand robot.urdf -o robot.yaml      # as a native file\n",
    .writes_models = true,
    CD_OPTIONS(CD_OPTION_SET, CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_TEXT_OUTPUT, CD_OPTION_FORCE,
               CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
