// SPDX-License-Identifier: BSD-3-Clause
// cardan check: what the mechanism is, in plain words.
#include "cli/check.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/messages.h"
#include "cli/simulation.h"
#include "core/memory.h"
#include "dynamics/curve_ends.h"
#include "dynamics/data.h"
#include "math/quaternion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cardan_status count_bodies(const cardan_model* m, cd_facts* f)
{
    bool* seen  = cd_allocate((size_t)m->nlink + 1, sizeof *seen);
    int*  depth = cd_allocate((size_t)m->nlink + 1, sizeof *depth);
    for (int i = 0; seen && i < m->nbody; ++i) {
        const int link = m->body[i].link;
        if (link < 0 || seen[link]) continue;
        seen[link] = true;
        ++f->groups;
    }
    for (int i = 0; depth && i < m->nlink; ++i) {
        const int p = m->link[i].parent;
        depth[i]    = (p < 0 ? 0 : depth[p]) + (p < 0 || m->link[p].joint != m->link[i].joint);
        if (depth[i] > f->depth) f->depth = depth[i];
    }
    free(seen);
    free(depth);
    return seen && depth ? CARDAN_OK : CARDAN_NO_MEMORY;
}

static void count_rows(const cardan_model* m, cd_facts* f)
{
    for (int j = 0; j < m->njoint; ++j) {
        const bool cut = m->joint[j].cut;
        if (m->joint[j].nstep == 0 && !cut) continue; // welded
        f->flat_rows += 6 - m->slot[j].nv;
        if (cut) f->rows += 6 - m->slot[j].nv;
    }
}

// Total mass and its centre: at the start where there is data, else in the design position.
static cardan_status weigh(const cardan_view* view, cardan_data* data, cd_facts* f)
{
    cardan_motion* body = cd_allocate((size_t)view->nbody + 1, sizeof *body);
    if (!body) return CARDAN_NO_MEMORY;
    if (data) cardan_bodies(data, NULL, body);
    for (int i = 0; i < view->nbody; ++i) {
        const cardan_body* b = &view->body[i];
        if (!data) {
            double R[9];
            q4_matrix(b->pose.q, R);
            for (int k = 0; k < 3; ++k)
                body[i].p[k] =
                    b->pose.p[k] + R[3 * k] * b->centre[0] + R[3 * k + 1] * b->centre[1] + R[3 * k + 2] * b->centre[2];
        }
        f->mass += b->mass;
        for (int k = 0; k < 3; ++k) f->centre[k] += b->mass * body[i].p[k];
    }
    for (int k = 0; k < 3; ++k) f->centre[k] = f->mass > 0 ? f->centre[k] / f->mass : 0;
    free(body);
    return CARDAN_OK;
}

// No start state: loops that cannot be closed are named all the same, and why is in the report already. Where they
// close, laws of motion contradict each other, and the doctor knows which.
static cardan_status look_without_start(cd_facts* f, cardan_report* report)
{
    cardan_data*  data   = NULL;
    cardan_status status = cardan_data_create(f->m, cardan_formulation_find("dense"), &data, NULL);
    if (status == CARDAN_OK) status = cardan_diagnose(data, &f->g, NULL);
    if (f->g && f->g->closes) {
        cardan_diagnosis_destroy(f->g);
        status = cardan_diagnose(data, &f->g, report);
    }
    cardan_data_destroy(data);
    return status == CARDAN_NO_MEMORY ? status : CARDAN_INCONSISTENT;
}

// Equations beside those of the joints.
static void count_equations(const cd_case* c, cd_facts* f)
{
    const int more = c->data->closure.nrow - f->rows;
    f->flat_rows += more;
    f->rows += more;
}

// Laws of motion that contradict each other in accelerations only: `run` would refuse them. In the coordinates of the
// tree by reduction, which is linear where dense is not.
static cardan_status try_laws(cd_case* c, cardan_report* report)
{
    cardan_data*  data   = NULL;
    cardan_status status = cardan_data_create(c->model, cardan_formulation_find("reduction"), &data, NULL);
    if (status == CARDAN_OK) status = cardan_exchange(c->data, data);
    if (status == CARDAN_OK) status = cardan_accelerate(data, c->a, NULL, report);
    cardan_data_destroy(data);
    return status == CARDAN_UNSUPPORTED ? CARDAN_OK : status;
}

// At its start, by order-n; with loops by dense, and too large for that by nobody: the doctor looks and solves nothing.
// A tree is solved once, which finds motions that nothing resists; with loops that is the doctor's business.
static cardan_status look_at_start(cd_mechanism* mechanism, cd_case* c, cd_facts* f)
{
    enum { DENSE_UP_TO = 2000 };
    const cardan_model_view look  = cardan_model_look(f->m);
    const bool              loops = look.nconstraint > 0, many = look.nv + f->rows > DENSE_UP_TO;
    const int               formulation = !loops ? cardan_formulation_find("order-n")
                                          : many ? CARDAN_NONE
                                                 : cardan_formulation_find("dense");
    cardan_status           status      = cd_case_open(c, mechanism, formulation);
    if (status == CARDAN_INCONSISTENT) status = look_without_start(f, &mechanism->report);
    if (status != CARDAN_OK) return status;
    double open = 0;
    cd_loops_violation(c->data, &open, &f->slip);
    cd_loops_warn(open, f->slip, &mechanism->report);
    count_equations(c, f);
    status = cardan_diagnose(c->data, &f->g, &mechanism->report);
    if (status == CARDAN_OK && f->g && f->g->driven > 0) status = try_laws(c, &mechanism->report);
    if (status == CARDAN_OK && !loops) status = cardan_accelerate(c->data, c->a, NULL, &mechanism->report);
    f->regular = status == CARDAN_OK;
    cd_limits_warn(c, &mechanism->report);
    cd_warn_beyond(c->data, NULL, &mechanism->report);
    const cardan_status named = cd_columns_check(c, &mechanism->report);
    return status == CARDAN_OK ? named : status;
}

static int check(cd_mechanism* mechanism)
{
    const cd_options* options = mechanism->options;
    cd_case           c       = {0};
    cardan_model*     model   = NULL;
    cardan_status     status =
        cardan_model_compile(mechanism->description, CARDAN_TREE_SHALLOW, &model, &mechanism->report);
    if (status != CARDAN_OK) return cd_say_failure(&mechanism->report, status);

    cd_facts facts = {.m = model, .c = &c};
    status = count_bodies(model, &facts);
    count_rows(model, &facts);
    if (status == CARDAN_OK) status = look_at_start(mechanism, &c, &facts);
    if (facts.g && !c.data) {
        facts.flat_rows += facts.g->rows - facts.rows; // constraints beside the joints
        facts.rows = facts.g->rows;
    }
    if (status != CARDAN_NO_MEMORY && weigh(&model->view, c.data, &facts) != CARDAN_OK) status = CARDAN_NO_MEMORY;
    const bool closes =
        c.data || status == CARDAN_UNSUPPORTED; // else nothing can be solved, and there is nothing to choose
    facts.choice = (cardan_choice){.formulation = CARDAN_NONE};
    if (closes && status != CARDAN_NO_MEMORY &&
        cardan_choose_formulation(mechanism->description, &facts.choice, NULL) == CARDAN_NO_MEMORY)
        status = CARDAN_NO_MEMORY;

    // without data only a mechanism that no formulation takes, or that does not close, can still be told
    const bool told = (c.data || facts.g || status == CARDAN_UNSUPPORTED) && status != CARDAN_NO_MEMORY;
    int        code = cd_exit_code(status);
    if (status == CARDAN_NO_MEMORY) cd_say_failure(&mechanism->report, status);
    if (told && options->json)
        code = cd_check_json(mechanism, &facts);
    else if (told && !options->quiet)
        cd_check_words(mechanism, &facts);
    fflush(stdout);
    // what is wrong with the mechanism is a problem of the description
    if (status != CARDAN_OK) code = told ? CD_EXIT_INPUT : cd_exit_code(status);
    if (!options->json || status != CARDAN_OK) cd_say_report(&mechanism->report);
    cardan_diagnosis_destroy(facts.g);
    cd_case_close(&c);
    cardan_model_destroy(model);
    return code;
}

static int run(const cd_options* options)
{
    cd_mechanism mechanism;
    int          code = cd_mechanism_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    code = check(&mechanism);
    cd_mechanism_close(&mechanism);
    return code;
}

const cd_command cd_command_check = {
    .name     = "check",
    .operands = "MODEL",
    .least    = 1,
    .most     = 1,
    .summary  = "what the mechanism is: loops, degrees of freedom, what repeats and why, in plain words",
    .text     = "Reads and compiles the model and says what it is: moving bodies, joints, loops, degrees of\n"
                "freedom by rank, mass, and what is doubtful in it. Of every loop it says which joint closes it,\n"
                "how many equations that adds, how many of them repeat others at every pose and why, which\n"
                "reactions are therefore not unique, and which other joints would make them so.\n"
                "Errors, with exit code 1: loops that cannot close, a singular start pose, laws of motion that\n"
                "contradict each other, a motion that nothing resists. Each names the joint.\n"
                "With --json, `bodies` and `joints` count those of the file, welded bodies too; `tree` has the\n"
                "joint coordinates of the tree with the equations that close loops, and `flat` what there is\n"
                "when every moving body has six velocities and every joint is a constraint; counts that cannot\n"
                "be made are null.",
    .examples = "cardan check models/four_bar             # in words\n"
                "cardan check car.yaml --strict --json    # for programs; doubtful input is an error\n",
    CD_OPTIONS(CD_OPTION_STATE, CD_OPTION_SET, CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET,
               CD_OPTION_HELP),
    .run = run,
};
