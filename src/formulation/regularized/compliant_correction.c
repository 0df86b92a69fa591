// SPDX-License-Identifier: BSD-3-Clause
// Changes onto soft rows, and the directions in which they are weakest. J and M are those of the factor, which may be
// one of an earlier state: rows of the state at hand, divided by epsilon, would be forces that the factor does not
// know. So nothing is computed here but by the fronts and the rows that were kept with them:
//
//   (M + J'J/epsilon) dx(s) = J' rest(s)/epsilon,     rest(s+1) = rest(s) - J dx(s),     rest(0) = s
//
// After every solve M dx + J'mu = 0 holds by itself, but for rounding. What a solve does not halve stays: rows that
// repeat others and disagree. Whoever asks measures the gaps of the state that he comes to, and says so.
#include "formulation/regularized/compliant_rows.h"
#include "constraint/link_twists.h"
#include "formulation/robust/inverse_iteration.h"

#include <math.h>

static const double roundoff = 2e-15;
enum { MAX_CORRECTIONS = 10 };

static double largest_of(const cd_compliant_rows* w, const real* x)
{
    double largest = 0;
    for (int i = 0; i < w->rows.nrow; ++i)
        if (isfinite(w->compliance[i])) largest = fmax(largest, fabs(r_value(x[i])));
    return largest;
}

// dx, and w->sum: mu.
static void solve_correction(const cardan_model* m, const cd_rows* rows, cd_compliant_rows* w, const real* s, real* dx)
{
    double residual = largest_of(w, s);
    for (int v = 0; v < m->nv; ++v) w->motion_residual[v] = dx[v] = r_const(0);
    for (int i = 0; i < w->rows.nrow; ++i) {
        w->row_residual[i]   = s[i];
        w->multiplier_sum[i] = r_const(0);
    }
    const double tolerance = roundoff * residual;
    for (int n = 0; n < MAX_CORRECTIONS; ++n) {
        const double before = residual;
        cd_reduction_solve(m, &w->rows, &w->reduction, w->motion_residual, w->row_residual, w->da, w->dmu);
        for (int v = 0; v < m->nv; ++v) dx[v] = r_add(dx[v], w->da[v]);
        for (int i = 0; i < w->rows.nrow; ++i) w->multiplier_sum[i] = r_add(w->multiplier_sum[i], w->dmu[i]);
        for (int c = 0; c < w->rows.nblock; ++c) {
            const cd_row_block* b = &w->rows.block[c];
            for (int i = 0; i < b->nrow; ++i) {
                const int  row = b->row + i;
                const real compliance_term =
                    cd_row_compliance(rows, row) > 0 ? r_mul(r_const(rows->compliance[row]), w->dmu[row]) : r_const(0);
                w->row_residual[row] =
                    r_sub(w->row_residual[row], r_sub(cd_row_dot_twists(b, i, w->reduction.A), compliance_term));
            }
        }
        residual = largest_of(w, w->row_residual);
        if (residual <= tolerance || !(residual < 0.5 * before)) return;
    }
}

void cd_compliant_solve_correction(const cardan_model* m, const cd_rows* rows, void* work, const real* s, real* dx)
{
    solve_correction(m, rows, work, s, dx);
}

// z as motions can have it: rows that repeat others would hold each other with any force.
static void make_consistent(const cardan_model* m, cd_compliant_rows* w, real* z)
{
    for (int v = 0; v < m->nv; ++v) w->motion_residual[v] = r_const(0);
    cd_reduction_solve(m, &w->rows, &w->reduction, w->motion_residual, z, w->da, w->dmu);
    for (int c = 0; c < w->rows.nblock; ++c) {
        const cd_row_block* b = &w->rows.block[c];
        for (int i = 0; i < b->nrow; ++i) z[b->row + i] = cd_row_dot_twists(b, i, w->reduction.A);
    }
}

void cd_compliant_smallest_singular_vector(const cardan_model* m, const cd_rows* rows, void* work, cd_row_groups groups,
                                           real* z, real* x, double* inv_sigma_sq)
{
    cd_compliant_rows* w      = work;
    const double*      weight = w->reduction.row_weight;
    cd_normalize_row_vector(rows, groups, weight, inv_sigma_sq, z);
    make_consistent(m, w, z);
    cd_normalize_row_vector(rows, groups, weight, inv_sigma_sq, z);
    solve_correction(m, rows, w, z, x);
    cd_inverse_iteration_update(rows, groups, weight, w->multiplier_sum, inv_sigma_sq, z);
}
