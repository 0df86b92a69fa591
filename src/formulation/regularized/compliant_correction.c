// SPDX-License-Identifier: BSD-3-Clause
// Corrections onto compliant rows, and their smallest singular vectors. J and M are those of the factor, which may
// belong to an earlier state: rows of the current state, divided by epsilon, would be forces that the factor does not
// contain. Therefore everything is computed with the fronts and the rows stored with them:
//
//   (M + J'J/epsilon) dx(s) = J' t(s)/epsilon,     t(s+1) = t(s) - J dx(s),     t(0) = s
//
// M dx + J'mu = 0 is satisfied after every solve up to round-off. Residuals t that a solve does not halve remain: those
// of redundant rows that are inconsistent. The caller computes the violation at the resulting state and reports it.
#include "formulation/formulation_tolerances.h"
#include "formulation/regularized/compliant_rows.h"
#include "constraint/link_twists.h"
#include "formulation/safeguards/inverse_iteration.h"

#include <math.h>

enum { MAX_CORRECTIONS = 10 };

static double largest_of(const cd_compliant_rows* w, const real* x)
{
    double largest = 0;
    for (int i = 0; i < w->rows.nrow; ++i)
        if (isfinite(w->compliance[i])) largest = fmax(largest, fabs(r_value(x[i])));
    return largest;
}

// mu is returned in w->multiplier_sum.
void cd_compliant_solve_correction(const cd_problem* p, cd_compliant_rows* w, const real* s, real* dx)
{
    const cardan_model* m        = p->m;
    const cd_rows*      rows     = p->rows;
    double              residual = largest_of(w, s);
    for (int v = 0; v < m->nv; ++v) w->motion_residual[v] = dx[v] = r_const(0);
    for (int i = 0; i < w->rows.nrow; ++i) {
        w->row_residual[i]   = s[i];
        w->multiplier_sum[i] = r_const(0);
    }
    const double tolerance = cd_compliant_residual_roundoff * residual;
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
        if (residual <= tolerance || !(residual < cd_useful_residual_reduction * before)) return;
    }
}

// Project z onto the range of J: redundant rows would otherwise have arbitrary multipliers against each other.
static void make_consistent(const cardan_model* m, cd_compliant_rows* w, real* z)
{
    for (int v = 0; v < m->nv; ++v) w->motion_residual[v] = r_const(0);
    cd_reduction_solve(m, &w->rows, &w->reduction, w->motion_residual, z, w->da, w->dmu);
    for (int c = 0; c < w->rows.nblock; ++c) {
        const cd_row_block* b = &w->rows.block[c];
        for (int i = 0; i < b->nrow; ++i) z[b->row + i] = cd_row_dot_twists(b, i, w->reduction.A);
    }
}

void cd_compliant_smallest_singular_vector(const cd_problem* p, void* work, cd_row_groups groups, real* z, real* x,
                                           double* inv_sigma_sq)
{
    cd_compliant_rows* w      = work;
    const double*      weight = w->reduction.row_weight;
    cd_normalize_row_vector(p->rows, groups, weight, inv_sigma_sq, z);
    make_consistent(p->m, w, z);
    cd_normalize_row_vector(p->rows, groups, weight, inv_sigma_sq, z);
    cd_compliant_solve_correction(p, w, z, x);
    cd_inverse_iteration_update(p->rows, groups, weight, w->multiplier_sum, inv_sigma_sq, z);
}
