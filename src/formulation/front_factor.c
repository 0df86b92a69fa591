// SPDX-License-Identifier: BSD-3-Clause
// Elimination front by front. A front is the form 1/2 V'W V over its unknowns V with open rows R V = gamma; the motion of the link is what
// its parent gives it and what its joint adds, V(link) = V(parent) moved + S u. With h = W S, D = S'h + armature, phi = R S:
//
//   free      no open row feels u:   u = (e - h'V) / D             W <- W - h h'/D
//   geared    by row p:              u = g0 - g'V,  g = R(p)/phi(p)    W <- W - g k' - k g',  k = h - D g / 2
//                                    R(i) <- R(i) - phi(i)/phi(p) R(p)
//   waits     only weakly felt:      u is an unknown of the front until a row is used up or none feels it
//
// then the link is gone, its parent is in slot 0, and the front is added to its target. Paper 004 (Anderson, Critchley), equations 33 to 66, in the
// two-port form that holds for moving bases, and for any number of ports. docs/theory/reduction.md.
#include "formulation/front.h"

#include "kinematics/motion.h"

#include <math.h>
#include <string.h>

static const double strong   = 0.05;   // of the size of row and column: felt enough to be solved for
static const double unfelt   = 1e-11;  // rounding
static const double vanished = 1e-9;   // of the size of a row: it has nothing left to say
static const double null_motion = 1e-13;

void cd_reduction_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_reducing* w)
{
    const cd_fronts* f = &w->f;
    CD_TAKE(arena, w->pose, m->nlink);
    CD_TAKE(arena, w->S, m->nv);
    CD_TAKE(arena, w->scale, m->nv);
    CD_TAKE(arena, w->row_scale, rows->nrow);
    CD_TAKE(arena, w->idle, rows->nrow);
    CD_TAKE(arena, w->step, 2 * m->nv);
    CD_TAKE(arena, w->first_step, f->n + 1);
    CD_TAKE(arena, w->tape, f->tape);
    CD_TAKE(arena, w->other, f->tape);
    CD_TAKE(arena, w->first_scalar, f->n + 1);
    CD_TAKE(arena, w->scalar, (size_t)m->nv * (CD_FRONT_WAITING + 1));
    CD_TAKE(arena, w->survives, (size_t)m->nv * (CD_FRONT_WAITING + 1));
    CD_TAKE(arena, w->W, f->widest * f->widest);
    CD_TAKE(arena, w->R, f->most_open * f->widest);
    CD_TAKE(arena, w->copy, f->most_open * f->widest);
    CD_TAKE(arena, w->h, f->widest);
    CD_TAKE(arena, w->to, f->widest);
    CD_TAKE(arena, w->phi, f->most_open);
    CD_TAKE(arena, w->open, f->most_open);
    CD_TAKE(arena, w->open_below, rows->nrow);
    CD_TAKE(arena, w->nopen, f->n);
    CD_TAKE(arena, w->nsurvive, f->n);
    CD_TAKE(arena, w->stack, f->stack);
    CD_TAKE(arena, w->force, f->stack + (size_t)f->widest);
    CD_TAKE(arena, w->e, m->nv);
    CD_TAKE(arena, w->g0, m->nv);
    CD_TAKE(arena, w->rest, rows->nrow);
    CD_TAKE(arena, w->A, m->nlink);
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
}

// The front at work.
typedef struct front {
    int   k, link, n6, n, stride;  // bodies take n6 unknowns, scalars the rest of n
    int   nscalar, nrow;
    real *W, *R;
} front;

// Own inertia, in world axes at the link's origin, as 6 x 6 in slot 0.
static void add_inertia(const cd_link* link, mat3 R, front* x)
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
static void map_unknowns(const cd_reducing* w, int c, int n6, int ns, const front* x, int* to)
{
    const int* slot_to = w->f.slot_to + w->f.first_slot[c];
    int        i       = 0;
    for (int s = 0; i < n6; ++s) {
        if (slot_to[s] < 0) continue;
        for (int j = 0; j < 6; ++j) to[i++] = 6 * slot_to[s] + j;
    }
    for (int j = 0; j < ns; ++j) to[i++] = x->n6 + x->nscalar + j;
}

// Bodies that an update of front c has.
static int update_bodies(const cd_fronts* f, int c)
{
    int count = 0;
    for (int s = f->first_slot[c]; s < f->first_slot[c + 1]; ++s) count += f->slot_to[s] >= 0;
    return count;
}

// The update of front c, from the top of the stack.
static void take_update(cd_reducing* w, int c, front* x, size_t* top, int* rows_below)
{
    const int n6 = 6 * update_bodies(&w->f, c), ns = w->nsurvive[c], n = n6 + ns, nrow = w->nopen[c];
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
static void write_row(const cd_reducing* w, const cd_row_block* b, int block, int i, const front* x, real* row)
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
static void open_rows(const cd_rows* rows, cd_reducing* w, front* x)
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
            for (int s = 0; s < x->n6; ++s) {
                const real f = r_div(row[s], r_lift(compliance));
                for (int j = 0; j < x->n6; ++j) x->W[s * x->stride + j] = r_add(x->W[s * x->stride + j], r_mul(f, row[j]));
            }
        }
    }
}

// Fronts that are done leave their updates on the stack in their order, so the children of a front are on top, the last one first.
static void open_front(const cardan_model* m, const cd_rows* rows, cd_reducing* w, int k, front* x, size_t* top, int* rows_below)
{
    const int nslot = w->f.first_slot[k + 1] - w->f.first_slot[k];
    *x              = (front){.k = k, .link = w->f.link[k], .n6 = 6 * nslot, .n = 6 * nslot, .W = w->W, .R = w->R};
    x->stride       = x->n6 + m->link[x->link].nv;
    for (int c = k - 1, left = w->f.nchild[k]; left > 0; --left, c -= w->f.size[c]) x->stride += w->nsurvive[c];
    for (int i = 0; i < x->stride * x->stride; ++i) x->W[i] = r_lift(0);
    w->first_scalar[k] = w->nscalar;
    w->first_step[k]   = w->nstep;
    add_inertia(&m->link[x->link], w->pose[x->link].R, x);
    for (int c = k - 1, left = w->f.nchild[k]; left > 0; --left, c -= w->f.size[c]) take_update(w, c, x, top, rows_below);
    open_rows(rows, w, x);
}

// A velocity about to be eliminated: what it meets in the front, and in the open rows.
typedef struct column {
    int    v, scalar;  // scalar of the front, or -1: a column of the link itself
    real   D;
    int    best;       // row that feels it most, or -1
    double felt;       // how much, of the size of row and column
} column;

static void judge_rows(const cd_reducing* w, const front* x, column* c)
{
    c->best = -1;
    c->felt = 0;
    for (int i = 0; i < x->nrow; ++i) {
        const double felt = fabs(r_value(w->phi[i])) / (w->row_scale[w->open[i]] * w->scale[c->v]);
        if (!(felt > unfelt)) w->phi[i] = r_lift(0);
        else if (felt > c->felt) {
            c->felt = felt;
            c->best = i;
        }
    }
}

static column column_of_link(const cardan_model* m, const cd_reducing* w, const front* x, int v)
{
    const spatial S    = w->S[v];
    const real    s[6] = {S.a.x, S.a.y, S.a.z, S.l.x, S.l.y, S.l.z};
    column        c    = {.v = v, .scalar = -1};
    for (int i = 0; i < x->n; ++i) {
        const real* row = x->W + i * x->stride;
        real        sum = r_mul(row[0], s[0]);
        for (int j = 1; j < 6; ++j) sum = r_add(sum, r_mul(row[j], s[j]));
        w->h[i] = sum;
    }
    for (int i = 0; i < x->nrow; ++i) {
        const real* row = x->R + i * x->stride;
        real        sum = r_mul(row[0], s[0]);
        for (int j = 1; j < 6; ++j) sum = r_add(sum, r_mul(row[j], s[j]));
        w->phi[i] = sum;
    }
    c.D = r_lift(m->armature[v]);
    for (int j = 0; j < 6; ++j) c.D = r_add(c.D, r_mul(s[j], w->h[j]));
    judge_rows(w, x, &c);
    return c;
}

static column column_of_scalar(const cd_reducing* w, const front* x, int scalar)
{
    const int at = x->n6 + scalar;
    column    c  = {.v = w->scalar[w->first_scalar[x->k] + scalar], .scalar = scalar, .D = x->W[at * x->stride + at]};
    for (int i = 0; i < x->n; ++i) w->h[i] = i == at ? r_lift(0) : x->W[at * x->stride + i];
    for (int i = 0; i < x->nrow; ++i) w->phi[i] = x->R[i * x->stride + at];
    judge_rows(w, x, &c);
    return c;
}

// A step on the tape, with h.
static cd_step_taken* record(cd_reducing* w, const front* x, const column* c, cd_elimination kind)
{
    cd_step_taken* s = &w->step[w->nstep++];
    *s = (cd_step_taken){.v = c->v, .kind = (int)kind, .scalar = c->scalar, .n = x->n, .row = -1, .tape = w->ntape, .other = w->nother, .D = c->D};
    memcpy(w->tape + w->ntape, w->h, (size_t)x->n * sizeof *w->h);
    w->ntape += (size_t)x->n;
    return s;
}

// The unknown of a scalar is gone: nothing meets it any more.
static void clear_scalar(const cd_reducing* w, const front* x, int scalar)
{
    const int at = x->n6 + scalar;
    for (int i = 0; i < x->n; ++i) x->W[at * x->stride + i] = x->W[i * x->stride + at] = r_lift(0);
    for (int i = 0; i < x->nrow; ++i) x->R[i * x->stride + at] = r_lift(0);
    w->survives[w->first_scalar[x->k] + scalar] = false;
}

static void free_velocity(cd_reducing* w, const front* x, const column* c)
{
    cd_step_taken* s = record(w, x, c, CD_FREE);
    s->D             = r_div(r_lift(1), c->D);
    for (int i = 0; i < x->n; ++i) {
        real*      row = x->W + i * x->stride;
        const real f   = r_mul(w->h[i], s->D);
        for (int j = 0; j < x->n; ++j) row[j] = r_sub(row[j], r_mul(f, w->h[j]));
    }
}

// Row `pivot` is taken from the other rows that feel the velocity, and used up.
static void use_up(cd_reducing* w, front* x, cd_step_taken* s, int pivot)
{
    const real* p = x->R + pivot * x->stride;
    for (int i = 0; i < x->nrow; ++i) {
        if (i == pivot || r_value(w->phi[i]) == 0) continue;
        real*      row = x->R + i * x->stride;
        const real m   = r_mul(w->phi[i], s->phi);
        for (int j = 0; j < x->n; ++j) row[j] = r_sub(row[j], r_mul(m, p[j]));
        w->tape[w->ntape++]   = m;
        w->other[w->nother++] = w->open[i];
        ++s->nother;
    }
    --x->nrow;
    w->open[pivot] = w->open[x->nrow];
    if (pivot < x->nrow) memcpy(x->R + pivot * x->stride, x->R + x->nrow * x->stride, (size_t)x->stride * sizeof *x->R);
}

static void gear_velocity(cd_reducing* w, front* x, const column* c, int pivot)
{
    cd_step_taken* s = record(w, x, c, CD_GEARED);
    const int      at = c->scalar < 0 ? -1 : x->n6 + c->scalar;
    real*          g = w->tape + w->ntape;
    s->row           = w->open[pivot];
    s->phi           = r_div(r_lift(1), w->phi[pivot]);
    w->ntape += (size_t)x->n;
    for (int i = 0; i < x->n; ++i) g[i] = i == at ? r_lift(0) : r_mul(x->R[pivot * x->stride + i], s->phi);
    const real half = r_mul(r_lift(0.5), c->D);
    for (int i = 0; i < x->n; ++i) w->h[i] = r_sub(w->h[i], r_mul(half, g[i]));
    for (int i = 0; i < x->n; ++i) {
        real* row = x->W + i * x->stride;
        for (int j = 0; j < x->n; ++j) row[j] = r_sub(row[j], r_add(r_mul(g[i], w->h[j]), r_mul(w->h[i], g[j])));
    }
    use_up(w, x, s, pivot);
}

static void wait_velocity(cd_reducing* w, front* x, const column* c)
{
    const int      at = x->n;
    column         here = *c;
    here.scalar         = x->nscalar;
    record(w, x, &here, CD_WAITS);
    for (int i = 0; i < x->n; ++i) x->W[at * x->stride + i] = x->W[i * x->stride + at] = w->h[i];
    x->W[at * x->stride + at] = c->D;
    for (int i = 0; i < x->nrow; ++i) x->R[i * x->stride + at] = w->phi[i];
    w->survives[w->nscalar] = true;
    w->scalar[w->nscalar++] = c->v;
    ++x->nscalar;
    ++x->n;
}

static bool resisted(const cardan_model* m, const column* c) { return r_value(c->D) > null_motion * m->resistance[c->v]; }

// The velocities of the link, outer ones first.
static cardan_status eliminate_link(const cardan_model* m, cd_reducing* w, front* x, cd_where* where)
{
    const cd_link* link = &m->link[x->link];
    for (int v = link->v + link->nv - 1; v >= link->v; --v) {
        const column c = column_of_link(m, w, x, v);
        const bool   inert = resisted(m, &c);
        if (c.best < 0 && !inert) return where->v = v, CARDAN_SINGULAR;
        if (c.best < 0) free_velocity(w, x, &c);
        else if (c.felt > strong) gear_velocity(w, x, &c, c.best);
        else wait_velocity(w, x, &c);
    }
    return CARDAN_OK;
}

static void eliminate_scalar(cd_reducing* w, front* x, const column* c)
{
    if (c->best < 0) free_velocity(w, x, c);
    else gear_velocity(w, x, c, c->best);
    clear_scalar(w, x, c->scalar);
}

// Scalars that no row feels any more, or some row strongly, go. Where nothing is left that could take them over, or they are too many,
// the one that is felt most goes first, if it is felt at all.
static cardan_status eliminate_scalars(const cardan_model* m, cd_reducing* w, front* x, int most, cd_where* where)
{
    for (;;) {
        int    left = 0, best = -1;
        double felt = 0;
        bool   gone = false;
        for (int s = 0; s < x->nscalar; ++s) {
            if (!w->survives[w->first_scalar[x->k] + s]) continue;
            const column c = column_of_scalar(w, x, s);
            if (c.best < 0 ? resisted(m, &c) : c.felt > strong) {
                eliminate_scalar(w, x, &c);
                gone = true;
            } else if (c.best < 0) {
                return where->v = c.v, CARDAN_SINGULAR;
            } else {
                ++left;
                if (c.felt > felt) {
                    felt = c.felt;
                    best = s;
                }
            }
        }
        if (gone) continue;
        if (left <= most) return CARDAN_OK;
        const column c = column_of_scalar(w, x, best);
        eliminate_scalar(w, x, &c);
    }
}

// V(link) = V(parent) moved by d:  v = v(parent) - d x w.  Right, then left, on the unknowns of slot 0.
static void move_to_parent(const cardan_model* m, const cd_reducing* w, const front* x)
{
    const int parent = m->link[x->link].parent;
    if (parent < 0) return;
    const vec3 d = v3_sub(w->pose[x->link].p, w->pose[parent].p);
    for (int i = 0; i < x->n + x->nrow; ++i) {
        real*      row = i < x->n ? x->W + i * x->stride : x->R + (i - x->n) * x->stride;
        const vec3 c   = v3_cross(d, v3(row[3], row[4], row[5]));
        row[0] = r_add(row[0], c.x), row[1] = r_add(row[1], c.y), row[2] = r_add(row[2], c.z);
    }
    real *a = x->W, *l = x->W + 3 * x->stride;
    for (int j = 0; j < x->n; ++j) {
        const vec3 c      = v3_cross(d, v3(l[j], l[x->stride + j], l[2 * x->stride + j]));
        a[j]              = r_add(a[j], c.x);
        a[x->stride + j]  = r_add(a[x->stride + j], c.y);
        a[2 * x->stride + j] = r_add(a[2 * x->stride + j], c.z);
    }
}

// Size of what a row still says about unknown `from` of the front.
static double left_of(const cd_reducing* w, const front* x, const real* row, int from)
{
    const double c = fabs(r_value(row[from]));
    if (from >= x->n6) return c / w->scale[w->scalar[w->first_scalar[x->k] + from - x->n6]];
    return from % 6 < 3 ? c / w->length : c;
}

// Rows that have nothing left to say are dropped: they repeat others.
static void drop_rows(cd_reducing* w, front* x, int n, const int* from)
{
    for (int i = x->nrow - 1; i >= 0; --i) {
        double most = 0;
        for (int j = 0; j < n; ++j) most = fmax(most, left_of(w, x, x->R + i * x->stride, from[j]));
        if (most > vanished * w->row_scale[w->open[i]]) continue;
        if (w->learned) w->idle[w->open[i]] = true;
        --x->nrow;
        w->open[i] = w->open[x->nrow];
        memmove(x->R + i * x->stride, x->R + x->nrow * x->stride, (size_t)x->stride * sizeof *x->R);
    }
}

// More open rows than unknowns depend on each other: elimination on a copy tells which can go.
static void thin_rows(cd_reducing* w, front* x, int n, const int* from)
{
    int    left = x->nrow;
    real*  C    = w->copy;
    for (int i = 0; i < x->nrow; ++i)
        for (int j = 0; j < n; ++j) {
            const real* row = x->R + i * x->stride;
            C[i * n + j]    = r_lift(left_of(w, x, row, from[j]) * (r_value(row[from[j]]) < 0 ? -1 : 1) / w->row_scale[w->open[i]]);
        }
    for (int done = 0; done < left; ++done) {
        int row = done, at = 0;
        for (int i = done; i < left; ++i)
            for (int j = 0; j < n; ++j)
                if (fabs(r_value(C[i * n + j])) > fabs(r_value(C[row * n + at]))) row = i, at = j;
        if (!(fabs(r_value(C[row * n + at])) > vanished)) {
            for (int i = done; i < left; ++i)
                if (w->learned) w->idle[w->open[i]] = true;
            x->nrow = done;
            return;
        }
        for (int j = 0; row != done && j < n; ++j) {
            const real c      = C[row * n + j];
            C[row * n + j]  = C[done * n + j];
            C[done * n + j] = c;
        }
        for (int j = 0; row != done && j < x->n; ++j) {
            const real c                = x->R[row * x->stride + j];
            x->R[row * x->stride + j]  = x->R[done * x->stride + j];
            x->R[done * x->stride + j] = c;
        }
        const int id  = w->open[row];
        w->open[row]  = w->open[done];
        w->open[done] = id;
        for (int i = done + 1; i < left; ++i) {
            const real f = r_div(C[i * n + at], C[done * n + at]);
            for (int j = 0; j < n; ++j) C[i * n + j] = j == at ? r_lift(0) : r_sub(C[i * n + j], r_mul(f, C[done * n + j]));
        }
    }
}

// What is left goes on the stack: unknowns that are still there, packed.
static void push_update(cd_reducing* w, front* x, size_t* top, int* rows_below)
{
    int  n    = 0;
    int* from = w->to;
    for (int s = w->f.first_slot[x->k]; s < w->f.first_slot[x->k + 1]; ++s)
        for (int j = 0; w->f.slot_to[s] >= 0 && j < 6; ++j) from[n++] = 6 * (s - w->f.first_slot[x->k]) + j;
    w->nsurvive[x->k] = 0;
    for (int s = 0; s < x->nscalar; ++s)
        if (w->survives[w->first_scalar[x->k] + s]) {
            from[n++] = x->n6 + s;
            ++w->nsurvive[x->k];
        }
    drop_rows(w, x, n, from);
    if (x->nrow > 0 && (w->learned || x->nrow > n)) thin_rows(w, x, n, from);
    real* U = w->stack + *top;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) *U++ = x->W[from[i] * x->stride + from[j]];
    for (int i = 0; i < x->nrow; ++i) {
        w->open_below[(*rows_below)++] = w->open[i];
        for (int j = 0; j < n; ++j) *U++ = x->R[i * x->stride + from[j]];
    }
    w->nopen[x->k] = x->nrow;
    *top += (size_t)((n + x->nrow) * n);
}

cardan_status cd_reduction_factor(const cardan_model* m, const cd_rows* rows, cd_reducing* w, cd_where* where)
{
    size_t top        = 0;
    int    rows_below = 0;
    w->nstep = w->nscalar = 0;
    w->ntape = w->nother = 0;
    if (w->learned) memset(w->idle, 0, (size_t)rows->nrow * sizeof *w->idle);
    for (int k = 0; k < w->f.n; ++k) {
        front x;
        open_front(m, rows, w, k, &x, &top, &rows_below);
        cardan_status status = eliminate_link(m, w, &x, where);
        if (status == CARDAN_OK) status = eliminate_scalars(m, w, &x, update_bodies(&w->f, k) > 0 ? CD_FRONT_WAITING : 0, where);
        if (status != CARDAN_OK) return status;
        w->first_scalar[k + 1] = w->nscalar;
        w->first_step[k + 1]   = w->nstep;
        move_to_parent(m, w, &x);
        push_update(w, &x, &top, &rows_below);
    }
    return CARDAN_OK;
}
