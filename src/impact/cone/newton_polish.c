// SPDX-License-Identifier: BSD-3-Clause
// For p near p_k, with scaled variables (d = 1):
//
//   F(x) = x - P(z) = 0,  z = x - (G x + q + delta (x - x_k)),  P_n = max(0, z_n),  P_t = projection of z_t onto the
//   disc of radius c max(0, z_n) + b                                             (Alart & Curnier 1991)
//
// F' = 1 - V (1 - G - delta), V = P'(z), is not symmetric; a step is halved until |F| decreases. Then x_k <- x, and
// delta falls with the residual: the term delta makes the matrix regular where impulses are not unique, and vanishes
// from the result.
#include "impact/cone/newton_polish.h"

#include "impact/cone/cone_projection.h"
#include "impact/dense_lu.h"

#include <math.h>

enum { MAX_ROUNDS = 60, MAX_FAILURES = 6, MAX_STEPS = 12, MAX_HALVINGS = 6 };

void cd_newton_polish_layout(cd_arena* arena, int max_rows, cd_newton_polish* work)
{
    CD_ARENA_ARRAY(arena, work->jacobian, (size_t)max_rows * (size_t)max_rows);
    CD_ARENA_ARRAY(arena, work->pivot, max_rows);
    CD_ARENA_ARRAY(arena, work->centre, max_rows);
    CD_ARENA_ARRAY(arena, work->best, max_rows);
    CD_ARENA_ARRAY(arena, work->y, max_rows);
    CD_ARENA_ARRAY(arena, work->z, max_rows);
    CD_ARENA_ARRAY(arena, work->F, max_rows);
    CD_ARENA_ARRAY(arena, work->dx, max_rows);
    CD_ARENA_ARRAY(arena, work->trial, max_rows);
    CD_ARENA_ARRAY(arena, work->V, 3 * (size_t)max_rows);
}

// Projection of the rows of a block; V (3 entries per row): derivatives by z_n and by the one or two rows of the set.
static void project_block(const cd_cone_problem* cone, const cd_cone_block* block, const double* z, double* P,
                          double* V)
{
    double normal = 0, slope = 0;
    for (int r = block->first; r < block->first + block->nrow; ++r) P[r] = V[3 * r] = V[3 * r + 1] = V[3 * r + 2] = 0;
    if (block->equality >= 0) {
        P[block->equality]     = z[block->equality];
        V[3 * block->equality] = 1;
    }
    if (block->normal >= 0) {
        const int row = block->normal;
        slope         = z[row] > 0;
        normal = P[row] = fmax(0, z[row]);
        V[3 * row]      = slope;
    }
    for (int k = 0; k < block->nset; ++k) {
        const cd_friction_set* set    = &cone->set[block->first_set + k];
        const double           radius = set->coefficient * normal + set->bound, norm = cd_set_norm(set, z);
        const int              r0 = set->row;
        for (int i = 0; i < set->nrow; ++i) {
            double* v = V + 3 * (r0 + i);
            if (norm <= radius) {
                P[r0 + i] = z[r0 + i];
                v[1 + i]  = 1;
                continue;
            }
            const double e = z[r0 + i] / norm;
            P[r0 + i]      = radius * e;
            v[0]           = set->coefficient * slope * e;
            for (int j = 0; j < set->nrow; ++j)
                v[1 + j] = set->nrow == 1 ? 0 : radius / norm * ((i == j) - e * z[r0 + j] / norm);
        }
    }
}

// F, V at x; returns |F|.
static double evaluate(const cd_cone_problem* cone, cd_newton_polish* w, const double* x, double delta)
{
    double square = 0;
    cd_cone_velocity(cone, x, w->y);
    for (int i = 0; i < cone->n; ++i) w->z[i] = x[i] - (w->y[i] + delta * (x[i] - w->centre[i]));
    for (int b = 0; b < cone->nblock; ++b) project_block(cone, &cone->block[b], w->z, w->F, w->V);
    for (int i = 0; i < cone->n; ++i) {
        w->F[i] = x[i] - w->F[i];
        square += w->F[i] * w->F[i];
    }
    return sqrt(square);
}

// Row `r` of the Jacobian: 1 - sum of v_k (1 - G - delta) over the rows k of its derivatives.
static void jacobian_row(const cd_cone_problem* cone, cd_newton_polish* w, int r, const int* rows, int count,
                         double delta)
{
    const int n = cone->n;
    for (int j = 0; j < n; ++j) w->jacobian[(long)j * n + r] = 0;
    w->jacobian[(long)r * n + r] = 1;
    for (int k = 0; k < count; ++k) {
        const double v = rows[k] < 0 ? 0 : w->V[3 * r + k];
        if (v == 0) continue;
        const double* G = cone->G + (long)rows[k] * n;
        for (int j = 0; j < n; ++j) w->jacobian[(long)j * n + r] += v * G[j];
        w->jacobian[(long)rows[k] * n + r] -= v * (1 - delta);
    }
}

static void fill_jacobian(const cd_cone_problem* cone, cd_newton_polish* w, double delta)
{
    for (int b = 0; b < cone->nblock; ++b) {
        const cd_cone_block* block = &cone->block[b];
        if (block->equality < 0 && block->normal < 0 && block->nset == 0 && block->nrow > 0) // open: x = 0
            jacobian_row(cone, w, block->first, &block->first, 0, delta);
        if (block->equality >= 0) jacobian_row(cone, w, block->equality, &block->equality, 1, delta);
        if (block->normal >= 0) jacobian_row(cone, w, block->normal, &block->normal, 1, delta);
        for (int k = 0; k < block->nset; ++k) {
            const cd_friction_set* set     = &cone->set[block->first_set + k];
            const int              rows[3] = {block->normal, set->row, set->row + 1};
            for (int i = 0; i < set->nrow; ++i) jacobian_row(cone, w, set->row + i, rows, 1 + set->nrow, delta);
        }
    }
}

// Newton's method for fixed delta; returns |F|.
static double newton(const cd_cone_problem* cone, cd_newton_polish* w, double* x, double delta, double goal,
                     int last_solve, int* solves)
{
    const int n    = cone->n;
    double    norm = evaluate(cone, w, x, delta);
    for (int step = 0; step < MAX_STEPS && norm > goal && *solves < last_solve; ++step) {
        fill_jacobian(cone, w, delta);
        ++*solves;
        if (cd_dense_lu(n, w->jacobian, w->pivot, 0, NULL) == 0) break;
        for (int i = 0; i < n; ++i) w->dx[i] = -w->F[i];
        cd_dense_lu_solve(n, w->jacobian, w->pivot, w->dx);
        double length = 1, next = INFINITY;
        for (int halving = 0; halving <= MAX_HALVINGS; ++halving, length /= 2) {
            for (int i = 0; i < n; ++i) w->trial[i] = x[i] + length * w->dx[i];
            next = evaluate(cone, w, w->trial, delta);
            if (next < norm) break;
        }
        if (!(next < norm)) break;
        for (int i = 0; i < n; ++i) x[i] = w->trial[i];
        norm = next;
    }
    return norm;
}

double cd_newton_polish_run(const cd_cone_problem* cone, cd_newton_polish* work, double* x, double tolerance,
                            int max_solves, int* solves)
{
    const int n = cone->n, last_solve = *solves + max_solves;
    cd_cone_velocity(cone, x, work->y);
    double best = cd_cone_residual(cone, x, work->y), last = best, factor = 10;
    for (int i = 0; i < n; ++i) work->best[i] = x[i];
    for (int round = 0, failures = 0;
         round < MAX_ROUNDS && failures < MAX_FAILURES && best > tolerance && *solves < last_solve; ++round) {
        const double delta = fmin(1, fmin(1e-3 * factor, factor * last)), goal = 0.1 * fmin(1e-2 * last, tolerance);
        for (int i = 0; i < n; ++i) work->centre[i] = x[i];
        const bool is_solved = newton(cone, work, x, delta, goal, last_solve, solves) <= fmax(goal, 1e-3 * last);
        cd_cone_velocity(cone, x, work->y);
        const double residual = cd_cone_residual(cone, x, work->y);
        const bool   is_less  = residual < 0.9 * best;
        if (residual < best) {
            best = residual;
            for (int i = 0; i < n; ++i) work->best[i] = x[i];
        }
        failures = is_less ? 0 : failures + 1;
        if (is_solved) {
            last   = residual;
            factor = fmax(10, factor / 3);
        } else {
            factor *= 10;
            if (!is_less)
                for (int i = 0; i < n; ++i) x[i] = work->centre[i];
            else
                last = residual;
        }
    }
    for (int i = 0; i < n; ++i) x[i] = work->best[i];
    return best;
}
