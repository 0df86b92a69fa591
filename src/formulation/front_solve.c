// SPDX-License-Identifier: BSD-3-Clause
// Right sides through the fronts: forces inward, accelerations outward. With f the force on the unknowns of a front,
// e = S'f + r, and everything else as it was eliminated:
//
//   inward    free      f <- f - h e/D                                             f begins with the forces on the link itself, where r comes in parts
//             geared    g0 = gamma(p)/phi(p),  gamma(i) <- gamma(i) - m(i) gamma(p),  f <- f - g0 h + (D g0 - e) g
//             waits     the force of the new scalar is e
//   outward   free      u = (e - h'V)/D
//             geared    u = g0 - g'V,  lambda(p) = (e - h'V - D u)/phi(p) - sum of m(i) lambda(i)
#include "formulation/front.h"

typedef struct walk {
    const cardan_model* m;
    cd_reducing*       w;
    real*               f;  // force on the unknowns of the front, then their motion
} walk;

static real dot(int n, const real* a, const real* b)
{
    // three sums beside each other do not wait for each other; n is a multiple of 3 but for scalars
    real sum[3] = {r_lift(0), r_lift(0), r_lift(0)};
    int  i      = 0;
    for (; i + 3 <= n; i += 3)
        for (int j = 0; j < 3; ++j) sum[j] = r_add(sum[j], r_mul(a[i + j], b[i + j]));
    for (; i < n; ++i) sum[0] = r_add(sum[0], r_mul(a[i], b[i]));
    return r_add(r_add(sum[0], sum[1]), sum[2]);
}

static void write_motion(spatial A, real* f)
{
    f[0] = A.a.x, f[1] = A.a.y, f[2] = A.a.z, f[3] = A.l.x, f[4] = A.l.y, f[5] = A.l.z;
}

// How many unknowns of bodies front k has.
static int bodies_of(const cd_fronts* f, int k) { return 6 * (f->first_slot[k + 1] - f->first_slot[k]); }

static void repeat_inward(const walk* x, const cd_step_taken* s, int n6, const real* r)
{
    cd_reducing* w  = x->w;
    const real*   h  = w->tape + s->tape;
    const int     at = s->scalar < 0 ? -1 : n6 + s->scalar;
    real          e  = r_lift(0);
    if (at < 0 || s->kind == CD_WAITS) {
        const spatial S = w->E[s->v];
        e = r_add(s->v < x->m->nv ? r[s->v] : r_lift(0), sv_dot(S, (spatial){v3(x->f[0], x->f[1], x->f[2]), v3(x->f[3], x->f[4], x->f[5])}));
    } else {
        e = x->f[at];
    }
    w->e[s->v] = e;
    if (s->kind == CD_WAITS) {
        x->f[at] = e;
    } else if (s->kind == CD_FREE) {
        const real u = r_mul(e, s->D);
        for (int i = 0; i < s->n; ++i) x->f[i] = r_sub(x->f[i], r_mul(h[i], u));
    } else {
        const real *g = h + s->n, *m = g + s->n;
        const real  gamma = w->rest[s->row], g0 = r_mul(gamma, s->phi), back = r_sub(r_mul(s->D, g0), e);
        for (int i = 0; i < s->n; ++i) x->f[i] = r_sub(r_add(x->f[i], r_mul(back, g[i])), r_mul(g0, h[i]));
        for (int i = 0; i < s->nother; ++i) {
            const int row = w->other[s->other + (size_t)i];
            w->rest[row]  = r_sub(w->rest[row], r_mul(m[i], gamma));
        }
        w->g0[s->v] = g0;
    }
}

// Forces of the updates of all children of front k, the last one first, as their unknowns were mapped.
static void gather(const walk* x, int k, int n6, size_t* top)
{
    cd_reducing* w       = x->w;
    int           nscalar = 0;
    for (int i = 0; i < n6; ++i) x->f[i] = r_lift(0);
    if (w->split && w->f.link[k] < x->m->nlink) write_motion(w->load[w->f.link[k]], x->f);
    for (int c = k - 1, left = w->f.nchild[k]; left > 0; --left, c -= w->f.size[c]) {
        *top -= (size_t)(6 * w->f.left[c] + w->nsurvive[c]);
        const real* from = w->force + *top;
        for (int s = w->f.first_slot[c]; s < w->f.first_slot[c + 1]; ++s) {
            const int to = w->f.slot_to[s];
            for (int j = 0; to >= 0 && j < 6; ++j) x->f[6 * to + j] = r_add(x->f[6 * to + j], *from++);
        }
        for (int j = 0; j < w->nsurvive[c]; ++j) x->f[n6 + nscalar++] = *from++;
    }
}

// Rows with compliance are inertias; what they demand is a force.
static void push_soft(const walk* x, const cd_rows* rows, int k)
{
    const cd_fronts* f = &x->w->f;
    for (int q = f->first_block[k]; rows->compliance && q < f->first_block[k + 1]; ++q) {
        const cd_row_block* b    = &rows->block[f->block[q]];
        const int*          slot = f->end_slot + f->first_end[f->block[q]];
        for (int i = 0; i < b->nrow; ++i) {
            if (!(rows->compliance[b->row + i] > 0)) continue;
            const real c = r_div(x->w->rest[b->row + i], r_lift(rows->compliance[b->row + i]));
            for (int n = 0; n < b->nend; ++n) {
                if (slot[n] < 0) continue;
                const spatial F    = sv_scale(c, b->G[i * b->nend + n]);
                const real    g[6] = {F.a.x, F.a.y, F.a.z, F.l.x, F.l.y, F.l.z};
                for (int j = 0; j < 6; ++j) x->f[6 * slot[n] + j] = r_add(x->f[6 * slot[n] + j], g[j]);
            }
        }
    }
}

// lambda = (G A - gamma) / compliance
static void pull_soft(const cd_reducing* w, const cd_rows* rows, real* lambda)
{
    for (int c = 0; rows->compliance && c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            if (!(rows->compliance[b->row + i] > 0)) continue;
            real sum = r_neg(w->rest[b->row + i]);
            for (int n = 0; n < b->nend; ++n)
                if (b->link[n] >= 0) sum = r_add(sum, sv_dot(b->G[i * b->nend + n], w->A[b->link[n]]));
            lambda[b->row + i] = r_div(sum, r_lift(rows->compliance[b->row + i]));
        }
    }
}

static void scatter(const walk* x, int k, int n6, size_t* top)
{
    cd_reducing* w      = x->w;
    const int     link   = w->f.link[k], parent = w->f.up[link];
    real*         to     = w->force + *top;
    if (parent >= 0) {
        const vec3 d = v3_sub(w->pose[link].p, w->pose[parent].p), c = v3_cross(d, v3(x->f[3], x->f[4], x->f[5]));
        x->f[0] = r_add(x->f[0], c.x), x->f[1] = r_add(x->f[1], c.y), x->f[2] = r_add(x->f[2], c.z);
    }
    for (int s = w->f.first_slot[k], i = 0; s < w->f.first_slot[k + 1]; ++s, i += 6)
        for (int j = 0; w->f.slot_to[s] >= 0 && j < 6; ++j) *to++ = x->f[i + j];
    for (int s = w->first_scalar[k], i = n6; s < w->first_scalar[k + 1]; ++s, ++i)
        if (w->survives[s]) *to++ = x->f[i];
    *top = (size_t)(to - w->force);
}

// Of a constraint's row, or of one that holds ground.
static real* multiplier(const cd_reducing* w, real* lambda, int row) { return row < w->nrow ? lambda + row : w->hold + (row - w->nrow); }

static void repeat_outward(const walk* x, const cd_step_taken* s, int n6, real* a, real* lambda)
{
    cd_reducing* w  = x->w;
    const real*   h  = w->tape + s->tape;
    const int     at = s->scalar < 0 ? -1 : n6 + s->scalar;
    const real    e  = w->e[s->v];
    real* const   u  = s->v < x->m->nv ? a + s->v : w->base + (s->v - x->m->nv);
    if (s->kind == CD_FREE) {
        *u = r_mul(r_sub(e, dot(s->n, h, x->f)), s->D);
    } else if (s->kind == CD_GEARED) {
        const real *g = h + s->n, *m = g + s->n;
        *u           = r_sub(w->g0[s->v], dot(s->n, g, x->f));
        real l       = r_mul(r_sub(r_sub(e, dot(s->n, h, x->f)), r_mul(s->D, *u)), s->phi);
        for (int i = 0; i < s->nother; ++i) l = r_sub(l, r_mul(m[i], *multiplier(w, lambda, w->other[s->other + (size_t)i])));
        *multiplier(w, lambda, s->row) = l;
    }
    if (at >= 0 && s->kind != CD_WAITS) {
        x->f[at] = *u;
        return;
    }
    const spatial S = w->E[s->v];
    const real    c[6] = {S.a.x, S.a.y, S.a.z, S.l.x, S.l.y, S.l.z};
    for (int j = 0; j < 6; ++j) x->f[j] = r_add(x->f[j], r_mul(*u, c[j]));
}

// Motions of the bodies of a front, the link itself as its parent carries it, and of its scalars.
static void recall(const walk* x, int k, int n6, const real* a)
{
    const cd_reducing* w    = x->w;
    const int           link = w->f.link[k], parent = w->f.up[link];
    spatial             A = sv_zero();
    if (parent >= 0) {
        A   = w->A[parent];
        A.l = v3_add(A.l, v3_cross(A.a, v3_sub(w->pose[link].p, w->pose[parent].p)));
    }
    write_motion(A, x->f);
    for (int s = w->f.first_slot[k] + 1, i = 6; s < w->f.first_slot[k + 1]; ++s, i += 6) write_motion(w->A[w->f.slot_link[s]], x->f + i);
    for (int s = w->first_scalar[k], i = n6; s < w->first_scalar[k + 1]; ++s, ++i) {
        const int v = w->scalar[s];
        x->f[i]     = !w->survives[s] ? r_lift(0) : v < x->m->nv ? a[v] : w->base[v - x->m->nv];
    }
}

void cd_reduction_split(const cardan_model* m, const cd_kinematics* k, cd_reducing* w, const real* effort, const spatial* wrench)
{
    if (w->nrow == 0) return;  // in trees pivots alone decide
    for (int i = 0; i < m->nlink; ++i) {
        const spatial F = cd_own_load(m, k, i, wrench ? &wrench[i] : NULL);
        w->load[i]      = (spatial){v3_neg(m3_mul(w->pose[i].R, F.a)), v3_neg(m3_mul(w->pose[i].R, F.l))};
    }
    w->effort = effort;
    w->split  = true;
}

void cd_reduction_solve(const cardan_model* m, const cd_rows* rows, cd_reducing* w, const real* r, const real* gamma, real* a, real* lambda)
{
    const walk x   = {.m = m, .w = w, .f = w->h};
    size_t     top = 0;
    if (w->split) r = w->effort;
    for (int i = 0; i < rows->nrow; ++i) {
        w->rest[i] = gamma[i];
        lambda[i]  = r_lift(0);
    }
    for (int i = 0; i < 6 * w->f.nroot; ++i) w->rest[w->nrow + i] = w->hold[i] = r_lift(0);
    for (int k = 0; k < w->f.n; ++k) {
        const int n6 = bodies_of(&w->f, k);
        gather(&x, k, n6, &top);
        push_soft(&x, rows, k);
        for (int s = w->first_step[k]; s < w->first_step[k + 1]; ++s) repeat_inward(&x, &w->step[s], n6, r);
        scatter(&x, k, n6, &top);
    }
    for (int k = w->f.n - 1; k >= 0; --k) {
        const int n6 = bodies_of(&w->f, k);
        recall(&x, k, n6, a);
        for (int s = w->first_step[k + 1] - 1; s >= w->first_step[k]; --s) repeat_outward(&x, &w->step[s], n6, a, lambda);
        w->A[w->f.link[k]] = (spatial){v3(x.f[0], x.f[1], x.f[2]), v3(x.f[3], x.f[4], x.f[5])};
    }
    pull_soft(w, rows, lambda);
}
