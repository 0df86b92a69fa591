// SPDX-License-Identifier: BSD-3-Clause
// Elimination front by front. A front is the form 1/2 V'W V over its unknowns V with open rows R V = gamma; the motion
// of the link is what its parent gives it and what its joint adds, V(link) = V(parent) moved + S u. With h = W S, D =
// S'h + armature, phi = R S:
//
//   free      no open row feels u:   u = (e - h'V) / D             W <- W - h h'/D
//   geared    by row p:              u = g0 - g'V,  g = R(p)/phi(p)    W <- W - g k' - k g',  k = h - D g / 2
//                                    R(i) <- R(i) - phi(i)/phi(p) R(p)
//   waits     only weakly felt:      u is an unknown of the front until a row is used up or none feels it
//
// W stays symmetric to the last bit: in long ladders, where some directions are many orders of magnitude heavier than
// others, a rounding that differs above and below the diagonal grows from cell to cell.
//
// Then the link is gone, its parent is in slot 0, and the front is added to its target. Paper 004 (Anderson,
// Critchley), equations 33 to 66, in the two-port form that holds for moving bases, and for any number of ports.
// docs/theory/reduction.md.
#include "formulation/front.h"

#include <math.h>
#include <string.h>

static const double unfelt       = 1e-11; // rounding
static const double null_motion  = 1e-13;
static const double row_vanished = 1e-9; // of the size of a row that repeats others, where constraints are closed
static const double above_gaps =
    10; // rows are tested one by one, not by what others left of them: that takes more room

// A velocity about to be eliminated: what it meets in the front, and in the open rows.
typedef struct column {
    int     v, scalar; // scalar of the front, or -1: a column of the link itself
    int     n;         // components of its motion column
    spatial S;
    real    D;
    int     best; // row that feels it most, or -1
    double  felt; // how much, of the size of row and column
} column;

// Whether open row i says nothing about anything but the velocity at hand: a scalar of the front, or (-1) the only one
// of its link.
static bool says_no_more(const cd_reducing* w, const cd_front* x, int i, int scalar)
{
    const bool grounded = x->p->up < 0; // the link goes nowhere without its joint
    if (scalar < 0 && !(grounded && x->p->nv == 1)) return false;
    for (int j = grounded ? 6 : 0; j < x->n; ++j)
        if ((scalar < 0 || j != x->n6 + scalar) &&
            cd_front_left(w, x, x->R + i * x->stride, j) * w->row_weight[w->open[i]] > w->vanished)
            return false;
    return true;
}

// Beside the constraints a row that repeats others feels the last velocity by the gap: it has vanished.
int cd_front_judge(const cd_reducing* w, const cd_front* x, double scale, int scalar, double* most)
{
    const double weight = 1 / scale;
    int          best   = -1;
    for (int i = 0; i < x->nrow; ++i) {
        const double felt = fabs(r_value(w->phi[i])) * w->row_weight[w->open[i]] * weight;
        if (!(felt > unfelt) || (felt <= w->vanished && says_no_more(w, x, i, scalar)))
            w->phi[i] = r_lift(0);
        else if (felt > *most) {
            *most = felt;
            best  = i;
        }
    }
    return best;
}

static column column_of_link(const cardan_model* m, const cd_reducing* w, const cd_front* x, int v)
{
    column     c    = {.v = v, .scalar = -1, .n = cd_front_ncolumn(m, x->p), .S = cd_front_column(m, w, x->p, v)};
    const real s[6] = {c.S.a.x, c.S.a.y, c.S.a.z, c.S.l.x, c.S.l.y, c.S.l.z};
    for (int i = 0; i < x->n; ++i) {
        const real* row = x->W + i * x->stride;
        real        sum = r_mul(row[0], s[0]);
        for (int j = 1; j < c.n; ++j) sum = r_add(sum, r_mul(row[j], s[j]));
        w->h[i] = sum;
    }
    for (int i = 0; i < x->nrow; ++i) {
        const real* row = x->R + i * x->stride;
        real        sum = r_mul(row[0], s[0]);
        for (int j = 1; j < c.n; ++j) sum = r_add(sum, r_mul(row[j], s[j]));
        w->phi[i] = sum;
    }
    c.D = r_lift(v < m->nv ? m->armature[v] : 0);
    for (int j = 0; j < c.n; ++j) c.D = r_add(c.D, r_mul(s[j], w->h[j]));
    c.best = cd_front_judge(w, x, w->scale[c.v], c.scalar, &c.felt);
    return c;
}

static column column_of_scalar(const cd_reducing* w, const cd_front* x, int scalar)
{
    const int at = x->n6 + scalar;
    column    c  = {.v      = w->scalar[w->mark[x->k].scalar + scalar],
                    .scalar = scalar,
                    .S      = sv_zero(),
                    .D      = x->W[at * x->stride + at]};
    for (int i = 0; i < x->n; ++i) w->h[i] = i == at ? r_lift(0) : x->W[at * x->stride + i];
    for (int i = 0; i < x->nrow; ++i) w->phi[i] = x->R[i * x->stride + at];
    c.best = cd_front_judge(w, x, w->scale[c.v], c.scalar, &c.felt);
    return c;
}

// A step on the tape, with its column and h.
static cd_step_taken* record(cd_reducing* w, const cd_front* x, const column* c, cd_elimination kind)
{
    const real     s[6] = {c->S.a.x, c->S.a.y, c->S.a.z, c->S.l.x, c->S.l.y, c->S.l.z};
    cd_step_taken* step = &w->step[w->nstep++];
    *step               = (cd_step_taken){.v       = c->v,
                                          .kind    = (unsigned char)kind,
                                          .ncolumn = (unsigned char)c->n,
                                          .scalar  = c->scalar,
                                          .n       = x->n,
                                          .row     = -1,
                                          .tape    = w->ntape,
                                          .other   = w->nother,
                                          .D       = c->D};
    memcpy(w->tape + w->ntape, s, (size_t)c->n * sizeof *s);
    memcpy(w->tape + w->ntape + c->n, w->h, (size_t)x->n * sizeof *w->h);
    w->ntape += (size_t)(c->n + x->n);
    return step;
}

// The unknown of a scalar is gone: nothing meets it any more.
static void clear_scalar(const cd_reducing* w, const cd_front* x, int scalar)
{
    const int at = x->n6 + scalar;
    for (int i = 0; i < x->n; ++i) x->W[at * x->stride + i] = x->W[i * x->stride + at] = r_lift(0);
    for (int i = 0; i < x->nrow; ++i) x->R[i * x->stride + at] = r_lift(0);
    w->survives[w->mark[x->k].scalar + scalar] = false;
}

static void free_velocity(cd_reducing* w, const cd_front* x, const column* c)
{
    cd_step_taken* s = record(w, x, c, CD_FREE);
    s->D             = r_div(r_lift(1), c->D);
    w->heaviest      = fmax(w->heaviest, w->least[c->v] * r_value(s->D));
    const real root  = r_sqrt(s->D);
    for (int i = 0; i < x->n; ++i) w->h[i] = r_mul(w->h[i], root);
    for (int i = 0; i < x->n; ++i)
        for (int j = i; j < x->n; ++j) {
            const real less         = r_mul(w->h[i], w->h[j]);
            x->W[i * x->stride + j] = x->W[j * x->stride + i] = r_sub(x->W[i * x->stride + j], less);
        }
}

static void gear_velocity(cd_reducing* w, cd_front* x, const column* c, int pivot)
{
    cd_step_taken* s  = record(w, x, c, CD_GEARED);
    const int      at = c->scalar < 0 ? -1 : x->n6 + c->scalar;
    real*          g  = w->tape + w->ntape;
    s->row            = w->open[pivot];
    ++w->ngeared;
    if (c->felt < w->weakest && s->row < w->nrow) {
        w->weakest     = c->felt;
        w->weakest_row = s->row;
    }
    s->phi = r_div(r_lift(1), w->phi[pivot]);
    w->ntape += (size_t)x->n;
    for (int i = 0; i < x->n; ++i) g[i] = i == at ? r_lift(0) : r_mul(x->R[pivot * x->stride + i], s->phi);
    const real half = r_mul(r_lift(0.5), c->D);
    for (int i = 0; i < x->n; ++i) w->h[i] = r_sub(w->h[i], r_mul(half, g[i]));
    for (int i = 0; i < x->n; ++i)
        for (int j = i; j < x->n; ++j) {
            const real less         = r_add(r_mul(g[i], w->h[j]), r_mul(w->h[i], g[j]));
            x->W[i * x->stride + j] = x->W[j * x->stride + i] = r_sub(x->W[i * x->stride + j], less);
        }
    cd_front_use_up(w, x, s, pivot, x->R + pivot * x->stride, x->n, x->stride);
}

static void wait_velocity(cd_reducing* w, cd_front* x, const column* c)
{
    const int at   = x->n;
    column    here = *c;
    here.scalar    = x->nscalar;
    record(w, x, &here, CD_WAITS);
    for (int i = 0; i < x->n; ++i) x->W[at * x->stride + i] = x->W[i * x->stride + at] = w->h[i];
    x->W[at * x->stride + at] = c->D;
    for (int i = 0; i < x->nrow; ++i) x->R[i * x->stride + at] = w->phi[i];
    w->survives[w->nscalar] = true;
    w->scalar[w->nscalar++] = c->v;
    ++x->nscalar;
    ++x->n;
}

static bool resisted(const cd_reducing* w, const column* c) { return r_value(c->D) > w->least[c->v]; }

double cd_front_along(const cd_extent* e, spatial S)
{
    const double sum = fabs(r_value(S.a.x)) * e->root[0] + fabs(r_value(S.a.y)) * e->root[1] +
                       fabs(r_value(S.a.z)) * e->root[2] + fabs(r_value(S.l.x)) * e->root[3] +
                       fabs(r_value(S.l.y)) * e->root[4] + fabs(r_value(S.l.z)) * e->root[5];
    return null_motion * sum * sum;
}

// The same seen from the parent, d away.
static cd_extent moved(const cd_extent* e, vec3 d)
{
    const double *a = e->root, *l = e->root + 3, x = fabs(r_value(d.x)), y = fabs(r_value(d.y)), z = fabs(r_value(d.z));
    return (cd_extent){
        {a[0] + y * l[2] + z * l[1], a[1] + z * l[0] + x * l[2], a[2] + x * l[1] + y * l[0], l[0], l[1], l[2]}};
}

// The measure of pivots: what a velocity of the link would meet if nothing had been eliminated in its front. Between
// the steps of a joint, where there is no inertia of its own, the measure is that of what it carries, or of what rows
// have brought along that are used up. The link's own inertia counts in every direction: turned to world axes it leaves
// rounding.
cd_extent cd_front_measure(const cardan_model* m, cd_reducing* w, const cd_front* x, vec3 d)
{
    const cd_link* link     = x->p->link < m->nlink ? &m->link[x->p->link] : NULL;
    const bool     backward = cd_front_is_backward(x->p), carried = x->p->up >= 0 && m->link[x->p->up].bare;
    cd_extent      size;
    if (link && !link->bare) {
        const double turn = link->I[0] + link->I[1] + link->I[2];
        for (int j = 0; j < 6; ++j) {
            const double own = j < 3 ? turn : link->m, all = r_value(x->W[j * (x->stride + 1)]);
            size.root[j] = sqrt(all > own ? all : own);
        }
    } else {
        size = backward ? moved(&w->span[x->p->link], d) : w->span[x->p->link];
        for (int j = 0; j < 6; ++j)
            size.root[j] = fmax(size.root[j], sqrt(fmax(0, r_value(x->W[j * (x->stride + 1)]))));
    }
    if (carried) {
        const cd_extent there = backward ? size : moved(&size, d);
        double*         sum   = w->span[x->p->up].root;
        for (int j = 0; j < 6; ++j) sum[j] = sqrt(sum[j] * sum[j] + there.root[j] * there.root[j]);
    }
    return size;
}

// The velocities of the link, outer ones first. A joint that is walked backwards has its origin where the parent has.
static cardan_status eliminate_link(const cardan_model* m, cd_reducing* w, cd_front* x, cd_where* where)
{
    const vec3 d    = cd_front_arm(m, w, x->p);
    real*      tape = w->tape + w->ntape;
    tape[0] = d.x, tape[1] = d.y, tape[2] = d.z;
    w->ntape += 3;
    if (cd_front_is_backward(x->p)) cd_front_pass(x, d);
    const cd_extent size = cd_front_measure(m, w, x, d);
    for (int v = x->p->v + x->p->nv - 1; v >= x->p->v; --v) {
        const column c = column_of_link(m, w, x, v);
        w->least[v]    = cd_front_along(&size, c.S);
        if (c.best < 0 && !resisted(w, &c)) return where->v = v, CARDAN_SINGULAR;
        if (c.best < 0)
            free_velocity(w, x, &c);
        else if (c.felt > cd_felt_strongly)
            gear_velocity(w, x, &c, c.best);
        else
            wait_velocity(w, x, &c);
    }
    return CARDAN_OK;
}

static void eliminate_scalar(cd_reducing* w, cd_front* x, const column* c)
{
    if (c->best < 0)
        free_velocity(w, x, c);
    else
        gear_velocity(w, x, c, c->best);
    clear_scalar(w, x, c->scalar);
}

// Scalars that no row feels any more, or some row strongly, go. Where nothing is left that could take them over, or
// they are too many, the one that is felt most goes first, if it is felt at all.
static cardan_status eliminate_scalars(cd_reducing* w, cd_front* x, int most, cd_where* where)
{
    for (;;) {
        int    left = 0, best = -1;
        double felt = 0;
        bool   gone = false;
        for (int s = 0; s < x->nscalar; ++s) {
            if (!w->survives[w->mark[x->k].scalar + s]) continue;
            const column c = column_of_scalar(w, x, s);
            if (c.best < 0 ? resisted(w, &c) : c.felt > cd_felt_strongly) {
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

// Front and tape hold what velocities need in their own fronts, and some that wait for others; more than that is
// refused.
static bool has_room(const cd_reducing* w, int k)
{
    const cd_front_plan* p       = &w->f.plan[k];
    int                  nscalar = 0;
    for (int c = k - 1, left = p->nchild; left > 0; --left, c -= w->f.plan[c].size) nscalar += w->mark[c].nsurvive;
    const int    stride = 6 * p->nslot + p->nv + nscalar;
    const size_t most =
        (size_t)(p->nv + nscalar) * (size_t)(2 * stride + p->most_rows) + (size_t)(p->nv * (stride + 6) + 3);
    return stride <= w->f.widest && w->ntape + most <= w->f.tape;
}

// What front k reads: its link, where that is, the rows that open.
CD_ASKING void look_ahead(const cardan_model* m, const cd_rows* rows, const cd_reducing* w, int k)
{
    if (k + CD_FRONTS_AHEAD < w->f.n) {
        const cd_front_plan* far = &w->f.plan[k + CD_FRONTS_AHEAD];
        for (int q = far->block; q < far->block + far->nblock; ++q) {
            cd_ask_for(&rows->block[w->f.block[q]], sizeof(cd_row_block));
            __builtin_prefetch(&w->f.first_end[w->f.block[q]]);
        }
        if (far->link >= m->nlink) return;
        cd_ask_for(&m->link[far->link], sizeof(cd_link));
        cd_ask_for(&w->pose[far->link], sizeof(frame));
    }
    if (k + 2 >= w->f.n) return;
    const cd_front_plan* near = &w->f.plan[k + 2];
    for (int q = near->block; q < near->block + near->nblock; ++q) {
        const cd_row_block* b = &rows->block[w->f.block[q]];
        cd_ask_for(b->G, (size_t)(b->nrow * b->nend) * sizeof *b->G);
        __builtin_prefetch(&w->f.end_slot[w->f.first_end[w->f.block[q]]]);
        __builtin_prefetch(&w->row_weight[b->row], 1);
        __builtin_prefetch(&w->idle[b->row]);
    }
}

static cardan_status reduce(const cardan_model* m, const cd_rows* rows, cd_reducing* w, int k, cd_where* where)
{
    cd_front      x;
    cardan_status status = CARDAN_OK;
    if (!has_room(w, k)) return CARDAN_NO_MEMORY;
    if (cd_front_is_narrow(w, k) && cd_front_narrow(m, rows, w, k, where, &status)) return status;
    cd_front_open(m, rows, w, k, &x);
    status = eliminate_link(m, w, &x, where);
    if (status == CARDAN_OK) status = eliminate_scalars(w, &x, x.p->left > 0 ? CD_FRONT_WAITING : 0, where);
    if (status != CARDAN_OK) return status;
    w->mark[k + 1].scalar = w->nscalar;
    if (!cd_front_is_backward(x.p)) cd_front_pass(&x, cd_front_arm(m, w, x.p));
    cd_front_close(w, &x);
    return CARDAN_OK;
}

cardan_status cd_reduction_factor(const cardan_model* m, const cd_rows* rows, cd_reducing* w, cd_where* where)
{
    w->top   = 0;
    w->nstep = w->nscalar = w->ngeared = w->rows_below = 0;
    w->ntape = w->nother = 0;
    w->weakest           = 1;
    w->heaviest          = 0;
    w->weakest_row       = -1;
    w->vanished          = fmax(row_vanished, above_gaps * sqrt(cd_null_beside(rows)));
    if (w->learned) memset(w->idle, 0, (size_t)(w->nrow + 6 * w->f.nroot) * sizeof *w->idle);
    for (int k = 0; k < w->f.n; ++k) {
        const int link  = w->f.plan[k].link;
        w->mark[k].step = w->nstep;
        w->mark[k].tape = w->ntape;
        look_ahead(m, rows, w, k);
        const cardan_status status = reduce(m, rows, w, k, where);
        if (status != CARDAN_OK) {
            memset(w->span, 0, (size_t)w->f.n * sizeof *w->span);
            return status;
        }
        if (link < m->nlink && m->link[link].bare) w->span[link] = (cd_extent){{0}};
    }
    w->mark[w->f.n].step = w->nstep;
    return CARDAN_OK;
}
