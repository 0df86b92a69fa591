// SPDX-License-Identifier: BSD-3-Clause
// cardan equilibrium: equilibrium configuration, or values for which the start is an equilibrium (trim).
#include "cli/support/operating_point.h"
#include "cli/cli_tolerances.h"
#include "cli/commands/cmd_equilibrium_trim.h"
#include "cli/commands/commands.h"
#include "cli/contact/contact_pairs.h"
#include "cli/support/output_files.h"
#include "cli/report/text_table.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/report/report_values.h"
#include "cli/report/value_text.h"
#include "core/memory.h"

#include <cardan/analyse.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const cd_command cd_command_equilibrium;

static const char* const stability_name[] = {"stable", "neutral", "unstable"};

static const char* stability_text(const cardan_equilibrium* equilibrium)
{
    return equilibrium->is_held_by_contacts ? "held by contacts"
           : equilibrium->is_singular       ? "singular"
                                            : stability_name[equilibrium->stability];
}

// Compute the equilibrium; the instance then has its configuration, with zero velocities and accelerations.
static cardan_status move_to_equilibrium(cd_model_instance* c, const cd_options* options,
                                         cardan_equilibrium* equilibrium, cardan_report* report)
{
    const cardan_equilibrium_options equilibrium_options = {
        .nearest = options->nearest, .force_tolerance = isnan(options->tolerance) ? 0 : options->tolerance};
    const cardan_status status =
        cardan_equilibrium_solve(c->data, &equilibrium_options, NULL, c->state, equilibrium, report);
    if (status != CARDAN_OK) return status;
    memset(c->a, 0, (size_t)c->model_view.nv_joint * sizeof *c->a);
    cardan_data_joint_motions(c->data, NULL, c->q, c->v, NULL);
    return status;
}

static void print_joints(const cd_model_instance* c, const cardan_equilibrium* equilibrium)
{
    cardan_reaction* reaction = cd_allocate((size_t)c->model_view.njoint + 1, sizeof *reaction);
    if (!reaction) cd_report_no_memory();
    const bool known = reaction && isfinite(equilibrium->max_acceleration) &&
                       cardan_data_reactions(c->data, c->a, reaction) == CARDAN_OK;
    cd_text_table table = {.align = "lrlll"};
    double        force = 0, torque = 0;
    for (int j = 0; known && j < c->model_view.njoint; ++j)
        for (int k = 0; k < 3; ++k)
            force = fmax(force, fabs(reaction[j].force[k])), torque = fmax(torque, fabs(reaction[j].torque[k]));
    static const char* const head[] = {"joint", "q", "", "force on its second body [N]", "torque [N m]"};
    for (int i = 0; i < 5; ++i) cd_text_table_add(&table, "%s", head[i]);
    for (int j = 0; j < c->model_view.njoint; ++j) {
        const cardan_index_range s     = c->model_view.joint_range[j];
        const int                nline = s.q >= 0 && s.nq > 0 ? s.nq : 1;
        for (int i = 0; i < nline; ++i) {
            const bool has = s.q >= 0 && s.nq > 0;
            cd_text_table_add(&table, "%s", i == 0 ? cardan_model_joint_name(c->model, j) : "");
            cd_text_table_add(
                &table, "%s",
                has ? cd_five_digit_text(fabs(c->q[s.q + i]) < cd_printed_coordinate_min ? 0 : c->q[s.q + i]).text
                    : "");
            cd_text_table_add(&table, "%s", has ? cardan_model_q_unit(c->model, j, i) : "");
            cd_text_table_add(&table, "%s",
                              i == 0 && known ? cd_vector_text(3, reaction[j].force, 1e4 * force).text : "");
            cd_text_table_add(&table, "%s",
                              i == 0 && known ? cd_vector_text(3, reaction[j].torque, 1e4 * fmax(torque, force)).text
                                              : "");
        }
    }
    cd_text_table_print(&table);
    free(reaction);
}

static void print_contacts(const cd_loaded_model* mechanism, const cd_model_instance* c)
{
    cd_contact_pairs pairs;
    if (cd_contact_pairs_collect(c->data, &pairs))
        cd_contact_pairs_print(&pairs, &mechanism->view);
    else
        cd_report_no_memory();
    cd_contact_pairs_free(&pairs);
}

static void print_summary(const cd_loaded_model* mechanism, const cd_model_instance* c,
                          const cardan_equilibrium* equilibrium)
{
    if (equilibrium->is_held_by_contacts)
        cd_print("%s at t = %g s: equilibrium, held by contacts; its stability is not determined\n",
                 mechanism->view.name, c->t);
    else if (equilibrium->dof == 0)
        cd_print("%s at t = %g s: completely constrained\n", mechanism->view.name, c->t);
    else
        cd_print("%s at t = %g s: %s equilibrium\n", mechanism->view.name, c->t, stability_text(equilibrium));
    cd_print("  %s, %s; relative residual of forces %s\n",
             cd_plural_text(equilibrium->dof, "degree of freedom", "degrees of freedom").text,
             cd_plural_text(equilibrium->iterations, "iteration", "iterations").text,
             cd_two_digit_text(equilibrium->residual).text);
    if (equilibrium->nunstable > 0) cd_print("  unstable: %s\n", equilibrium->unstable_description);
    if (equilibrium->nneutral > 0) cd_print("  neutral: %s\n", equilibrium->neutral_description);
    if (isnan(equilibrium->max_acceleration))
        cd_print("  no reactions: a motion has no inertia, so the equations of motion have no solution here\n");
    if (equilibrium->is_held_by_contacts) print_contacts(mechanism, c);
    print_joints(c, equilibrium);
}

// State for --state, and properties of the equilibrium.
static cd_text state_json(const cd_loaded_model* mechanism, const cd_model_instance* c,
                          const cardan_equilibrium* equilibrium)
{
    cd_text          text  = {0};
    cd_json_writer   json  = cd_json_writer_to(&text);
    cd_contact_pairs pairs = {0};
    if (equilibrium->is_held_by_contacts && !cd_contact_pairs_collect(c->data, &pairs)) text.failed = true;
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_number(&json, "time", c->t);
    cd_json_string(&json, "stability", stability_text(equilibrium));
    cd_json_integer(&json, "dof", equilibrium->dof);
    cd_json_integer(&json, "neutral", equilibrium->nneutral);
    cd_json_integer(&json, "unstable", equilibrium->nunstable);
    cd_json_string(&json, "neutral_motions", equilibrium->neutral_description);
    cd_json_string(&json, "unstable_motions", equilibrium->unstable_description);
    cd_json_number(&json, "residual", equilibrium->residual);
    cd_json_number(&json, "acceleration", equilibrium->max_acceleration);
    cd_json_integer(&json, "iterations", equilibrium->iterations);
    cd_contact_pairs_write_json(&json, &pairs, &mechanism->view);
    cd_contact_pairs_free(&pairs);
    cd_json_begin_object(&json, "final");
    cd_write_joints_json(&json, c, c->q, c->v, NULL, NULL);
    if (!cd_write_bodies_json(&json, c, NULL)) text.failed = true;
    cd_write_states_json(&json, c, c->state);
    cd_json_end(&json);
    if (isfinite(equilibrium->max_acceleration) &&
        (!cd_write_reactions_json(&json, c, c->a) || !cd_write_drivers_json(&json, c)))
        text.failed = true;
    cd_json_end(&json);
    return text;
}

static int report(cd_loaded_model* mechanism, const cd_model_instance* c, const cardan_equilibrium* equilibrium)
{
    cd_loaded_model_warn(mechanism);
    const cd_options* options = mechanism->options;
    int               code    = CD_EXIT_DONE;
    if (options->output) {
        cd_text text = state_json(mechanism, c, equilibrium);
        code         = cd_write_text(options->output, &text, options->force);
    }
    if (options->json) {
        cd_text   text    = state_json(mechanism, c, equilibrium);
        const int printed = cd_print_and_free_text(&text);
        if (code == CD_EXIT_DONE) code = printed;
    } else if (!options->quiet) {
        print_summary(mechanism, c, equilibrium);
    }
    return code;
}

static int find_equilibrium(cd_loaded_model* mechanism, int formulation)
{
    cd_model_instance  c;
    cardan_equilibrium equilibrium;
    cardan_status      status = cd_model_instance_open(&c, mechanism, formulation);
    if (status == CARDAN_OK) status = move_to_equilibrium(&c, mechanism->options, &equilibrium, &mechanism->report);
    const int code =
        status == CARDAN_OK ? report(mechanism, &c, &equilibrium) : cd_report_failure(&mechanism->report, status);
    cd_model_instance_close(&c);
    return code;
}

static int run(const cd_options* options)
{
    cd_loaded_model mechanism;
    if (options->model_output && !options->solve)
        return cd_report_usage_error(&cd_command_equilibrium, "--write requires --solve; --output writes the state");
    int code = cd_loaded_model_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_loaded_model_warn(&mechanism);
    const int formulation = cd_formulation_from_options(&mechanism, cd_default_analysis_formulation(&mechanism));
    if (formulation == CARDAN_NONE)
        code = CD_EXIT_USAGE;
    else
        code =
            options->solve ? cd_equilibrium_trim(&mechanism, formulation) : find_equilibrium(&mechanism, formulation);
    cd_loaded_model_close(&mechanism);
    return code;
}

const cd_command cd_command_equilibrium = {
    .name          = "equilibrium",
    .operands      = "MODEL",
    .noperand_min  = 1,
    .noperand_max  = 1,
    .part          = "SUNDIALS",
    .summary       = "static equilibrium and its stability; or values for which the start is an equilibrium",
    .text          = "Finds a configuration without accelerations: by descent from the start of the model file,\n"
                     "or of --state, with drivers at their values at --time. Prints whether it is stable, which\n"
                     "motions are unstable or neutral, and the reactions of the joints. If there is no\n"
                     "equilibrium, an error names the motion that no force balances. Friction of joints is\n"
                     "ignored. Where shapes with rigid contacts touch, the start alone is examined, with their\n"
                     "friction, and the forces of the contacts are printed. With\n"
                     "--solve the configuration is kept and values are found for which it is the equilibrium,\n"
                     "such as free lengths of springs; with fewer values than degrees of freedom, by least\n"
                     "squares.",
    .examples      = "cardan equilibrium models/hmmwv                     # deflection of its springs\n"
                     "cardan equilibrium car.yaml -o equilibrium.json     # a state for --state of run, modes, draw\n"
                     "cardan equilibrium car.yaml --solve 'F?.coil.length,R?.coil.length' --write trimmed.yaml\n",
    .writes_states = true,
    CD_OPTIONS(CD_OPTION_NEAREST, CD_OPTION_SOLVE, CD_OPTION_MODEL_OUTPUT, CD_OPTION_FORMULATION, CD_OPTION_STATE,
               CD_OPTION_TIME, CD_OPTION_SET, CD_OPTION_STATE_OUTPUT, CD_OPTION_FORCE, CD_OPTION_STRICT,
               CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
