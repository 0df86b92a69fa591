// SPDX-License-Identifier: BSD-3-Clause
// Changes onto soft rows, and the directions in which they are weakest. J and M are those of the factor, which may be
// one of an earlier state: rows of the state at hand, divided by epsilon, would be forces that the factor does not
// know. So nothing is computed here but by the fronts and the rows that were kept with them:
//
//   (M + J'J/epsilon) dx(s) = J' rest(s)/epsilon,     rest(s+1) = rest(s) - J dx(s),     rest(0) = s
//
// After every solve M dx + J'mu = 0 holds by itself, but for rounding. What a solve does not halve stays: rows that
// repeat others and disagree. Whoever asks measures the gaps of the state that he comes to, and says so.
#include "formulation/soft_rows.h"
#include "constraint/twists.h"
#include "formulation/weakest.h"

#include <math.h>

static const double rounding = 2e-15;
enum { MOST_CHANGES = 10 };

static double largest_of(const cd_soft_rows* w, const real* x)
{
    double largest = 0;
    for (int i = 0; i < w->rows.nrow; ++i)
        if (isfinite(w->compliance[i])) largest = fmax(largest, fabs(r_value(x[i])));
    return largest;
}

// dx, and w->sum: mu.
static void change(const cardan_model* m, const cd_rows* rows, cd_soft_rows* w, const real* s, real* dx)
{
    double left = largest_of(w, s);
    for (int v = 0; v < m->nv; ++v) w->force[v] = dx[v] = r_lift(0);
    for (int i = 0; i < w->rows.nrow; ++i) {
        w->rest[i] = s[i];
        w->sum[i]  = r_lift(0);
    }
    const double wanted = rounding * left;
    for (int n = 0; n < MOST_CHANGES; ++n) {
        const double before = left;
        cd_reduction_solve(m, &w->rows, &w->fronts, w->force, w->rest, w->da, w->dmu);
        for (int v = 0; v < m->nv; ++v) dx[v] = r_add(dx[v], w->da[v]);
        for (int i = 0; i < w->rows.nrow; ++i) w->sum[i] = r_add(w->sum[i], w->dmu[i]);
        for (int c = 0; c < w->rows.nblock; ++c) {
            const cd_row_block* b = &w->rows.block[c];
            for (int i = 0; i < b->nrow; ++i) {
                const int  row = b->row + i;
                const real held =
                    cd_compliance(rows, row) > 0 ? r_mul(r_lift(rows->compliance[row]), w->dmu[row]) : r_lift(0);
                w->rest[row] = r_sub(w->rest[row], r_sub(cd_row_on_twists(b, i, w->fronts.A), held));
            }
        }
        left = largest_of(w, w->rest);
        if (left <= wanted || !(left < 0.5 * before)) return;
    }
}

void cd_soft_change(const cardan_model* m, const cd_rows* rows, void* work, const real* s, real* dx)
{
    change(m, rows, work, s, dx);
}

// z as motions can have it: rows that repeat others would hold each other with any force.
static void make_consistent(const cardan_model* m, cd_soft_rows* w, real* z)
{
    for (int v = 0; v < m->nv; ++v) w->force[v] = r_lift(0);
    cd_reduction_solve(m, &w->rows, &w->fronts, w->force, z, w->da, w->dmu);
    for (int c = 0; c < w->rows.nblock; ++c) {
        const cd_row_block* b = &w->rows.block[c];
        for (int i = 0; i < b->nrow; ++i) z[b->row + i] = cd_row_on_twists(b, i, w->fronts.A);
    }
}

void cd_soft_weakest(const cardan_model* m, const cd_rows* rows, void* work, cd_row_groups groups, real* z, real* x,
                     double* flexible)
{
    cd_soft_rows* w      = work;
    const double* weight = w->fronts.row_weight;
    cd_normalize_rows(rows, groups, weight, flexible, z);
    make_consistent(m, w, z);
    cd_normalize_rows(rows, groups, weight, flexible, z);
    change(m, rows, w, z, x);
    cd_next_rows(rows, groups, weight, w->sum, flexible, z);
}
