// SPDX-License-Identifier: BSD-3-Clause
// The equations of one step of generalized-alpha, solved.
//
// Newton with exact slopes (slopes.h). With y = beta h^2 db1, a' = (1 - am) / (h^2 beta (1 - af)), v' = gamma / (h
// beta), k = beta h^2 (Bottasso et al. 2007), dx = T (y - J0'eta), and T such that d(q0 (+) x) = (q0 (+) x) (+) T dx:
//
//     k (a' M + v' D) y + k K dx + k r_s ds + J'(k lambda) = -k r
//     ds - h/2 (g_q dx + v' g_v y + g_s ds)                = -(s1 - s0 - h (s0' + s1') / 2)
//     J dx                                                 = -c
//     J y + c'_q dx / v'                                   = -c' / v'
//
// Slopes are kept over steps as long as the iteration converges fast; the matrix is made of them anew where the step
// changes. Multipliers have no part in the sizes of changes. Where constraints leave little to move, as in gears that
// are driven, those that slopes of long ago give may grow from step to step while nothing moves: what r leaves is
// looked at too, and has to become less.
#include "motion/alpha_newton.h"

#include "dynamics/data.h"
#include "math/lapack.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 8 };

double cd_alpha_x_unit(const cd_system* system, const cd_alpha* w, int i)
{
    const int q = system->q_of_v[i];
    return q == CARDAN_NONE ? system->tolerance : cd_q_scale(system, q, fabs(w->from.q[q]));
}

double cd_alpha_v_unit(const cd_system* system, const cd_alpha* w, int i)
{
    return cd_z_scale(system, i, fmax(cd_z_size(system, i, w->from.z), cd_z_size(system, i, w->v)));
}

double cd_alpha_s_unit(const cd_system* system, const cd_alpha* w, int i)
{
    const int at = system->nv + i;
    return cd_z_scale(system, at, fmax(fabs(w->from.z[at]), fabs(w->s[i])));
}

// ---- the matrix

// T = 1 - (1 - cos p) / p^2 x~ + (p - sin p) / p^3 x~^2,  p = |x|
void cd_alpha_tangent(const double x[3], double T[3][3])
{
    const double p2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], p = sqrt(p2);
    const double a       = p < 1e-2 ? 0.5 - p2 / 24 : (1 - cos(p)) / p2,
                 b       = p < 1e-2 ? 1.0 / 6 - p2 / 120 : (p - sin(p)) / (p2 * p);
    const double X[3][3] = {{0, -x[2], x[1]}, {x[2], 0, -x[0]}, {-x[1], x[0], 0}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) T[i][j] = (i == j) - a * X[i][j] + b * (x[i] * x[j] - (i == j) * p2);
}

// Columns of rotations times T.
static void turn_columns(const cd_system* system, const double* x, int n, double* A)
{
    for (int k = 0; k < system->nrotation; ++k) {
        double  T[3][3];
        double* column = A + (size_t)system->rotation[k] * (size_t)n;
        cd_alpha_tangent(x + system->rotation[k], T);
        for (int i = 0; i < n; ++i) {
            const double c[3] = {column[i], column[i + n], column[i + 2 * n]};
            for (int j = 0; j < 3; ++j) column[i + j * n] = c[0] * T[0][j] + c[1] * T[1][j] + c[2] * T[2][j];
        }
    }
}

static cd_alpha_scales scales_of(const cd_alpha_method* set, double h)
{
    return (cd_alpha_scales){h, (1 - set->am) / (h * h * set->beta * (1 - set->af)), set->gamma / (h * set->beta),
                             set->beta * h * h};
}

// Where the equations of the matrix stand among those of the slopes, and how much of their slopes by position and by
// velocity times v' they hold.
typedef struct equation {
    int    row;
    double by_q, by_v;
} equation;

static equation equation_at(const cd_system* system, const cd_alpha* w, const cd_alpha_scales* k, int i)
{
    const int nv = system->nv, ns = system->ns, first = nv + ns;
    if (i < nv) return (equation){i, k->r, k->r * k->v};
    if (i < first) return (equation){i, -k->h / 2, -k->h / 2 * k->v};
    if (i < first + w->held.placed) return (equation){w->slopes.c + w->held.row[i - first], 1, 0};
    return (equation){w->slopes.rate + w->held.row[i - first - w->held.placed], 1 / k->v, 1};
}

static int size_of(const cd_system* system, const cd_alpha* w)
{
    return system->nv + system->ns + w->held.placed + w->held.count;
}

// Columns: y, s, eta, lambda.
static void fill_matrix(const cd_system* system, const cd_alpha* w, const cd_alpha_scales* k)
{
    const cd_slopes* s  = &w->slopes;
    const int        nv = system->nv, ns = system->ns, n = size_of(system, w), first = nv + ns;
    for (int i = 0; i < n; ++i) {
        const equation e = equation_at(system, w, k, i);
        double*        A = w->matrix + i;
        for (int j = 0; j < nv; ++j) {
            const size_t at          = (size_t)j * (size_t)s->n + (size_t)e.row;
            A[(size_t)j * (size_t)n] = e.by_q * s->by_q[at] + e.by_v * s->by_v[at] +
                                       (i < nv ? k->r * k->a * s->M[(size_t)j * (size_t)nv + (size_t)i] : 0);
        }
        for (int j = 0; j < ns; ++j) {
            const double slope              = s->by_s[(size_t)j * (size_t)s->n + (size_t)e.row];
            A[(size_t)(nv + j) * (size_t)n] = i < first ? e.by_q * slope + (i == nv + j) : 0;
        }
        for (int j = 0; j < w->held.placed; ++j) {
            const double* J   = w->J0 + (size_t)w->held.row[j] * (size_t)nv;
            double        sum = 0;
            for (int v = 0; v < nv; ++v) sum -= s->by_q[(size_t)v * (size_t)s->n + (size_t)e.row] * J[v];
            A[(size_t)(first + j) * (size_t)n] = e.by_q * sum;
        }
        for (int j = 0; j < w->held.count; ++j)
            A[(size_t)(first + w->held.placed + j) * (size_t)n] =
                i < nv ? s->by_lambda[(size_t)w->held.row[j] * (size_t)nv + (size_t)i] : 0;
    }
}

// Inertias on the diagonal of M.
static void take_inertias(const cd_system* system, cd_alpha* w)
{
    if (w->sparse)
        cd_alpha_sparse_inertias(system, w);
    else
        for (int i = 0; i < system->nv; ++i) w->inertia[i] = w->slopes.M[(size_t)i * (size_t)(system->nv + 1)];
}

// Slopes at the point that the iteration has reached.
static cardan_status look_around(cd_system* system, cd_alpha* w)
{
    w->sloped                  = false;
    const cardan_status status = w->sparse
                                     ? cd_alpha_sparse_slopes(system, w)
                                     : cd_slopes_at(system, w->to.t, w->to.q, w->to.z, w->a1, w->lambda, &w->slopes);
    if (status) return status;
    if (!w->sparse) turn_columns(system, w->x, w->slopes.n, w->slopes.by_q);
    take_inertias(system, w);
    w->sloped     = true;
    w->factored_h = 0;
    return CARDAN_OK;
}

static cardan_status factor(cd_system* system, cd_alpha* w, const cd_alpha_scales* k)
{
    const int n   = size_of(system, w);
    w->factored_h = 0;
    if (w->sparse) {
        const cardan_status status = cd_alpha_sparse_factor(system, w, k);
        if (!status) w->factored_h = k->h;
        return status;
    }
    fill_matrix(system, w, k);
    if (!cd_lapack_lu_panel(n, 0, n, w->matrix, w->pivot)) return CARDAN_SINGULAR;
    w->factored_h = k->h;
    return CARDAN_OK;
}

// ---- one step

static void predict(const cd_system* system, cd_alpha* w, double h)
{
    const cd_alpha_method* k = &w->set;
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

static void reach(const cd_system* system, cd_alpha* w, double h)
{
    w->to.t = w->from.t + h;
    cardan_model_move(system->model, w->from.q, w->x, w->to.q);
    memcpy(w->to.z, w->v, (size_t)system->nv * sizeof *w->v);
    if (system->ns) memcpy(w->to.z + system->nv, w->s, (size_t)system->ns * sizeof *w->s);
}

// What the equations leave, in the scales of the matrix; minus that is the right side.
static cardan_status left_over(cd_system* system, cd_alpha* w, const cd_alpha_scales* k)
{
    const int     nv = system->nv, ns = system->ns;
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
    for (int i = 0; i < ns; ++i)
        w->change[nv + i] = -(w->s[i] - w->from.z[nv + i] - k->h / 2 * (w->g0[i] + w->value[nv + i]));
    for (int i = nv + ns; i < size_of(system, w); ++i) {
        const equation e = equation_at(system, w, k, i);
        w->change[i]     = -e.by_q * w->value[e.row];
    }
    return CARDAN_OK;
}

// A change of a position, dx, and of its velocity, v' dv, in units of errors; of a component by itself, which is never
// coarser than that of its vector.
static double in_units(const cd_system* system, const cd_alpha* w, const cd_alpha_scales* k, int i, double dx,
                       double dv)
{
    const double unit = cd_z_scale(system, i, fmax(fabs(w->from.z[i]), fabs(w->v[i])));
    return fmax(fabs(dx) / cd_alpha_x_unit(system, w, i), fabs(k->v * dv) / unit);
}

// What r leaves, as what it would move in this step if nothing held the bodies.
static double unbalanced(const cd_system* system, const cd_alpha* w, const cd_alpha_scales* k)
{
    double most = 0;
    for (int i = 0; i < system->nv; ++i) {
        const double x = w->inertia[i] > 0 ? w->value[i] / (k->a * w->inertia[i]) : 0;
        most           = fmax(most, in_units(system, w, k, i, x, x));
    }
    return most;
}

static void note(cd_alpha* w, int at, double one, double* size)
{
    if (one <= *size) return;
    *size    = one;
    w->worst = at;
}

// dx = y - J0'eta.
static const double* moved(const cd_system* system, cd_alpha* w)
{
    const int nv = system->nv, eta = nv + system->ns;
    double*   dx = w->value;
    memcpy(dx, w->change, (size_t)nv * sizeof *dx);
    for (int j = 0; j < w->held.placed; ++j) {
        const int row = w->held.row[j];
        if (w->sparse)
            for (int i = w->rows0.start[row]; i < w->rows0.start[row + 1]; ++i)
                dx[w->rows0.v[i]] -= w->rows0.J[i] * w->change[eta + j];
        else
            for (int i = 0; i < nv; ++i) dx[i] -= w->J0[(size_t)row * (size_t)nv + (size_t)i] * w->change[eta + j];
    }
    return dx;
}

// The change applied; its size in units of errors, and where that is largest.
static double apply(const cd_system* system, cd_alpha* w, const cd_alpha_scales* k)
{
    const int nv = system->nv, ns = system->ns;
    double    size       = 0;
    w->worst             = CARDAN_NONE;
    const double* change = moved(system, w);
    for (int i = 0; i < nv; ++i) {
        const double y = w->change[i], dx = change[i];
        w->x[i] += dx;
        w->v[i] += k->v * y;
        w->a1[i] += k->a * y;
        note(w, system->nq + i, in_units(system, w, k, i, dx, y), &size);
    }
    for (int i = 0; i < ns; ++i) {
        w->s[i] += w->change[nv + i];
        note(w, system->nq + nv + i, fabs(w->change[nv + i]) / cd_alpha_s_unit(system, w, i), &size);
    }
    for (int i = 0; i < w->held.count; ++i) w->lambda[w->held.row[i]] += w->change[nv + ns + w->held.placed + i] / k->r;
    return isfinite(size) ? size : INFINITY;
}

static const double ENOUGH = 0.02; // of the error allowed, left by the iteration
static const double FINE =
    1e-5; // tolerance above which the iteration is as fine as there: steps may be short for other reasons
static const double SLOW     = 0.3; // convergence that asks for new slopes
static const double BALANCED = 10;  // left of r, beside the error allowed, that needs no second look
static const double FALLS    = 0.5; // of more than that, from an iteration to the next

// What iterations to come would still change, where each changes `rate` of the one before.
static double to_come(double rate, double size) { return rate / fmax(1 - rate, 0.1) * size; }

double cd_alpha_share(const cd_system* system, double h) { return fmin(10 * h / (system->end - system->begin), 1); }

// From the prediction, with new slopes at its first point where `fresh`.
static cardan_status attempt(cd_system* system, cd_alpha* w, double h, bool fresh)
{
    const int             n           = size_of(system, w);
    const cd_alpha_scales k           = scales_of(&w->set, h);
    const double          enough      = ENOUGH * cd_alpha_share(system, h) * fmin(1, FINE / system->tolerance);
    const double          balanced    = BALANCED * cd_alpha_share(system, h);
    double                left_before = INFINITY, before = INFINITY;
    double                rate = fmax(pow(w->trust, 0.8), 0.01); // as it was seen, trusted less from step to step
    w->trust                   = rate;
    predict(system, w, h);
    for (int i = 0; i < ITERATIONS; ++i) {
        reach(system, w, h);
        cardan_status status = fresh ? look_around(system, w) : CARDAN_OK;
        if (!status && w->factored_h != h) status = factor(system, w, &k);
        if (!status) status = left_over(system, w, &k);
        if (status) return status;
        const double left   = unbalanced(system, w, &k);
        const bool   better = left <= balanced || (i > 0 && left < FALLS * left_before);
        if (w->sparse)
            cd_sparse_lu_solve(w->entries.lu, w->change);
        else
            cd_lapack_lu_solve(n, w->matrix, w->pivot, w->change);
        const double size = apply(system, w, &k);
        if (i > 0) rate = w->rate = w->trust = fmin(size / before, 1);
        const bool rounding = i > 1 && rate > SLOW && size < 0.5; // what is left does not get less
        if (!rounding && (!(size < INFINITY) || (i > 1 && rate > 0.9))) return CARDAN_NOT_CONVERGED;
        if (rounding || (better && to_come(rate, size) < enough)) {
            reach(system, w, h);
            return CARDAN_OK;
        }
        fresh       = i > 0 && (rate > SLOW || !better); // slopes of a point that is left behind
        before      = size;
        left_before = left;
    }
    return CARDAN_NOT_CONVERGED;
}

cardan_status cd_alpha_iterate(cd_system* system, cd_alpha* w, double h)
{
    const bool          fresh  = !w->sloped || w->rate > SLOW;
    const cardan_status status = attempt(system, w, h, fresh);
    if (status != CARDAN_NOT_CONVERGED || fresh) return status;
    return attempt(system, w, h, true);
}
