// SPDX-License-Identifier: BSD-3-Clause
// Sequential regularization of accelerations. With mu(0) = 0 every iteration s solves, for a(s) at once (the implicit
// choice),
//
//   (M + J'J/epsilon) a(s) = r - J'mu(s-1) + J'gamma/epsilon
//   mu(s) = mu(s-1) + (J a(s) - gamma)/epsilon
//
// in increments: what is left of M a + J'mu = r and J a = gamma is computed from a and mu in sweeps over the tree, so
// that the rounding of the stiff factor is iterated away along with the softness of the rows. A motion with the
// mobility sigma = eig(J M^-1 J') across the rows is corrected by epsilon/(epsilon + sigma) of what was left; rows that
// depend on each other have sigma = 0 and nothing to correct. Factor and iteration are linear where the fronts are.
// Paper 001, equations 3.6 and 3.12 (Ascher, Lin), at the level of accelerations; docs/theory/regularized.md.
#include "formulation/soft_rows.h"

#include "formulation/mobility.h"

#include <math.h>
#include <stdlib.h>

static const double least_part = 1e-2;  // of what a row could meet: rows that say less are not made stiffer
static const double unfelt     = 1e-20; // squared, of what it could meet: rounding
static const double rounding   = 2e-15;
static const double stiffened  = 1e-6;
static const double finished   = 1e-11; // left of the equations, of their terms
static const double stands     = 0.999; // of what was left: a contradiction, which no iteration changes
static const double settled    = 1e-9;  // what accelerations still have before them, of their size

// The first row to pass a velocity has it.
static void find_ways(const cardan_model* m, const cd_rows* rows, int* row_of)
{
    for (int v = 0; v < m->nv; ++v) row_of[v] = CARDAN_NONE;
    for (int c = 0; c < rows->nblock; ++c)
        for (int n = 0; n < rows->block[c].nend; ++n)
            for (int i = rows->block[c].link[n]; i >= 0 && (m->link[i].nv == 0 || row_of[m->link[i].v] == CARDAN_NONE);
                 i     = m->link[i].parent)
                for (int v = m->link[i].v; v < m->link[i].v + m->link[i].nv; ++v) row_of[v] = rows->block[c].row;
}

cardan_status cd_soft_analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    cd_soft_rows* w   = work;
    double        sum = 0;
    int           n   = 0;
    if (!cd_fronts_analyse(m, rows, INFINITY, &w->fronts.f))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory to order the equations of '%s'", m->view.name);
    w->row_of = cd_allocate((size_t)m->nv, sizeof(int));
    if (!w->row_of)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory for the loops of '%s'", m->view.name);
    find_ways(m, rows, w->row_of);
    for (int i = 0; i < m->nlink; ++i) {
        const double *p = m->mount[i].p, length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        sum += length;
        n += length > 0;
    }
    w->fronts.length = n > 0 ? sum / n : 1;
    return CARDAN_OK;
}

void cd_soft_release(void* work)
{
    cd_soft_rows* w = work;
    cd_fronts_release(&w->fronts.f);
    free(w->row_of);
}

void cd_soft_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    cd_soft_rows* w    = work;
    size_t        size = 0;
    for (int c = 0; c < rows->nblock; ++c) size += (size_t)(rows->block[c].nrow * rows->block[c].nend);
    cd_reduction_layout(m, rows, arena, &w->fronts);
    CD_TAKE(arena, w->block, rows->nblock);
    CD_TAKE(arena, w->G, size);
    CD_TAKE(arena, w->compliance, rows->nrow);
    CD_TAKE(arena, w->sum, rows->nrow);
    CD_TAKE(arena, w->mobility, m->nlink);
    CD_TAKE(arena, w->force, m->nv);
    CD_TAKE(arena, w->rest, rows->nrow);
    CD_TAKE(arena, w->da, m->nv);
    CD_TAKE(arena, w->dmu, rows->nrow);
    CD_TAKE(arena, w->F, m->nlink);
    CD_TAKE(arena, w->probe, 2 * (m->nv + rows->nrow));
    CD_TAKE(arena, w->A, m->nlink + 1);
    if (w->A) *w->A++ = sv_zero();
}

// epsilon of one row: `part` of its mobility. A row that came near to saying nothing, as at singular poses, is compared
// with what it could say.
static double soften(const cd_soft_rows* w, const cd_rows* rows, const cd_row_block* b, int i, double part)
{
    double       could;
    const double felt = cd_row_mobility(w->mobility, NULL, b, i, w->fronts.length, &could);
    return felt > cd_unfelt_part(rows, unfelt) * could ? part * fmax(felt, least_part * could) : INFINITY;
}

static void keep_rows(const cd_rows* rows, cd_soft_rows* w)
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

cardan_status cd_soft_factor(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, cd_soft_rows* w,
                             double part, cd_where* where)
{
    cd_reduction_place(m, k, &w->fronts);
    if (rows->nrow > 0) cd_mobility(m, k, w->fronts.pose, w->mobility);
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = b->row; i < b->row + b->nrow; ++i)
            w->compliance[i] = cd_compliance(rows, i) > 0 ? rows->compliance[i] : soften(w, rows, b, i - b->row, part);
    }
    w->part = part;
    keep_rows(rows, w);
    return cd_reduction_factor(m, &w->rows, &w->fronts, where);
}

// Where rows act, a pivot is J^2/epsilon and more, else no more than the inertia that the velocity moves: part of it is
// 1, or nearly nothing.
cd_strength cd_soft_strength(const cardan_model* m, const cd_rows* rows, const void* work)
{
    const cd_soft_rows* w     = work;
    cd_strength         here  = {.least = INFINITY, .row = CARDAN_NONE};
    int                 stiff = 0;
    for (int s = 0; s < w->fronts.nstep; ++s) {
        const cd_step_taken* step = &w->fronts.step[s];
        if (w->row_of[step->v] == CARDAN_NONE || !(m->resistance[step->v] > 0)) continue;
        const double x = w->part / (r_value(step->D) * m->resistance[step->v]);
        if (x < stiffened) continue;
        ++stiff;
        if (x < here.least) {
            here.least = x;
            here.row   = w->row_of[step->v];
        }
    }
    here.null = rows->nrow - stiff;
    if (stiff == 0) here.least = 1;
    return here;
}

static void meet(double* largest, real x) { *largest = fmax(*largest, fabs(r_value(x))); }

// What da and dmu leave of the rows.
static double leave_rows(const cd_rows* rows, cd_soft_rows* w)
{
    double left = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            const int row = b->row + i;
            real      sum = r_lift(0);
            for (int n = 0; n < b->nend; ++n) {
                if (b->link[n] < 0) continue;
                const real term = sv_dot(b->G[i * b->nend + n], w->fronts.A[b->link[n]]);
                meet(&w->row, term);
                sum = r_add(sum, term);
            }
            if (cd_compliance(rows, row) > 0) sum = r_sub(sum, r_mul(r_lift(rows->compliance[row]), w->dmu[row]));
            w->rest[row] = r_sub(w->rest[row], sum);
            if (isfinite(w->compliance[row])) meet(&left, w->rest[row]);
        }
    }
    return w->row > 0 ? left / w->row : 0;
}

// What they leave of the motion: forces I A + G'mu on the links, carried inward.
static double leave_motion(const cardan_model* m, const cd_rows* rows, cd_soft_rows* w)
{
    const cd_reducing* f    = &w->fronts;
    double             left = 0;
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const mat3     R    = f->pose[i].R;
        w->F[i]             = sv_zero();
        if (link->bare) continue;
        const rigid   I = {r_lift(link->m), v3_lift(link->h), s3_lift(link->I)};
        const spatial F = rigid_mul(I, (spatial){m3_tmul(R, f->A[i].a), m3_tmul(R, f->A[i].l)});
        w->F[i]         = (spatial){m3_mul(R, F.a), m3_mul(R, F.l)};
    }
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = b->row; i < b->row + b->nrow; ++i)
            if (f->row_weight[i] > 0)
                w->motion = fmax(w->motion, fabs(r_value(w->dmu[i])) / f->row_weight[i] * fmax(1, f->length));
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
            const real turn = v3_dot(f->k->S[v].a, n), move = v3_dot(f->k->S[v].l, force);
            meet(&w->motion, turn);
            meet(&w->motion, move);
            w->force[v] = r_sub(w->force[v], r_add(r_add(turn, move), r_mul(r_lift(m->armature[v]), w->da[v])));
            if (!(fabs(r_value(w->force[v])) <= left)) {
                left     = fabs(r_value(w->force[v]));
                w->worst = v;
            }
        }
        if (link->parent < 0) continue;
        const vec3 d = v3_sub(f->pose[i].p, f->pose[link->parent].p);
        w->F[link->parent] =
            sv_add(w->F[link->parent], (spatial){v3_add(w->F[i].a, v3_cross(d, w->F[i].l)), w->F[i].l});
    }
    return w->motion > 0 ? left / w->motion : 0;
}

static void begin(const cardan_model* m, const cd_rows* rows, cd_soft_rows* w, const real* r, const real* gamma,
                  real* a, real* mu)
{
    w->motion = w->row = 0;
    w->left = w->left_motion = INFINITY;
    w->iterations            = 0;
    for (int v = 0; v < m->nv; ++v) {
        a[v]        = r_lift(0);
        w->force[v] = r[v];
        meet(&w->motion, r[v]);
    }
    w->applied = w->motion;
    for (int i = 0; i < rows->nrow; ++i) {
        mu[i]      = r_lift(0);
        w->rest[i] = gamma[i];
        meet(&w->row, gamma[i]);
    }
}

// An iteration that does not even halve what is left, of all equations or of those of motion, is the last: rounding, or
// rows that no force can satisfy.
void cd_soft_solve(const cardan_model* m, const cd_rows* rows, cd_soft_rows* w, int most, const real* r,
                   const real* gamma, real* a, real* mu)
{
    begin(m, rows, w, r, gamma, a, mu);
    const double wanted = fmax(rounding, rows->enough);
    while (w->iterations < most) {
        cd_reduction_solve(m, &w->rows, &w->fronts, w->force, w->rest, w->da, w->dmu);
        w->change = w->largest = 0;
        for (int v = 0; v < m->nv; ++v) {
            a[v] = r_add(a[v], w->da[v]);
            meet(&w->change, w->da[v]);
            meet(&w->largest, a[v]);
        }
        for (int i = 0; i < rows->nrow; ++i) mu[i] = r_add(mu[i], w->dmu[i]);
        for (int i = 0; i < m->nlink; ++i)
            w->A[i] = w->iterations > 0 ? sv_add(w->A[i], w->fronts.A[i]) : w->fronts.A[i];
        ++w->iterations;
        if (w->iterations == most && most == 1) return;
        const double before = w->left, before_motion = w->left_motion, rest = leave_rows(rows, w);
        w->left_motion = leave_motion(m, rows, w);
        w->left        = fmax(rest, w->left_motion);
        w->pace        = w->left / before;
        if (w->left <= wanted || !(w->left < 0.5 * before || w->left_motion < 0.5 * fmin(before_motion, 1))) return;
    }
}

// What iterations would still add is a geometric series. Weak rows leave little of themselves and far more there.
bool cd_soft_slow(const cd_soft_rows* w, double free)
{
    const double ahead = w->change * w->pace / (1 - w->pace);
    return w->left > finished && w->pace < stands && ahead > settled * fmax(w->largest, free);
}
