// SPDX-License-Identifier: BSD-3-Clause
// For every contact in order:
//
//   x_n <- max(0, x_n - y_n/G_nn),   x_t <- P_disc(x_t - y_t/l),   l: largest eigenvalue of G_tt
//
// (Jean 1999). Converges linearly, and stalls where many contacts are coupled.
#include "impact/cone/gauss_seidel.h"

#include "impact/cone/cone_projection.h"

#include <math.h>

static double velocity(const cd_cone_problem* cone, int row, const double* x)
{
    const double* G   = cone->G + (long)row * cone->n;
    double        sum = cone->q[row];
    for (int j = 0; j < cone->n; ++j) sum += G[j] * x[j];
    return sum;
}

static double entry(const cd_cone_problem* cone, int i, int j) { return cone->G[(long)i * cone->n + j]; }

static double largest_eigenvalue(const cd_cone_problem* cone, const cd_friction_set* set)
{
    const double a = entry(cone, set->row, set->row);
    if (set->nrow == 1) return a;
    const double b = entry(cone, set->row, set->row + 1), c = entry(cone, set->row + 1, set->row + 1);
    return (a + c) / 2 + sqrt((a - c) * (a - c) / 4 + b * b);
}

static void update_set(const cd_cone_problem* cone, const cd_friction_set* set, double* x)
{
    const double l      = largest_eigenvalue(cone, set);
    const double radius = set->bound + (set->normal >= 0 ? set->coefficient * x[set->normal] : 0);
    double       y[2]   = {0, 0};
    if (!(l > 0)) return;
    for (int k = 0; k < set->nrow; ++k) y[k] = velocity(cone, set->row + k, x);
    for (int k = 0; k < set->nrow; ++k) x[set->row + k] -= y[k] / l;
    const double norm = cd_set_norm(set, x);
    if (norm > radius)
        for (int k = 0; k < set->nrow; ++k) x[set->row + k] *= radius / norm;
}

void cd_gauss_seidel_sweeps(const cd_cone_problem* cone, int sweeps, double* x)
{
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (int b = 0; b < cone->nblock; ++b) {
            const cd_cone_block* block = &cone->block[b];
            if (block->equality >= 0) {
                const int    row = block->equality;
                const double d   = entry(cone, row, row);
                if (d > 0) x[row] -= velocity(cone, row, x) / d;
            }
            if (block->normal >= 0) {
                const int    row = block->normal;
                const double d   = entry(cone, row, row);
                if (d > 0) x[row] = fmax(0, x[row] - velocity(cone, row, x) / d);
            }
            for (int k = 0; k < block->nset; ++k) update_set(cone, &cone->set[block->first_set + k], x);
        }
}
