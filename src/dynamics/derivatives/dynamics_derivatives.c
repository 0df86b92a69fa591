// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of inverse and forward dynamics for users. Inverse dynamics: columns of r (state_jacobian.h). Forward
// dynamics: one solve of the formulation per column,
//
//   M a_x + J'lambda_x = -r_x,   J a_x = -c''_x,        by efforts: M a_x + J'lambda_x = e,   J a_x = 0
#include "dynamics/derivatives/dynamics_derivatives.h"

#include "core/check_arguments.h"
#include "dynamics/derivatives/state_jacobian.h"
#include "dynamics/rank/robust_solve.h"
#include "math/finite.h"

#include <stdlib.h>
#include <string.h>

struct cardan_derivatives {
    cardan_data*      d;
    cd_arena          arena;
    cd_state_jacobian jacobian;
    double *          by_q, *by_v, *by_s; // columns of the state Jacobian
    double*           column;             // (nresidual) right-hand side of an effort
    double *          a, *lambda;         // solution at the state: (nv), (solver_rows.nrow)
    double *          a_x, *lambda_x;
    double*           zero; // (solver_rows.nrow) constant zeros
};

static void layout(cardan_derivatives* w)
{
    const cardan_data* d = w->d;
    cd_state_jacobian_layout(d, &w->arena, &w->jacobian);
    const size_t n = (size_t)w->jacobian.nresidual, nv = (size_t)d->m->nv, rows = (size_t)d->solver_rows.nrow;
    CD_ARENA_ARRAY(&w->arena, w->by_q, n * nv);
    CD_ARENA_ARRAY(&w->arena, w->by_v, n * nv);
    CD_ARENA_ARRAY(&w->arena, w->by_s, n * (size_t)d->m->nstate);
    CD_ARENA_ARRAY(&w->arena, w->column, n);
    CD_ARENA_ARRAY(&w->arena, w->a, nv);
    CD_ARENA_ARRAY(&w->arena, w->a_x, nv);
    CD_ARENA_ARRAY(&w->arena, w->lambda, rows);
    CD_ARENA_ARRAY(&w->arena, w->lambda_x, rows);
    CD_ARENA_ARRAY(&w->arena, w->zero, rows);
}

cardan_status cardan_derivatives_create(cardan_data* d, cardan_derivatives** derivatives, cardan_report* report)
{
    CD_REQUIRE_POINTER(derivatives, "derivatives", report);
    *derivatives = NULL;
    CD_REQUIRE_POINTER(d, "data", report);
    cardan_derivatives* w = cd_allocate(1, sizeof *w);
    *derivatives          = w;
    if (w) {
        w->d = d;
        layout(w);
        if (cd_arena_reserve(&w->arena)) {
            layout(w);
            return CARDAN_OK;
        }
    }
    cardan_derivatives_destroy(w);
    *derivatives = NULL;
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory for the derivatives of '%s'", d->m->view.name);
}

void cardan_derivatives_destroy(cardan_derivatives* w)
{
    if (!w) return;
    cd_arena_release(&w->arena);
    free(w);
}

int cardan_data_constraint_row_count(const cardan_data* d) { return d ? d->rows.nrow : 0; }

cardan_status cardan_data_constraint_multipliers(const cardan_data* d, double* lambda)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_ARRAY(lambda, d->rows.nrow, "lambda", NULL);
    if (d->rows.nrow > 0) memcpy(lambda, d->solve.lambda, (size_t)d->rows.nrow * sizeof *lambda);
    return CARDAN_OK;
}

// Copy rows from..from+count-1 of columns to a row-major matrix.
static void copy_rows(const cardan_derivatives* w, const double* columns, int from, int count, int ncolumn, double* to)
{
    for (int j = 0; to && j < ncolumn; ++j)
        for (int i = 0; i < count; ++i)
            to[(size_t)i * (size_t)ncolumn + (size_t)j] =
                columns[(size_t)j * (size_t)w->jacobian.nresidual + (size_t)(from + i)];
}

cardan_status cardan_derivatives_of_inverse_dynamics(cardan_derivatives* w, const double* a, const double* lambda,
                                                     const cardan_inverse_dynamics_jacobians* jacobians,
                                                     cardan_report*                           report)
{
    CD_REQUIRE_POINTER(w, "derivatives", report);
    CD_REQUIRE_POINTER(jacobians, "jacobians", report);
    cardan_data* d  = w->d;
    const int    nv = d->m->nv;
    if (!a)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "derivatives of inverse dynamics of '%s' need accelerations as arguments", d->m->view.name);
    if (!cd_all_finite(nv, a)) return cd_fail_not_finite(report, __func__, "a");
    if (lambda && !cd_all_finite(d->rows.nrow, lambda)) return cd_fail_not_finite(report, __func__, "lambda");
    cd_state_jacobian_compute(d, a, lambda ? lambda : w->zero, &w->jacobian, w->by_q, w->by_v, w->by_s);
    copy_rows(w, w->by_q, w->jacobian.r_offset, nv, nv, jacobians->q);
    copy_rows(w, w->by_v, w->jacobian.r_offset, nv, nv, jacobians->v);
    copy_rows(w, w->by_s, w->jacobian.r_offset, nv, d->m->nstate, jacobians->state);
    return jacobians->a ? cardan_data_mass_matrix(d, jacobians->a) : CARDAN_OK;
}

// ---- forward dynamics

// Solve for column j of `ncolumn` and store it in the requested row-major results.
static cardan_status solve_column(cardan_derivatives* w, const double* column, int j, int ncolumn, double* a,
                                  double* lambda, double* rate)
{
    const cardan_data* d = w->d;
    const size_t       n = (size_t)ncolumn;
    if (!a && !lambda && !rate) return CARDAN_OK;
    const cardan_status status =
        a || lambda ? cd_state_jacobian_solve(w->d, &w->jacobian, column, w->a_x, w->lambda_x) : CARDAN_OK;
    for (int i = 0; a && i < d->m->nv; ++i) a[(size_t)i * n + (size_t)j] = w->a_x[i];
    for (int i = 0; lambda && i < d->rows.nrow; ++i) lambda[(size_t)i * n + (size_t)j] = w->lambda_x[i];
    for (int i = 0; rate && i < d->m->nstate; ++i) rate[(size_t)i * n + (size_t)j] = column[w->jacobian.g_offset + i];
    return status;
}

static cardan_status solve_all_columns(cardan_derivatives* w, const cardan_forward_dynamics_jacobians* s)
{
    const int     nv = w->d->m->nv, ns = w->d->m->nstate;
    const size_t  n      = (size_t)w->jacobian.nresidual;
    cardan_status status = CARDAN_OK;
    for (int j = 0; j < nv && !status; ++j)
        status = solve_column(w, w->by_q + (size_t)j * n, j, nv, s->a_q, s->lambda_q, s->rate_q);
    for (int j = 0; j < nv && !status; ++j)
        status = solve_column(w, w->by_v + (size_t)j * n, j, nv, s->a_v, s->lambda_v, s->rate_v);
    for (int j = 0; j < ns && !status; ++j)
        status = solve_column(w, w->by_s + (size_t)j * n, j, ns, s->a_state, s->lambda_state, s->rate_state);
    memset(w->column, 0, n * sizeof *w->column);
    for (int j = 0; j < nv && !status; ++j) {
        w->column[w->jacobian.r_offset + j] = -1;
        status                              = solve_column(w, w->column, j, nv, s->a_effort, s->lambda_effort, NULL);
        w->column[w->jacobian.r_offset + j] = 0;
    }
    return status;
}

cardan_data* cd_derivatives_data(cardan_derivatives* w) { return w->d; }

cardan_status cd_derivatives_accelerate(cardan_derivatives* w, cd_failure* failure)
{
    return cd_accelerate_robust(w->d, w->a, NULL, failure);
}

cardan_status cd_derivatives_of_accelerations(cardan_derivatives* w, double* a,
                                              const cardan_forward_dynamics_jacobians* jacobians)
{
    const cardan_data* d = w->d;
    memcpy(w->lambda, d->solve.lambda, (size_t)d->solver_rows.nrow * sizeof *w->lambda);
    if (a) memcpy(a, w->a, (size_t)d->m->nv * sizeof *a);
    cd_state_jacobian_compute(w->d, w->a, w->lambda, &w->jacobian, w->by_q, w->by_v, w->by_s);
    return solve_all_columns(w, jacobians);
}
