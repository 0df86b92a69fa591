// SPDX-License-Identifier: BSD-3-Clause
// cardan draw: the mechanism as SVG, at its start or as snapshots of its motion.
#include "cli/commands/commands.h"
#include "cli/support/output_files.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/support/progress.h"
#include "cli/support/run_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct snapshot_run {
    const cardan_description_view* view;
    cd_snapshots*                  snapshots;
    cd_progress                    progress;
} snapshot_run;

static bool on_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    snapshot_run* s = user;
    cd_snapshots_add(s->snapshots, s->view, data, sample->t);
    return !s->snapshots->failed && !cd_is_interrupted();
}

static bool on_progress(void* user, double t)
{
    snapshot_run* s = user;
    cd_progress_show(&s->progress, t);
    return !cd_is_interrupted();
}

// Simulate and store the requested number of snapshots.
static int simulate_snapshots(cd_loaded_model* mechanism, cd_model_instance* c, cd_snapshots* snapshots)
{
    cardan_run_settings run;
    cardan_run_summary  summary;
    snapshot_run        s         = {.view = &mechanism->view, .snapshots = snapshots};
    const int           count_max = mechanism->options->strobe;
    const int           code      = cd_run_settings(mechanism, c, &run);
    if (code != CD_EXIT_DONE) return code;
    cd_snapshots_begin(snapshots, mechanism->view.nbody, count_max, run.start, run.end);
    run.output_interval   = (run.end - run.start) / (count_max - 1);
    run.sample_callback   = on_sample;
    run.progress_callback = on_progress;
    run.user              = &s;
    cd_progress_begin(&s.progress, mechanism->view.name, run.start, run.end, mechanism->options->quiet);
    const cardan_status status = cardan_simulate(c->data, &run, &summary, &mechanism->report);
    cd_progress_end(&s.progress);
    if (status == CARDAN_OK) return CD_EXIT_DONE;
    if (snapshots->failed) return cd_report_no_memory();
    cd_report_failure(&mechanism->report, status);
    return cd_run_exit_code(status, &summary);
}

// Collect what is drawn: the motion, the start, or nothing for the design configuration, which needs no closed loops.
static int collect_snapshots(cd_loaded_model* mechanism, cd_snapshots* snapshots)
{
    const cd_options* options = mechanism->options;
    const bool        moves   = options->strobe > 1;
    cd_model_instance c;
    if (options->design && !options->state && !moves) return CD_EXIT_DONE;
    const int formulation = cd_select_formulation(mechanism);
    if (formulation == CARDAN_NONE) return CD_EXIT_USAGE;
    const cardan_status status = cd_model_instance_open(&c, mechanism, formulation);
    if (status == CARDAN_UNSUPPORTED && !moves && !options->state) {
        cardan_report_clear(&mechanism->report);
        return CD_EXIT_DONE;
    }
    if (status != CARDAN_OK) return cd_report_failure(&mechanism->report, status);
    int code = CD_EXIT_DONE;
    if (moves) {
        code = simulate_snapshots(mechanism, &c, snapshots);
    } else {
        cd_snapshots_begin(snapshots, mechanism->view.nbody, 1, c.t, c.t);
        cd_snapshots_add(snapshots, &mechanism->view, c.data, c.t);
    }
    if (snapshots->failed) cd_report_no_memory(), code = CD_EXIT_INPUT;
    cd_model_instance_close(&c);
    return code;
}

static int report(const cd_loaded_model* mechanism, const cd_snapshots* snapshots, const char* path)
{
    if (!mechanism->options->json) {
        if (mechanism->options->quiet || cd_is_standard_output(path)) return CD_EXIT_DONE;
        cd_print("%s: %s", mechanism->view.name, path);
        if (snapshots->count > 1) cd_print(" (%d snapshots)", snapshots->count);
        cd_print("\n");
        return CD_EXIT_DONE;
    }
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "name", mechanism->view.name);
    cd_json_integer(&json, "snapshots", snapshots->count ? snapshots->count : 1);
    cd_json_string(&json, "output", path);
    cd_json_end(&json);
    return cd_print_and_free_text(&text);
}

static int run(const cd_options* options)
{
    cd_loaded_model mechanism;
    int             code = cd_loaded_model_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_loaded_model_warn(&mechanism);
    cd_snapshots snapshots = {0};
    char*        path =
        options->output ? cd_copy_string(options->output) : cd_result_path(mechanism.view.name, "-mechanism.svg");
    if (!path)
        code = cd_report_no_memory();
    else if (!cd_is_standard_output(path) && !cd_can_write(path, options->force))
        code = CD_EXIT_INPUT;
    if (code == CD_EXIT_DONE) code = collect_snapshots(&mechanism, &snapshots);
    if (code == CD_EXIT_DONE) code = cd_write_mechanism_svg(&mechanism, &snapshots, path, options->force);
    if (code == CD_EXIT_DONE) code = report(&mechanism, &snapshots, path);
    free(path);
    cd_snapshots_free(&snapshots);
    cd_loaded_model_close(&mechanism);
    return code;
}

const cd_command cd_command_draw = {
    .name         = "draw",
    .operands     = "MODEL",
    .noperand_min = 1,
    .noperand_max = 1,
    .summary      = "draw the mechanism as SVG: one view or three, with names, or snapshots of its motion",
    .text         = "Draws bodies with their shapes (without a shape, as bars between their joints), joints by\n"
                    "their symbols, and ground, gravity, axes and scale. The configuration is the start of the\n"
                    "motion; --strobe draws several snapshots of the motion.",
    .examples = "cardan draw models/double_pendulum                        # results/double-pendulum-mechanism.svg\n"
                "cardan draw models/double_pendulum --strobe 12 -d 1.5     # twelve snapshots of the first 1.5 s\n"
                "cardan draw arm.yaml --view three -o arm.svg              # front, side, top and isometric\n",
    CD_OPTIONS(CD_OPTION_VIEW, CD_OPTION_NAMES, CD_OPTION_STROBE, CD_OPTION_DESIGN, CD_OPTION_WIDTH, CD_OPTION_HEIGHT,
               CD_OPTION_TITLE, CD_OPTION_DRAW_OUTPUT, CD_OPTION_FORCE, CD_OPTION_STATE, CD_OPTION_START_TIME,
               CD_OPTION_DURATION, CD_OPTION_FORMULATION, CD_OPTION_INTEGRATOR, CD_OPTION_STEP, CD_OPTION_TOLERANCE,
               CD_OPTION_MAX_STEP, CD_OPTION_SET, CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET,
               CD_OPTION_HELP),
    .run = run,
};
