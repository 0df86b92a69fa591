// SPDX-License-Identifier: BSD-3-Clause
// Formulations other than embedding leave fewer operations in long chains of loops. What they decide at the sample
// state is judged by its outcome: what accelerations and multipliers leave of the equations, where lambda may stand for
// any of those that do the same,
//
//   left^2 = |M a + J'lambda - r|^2 / (|r|^2 + sum |I A|^2)
//            + |J a - gamma|^2 / sum |G|^2 (|A|^2 + sum (r / resistance)^2)
//
// r = effort + Q - c; A moves a link, whose inertia is I; a row of constraints is the sum of G A over its ends, and may
// be all rounding as a row of J; accelerations are differences of those that joints would have alone. Nothing here is
// decided at the sample state, and all rows are looked at, those too that repeated others there: with M > 0 both vanish
// at the accelerations of the mechanism and nowhere else. Errors were up to 25 times that.
#include "generate/whole.h"

#include <float.h>

typedef struct remaining {
    real *   r, *c, *y;
    spatial* wrench;
    cd_arena arena;
} remaining;

static void layout(const cardan_model* m, const whole* w, remaining* e)
{
    CD_TAKE(&e->arena, e->r, m->nv);
    CD_TAKE(&e->arena, e->c, w->closure.nrow);
    CD_TAKE(&e->arena, e->y, w->rotors.nrow);
    CD_TAKE(&e->arena, e->wrench, m->nlink);
}

static real add_square(real sum, real x) { return r_add(sum, r_mul(x, x)); }

static real left_of(const cardan_model* m, const whole* w, const remaining* e)
{
    const real nothing = r_lift(DBL_MIN); // where nothing moves
    real       r = r_lift(0), c = r_lift(0), all_r = nothing, all_c = nothing, alone = r_lift(0);
    for (int i = 0; i < m->nv; ++i) {
        all_r = add_square(all_r, w->r[i]);
        r     = add_square(r, e->r[i]);
        if (m->resistance[i] > 0) alone = add_square(alone, r_mul(w->r[i], r_folded(1 / m->resistance[i])));
    }
    for (int i = 0; i < m->nlink; ++i) {
        const mat3    R = w->world.pose[i].R;
        const spatial A = w->world.acceleration[i];
        const rigid   I = {r_lift(m->link[i].m), v3_lift(m->link[i].h), s3_lift(m->link[i].I)};
        const spatial f = rigid_mul(I, (spatial){m3_tmul(R, A.a), m3_tmul(R, A.l)});
        all_r           = r_add(all_r, sv_dot(f, f));
    }
    for (int i = 0; i < w->closure.nrow; ++i) c = add_square(c, e->c[i]);
    for (int i = 0; i < w->closure.nconstraint; ++i) {
        const cd_constraint* k = &w->closure.constraint[i];
        for (int n = 0; n < k->nend; ++n) {
            const spatial A = w->world.acceleration[cd_end_at(k, n)->link];
            real          G = r_lift(0);
            for (int row = 0; row < k->nrow; ++row) {
                const spatial g = w->closure.equations[i].G[row * k->nend + n];
                G               = r_add(G, sv_dot(g, g));
            }
            all_c = r_add(all_c, r_mul(G, r_add(sv_dot(A, A), alone)));
        }
    }
    const real motion = r_div(r, all_r);
    return w->closure.nrow > 0 ? r_add(motion, r_div(c, all_c)) : motion;
}

cardan_status cd_whole_left(const cardan_model* m, whole* w, real* square)
{
    remaining e = {0};
    layout(m, w, &e);
    cardan_status status = cd_arena_reserve(&e.arena) ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        layout(m, w, &e);
        status = cd_whole_residual(m, w, w->a, w->lambda, e.wrench, e.y, e.r, e.c);
    }
    if (status == CARDAN_OK) *square = left_of(m, w, &e);
    cd_arena_release(&e.arena);
    return status;
}
