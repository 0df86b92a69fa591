// SPDX-License-Identifier: BSD-3-Clause
// cardan assemble: close the loops from an approximate configuration and make the velocities consistent.
#include "cli/commands/commands.h"
#include "cli/support/output_files.h"
#include "cli/report/text_table.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/support/singular_warnings.h"
#include "cli/report/report_values.h"
#include "cli/report/value_text.h"

#include <math.h>
#include <stdio.h>

// "q fixed, v guess"
static cd_value_text start_mode_text(const cardan_joint_start* start)
{
    static const char* const how[] = {"", "guess", "fixed"};
    const bool    q = start->position_mode != CARDAN_START_FREE, v = start->velocity_mode != CARDAN_START_FREE;
    cd_value_text word;
    snprintf(word.text, sizeof word.text, "%s%s%s%s%s", q ? "q " : "", how[start->position_mode], q && v ? ", " : "",
             v ? "v " : "", how[start->velocity_mode]);
    return word;
}

// Largest change of a coordinate of joint j.
static double coordinate_change(const cd_model_instance* c, int j)
{
    const cardan_index_range range   = c->model_view.joint_range[j];
    double                   largest = 0;
    for (int i = 0; i < range.nq; ++i) largest = fmax(largest, fabs(c->q[range.q + i] - c->start[j].q[i]));
    return largest;
}

static void print_summary(const cd_loaded_model* mechanism, const cd_model_instance* c)
{
    const cardan_assembly_result* assembly = &c->assembly;
    if (c->model_view.nconstraint == 0)
        cd_print("%s has no loops to close\n", mechanism->view.name);
    else
        cd_print("%s at t = %g s: constraint violation %s m or rad, %s m/s or rad/s (%s and %s before assembly)\n",
                 mechanism->view.name, c->t, cd_two_digit_text(assembly->position_violation_after).text,
                 cd_two_digit_text(assembly->velocity_violation_after).text,
                 cd_two_digit_text(assembly->position_violation_before).text,
                 cd_two_digit_text(assembly->velocity_violation_before).text);
    cd_text_table            table   = {.align = "lrrrll"};
    static const char* const head[]  = {"joint", "q", "v", "change", "", "given"};
    const double             q_scale = cd_largest_value(c->model_view.nq_joint, c->q, 1);
    const double             v_scale = cd_largest_value(c->model_view.nv_joint, c->v, 1);
    for (int i = 0; i < 6; ++i) cd_text_table_add(&table, "%s", head[i]);
    for (int j = 0; j < c->model_view.njoint; ++j) {
        const cardan_index_range s = c->model_view.joint_range[j];
        for (int i = 0; s.q >= 0 && i < s.nq; ++i) {
            const bool moves = i < s.nv;
            cd_text_table_add(&table, "%s", i == 0 ? cardan_model_joint_name(c->model, j) : "");
            cd_text_table_add(&table, "%s", cd_rounded_text(c->q[s.q + i], q_scale).text);
            cd_text_table_add(&table, "%s", moves ? cd_rounded_text(c->v[s.v + i], v_scale).text : "");
            cd_text_table_add(&table, "%s", i == 0 ? cd_two_digit_text(coordinate_change(c, j)).text : "");
            const char* unit = cardan_model_q_unit(c->model, j, i);
            if (moves)
                cd_text_table_add(&table, "%s, %s", unit, cardan_model_v_unit(c->model, j, i));
            else
                cd_text_table_add(&table, "%s", unit);
            cd_text_table_add(&table, "%s", i == 0 ? start_mode_text(&c->start[j]).text : "");
        }
    }
    cd_text_table_print(&table);
}

// {"status", "time", "constraint_violation", "warnings", "final"}; readable by --state.
static cd_text state_json(const cd_model_instance* c, const cardan_report* warnings)
{
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_number(&json, "time", c->t);
    cd_json_begin_object(&json, "constraint_violation");
    cd_json_number(&json, "position", c->assembly.position_violation_after);
    cd_json_number(&json, "velocity", c->assembly.velocity_violation_after);
    cd_json_end(&json);
    cd_write_warnings_json(&json, warnings);
    cd_json_begin_object(&json, "final");
    cd_write_joints_json(&json, c, c->q, c->v, NULL, NULL);
    if (!cd_write_bodies_json(&json, c, NULL)) text.failed = true;
    cd_write_states_json(&json, c, c->state);
    cd_json_end(&json);
    cd_json_end(&json);
    return text;
}

static int report(const cd_loaded_model* mechanism, const cd_model_instance* c)
{
    const cd_options* options  = mechanism->options;
    int               code     = CD_EXIT_DONE;
    cardan_report     warnings = {0};
    cd_warn_singular_configuration(c, false, &mechanism->report, &warnings);
    if (options->output) {
        cd_text text = state_json(c, &warnings);
        code         = cd_write_text(options->output, &text, options->force);
    }
    if (options->json) {
        cd_text   text    = state_json(c, &warnings);
        const int printed = cd_print_and_free_text(&text);
        if (code == CD_EXIT_DONE) code = printed;
    } else if (!options->quiet) {
        print_summary(mechanism, c);
    }
    fflush(stdout);
    if (!options->quiet) cd_print_report(&warnings);
    return code;
}

static int run(const cd_options* options)
{
    cd_loaded_model mechanism;
    int             code = cd_loaded_model_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_loaded_model_warn(&mechanism);
    const int formulation = cd_formulation_from_options(&mechanism, cardan_formulation_find("dense"));
    if (formulation == CARDAN_NONE) {
        code = CD_EXIT_USAGE;
    } else {
        cd_model_instance   c;
        const cardan_status status = cd_model_instance_open(&c, &mechanism, formulation);
        code = status == CARDAN_OK ? report(&mechanism, &c) : cd_report_failure(&mechanism.report, status);
        cd_model_instance_close(&c);
    }
    cd_loaded_model_close(&mechanism);
    return code;
}

const cd_command cd_command_assemble = {
    .name          = "assemble",
    .operands      = "MODEL",
    .noperand_min  = 1,
    .noperand_max  = 1,
    .summary       = "close the loops from a rough guess and make the velocities consistent",
    .text          = "Closes the loops of the mechanism from the start values of the model file, or from those\n"
                     "of --state, and prints the state found. Values given with `start` are fixed; values marked\n"
                     "`guess: true` are changed less than joints without start values. The change is minimal and\n"
                     "stays on the branch of the guess. Then the velocities are made consistent. If the loops\n"
                     "cannot be closed, an error names the joints and the constraint violation. `run` and\n"
                     "`accel` assemble automatically.",
    .examples      = "cardan assemble models/four_bar                     # as text\n"
                     "cardan assemble linkage.yaml -o closed.json         # a state for --state\n",
    .writes_states = true,
    CD_OPTIONS(CD_OPTION_FORMULATION, CD_OPTION_STATE, CD_OPTION_TIME, CD_OPTION_SET, CD_OPTION_STATE_OUTPUT,
               CD_OPTION_FORCE, CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
