// SPDX-License-Identifier: BSD-3-Clause
// AlgI and AlgII of paper 001 (Ascher, Lin) on line links, equations 3.12 and 3.10:
//
//   AlgI    M vd = f - G'lambda - D'mu,   G vd = -Gd v - b1 G v - b2 g          the tree by cd_line_tree, mu as in windows.h
//   AlgII   M vd = f - G'lambda - D'mu                                          lambda of all tree rows as in windows.h too
//
// by explicit Euler or explicit midpoint steps. Both need  step Lam / epsilon < 2,  Lam the largest eigenvalue of D P
// D' (AlgI, P the mobility with the tree rows kept) or of [G; D] M^-1 [G; D]' (AlgII).
#include "motion/line_links.h"

#include <math.h>
#include <string.h>

static const double far_apart = 1e3; // lengths: it has blown up

typedef struct line_run {
    const cd_line_links*    c;
    const cd_line_settings* s;
    cd_line_links           light;         // the same without weight, for what forces alone do
    int                     nd, nrow;      // n d; multipliers
    double*                 y;             // (4 nd) state
    double *                from, *middle; // (4 nd)
    double *                rate, *force;  // (4 nd), (2 nd) on x and on r
    double *                work, *rows;   // (n CD_LINE_WORK), (nrow)
    double*                 basis;         // ((CD_LANCZOS + 1) nrow)
    cd_window               window;
    cd_arena                arena;
} line_run;

// Rows on the vectors p = (x, r): value g and d of positions, or G v and D v of velocities. Closures come first.
static void apply_rows(const line_run* q, const double* y, const double* p, bool values, double* row)
{
    const cd_line_links* c = q->c;
    const int            d = c->d;
    for (int i = 0; i < c->nclosure; ++i)
        for (int e = 0; e < d; ++e) *row++ = p[d * c->closure[i][0] + e] - p[d * c->closure[i][1] + e];
    for (int j = 0; q->s->all_rows && j < c->n; ++j) {
        double along = 0;
        for (int e = 0; e < d; ++e) {
            const int    k      = d * j + e;
            const double father = c->father[j] >= 0 ? p[d * c->father[j] + e] : values ? c->anchor[k] : 0;
            *row++              = p[k] - p[q->nd + k] - father;
            along += y[q->nd + k] * p[q->nd + k];
        }
        *row++ = values ? (along - c->length[j] * c->length[j]) / 2 : along;
    }
}

// force (2 nd) -= rows' mu
static void push(const line_run* q, const double* y, const double* mu, double* force)
{
    const cd_line_links* c = q->c;
    const int            d = c->d;
    for (int i = 0; i < c->nclosure; ++i)
        for (int e = 0; e < d; ++e, ++mu) {
            force[d * c->closure[i][0] + e] -= *mu;
            force[d * c->closure[i][1] + e] += *mu;
        }
    for (int j = 0; q->s->all_rows && j < c->n; ++j) {
        for (int e = 0; e < d; ++e, ++mu) {
            const int k = d * j + e;
            force[k] -= *mu;
            force[q->nd + k] += *mu;
            if (c->father[j] >= 0) force[d * c->father[j] + e] += *mu;
        }
        for (int e = 0; e < d; ++e) force[q->nd + d * j + e] -= *mu * y[q->nd + d * j + e];
        ++mu;
    }
}

// Accelerations of x and r (2 nd) at y under multipliers mu.
static void accelerate(line_run* q, const cd_line_links* c, const double* y, const double* mu, double* a)
{
    const int d = c->d, nd = q->nd;
    memset(q->force, 0, (size_t)(2 * nd) * sizeof *q->force);
    push(q, y, mu, q->force);
    if (!q->s->all_rows) {
        cd_line_tree(c, y, q->force, q->s->b1, q->s->b2, q->work, a);
        for (int j = 0; j < c->n; ++j)
            for (int e = 0; e < d; ++e)
                a[nd + d * j + e] = a[d * j + e] - (c->father[j] >= 0 ? a[d * c->father[j] + e] : 0);
        return;
    }
    for (int j = 0; j < c->n; ++j)
        for (int e = 0; e < d; ++e) { // M^-1 = [4, 6; 6, 12] / m, and the weight m g (-1, 1/2)
            const int    k      = d * j + e;
            const double weight = e == d - 1 ? c->mass[j] * c->gravity : 0, fx = q->force[k] - weight,
                         fr = q->force[nd + k] + weight / 2;
            a[k]            = (4 * fx + 6 * fr) / c->mass[j];
            a[nd + k]       = (6 * fx + 12 * fr) / c->mass[j];
        }
}

// mu(s) from mu(s-1), and the rate of the state at y.
static void stage(line_run* q, const double* y, double* mu)
{
    const int nd = q->nd;
    apply_rows(q, y, y, true, q->rows);
    for (int i = 0; i < q->nrow; ++i) mu[i] += q->s->alpha * q->rows[i] / q->s->epsilon;
    apply_rows(q, y, y + 2 * nd, false, q->rows);
    for (int i = 0; i < q->nrow; ++i) mu[i] += q->rows[i] / q->s->epsilon;
    memcpy(q->rate, y + 2 * nd, (size_t)(2 * nd) * sizeof *y);
    accelerate(q, q->c, y, mu, q->rate + 2 * nd);
}

static void begin(void* who)
{
    line_run* q = who;
    memcpy(q->y, q->from, (size_t)(4 * q->nd) * sizeof *q->y);
}

static double largest(int n, const double* x)
{
    double most = 0;
    for (int i = 0; i < n; ++i)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}

static cardan_status step(void* who, int k, double* mu, double* left)
{
    line_run*    q = who;
    const int    n = 4 * q->nd;
    const double h = q->s->step;
    (void)k;
    stage(q, q->y, mu);
    if (q->s->midpoint) {
        for (int i = 0; i < n; ++i) q->middle[i] = q->y[i] + h / 2 * q->rate[i];
        stage(q, q->middle, mu + q->nrow);
    }
    for (int i = 0; i < n; ++i) q->y[i] += h * q->rate[i];
    apply_rows(q, q->y, q->y, true, q->rows);
    *left = largest(q->nrow, q->rows);
    return largest(n, q->y) < far_apart * q->c->n ? CARDAN_OK : CARDAN_DIVERGED;
}

// mu -> rows of the accelerations that -mu makes from rest, without weight.
static cardan_status respond(void* who, const double* x, double* y)
{
    line_run* q = who;
    accelerate(q, &q->light, q->middle, x, q->rate);
    apply_rows(q, q->middle, q->rate, false, y);
    for (int i = 0; i < q->nrow; ++i) y[i] = -y[i];
    return CARDAN_OK;
}

static void find_bound(line_run* q, cd_line_result* r)
{
    memcpy(q->middle, q->from, (size_t)(2 * q->nd) * sizeof *q->middle);
    memset(q->middle + 2 * q->nd, 0, (size_t)(2 * q->nd) * sizeof *q->middle);
    if (q->nrow > 0) cd_largest_eigenvalue(q->nrow, respond, q, q->basis, &r->lam);
    r->least = q->s->step * r->lam / 2;
}

static void layout(line_run* q, int window)
{
    CD_TAKE(&q->arena, q->from, 4 * q->nd);
    CD_TAKE(&q->arena, q->middle, 4 * q->nd);
    CD_TAKE(&q->arena, q->rate, 4 * q->nd);
    CD_TAKE(&q->arena, q->force, 2 * q->nd);
    CD_TAKE(&q->arena, q->work, q->c->n * CD_LINE_WORK);
    CD_TAKE(&q->arena, q->rows, q->nrow);
    CD_TAKE(&q->arena, q->basis, (CD_LANCZOS + 1) * q->nrow);
    CD_TAKE(&q->arena, q->window.mu, (size_t)window * 2 * (size_t)q->nrow + 1);
}

static void look_at_end(line_run* q, cd_line_result* r)
{
    const cd_line_links* c = q->c;
    for (int i = 0; i < c->nclosure; ++i)
        for (int e = 0; e < c->d; ++e)
            r->closure = fmax(r->closure, fabs(q->y[c->d * c->closure[i][0] + e] - q->y[c->d * c->closure[i][1] + e]));
    for (int j = 0; j < c->n; ++j) {
        double square = 0;
        for (int e = 0; e < c->d; ++e) {
            const int    k      = c->d * j + e;
            const double father = c->father[j] >= 0 ? q->y[c->d * c->father[j] + e] : c->anchor[k];
            square += q->y[q->nd + k] * q->y[q->nd + k];
            r->connection = fmax(r->connection, fabs(q->y[k] - q->y[q->nd + k] - father));
        }
        r->drift = fmax(r->drift, fabs(square - c->length[j] * c->length[j]));
    }
}

static void run_windows(line_run* q, long steps, int window, cd_line_result* r)
{
    cd_window* w    = &q->window;
    int        last = 0;
    for (long done = 0; done < steps && r->status == CARDAN_OK; done += w->steps) {
        w->steps = steps - done < window ? (int)(steps - done) : window;
        memcpy(q->from, q->y, (size_t)(4 * q->nd) * sizeof *q->y);
        if (done > 0) cd_window_hold(w, last);
        r->status     = cd_window_run(w);
        last          = w->steps;
        r->iterations = w->iterations;
        r->t          = (double)(r->status ? done : done + w->steps) * q->s->step;
        for (int i = 0; i < w->iterations; ++i) r->left[i] = fmax(r->left[i], w->left[i]);
    }
}

cd_line_result cd_line_run(const cd_line_links* c, const cd_line_settings* s, double t, bool dare, double* state)
{
    cd_line_result r      = {0};
    const long     steps  = lround(t / s->step);
    const int      window = s->window > 0 ? s->window : (int)(steps > 0 ? steps : 1);
    line_run       q      = {.c = c, .s = s, .light = *c, .nd = c->n * c->d, .y = state};
    q.light.gravity       = 0;
    q.nrow                = c->nclosure * c->d + (s->all_rows ? c->n * (c->d + 1) : 0);
    layout(&q, window);
    if (!cd_arena_reserve(&q.arena)) return (cd_line_result){.status = CARDAN_NO_MEMORY};
    layout(&q, window);
    q.window = (cd_window){.nmu       = q.nrow,
                           .stages    = s->midpoint ? 2 : 1,
                           .most      = s->iterations,
                           .all       = s->fixed,
                           .tolerance = s->tolerance,
                           .mu        = q.window.mu,
                           .who       = &q,
                           .begin     = begin,
                           .step      = step};
    memcpy(q.from, state, (size_t)(4 * q.nd) * sizeof *state);
    find_bound(&q, &r);
    if (s->epsilon < r.least && !dare)
        r.status = CARDAN_BAD_USAGE;
    else
        run_windows(&q, steps, window, &r);
    if (r.status == CARDAN_OK) look_at_end(&q, &r);
    cd_arena_release(&q.arena);
    return r;
}
