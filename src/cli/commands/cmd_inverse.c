// SPDX-License-Identifier: BSD-3-Clause
// cardan inverse: inverse dynamics, the joint efforts that produce a given motion.
#include "cli/commands/commands.h"
#include "cli/report/text_table.h"
#include "cli/support/messages.h"
#include "cli/support/motor_list.h"
#include "cli/support/terminal_print.h"
#include "cli/report/reaction_list.h"
#include "cli/support/singular_warnings.h"
#include "cli/report/report_values.h"
#include "cli/report/value_text.h"
#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>

static void print_summary(const cd_loaded_model* mechanism, const cd_model_instance* c, const double* effort)
{
    cd_text_table            table   = {.align = "lrrrrl"};
    static const char* const head[]  = {"joint", "q", "v", "a", "effort", ""};
    const double             q_scale = cd_largest_value(c->model_view.nq_joint, c->q, 1);
    const double             v_scale = cd_largest_value(c->model_view.nv_joint, c->v, 1);
    const double             a_scale =
        cd_largest_value(c->model_view.nv_joint, c->a, cd_largest_value(3, mechanism->view.gravity, 1));
    const double effort_scale = cd_largest_value(c->model_view.nv_joint, effort, 0);
    cd_print("%s at t = %g s: efforts that produce the given motion\n", mechanism->view.name, c->t);
    for (int i = 0; i < 6; ++i) cd_text_table_add(&table, "%s", head[i]);
    for (int j = 0; j < c->model_view.njoint; ++j) {
        const cardan_index_range s = c->model_view.joint_range[j];
        for (int i = 0; s.q >= 0 && i < s.nq; ++i) {
            const bool moves = i < s.nv;
            cd_text_table_add(&table, "%s", i == 0 ? cardan_model_joint_name(c->model, j) : "");
            cd_text_table_add(&table, "%s", cd_rounded_text(c->q[s.q + i], q_scale).text);
            cd_text_table_add(&table, "%s", moves ? cd_rounded_text(c->v[s.v + i], v_scale).text : "");
            cd_text_table_add(&table, "%s", moves ? cd_rounded_text(c->a[s.v + i], a_scale).text : "");
            cd_text_table_add(&table, "%s", moves ? cd_rounded_text(effort[s.v + i], effort_scale).text : "");
            cd_text_table_add(&table, "%s", moves ? cd_effort_unit(c->model, j, i) : "");
        }
    }
    cd_text_table_print(&table);
}

static int report(const cd_loaded_model* mechanism, const cd_model_instance* c, const double* effort)
{
    if (!mechanism->options->json) {
        if (!mechanism->options->quiet) print_summary(mechanism, c, effort);
        return CD_EXIT_DONE;
    }
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_number(&json, "time", c->t);
    cd_write_joints_json(&json, c, c->q, c->v, c->a, effort);
    cd_json_end(&json);
    return cd_print_and_free_text(&text);
}

// Trees: one effort along every coordinate.
static int inverse_of_tree(cd_loaded_model* mechanism)
{
    cd_model_instance c;
    int               code   = CD_EXIT_DONE;
    cardan_status     status = cd_model_instance_open(&c, mechanism, cardan_formulation_find("implicit"));
    if (status == CARDAN_OK) {
        double* effort = cd_allocate((size_t)c.model_view.nv_joint + 1, sizeof *effort);
        status         = effort ? cardan_data_inverse_dynamics(c.data, c.a, effort) : CARDAN_NO_MEMORY;
        if (status == CARDAN_OK) code = report(mechanism, &c, effort);
        free(effort);
        cd_model_instance_close(&c);
    }
    return status == CARDAN_OK ? code : cd_report_failure(&mechanism->report, status);
}

// ---- motors

static void print_motors(const cd_loaded_model* mechanism, const cd_model_instance* c, const cd_motor_list* list,
                         const double* effort, int nredundant)
{
    cd_text_table            table   = {.align = "lrrrrl"};
    static const char* const head[]  = {"motor", "q", "v", "a", "effort", ""};
    const double             q_scale = cd_largest_value(c->model_view.nq_joint, c->q, 1);
    const double             v_scale = cd_largest_value(c->model_view.nv_joint, c->v, 1);
    const double             a_scale =
        cd_largest_value(c->model_view.nv_joint, c->a, cd_largest_value(3, mechanism->view.gravity, 1));
    const double effort_scale = cd_largest_value(list->nmotor, effort, 0);
    cd_print("%s at t = %g s: efforts of motors that produce the given motion\n", mechanism->view.name, c->t);
    for (int i = 0; i < 6; ++i) cd_text_table_add(&table, "%s", head[i]);
    for (int i = 0; i < list->nmotor; ++i) {
        const cardan_motor       m = list->motor[i];
        const cardan_index_range s = c->model_view.joint_range[m.joint];
        cd_text_table_add(&table, "%s", cardan_model_joint_name(c->model, m.joint));
        cd_text_table_add(&table, "%s", s.nq == s.nv ? cd_rounded_text(c->q[s.q + m.axis], q_scale).text : "");
        cd_text_table_add(&table, "%s", cd_rounded_text(c->v[s.v + m.axis], v_scale).text);
        cd_text_table_add(&table, "%s", cd_rounded_text(c->a[s.v + m.axis], a_scale).text);
        cd_text_table_add(&table, "%s", cd_rounded_text(effort[i], effort_scale).text);
        cd_text_table_add(&table, "%s", cd_effort_unit(c->model, m.joint, m.axis));
    }
    cd_text_table_print(&table);
    if (nredundant > 0)
        cd_print("%s more than the %d required: the efforts of least norm are given\n",
                 cd_plural_text(nredundant, "motor", "motors").text, list->nmotor - nredundant);
}

// Print the efforts of drivers, if drivers alone produce the motion.
static void print_drivers(const cd_loaded_model* mechanism, const cd_model_instance* c)
{
    cd_print("%s at t = %g s: efforts of the drivers; `cardan kinematics` gives them over time\n", mechanism->view.name,
             c->t);
    cd_print_driver_efforts(c);
}

static int report_motors(const cd_loaded_model* mechanism, const cd_model_instance* c, const cd_motor_list* list,
                         const double* effort, int nredundant, const cardan_report* warnings)
{
    if (!mechanism->options->json) {
        if (!mechanism->options->quiet && list->nmotor > 0)
            print_motors(mechanism, c, list, effort, nredundant);
        else if (!mechanism->options->quiet)
            print_drivers(mechanism, c);
        return CD_EXIT_DONE;
    }
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_number(&json, "time", c->t);
    cd_write_joints_json(&json, c, c->q, c->v, c->a, NULL);
    cd_json_begin_object(&json, "motors");
    for (int i = 0; i < list->nmotor;) { // coordinates of one joint are consecutive
        int count = 1;
        while (i + count < list->nmotor && list->motor[i + count].joint == list->motor[i].joint) ++count;
        cd_json_numbers(&json, cardan_model_joint_name(c->model, list->motor[i].joint), count, effort + i);
        i += count;
    }
    cd_json_end(&json);
    cd_json_integer(&json, "redundant_motors", nredundant);
    if (!cd_write_reactions_json(&json, c, c->a) || !cd_write_drivers_json(&json, c)) text.failed = true;
    cd_write_warnings_json(&json, warnings);
    cd_json_end(&json);
    return cd_print_and_free_text(&text);
}

// Compute the efforts; c->a then has the accelerations under these efforts.
static cardan_status find_efforts(cd_loaded_model* mechanism, cd_model_instance* c, const cd_motor_list* list,
                                  double* effort, int* nredundant)
{
    cardan_motors* motors   = NULL;
    double         residual = 0;
    cardan_status  status   = cardan_motors_create(c->data, list->nmotor, list->motor, &motors, &mechanism->report);
    if (status == CARDAN_OK)
        status = cardan_motors_efforts(motors, c->a, effort, nredundant, &residual, &mechanism->report);
    if (status == CARDAN_OK && residual > 0) status = cd_fail_too_few_motors(c, c->t, residual, &mechanism->report);
    if (status == CARDAN_OK) cardan_motors_apply(motors, effort);
    if (status == CARDAN_OK) status = cardan_data_accelerate(c->data, c->a, NULL, &mechanism->report);
    if (status == CARDAN_OK) cardan_data_joint_motions(c->data, c->a, c->q, c->v, c->a);
    cardan_motors_destroy(motors);
    return status;
}

static int inverse_with_motors(cd_loaded_model* mechanism, int formulation)
{
    cd_model_instance c;
    cd_motor_list     list     = {0};
    cardan_report     warnings = {0};
    cardan_status     status   = cd_model_instance_open(&c, mechanism, formulation);
    if (status != CARDAN_OK) return cd_report_failure(&mechanism->report, status);
    cd_warn_singular_configuration(&c, true, &mechanism->report, &warnings);
    int code = cd_motor_list_select(mechanism, &c, &list);
    if (code == CD_EXIT_DONE && list.nmotor == 0 && cardan_data_driver_count(c.data) == 0) {
        cd_report_error(CARDAN_CODE_USAGE,
                        "'%s' has loops or constraints: name the joints with motors by --motors JOINT,JOINT",
                        mechanism->view.name);
        code = CD_EXIT_USAGE;
    }
    if (code == CD_EXIT_DONE) {
        int     nredundant     = 0;
        double* effort         = cd_allocate((size_t)list.nmotor + 1, sizeof *effort);
        status                 = effort ? find_efforts(mechanism, &c, &list, effort, &nredundant) : CARDAN_NO_MEMORY;
        cardan_report messages = warnings;
        if (!mechanism->options->quiet) cd_print_report(&messages);
        code = status == CARDAN_OK ? report_motors(mechanism, &c, &list, effort, nredundant, &warnings)
                                   : cd_report_failure(&mechanism->report, status);
        free(effort);
    }
    cd_motor_list_free(&list);
    cd_model_instance_close(&c);
    return code;
}

static int run(const cd_options* options)
{
    if (!options->motion && (options->columns || options->output))
        return cd_report_error(CARDAN_CODE_USAGE, "--%s requires --motion: results for a single state are only printed",
                               options->columns ? "columns" : "output"),
               CD_EXIT_USAGE;
    cd_loaded_model mechanism;
    int             code = cd_loaded_model_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_loaded_model_warn(&mechanism);
    cardan_model*     model = NULL;
    cardan_model_view view  = {0};
    if (cardan_model_compile(mechanism.description, CARDAN_TREE_BREADTH_FIRST, &model, NULL) == CARDAN_OK)
        view = cardan_model_get_view(model);
    const bool loops       = view.nconstraint > 0;
    const int  formulation = cd_formulation_from_options(&mechanism, cd_formulation_for_loops(&mechanism, &view));
    cardan_model_destroy(model);
    if (formulation == CARDAN_NONE)
        code = CD_EXIT_USAGE;
    else if (options->motion)
        code = cd_inverse_motion(&mechanism, formulation);
    else
        code = loops || options->motors ? inverse_with_motors(&mechanism, formulation) : inverse_of_tree(&mechanism);
    cd_loaded_model_close(&mechanism);
    return code;
}

const cd_command cd_command_inverse = {
    .name         = "inverse",
    .operands     = "MODEL",
    .noperand_min = 1,
    .noperand_max = 1,
    .summary      = "joint efforts that produce a given motion (inverse dynamics)",
    .text         = "Computes, at one state, the effort along every joint coordinate [N m, N] that produces the\n"
                    "accelerations given in --state, in addition to the forces of the model (gravity, springs,\n"
                    "actuators). Without accelerations: the efforts of static equilibrium. They are zero if the\n"
                    "forces of the model produce the motion. With loops, the efforts are those of motors at the\n"
                    "joints named by --motors, else at the joints with actuators; they replace the actuators.\n"
                    "With more motors than degrees of freedom the efforts have least norm; with too few motors\n"
                    "the command fails. With --motion: the same over a recorded motion, as\n"
                    "results/NAME-inverse.csv with columns JOINT.motor, and curves. As many recorded\n"
                    "coordinates as the mechanism has degrees of freedom are prescribed, those with motors\n"
                    "first; the others follow from the loops. If drivers prescribe the motion, `cardan\n"
                    "kinematics` computes their efforts.",
    .examples =
        "cardan inverse arm.yaml                       # static efforts at the start\n"
        "cardan inverse arm.yaml --state motion.json   # q, v and a of the joints\n"
        "cardan accel arm.yaml --json | cardan inverse arm.yaml --state -   # zero, up to round-off\n"
        "cardan inverse linkage.yaml --motors A,D --motion results/linkage.csv   # torques of a recorded motion\n",
    .needs_output_file = true,
    CD_OPTIONS(CD_OPTION_MOTION_STATE, CD_OPTION_TIME, CD_OPTION_MOTION, CD_OPTION_MOTORS, CD_OPTION_OUTPUT_INTERVAL,
               CD_OPTION_FORMULATION, CD_OPTION_COLUMNS, CD_OPTION_INVERSE_OUTPUT, CD_OPTION_FORCE, CD_OPTION_SET,
               CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
