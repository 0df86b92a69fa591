// SPDX-License-Identifier: BSD-3-Clause
// Right sides through the fronts: forces inward, accelerations outward. With f the force on the unknowns of a front,
// e = S'f + r, and everything else as it was eliminated:
//
//   inward    free      f <- f - h e/D                                             f begins with the forces on the link
//                       itself, where r comes in parts
//             geared    g0 = gamma(p)/phi(p),  gamma(i) <- gamma(i) - m(i) gamma(p),  f <- f - g0 h + (D g0 - e) g
//             waits     the force of the new scalar is e
//   outward   free      u = (e - h'V)/D
//             geared    u = g0 - g'V,  lambda(p) = (e - h'V - D u)/phi(p) - sum of m(i) lambda(i)
#include "formulation/front.h"

typedef struct walk {
    const cardan_model* m;
    cd_reducing*        w;
    real*               f; // force on the unknowns of the front, then their motion
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

// f of slot 0 as its parent feels it.
static void shift_force(const real* d, real* f)
{
    const vec3 c = v3_cross(v3(d[0], d[1], d[2]), v3(f[3], f[4], f[5]));
    f[0] = r_add(f[0], c.x), f[1] = r_add(f[1], c.y), f[2] = r_add(f[2], c.z);
}

// Motion of slot 0 from its parent's.
static void shift_motion(const real* d, real* f)
{
    const vec3 c = v3_cross(v3(f[0], f[1], f[2]), v3(d[0], d[1], d[2]));
    f[3] = r_add(f[3], c.x), f[4] = r_add(f[4], c.y), f[5] = r_add(f[5], c.z);
}

static inline void repeat_inward(const walk* x, cd_step_taken* s, int n6, int n, const real* r)
{
    cd_reducing* w = x->w;
    const real * S = w->tape + s->tape, *h = S + s->ncolumn;
    const int    at = s->scalar < 0 ? -1 : n6 + s->scalar;
    real         e  = r_lift(0);
    if (s->ncolumn > 0) {
        if (s->v < x->m->nv) e = r[s->v];
        for (int i = 0; i < s->ncolumn; ++i) e = r_add(e, r_mul(S[i], x->f[i]));
    } else {
        e = x->f[at];
    }
    s->e = e;
    if (s->kind == CD_WAITS) {
        x->f[at] = e;
    } else if (s->kind == CD_FREE) {
        const real u = r_mul(e, s->D);
        for (int i = 0; i < n; ++i) x->f[i] = r_sub(x->f[i], r_mul(h[i], u));
    } else {
        const real *g = h + n, *m = g + n;
        const real  gamma = w->rest[s->row], g0 = r_mul(gamma, s->phi), back = r_sub(r_mul(s->D, g0), e);
        for (int i = 0; i < n; ++i) x->f[i] = r_sub(r_add(x->f[i], r_mul(back, g[i])), r_mul(g0, h[i]));
        for (int i = 0; i < s->nother; ++i) {
            const int row = w->other[s->other + (size_t)i];
            w->rest[row]  = r_sub(w->rest[row], r_mul(m[i], gamma));
        }
        s->g0 = g0;
    }
}

spatial cd_reduction_load(const cd_reducing* w, int i)
{
    const cd_moving* here = &w->k->moving[i];
    spatial          F    = {v3_neg(here->n), v3_neg(here->f)};
    if (w->wrench) F = sv_add(F, w->wrench[i]);
    return (spatial){m3_mul(w->pose[i].R, F.a), m3_mul(w->pose[i].R, F.l)};
}

// Forces of the updates of all children of front k, the last one first, as their unknowns were mapped.
static void gather(const walk* x, int k, int n6, size_t* top)
{
    cd_reducing*         w       = x->w;
    const cd_front_plan* p       = &w->f.plan[k];
    int                  nscalar = 0;
    for (int i = 0; i < n6; ++i) x->f[i] = r_lift(0);
    if (w->split && p->link < x->m->nlink) write_motion(cd_reduction_load(w, p->link), x->f);
    for (int c = k - 1, left = p->nchild; left > 0; --left, c -= w->f.plan[c].size) {
        const cd_front_plan* q = &w->f.plan[c];
        *top -= (size_t)(6 * q->left + w->mark[c].nsurvive);
        const real* from = w->force + *top;
        for (int s = q->slot; s < q->slot + q->nslot; ++s) {
            const int to = w->f.slot_to[s];
            if (to < 0) continue;
            for (int j = 0; j < 6; ++j) x->f[6 * to + j] = r_add(x->f[6 * to + j], from[j]);
            from += 6;
        }
        for (int j = 0; j < w->mark[c].nsurvive; ++j) x->f[n6 + nscalar++] = *from++;
    }
}

// Rows with compliance are inertias; what they demand is a force.
static void push_soft(const walk* x, const cd_rows* rows, int k)
{
    const cd_fronts* f = &x->w->f;
    for (int q = f->plan[k].block; rows->compliance && q < f->plan[k].block + f->plan[k].nblock; ++q) {
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
    cd_reducing*         w  = x->w;
    const cd_front_plan* p  = &w->f.plan[k];
    real*                to = w->force + *top;
    for (int s = 0; s < p->nslot; ++s) {
        if (w->f.slot_to[p->slot + s] < 0) continue;
        for (int j = 0; j < 6; ++j) to[j] = x->f[6 * s + j];
        to += 6;
    }
    for (int s = w->mark[k].scalar, i = n6; s < w->mark[k + 1].scalar; ++s, ++i)
        if (w->survives[s]) *to++ = x->f[i];
    *top = (size_t)(to - w->force);
}

// Of a constraint's row, or of one that holds ground.
static real* multiplier(const cd_reducing* w, real* lambda, int row)
{
    return row < w->nrow ? lambda + row : w->hold + (row - w->nrow);
}

static inline void repeat_outward(const walk* x, const cd_step_taken* s, int n6, int n, real* a, real* lambda)
{
    cd_reducing* w = x->w;
    const real * S = w->tape + s->tape, *h = S + s->ncolumn;
    const int    at = s->scalar < 0 ? -1 : n6 + s->scalar;
    const real   e  = s->e;
    real* const  u  = s->v < x->m->nv ? a + s->v : w->base + (s->v - x->m->nv);
    if (s->kind == CD_FREE) {
        *u = r_mul(r_sub(e, dot(n, h, x->f)), s->D);
    } else if (s->kind == CD_GEARED) {
        const real *g = h + n, *m = g + n;
        *u     = r_sub(s->g0, dot(n, g, x->f));
        real l = r_mul(r_sub(r_sub(e, dot(n, h, x->f)), r_mul(s->D, *u)), s->phi);
        for (int i = 0; i < s->nother; ++i)
            l = r_sub(l, r_mul(m[i], *multiplier(w, lambda, w->other[s->other + (size_t)i])));
        *multiplier(w, lambda, s->row) = l;
    }
    if (s->ncolumn == 0) {
        x->f[at] = *u;
        return;
    }
    for (int j = 0; j < s->ncolumn; ++j) x->f[j] = r_add(x->f[j], r_mul(*u, S[j]));
}

// Motions of the bodies of a front, in slot 0 that of the parent, and of its scalars.
static void recall(const walk* x, int k, int n6, const real* a)
{
    const cd_reducing*   w = x->w;
    const cd_front_plan* p = &w->f.plan[k];
    write_motion(w->A[p->up], x->f);
    for (int s = 1; s < p->nslot; ++s) write_motion(w->A[w->f.slot_link[p->slot + s]], x->f + 6 * s);
    for (int s = w->mark[k].scalar, i = n6; s < w->mark[k + 1].scalar; ++s, ++i) {
        const int v = w->scalar[s];
        x->f[i]     = !w->survives[s] ? r_lift(0) : v < x->m->nv ? a[v] : w->base[v - x->m->nv];
    }
}

// What loads are made of, and right sides.
CD_ASKING void look_ahead(const cardan_model* m, const cd_reducing* w, int k, const real* r)
{
    if (k >= w->f.n) return;
    const cd_front_plan* p    = &w->f.plan[k];
    const cd_step_taken* step = &w->step[w->mark[k].step];
    if (p->v < m->nv) __builtin_prefetch(&r[p->v]);
    if (step->row >= 0) __builtin_prefetch(&w->rest[step->row], 1);
    if (!w->split || p->link >= m->nlink) return;
    cd_ask_for(&w->k->moving[p->link].n, 2 * sizeof(vec3));
    cd_ask_for(&w->pose[p->link], sizeof(mat3));
}

// Steps that are repeated backwards, and where their results go.
CD_ASKING void look_back(const cardan_model* m, const cd_reducing* w, int k, const real* a)
{
    if (k < 0) return;
    const cd_front_plan* p    = &w->f.plan[k];
    const cd_front_mark* mark = &w->mark[k];
    cd_ask_for(w->tape + mark->tape, (mark[1].tape - mark->tape) * sizeof *w->tape);
    cd_ask_for(w->step + mark->step, sizeof *w->step);
    if (p->v < m->nv) __builtin_prefetch(&a[p->v], 1);
    __builtin_prefetch(&w->A[p->link], 1);
}

static void sweep_inward(const walk* x, const cd_rows* rows, const real* r)
{
    cd_reducing* w   = x->w;
    size_t       top = 0;
    for (int k = 0; k < w->f.n; ++k) {
        const cd_front_plan* p        = &w->f.plan[k];
        const bool           backward = cd_front_is_backward(p);
        const real*          d        = w->tape + w->mark[k].tape;
        const int            n6       = 6 * p->nslot;
        look_ahead(x->m, w, k + CD_FRONTS_AHEAD, r);
        gather(x, k, n6, &top);
        if (rows->compliance) push_soft(x, rows, k);
        if (backward) shift_force(d, x->f);
        for (cd_step_taken *s = w->step + w->mark[k].step, *end = w->step + w->mark[k + 1].step; s < end; ++s) {
            if (s->n == 6)
                repeat_inward(x, s, n6, 6, r);
            else if (s->n == 12)
                repeat_inward(x, s, n6, 12, r);
            else
                repeat_inward(x, s, n6, s->n, r);
        }
        if (!backward && p->up >= 0) shift_force(d, x->f);
        scatter(x, k, n6, &top);
    }
}

static void sweep_outward(const walk* x, real* a, real* lambda)
{
    cd_reducing* w = x->w;
    for (int k = w->f.n - 1; k >= 0; --k) {
        const cd_front_plan* p        = &w->f.plan[k];
        const bool           backward = cd_front_is_backward(p);
        const real*          d        = w->tape + w->mark[k].tape;
        const int            n6       = 6 * p->nslot;
        look_back(x->m, w, k - CD_FRONTS_AHEAD, a);
        recall(x, k, n6, a);
        if (!backward && p->up >= 0) shift_motion(d, x->f);
        for (const cd_step_taken *s = w->step + w->mark[k + 1].step - 1, *first = w->step + w->mark[k].step; s >= first;
             --s) {
            if (s->n == 6)
                repeat_outward(x, s, n6, 6, a, lambda);
            else if (s->n == 12)
                repeat_outward(x, s, n6, 12, a, lambda);
            else
                repeat_outward(x, s, n6, s->n, a, lambda);
        }
        if (backward) shift_motion(d, x->f);
        w->A[p->link] = (spatial){v3(x->f[0], x->f[1], x->f[2]), v3(x->f[3], x->f[4], x->f[5])};
    }
}

void cd_reduction_solve(const cardan_model* m, const cd_rows* rows, cd_reducing* w, const real* r, const real* gamma,
                        real* a, real* lambda)
{
    const walk x = {.m = m, .w = w, .f = w->h};
    for (int i = 0; i < rows->nrow; ++i) {
        w->rest[i] = gamma[i];
        lambda[i]  = r_lift(0);
    }
    for (int i = 0; i < 6 * w->f.nroot; ++i) w->rest[w->nrow + i] = w->hold[i] = r_lift(0);
    sweep_inward(&x, rows, w->split ? w->effort : r);
    sweep_outward(&x, a, lambda);
    if (rows->compliance) pull_soft(w, rows, lambda);
}
