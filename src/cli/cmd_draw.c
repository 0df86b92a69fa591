// SPDX-License-Identifier: BSD-3-Clause
// cardan draw: the mechanism as SVG, at its start or as a strobe of its motion.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/messages.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/simulation.h"
#include "cli/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shooting {
    const cardan_view* view;
    cd_film*           film;
    cd_progress        progress;
} shooting;

static bool keep_row(void* user, cardan_data* data, const cardan_row* row)
{
    shooting* s = user;
    cd_film_add(s->film, s->view, data, row->t);
    return !s->film->failed && !cd_interrupted();
}

static bool keep_going(void* user, double t)
{
    shooting* s = user;
    cd_progress_show(&s->progress, t);
    return !cd_interrupted();
}

// The motion, at as many instants as asked for.
static int shoot(cd_mechanism* mechanism, cd_case* c, cd_film* film)
{
    cardan_run     run;
    cardan_summary summary;
    shooting       s    = {.view = &mechanism->view, .film = film};
    const int      most = mechanism->options->strobe;
    const int      code = cd_run_settings(mechanism, c, &run);
    if (code != CD_EXIT_DONE) return code;
    cd_film_begin(film, mechanism->view.nbody, most, run.start, run.end);
    run.output   = (run.end - run.start) / (most - 1);
    run.row      = keep_row;
    run.progress = keep_going;
    run.user     = &s;
    cd_progress_begin(&s.progress, mechanism->view.name, run.start, run.end, mechanism->options->quiet);
    const cardan_status status = cardan_simulate(c->data, &run, &summary, &mechanism->report);
    cd_progress_end(&s.progress);
    if (status == CARDAN_OK) return CD_EXIT_DONE;
    if (film->failed) return cd_say_no_memory();
    cd_say_failure(&mechanism->report, status);
    return cd_run_exit(status, &summary);
}

// What is drawn: the motion, the start, or (empty film) the design position, which mechanisms with loops have too.
static int take(cd_mechanism* mechanism, cd_film* film)
{
    const cd_options* options = mechanism->options;
    const bool        moves   = options->strobe > 1;
    cd_case           c;
    if (options->design && !options->state && !moves) return CD_EXIT_DONE;
    const int formulation = cd_formulation_chosen(mechanism);
    if (formulation == CARDAN_NONE) return CD_EXIT_USAGE;
    const cardan_status status = cd_case_open(&c, mechanism, formulation);
    if (status == CARDAN_UNSUPPORTED && !moves && !options->state) {
        cardan_report_clear(&mechanism->report);
        return CD_EXIT_DONE;
    }
    if (status != CARDAN_OK) return cd_say_failure(&mechanism->report, status);
    int code = CD_EXIT_DONE;
    if (moves) {
        code = shoot(mechanism, &c, film);
    } else {
        cd_film_begin(film, mechanism->view.nbody, 1, c.t, c.t);
        cd_film_add(film, &mechanism->view, c.data, c.t);
    }
    if (film->failed) cd_say_no_memory(), code = CD_EXIT_INPUT;
    cd_case_close(&c);
    return code;
}

static int report(const cd_mechanism* mechanism, const cd_film* film, const char* path)
{
    if (!mechanism->options->json) {
        if (mechanism->options->quiet || cd_is_standard_output(path)) return CD_EXIT_DONE;
        cd_print("%s: %s", mechanism->view.name, path);
        if (film->count > 1) cd_print(" (%d instants)", film->count);
        cd_print("\n");
        return CD_EXIT_DONE;
    }
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_string(&json, "name", mechanism->view.name);
    cd_json_integer(&json, "instants", film->count ? film->count : 1);
    cd_json_string(&json, "output", path);
    cd_json_end(&json);
    return cd_print_text(&text);
}

static int run(const cd_options* options)
{
    cd_mechanism mechanism;
    int          code = cd_mechanism_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_mechanism_warn(&mechanism);
    cd_film film = {0};
    char*   path =
        options->output ? cd_copy_string(options->output) : cd_result_path(mechanism.view.name, "-mechanism.svg");
    if (!path)
        code = cd_say_no_memory();
    else if (!cd_is_standard_output(path) && !cd_may_write(path, options->force))
        code = CD_EXIT_INPUT;
    if (code == CD_EXIT_DONE) code = take(&mechanism, &film);
    if (code == CD_EXIT_DONE) code = cd_write_picture(&mechanism, &film, path, options->force);
    if (code == CD_EXIT_DONE) code = report(&mechanism, &film, path);
    free(path);
    cd_film_free(&film);
    cd_mechanism_close(&mechanism);
    return code;
}

const cd_command cd_command_draw = {
    .name     = "draw",
    .operands = "MODEL",
    .least    = 1,
    .most     = 1,
    .summary  = "the mechanism as SVG: one view or three, with names, or a strobe of its motion",
    .text     = "Draws bodies as their shapes (where none are given, as bars between their joints), joints by\n"
                "their symbols, and ground, gravity, axes and scale. The position is the start of the motion;\n"
                "with --strobe several instants of it.",
    .examples = "cardan draw models/double_pendulum                        # results/double-pendulum-mechanism.svg\n"
                "cardan draw models/double_pendulum --strobe 12 -d 1.5     # twelve instants of the first 1.5 s\n"
                "cardan draw arm.yaml --view three -o arm.svg              # front, side, top and isometric\n",
    CD_OPTIONS(CD_OPTION_LOOK, CD_OPTION_NAMES, CD_OPTION_STROBE, CD_OPTION_DESIGN, CD_OPTION_WIDTH, CD_OPTION_HEIGHT,
               CD_OPTION_TITLE, CD_OPTION_DRAW_OUTPUT, CD_OPTION_FORCE, CD_OPTION_STATE, CD_OPTION_START_TIME,
               CD_OPTION_DURATION, CD_OPTION_FORMULATION, CD_OPTION_INTEGRATOR, CD_OPTION_STEP, CD_OPTION_TOLERANCE,
               CD_OPTION_MAX_STEP, CD_OPTION_SET, CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET,
               CD_OPTION_HELP),
    .run = run,
};
