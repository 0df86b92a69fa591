// SPDX-License-Identifier: BSD-3-Clause
// What a front begins with: the inertia of its link, the updates of the fronts that end in it, and the rows that open
// in it. All in world axes, each body at its own origin, so that moving to a parent is a shift and no rotation.
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

// Sizes of motion columns, by their kind; of rows that hold ground.
static void measure_columns(const cardan_model* m, cd_reducing* w, int nv, int nroot)
{
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        for (int j = 0; j < link->nv; ++j) {
            const bool moves      = link->motion == CD_SLIDE || (link->nv == 6 && j < 3);
            w->scale[link->v + j] = moves                      ? 1
                                    : link->motion == CD_HELIX ? hypot(w->length, m->mount[i].pitch)
                                                               : w->length;
        }
    }
    for (int v = m->nv; v < nv; ++v) w->scale[v] = (v - m->nv) % 6 < 3 ? w->length : 1;
    for (int i = 0; i < 6 * nroot; ++i) w->row_weight[w->nrow + i] = i % 6 < 3 ? w->length : 1;
}

void cd_reduction_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_reducing* w)
{
    const cd_fronts both = either(&w->f, &w->aside), *f = &both;
    const int       nv = m->nv + 6 * f->nroot, nrow = rows->nrow + 6 * f->nroot;
    w->nrow = rows->nrow;
    CD_TAKE(arena, w->placed, m->nlink);
    CD_TAKE(arena, w->scale, nv);
    CD_TAKE(arena, w->row_weight, nrow);
    CD_TAKE(arena, w->least, nv);
    CD_TAKE(arena, w->span, f->n);
    CD_TAKE(arena, w->idle, nrow);
    CD_TAKE(arena, w->step, 2 * nv);
    CD_TAKE(arena, w->mark, f->n + 1);
    CD_TAKE(arena, w->tape, f->tape);
    CD_TAKE(arena, w->other, f->tape);
    CD_TAKE(arena, w->scalar, (size_t)nv * (CD_FRONT_WAITING + 1));
    CD_TAKE(arena, w->survives, (size_t)nv * (CD_FRONT_WAITING + 1));
    CD_TAKE(arena, w->W, (size_t)f->widest * (size_t)f->widest);
    CD_TAKE(arena, w->R, (size_t)f->most_open * (size_t)f->widest);
    CD_TAKE(arena, w->copy, (size_t)f->most_open * (size_t)f->widest);
    CD_TAKE(arena, w->h, f->widest);
    CD_TAKE(arena, w->to, f->widest);
    CD_TAKE(arena, w->phi, f->most_open);
    CD_TAKE(arena, w->open, f->most_open);
    CD_TAKE(arena, w->open_below, nrow);
    CD_TAKE(arena, w->stack, f->stack);
    CD_TAKE(arena, w->force, f->stack + (size_t)f->widest);
    CD_TAKE(arena, w->rest, nrow);
    CD_TAKE(arena, w->base, 6 * f->nroot);
    CD_TAKE(arena, w->hold, 6 * f->nroot);
    CD_TAKE(arena, w->A, f->n + 1);
    if (w->A) *w->A++ = sv_zero();
    CD_TAKE(arena, w->sight, rows->nblock + 1);
    cd_refine_layout(m, rows, f->n, arena, w);
    if (w->scale) measure_columns(m, w, nv, f->nroot);
}

static frame place_in(frame T, frame X) { return (frame){m3_mul_m3(T.R, X.R), v3_add(T.p, m3_mul(T.R, X.p))}; }

void cd_reduction_place(const cardan_model* m, const cd_kinematics* k, cd_reducing* w)
{
    w->k    = k;
    w->pose = k->world;
    if (k->world) return;
    for (int i = 0; i < m->nlink; ++i)
        w->placed[i] = m->link[i].parent < 0 ? k->X[i] : place_in(w->placed[m->link[i].parent], k->X[i]);
    w->pose = w->placed;
}

void cd_front_inertia(const cd_link* link, mat3 R, real* W, int stride)
{
    if (link->bare) return;
    const sym3 I       = s3_rotate(R, s3_lift(link->I));
    const vec3 h       = m3_mul(R, v3_lift(link->h));
    const real A[3][3] = {{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}};
    const real H[3][3] = {
        {r_lift(0), r_neg(h.z), h.y}, {h.z, r_lift(0), r_neg(h.x)}, {r_neg(h.y), h.x, r_lift(0)}}; // n = I w + h x v
    for (int i = 0; i < 3; ++i) {
        real *a = W + i * stride, *l = W + (i + 3) * stride;
        for (int j = 0; j < 3; ++j) {
            a[j]     = r_add(a[j], A[i][j]);
            a[j + 3] = r_add(a[j + 3], H[i][j]);
            l[j]     = r_add(l[j], H[j][i]);
        }
        l[i + 3] = r_add(l[i + 3], r_lift(link->m));
    }
}

// Unknown i of an update of front c (n of them) as an unknown of front x.
static void map_unknowns(const cd_reducing* w, const cd_front_plan* c, int n6, int ns, const cd_front* x, int* to)
{
    const int* slot_to = w->f.slot_to + c->slot;
    int        i       = 0;
    for (int s = 0; i < n6; ++s) {
        if (slot_to[s] < 0) continue;
        for (int j = 0; j < 6; ++j) to[i++] = 6 * slot_to[s] + j;
    }
    for (int j = 0; j < ns; ++j) to[i++] = x->n6 + x->nscalar + j;
}

static void add_to(const cd_front* x, int i, int j, real value)
{
    real* entry = &x->W[i * x->stride + j];
    *entry      = r_add(*entry, value);
}

// The update of front c, from the top of the stack.
static void take_update(cd_reducing* w, int c, cd_front* x)
{
    const cd_front_mark* mark = &w->mark[c];
    const int            n6 = 6 * w->f.plan[c].left, ns = mark->nsurvive, n = n6 + ns, nrow = mark->nopen;
    w->top -= cd_packed_size(n) + (size_t)(nrow * n);
    w->rows_below -= nrow;
    map_unknowns(w, &w->f.plan[c], n6, ns, x, w->to);
    const real* U = w->stack + w->top;
    for (int i = 0; i < n; ++i) {
        const int from = cd_packed_from(i);
        for (int j = from; j < n; ++j, ++U) {
            add_to(x, w->to[i], w->to[j], *U);
            if (j >= from + 6) add_to(x, w->to[j], w->to[i], *U);
        }
    }
    for (int i = 0; i < nrow; ++i, ++x->nrow) {
        real* row        = x->R + x->nrow * x->stride;
        w->open[x->nrow] = w->open_below[w->rows_below + i];
        for (int j = 0; j < x->stride; ++j) row[j] = r_lift(0);
        for (int j = 0; j < n; ++j) row[w->to[j]] = r_add(row[w->to[j]], U[i * n + j]);
    }
    for (int s = mark->scalar; s < mark[1].scalar; ++s)
        if (w->survives[s]) {
            w->survives[w->nscalar] = true;
            w->scalar[w->nscalar++] = w->scalar[s];
            ++x->nscalar;
        }
    x->n = x->n6 + x->nscalar;
}

// Square of the size of a row on the twist of a link.
static double size_of(spatial G, double per_length)
{
    const double a = r_value(v3_dot(G.a, G.a)), l = r_value(v3_dot(G.l, G.l));
    return a * per_length * per_length + l;
}

// Coefficients of row i of a block on the unknowns of the front, and its weight.
static void write_row(cd_reducing* w, const cd_row_block* b, const int* slot, int i, const cd_front* x, real* row)
{
    double size = 0;
    for (int j = 0; j < x->stride; ++j) row[j] = r_lift(0);
    for (int n = 0; n < b->nend; ++n) {
        const spatial G = b->G[i * b->nend + n];
        if (slot[n] < 0) continue; // ground has no motion, and its arm is as long as the way from the origin
        const double own = size_of(G, 1 / w->length);
        if (own > size) size = own;
        const real c[6] = {G.a.x, G.a.y, G.a.z, G.l.x, G.l.y, G.l.z};
        for (int j = 0; j < 6; ++j) row[6 * slot[n] + j] = r_add(row[6 * slot[n] + j], c[j]);
    }
    w->row_weight[b->row + i] = size > 0 ? 1 / sqrt(size) : 0;
}

// One with compliance is no row but an inertia.
static void add_soft(const cd_front* x, real* row, double compliance)
{
    const real root = r_lift(sqrt(1 / compliance));
    for (int s = 0; s < x->n6; ++s) row[s] = r_mul(row[s], root);
    for (int s = 0; s < x->n6; ++s) {
        real* W = x->packed && s >= 6 ? x->W + 6 * x->stride + 6 * (s - 7) : x->W + s * x->stride;
        for (int j = x->packed ? cd_packed_from(s) : 0; j < x->n6; ++j) W[j] = r_add(W[j], r_mul(row[s], row[j]));
    }
}

// Rows of the constraints that open in this front.
void cd_front_rows(const cd_rows* rows, cd_reducing* w, cd_front* x)
{
    for (int q = x->p->block; q < x->p->block + x->p->nblock; ++q) {
        const int           block = w->f.block[q];
        const cd_row_block* b     = &rows->block[block];
        const int*          slot  = w->f.end_slot + w->f.first_end[block];
        for (int i = 0; i < b->nrow; ++i) {
            const double compliance = cd_compliance(rows, b->row + i);
            real*        row        = x->R + x->nrow * x->stride;
            if (compliance == 0 && w->idle[b->row + i] && !w->learned) continue;
            write_row(w, b, slot, i, x, row);
            if (compliance == 0)
                w->open[x->nrow++] = b->row + i;
            else
                add_soft(x, row, compliance);
        }
    }
}

// Fronts that are done leave their updates on the stack in their order, so the children of a front are on top, the last
// one first.
void cd_front_open(const cardan_model* m, const cd_rows* rows, cd_reducing* w, int k, cd_front* x)
{
    const cd_front_plan* p = &w->f.plan[k];
    *x                     = (cd_front){.k = k, .p = p, .n6 = 6 * p->nslot, .n = 6 * p->nslot, .W = w->W, .R = w->R};
    x->stride              = x->n6 + p->nv;
    for (int c = k - 1, left = p->nchild; left > 0; --left, c -= w->f.plan[c].size) x->stride += w->mark[c].nsurvive;
    for (int i = 0; i < x->stride * x->stride; ++i) x->W[i] = r_lift(0);
    w->mark[k].scalar = w->nscalar;
    if (p->link < m->nlink)
        cd_front_inertia(&m->link[p->link], w->pose[p->link].R, x->W, x->stride);
    else
        cd_front_hold(w, x, p->link - m->nlink);
    for (int c = k - 1, left = p->nchild; left > 0; --left, c -= w->f.plan[c].size) take_update(w, c, x);
    cd_front_rows(rows, w, x);
}
