// SPDX-License-Identifier: BSD-3-Clause
// AlgI and AlgII of paper 001 (Ascher, Lin) on line links, equations 3.12 and 3.10:
//
//   AlgI    M vd = f - G'lambda - D'mu,   G vd = -Gd v - b1 G v - b2 g      tree by cd_line_tree_accelerate, mu by
//                                                                           multiplier windows (multiplier_window.h)
//   AlgII   M vd = f - G'lambda - D'mu                                      mu, and lambda of all tree rows, by windows
//
// with explicit Euler or explicit midpoint steps. Stability requires  step Lam / epsilon < 2,  where Lam is the largest
// eigenvalue of D P D' (AlgI, P: mobility with satisfied tree rows) or of [G; D] M^-1 [G; D]' (AlgII).
#include "001_line_links.h"

#include <math.h>
#include <string.h>

static const double diverged_distance = 1e3; // [m] per link: the iteration has diverged

typedef struct line_run {
    const cd_line_links*    c;
    const cd_line_settings* s;
    cd_line_links           light;         // the same without gravity, for the response to forces
    int                     nd, nrow;      // n d; multipliers
    double*                 y;             // (4 nd) current state
    double *                from, *middle; // (4 nd)
    double *                rate, *force;  // (4 nd), (2 nd) on x and on r
    double *                work, *rows;   // (n CD_LINE_WORK), (nrow)
    double*                 basis;         // ((CD_LANCZOS_STEPS_MAX + 1) nrow)
    cd_multiplier_window    window;
    cd_arena                arena;
} line_run;

// Apply the rows to vectors p = (x, r): values g and d for positions, or G v and D v for velocities. Closure rows are
// first.
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
            const double parent = c->parent[j] >= 0 ? p[d * c->parent[j] + e] : values ? c->anchor[k] : 0;
            *row++              = p[k] - p[q->nd + k] - parent;
            along += y[q->nd + k] * p[q->nd + k];
        }
        *row++ = values ? (along - c->length[j] * c->length[j]) / 2 : along;
    }
}

// force (2 nd) -= rows' mu
static void subtract_row_forces(const line_run* q, const double* y, const double* mu, double* force)
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
            if (c->parent[j] >= 0) force[d * c->parent[j] + e] += *mu;
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
    subtract_row_forces(q, y, mu, q->force);
    if (!q->s->all_rows) {
        cd_line_tree_accelerate(c, y, q->force, q->s->b1, q->s->b2, q->work, a);
        for (int j = 0; j < c->n; ++j)
            for (int e = 0; e < d; ++e)
                a[nd + d * j + e] = a[d * j + e] - (c->parent[j] >= 0 ? a[d * c->parent[j] + e] : 0);
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

// Update mu(s) from mu(s-1) and compute the rate of the state at y.
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

static void begin(void* context)
{
    line_run* q = context;
    memcpy(q->y, q->from, (size_t)(4 * q->nd) * sizeof *q->y);
}

static double largest(int n, const double* x)
{
    double most = 0;
    for (int i = 0; i < n; ++i)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}

static cardan_status step(void* context, int k, double* mu, double* violation)
{
    line_run*    q = context;
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
    *violation = largest(q->nrow, q->rows);
    return largest(n, q->y) < diverged_distance * q->c->n ? CARDAN_OK : CARDAN_NOT_FINITE;
}

// y = row mobility times x: rows of the accelerations at standstill under multipliers -x, without gravity.
static cardan_status apply_row_mobility(void* context, const double* x, double* y)
{
    line_run* q = context;
    accelerate(q, &q->light, q->middle, x, q->rate);
    apply_rows(q, q->middle, q->rate, false, y);
    for (int i = 0; i < q->nrow; ++i) y[i] = -y[i];
    return CARDAN_OK;
}

static void find_stability_bound(line_run* q, cd_line_result* r)
{
    memcpy(q->middle, q->from, (size_t)(2 * q->nd) * sizeof *q->middle);
    memset(q->middle + 2 * q->nd, 0, (size_t)(2 * q->nd) * sizeof *q->middle);
    if (q->nrow > 0) cd_largest_eigenvalue(q->nrow, apply_row_mobility, q, q->basis, &r->lambda_max);
    r->epsilon_stable_min = q->s->step * r->lambda_max / 2;
}

static void layout(line_run* q, int window)
{
    CD_ARENA_ARRAY(&q->arena, q->from, 4 * q->nd);
    CD_ARENA_ARRAY(&q->arena, q->middle, 4 * q->nd);
    CD_ARENA_ARRAY(&q->arena, q->rate, 4 * q->nd);
    CD_ARENA_ARRAY(&q->arena, q->force, 2 * q->nd);
    CD_ARENA_ARRAY(&q->arena, q->work, q->c->n * CD_LINE_WORK);
    CD_ARENA_ARRAY(&q->arena, q->rows, q->nrow);
    CD_ARENA_ARRAY(&q->arena, q->basis, (CD_LANCZOS_STEPS_MAX + 1) * q->nrow);
    CD_ARENA_ARRAY(&q->arena, q->window.mu, (size_t)window * 2 * (size_t)q->nrow + 1);
}

static void record_violations(line_run* q, cd_line_result* r)
{
    const cd_line_links* c = q->c;
    for (int i = 0; i < c->nclosure; ++i)
        for (int e = 0; e < c->d; ++e)
            r->closure_violation =
                fmax(r->closure_violation, fabs(q->y[c->d * c->closure[i][0] + e] - q->y[c->d * c->closure[i][1] + e]));
    for (int j = 0; j < c->n; ++j) {
        double square = 0;
        for (int e = 0; e < c->d; ++e) {
            const int    k      = c->d * j + e;
            const double parent = c->parent[j] >= 0 ? q->y[c->d * c->parent[j] + e] : c->anchor[k];
            square += q->y[q->nd + k] * q->y[q->nd + k];
            r->connection_violation = fmax(r->connection_violation, fabs(q->y[k] - q->y[q->nd + k] - parent));
        }
        r->length_violation = fmax(r->length_violation, fabs(square - c->length[j] * c->length[j]));
    }
}

static void run_windows(line_run* q, long steps, int window, cd_line_result* r)
{
    cd_multiplier_window* w    = &q->window;
    int                   last = 0;
    for (long done = 0; done < steps && r->status == CARDAN_OK; done += w->steps) {
        w->steps = steps - done < window ? (int)(steps - done) : window;
        memcpy(q->from, q->y, (size_t)(4 * q->nd) * sizeof *q->y);
        if (done > 0) cd_multiplier_window_extrapolate(w, last);
        r->status     = cd_multiplier_window_run(w);
        last          = w->steps;
        r->iterations = w->iterations;
        r->t          = (double)(r->status ? done : done + w->steps) * q->s->step;
        for (int i = 0; i < w->iterations; ++i) r->violation[i] = fmax(r->violation[i], w->violation[i]);
    }
}

cd_line_result cd_line_run(const cd_line_links* c, const cd_line_settings* s, double t, bool allow_unstable,
                           double* state)
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
    q.window = (cd_multiplier_window){.nmultiplier      = q.nrow,
                                      .stages           = s->midpoint ? 2 : 1,
                                      .max_iterations   = s->max_iterations,
                                      .fixed_iterations = s->fixed_iterations,
                                      .tolerance        = s->tolerance,
                                      .mu               = q.window.mu,
                                      .context          = &q,
                                      .begin_iteration  = begin,
                                      .step             = step};
    memcpy(q.from, state, (size_t)(4 * q.nd) * sizeof *state);
    find_stability_bound(&q, &r);
    if (s->epsilon < r.epsilon_stable_min && !allow_unstable)
        r.status = CARDAN_BAD_USAGE;
    else
        run_windows(&q, steps, window, &r);
    if (r.status == CARDAN_OK) record_violations(&q, &r);
    cd_arena_release(&q.arena);
    return r;
}
