// SPDX-License-Identifier: BSD-3-Clause
// What a front begins with: the inertia of its link, the updates of the fronts that end in it, and the rows that open in it. All in world axes,
// each body at its own origin, so that moving to a parent is a shift and no rotation.
#include "formulation/front.h"

#include <math.h>

static int    more(int a, int b) { return a > b ? a : b; }
static size_t longer(size_t a, size_t b) { return a > b ? a : b; }

// Room for either of two orders.
static cd_fronts either(const cd_fronts* a, const cd_fronts* b)
{
    return (cd_fronts){.n         = more(a->n, b->n),
                       .nroot     = more(a->nroot, b->nroot),
                       .widest    = more(a->widest, b->widest),
                       .most_open = more(a->most_open, b->most_open),
                       .stack     = longer(a->stack, b->stack),
                       .tape      = longer(a->tape, b->tape)};
}

void cd_reduction_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_reducing* w)
{
    const cd_fronts  both = either(&w->f, &w->aside), *f = &both;
    const int        nv = m->nv + 6 * f->nroot, nrow = rows->nrow + 6 * f->nroot;
    w->nrow = rows->nrow;
    CD_TAKE(arena, w->pose, f->n);
    CD_TAKE(arena, w->S, m->nv);
    CD_TAKE(arena, w->backward, f->nroot > 0 ? nv : 0);
    CD_TAKE(arena, w->scale, nv);
    CD_TAKE(arena, w->row_scale, nrow);
    CD_TAKE(arena, w->least, nv);
    CD_TAKE(arena, w->span, f->n);
    CD_TAKE(arena, w->idle, nrow);
    CD_TAKE(arena, w->step, 2 * nv);
    CD_TAKE(arena, w->first_step, f->n + 1);
    CD_TAKE(arena, w->tape, f->tape);
    CD_TAKE(arena, w->other, f->tape);
    CD_TAKE(arena, w->first_scalar, f->n + 1);
    CD_TAKE(arena, w->scalar, (size_t)nv * (CD_FRONT_WAITING + 1));
    CD_TAKE(arena, w->survives, (size_t)nv * (CD_FRONT_WAITING + 1));
    CD_TAKE(arena, w->W, f->widest * f->widest);
    CD_TAKE(arena, w->R, f->most_open * f->widest);
    CD_TAKE(arena, w->copy, f->most_open * f->widest);
    CD_TAKE(arena, w->h, f->widest);
    CD_TAKE(arena, w->to, f->widest);
    CD_TAKE(arena, w->phi, f->most_open);
    CD_TAKE(arena, w->open, f->most_open);
    CD_TAKE(arena, w->open_below, nrow);
    CD_TAKE(arena, w->nopen, f->n);
    CD_TAKE(arena, w->nsurvive, f->n);
    CD_TAKE(arena, w->stack, f->stack);
    CD_TAKE(arena, w->force, f->stack + (size_t)f->widest);
    CD_TAKE(arena, w->e, nv);
    CD_TAKE(arena, w->g0, nv);
    CD_TAKE(arena, w->rest, nrow);
    CD_TAKE(arena, w->base, 6 * f->nroot);
    CD_TAKE(arena, w->hold, 6 * f->nroot);
    CD_TAKE(arena, w->A, f->n + 1);
    if (w->A) *w->A++ = sv_zero();
    CD_TAKE(arena, w->load, rows->nrow > 0 ? m->nlink : 0);
    w->E = w->f.nroot > 0 ? w->backward : w->S;
    cd_refine_layout(m, rows, f->n, arena, w);
}

static double size_of(spatial s, double turn, double move)
{
    const double a = r_value(v3_dot(s.a, s.a)), l = r_value(v3_dot(s.l, s.l));
    return sqrt(a * turn * turn + l * move * move);
}

static frame place_in(frame T, frame X) { return (frame){m3_mul_m3(T.R, X.R), v3_add(T.p, m3_mul(T.R, X.p))}; }

void cd_reduction_place(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, cd_reducing* w)
{
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        w->pose[i]          = link->parent < 0 ? k->X[i] : place_in(w->pose[link->parent], k->X[i]);
        for (int v = link->v; v < link->v + link->nv; ++v) {
            w->S[v]     = (spatial){m3_mul(w->pose[i].R, k->S[v].a), m3_mul(w->pose[i].R, k->S[v].l)};
            w->scale[v] = size_of(w->S[v], w->length, 1);
        }
    }
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            double size = 0;
            for (int n = 0; n < b->nend; ++n) size = fmax(size, size_of(b->G[i * b->nend + n], 1 / w->length, 1));
            w->row_scale[b->row + i] = size;
        }
    }
    if (w->f.nroot > 0) cd_reduction_turn(m, w);
}

// Own inertia, in world axes at the link's origin, as 6 x 6 in slot 0.
void cd_front_inertia(const cd_link* link, mat3 R, cd_front* x)
{
    if (link->bare) return;
    const sym3 I = s3_rotate(R, s3_lift(link->I));
    const vec3 h = m3_mul(R, v3_lift(link->h));
    const real A[3][3] = {{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}};
    const real H[3][3] = {{r_lift(0), r_neg(h.z), h.y}, {h.z, r_lift(0), r_neg(h.x)}, {r_neg(h.y), h.x, r_lift(0)}};  // n = I w + h x v
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            x->W[i * x->stride + j]             = A[i][j];
            x->W[i * x->stride + j + 3]         = H[i][j];
            x->W[(j + 3) * x->stride + i]       = H[i][j];
            x->W[(i + 3) * x->stride + j + 3] = r_lift(i == j ? link->m : 0);
        }
}

// Unknown i of an update of front c (n of them) as an unknown of front x.
static void map_unknowns(const cd_reducing* w, int c, int n6, int ns, const cd_front* x, int* to)
{
    const int* slot_to = w->f.slot_to + w->f.first_slot[c];
    int        i       = 0;
    for (int s = 0; i < n6; ++s) {
        if (slot_to[s] < 0) continue;
        for (int j = 0; j < 6; ++j) to[i++] = 6 * slot_to[s] + j;
    }
    for (int j = 0; j < ns; ++j) to[i++] = x->n6 + x->nscalar + j;
}

// The update of front c, from the top of the stack.
static void take_update(cd_reducing* w, int c, cd_front* x, size_t* top, int* rows_below)
{
    const int n6 = 6 * w->f.left[c], ns = w->nsurvive[c], n = n6 + ns, nrow = w->nopen[c];
    *top -= (size_t)((n + nrow) * n);
    *rows_below -= nrow;
    map_unknowns(w, c, n6, ns, x, w->to);
    const real* U = w->stack + *top;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            real* entry = &x->W[w->to[i] * x->stride + w->to[j]];
            *entry      = r_add(*entry, U[i * n + j]);
        }
    U += n * n;
    for (int i = 0; i < nrow; ++i, ++x->nrow) {
        real* row = x->R + x->nrow * x->stride;
        w->open[x->nrow] = w->open_below[*rows_below + i];
        for (int j = 0; j < x->stride; ++j) row[j] = r_lift(0);
        for (int j = 0; j < n; ++j) row[w->to[j]] = r_add(row[w->to[j]], U[i * n + j]);
    }
    for (int s = w->first_scalar[c]; s < w->first_scalar[c + 1]; ++s)
        if (w->survives[s]) {
            w->survives[w->nscalar] = true;
            w->scalar[w->nscalar++] = w->scalar[s];
            ++x->nscalar;
        }
    x->n = x->n6 + x->nscalar;
}

// Coefficients of row i of a block on the unknowns of the front.
static void write_row(const cd_reducing* w, const cd_row_block* b, int block, int i, const cd_front* x, real* row)
{
    const int* slot = w->f.end_slot + w->f.first_end[block];
    for (int j = 0; j < x->stride; ++j) row[j] = r_lift(0);
    for (int n = 0; n < b->nend; ++n) {
        if (slot[n] < 0) continue;
        const spatial G    = b->G[i * b->nend + n];
        const real    c[6] = {G.a.x, G.a.y, G.a.z, G.l.x, G.l.y, G.l.z};
        for (int j = 0; j < 6; ++j) row[6 * slot[n] + j] = r_add(row[6 * slot[n] + j], c[j]);
    }
}

// Rows of the constraints that open in this front. One with compliance is no row but an inertia.
void cd_front_rows(const cd_rows* rows, cd_reducing* w, cd_front* x)
{
    for (int q = w->f.first_block[x->k]; q < w->f.first_block[x->k + 1]; ++q) {
        const int           block = w->f.block[q];
        const cd_row_block* b     = &rows->block[block];
        for (int i = 0; i < b->nrow; ++i) {
            const double compliance = cd_compliance(rows, b->row + i);
            real*        row        = x->R + x->nrow * x->stride;
            if (compliance == 0 && w->idle[b->row + i] && !w->learned) continue;
            write_row(w, b, block, i, x, row);
            if (compliance == 0) {
                w->open[x->nrow++] = b->row + i;
                continue;
            }
            const real root = r_lift(sqrt(1 / compliance));
            for (int s = 0; s < x->n6; ++s) row[s] = r_mul(row[s], root);
            for (int s = 0; s < x->n6; ++s)
                for (int j = 0; j < x->n6; ++j) x->W[s * x->stride + j] = r_add(x->W[s * x->stride + j], r_mul(row[s], row[j]));
        }
    }
}

// Fronts that are done leave their updates on the stack in their order, so the children of a front are on top, the last one first.
void cd_front_open(const cardan_model* m, const cd_rows* rows, cd_reducing* w, int k, cd_front* x, size_t* top, int* rows_below)
{
    const int nslot = w->f.first_slot[k + 1] - w->f.first_slot[k];
    *x              = (cd_front){.k = k, .link = w->f.link[k], .n6 = 6 * nslot, .n = 6 * nslot, .W = w->W, .R = w->R};
    x->stride       = x->n6 + w->f.nv[x->link];
    for (int c = k - 1, left = w->f.nchild[k]; left > 0; --left, c -= w->f.size[c]) x->stride += w->nsurvive[c];
    for (int i = 0; i < x->stride * x->stride; ++i) x->W[i] = r_lift(0);
    w->first_scalar[k] = w->nscalar;
    w->first_step[k]   = w->nstep;
    if (x->link < m->nlink) cd_front_inertia(&m->link[x->link], w->pose[x->link].R, x);
    else cd_front_hold(w, x, x->link - m->nlink);
    for (int c = k - 1, left = w->f.nchild[k]; left > 0; --left, c -= w->f.size[c]) take_update(w, c, x, top, rows_below);
    cd_front_rows(rows, w, x);
}
