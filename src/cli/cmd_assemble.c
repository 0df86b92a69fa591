// SPDX-License-Identifier: BSD-3-Clause
// cardan assemble: loops closed from a rough guess, velocities made consistent.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/grid.h"
#include "cli/messages.h"
#include "cli/print.h"
#include "cli/singular.h"
#include "cli/values.h"

#include <math.h>
#include <stdio.h>

// "q exact, v guess"
static cd_word hold_word(const cardan_start* start)
{
    static const char* const how[] = {"", "guess", "exact"};
    const bool               q = start->position != CARDAN_HOLD_LOOSE, v = start->velocity != CARDAN_HOLD_LOOSE;
    cd_word                  word;
    snprintf(word.text, sizeof word.text, "%s%s%s%s%s", q ? "q " : "", how[start->position], q && v ? ", " : "",
             v ? "v " : "", how[start->velocity]);
    return word;
}

// The largest change of a joint's coordinates.
static double moved(const cd_case* c, int j)
{
    const cardan_slot slot = c->look.place[j];
    double            most = 0;
    for (int i = 0; i < slot.nq; ++i) most = fmax(most, fabs(c->q[slot.q + i] - c->start[j].q[i]));
    return most;
}

static void print_words(const cd_mechanism* mechanism, const cd_case* c)
{
    const cardan_assembled* done = &c->assembled;
    if (c->look.nconstraint == 0)
        cd_print("%s has no loops: nothing to close\n", mechanism->view.name);
    else
        cd_print("%s at t = %g s: closed to %s m or rad, %s m/s or rad/s (found open by %s and %s)\n",
                 mechanism->view.name, c->t, cd_small_word(done->position_left).text,
                 cd_small_word(done->velocity_left).text, cd_small_word(done->position).text,
                 cd_small_word(done->velocity).text);
    cd_grid                  grid   = {.align = "lrrrll"};
    static const char* const head[] = {"joint", "q", "v", "moved", "", "given"};
    for (int i = 0; i < 6; ++i) cd_grid_add(&grid, "%s", head[i]);
    for (int j = 0; j < c->look.njoint; ++j) {
        const cardan_slot s = c->look.place[j];
        for (int i = 0; s.q >= 0 && i < s.nq; ++i) {
            const bool moves = i < s.nv;
            cd_grid_add(&grid, "%s", i == 0 ? cardan_model_joint_name(c->model, j) : "");
            cd_grid_add(&grid, "%s", cd_number_word(c->q[s.q + i]).text);
            cd_grid_add(&grid, "%s", moves ? cd_number_word(c->v[s.v + i]).text : "");
            cd_grid_add(&grid, "%s", i == 0 ? cd_small_word(moved(c, j)).text : "");
            const char* unit = cardan_model_q_unit(c->model, j, i);
            if (moves)
                cd_grid_add(&grid, "%s, %s", unit, cardan_model_v_unit(c->model, j, i));
            else
                cd_grid_add(&grid, "%s", unit);
            cd_grid_add(&grid, "%s", i == 0 ? hold_word(&c->start[j]).text : "");
        }
    }
    cd_grid_print(&grid);
}

// {"status", "time", "constraint", "warnings", "final"}: what --state reads.
static cd_text state_text(const cd_case* c, const cardan_report* pose)
{
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_number(&json, "time", c->t);
    cd_json_object(&json, "constraint");
    cd_json_number(&json, "position", c->assembled.position_left);
    cd_json_number(&json, "velocity", c->assembled.velocity_left);
    cd_json_end(&json);
    cd_json_warnings(&json, pose);
    cd_json_object(&json, "final");
    cd_json_joints(&json, c, c->q, c->v, NULL, NULL);
    if (!cd_json_bodies(&json, c, NULL)) text.failed = true;
    cd_json_states(&json, c, c->state);
    cd_json_end(&json);
    cd_json_end(&json);
    return text;
}

static int report(const cd_mechanism* mechanism, const cd_case* c)
{
    const cd_options* options = mechanism->options;
    int               code    = CD_EXIT_DONE;
    cardan_report     pose    = {0};
    cd_singular_warn(c, false, &mechanism->report, &pose);
    if (options->output) {
        cd_text text = state_text(c, &pose);
        code         = cd_write_text(options->output, &text, options->force);
    }
    if (options->json) {
        cd_text   text    = state_text(c, &pose);
        const int printed = cd_print_text(&text);
        if (code == CD_EXIT_DONE) code = printed;
    } else if (!options->quiet) {
        print_words(mechanism, c);
    }
    fflush(stdout);
    if (!options->quiet) cd_say_report(&pose);
    return code;
}

static int run(const cd_options* options)
{
    cd_mechanism mechanism;
    int          code = cd_mechanism_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_mechanism_warn(&mechanism);
    const int formulation = cd_formulation_asked(&mechanism, cardan_formulation_find("dense"));
    if (formulation == CARDAN_NONE) {
        code = CD_EXIT_USAGE;
    } else {
        cd_case             c;
        const cardan_status status = cd_case_open(&c, &mechanism, formulation);
        code = status == CARDAN_OK ? report(&mechanism, &c) : cd_say_failure(&mechanism.report, status);
        cd_case_close(&c);
    }
    cd_mechanism_close(&mechanism);
    return code;
}

const cd_command cd_command_assemble = {
    .name     = "assemble",
    .operands = "MODEL",
    .least    = 1,
    .most     = 1,
    .summary  = "close the loops from a rough guess, with consistent velocities",
    .text =
        "Closes the loops of the mechanism from the start values of the model file, or from those of --state, and "
        "shows the\n"
        "state found. Values given with `start` are exact and kept; those marked `guess: true` are moved less than "
        "joints\n"
        "of which nothing is said; what moves, moves least, and the branch of the guess is kept. Velocities follow.\n"
        "Where the loops cannot be closed the joints and the remaining gap are named. `run` and `accel` do this by "
        "themselves.",
    .examples      = "cardan assemble models/four_bar                     # in words\n"
                     "cardan assemble linkage.yaml -o closed.json         # a state for --state\n",
    .writes_states = true,
    CD_OPTIONS(CD_OPTION_FORMULATION, CD_OPTION_STATE, CD_OPTION_TIME, CD_OPTION_SET, CD_OPTION_STATE_OUTPUT,
               CD_OPTION_FORCE, CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
