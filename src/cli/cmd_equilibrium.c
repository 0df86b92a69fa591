// SPDX-License-Identifier: BSD-3-Clause
// cardan equilibrium: where the mechanism rests, and what it takes to make it rest in its design position.
#include "cli/analysis.h"
#include "cli/balance.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/grid.h"
#include "cli/messages.h"
#include "cli/print.h"
#include "cli/values.h"
#include "core/memory.h"

#include <cardan/analyse.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const cd_command cd_command_equilibrium;

static const char* const stability_word[] = {"stable", "neutral", "unstable"};

// What the equilibrium leaves in the case: positions, and accelerations that are none.
static cardan_status settle(cd_case* c, const cd_options* options, cardan_rest* rest, cardan_report* report)
{
    const cardan_rest_wish wish   = {.nearest   = options->nearest,
                                     .tolerance = isnan(options->tolerance) ? 0 : options->tolerance};
    const cardan_status    status = cardan_rest_find(c->data, &wish, NULL, c->state, rest, report);
    if (status != CARDAN_OK) return status;
    memset(c->a, 0, (size_t)c->look.nv_all * sizeof *c->a);
    cardan_joint_values(c->data, NULL, c->q, c->v, NULL);
    return status;
}

static void print_joints(const cd_case* c, const cardan_rest* rest)
{
    cardan_reaction* reaction = cd_allocate((size_t)c->look.njoint + 1, sizeof *reaction);
    if (!reaction) cd_say_no_memory();
    const bool       known =
        reaction && isfinite(rest->acceleration) && cardan_reactions(c->data, c->a, reaction) == CARDAN_OK;
    cd_grid grid  = {.align = "lrlll"};
    double  force = 0, torque = 0;
    for (int j = 0; known && j < c->look.njoint; ++j)
        for (int k = 0; k < 3; ++k)
            force = fmax(force, fabs(reaction[j].force[k])), torque = fmax(torque, fabs(reaction[j].torque[k]));
    static const char* const head[] = {"joint", "q", "", "force on its second body [N]", "torque [N m]"};
    for (int i = 0; i < 5; ++i) cd_grid_add(&grid, "%s", head[i]);
    for (int j = 0; j < c->look.njoint; ++j) {
        const cardan_slot s    = c->look.place[j];
        const int         rows = s.q >= 0 && s.nq > 0 ? s.nq : 1;
        for (int i = 0; i < rows; ++i) {
            const bool has = s.q >= 0 && s.nq > 0;
            cd_grid_add(&grid, "%s", i == 0 ? cardan_model_joint_name(c->model, j) : "");
            cd_grid_add(&grid, "%s", has ? cd_number_word(fabs(c->q[s.q + i]) < 1e-9 ? 0 : c->q[s.q + i]).text : "");
            cd_grid_add(&grid, "%s", has ? cardan_model_q_unit(c->model, j, i) : "");
            cd_grid_add(&grid, "%s", i == 0 && known ? cd_vector_word(3, reaction[j].force, 1e4 * force).text : "");
            cd_grid_add(&grid, "%s",
                        i == 0 && known ? cd_vector_word(3, reaction[j].torque, 1e4 * fmax(torque, force)).text : "");
        }
    }
    cd_grid_print(&grid);
    free(reaction);
}

static void print_words(const cd_mechanism* mechanism, const cd_case* c, const cardan_rest* rest)
{
    if (rest->dof == 0)
        cd_print("%s at t = %g s: nothing is free to move\n", mechanism->view.name, c->t);
    else
        cd_print("%s at t = %g s: %s equilibrium\n", mechanism->view.name, c->t,
                 rest->singular ? "singular" : stability_word[rest->stability]);
    cd_print("  %s, %s; forces left: %s of those at work\n", cd_plural(rest->dof, "motion", "motions").text,
             cd_plural(rest->iterations, "iteration", "iterations").text, cd_small_word(rest->residual).text);
    if (rest->unstable > 0) cd_print("  leads away: %s\n", rest->unstable_words);
    if (rest->neutral > 0) cd_print("  neutral: %s\n", rest->neutral_words);
    if (isnan(rest->acceleration))
        cd_print("  no reactions: some motion has no inertia, so that the equations of motion have no solution here\n");
    print_joints(c, rest);
}

// What --state reads, and what was found beside it.
static cd_text state_text(const cd_case* c, const cardan_rest* rest)
{
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_number(&json, "time", c->t);
    cd_json_string(&json, "stability", rest->singular ? "singular" : stability_word[rest->stability]);
    cd_json_integer(&json, "motions", rest->dof);
    cd_json_integer(&json, "neutral", rest->neutral);
    cd_json_integer(&json, "unstable", rest->unstable);
    cd_json_string(&json, "neutral_motions", rest->neutral_words);
    cd_json_string(&json, "unstable_motions", rest->unstable_words);
    cd_json_number(&json, "residual", rest->residual);
    cd_json_number(&json, "acceleration", rest->acceleration);
    cd_json_integer(&json, "iterations", rest->iterations);
    cd_json_object(&json, "final");
    cd_json_joints(&json, c, c->q, c->v, NULL, NULL);
    if (!cd_json_bodies(&json, c, NULL)) text.failed = true;
    cd_json_states(&json, c, c->state);
    cd_json_end(&json);
    if (isfinite(rest->acceleration) && (!cd_json_reactions(&json, c, c->a) || !cd_json_drivers(&json, c)))
        text.failed = true;
    cd_json_end(&json);
    return text;
}

static int report(cd_mechanism* mechanism, const cd_case* c, const cardan_rest* rest)
{
    cd_mechanism_warn(mechanism);
    const cd_options* options = mechanism->options;
    int               code    = CD_EXIT_DONE;
    if (options->output) {
        cd_text text = state_text(c, rest);
        code         = cd_write_text(options->output, &text, options->force);
    }
    if (options->json) {
        cd_text   text    = state_text(c, rest);
        const int printed = cd_print_text(&text);
        if (code == CD_EXIT_DONE) code = printed;
    } else if (!options->quiet) {
        print_words(mechanism, c, rest);
    }
    return code;
}

static int find(cd_mechanism* mechanism, int formulation)
{
    cd_case       c;
    cardan_rest   rest;
    cardan_status status = cd_case_open(&c, mechanism, formulation);
    if (status == CARDAN_OK) status = settle(&c, mechanism->options, &rest, &mechanism->report);
    const int code = status == CARDAN_OK ? report(mechanism, &c, &rest) : cd_say_failure(&mechanism->report, status);
    cd_case_close(&c);
    return code;
}

static int run(const cd_options* options)
{
    cd_mechanism mechanism;
    if (options->model_output && !options->solve)
        return cd_say_usage(&cd_command_equilibrium, "--write belongs to --solve; --output writes the state");
    int code = cd_mechanism_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_mechanism_warn(&mechanism);
    const int formulation = cd_formulation_asked(&mechanism, cd_analysis_formulation(&mechanism));
    if (formulation == CARDAN_NONE)
        code = CD_EXIT_USAGE;
    else
        code = options->solve ? cd_balance(&mechanism, formulation) : find(&mechanism, formulation);
    cd_mechanism_close(&mechanism);
    return code;
}

const cd_command cd_command_equilibrium = {
    .name     = "equilibrium",
    .operands = "MODEL",
    .least    = 1,
    .most     = 1,
    .summary  = "static equilibrium, stable or not; or values for which the start is one",
    .text     = "Looks for the position where nothing accelerates: from the start of the model file, or of --state, "
                "downhill to where\n"
                "the mechanism would come to rest, drivers held at --time. Says whether it is stable, which motions lead "
                "away or\n"
                "meet no force at all, and what the joints bear. Where there is none it names what nothing carries. "
                "Friction holds nothing here.\n"
                "With --solve the position stays and values are found for which it is the equilibrium, such as free "
                "lengths of\n"
                "springs; what balances best, where there are fewer values than motions.",
    .examples = "cardan equilibrium models/hmmwv                     # how far it sinks into its springs\n"
                "cardan equilibrium car.yaml -o rest.json            # a state for --state of run, modes, draw\n"
                "cardan equilibrium car.yaml --solve 'F?.coil.length,R?.coil.length' --write car-rest.yaml\n",
    .writes_states = true,
    CD_OPTIONS(CD_OPTION_NEAREST, CD_OPTION_SOLVE, CD_OPTION_MODEL_OUTPUT, CD_OPTION_FORMULATION, CD_OPTION_STATE,
               CD_OPTION_TIME, CD_OPTION_SET, CD_OPTION_STATE_OUTPUT, CD_OPTION_FORCE, CD_OPTION_STRICT,
               CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
