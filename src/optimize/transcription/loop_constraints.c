// SPDX-License-Identifier: BSD-3-Clause
// Rows are chosen by QR with column pivoting (analysis/tangent_space.h) at an assembled state near the start, because
// at the start itself rows may be dependent by chance. Conditions are compared with rows by Gram-Schmidt
// orthogonalization; each condition fixes one velocity.
#include "optimize/transcription/loop_constraints.h"

#include "analysis/tangent_space.h"
#include "core/memory.h"
#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/state.h"
#include "math/dot_product.h"
#include "math/orthonormal_basis.h"
#include "optimize/optimize_tolerances.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double sample_offset = 0.05; // [rad, m] distance from the start

// Set an assembled state near the start if there is one, else the assembled start.
static cardan_status set_sample_state(const cardan_task* task, cardan_data* d, cd_tangent_space* t,
                                      cardan_report* report)
{
    const cardan_model* m  = task->model;
    const size_t        nq = (size_t)m->nq, nv = (size_t)m->nv;
    double*             q = cd_allocate(2 * nq + 2 * nv + 1, sizeof *q);
    double *            v = q ? q + nq : NULL, *dq = q ? v + nv : NULL, *q_sample = q ? dq + nv : NULL;
    cardan_status       status = q ? cd_data_set_state(d, 0, m->q_start, m->v_start, m->state_start) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = cardan_data_assemble(d, NULL, q, v, NULL, report);
    if (status == CARDAN_OK) {
        for (size_t i = 0; i < nv; ++i) dq[i] = sample_offset * sin(1 + 2.3 * (double)i);
        cardan_model_integrate_position(m, q, dq, q_sample);
        status = cd_data_set_state(d, 0, q_sample, v, m->state_start);
        if (status == CARDAN_OK && !cd_tangent_space_project(t)) status = cd_data_set_state(d, 0, q, v, m->state_start);
    }
    free(q);
    return status;
}

static bool select_independent_rows(const cd_tangent_space* t, cd_loop_constraints* l)
{
    const cd_constraint_set* constraints    = &t->d->constraints;
    const int                nrotor         = cd_rotor_count(t->d->m);
    bool*                    is_independent = cd_allocate((size_t)t->nrow + 1, sizeof *is_independent);
    l->row                                  = cd_allocate((size_t)(t->rank + nrotor) + 1, sizeof *l->row);
    l->has_position                         = cd_allocate((size_t)t->rank + 1, sizeof *l->has_position);
    const bool ok                           = is_independent && l->row && l->has_position;
    for (int i = 0; ok && i < t->rank; ++i) is_independent[t->pivot[i]] = true;
    for (int row = 0; ok && row < t->nrow; ++row) {
        if (!is_independent[row]) continue;
        const int c = cd_constraint_of_row(constraints, row);
        l->has_position[l->nconstraint_row] =
            cd_constraint_row_is_holonomic(constraints, c, row - constraints->constraint[c].first_row);
        l->nposition += l->has_position[l->nconstraint_row];
        l->row[l->nconstraint_row++] = row;
    }
    l->nrow = l->nconstraint_row;
    for (int i = 0; ok && i < nrotor; ++i) l->row[l->nrow++] = t->nrow + i;
    free(is_independent);
    return ok;
}

static cardan_status create_data(const cardan_task* task, cardan_data** d, cd_tangent_space* t, cardan_report* report)
{
    const cardan_status status = cardan_data_create(task->model, cardan_task_formulation(task), d, report);
    return status == CARDAN_OK ? cd_tangent_space_create(*d, t, report) : status;
}

cardan_status cd_loop_constraints_create(const cardan_task* task, cd_loop_constraints* l, cardan_report* report)
{
    *l = (cd_loop_constraints){.nv = task->model->nv};
    if (cardan_model_get_view(task->model).nconstraint + cd_rotor_count(task->model) == 0) return CARDAN_OK;
    cardan_data*     d      = NULL;
    cd_tangent_space t      = {0};
    cardan_status    status = create_data(task, &d, &t, report);
    if (status == CARDAN_OK) status = set_sample_state(task, d, &t, report);
    if (status == CARDAN_OK && !cd_tangent_space_compute(&t, false))
        status = cardan_fail(report, CARDAN_SINGULAR, CARDAN_CODE_TASK_UNDEFINED, task->location,
                             "constraint rows of '%s' are not finite at its start", task->model->view.name);
    if (status == CARDAN_OK && !select_independent_rows(&t, l)) status = CARDAN_NO_MEMORY;
    cd_tangent_space_release(&t);
    cardan_data_destroy(d);
    return status;
}

void cd_loop_constraints_release(cd_loop_constraints* l)
{
    free(l->row);
    free(l->has_position);
}

// ---- conditions

// Add x to the basis if it is linearly independent of it; x is overwritten. Returns whether it is.
static bool basis_add(cd_orthonormal_basis* basis, double* x)
{
    const double tolerance = cd_dependence_tolerance * sqrt(cd_norm_sq(basis->n, x));
    return cd_orthonormal_basis_add(basis, x, tolerance) > tolerance;
}

// Fill the basis with the rows at position level, or at velocity level.
static void basis_add_rows(const cd_loop_constraints* l, cardan_data* d, bool positions, double* x,
                           cd_orthonormal_basis* s)
{
    s->count = 0;
    for (int i = 0; i < l->nconstraint_row; ++i) {
        if (positions && !l->has_position[i]) continue;
        const int          c = cd_constraint_of_row(&d->constraints, l->row[i]);
        const cd_row_block b = cd_joint_space_block(d, &d->constraints, c);
        memset(x, 0, (size_t)s->n * sizeof *x);
        for (int j = 0; j < b.nv; ++j) x[b.v[j]] = b.J[(l->row[i] - b.row) * b.nv + j];
        basis_add(s, x);
    }
}

static void find_redundant(const cd_loop_constraints* l, cardan_data* d, const cd_conditions* list, double* x,
                           cd_orthonormal_basis* s, bool* redundant)
{
    for (int on = CD_CONDITION_Q; on <= CD_CONDITION_A; ++on) {
        basis_add_rows(l, d, on == CD_CONDITION_Q, x, s);
        for (int c = 0; c < list->count; ++c) {
            const cd_condition* at = &list->list[c];
            if ((int)at->kind != on || at->lower != at->upper) continue;
            memset(x, 0, (size_t)s->n * sizeof *x);
            x[at->velocity_index] = 1;
            redundant[c]          = !basis_add(s, x);
        }
    }
}

cardan_status cd_redundant_conditions(const cardan_task* task, const cd_loop_constraints* l, const double* q,
                                      const cd_conditions* list, bool* redundant)
{
    memset(redundant, 0, (size_t)list->count * sizeof *redundant);
    if (l->nconstraint_row == 0) return CARDAN_OK;
    cd_orthonormal_basis s;
    const bool           created = cd_orthonormal_basis_create(&s, l->nv);
    double*              x       = cd_allocate((size_t)l->nv + 1, sizeof *x);
    cardan_data*         d       = NULL;
    cardan_status        status =
        created && x ? cardan_data_create(task->model, cardan_task_formulation(task), &d, NULL) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = cd_data_set_state(d, 0, q, x, task->model->state_start);
    if (status == CARDAN_OK) {
        cd_update_rows(d);
        find_redundant(l, d, list, x, &s, redundant);
    }
    cardan_data_destroy(d);
    cd_orthonormal_basis_free(&s);
    free(x);
    return status;
}
