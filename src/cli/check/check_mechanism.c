// SPDX-License-Identifier: BSD-3-Clause
// Analysis of `cardan check`: structure, start state and diagnosis of a mechanism.
#include "cli/check/check_mechanism.h"

#include "cli/report/result_columns.h"
#include "cli/support/run_settings.h"
#include "core/memory.h"
#include "dynamics/data.h"
#include "dynamics/rows/curve_domain.h"
#include "math/quaternion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cardan_status count_bodies(const cardan_model* m, cd_check_result* f)
{
    bool* seen  = cd_allocate((size_t)m->nlink + 1, sizeof *seen);
    int*  depth = cd_allocate((size_t)m->nlink + 1, sizeof *depth);
    for (int i = 0; seen && i < m->nbody; ++i) {
        const int link = m->body[i].link;
        if (link < 0 || seen[link]) continue;
        seen[link] = true;
        ++f->nmoving;
    }
    for (int i = 0; depth && i < m->nlink; ++i) {
        const int p = m->link[i].parent;
        depth[i]    = (p < 0 ? 0 : depth[p]) + (p < 0 || m->link[p].joint != m->link[i].joint);
        if (depth[i] > f->tree_depth) f->tree_depth = depth[i];
    }
    free(seen);
    free(depth);
    return seen && depth ? CARDAN_OK : CARDAN_NO_MEMORY;
}

static void count_closure_rows(const cardan_model* m, cd_check_result* f)
{
    for (int j = 0; j < m->njoint; ++j) {
        const bool cut = m->joint[j].is_cut;
        if (m->joint[j].nelementary == 0 && !cut) continue; // rigidly connected
        f->maximal_rows += 6 - m->tree_range[j].nv;
        if (cut) f->closure_rows += 6 - m->tree_range[j].nv;
    }
}

// Total mass and mass centre: at the start if there is data, else in the design configuration.
static cardan_status compute_mass_centre(const cardan_description_view* view, cardan_data* data, cd_check_result* f)
{
    cardan_motion* body = cd_allocate((size_t)view->nbody + 1, sizeof *body);
    if (!body) return CARDAN_NO_MEMORY;
    if (data) cardan_data_body_motions(data, NULL, body);
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
        for (int k = 0; k < 3; ++k) f->mass_centre[k] += b->mass * body[i].p[k];
    }
    for (int k = 0; k < 3; ++k) f->mass_centre[k] = f->mass > 0 ? f->mass_centre[k] / f->mass : 0;
    free(body);
    return CARDAN_OK;
}

// Diagnose a mechanism without start state. The report already has the loops that cannot be closed; if all can be
// closed, drivers are inconsistent, and cardan_diagnosis_create names them.
static cardan_status diagnose_without_start(cd_check_result* f, cardan_report* report)
{
    cardan_data*  data   = NULL;
    cardan_status status = cardan_data_create(f->model, cardan_formulation_find("dense"), &data, NULL);
    if (status == CARDAN_OK) status = cardan_diagnosis_create(data, &f->diagnosis, NULL);
    if (f->diagnosis && f->diagnosis->assemblable) {
        cardan_diagnosis_destroy(f->diagnosis);
        status = cardan_diagnosis_create(data, &f->diagnosis, report);
    }
    cardan_data_destroy(data);
    return status == CARDAN_NO_MEMORY ? status : CARDAN_INCONSISTENT;
}

// Add the rows of constraints other than joints.
static void count_equations(const cd_model_instance* c, cd_check_result* f)
{
    const int more = c->data->constraints.nrow - f->closure_rows;
    f->maximal_rows += more;
    f->closure_rows += more;
}

// Check drivers that are inconsistent at acceleration level only; `run` would reject them. Uses reduction, whose cost
// is linear, in the coordinates of the tree.
static cardan_status check_driver_accelerations(cd_model_instance* c, cardan_report* report)
{
    cardan_data*  data   = NULL;
    cardan_status status = cardan_data_create(c->model, cardan_formulation_find("reduction"), &data, NULL);
    if (status == CARDAN_OK) status = cardan_data_copy_state(c->data, data);
    if (status == CARDAN_OK) status = cardan_data_accelerate(data, c->a, NULL, report);
    cardan_data_destroy(data);
    return status == CARDAN_UNSUPPORTED ? CARDAN_OK : status;
}

// Diagnose the start state: trees by order-n, models with loops by dense, large ones without a formulation. A tree is
// solved once, which finds motions without inertia; with loops the diagnosis finds them.
static cardan_status inspect_start(cd_loaded_model* mechanism, cd_model_instance* c, cd_check_result* f)
{
    enum { DENSE_SIZE_MAX = 2000 };
    const cardan_model_view view  = cardan_model_get_view(f->model);
    const bool              loops = view.nconstraint > 0, many = view.nv + f->closure_rows > DENSE_SIZE_MAX;
    const int               formulation = !loops ? cardan_formulation_find("order-n")
                                          : many ? CARDAN_NONE
                                                 : cardan_formulation_find("dense");
    cardan_status           status      = cd_model_instance_open(c, mechanism, formulation);
    if (status == CARDAN_INCONSISTENT) status = diagnose_without_start(f, &mechanism->report);
    if (status != CARDAN_OK) return status;
    double position_violation = 0;
    cd_max_constraint_violation(c->data, &position_violation, &f->velocity_violation);
    cd_warn_start_violation(position_violation, f->velocity_violation, &mechanism->report);
    count_equations(c, f);
    status = cardan_diagnosis_create(c->data, &f->diagnosis, &mechanism->report);
    if (status == CARDAN_OK && f->diagnosis && f->diagnosis->driven > 0)
        status = check_driver_accelerations(c, &mechanism->report);
    if (status == CARDAN_OK && !loops) status = cardan_data_accelerate(c->data, c->a, NULL, &mechanism->report);
    f->is_regular = status == CARDAN_OK;
    cd_warn_start_beyond_limits(c, &mechanism->report);
    cd_warn_beyond_curve_end(c->data, NULL, &mechanism->report);
    const cardan_status names_status = cd_columns_check_names(c, &mechanism->report);
    return status == CARDAN_OK ? names_status : status;
}

cardan_status cd_check_mechanism(cd_loaded_model* mechanism, cd_mechanism_check* check)
{
    cd_check_result*   f = &check->result;
    cd_model_instance* c = &check->instance;
    *check               = (cd_mechanism_check){0};
    cardan_status status =
        cardan_model_compile(mechanism->description, CARDAN_TREE_BREADTH_FIRST, &check->model, &mechanism->report);
    if (status != CARDAN_OK) return status;
    *f     = (cd_check_result){.model = check->model, .instance = c};
    status = count_bodies(check->model, f);
    count_closure_rows(check->model, f);
    if (status == CARDAN_OK) status = inspect_start(mechanism, c, f);
    if (f->diagnosis && !c->data) {
        f->maximal_rows += f->diagnosis->nrow - f->closure_rows; // constraints other than joints
        f->closure_rows = f->diagnosis->nrow;
    }
    if (status != CARDAN_NO_MEMORY && compute_mass_centre(&check->model->view, c->data, f) != CARDAN_OK)
        status = CARDAN_NO_MEMORY;
    const bool closes = c->data || status == CARDAN_UNSUPPORTED; // otherwise there is no formulation to select
    f->choice         = (cardan_formulation_choice){.formulation = CARDAN_NONE};
    if (closes && status != CARDAN_NO_MEMORY &&
        cardan_formulation_choose(mechanism->description, &f->choice, NULL) == CARDAN_NO_MEMORY)
        status = CARDAN_NO_MEMORY;
    // without data, only a mechanism without a supporting formulation, or with a diagnosis, can be reported
    check->can_report = (c->data || f->diagnosis || status == CARDAN_UNSUPPORTED) && status != CARDAN_NO_MEMORY;
    return status;
}

void cd_mechanism_check_free(cd_mechanism_check* check)
{
    cardan_diagnosis_destroy(check->result.diagnosis);
    cd_model_instance_close(&check->instance);
    cardan_model_destroy(check->model);
}

void cd_check_json(const cd_options* options, cardan_description* description, cd_text* text)
{
    const cd_options of_check  = {.noperand      = 1,
                                  .operand       = options->operand,
                                  .strict        = options->strict,
                                  .floating_base = options->floating_base,
                                  .json          = true};
    cd_loaded_model  mechanism = {
         .options = &of_check, .description = description, .view = cardan_description_get_view(description)};
    cd_mechanism_check check;
    cd_check_mechanism(&mechanism, &check);
    if (check.can_report) cd_check_write_json(&mechanism, &check.result, text);
    cd_mechanism_check_free(&check);
    cd_loaded_model_close(&mechanism);
}
