// SPDX-License-Identifier: BSD-3-Clause
// Solve through the fronts: forces inward, accelerations outward. With f the force on the unknowns of a front, e = S'f
// + r, and the other quantities of front_factor.c:
//
//   inward    initially     f is the wrench on the link itself, if r is given by its terms
//             independent   f <- f - h e/D
//             dependent     g0 = gamma(p)/phi(p),  gamma(i) <- gamma(i) - m(i) gamma(p),  f <- f - g0 h + (D g0 - e) g
//             delayed       the force of the new scalar is e
//   outward   independent   u = (e - h'V)/D
//             dependent     u = g0 - g'V,  lambda(p) = (e - h'V - D u)/phi(p) - sum of m(i) lambda(i)
#include "formulation/coordinate_reduction/fronts.h"

typedef struct front_sweep {
    const cardan_model*     m;
    cd_reduction_workspace* w;
    real*                   f; // force on the unknowns of the front, then their motion
} front_sweep;

static real dot(int n, const real* a, const real* b)
{
    // three independent sums for instruction-level parallelism; n is a multiple of 3 except with scalars
    real sum[3] = {r_const(0), r_const(0), r_const(0)};
    int  i      = 0;
    for (; i + 3 <= n; i += 3)
        for (int j = 0; j < 3; ++j) sum[j] = r_add(sum[j], r_mul(a[i + j], b[i + j]));
    for (; i < n; ++i) sum[0] = r_add(sum[0], r_mul(a[i], b[i]));
    return r_add(r_add(sum[0], sum[1]), sum[2]);
}

static void write_spatial(spatial A, real* f)
{
    f[0] = A.a.x, f[1] = A.a.y, f[2] = A.a.z, f[3] = A.l.x, f[4] = A.l.y, f[5] = A.l.z;
}

// Shift the force of slot 0 to the parent.
static void shift_force(const real* d, real* f)
{
    const vec3 c = v3_cross(v3(d[0], d[1], d[2]), v3(f[3], f[4], f[5]));
    f[0] = r_add(f[0], c.x), f[1] = r_add(f[1], c.y), f[2] = r_add(f[2], c.z);
}

// Shift the motion of the parent to slot 0.
static void shift_motion(const real* d, real* f)
{
    const vec3 c = v3_cross(v3(f[0], f[1], f[2]), v3(d[0], d[1], d[2]));
    f[3] = r_add(f[3], c.x), f[4] = r_add(f[4], c.y), f[5] = r_add(f[5], c.z);
}

static inline void apply_stage_inward(const front_sweep* x, cd_elimination_stage* s, int n6, int n, const real* r)
{
    cd_reduction_workspace* w = x->w;
    const real *            S = w->stage_value + s->stage_value_offset, *h = S + s->ncolumn;
    const int               at = s->scalar < 0 ? -1 : n6 + s->scalar;
    real                    e  = r_const(0);
    if (s->ncolumn > 0) {
        if (s->v < x->m->nv) e = r[s->v];
        for (int i = 0; i < s->ncolumn; ++i) e = r_add(e, r_mul(S[i], x->f[i]));
    } else {
        e = x->f[at];
    }
    s->e = e;
    if (s->kind == CD_PIVOT_DELAYED) {
        x->f[at] = e;
    } else if (s->kind == CD_PIVOT_INDEPENDENT) {
        const real u = r_mul(e, s->D);
        for (int i = 0; i < n; ++i) x->f[i] = r_sub(x->f[i], r_mul(h[i], u));
    } else {
        const real *g = h + n, *m = g + n;
        const real gamma = w->row_rhs[s->row], g0 = r_mul(gamma, s->inverse_phi), reflected = r_sub(r_mul(s->D, g0), e);
        for (int i = 0; i < n; ++i) x->f[i] = r_sub(r_add(x->f[i], r_mul(reflected, g[i])), r_mul(g0, h[i]));
        for (int i = 0; i < s->nother; ++i) {
            const int row   = w->other[s->other_offset + (size_t)i];
            w->row_rhs[row] = r_sub(w->row_rhs[row], r_mul(m[i], gamma));
        }
        s->g0 = g0;
    }
}

spatial cd_reduction_link_wrench(const cd_reduction_workspace* w, int i)
{
    const cd_link_motion* here = &w->k->motion[i];
    spatial               F    = {v3_neg(here->n), v3_neg(here->f)};
    if (w->wrench) F = sv_add(F, w->wrench[i]);
    return (spatial){m3_mul(w->pose[i].R, F.a), m3_mul(w->pose[i].R, F.l)};
}

// Gather the forces of the updates of all children of front k, the last one first, with the map of their unknowns.
static void gather_forces(const front_sweep* x, int k, int n6, size_t* top)
{
    cd_reduction_workspace*  w       = x->w;
    const cd_front_symbolic* p       = &w->fronts.symbolic[k];
    int                      nscalar = 0;
    for (int i = 0; i < n6; ++i) x->f[i] = r_const(0);
    if (w->has_link_wrenches && p->link < x->m->nlink) write_spatial(cd_reduction_link_wrench(w, p->link), x->f);
    for (int c = k - 1, nchild_left = p->nchild; nchild_left > 0;
         --nchild_left, c -= w->fronts.symbolic[c].subtree_size) {
        const cd_front_symbolic* q = &w->fronts.symbolic[c];
        *top -= (size_t)(6 * q->nupdate_body + w->record[c].ndelayed);
        const real* from = w->force + *top;
        for (int s = q->first_slot; s < q->first_slot + q->nslot; ++s) {
            const int to = w->fronts.slot_target[s];
            if (to < 0) continue;
            for (int j = 0; j < 6; ++j) x->f[6 * to + j] = r_add(x->f[6 * to + j], from[j]);
            from += 6;
        }
        for (int j = 0; j < w->record[c].ndelayed; ++j) x->f[n6 + nscalar++] = *from++;
    }
}

// Add the forces of compliant rows, which are inertias in the factor, for their right sides.
static void add_compliant_forces(const front_sweep* x, const cd_rows* rows, int k)
{
    const cd_fronts* f = &x->w->fronts;
    for (int q = f->symbolic[k].first_block; rows->compliance && q < f->symbolic[k].first_block + f->symbolic[k].nblock;
         ++q) {
        const cd_row_block* b    = &rows->block[f->block[q]];
        const int*          slot = f->end_slot + f->first_end[f->block[q]];
        for (int i = 0; i < b->nrow; ++i) {
            if (!(rows->compliance[b->row + i] > 0)) continue;
            const real c = r_div(x->w->row_rhs[b->row + i], r_const(rows->compliance[b->row + i]));
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
static void compute_compliant_multipliers(const cd_reduction_workspace* w, const cd_rows* rows, real* lambda)
{
    for (int c = 0; rows->compliance && c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            if (!(rows->compliance[b->row + i] > 0)) continue;
            real sum = r_neg(w->row_rhs[b->row + i]);
            for (int n = 0; n < b->nend; ++n)
                if (b->link[n] >= 0) sum = r_add(sum, sv_dot(b->G[i * b->nend + n], w->A[b->link[n]]));
            lambda[b->row + i] = r_div(sum, r_const(rows->compliance[b->row + i]));
        }
    }
}

static void scatter_forces(const front_sweep* x, int k, int n6, size_t* top)
{
    cd_reduction_workspace*  w  = x->w;
    const cd_front_symbolic* p  = &w->fronts.symbolic[k];
    real*                    to = w->force + *top;
    for (int s = 0; s < p->nslot; ++s) {
        if (w->fronts.slot_target[p->first_slot + s] < 0) continue;
        for (int j = 0; j < 6; ++j) to[j] = x->f[6 * s + j];
        to += 6;
    }
    for (int s = w->record[k].first_scalar, i = n6; s < w->record[k + 1].first_scalar; ++s, ++i)
        if (w->is_passed_on[s]) *to++ = x->f[i];
    *top = (size_t)(to - w->force);
}

// Return the multiplier of a constraint row or of a row of ground.
static real* multiplier_of_row(const cd_reduction_workspace* w, real* lambda, int row)
{
    return row < w->nrow ? lambda + row : w->ground_multiplier + (row - w->nrow);
}

static inline void apply_stage_outward(const front_sweep* x, const cd_elimination_stage* s, int n6, int n, real* a,
                                       real* lambda)
{
    cd_reduction_workspace* w = x->w;
    const real *            S = w->stage_value + s->stage_value_offset, *h = S + s->ncolumn;
    const int               at = s->scalar < 0 ? -1 : n6 + s->scalar;
    const real              e  = s->e;
    real* const             u  = s->v < x->m->nv ? a + s->v : w->root_acceleration + (s->v - x->m->nv);
    if (s->kind == CD_PIVOT_INDEPENDENT) {
        *u = r_mul(r_sub(e, dot(n, h, x->f)), s->D);
    } else if (s->kind == CD_PIVOT_DEPENDENT) {
        const real *g = h + n, *m = g + n;
        *u     = r_sub(s->g0, dot(n, g, x->f));
        real l = r_mul(r_sub(r_sub(e, dot(n, h, x->f)), r_mul(s->D, *u)), s->inverse_phi);
        for (int i = 0; i < s->nother; ++i)
            l = r_sub(l, r_mul(m[i], *multiplier_of_row(w, lambda, w->other[s->other_offset + (size_t)i])));
        *multiplier_of_row(w, lambda, s->row) = l;
    }
    if (s->ncolumn == 0) {
        x->f[at] = *u;
        return;
    }
    for (int j = 0; j < s->ncolumn; ++j) x->f[j] = r_add(x->f[j], r_mul(*u, S[j]));
}

// Load the motions of the bodies of a front, in slot 0 that of the parent, and of its scalars.
static void load_motions(const front_sweep* x, int k, int n6, const real* a)
{
    const cd_reduction_workspace* w = x->w;
    const cd_front_symbolic*      p = &w->fronts.symbolic[k];
    write_spatial(w->A[p->parent], x->f);
    for (int s = 1; s < p->nslot; ++s) write_spatial(w->A[w->fronts.slot_link[p->first_slot + s]], x->f + 6 * s);
    for (int s = w->record[k].first_scalar, i = n6; s < w->record[k + 1].first_scalar; ++s, ++i) {
        const int v = w->delayed_velocity[s];
        x->f[i]     = !w->is_passed_on[s] ? r_const(0) : v < x->m->nv ? a[v] : w->root_acceleration[v - x->m->nv];
    }
}

// Prefetch terms of link wrenches, and right sides.
CD_ALWAYS_INLINE void prefetch_inward(const cardan_model* m, const cd_reduction_workspace* w, int k, const real* r)
{
    if (k >= w->fronts.n) return;
    const cd_front_symbolic*    p     = &w->fronts.symbolic[k];
    const cd_elimination_stage* stage = &w->stage[w->record[k].first_stage];
    if (p->v < m->nv) __builtin_prefetch(&r[p->v]);
    if (stage->row >= 0) __builtin_prefetch(&w->row_rhs[stage->row], 1);
    if (!w->has_link_wrenches || p->link >= m->nlink) return;
    cd_prefetch(&w->k->motion[p->link].n, 2 * sizeof(vec3));
    cd_prefetch(&w->pose[p->link], sizeof(mat3));
}

// Prefetch stages of the outward sweep, and the destinations of their results.
CD_ALWAYS_INLINE void prefetch_outward(const cardan_model* m, const cd_reduction_workspace* w, int k, const real* a)
{
    if (k < 0) return;
    const cd_front_symbolic* p      = &w->fronts.symbolic[k];
    const cd_front_record*   record = &w->record[k];
    cd_prefetch(w->stage_value + record->stage_value_offset,
                (record[1].stage_value_offset - record->stage_value_offset) * sizeof *w->stage_value);
    cd_prefetch(w->stage + record->first_stage, sizeof *w->stage);
    if (p->v < m->nv) __builtin_prefetch(&a[p->v], 1);
    __builtin_prefetch(&w->A[p->link], 1);
}

static void sweep_inward(const front_sweep* x, const cd_rows* rows, const real* r)
{
    cd_reduction_workspace* w   = x->w;
    size_t                  top = 0;
    for (int k = 0; k < w->fronts.n; ++k) {
        const cd_front_symbolic* p           = &w->fronts.symbolic[k];
        const bool               is_reversed = cd_front_is_reversed(p);
        const real*              d           = w->stage_value + w->record[k].stage_value_offset;
        const int                n6          = 6 * p->nslot;
        prefetch_inward(x->m, w, k + CD_FRONT_PREFETCH_DISTANCE, r);
        gather_forces(x, k, n6, &top);
        if (rows->compliance) add_compliant_forces(x, rows, k);
        if (is_reversed) shift_force(d, x->f);
        for (cd_elimination_stage *s   = w->stage + w->record[k].first_stage,
                                  *end = w->stage + w->record[k + 1].first_stage;
             s < end; ++s) {
            if (s->n == 6)
                apply_stage_inward(x, s, n6, 6, r);
            else if (s->n == 12)
                apply_stage_inward(x, s, n6, 12, r);
            else
                apply_stage_inward(x, s, n6, s->n, r);
        }
        if (!is_reversed && p->parent >= 0) shift_force(d, x->f);
        scatter_forces(x, k, n6, &top);
    }
}

static void sweep_outward(const front_sweep* x, real* a, real* lambda)
{
    cd_reduction_workspace* w = x->w;
    for (int k = w->fronts.n - 1; k >= 0; --k) {
        const cd_front_symbolic* p           = &w->fronts.symbolic[k];
        const bool               is_reversed = cd_front_is_reversed(p);
        const real*              d           = w->stage_value + w->record[k].stage_value_offset;
        const int                n6          = 6 * p->nslot;
        prefetch_outward(x->m, w, k - CD_FRONT_PREFETCH_DISTANCE, a);
        load_motions(x, k, n6, a);
        if (!is_reversed && p->parent >= 0) shift_motion(d, x->f);
        for (const cd_elimination_stage *s     = w->stage + w->record[k + 1].first_stage - 1,
                                        *first = w->stage + w->record[k].first_stage;
             s >= first; --s) {
            if (s->n == 6)
                apply_stage_outward(x, s, n6, 6, a, lambda);
            else if (s->n == 12)
                apply_stage_outward(x, s, n6, 12, a, lambda);
            else
                apply_stage_outward(x, s, n6, s->n, a, lambda);
        }
        if (is_reversed) shift_motion(d, x->f);
        w->A[p->link] = (spatial){v3(x->f[0], x->f[1], x->f[2]), v3(x->f[3], x->f[4], x->f[5])};
    }
}

void cd_reduction_solve(const cardan_model* m, const cd_rows* rows, cd_reduction_workspace* w, const real* r,
                        const real* gamma, real* a, real* lambda)
{
    const front_sweep x = {.m = m, .w = w, .f = w->h};
    for (int i = 0; i < rows->nrow; ++i) {
        w->row_rhs[i] = gamma[i];
        lambda[i]     = r_const(0);
    }
    for (int i = 0; i < 6 * w->fronts.nroot; ++i) w->row_rhs[w->nrow + i] = w->ground_multiplier[i] = r_const(0);
    sweep_inward(&x, rows, w->has_link_wrenches ? w->effort : r);
    sweep_outward(&x, a, lambda);
    if (rows->compliance) compute_compliant_multipliers(w, rows, lambda);
}
