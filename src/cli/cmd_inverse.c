// SPDX-License-Identifier: BSD-3-Clause
// cardan inverse: the joint efforts that produce a given motion.
#include "cli/commands.h"
#include "cli/grid.h"
#include "cli/messages.h"
#include "cli/motors.h"
#include "cli/print.h"
#include "cli/reactions.h"
#include "cli/singular.h"
#include "cli/values.h"
#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_words(const cd_mechanism* mechanism, const cd_case* c, const double* effort)
{
    cd_grid                  grid   = {.align = "lrrrrl"};
    static const char* const head[] = {"joint", "q", "v", "a", "effort", ""};
    cd_print("%s at t = %g s: efforts that produce the motion given\n", mechanism->view.name, c->t);
    for (int i = 0; i < 6; ++i) cd_grid_add(&grid, "%s", head[i]);
    for (int j = 0; j < c->look.njoint; ++j) {
        const cardan_slot s = c->look.place[j];
        for (int i = 0; s.q >= 0 && i < s.nq; ++i) {
            const bool  moves = i < s.nv;
            const char* unit  = moves ? cardan_model_v_unit(c->model, j, i) : "";
            cd_grid_add(&grid, "%s", i == 0 ? cardan_model_joint_name(c->model, j) : "");
            cd_grid_add(&grid, "%s", cd_number_word(c->q[s.q + i]).text);
            cd_grid_add(&grid, "%s", moves ? cd_number_word(c->v[s.v + i]).text : "");
            cd_grid_add(&grid, "%s", moves ? cd_number_word(c->a[s.v + i]).text : "");
            cd_grid_add(&grid, "%s", moves ? cd_number_word(effort[s.v + i]).text : "");
            cd_grid_add(&grid, "%s", moves ? (strcmp(unit, "rad/s") == 0 ? "N m" : "N") : "");
        }
    }
    cd_grid_print(&grid);
}

static int report(const cd_mechanism* mechanism, const cd_case* c, const double* effort)
{
    if (!mechanism->options->json) {
        if (!mechanism->options->quiet) print_words(mechanism, c, effort);
        return CD_EXIT_DONE;
    }
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_number(&json, "time", c->t);
    cd_json_joints(&json, c, c->q, c->v, c->a, effort);
    cd_json_end(&json);
    return cd_print_text(&text);
}

// Without loops: an effort along every coordinate.
static int of_tree(cd_mechanism* mechanism)
{
    cd_case       c;
    int           code   = CD_EXIT_DONE;
    cardan_status status = cd_case_open(&c, mechanism, cardan_formulation_find("implicit"));
    if (status == CARDAN_OK) {
        double* effort = cd_allocate((size_t)c.look.nv_all + 1, sizeof *effort);
        status         = effort ? cardan_inverse(c.data, c.a, effort) : CARDAN_NO_MEMORY;
        if (status == CARDAN_OK) code = report(mechanism, &c, effort);
        free(effort);
        cd_case_close(&c);
    }
    return status == CARDAN_OK ? code : cd_say_failure(&mechanism->report, status);
}

// ---- motors

static void print_motors(const cd_mechanism* mechanism, const cd_case* c, const cd_motor_list* list,
                         const double* effort, int loose)
{
    cd_grid                  grid   = {.align = "lrrrrl"};
    static const char* const head[] = {"motor", "q", "v", "a", "effort", ""};
    cd_print("%s at t = %g s: efforts of motors that produce the motion given\n", mechanism->view.name, c->t);
    for (int i = 0; i < 6; ++i) cd_grid_add(&grid, "%s", head[i]);
    for (int i = 0; i < list->n; ++i) {
        const cardan_motor m = list->motor[i];
        const cardan_slot  s = c->look.place[m.joint];
        cd_grid_add(&grid, "%s", cardan_model_joint_name(c->model, m.joint));
        cd_grid_add(&grid, "%s", s.nq == s.nv ? cd_number_word(c->q[s.q + m.axis]).text : "");
        cd_grid_add(&grid, "%s", cd_number_word(c->v[s.v + m.axis]).text);
        cd_grid_add(&grid, "%s", cd_number_word(c->a[s.v + m.axis]).text);
        cd_grid_add(&grid, "%s", cd_number_word(effort[i]).text);
        cd_grid_add(&grid, "%s", strcmp(cardan_model_v_unit(c->model, m.joint, m.axis), "rad/s") == 0 ? "N m" : "N");
    }
    cd_grid_print(&grid);
    if (loose > 0)
        cd_print("%s more than the %d needed: of all efforts that do it these are of least norm\n",
                 cd_plural(loose, "motor", "motors").text, list->n - loose);
}

// What drivers exert where they alone produce the motion.
static void print_drivers(const cd_mechanism* mechanism, const cd_case* c)
{
    cd_print("%s at t = %g s: efforts of the drivers; over time `cardan kinematics` tells them\n", mechanism->view.name,
             c->t);
    cd_print_drivers(c);
}

static int report_motors(const cd_mechanism* mechanism, const cd_case* c, const cd_motor_list* list,
                         const double* effort, int loose, const cardan_report* pose)
{
    if (!mechanism->options->json) {
        if (!mechanism->options->quiet && list->n > 0)
            print_motors(mechanism, c, list, effort, loose);
        else if (!mechanism->options->quiet)
            print_drivers(mechanism, c);
        return CD_EXIT_DONE;
    }
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_number(&json, "time", c->t);
    cd_json_joints(&json, c, c->q, c->v, c->a, NULL);
    cd_json_object(&json, "motors");
    for (int i = 0; i < list->n;) { // coordinates of one joint stand together
        int count = 1;
        while (i + count < list->n && list->motor[i + count].joint == list->motor[i].joint) ++count;
        cd_json_numbers(&json, cardan_model_joint_name(c->model, list->motor[i].joint), count, effort + i);
        i += count;
    }
    cd_json_end(&json);
    cd_json_integer(&json, "motors_beyond_need", loose);
    if (!cd_json_reactions(&json, c, c->a) || !cd_json_drivers(&json, c)) text.failed = true;
    cd_json_warnings(&json, pose);
    cd_json_end(&json);
    return cd_print_text(&text);
}

// Efforts into `effort`; the case then holds the accelerations under them.
static cardan_status find_efforts(cd_mechanism* mechanism, cd_case* c, const cd_motor_list* list, double* effort,
                                  int* loose)
{
    cardan_motors* motors = NULL;
    double         left   = 0;
    cardan_status  status = cardan_motors_create(c->data, list->n, list->motor, &motors, &mechanism->report);
    if (status == CARDAN_OK) status = cardan_motor_efforts(motors, c->a, effort, loose, &left, &mechanism->report);
    if (status == CARDAN_OK && left > 0) status = cd_motors_too_few(c, c->t, left, &mechanism->report);
    if (status == CARDAN_OK) cardan_motors_load(motors, effort);
    if (status == CARDAN_OK) status = cardan_accelerate(c->data, c->a, NULL, &mechanism->report);
    if (status == CARDAN_OK) cardan_joint_values(c->data, c->a, c->q, c->v, c->a);
    cardan_motors_destroy(motors);
    return status;
}

static int of_motors(cd_mechanism* mechanism, int formulation)
{
    cd_case       c;
    cd_motor_list list   = {0};
    cardan_report pose   = {0};
    cardan_status status = cd_case_open(&c, mechanism, formulation);
    if (status != CARDAN_OK) return cd_say_failure(&mechanism->report, status);
    cd_singular_warn(&c, true, &mechanism->report, &pose);
    int code = cd_motors_chosen(mechanism, &c, &list);
    if (code == CD_EXIT_DONE && list.n == 0 && cardan_driver_count(c.data) == 0) {
        cd_say_error(CARDAN_CODE_USAGE,
                     "'%s' has loops or constraints: say which joints have motors, with --motors JOINT,JOINT",
                     mechanism->view.name);
        code = CD_EXIT_USAGE;
    }
    if (code == CD_EXIT_DONE) {
        int     loose      = 0;
        double* effort     = cd_allocate((size_t)list.n + 1, sizeof *effort);
        status             = effort ? find_efforts(mechanism, &c, &list, effort, &loose) : CARDAN_NO_MEMORY;
        cardan_report said = pose;
        if (!mechanism->options->quiet) cd_say_report(&said);
        code = status == CARDAN_OK ? report_motors(mechanism, &c, &list, effort, loose, &pose)
                                   : cd_say_failure(&mechanism->report, status);
        free(effort);
    }
    cd_motors_free(&list);
    cd_case_close(&c);
    return code;
}

static int run(const cd_options* options)
{
    if (!options->motion && (options->columns || options->output))
        return cd_say_error(CARDAN_CODE_USAGE, "--%s is for motions, with --motion: a single state is only printed",
                            options->columns ? "columns" : "output"),
               CD_EXIT_USAGE;
    cd_mechanism mechanism;
    int          code = cd_mechanism_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_mechanism_warn(&mechanism);
    cardan_model*     model = NULL;
    cardan_model_view look  = {0};
    if (cardan_model_compile(mechanism.description, CARDAN_TREE_SHALLOW, &model, NULL) == CARDAN_OK)
        look = cardan_model_look(model);
    const bool loops       = look.nconstraint > 0;
    const int  formulation = cd_formulation_asked(&mechanism, cd_formulation_for_loops(&mechanism, &look));
    cardan_model_destroy(model);
    if (formulation == CARDAN_NONE)
        code = CD_EXIT_USAGE;
    else if (options->motion)
        code = cd_inverse_motion(&mechanism, formulation);
    else
        code = loops || options->motors ? of_motors(&mechanism, formulation) : of_tree(&mechanism);
    cd_mechanism_close(&mechanism);
    return code;
}

const cd_command cd_command_inverse = {
    .name     = "inverse",
    .operands = "MODEL",
    .least    = 1,
    .most     = 1,
    .summary  = "joint efforts that produce a given motion (inverse dynamics)",
    .text     = "Computes, at one state, the effort along every joint coordinate [N m, N] that produces the\n"
                "accelerations given in --state, beside the forces that the model has anyway (gravity,\n"
                "springs, actuators). Without accelerations: the efforts that hold it there. Where the\n"
                "model's own forces produce the motion, they are zero.\n"
                "With loops efforts are those of motors, at the joints that --motors names or that actuators act\n"
                "on; they stand in place of the actuators. More motors than degrees of freedom share the\n"
                "load by least norm; where they are too few, that is said.\n"
                "With --motion: the same over a recorded motion, as results/NAME-inverse.csv with columns\n"
                "JOINT.motor, and curves. As many recorded coordinates as the mechanism has degrees of freedom are\n"
                "followed, those with motors first; the others follow from the loops.\n"
                "Where drivers prescribe the motion, `cardan kinematics` tells their efforts.",
    .examples =
        "cardan inverse arm.yaml                       # what holds the arm at its start\n"
        "cardan inverse arm.yaml --state motion.json   # q, v and a of the joints\n"
        "cardan accel arm.yaml --json | cardan inverse arm.yaml --state -   # zero, up to rounding\n"
        "cardan inverse linkage.yaml --motors A,D --motion results/linkage.csv   # torques of a recorded motion\n",
    .needs_file = true,
    CD_OPTIONS(CD_OPTION_MOTION_STATE, CD_OPTION_TIME, CD_OPTION_MOTION, CD_OPTION_MOTORS, CD_OPTION_INTERVAL,
               CD_OPTION_FORMULATION, CD_OPTION_COLUMNS, CD_OPTION_INVERSE_OUTPUT, CD_OPTION_FORCE, CD_OPTION_SET,
               CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
