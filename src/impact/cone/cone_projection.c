// SPDX-License-Identifier: BSD-3-Clause
// The normal component of the projection minimizes (x - z_n)^2 + sum max(0, |z_t| - c x - b)^2 over x >= 0: a convex
// function of one variable. Starting with all sets of friction, those that the minimum leaves inside are dropped; the
// minimum then grows, so that at most as many passes as sets are needed.
#include "impact/cone/cone_projection.h"

#include <math.h>

double cd_set_norm(const cd_friction_set* set, const double* x)
{
    return set->nrow == 1 ? fabs(x[set->row]) : sqrt(x[set->row] * x[set->row] + x[set->row + 1] * x[set->row + 1]);
}

static double nearest_normal(const cd_friction_set* set, int nset, double z, const double* norm)
{
    bool   is_active[CD_CONE_MAX_SETS] = {true, true, true};
    double x                           = z;
    for (int pass = 0; pass <= nset; ++pass) {
        double sum = z, weight = 1;
        for (int k = 0; k < nset; ++k) {
            if (!is_active[k]) continue;
            sum += set[k].coefficient * (norm[k] - set[k].bound);
            weight += set[k].coefficient * set[k].coefficient;
        }
        x             = sum / weight;
        bool is_equal = true;
        for (int k = 0; k < nset; ++k)
            if (is_active[k] && norm[k] <= set[k].coefficient * x + set[k].bound) {
                is_active[k] = false;
                is_equal     = false;
            }
        if (is_equal) break;
    }
    return fmax(x, 0);
}

void cd_cone_project(const cd_friction_set* set, int nset, bool has_normal, double* z)
{
    double norm[CD_CONE_MAX_SETS] = {0}, normal = 0;
    for (int k = 0; k < nset; ++k) norm[k] = cd_set_norm(&set[k], z);
    if (has_normal) normal = z[0] = nearest_normal(set, nset, z[0], norm);
    for (int k = 0; k < nset; ++k) {
        const double radius = set[k].coefficient * normal + set[k].bound;
        if (norm[k] <= radius) continue;
        for (int r = set[k].row; r < set[k].row + set[k].nrow; ++r) z[r] *= radius / norm[k];
    }
}

double cd_cone_distance(const cd_friction_set* set, int nset, bool has_normal, int nrow, const double* x,
                        const double* y)
{
    double z[CD_CONE_MAX_ROWS], square = 0;
    for (int i = 0; i < nrow; ++i) z[i] = x[i] - y[i];
    for (int k = 0; has_normal && k < nset; ++k) z[0] -= set[k].coefficient * cd_set_norm(&set[k], y);
    cd_cone_project(set, nset, has_normal, z);
    for (int i = 0; i < nrow; ++i) square += (x[i] - z[i]) * (x[i] - z[i]);
    return sqrt(square);
}

double cd_cone_block_residual(const cd_cone_problem* cone, const cd_cone_block* block, const double* x, const double* y)
{
    cd_friction_set set[CD_CONE_MAX_SETS];
    if (block->equality >= 0) return fabs(y[block->equality]);
    if (block->normal < 0 && block->nset == 0) return block->nrow > 0 ? fabs(x[block->first]) : 0; // held open
    for (int k = 0; k < block->nset; ++k) {
        set[k] = cone->set[block->first_set + k];
        set[k].row -= block->first;
    }
    return cd_cone_distance(set, block->nset, block->normal >= 0, block->nrow, x + block->first, y + block->first);
}
