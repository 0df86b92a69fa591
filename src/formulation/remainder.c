// SPDX-License-Identifier: BSD-3-Clause
// Two sweeps over the tree; remainder.h says what they compute.
#include "formulation/remainder.h"

static const double digits_wanted = 1e-12;
enum { MOST_CORRECTIONS = 3 };

void cd_remainder_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_remainder* rest)
{
    CD_TAKE(arena, rest->A, m->nlink + 1);
    CD_TAKE(arena, rest->F, m->nlink + 1);
    CD_TAKE(arena, rest->s, m->nv + rows->nrow);
    CD_TAKE(arena, rest->a, m->nv);
    CD_TAKE(arena, rest->lambda, rows->nrow);
    if (rest->A) *rest->A++ = sv_zero();
    if (rest->F) *rest->F++ = sv_zero();
}

static void leave_rows(const cd_kinematics* k, const cd_rows* rows, const cd_remainder* rest, const real* gamma,
                       const real* lambda, real* t)
{
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            const int row = b->row + i;
            real      sum = gamma[row];
            if (cd_compliance(rows, row) > 0) sum = r_add(sum, r_mul(r_lift(rows->compliance[row]), lambda[row]));
            for (int n = 0; n < b->nend; ++n) {
                const int link = b->link[n];
                if (link < 0) continue;
                const mat3    R = k->world[link].R;
                const spatial G = b->G[i * b->nend + n], own = {m3_tmul(R, G.a), m3_tmul(R, G.l)};
                sum           = r_sub(sum, sv_dot(own, rest->A[link]));
                rest->F[link] = sv_add_scaled(rest->F[link], lambda[row], own);
            }
            t[row] = sum;
        }
    }
}

void cd_remainder_find(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, const cd_remainder* rest,
                       const real* gamma, const real* a, const real* lambda)
{
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const rigid    I    = {r_lift(link->m), v3_lift(link->h), s3_lift(link->I)};
        rest->A[i]          = link->parent < 0 ? sv_zero() : sv_motion_in(k->X[i], rest->A[link->parent]);
        for (int v = link->v; v < link->v + link->nv; ++v) rest->A[i] = sv_add_scaled(rest->A[i], a[v], k->S[v]);
        rest->F[i] = cd_own_load(m, k, i, rest->wrench ? &rest->wrench[i] : NULL);
        if (!link->bare) rest->F[i] = sv_add(rest->F[i], rigid_mul(I, rest->A[i]));
    }
    leave_rows(k, rows, rest, gamma, lambda, rest->s + m->nv);
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link* link = &m->link[i];
        for (int v = link->v; v < link->v + link->nv; ++v) {
            rest->s[v] = r_sub(rest->effort[v], sv_dot(k->S[v], rest->F[i]));
            if (m->armature[v] != 0) rest->s[v] = r_sub(rest->s[v], r_mul(r_lift(m->armature[v]), a[v]));
        }
        if (link->parent >= 0) rest->F[link->parent] = sv_add(rest->F[link->parent], sv_force_out(k->X[i], rest->F[i]));
    }
}

void cd_remainder_refine(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, const cd_remainder* rest,
                         cd_solve_once once, void* work, const real* gamma, double free, real* a, real* lambda)
{
    double before = INFINITY;
    for (int n = 0; n < MOST_CORRECTIONS; ++n) {
        double change = 0, size = free;
        cd_remainder_find(m, k, rows, rest, gamma, a, lambda);
        once(m, k, rows, work, rest->s, rest->s + m->nv, rest->a, rest->lambda);
        for (int v = 0; v < m->nv; ++v) {
            change = fmax(change, fabs(r_value(rest->a[v])));
            size   = fmax(size, fabs(r_value(a[v])));
        }
        if (!(change < 0.1 * fmin(before, size))) return;
        for (int v = 0; v < m->nv; ++v) a[v] = r_add(a[v], rest->a[v]);
        for (int i = 0; i < rows->nrow; ++i) lambda[i] = r_add(lambda[i], rest->lambda[i]);
        if (change < digits_wanted * size) return;
        before = change;
    }
}
