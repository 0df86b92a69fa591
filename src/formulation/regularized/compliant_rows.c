// SPDX-License-Identifier: BSD-3-Clause
// Sequential regularization of accelerations. With mu(0) = 0 every iteration s solves, implicitly for a(s),
//
//   (M + J'J/epsilon) a(s) = r - J'mu(s-1) + J'gamma/epsilon
//   mu(s) = mu(s-1) + (J a(s) - gamma)/epsilon
//
// in increments: the residuals of M a + J'mu = r and J a = gamma are computed from a and mu in sweeps over the tree, so
// that the iteration removes the round-off of the stiff factor together with the compliance of the rows. The error of a
// motion with mobility sigma = eig(J M^-1 J') across the rows is reduced to epsilon/(epsilon + sigma) per iteration;
// dependent rows have sigma = 0 and nothing to correct. Factor and iteration are linear where the fronts are. Paper
// 001, equations 3.6 and 3.12 (Ascher, Lin), at acceleration level; docs/theory/regularized.md.
#include "formulation/formulation_tolerances.h"
#include "formulation/regularized/compliant_rows.h"

#include "formulation/regularized/mobility.h"

#include <math.h>
#include <stdlib.h>

// Assign to every velocity the first row whose path contains it.
static void find_row_of_velocities(const cardan_model* m, const cd_rows* rows, int* row_of)
{
    for (int v = 0; v < m->nv; ++v) row_of[v] = CARDAN_NONE;
    for (int c = 0; c < rows->nblock; ++c)
        for (int n = 0; n < rows->block[c].nend; ++n)
            for (int i = rows->block[c].link[n]; i >= 0 && (m->link[i].nv == 0 || row_of[m->link[i].v] == CARDAN_NONE);
                 i     = m->link[i].parent)
                for (int v = m->link[i].v; v < m->link[i].v + m->link[i].nv; ++v) row_of[v] = rows->block[c].row;
}

cardan_status cd_compliant_analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    cd_compliant_rows* w   = work;
    double             sum = 0;
    int                n   = 0;
    if (!cd_fronts_analyse(m, rows, INFINITY, &w->reduction.fronts))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while ordering the equations of '%s'", m->view.name);
    w->row_of_velocity = cd_allocate((size_t)m->nv, sizeof(int));
    if (!w->row_of_velocity)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the loops of '%s'", m->view.name);
    find_row_of_velocities(m, rows, w->row_of_velocity);
    for (int i = 0; i < m->nlink; ++i) {
        const double *p = m->tree_transform[i].p, length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        sum += length;
        n += length > 0;
    }
    w->reduction.length = n > 0 ? sum / n : 1;
    return CARDAN_OK;
}

void cd_compliant_release(void* work)
{
    cd_compliant_rows* w = work;
    cd_fronts_release(&w->reduction.fronts);
    free(w->row_of_velocity);
}

void cd_compliant_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    cd_compliant_rows* w    = work;
    size_t             size = 0;
    for (int c = 0; c < rows->nblock; ++c) size += (size_t)(rows->block[c].nrow * rows->block[c].nend);
    cd_reduction_layout(m, rows, arena, &w->reduction);
    CD_ARENA_ARRAY(arena, w->block, rows->nblock);
    CD_ARENA_ARRAY(arena, w->G, size);
    CD_ARENA_ARRAY(arena, w->compliance, rows->nrow);
    CD_ARENA_ARRAY(arena, w->multiplier_sum, rows->nrow);
    CD_ARENA_ARRAY(arena, w->mobility, m->nlink);
    CD_ARENA_ARRAY(arena, w->motion_residual, m->nv);
    CD_ARENA_ARRAY(arena, w->row_residual, rows->nrow);
    CD_ARENA_ARRAY(arena, w->da, m->nv);
    CD_ARENA_ARRAY(arena, w->dmu, rows->nrow);
    CD_ARENA_ARRAY(arena, w->F, m->nlink);
    CD_ARENA_ARRAY(arena, w->probe, 2 * (m->nv + rows->nrow));
    CD_ARENA_ARRAY(arena, w->A, m->nlink + 1);
    if (w->A) *w->A++ = sv_zero();
}

// Return epsilon of one row: `regularization` times its mobility. A row whose mobility nearly vanishes, as at singular
// configurations, is compared with its upper bound.
static double row_compliance(const cd_compliant_rows* w, const cd_solve_policy* policy, const cd_row_block* b, int i,
                             double regularization)
{
    double       mobility_bound;
    const double mobility = cd_row_mobility(w->mobility, NULL, b, i, w->reduction.length, &mobility_bound);
    return mobility > cd_coupling_tolerance_sq(policy, cd_row_mobility_roundoff_sq) * mobility_bound
               ? regularization * fmax(mobility, cd_min_mobility_ratio * mobility_bound)
               : INFINITY;
}

static void copy_rows(const cd_rows* rows, cd_compliant_rows* w)
{
    spatial* G = w->G;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        const int           n = b->nrow * b->nend;
        w->block[c]           = *b;
        w->block[c].G         = G;
        for (int i = 0; i < n; ++i) *G++ = b->G[i];
    }
    w->rows            = *rows;
    w->rows.block      = w->block;
    w->rows.compliance = w->compliance;
}

cardan_status cd_compliant_factor(const cd_problem* p, cd_compliant_rows* w, double regularization, cd_solve_info* info)
{
    const cardan_model* m    = p->m;
    const cd_rows*      rows = p->rows;
    cd_reduction_set_poses(m, p->k, &w->reduction);
    if (rows->nrow > 0) cd_mobility(m, p->k, w->reduction.pose, w->mobility);
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = b->row; i < b->row + b->nrow; ++i)
            w->compliance[i] = cd_row_compliance(rows, i) > 0
                                   ? rows->compliance[i]
                                   : row_compliance(w, p->policy, b, i - b->row, regularization);
    }
    w->regularization = regularization;
    copy_rows(rows, w);
    return cd_reduction_factor(&(cd_problem){m, p->k, &w->rows, p->policy}, &w->reduction, info);
}

// Return the conditioning. Where rows act, a pivot is at least J^2/epsilon, otherwise at most the inertia that the
// velocity moves: times epsilon / inertia it is about 1, or nearly zero.
cd_pivot_conditioning cd_compliant_conditioning(const cd_problem* p, const cd_compliant_rows* w)
{
    const cardan_model*   m      = p->m;
    cd_pivot_conditioning result = {.min_pivot_rel = INFINITY, .min_pivot_row = CARDAN_NONE};
    int                   nstiff = 0;
    for (int s = 0; s < w->reduction.nstage; ++s) {
        const cd_elimination_stage* stage = &w->reduction.stage[s];
        if (w->row_of_velocity[stage->v] == CARDAN_NONE || !(m->inertia_scale[stage->v] > 0)) continue;
        const double x = w->regularization / (r_value(stage->D) * m->inertia_scale[stage->v]);
        if (x < cd_stiff_pivot_ratio) continue;
        ++nstiff;
        if (x < result.min_pivot_rel) {
            result.min_pivot_rel = x;
            result.min_pivot_row = w->row_of_velocity[stage->v];
        }
    }
    result.nnull = p->rows->nrow - nstiff;
    if (nstiff == 0) result.min_pivot_rel = 1;
    return result;
}

static void update_max(double* largest, real x) { *largest = fmax(*largest, fabs(r_value(x))); }

// Update the residual of the rows by da and dmu. Returns its relative size.
static double update_row_residual(const cd_rows* rows, cd_compliant_rows* w)
{
    double max_residual = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            const int row = b->row + i;
            real      sum = r_const(0);
            for (int n = 0; n < b->nend; ++n) {
                if (b->link[n] < 0) continue;
                const real term = sv_dot(b->G[i * b->nend + n], w->reduction.A[b->link[n]]);
                update_max(&w->row_term, term);
                sum = r_add(sum, term);
            }
            if (cd_row_compliance(rows, row) > 0) sum = r_sub(sum, r_mul(r_const(rows->compliance[row]), w->dmu[row]));
            w->row_residual[row] = r_sub(w->row_residual[row], sum);
            if (isfinite(w->compliance[row])) update_max(&max_residual, w->row_residual[row]);
        }
    }
    return w->row_term > 0 ? max_residual / w->row_term : 0;
}

// Update the residual of the equations of motion: forces I A + G'mu on the links, accumulated inward.
static double update_motion_residual(const cardan_model* m, const cd_rows* rows, cd_compliant_rows* w)
{
    const cd_reduction_workspace* f            = &w->reduction;
    double                        max_residual = 0;
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const mat3     R    = f->pose[i].R;
        w->F[i]             = sv_zero();
        if (link->is_massless) continue;
        const rigid   I = {r_const(link->m), v3_const(link->h), s3_const(link->I)};
        const spatial F = rigid_mul(I, (spatial){m3_tmul(R, f->A[i].a), m3_tmul(R, f->A[i].l)});
        w->F[i]         = (spatial){m3_mul(R, F.a), m3_mul(R, F.l)};
    }
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = b->row; i < b->row + b->nrow; ++i)
            if (f->row_weight[i] > 0)
                w->motion_term = fmax(w->motion_term, fabs(r_value(w->dmu[i])) / f->row_weight[i] * fmax(1, f->length));
        for (int i = 0; i < b->nrow; ++i)
            for (int n = 0; n < b->nend; ++n)
                if (b->link[n] >= 0)
                    w->F[b->link[n]] = sv_add_scaled(w->F[b->link[n]], w->dmu[b->row + i], b->G[i * b->nend + n]);
    }
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link* link = &m->link[i];
        const mat3     R    = f->pose[i].R;
        const vec3     n = m3_tmul(R, w->F[i].a), force = m3_tmul(R, w->F[i].l);
        for (int v = link->v; v < link->v + link->nv; ++v) {
            const real angular = v3_dot(f->k->S[v].a, n), linear = v3_dot(f->k->S[v].l, force);
            update_max(&w->motion_term, angular);
            update_max(&w->motion_term, linear);
            w->motion_residual[v] =
                r_sub(w->motion_residual[v], r_add(r_add(angular, linear), r_mul(r_const(m->armature[v]), w->da[v])));
            if (!(fabs(r_value(w->motion_residual[v])) <= max_residual)) {
                max_residual      = fabs(r_value(w->motion_residual[v]));
                w->worst_velocity = v;
            }
        }
        if (link->parent < 0) continue;
        const vec3 d = v3_sub(f->pose[i].p, f->pose[link->parent].p);
        w->F[link->parent] =
            sv_add(w->F[link->parent], (spatial){v3_add(w->F[i].a, v3_cross(d, w->F[i].l)), w->F[i].l});
    }
    return w->motion_term > 0 ? max_residual / w->motion_term : 0;
}

static void start_iteration(const cardan_model* m, const cd_rows* rows, cd_compliant_rows* w, const real* r,
                            const real* gamma, real* a, real* mu)
{
    w->motion_term = w->row_term = 0;
    w->residual_rel = w->motion_residual_rel = INFINITY;
    w->iterations                            = 0;
    for (int v = 0; v < m->nv; ++v) {
        a[v]                  = r_const(0);
        w->motion_residual[v] = r[v];
        update_max(&w->motion_term, r[v]);
    }
    w->rhs_size = w->motion_term;
    for (int i = 0; i < rows->nrow; ++i) {
        mu[i]              = r_const(0);
        w->row_residual[i] = gamma[i];
        update_max(&w->row_term, gamma[i]);
    }
}

// Iterate. An iteration that does not halve the residual, of all equations or of those of motion, is the last: the rest
// is round-off, or rows that no force can satisfy.
void cd_compliant_solve(const cd_problem* p, cd_compliant_rows* w, int max_iterations, const real* r, const real* gamma,
                        real* a, real* mu)
{
    const cardan_model* m    = p->m;
    const cd_rows*      rows = p->rows;
    start_iteration(m, rows, w, r, gamma, a, mu);
    const double tolerance = fmax(cd_compliant_residual_roundoff, p->policy->residual_tolerance);
    while (w->iterations < max_iterations) {
        cd_reduction_solve(m, &w->rows, &w->reduction, w->motion_residual, w->row_residual, w->da, w->dmu);
        w->last_change = w->max_acceleration = 0;
        for (int v = 0; v < m->nv; ++v) {
            a[v] = r_add(a[v], w->da[v]);
            update_max(&w->last_change, w->da[v]);
            update_max(&w->max_acceleration, a[v]);
        }
        for (int i = 0; i < rows->nrow; ++i) mu[i] = r_add(mu[i], w->dmu[i]);
        for (int i = 0; i < m->nlink; ++i)
            w->A[i] = w->iterations > 0 ? sv_add(w->A[i], w->reduction.A[i]) : w->reduction.A[i];
        ++w->iterations;
        if (w->iterations == max_iterations && max_iterations == 1) return;
        const double before = w->residual_rel, before_motion = w->motion_residual_rel,
                     row_residual_rel = update_row_residual(rows, w);
        w->motion_residual_rel        = update_motion_residual(m, rows, w);
        w->residual_rel               = fmax(row_residual_rel, w->motion_residual_rel);
        w->convergence_rate           = w->residual_rel / before;
        if (w->residual_rel <= tolerance ||
            !(w->residual_rel < cd_useful_residual_reduction * before ||
              w->motion_residual_rel < cd_useful_residual_reduction * fmin(before_motion, 1)))
            return;
    }
}

// The remaining change is estimated as a geometric series. Weak rows have small residuals but large remaining changes.
bool cd_compliant_is_slow(const cd_compliant_rows* w, double free_acceleration)
{
    const double remaining_change = w->last_change * w->convergence_rate / (1 - w->convergence_rate);
    return w->residual_rel > cd_compliant_converged_residual && w->convergence_rate < cd_stalled_convergence_rate &&
           remaining_change > cd_remaining_change_tolerance * fmax(w->max_acceleration, free_acceleration);
}
