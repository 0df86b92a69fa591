// SPDX-License-Identifier: BSD-3-Clause
// Dormand-Prince 5(4) in the chart of each step: order 5, error estimate of order 4, dense output of order 4.
//
//     y1 = y0 + h sum b_i k_i,    error = h sum e_i k_i,    k7 = f(t1, y1) is k1 of the next step
//
//     step control (PI):  h_new = h / min(5, max(1/10, err^0.17 / err_old^0.04 / 0.9)),   err <= 1 accepted
//     dense output:       y(x) = y0 + x (r1 + (1-x) (r2 + x (r3 + (1-x) r4))),   x = (t - t0) / h
//
// err is the error of the worst entry of y in its own error scale (cd_q_error_scale, cd_z_error_scale), without the
// work: the size of the mechanism does not dilute it. Steps are limited so that no body rotates by more than about 2
// rad in one. Stiffness is detected by h |f(y7) - f(y6)| / |y7 - y6| at the stability limit (3.25), 15 times almost
// in succession; it is reported once, because an implicit method would need far fewer steps.
//
// Dormand, Prince 1980; Hairer, Norsett, Wanner 1993, sections II.4 to II.6; Hairer, Wanner 1996, section IV.2.
#include "simulation/integrators/integrator.h"
#include "simulation/integrators/runge_kutta.h"

#include <math.h>
#include <string.h>

static const cd_butcher_tableau tableau = {
    .stages = 7,
    .c      = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
    .a =
        {
            {0},
            {1.0 / 5},
            {3.0 / 40, 9.0 / 40},
            {44.0 / 45, -56.0 / 15, 32.0 / 9},
            {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
            {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
            {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
        },
    .b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
};

static const double error_weights[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                        -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

static const double dense_weights[7] = {-12715105075.0 / 11282082432,  0,
                                        87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                        701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                        69997945.0 / 29380423};

typedef struct dopri5_work {
    cd_rk   rk;
    double* dense[4];                    // (n) coefficients of the dense output
    double  h_next;                      // proposed for the next step
    double  h_taken;                     // last accepted step
    double  err_old;                     // of the last accepted step
    bool    last_rejected;               // the last attempt was rejected
    int     stiff_steps, nonstiff_steps; // successive steps at the stability limit, and away from it
} dopri5_work;

static void layout(const cd_ode_system* system, cd_arena* arena, void* work)
{
    dopri5_work* w = work;
    cd_rk_layout(system, arena, &w->rk, &tableau);
    for (int i = 0; i < 4; ++i) CD_ARENA_ARRAY(arena, w->dense[i], system->n);
}

// Error scale of entry i of y; the end of the step is in rk.y.
static double error_scale(const cd_ode_system* system, const cd_rk* rk, int i)
{
    const int nv = system->nv;
    if (i >= nv) return cd_z_error_scale(system, i - nv, fmax(fabs(rk->from.z[i - nv]), fabs(rk->y[i])));
    const int q = system->q_of_v[i];
    return q == CARDAN_NONE ? system->settings.tolerance : cd_q_error_scale(system, q, fabs(rk->from.q[q]));
}

// Largest |vector - other| over y in error scales; `other` may be NULL.
static double scaled_norm(const cd_ode_system* system, const cd_rk* rk, const double* vector, const double* other)
{
    double largest = 0;
    for (int i = 0; i < system->n - 1; ++i)
        largest = fmax(largest, fabs(vector[i] - (other ? other[i] : 0)) / error_scale(system, rk, i));
    return largest;
}

// Choose the first step: one that explicit Euler can take safely, corrected by the second derivative it finds.
static cardan_status initial_step_size(cd_ode_system* system, dopri5_work* w, double longest)
{
    cd_rk* rk = &w->rk;
    double d0 = 0;
    for (int i = 0; i < system->nz - 1; ++i)
        d0 = fmax(d0, fabs(rk->from.z[i]) / cd_z_error_scale(system, i, fabs(rk->from.z[i])));
    for (int i = 0; i < system->nq; ++i)
        d0 = fmax(d0, fabs(rk->from.q[i]) / cd_q_error_scale(system, i, fabs(rk->from.q[i])));
    const double d1 = scaled_norm(system, rk, rk->k[0], NULL);
    double       h0 = fmin(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, longest);

    cardan_status status = CARDAN_OK;
    for (int attempt = 0; attempt < 20; ++attempt, h0 /= 10) {
        cd_rk_combine_stages(system, rk, h0, 1, (const double[]){1});
        status = cd_chart_rate(system, rk->from.t + h0, rk->from.q, rk->y, rk->k[1]);
        if (!status || status == CARDAN_STOPPED) break;
    }
    if (status) return status;
    const double d2      = scaled_norm(system, rk, rk->k[1], rk->k[0]) / h0;
    const double largest = fmax(d1, d2);
    const double h1      = largest <= 1e-15 ? fmax(1e-6, h0 * 1e-3) : pow(0.01 / largest, 0.2);
    w->h_next            = fmin(fmin(100 * h0, h1), longest);
    return CARDAN_OK;
}

static cardan_status start(cd_ode_system* system, void* work, const cd_ode_state* x)
{
    dopri5_work* w  = work;
    cd_rk*       rk = &w->rk;
    cd_ode_state_copy(system, x, &rk->from);
    w->err_old       = 1e-4;
    w->last_rejected = false;
    w->h_taken       = 0;
    cd_rk_combine_stages(system, rk, 0, 0, NULL);
    const cardan_status status = cd_chart_rate(system, x->t, rk->from.q, rk->y, rk->k[0]);
    if (status) return status;
    const double longest =
        fmin(fmin(system->settings.max_step, system->settings.t_end - x->t), cd_chart_step_limit(system, x->z));
    return longest > 0 ? initial_step_size(system, w, longest) : CARDAN_OK;
}

// Error of the attempt in error scales, and the entry where it is largest; infinite if it is NaN.
static double scaled_error(const cd_ode_system* system, const cd_rk* rk, double h, int* worst)
{
    double err = 0;
    *worst     = 0;
    for (int i = 0; i < system->n - 1; ++i) {
        double sum = 0;
        for (int j = 0; j < 7; ++j) sum += error_weights[j] * rk->k[j][i];
        const double one = fabs(h * sum) / error_scale(system, rk, i);
        if (!(one <= err)) {
            err    = isfinite(one) ? one : INFINITY;
            *worst = i;
        }
    }
    return err;
}

static void store_dense_output(const cd_ode_system* system, dopri5_work* w, double h)
{
    const cd_rk* rk = &w->rk;
    const int    nv = system->nv;
    for (int i = 0; i < system->n; ++i) {
        double sum = 0;
        for (int j = 0; j < 7; ++j) sum += dense_weights[j] * rk->k[j][i];
        const double change = rk->y[i] - (i < nv ? 0 : rk->from.z[i - nv]);
        w->dense[0][i]      = change;
        w->dense[1][i]      = h * rk->k[0][i] - change;
        w->dense[2][i]      = change - h * rk->k[6][i] - w->dense[1][i];
        w->dense[3][i]      = h * sum;
    }
}

// Estimate the largest eigenvalue from two stages at the end of the step.
static void detect_stiffness(cd_ode_system* system, dopri5_work* w, double h)
{
    const cd_rk* rk   = &w->rk;
    double       rate = 0, state = 0;
    for (int i = 0; i < system->n - 1; ++i) {
        double difference = 0;
        for (int j = 0; j < 6; ++j) difference += (tableau.a[6][j] - tableau.a[5][j]) * rk->k[j][i];
        rate += (rk->k[6][i] - rk->k[5][i]) * (rk->k[6][i] - rk->k[5][i]);
        state += h * difference * h * difference;
    }
    if (h * h * rate > 3.25 * 3.25 * state) {
        w->nonstiff_steps = 0;
        if (++w->stiff_steps == 15 && !system->statistics.stiff) {
            system->statistics.stiff       = true;
            system->statistics.stiff_since = rk->from.t;
        }
    } else if (++w->nonstiff_steps == 6) {
        w->stiff_steps = 0;
    }
}

// Accept the step. y at its end is in rk.y, and k7 is its rate there: both remain valid in the next chart.
static cardan_status accept(cd_ode_system* system, dopri5_work* w, double t, double h, cd_ode_state* x)
{
    cd_rk*    rk = &w->rk;
    const int nv = system->nv;
    store_dense_output(system, w, h);
    if (!system->statistics.stiff) detect_stiffness(system, w, h);
    w->h_taken = h;
    cd_chart_to_state(system, t, rk->from.q, rk->y, x);
    memcpy(rk->k[0], x->z, (size_t)nv * sizeof(double));
    memcpy(rk->k[0] + nv, rk->k[6] + nv, (size_t)system->nz * sizeof(double));
    return cd_ode_state_check_finite(system, t, x->q, x->z);
}

static cardan_status step_too_small(cd_ode_system* system, double t, int worst, cardan_status status)
{
    if (status) return status;
    const int nv          = system->nv;
    system->failure.t     = t;
    system->failure.index = system->nq + (worst < nv ? worst : worst - nv);
    system->failure.value = 0;
    return CARDAN_STEP_TOO_SMALL;
}

static cardan_status step(cd_ode_system* system, void* work, double limit, cd_ode_state* x)
{
    dopri5_work* w  = work;
    cd_rk*       rk = &w->rk;
    cd_ode_state_copy(system, x, &rk->from);
    memcpy(rk->k[0], x->z, (size_t)system->nv * sizeof(double)); // the stabilization may have corrected x
    const double min_step = cd_min_step(system, x->t);
    w->h_next = fmax(min_step, fmin(w->h_next, fmin(system->settings.max_step, cd_chart_step_limit(system, x->z))));
    for (;;) {
        const bool   last  = x->t + 1.01 * w->h_next >= limit;
        const double h     = last ? limit - x->t : w->h_next;
        int          worst = 0;

        const cardan_status status = cd_rk_stages(system, rk, h);
        if (status == CARDAN_STOPPED) return status;
        const double err  = status ? INFINITY : scaled_error(system, rk, h, &worst);
        const double slow = pow(err, 0.17);
        if (err <= 1) {
            const double factor = fmin(5, fmax(0.1, slow / pow(w->err_old, 0.04) / 0.9));
            w->h_next           = fmin(h / factor, w->last_rejected ? h : INFINITY);
            w->err_old          = fmax(err, 1e-4);
            w->last_rejected    = false;
            return accept(system, w, last ? limit : x->t + h, h, x);
        }
        ++system->statistics.rejected_steps;
        w->last_rejected = true;
        w->h_next        = status ? h / 10 : h / fmin(5, slow / 0.9);
        if (w->h_next < min_step) return step_too_small(system, x->t, worst, status);
    }
}

static cardan_status dense_output(cd_ode_system* system, void* work, double t, cd_ode_state* x)
{
    dopri5_work* w  = work;
    cd_rk*       rk = &w->rk;
    const double s  = (t - rk->from.t) / w->h_taken;
    const int    nv = system->nv;
    for (int i = 0; i < system->n; ++i) {
        const double inner = w->dense[1][i] + s * (w->dense[2][i] + (1 - s) * w->dense[3][i]);
        rk->y[i]           = (i < nv ? 0 : rk->from.z[i - nv]) + s * (w->dense[0][i] + (1 - s) * inner);
    }
    cd_chart_to_state(system, t, rk->from.q, rk->y, x);
    return CARDAN_OK;
}

const cd_integrator cd_dopri5 = {
    .name         = "dopri5",
    .summary      = "Dormand-Prince 5(4), error control and dense output; the default",
    .citation     = "Dormand, Prince 1980; Hairer, Norsett, Wanner 1993, sections II.4 to II.6",
    .is_adaptive  = true,
    .uses_rhs     = true,
    .work_size    = sizeof(dopri5_work),
    .layout       = layout,
    .start        = start,
    .step         = step,
    .dense_output = dense_output,
};
