// SPDX-License-Identifier: BSD-3-Clause
// Derivatives for users. Inverse dynamics: columns of r (state_slopes.h). Forward dynamics: one solve of the
// formulation per column,
//
//   M a_x + J'lambda_x = -r_x,   J a_x = -c''_x,        by efforts: M a_x + J'lambda_x = e,   J a_x = 0
#include "dynamics/data.h"
#include "core/arguments.h"
#include "dynamics/state_slopes.h"
#include "math/finite.h"

#include <cardan/derivatives.h>
#include <stdlib.h>
#include <string.h>

struct cardan_derivatives {
    cardan_data*    d;
    cd_arena        arena;
    cd_state_slopes s;
    double *        by_q, *by_v, *by_s; // columns
    double*         column;             // (n) of an effort
    double *        a, *lambda;         // at the state: (nv), (rows of the formulation)
    double *        a_x, *lambda_x;
    double*         none; // (nrow) zeros
};

static void layout(cardan_derivatives* w)
{
    const cardan_data* d = w->d;
    cd_state_slopes_layout(d, &w->arena, &w->s);
    const size_t n = (size_t)w->s.n, nv = (size_t)d->m->nv, rows = (size_t)d->system.nrow;
    CD_TAKE(&w->arena, w->by_q, n * nv);
    CD_TAKE(&w->arena, w->by_v, n * nv);
    CD_TAKE(&w->arena, w->by_s, n * (size_t)d->m->nstate);
    CD_TAKE(&w->arena, w->column, n);
    CD_TAKE(&w->arena, w->a, nv);
    CD_TAKE(&w->arena, w->a_x, nv);
    CD_TAKE(&w->arena, w->lambda, rows);
    CD_TAKE(&w->arena, w->lambda_x, rows);
    CD_TAKE(&w->arena, w->none, rows);
}

cardan_status cardan_derivatives_create(cardan_data* d, cardan_derivatives** derivatives, cardan_report* report)
{
    CD_REFUSE_NULL(derivatives, "derivatives", report);
    *derivatives = NULL;
    CD_REFUSE_NULL(d, "data", report);
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
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                       "no memory for the derivatives of '%s'", d->m->view.name);
}

void cardan_derivatives_destroy(cardan_derivatives* w)
{
    if (!w) return;
    cd_arena_release(&w->arena);
    free(w);
}

int cardan_constraint_rows(const cardan_data* d) { return d ? d->rows.nrow : 0; }

cardan_status cardan_constraint_multipliers(const cardan_data* d, double* lambda)
{
    CD_REFUSE_NULL(d, "data", NULL);
    CD_REFUSE_NO_ARRAY(lambda, d->rows.nrow, "lambda", NULL);
    if (d->rows.nrow > 0) memcpy(lambda, d->lambda, (size_t)d->rows.nrow * sizeof *lambda);
    return CARDAN_OK;
}

// Rows from..from+count-1 of columns, row major.
static void give(const cardan_derivatives* w, const double* columns, int from, int count, int ncolumn, double* to)
{
    for (int j = 0; to && j < ncolumn; ++j)
        for (int i = 0; i < count; ++i)
            to[(size_t)i * (size_t)ncolumn + (size_t)j] = columns[(size_t)j * (size_t)w->s.n + (size_t)(from + i)];
}

cardan_status cardan_inverse_derivatives(cardan_derivatives* w, const double* a, const double* lambda,
                                         const cardan_inverse_slopes* slopes, cardan_report* report)
{
    CD_REFUSE_NULL(w, "derivatives", report);
    CD_REFUSE_NULL(slopes, "slopes", report);
    cardan_data* d  = w->d;
    const int    nv = d->m->nv;
    if (!a)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_nowhere(),
                           "derivatives of inverse dynamics of '%s' need accelerations to be taken at",
                           d->m->view.name);
    if (!cd_are_finite(nv, a)) return cd_fail_not_finite(report, __func__, "a");
    if (lambda && !cd_are_finite(d->rows.nrow, lambda)) return cd_fail_not_finite(report, __func__, "lambda");
    cd_state_slopes_at(d, a, lambda ? lambda : w->none, &w->s, w->by_q, w->by_v, w->by_s);
    give(w, w->by_q, w->s.r, nv, nv, slopes->q);
    give(w, w->by_v, w->s.r, nv, nv, slopes->v);
    give(w, w->by_s, w->s.r, nv, d->m->nstate, slopes->state);
    return slopes->a ? cardan_mass_matrix(d, slopes->a) : CARDAN_OK;
}

// ---- forward dynamics

// Column j of `ncolumn` answered, and put where it is wanted.
static cardan_status answer(cardan_derivatives* w, const double* column, int j, int ncolumn, double* a, double* lambda,
                            double* rate)
{
    const cardan_data* d = w->d;
    const size_t       n = (size_t)ncolumn;
    if (!a && !lambda && !rate) return CARDAN_OK;
    const cardan_status status = a || lambda ? cd_state_answer(w->d, &w->s, column, w->a_x, w->lambda_x) : CARDAN_OK;
    for (int i = 0; a && i < d->m->nv; ++i) a[(size_t)i * n + (size_t)j] = w->a_x[i];
    for (int i = 0; lambda && i < d->rows.nrow; ++i) lambda[(size_t)i * n + (size_t)j] = w->lambda_x[i];
    for (int i = 0; rate && i < d->m->nstate; ++i) rate[(size_t)i * n + (size_t)j] = column[w->s.g + i];
    return status;
}

static cardan_status answer_all(cardan_derivatives* w, const cardan_forward_slopes* s)
{
    const int     nv = w->d->m->nv, ns = w->d->m->nstate;
    const size_t  n      = (size_t)w->s.n;
    cardan_status status = CARDAN_OK;
    for (int j = 0; j < nv && !status; ++j)
        status = answer(w, w->by_q + (size_t)j * n, j, nv, s->a_q, s->lambda_q, s->rate_q);
    for (int j = 0; j < nv && !status; ++j)
        status = answer(w, w->by_v + (size_t)j * n, j, nv, s->a_v, s->lambda_v, s->rate_v);
    for (int j = 0; j < ns && !status; ++j)
        status = answer(w, w->by_s + (size_t)j * n, j, ns, s->a_state, s->lambda_state, s->rate_state);
    memset(w->column, 0, n * sizeof *w->column);
    for (int j = 0; j < nv && !status; ++j) {
        w->column[w->s.r + j] = -1;
        status                = answer(w, w->column, j, nv, s->a_effort, s->lambda_effort, NULL);
        w->column[w->s.r + j] = 0;
    }
    return status;
}

static cardan_status refuse_losses(const cardan_data* d, cardan_report* report)
{
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        if (c->lossy)
            return cardan_fail(
                report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, c->place,
                "%s '%s' loses power by its load, and derivatives of accelerations do not know how that varies",
                c->what, c->name);
    }
    return CARDAN_OK;
}

cardan_status cardan_forward_derivatives(cardan_derivatives* w, double* a, const cardan_forward_slopes* slopes,
                                         cardan_report* report)
{
    CD_REFUSE_NULL(w, "derivatives", report);
    CD_REFUSE_NULL(slopes, "slopes", report);
    cardan_data*  d      = w->d;
    cardan_status status = refuse_losses(d, report);
    if (status == CARDAN_OK) status = cardan_accelerate(d, w->a, NULL, report);
    if (status != CARDAN_OK) return status;
    memcpy(w->lambda, d->lambda, (size_t)d->system.nrow * sizeof *w->lambda);
    if (a) memcpy(a, w->a, (size_t)d->m->nv * sizeof *a);
    cd_state_slopes_at(d, w->a, w->lambda, &w->s, w->by_q, w->by_v, w->by_s);
    status = answer_all(w, slopes);
    if (status == CARDAN_OK) return status;
    return cardan_fail(report, status, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_nowhere(),
                       "at t = %g s '%s' does not solve for the derivatives of the accelerations of '%s': %s", d->t,
                       d->formulation->name, d->m->view.name, cardan_status_text(status));
}
