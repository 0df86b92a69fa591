// SPDX-License-Identifier: BSD-3-Clause
// Generalized-alpha, and its case HHT, on the equations of motion with constraints at the levels of positions and of velocities
// (stabilized index 2). Stiff modes are damped as much as the spectral radius rho says, slow ones hardly; order 2, multipliers too, also
// with steps of different lengths, which follow from a tolerance.
//
//     r(q, v, a, lambda) = 0,   c(q, t) = 0,   c'(q, v, t) = 0       at the end of the step
//     (1 - am) b1 + am b0 = (1 - af) a1 + af a0                      b: algorithmic accelerations
//     x  = h v0 + h^2 ((1/2 - beta) b0 + beta b1) - J0'eta           q1 = q0 (+) x;  eta takes up what the rows of c' leave over
//     v1 = v0 + h ((1 - gamma) b0 + gamma b1)
//     s1 = s0 + h (s0' + s1') / 2                                    the user's states
//
// Newton with exact slopes (slopes.h). With y = beta h^2 db1, a' = (1 - am) / (h^2 beta (1 - af)), v' = gamma / (h beta), k = beta h^2
// (Bottasso et al. 2007), dx = T (y - J0'eta), and T such that d(q0 (+) x) = (q0 (+) x) (+) T dx:
//
//     k (a' M + v' D) y + k K dx + k r_s ds + J'(k lambda) = -k r
//     ds - h/2 (g_q dx + v' g_v y + g_s ds)                = -(s1 - s0 - h (s0' + s1') / 2)
//     J dx                                                 = -c
//     J y + c'_q dx / v'                                   = -c' / v'
//
//     local errors, d = am - af:  (d/2 + beta - 1/6) h^3 q'''  and  (1/12 + d (am - 1/2) - d^2) h^3 v'''
//
// Where a step follows one of another length, b0 - a0, which is d h a', is scaled with the step. Rows that repeat others are left out.
// Chung, Hulbert 1993; Arnold, Bruels 2007, Multibody Syst. Dyn. 18; Arnold, Bruels, Cardona 2015, Numer. Math. 129 (stabilized index 2).
#include "motion/held.h"
#include "motion/integrator.h"
#include "motion/slopes.h"

#include "dynamics/data.h"
#include "math/lapack.h"

#include <cardan/assemble.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct method {
    double am, af, beta, gamma;
} method;

typedef struct alpha_work {
    method    set;
    cd_slopes slopes;
    cd_held   held;
    double*   J0;  // (nv x nrow) J' at the begin of the step

    cd_point from;                // begin of the last step, and the state there
    double * a0, *b0, *a1, *b1;   // (nv)
    double * g0, *g1, *g_before;  // (ns + 1) rates of states and work
    double*  a_before;            // (nv) accelerations one step before
    double * lambda0, *lambda;  // (nrow)

    double * x, *v, *s;  // unknown: (nv), (nv), (ns)
    cd_point to;
    double * value, *change;  // (n)
    double*  matrix;
    int*     pivot;
    double   factored_h;  // [s] step that the factor belongs to; 0: none
    double   h, step, step_before;
    double   b_step;  // [s] step that b0 - a0 belongs to
    int      taken;  // steps since the start
    int      worst;  // entry of [q, z] that an iteration changed most
} alpha_work;

enum { ITERATIONS = 8 };

static void layout(const cd_system* system, cd_arena* arena, void* work)
{
    alpha_work* w  = work;
    const int   nv = system->nv, ns = system->ns;
    const int   nrow = system->data->rows.nrow;
    const size_t n   = (size_t)(nv + ns + 2 * nrow);
    cd_held_layout(system, arena, &w->held);
    cd_slopes_layout(system, arena, &w->slopes);
    cd_point_layout(system, arena, &w->from);
    cd_point_layout(system, arena, &w->to);
    CD_TAKE(arena, w->J0, (size_t)nv * (size_t)nrow);
    double** const arrays[] = {&w->a0, &w->b0, &w->a1, &w->b1, &w->a_before, &w->x, &w->v};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) CD_TAKE(arena, *arrays[i], nv);
    CD_TAKE(arena, w->g0, ns + 1);
    CD_TAKE(arena, w->g1, ns + 1);
    CD_TAKE(arena, w->g_before, ns + 1);
    CD_TAKE(arena, w->s, ns);
    CD_TAKE(arena, w->lambda0, nrow);
    CD_TAKE(arena, w->lambda, nrow);
    CD_TAKE(arena, w->value, w->slopes.n);
    CD_TAKE(arena, w->change, n);
    CD_TAKE(arena, w->matrix, n * n);
    CD_TAKE(arena, w->pivot, n);
}

// ---- units of errors, as those of the other adaptive methods

static double x_unit(const cd_system* system, const alpha_work* w, int i)
{
    const int q = system->q_of_v[i];
    return q == CARDAN_NONE ? system->tolerance : cd_q_scale(system, q, fabs(w->from.q[q]));
}

static double z_unit(const cd_system* system, const alpha_work* w, int i, double value)
{
    return cd_z_scale(system, i, fmax(fabs(w->from.z[i]), fabs(value)));
}

// ---- the matrix

// d(q (+) x) = (q (+) x) (+) T dx:  T = 1 - (1 - cos p) / p^2 x~ + (p - sin p) / p^3 x~^2,  p = |x|
static void tangent(const double x[3], double T[3][3])
{
    const double p2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], p = sqrt(p2);
    const double a = p < 1e-2 ? 0.5 - p2 / 24 : (1 - cos(p)) / p2, b = p < 1e-2 ? 1.0 / 6 - p2 / 120 : (p - sin(p)) / (p2 * p);
    const double X[3][3] = {{0, -x[2], x[1]}, {x[2], 0, -x[0]}, {-x[1], x[0], 0}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) T[i][j] = (i == j) - a * X[i][j] + b * (x[i] * x[j] - (i == j) * p2);
}

// Columns of rotations times T.
static void turn_columns(const cd_system* system, const double* x, int n, double* A)
{
    for (int k = 0; k < system->nrotation; ++k) {
        double T[3][3];
        double* column = A + (size_t)system->rotation[k] * (size_t)n;
        tangent(x + system->rotation[k], T);
        for (int i = 0; i < n; ++i) {
            const double c[3] = {column[i], column[i + n], column[i + 2 * n]};
            for (int j = 0; j < 3; ++j) column[i + j * n] = c[0] * T[0][j] + c[1] * T[1][j] + c[2] * T[2][j];
        }
    }
}

typedef struct scales {
    double h, a, v, r;  // step; a', v', k
} scales;

static scales scales_of(const method* set, double h)
{
    return (scales){h, (1 - set->am) / (h * h * set->beta * (1 - set->af)), set->gamma / (h * set->beta), set->beta * h * h};
}

// Where the equations of the matrix stand among those of the slopes, and how much of their slopes by position and by velocity times v'
// they hold.
typedef struct equation {
    int    row;
    double by_q, by_v;
} equation;

static equation equation_at(const cd_system* system, const alpha_work* w, const scales* k, int i)
{
    const int nv = system->nv, ns = system->ns, first = nv + ns;
    if (i < nv) return (equation){i, k->r, k->r * k->v};
    if (i < first) return (equation){i, -k->h / 2, -k->h / 2 * k->v};
    if (i < first + w->held.placed) return (equation){w->slopes.c + w->held.row[i - first], 1, 0};
    return (equation){w->slopes.rate + w->held.row[i - first - w->held.placed], 1 / k->v, 1};
}

static int size_of(const cd_system* system, const alpha_work* w) { return system->nv + system->ns + w->held.placed + w->held.count; }

// Columns: y, s, eta, lambda.
static void fill_matrix(const cd_system* system, const alpha_work* w, const scales* k)
{
    const cd_slopes* s  = &w->slopes;
    const int        nv = system->nv, ns = system->ns, n = size_of(system, w), first = nv + ns;
    for (int i = 0; i < n; ++i) {
        const equation e = equation_at(system, w, k, i);
        double*        A = w->matrix + i;
        for (int j = 0; j < nv; ++j) {
            const size_t at = (size_t)j * (size_t)s->n + (size_t)e.row;
            A[(size_t)j * (size_t)n] = e.by_q * s->by_q[at] + e.by_v * s->by_v[at] + (i < nv ? k->r * k->a * s->M[(size_t)j * (size_t)nv + (size_t)i] : 0);
        }
        for (int j = 0; j < ns; ++j) {
            const double slope = s->by_s[(size_t)j * (size_t)s->n + (size_t)e.row];
            A[(size_t)(nv + j) * (size_t)n] = i < first ? e.by_q * slope + (i == nv + j) : 0;
        }
        for (int j = 0; j < w->held.placed; ++j) {
            const double* J   = w->J0 + (size_t)w->held.row[j] * (size_t)nv;
            double        sum = 0;
            for (int v = 0; v < nv; ++v) sum -= s->by_q[(size_t)v * (size_t)s->n + (size_t)e.row] * J[v];
            A[(size_t)(first + j) * (size_t)n] = e.by_q * sum;
        }
        for (int j = 0; j < w->held.count; ++j)
            A[(size_t)(first + w->held.placed + j) * (size_t)n] = i < nv ? s->J[(size_t)w->held.row[j] * (size_t)nv + (size_t)i] : 0;
    }
}

static cardan_status make_matrix(cd_system* system, alpha_work* w, double h)
{
    const scales        k      = scales_of(&w->set, h);
    const int           n      = size_of(system, w);
    const cardan_status status = cd_slopes_at(system, w->to.t, w->to.q, w->to.z, w->a1, w->lambda, &w->slopes);
    if (status) return status;
    turn_columns(system, w->x, w->slopes.n, w->slopes.by_q);
    fill_matrix(system, w, &k);
    w->factored_h = 0;
    if (!cd_lapack_lu_panel(n, 0, n, w->matrix, w->pivot)) return CARDAN_SINGULAR;
    w->factored_h = h;
    return CARDAN_OK;
}

// ---- one step

static void predict(const cd_system* system, alpha_work* w, double h)
{
    const method* k = &w->set;
    for (int i = 0; i < system->nv; ++i) {
        // accelerations go on as in the last step
        const double slope = w->taken > 0 ? (w->a0[i] - w->a_before[i]) / w->step_before : 0;
        w->a1[i]           = w->a0[i] + h * slope;
        w->b1[i]           = ((1 - k->af) * w->a1[i] + k->af * w->a0[i] - k->am * w->b0[i]) / (1 - k->am);
        w->x[i]            = h * w->from.z[i] + h * h * ((0.5 - k->beta) * w->b0[i] + k->beta * w->b1[i]);
        w->v[i]            = w->from.z[i] + h * ((1 - k->gamma) * w->b0[i] + k->gamma * w->b1[i]);
    }
    for (int i = 0; i < system->ns; ++i) w->s[i] = w->from.z[system->nv + i] + h * w->g0[i];
    memcpy(w->lambda, w->lambda0, (size_t)w->held.nrow * sizeof *w->lambda);
}

static void reach(const cd_system* system, alpha_work* w, double h)
{
    w->to.t = w->from.t + h;
    cardan_model_move(system->model, w->from.q, w->x, w->to.q);
    memcpy(w->to.z, w->v, (size_t)system->nv * sizeof *w->v);
    if (system->ns) memcpy(w->to.z + system->nv, w->s, (size_t)system->ns * sizeof *w->s);
}

// What the equations leave, in the scales of the matrix; minus that is the right side.
static cardan_status left_over(cd_system* system, alpha_work* w, const scales* k)
{
    const int     nv     = system->nv, ns = system->ns;
    cardan_status status = cd_equations_at(system, &w->slopes, w->to.t, w->to.q, w->to.z, w->a1, w->lambda, w->value);
    if (status) return status;
    for (int i = 0; i < nv + ns; ++i)
        if (!isfinite(w->value[i])) {
            system->trouble_t     = w->to.t;
            system->trouble       = system->nq + i;
            system->trouble_value = w->value[i];
            return CARDAN_DIVERGED;
        }
    for (int i = 0; i < nv; ++i) w->change[i] = -k->r * w->value[i];
    for (int i = 0; i < ns; ++i) w->change[nv + i] = -(w->s[i] - w->from.z[nv + i] - k->h / 2 * (w->g0[i] + w->value[nv + i]));
    for (int i = nv + ns; i < size_of(system, w); ++i) {
        const equation e = equation_at(system, w, k, i);
        w->change[i]     = -e.by_q * w->value[e.row];
    }
    return CARDAN_OK;
}

static void note(alpha_work* w, int at, double one, double* size)
{
    if (one <= *size) return;
    *size    = one;
    w->worst = at;
}

// The change applied; its size in units of errors, and where that is largest.
static double apply(const cd_system* system, alpha_work* w, const scales* k)
{
    const int nv = system->nv, ns = system->ns;
    double    size = 0;
    w->worst       = CARDAN_NONE;
    for (int i = 0; i < nv; ++i) {
        double y = w->change[i], dx = y;
        for (int j = 0; j < w->held.placed; ++j) dx -= w->J0[(size_t)w->held.row[j] * (size_t)nv + (size_t)i] * w->change[nv + ns + j];
        w->x[i] += dx;
        w->v[i] += k->v * y;
        w->a1[i] += k->a * y;
        note(w, system->nq + i, fmax(fabs(dx) / x_unit(system, w, i), fabs(k->v * y) / z_unit(system, w, i, w->v[i])), &size);
    }
    for (int i = 0; i < ns; ++i) {
        w->s[i] += w->change[nv + i];
        note(w, system->nq + nv + i, fabs(w->change[nv + i]) / z_unit(system, w, nv + i, w->s[i]), &size);
    }
    for (int i = 0; i < w->held.count; ++i) w->lambda[w->held.row[i]] += w->change[nv + ns + w->held.placed + i] / k->r;
    return isfinite(size) ? size : INFINITY;
}

static const double ENOUGH = 0.02;  // of the error allowed, left by the iteration
static const double SLOW   = 0.3;   // convergence that asks for new slopes

// Newton from the prediction. CARDAN_NOT_CONVERGED: a shorter step may do.
static cardan_status iterate(cd_system* system, alpha_work* w, double h)
{
    const int    n      = size_of(system, w);
    const scales k      = scales_of(&w->set, h);
    double       before = INFINITY, rate = 0.5;
    bool         fresh  = false;
    predict(system, w, h);
    for (int i = 0; i < ITERATIONS; ++i) {
        reach(system, w, h);
        cardan_status status = CARDAN_OK;
        if (!fresh && (w->factored_h != h || rate > SLOW)) {
            status = make_matrix(system, w, h);
            fresh  = true;
        }
        if (!status) status = left_over(system, w, &k);
        if (status) return status;
        cd_lapack_lu_solve(n, w->matrix, w->pivot, w->change);
        const double size = apply(system, w, &k);
        if (i > 0) rate = size / before;
        const bool rounding = i > 1 && rate > SLOW && size < 0.5;  // what is left does not get less
        if (!rounding && (!(size < INFINITY) || (i > 1 && rate > 0.9 && fresh))) return CARDAN_NOT_CONVERGED;
        if (rounding || (i > 0 ? rate / fmax(1 - rate, 0.1) * size < ENOUGH : size < ENOUGH * 1e-2)) {
            reach(system, w, h);
            return CARDAN_OK;
        }
        if (fresh && i > 0 && rate > SLOW) fresh = false;  // slopes of a point that is left behind
        before = size;
    }
    return CARDAN_NOT_CONVERGED;
}

// Second derivative of a rate over the last two steps; 0 in the first one, where it is not known.
static double bend_of(const alpha_work* w, double h, double noise, double before, double then, double now)
{
    if (w->taken == 0) return 0;
    const double change = (now - then) / h - (then - before) / w->step_before;
    return fmax(fabs(change) - noise / h, 0) * 2 / (h + w->step_before);
}

static void look(double one, int at, double* err, int* worst)
{
    if (one <= *err) return;
    *err   = isfinite(one) ? one : INFINITY;
    *worst = at;
}

// Largest local error, and where. A unit is what may be made in a tenth of the run: a method of low order would lose it many times over if
// every step could.
static double error_of(const cd_system* system, const alpha_work* w, double h, int* worst)
{
    const method* k   = &w->set;
    const int     nv  = system->nv, nq = system->nq;
    const double  d   = k->am - k->af, h3 = h * h * h;
    const double  cx  = (d / 2 + k->beta - 1.0 / 6) * h3, cv = (1.0 / 12 + d * (k->am - 0.5) - d * d) * h3;
    double        err = 0, fastest = 1;
    for (int i = 0; i < nv; ++i) fastest = fmax(fastest, fabs(w->v[i]));
    // constraints hold velocities to round-off, and accelerations to that by the step
    const double noise = system->loops ? 1000 * DBL_EPSILON * fastest / fmin(h, w->taken > 0 ? w->step_before : h) : 0;
    for (int i = 0; i < nv; ++i) {
        look(fabs(cx * fmax(fabs(w->a1[i] - w->a0[i]) - noise, 0) / h) / x_unit(system, w, i), nq + i, &err, worst);
        look(fabs(cv * bend_of(w, h, noise, w->a_before[i], w->a0[i], w->a1[i])) / z_unit(system, w, i, w->v[i]), nq + i, &err, worst);
    }
    for (int i = 0; i < system->ns; ++i)
        look(h3 / 12 * bend_of(w, h, 0, w->g_before[i], w->g0[i], w->g1[i]) / z_unit(system, w, nv + i, w->s[i]), nq + nv + i, &err, worst);
    return err * (system->end - system->begin) / (10 * h);
}

// Work of a step: the parabola through the power at its ends and one step before.
static double work_done(const alpha_work* w, int at, double h)
{
    const double p0 = w->g0[at], p1 = w->g1[at], mean = h * (p0 + p1) / 2;
    if (w->taken == 0) return mean;
    const double bend = ((p1 - p0) / h - (p0 - w->g_before[at]) / w->step_before) / (h + w->step_before);
    return mean - bend * h * h * h / 6;
}

// Algorithmic accelerations at the end, and the work; the step becomes the last one.
static void accept(cd_system* system, alpha_work* w, double h, cd_point* x)
{
    const method* k  = &w->set;
    const int     nv = system->nv, ns = system->ns;
    for (int i = 0; i < nv; ++i) w->b1[i] = ((1 - k->af) * w->a1[i] + k->af * w->a0[i] - k->am * w->b0[i]) / (1 - k->am);
    w->to.z[nv + ns] = w->from.z[nv + ns] + work_done(w, ns, h);
    cd_point_copy(system, &w->to, x);
    w->step = h;
}

// J0 at the begin of the next step.
static cardan_status set_begin(cd_system* system, alpha_work* w)
{
    if (w->held.nrow == 0) return CARDAN_OK;
    const cardan_status status = cd_data_reach(system->data, w->from.t, w->from.q, w->from.z, system->ns ? w->from.z + system->nv : NULL);
    if (status) return status;
    cd_held_jacobian(system, w->J0);
    return CARDAN_OK;
}

// The end of the last step is the begin of the next: from, a0, b0, g0, J0.
static cardan_status move_on(cd_system* system, alpha_work* w, const cd_point* x)
{
    const size_t nv = (size_t)system->nv * sizeof(double), ng = (size_t)(system->ns + 1) * sizeof(double);
    if (w->step == 0) return CARDAN_OK;
    cd_point_copy(system, x, &w->from);
    memcpy(w->a_before, w->a0, nv);
    memcpy(w->g_before, w->g0, ng);
    memcpy(w->a0, w->a1, nv);
    memcpy(w->b0, w->b1, nv);
    memcpy(w->g0, w->g1, ng);
    memcpy(w->lambda0, w->lambda, (size_t)w->held.nrow * sizeof(double));
    w->step_before = w->b_step = w->step;
    w->step        = 0;
    ++w->taken;
    return set_begin(system, w);
}

// b0 = a0 + d h a': accelerations change as a look a little ahead tells. Without it multipliers would swing at first.
static cardan_status lead(cd_system* system, alpha_work* w, double ahead)
{
    const method* k  = &w->set;
    const int     nv = system->nv, ns = system->ns;
    for (int i = 0; i < nv; ++i) {
        w->x[i]    = ahead * (w->from.z[i] + ahead / 2 * w->a0[i]);
        w->to.z[i] = w->from.z[i] + ahead * w->a0[i];
    }
    for (int i = 0; i <= ns; ++i) w->to.z[nv + i] = w->from.z[nv + i] + ahead * w->g0[i];
    cardan_model_move(system->model, w->from.q, w->x, w->to.q);
    const cardan_status status = cd_system_rate(system, w->from.t + ahead, w->to.q, w->to.z, w->value);
    if (status == CARDAN_STOPPED) return status;
    for (int i = 0; !status && i < nv; ++i) w->b0[i] += (k->am - k->af) * w->b_step * (w->value[i] - w->a0[i]) / ahead;
    return CARDAN_OK;
}

static cardan_status start(cd_system* system, void* work, const cd_point* x)
{
    alpha_work*   w  = work;
    cardan_data*  d  = system->data;
    const int     nv = system->nv;
    cd_point_copy(system, x, &w->from);
    cardan_status status = cd_system_rate(system, x->t, x->q, x->z, w->value);
    if (status) return status;
    memcpy(w->a0, w->value, (size_t)nv * sizeof *w->a0);
    memcpy(w->b0, w->value, (size_t)nv * sizeof *w->b0);
    memcpy(w->g0, w->value + nv, (size_t)(system->ns + 1) * sizeof *w->g0);
    memcpy(w->lambda0, d->lambda, (size_t)w->held.nrow * sizeof *w->lambda0);
    if (!cd_held_choose(system, &w->held)) return CARDAN_SINGULAR;
    if ((status = set_begin(system, w))) return status;
    w->factored_h = w->step = w->step_before = 0;
    w->taken      = 0;
    // the fastest change, relative to what changes, tells a time; errors of a second-order step go with the square of its parts
    double most = 0;
    for (int i = 0; i < nv; ++i) most = fmax(most, fmax(fabs(w->a0[i]) / z_unit(system, w, i, 0), fabs(w->from.z[i]) / x_unit(system, w, i)));
    for (int i = 0; i < system->ns; ++i) most = fmax(most, fabs(w->g0[i]) / z_unit(system, w, nv + i, 0));
    const double time = most > 0 ? 1 / (most * system->tolerance) : system->max_step;
    w->h = w->b_step = fmin(fmin(system->max_step, system->end - x->t), 0.1 * sqrt(system->tolerance) * time);
    return lead(system, w, fmin(1e-4 * time, system->end - x->t));
}

// A step of another length than the last.
static void rescale(const cd_system* system, alpha_work* w, double h)
{
    for (int i = 0; i < system->nv; ++i) w->b0[i] = w->a0[i] + (w->b0[i] - w->a0[i]) * h / w->b_step;
    w->b_step = h;
}

// Rates at the end of the attempt, and its error. The multipliers are those of the accelerations there, as drivers want them.
static cardan_status judge(cd_system* system, alpha_work* w, double h, double* err, int* worst)
{
    cardan_data*  d      = system->data;
    cardan_status status = cd_system_sound(system, w->to.t, w->to.q, w->to.z);
    if (!status) status = cd_data_reach(d, w->to.t, w->to.q, w->to.z, system->ns ? w->to.z + system->nv : NULL);
    if (status) return status;
    if (w->held.nrow > 0) {
        cd_know_rows(d);
        memcpy(d->lambda, w->lambda, (size_t)w->held.nrow * sizeof *w->lambda);
        d->solved = true;
    }
    cd_system_rate_of_rest(system, w->g1);
    *err = error_of(system, w, h, worst);
    return CARDAN_OK;
}

static cardan_status too_small(cd_system* system, const alpha_work* w, cardan_status status, int worst)
{
    if (status && status != CARDAN_NOT_CONVERGED) return status;
    system->trouble_t = w->from.t;
    system->trouble   = status || worst == CARDAN_NONE ? w->worst : worst;
    return CARDAN_STEP_TOO_SMALL;
}

static cardan_status step(cd_system* system, void* work, double limit, cd_point* x)
{
    alpha_work* w = work;
    const cardan_status begun = move_on(system, w, x);
    if (begun) return begun;
    double        grow = 2;
    int           worst = CARDAN_NONE;
    cardan_status status = CARDAN_OK;
    for (;;) {
        const double rest = limit - x->t;
        double       h    = fmin(fmin(w->h, system->max_step), cd_rotation_bound(system, x->z) / 2);
        if (h > 0.99 * rest) h = rest;
        else if (h > 0.5 * rest) h = rest / 2;
        if (h < cd_least_step(system, x->t) && h < rest) return too_small(system, w, status, worst);
        rescale(system, w, h);

        double err = INFINITY;
        status     = iterate(system, w, h);
        if (!status) status = judge(system, w, h, &err, &worst);
        if (status == CARDAN_STOPPED) return status;
        if (!status && err <= 1) {
            accept(system, w, h, x);
            const double factor = fmin(grow, 0.9 * pow(fmax(err, 1e-6), -0.5));
            w->h                = factor > 1.2 || factor < 1 ? h * factor : h;  // else the factor of the matrix is worth more
            return CARDAN_OK;
        }
        ++system->rejected;
        grow          = 1;
        w->factored_h = 0;
        w->h          = h * (status ? 0.25 : fmax(0.2, 0.9 * pow(err, -0.5)));
        if (w->h < cd_least_step(system, x->t)) return too_small(system, w, status, worst);
    }
}

// Cubic through values and rates at both ends.
static double hermite(double u, double h, double y0, double r0, double y1, double r1)
{
    return y0 + u * (h * r0 + u * (3 * (y1 - y0) - h * (2 * r0 + r1) + u * (2 * (y0 - y1) + h * (r0 + r1))));
}

static cardan_status inside(cd_system* system, void* work, double t, cd_point* x)
{
    alpha_work*  w  = work;
    const int    nv = system->nv, ns = system->ns;
    const double h = w->step, u = (t - w->from.t) / h;
    double*      dx = w->change;
    // the end of the chart's curve has the rate dexpinv(x) v; within a step that is v to the order of the method
    for (int i = 0; i < nv; ++i) dx[i] = hermite(u, h, 0, w->from.z[i], w->x[i], w->to.z[i]);
    x->t = t;
    cardan_model_move(system->model, w->from.q, dx, x->q);
    for (int i = 0; i < nv; ++i) x->z[i] = hermite(u, h, w->from.z[i], w->a0[i], w->to.z[i], w->a1[i]);
    for (int i = 0; i <= ns; ++i) x->z[nv + i] = hermite(u, h, w->from.z[nv + i], w->g0[i], w->to.z[nv + i], w->g1[i]);
    return CARDAN_OK;
}

// ---- the two rows

static method of_radius(double rho)
{
    const double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 + af - am;
    return (method){am, af, (gamma + 0.5) * (gamma + 0.5) / 4, gamma};
}

static cardan_status start_generalized(cd_system* system, void* work, const cd_point* x)
{
    ((alpha_work*)work)->set = of_radius(0.8);
    return start(system, work, x);
}

// Hilber, Hughes, Taylor: am = 0.
static cardan_status start_hht(cd_system* system, void* work, const cd_point* x)
{
    const double af          = 0.1;
    ((alpha_work*)work)->set = (method){0, af, (1 + af) * (1 + af) / 4, 0.5 + af};
    return start(system, work, x);
}

const cd_integrator cd_generalized_alpha = {
    .name      = "generalized-alpha",
    .summary   = "implicit, second order, damps stiff modes (spectral radius 0.8), constraints on positions and velocities; variable step",
    .reference = "Chung, Hulbert 1993; Bruels, Cardona, Arnold 2012",
    .adaptive  = true,
    .coarse    = true,
    .dense     = true,
    .work_size = sizeof(alpha_work),
    .layout    = layout,
    .start     = start_generalized,
    .step      = step,
    .inside    = inside,
};

const cd_integrator cd_hht = {
    .name      = "hht",
    .summary   = "Hilber-Hughes-Taylor, the case of generalized-alpha that many packages use (alpha = -0.1); variable step",
    .reference = "Hilber, Hughes, Taylor 1977; Negrut, Rampalli, Ottarsson, Sajdak 2007",
    .adaptive  = true,
    .coarse    = true,
    .dense     = true,
    .work_size = sizeof(alpha_work),
    .layout    = layout,
    .start     = start_hht,
    .step      = step,
    .inside    = inside,
};
