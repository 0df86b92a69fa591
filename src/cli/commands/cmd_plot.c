// SPDX-License-Identifier: BSD-3-Clause
// cardan plot: curves of result files as SVG, several runs in one plot.
#include "cli/commands/commands.h"
#include "cli/report/result_curves.h"
#include "cli/support/output_files.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/report/value_text.h"
#include "core/json.h"
#include "core/memory.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int report(const cd_options* options, const char* path)
{
    if (!options->json) {
        if (options->quiet || cd_is_standard_output(path)) return CD_EXIT_DONE;
        cd_print("%s: %s\n", cd_plural_text(options->noperand, "run", "runs").text, path);
        return CD_EXIT_DONE;
    }
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_begin_array(&json, "results");
    for (int i = 0; i < options->noperand; ++i) cd_json_string(&json, NULL, options->operand[i]);
    cd_json_end(&json);
    cd_json_string(&json, "output", path);
    cd_json_end(&json);
    return cd_print_and_free_text(&text);
}

// "results/four-bar.csv" -> "four-bar"; the caller frees.
static char* run_name(const char* path)
{
    const char*  slash = strrchr(path, '/');
    const char*  name  = slash ? slash + 1 : path;
    const char*  dot   = strrchr(name, '.');
    const size_t n     = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    return strndup(name, n);
}

static cardan_status read_runs(const cd_options* options, cd_plot_run* run, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < options->noperand && status == CARDAN_OK; ++i) {
        cd_result_table* table = NULL;
        status                 = cd_result_table_read(options->operand[i], &table, report);
        run[i]                 = (cd_plot_run){.name = run_name(options->operand[i]), .table = table};
        if (!run[i].name) status = CARDAN_NO_MEMORY;
    }
    return status;
}

static int plot(const cd_options* options, const char* path)
{
    cardan_report         report       = {0};
    const cd_plot_options plot_options = {.npattern = -1,
                                          .x        = options->abscissa,
                                          .x_log    = options->logarithmic_x,
                                          .y_log    = options->logarithmic,
                                          .title    = options->title,
                                          .width    = isnan(options->width) ? 0 : options->width,
                                          .height   = isnan(options->height) ? 0 : options->height};
    cd_plot_run*          run          = cd_allocate((size_t)options->noperand, sizeof *run);
    const cardan_status   status       = run ? read_runs(options, run, &report) : CARDAN_NO_MEMORY;
    int                   code         = cd_exit_code(status);
    if (status != CARDAN_OK || !options->quiet) cd_report_failure(&report, status);
    if (status == CARDAN_OK)
        code = cd_write_curves_svg(options, options->noperand, run, plot_options, path, options->force);
    for (int i = 0; run && i < options->noperand; ++i) {
        free((char*)run[i].name);
        cd_result_table_destroy((cd_result_table*)run[i].table);
    }
    free(run);
    return code;
}

static int run(const cd_options* options)
{
    char* path =
        options->output ? cd_copy_string(options->output) : cd_results_sibling_path(options->operand[0], "-plot.svg");
    int code = CD_EXIT_INPUT;
    if (!path)
        cd_report_no_memory();
    else if (cd_is_standard_output(path) || cd_can_write(path, options->force))
        code = plot(options, path);
    if (code == CD_EXIT_DONE) code = report(options, path);
    free(path);
    return code;
}

const cd_command cd_command_plot = {
    .name         = "plot",
    .operands     = "RESULT.csv [RESULT.csv ...]",
    .noperand_min = 1,
    .noperand_max = INT_MAX,
    .summary      = "plot curves of results as SVG, several runs overlaid",
    .text         = "Plots columns of result files over time, one panel per unit. Columns of the same name in\n"
                    "several files have the same colour and different line styles. Files are separated by\n"
                    "commas, semicolons or tabs, with names and units in the first line (`t [s],hinge.q\n"
                    "[rad]`).",
    .examples     = "cardan plot results/pendulum.csv                                 # all columns\n"
                    "cardan plot a.csv b.csv --columns 'hinge.q,energy.*' -o both.svg # two runs overlaid\n"
                    "cardan plot top.csv -x tip.x -c tip.y                            # a path\n",
    CD_OPTIONS(CD_OPTION_PLOT_COLUMNS, CD_OPTION_ABSCISSA, CD_OPTION_LOGARITHMIC, CD_OPTION_LOGARITHMIC_X,
               CD_OPTION_TITLE, CD_OPTION_WIDTH, CD_OPTION_HEIGHT, CD_OPTION_PLOT_OUTPUT, CD_OPTION_FORCE,
               CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
