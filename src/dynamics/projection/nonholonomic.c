// SPDX-License-Identifier: BSD-3-Clause
// Nonholonomic rows, as of rolling, require no change of positions. But if holonomic rows h depend on them, as the
// axles of two wheels on one chassis do, the rows h that are treated as redundant remain violated by what the
// nonholonomic rows n prevent. The rows n are therefore relaxed: s(n) is chosen such that the rows h are satisfied,
// by conjugate gradients for least squares with the available solve,
//
//   dx = B s,   min | s(h) - J(h) B s |  over s(n),   and B' f are the multipliers of a force f
//
// in as many iterations as there are such dependences. The correction remains orthogonal to the admissible motions.
// Source: Bjorck 1996, Numerical Methods for Least Squares Problems, algorithm 7.4.1.
#include "dynamics/projection/nonholonomic.h"

#include "dynamics/data.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/solve.h"
#include "math/norm_inf.h"

#include <string.h>

enum { MAX_ITERATIONS = 12 };

void cd_nonholonomic_layout(const cd_constraint_set* constraints, int nrow, int nv, cd_arena* arena,
                            cd_nonholonomic_work* work)
{
    if (constraints->nnonholonomic == 0) return;
    CD_ARENA_ARRAY(arena, work->residual, nrow);
    CD_ARENA_ARRAY(arena, work->gradient, nrow);
    CD_ARENA_ARRAY(arena, work->search_direction, nrow);
    CD_ARENA_ARRAY(arena, work->row_change, nrow);
    CD_ARENA_ARRAY(arena, work->force, nv);
    CD_ARENA_ARRAY(arena, work->displacement, nv);
}

static double norm_sq(int n, const double* x)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] * x[i];
    return sum;
}

// Set the nonholonomic entries of x (nrow) to zero if keep_position, else the holonomic ones; and those of rotor rows.
static void mask_rows(const cardan_data* d, bool keep_position, double* x)
{
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c    = &d->constraints.constraint[i];
        const int            from = keep_position ? c->nholonomic : 0, to = keep_position ? c->nrow : c->nholonomic;
        for (int k = from; k < to; ++k) x[c->first_row + k] = 0;
    }
    for (int i = d->rows.nrow; i < d->solver_rows.nrow; ++i) x[i] = 0; // rotor rows have no violation
}

// gradient = B' J(h)' residual, on nonholonomic rows.
static bool compute_gradient(cardan_data* d, cd_nonholonomic_work* l)
{
    cd_solve_info info = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    memset(l->force, 0, (size_t)d->m->nv * sizeof *l->force);
    memset(l->row_change, 0, (size_t)d->solver_rows.nrow * sizeof *l->row_change);
    cd_add_jacobian_transposed_times(d, &d->rows, l->residual, l->force);
    const cardan_status status = cd_solve_with_factor(d, l->force, l->row_change, l->displacement, l->gradient, &info);
    mask_rows(d, false, l->gradient);
    return status == CARDAN_OK || status == CARDAN_INCONSISTENT;
}

// displacement = B search_direction, row_change = J(h) displacement.
static bool apply_search_direction(cardan_data* d, cd_nonholonomic_work* l)
{
    if (cd_min_norm_correction(d, l->search_direction, l->displacement) != CARDAN_OK) return false;
    cd_jacobian_times(d, &d->rows, l->displacement, l->row_change);
    mask_rows(d, true, l->row_change);
    return true;
}

void cd_correct_nonholonomic(cardan_data* d, const double* s, double* dx)
{
    cd_nonholonomic_work* work = &d->solve.nonholonomic;
    const int             n    = d->rows.nrow;
    if (d->constraints.nnonholonomic == 0) return;
    cd_update_constraint_values_and_rows(d);
    cd_jacobian_times(d, &d->rows, dx, work->residual);
    for (int i = 0; i < n; ++i) work->residual[i] = s[i] - work->residual[i];
    mask_rows(d, true, work->residual);
    const double rhs_max = cd_norm_inf(n, s);
    if (cd_norm_inf(n, work->residual) <= cd_unsatisfied_row_ratio * rhs_max || !compute_gradient(d, work)) return;
    memcpy(work->search_direction, work->gradient, (size_t)d->solver_rows.nrow * sizeof *work->search_direction);
    for (int k = 0; k < MAX_ITERATIONS; ++k) {
        const double from = norm_sq(n, work->gradient);
        if (!apply_search_direction(d, work)) return;
        const double to = norm_sq(n, work->row_change), alpha = to > 0 ? from / to : 0;
        if (alpha * from < cd_min_slip_gain_sq * norm_sq(n, work->residual) ||
            alpha * cd_norm_inf(n, work->search_direction) > cd_max_slip_ratio * rhs_max)
            return;
        for (int i = 0; i < d->m->nv; ++i) dx[i] += alpha * work->displacement[i];
        for (int i = 0; i < n; ++i) work->residual[i] -= alpha * work->row_change[i];
        if (cd_norm_inf(n, work->residual) <= cd_slip_converged_ratio * rhs_max || !compute_gradient(d, work)) return;
        const double beta = norm_sq(n, work->gradient) / from;
        for (int i = 0; i < n; ++i) work->search_direction[i] = work->gradient[i] + beta * work->search_direction[i];
    }
}
