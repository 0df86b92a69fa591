// SPDX-License-Identifier: BSD-3-Clause
// cardan plot: curves of results as SVG, several runs overlaid.
#include "cli/commands.h"
#include "cli/curves.h"
#include "cli/files.h"
#include "cli/messages.h"
#include "cli/values.h"
#include "io/results.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int report(const cd_options* options, const char* path)
{
    if (options->quiet || strcmp(path, "-") == 0) return CD_EXIT_DONE;
    if (!options->json) {
        printf("%s: %s\n", cd_plural(options->noperand, "run", "runs").text, path);
        return CD_EXIT_DONE;
    }
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_array(&json, "results");
    for (int i = 0; i < options->noperand; ++i) cd_json_string(&json, NULL, options->operand[i]);
    cd_json_end(&json);
    cd_json_string(&json, "output", path);
    cd_json_end(&json);
    return cd_print_text(&text);
}

static int run(const cd_options* options)
{
    char* path = options->output ? cd_copy_string(options->output) : cd_results_sibling(options->operand[0], "-plot.svg");
    int   code = CD_EXIT_INPUT;
    if (!path) cd_say_error("out of memory");
    else if (strcmp(path, "-") == 0 || cd_may_write(path, options->force))
        code = cd_write_curves(options, options->noperand, options->operand, NULL, NULL, path, options->force);
    if (code == CD_EXIT_DONE) code = report(options, path);
    free(path);
    return code;
}

const cd_command cd_command_plot = {
    .name     = "plot",
    .operands = "RESULT.csv [RESULT.csv ...]",
    .least    = 1,
    .most     = INT_MAX,
    .summary  = "curves of results as SVG, several runs overlaid",
    .text     = "Plots columns of result files over time, one panel per unit. Columns of the same name in several files share a\n"
                "colour and differ in their line. Files with commas, semicolons or tabs are read, with names and units in the\n"
                "first line (`t [s],hinge.q [rad]`).",
    .examples = "cardan plot results/pendulum.csv                                 # everything\n"
                "cardan plot a.csv b.csv --columns 'hinge.q,energy.*' -o both.svg # two runs overlaid\n"
                "cardan plot top.csv -x tip.x -c tip.y                            # a path\n",
    CD_OPTIONS(CD_OPTION_PLOT_COLUMNS, CD_OPTION_ABSCISSA, CD_OPTION_LOGARITHMIC, CD_OPTION_LOGARITHMIC_X, CD_OPTION_TITLE,
               CD_OPTION_WIDTH, CD_OPTION_HEIGHT, CD_OPTION_PLOT_OUTPUT, CD_OPTION_FORCE, CD_OPTION_JSON, CD_OPTION_QUIET,
               CD_OPTION_HELP),
    .run = run,
};
