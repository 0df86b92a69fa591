// SPDX-License-Identifier: BSD-3-Clause
// Generalized-alpha, and its case HHT, on the equations of motion with constraints at the levels of positions and of
// velocities (stabilized index 2). Stiff modes are damped as much as the spectral radius rho says, slow ones hardly;
// order 2, multipliers too, also with steps of different lengths, which follow from a tolerance.
//
//     r(q, v, a, lambda) = 0,   c(q, t) = 0,   c'(q, v, t) = 0       at the end of the step
//     (1 - am) b1 + am b0 = (1 - af) a1 + af a0                      b: algorithmic accelerations
//     x  = h v0 + h^2 ((1/2 - beta) b0 + beta b1) - J0'eta           q1 = q0 (+) x;  eta takes up what the rows of c' leave over
//     v1 = v0 + h ((1 - gamma) b0 + gamma b1)
//     s1 = s0 + h (s0' + s1') / 2                                    the user's states
//
// Newton's iteration is in alpha_newton.c.
//
//     local errors, d = am - af:  (d/2 + beta - 1/6) h^3 q'''  and  (1/12 + d (am - 1/2) - d^2) h^3 v'''
//
// Where a step follows one of another length, the part d h a' of b0 - a0 is scaled with the step. Rows that repeat
// others are left out. Chung, Hulbert 1993; Arnold, Bruels 2007, Multibody Syst. Dyn. 18; Arnold, Bruels, Cardona 2015,
// Numer. Math. 129 (stabilized index 2).
#include "motion/alpha_newton.h"
#include "motion/integrator.h"

#include "dynamics/data.h"

#include <cardan/assemble.h>
#include <float.h>
#include <math.h>
#include <string.h>

static void layout(const cd_system* system, cd_arena* arena, void* work)
{
    cd_alpha*    w  = work;
    const int    nv = system->nv, ns = system->ns;
    const int    nrow = system->data->rows.nrow;
    const size_t n    = (size_t)(nv + ns + 2 * nrow);
    w->sparse         = cd_sparse_pays(system);
    cd_held_layout(system, arena, &w->held);
    if (w->sparse)
        cd_slopes_shape(system, &w->slopes);
    else
        cd_slopes_layout(system, arena, &w->slopes);
    w->slopes.alone = !w->sparse;
    cd_point_layout(system, arena, &w->from);
    cd_point_layout(system, arena, &w->to);
    double** const arrays[] = {&w->a0, &w->b0, &w->a1, &w->b1, &w->a_before, &w->x, &w->v, &w->inertia};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) CD_TAKE(arena, *arrays[i], nv);
    CD_TAKE(arena, w->g0, ns + 1);
    CD_TAKE(arena, w->g1, ns + 1);
    CD_TAKE(arena, w->g_before, ns + 1);
    CD_TAKE(arena, w->s, ns);
    CD_TAKE(arena, w->lambda0, nrow);
    CD_TAKE(arena, w->lambda, nrow);
    CD_TAKE(arena, w->value, w->slopes.n + 1); // or a rate, with its power
    CD_TAKE(arena, w->change, n);
    if (w->sparse) return;
    CD_TAKE(arena, w->J0, (size_t)nv * (size_t)nrow);
    CD_TAKE(arena, w->matrix, n * n);
    CD_TAKE(arena, w->pivot, n);
}

// Second derivative of a rate over the last two steps; the look ahead stands for the one before the first.
static double bend_of(const cd_alpha* w, double h, double noise, double before, double then, double now)
{
    const double change = (now - then) / h - (then - before) / w->step_before;
    return fmax(fabs(change) - noise / h, 0) * 2 / (h + w->step_before);
}

static void look(double one, int at, double* err, int* worst)
{
    if (one <= *err) return;
    *err   = isfinite(one) ? one : INFINITY;
    *worst = at;
}

// Largest local error beside what the step may err by, and where.
static double error_of(const cd_system* system, const cd_alpha* w, double h, int* worst)
{
    const cd_alpha_method* k  = &w->set;
    const int              nv = system->nv, nq = system->nq;
    const double           d = k->am - k->af, h3 = h * h * h;
    const double           cx = (d / 2 + k->beta - 1.0 / 6) * h3, cv = (1.0 / 12 + d * (k->am - 0.5) - d * d) * h3;
    double                 err = 0, fastest = 1;
    for (int i = 0; i < nv; ++i) fastest = fmax(fastest, fabs(w->v[i]));
    // constraints hold velocities to round-off, and accelerations to that by the step
    const double noise = system->loops ? 1000 * DBL_EPSILON * fastest / fmin(h, w->taken > 0 ? w->step_before : h) : 0;
    for (int i = 0; i < nv; ++i) {
        look(fabs(cx * fmax(fabs(w->a1[i] - w->a0[i]) - noise, 0) / h) / cd_alpha_x_unit(system, w, i), nq + i, &err,
             worst);
        look(fabs(cv * bend_of(w, h, noise, w->a_before[i], w->a0[i], w->a1[i])) / cd_alpha_v_unit(system, w, i),
             nq + i, &err, worst);
    }
    for (int i = 0; i < system->ns; ++i)
        look(h3 / 12 * bend_of(w, h, 0, w->g_before[i], w->g0[i], w->g1[i]) / cd_alpha_s_unit(system, w, i),
             nq + nv + i, &err, worst);
    return err / cd_alpha_share(system, h);
}

// Largest change of accelerations and rates in a step, in units of velocities per second; of positions, by the length
// of the step.
static double change_of(const cd_system* system, const cd_alpha* w, double h)
{
    const int nv   = system->nv;
    double    most = 0;
    for (int i = 0; i < nv; ++i)
        most = fmax(most, fabs(w->a1[i] - w->a0[i]) *
                              fmax(1 / cd_alpha_v_unit(system, w, i), h / cd_alpha_x_unit(system, w, i)));
    for (int i = 0; i < system->ns; ++i) most = fmax(most, fabs(w->g1[i] - w->g0[i]) / cd_alpha_s_unit(system, w, i));
    return most;
}

// Work of a step: the parabola through the power at its ends and one step before.
static double work_done(const cd_alpha* w, int at, double h)
{
    const double p0 = w->g0[at], p1 = w->g1[at], mean = h * (p0 + p1) / 2;
    if (w->taken == 0) return mean;
    const double bend = ((p1 - p0) / h - (p0 - w->g_before[at]) / w->step_before) / (h + w->step_before);
    return mean - bend * h * h * h / 6;
}

// Algorithmic accelerations at the end, and the work; the step becomes the last one.
static void accept(cd_system* system, cd_alpha* w, double h, cd_point* x)
{
    const cd_alpha_method* k  = &w->set;
    const int              nv = system->nv, ns = system->ns;
    for (int i = 0; i < nv; ++i)
        w->b1[i] = ((1 - k->af) * w->a1[i] + k->af * w->a0[i] - k->am * w->b0[i]) / (1 - k->am);
    w->to.z[nv + ns] = w->from.z[nv + ns] + work_done(w, ns, h);
    cd_point_copy(system, &w->to, x);
    w->step = h;
}

// J0 at the begin of the next step.
static cardan_status set_begin(cd_system* system, cd_alpha* w)
{
    if (w->held.nrow == 0) return CARDAN_OK;
    const cardan_status status =
        cd_data_reach(system->data, w->from.t, w->from.q, w->from.z, system->ns ? w->from.z + system->nv : NULL);
    if (status) return status;
    if (w->sparse)
        cd_alpha_sparse_begin(system, w);
    else
        cd_held_jacobian(system, w->J0);
    return CARDAN_OK;
}

// The end of the last step is the begin of the next: from, a0, b0, g0, J0.
static cardan_status move_on(cd_system* system, cd_alpha* w, const cd_point* x)
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
    w->step                    = 0;
    ++w->taken;
    return set_begin(system, w);
}

// b0 = a0 + d h a': accelerations change as a look a little ahead tells. Without it multipliers would swing at first.
static cardan_status lead(cd_system* system, cd_alpha* w, double ahead)
{
    const cd_alpha_method* k  = &w->set;
    const int              nv = system->nv, ns = system->ns;
    for (int i = 0; i < nv; ++i) {
        w->x[i]    = ahead * (w->from.z[i] + ahead / 2 * w->a0[i]);
        w->to.z[i] = w->from.z[i] + ahead * w->a0[i];
    }
    for (int i = 0; i <= ns; ++i) w->to.z[nv + i] = w->from.z[nv + i] + ahead * w->g0[i];
    cardan_model_move(system->model, w->from.q, w->x, w->to.q);
    const cardan_status status = cd_system_rate(system, w->from.t + ahead, w->to.q, w->to.z, w->value);
    if (status == CARDAN_STOPPED) return status;
    w->step_before = ahead;
    for (int i = 0; i < nv; ++i) {
        const double change = status ? 0 : w->value[i] - w->a0[i];
        w->a_before[i]      = w->a0[i] - change;
        w->b0[i] += (k->am - k->af) * w->b_step * change / ahead;
    }
    for (int i = 0; i <= ns; ++i) w->g_before[i] = status ? w->g0[i] : 2 * w->g0[i] - w->value[nv + i];
    return CARDAN_OK;
}

static cardan_status start(cd_system* system, void* work, const cd_point* x)
{
    cd_alpha*    w  = work;
    cardan_data* d  = system->data;
    const int    nv = system->nv;
    cd_point_copy(system, x, &w->from);
    memcpy(w->v, x->z, (size_t)nv * sizeof *w->v);
    if (system->ns) memcpy(w->s, x->z + nv, (size_t)system->ns * sizeof *w->s);
    cardan_status status = cd_system_rate(system, x->t, x->q, x->z, w->value);
    if (status) return status;
    memcpy(w->a0, w->value, (size_t)nv * sizeof *w->a0);
    memcpy(w->b0, w->value, (size_t)nv * sizeof *w->b0);
    memcpy(w->g0, w->value + nv, (size_t)(system->ns + 1) * sizeof *w->g0);
    memcpy(w->lambda0, d->lambda, (size_t)w->held.nrow * sizeof *w->lambda0);
    if (!cd_held_choose(system, &w->held)) return CARDAN_SINGULAR;
    if (w->sparse && (status = cd_alpha_sparse_start(system, w))) return status;
    if ((status = set_begin(system, w))) return status;
    w->factored_h = w->step = 0;
    w->sloped = w->anew = false;
    w->rate = w->trust = 1;
    w->taken           = 0;
    // the fastest change, relative to what changes, tells a time; errors of a second-order step go with the square of
    // its parts
    double most = 0;
    for (int i = 0; i < nv; ++i)
        most = fmax(most, fmax(fabs(w->a0[i]) / cd_alpha_v_unit(system, w, i),
                               fabs(w->from.z[i]) / cd_alpha_x_unit(system, w, i)));
    for (int i = 0; i < system->ns; ++i) most = fmax(most, fabs(w->g0[i]) / cd_alpha_s_unit(system, w, i));
    const double time = most > 0 ? 1 / (most * system->tolerance) : system->max_step;
    w->h = w->b_step = fmin(fmin(system->max_step, system->end - x->t), 0.1 * sqrt(system->tolerance) * time);
    return lead(system, w, fmin(1e-4 * time, system->end - x->t));
}

// A step of another length than the last: b0 - a0 = d h a' + e. Only its first part goes with the step. What is left of
// an error, e, falls by am / (1 - am), a half, from step to step, and would not if it grew with steps that double.
static void rescale(const cd_system* system, cd_alpha* w, double h)
{
    const double d = w->set.am - w->set.af;
    for (int i = 0; i < system->nv && w->b_step != h; ++i)
        w->b0[i] += d * (h - w->b_step) * (w->a0[i] - w->a_before[i]) / w->step_before;
    w->b_step = h;
}

// Rates at the end of the attempt, and its error. The multipliers are those of the accelerations there, as drivers and
// losses want them.
static cardan_status judge(cd_system* system, cd_alpha* w, double h, double* err, int* worst)
{
    cardan_data*  d      = system->data;
    cardan_status status = cd_system_sound(system, w->to.t, w->to.q, w->to.z);
    if (!status) status = cd_data_reach(d, w->to.t, w->to.q, w->to.z, system->ns ? w->to.z + system->nv : NULL);
    if (status) return status;
    if (w->held.nrow > 0) {
        cd_know_rows(d);
        cd_losses_take(d, w->lambda);
        memcpy(d->lambda, w->lambda, (size_t)w->held.nrow * sizeof *w->lambda);
        d->solved = true;
    }
    cd_system_rate_of_rest(system, w->g1);
    *err = error_of(system, w, h, worst);
    return CARDAN_OK;
}

static cardan_status too_small(cd_system* system, const cd_alpha* w, cardan_status status, int worst)
{
    if (status && status != CARDAN_NOT_CONVERGED) return status;
    system->trouble_t = w->from.t;
    system->trouble   = status || worst == CARDAN_NONE ? w->worst : worst;
    return CARDAN_STEP_TOO_SMALL;
}

static cardan_status step(cd_system* system, void* work, double limit, cd_point* x)
{
    cd_alpha*     w     = work;
    cardan_status begun = w->anew ? start(system, w, x) : move_on(system, w, x);
    if (!begun && cd_held_outdated(system, &w->held)) { // rows that have come to repeat others are exchanged
        cd_held_close(system, x);
        begun = start(system, w, x);
    }
    if (begun) return begun;
    double        grow   = 2;
    int           worst  = CARDAN_NONE;
    cardan_status status = CARDAN_OK;
    for (;;) {
        const double rest = limit - x->t;
        double       h    = fmin(fmin(w->h, system->max_step), cd_rotation_bound(system, x->z) / 2);
        h                 = cd_force_jump_step(&w->jump, x->t, h);
        if (h > 0.99 * rest)
            h = rest;
        else if (h > 0.5 * rest)
            h = rest / 2;
        if (h < cd_least_step(system, x->t) && h < rest) return too_small(system, w, status, worst);
        rescale(system, w, h);

        double err = INFINITY;
        status     = cd_alpha_iterate(system, w, h);
        if (!status) status = judge(system, w, h, &err, &worst);
        if (status == CARDAN_STOPPED) return status;
        const bool over = !status && err > 1 && cd_force_jump_refused(&w->jump, x->t, h, change_of(system, w, h));
        if (!status && (err <= 1 || over)) {
            w->anew = w->jump.seen && cd_force_jump_taken(&w->jump, x->t, h, change_of(system, w, h));
            accept(system, w, h, x);
            const double factor = fmin(grow, 0.9 * pow(fmax(err, 1e-6), -0.5));
            w->h = factor > 1.2 || factor < 1 ? h * factor : h; // else the factor of the matrix is worth more
            return CARDAN_OK;
        }
        ++system->rejected;
        grow = 1;
        w->h = h * (status ? 0.25 : w->jump.seen ? 0.5 : fmax(0.2, 0.9 * pow(err, -0.5)));
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
    cd_alpha*    w  = work;
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

static cd_alpha_method of_radius(double rho)
{
    const double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 + af - am;
    return (cd_alpha_method){am, af, (gamma + 0.5) * (gamma + 0.5) / 4, gamma};
}

static cardan_status begin(cd_system* system, cd_alpha* w, cd_alpha_method set, const cd_point* x)
{
    w->set = set;
    cd_force_jump_begin(&w->jump, cd_least_step(system, x->t));
    return start(system, w, x);
}

static cardan_status start_generalized(cd_system* system, void* work, const cd_point* x)
{
    return begin(system, work, of_radius(0.8), x);
}

// Hilber, Hughes, Taylor: am = 0.
static cardan_status start_hht(cd_system* system, void* work, const cd_point* x)
{
    const double af = 0.1;
    return begin(system, work, (cd_alpha_method){0, af, (1 + af) * (1 + af) / 4, 0.5 + af}, x);
}

const cd_integrator cd_generalized_alpha = {
    .name      = "generalized-alpha",
    .summary   = "implicit, second order, damps stiff modes (spectral radius 0.8), constraints on positions and "
                 "velocities; variable step",
    .reference = "Chung, Hulbert 1993; Bruels, Cardona, Arnold 2012",
    .adaptive  = true,
    .coarse    = true,
    .dense     = true,
    .across    = CD_IF_STEPS_ARE_FOUND,
    .sparse    = true,
    .equations = true,
    .work_size = sizeof(cd_alpha),
    .layout    = layout,
    .start     = start_generalized,
    .step      = step,
    .inside    = inside,
    .finish    = cd_alpha_finish,
};

const cd_integrator cd_hht = {
    .name = "hht",
    .summary =
        "Hilber-Hughes-Taylor, the case of generalized-alpha that many packages use (alpha = -0.1); variable step",
    .reference = "Hilber, Hughes, Taylor 1977; Negrut, Rampalli, Ottarsson, Sajdak 2007",
    .adaptive  = true,
    .coarse    = true,
    .dense     = true,
    .across    = CD_IF_STEPS_ARE_FOUND,
    .sparse    = true,
    .equations = true,
    .work_size = sizeof(cd_alpha),
    .layout    = layout,
    .start     = start_hht,
    .step      = step,
    .inside    = inside,
    .finish    = cd_alpha_finish,
};
