// SPDX-License-Identifier: BSD-3-Clause
// Relative residual of the equations. Formulations other than embedding need fewer operations for long chains of loops.
// The decisions that they make at the trace state are judged by the residuals of accelerations and multipliers; lambda
// may be any of those with the same J'lambda,
//
//   residual^2 = |M a + J'lambda - r|^2 / (|r|^2 + sum |I A|^2)
//                + |J a - gamma|^2 / sum |G|^2 (|A|^2 + sum (r / inertia scale)^2)
//
// r = effort + Q - c; A is the acceleration of a link with inertia I. A constraint row is the sum of G A over its ends;
// as a row of J it may be round-off only. Accelerations are differences of the accelerations without constraints.
// Nothing in this formula is decided at the trace state, and it contains all rows, including those that were redundant
// there: with M > 0 both terms vanish at the accelerations of the mechanism and nowhere else. Measured errors were up
// to 25 times it.
#include "generate/trace/traced_mechanism.h"

#include <float.h>

typedef struct residual_work {
    real *   r, *c, *y;
    spatial* wrench;
    cd_arena arena;
} residual_work;

static void layout(const cardan_model* m, const traced_mechanism* w, residual_work* e)
{
    CD_ARENA_ARRAY(&e->arena, e->r, m->nv);
    CD_ARENA_ARRAY(&e->arena, e->c, w->constraints.nrow);
    CD_ARENA_ARRAY(&e->arena, e->y, w->rotors.nrow);
    CD_ARENA_ARRAY(&e->arena, e->wrench, m->nlink);
}

static real add_square(real sum, real x) { return r_add(sum, r_mul(x, x)); }

static real relative_residual_sq(const cardan_model* m, const traced_mechanism* w, const residual_work* e)
{
    const real smallest = r_const(DBL_MIN); // avoids 0/0 without forces and motion
    real       r = r_const(0), c = r_const(0), force_scale_sq = smallest, constraint_scale_sq = smallest,
         unconstrained_sq = r_const(0);
    for (int i = 0; i < m->nv; ++i) {
        force_scale_sq = add_square(force_scale_sq, w->r[i]);
        r              = add_square(r, e->r[i]);
        if (m->inertia_scale[i] > 0)
            unconstrained_sq = add_square(unconstrained_sq, r_mul(w->r[i], r_folded(1 / m->inertia_scale[i])));
    }
    for (int i = 0; i < m->nlink; ++i) {
        const mat3    R = w->world.pose[i].R;
        const spatial A = w->world.acceleration[i];
        const rigid   I = {r_const(m->link[i].m), v3_const(m->link[i].h), s3_const(m->link[i].I)};
        const spatial f = rigid_mul(I, (spatial){m3_tmul(R, A.a), m3_tmul(R, A.l)});
        force_scale_sq  = r_add(force_scale_sq, sv_dot(f, f));
    }
    for (int i = 0; i < w->constraints.nrow; ++i) c = add_square(c, e->c[i]);
    for (int i = 0; i < w->constraints.nconstraint; ++i) {
        const cd_constraint* k = &w->constraints.constraint[i];
        for (int n = 0; n < k->nend; ++n) {
            const spatial A = w->world.acceleration[cd_constraint_end(k, n)->link];
            real          G = r_const(0);
            for (int row = 0; row < k->nrow; ++row) {
                const spatial g = w->constraints.equations[i].G[row * k->nend + n];
                G               = r_add(G, sv_dot(g, g));
            }
            constraint_scale_sq = r_add(constraint_scale_sq, r_mul(G, r_add(sv_dot(A, A), unconstrained_sq)));
        }
    }
    const real motion = r_div(r, force_scale_sq);
    return w->constraints.nrow > 0 ? r_add(motion, r_div(c, constraint_scale_sq)) : motion;
}

cardan_status cd_traced_mechanism_relative_residual(const cardan_model* m, traced_mechanism* w, real* residual_sq)
{
    residual_work e = {0};
    layout(m, w, &e);
    cardan_status status = cd_arena_reserve(&e.arena) ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        layout(m, w, &e);
        status = cd_traced_mechanism_residual(m, w, w->a, w->lambda, e.wrench, e.y, e.r, e.c);
    }
    if (status == CARDAN_OK) *residual_sq = relative_residual_sq(m, w, &e);
    cd_arena_release(&e.arena);
    return status;
}
