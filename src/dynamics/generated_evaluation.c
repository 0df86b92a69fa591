// SPDX-License-Identifier: BSD-3-Clause
// Conditions under which generated code replaces the formulation, and its comparison with the library. Generated code
// contains the equations of the model as described; modifications during a run (active stops, disabled constraints,
// Baumgarte terms, external forces and driver values) require the formulation.
#include "dynamics/generated_evaluation.h"

#include "dynamics/dynamics_tolerances.h"
#include "dynamics/rank/robust_solve.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cd_can_use_generated_rhs(const cardan_data* d) { return d->compiled.rhs && cd_can_use_generated_residual(d); }

bool cd_can_use_generated_residual(const cardan_data* d)
{
    if (d->contacts || d->forces.compliant || d->settings.near_singular || d->external.has_forces ||
        d->external.ngrab > 0 || d->settings.has_disabled_constraint || d->settings.baumgarte_rate > 0 ||
        d->settings.velocity_damping_rate > 0)
        return false;
    for (int i = 0; d->settings.frozen_stops && i < d->m->njoint_force; ++i)
        if (d->settings.frozen_stops[i].side != 0 && d->m->joint_force[i].parameter.stop_stiffness != 0) return false;
    for (int i = 0; i < d->m->ndriver_function; ++i)
        if (d->external.is_driver_external[i]) return false;
    return true;
}

double cd_generated_rhs_error(cardan_data* d, const double* a)
{
    if (!d->settings.frozen_stops || !cd_can_use_generated_rhs(d)) return 0;
    double power;
    d->compiled.rhs(d->q, d->v, d->external.effort, d->state, d->t, d->scratch.nv, d->scratch.state_rate, &power);
    if (isnan(d->scratch.nv[0])) return 0; // the code reports itself as invalid here and is not used
    return cd_compare_generated_accelerations(d, a, d->scratch.nv);
}

// Accelerations at a perturbed state, into a.
static cardan_status accelerate_perturbed(cardan_data* d, const double* q, const double* v, const double* dq,
                                          double* q_near, double* v_near, double* a)
{
    cardan_model_integrate_position(d->m, q, dq, q_near);
    for (int i = 0; i < d->m->nv; ++i)
        v_near[i] = v[i] * (i % 3 ? 1 + cd_state_perturbation : 1 - cd_state_perturbation);
    const cardan_status status = cd_data_set_state(d, d->t, q_near, v_near, d->state);
    cd_failure          failure;
    return status == CARDAN_OK ? cd_accelerate_robust(d, a, NULL, &failure) : status;
}

// Largest change of the accelerations under two relative perturbations of the state. The state of the data is restored.
static double acceleration_noise(cardan_data* d, const double* a)
{
    const size_t nq = (size_t)d->m->nq, nv = (size_t)d->m->nv;
    double*      q    = cd_allocate(2 * nq + 4 * nv + 1, sizeof *q);
    double       most = 0;
    if (!q) return 0;
    double *v = q + nq, *q_near = v + nv, *v_near = q_near + nq, *dq = v_near + nv, *b = dq + nv;
    memcpy(q, d->q, nq * sizeof *q);
    memcpy(v, d->v, nv * sizeof *v);
    for (int round = 0; round < 2; ++round) {
        for (size_t i = 0; i < nv; ++i) {
            const vec3   s    = d->k.S[i].a;
            const double unit = v3_dot(s, s) > 0 ? 1 : d->units.length_scale;
            dq[i]             = cd_state_perturbation * unit * ((i >> round) % 2 ? 1 : -1);
        }
        if (accelerate_perturbed(d, q, v, dq, q_near, v_near, b) != CARDAN_OK) continue;
        for (size_t i = 0; i < nv; ++i) most = fmax(most, fabs(a[i] - b[i]));
    }
    cd_data_set_state(d, d->t, q, v, d->state);
    cd_failure failure;
    cd_accelerate_robust(d, b, NULL, &failure);
    free(q);
    return most;
}

// Accelerations are sums that may cancel completely, as along a prismatic joint perpendicular to gravity. Size of their
// terms [m/s^2; divided by the length scale rad/s^2]: a share of gravity and of the largest centripetal acceleration.
static double acceleration_scale(const cardan_data* d)
{
    const double* g                    = d->m->view.gravity;
    double        max_angular_velocity = 0;
    for (int i = 0; i < d->m->nv; ++i)
        if (v3_dot(d->k.S[i].a, d->k.S[i].a) > 0) max_angular_velocity = fmax(max_angular_velocity, fabs(d->v[i]));
    return cd_acceleration_scale_share * (sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) +
                                          d->units.length_scale * max_angular_velocity * max_angular_velocity);
}

static double acceleration_unit(const cardan_data* d, int i)
{
    return v3_dot(d->k.S[i].a, d->k.S[i].a) > 0 ? 1 / d->units.length_scale : 1;
}

double cd_compare_generated_accelerations(cardan_data* d, const double* a, const double* generated)
{
    const double size       = acceleration_scale(d);
    double       difference = 0, largest = 0;
    for (int i = 0; i < d->m->nv; ++i) {
        difference = isfinite(generated[i]) ? fmax(difference, fabs(generated[i] - a[i])) : INFINITY;
        largest    = fmax(largest, fmax(fabs(a[i]), size * acceleration_unit(d, i)));
    }
    if (difference > cd_generated_difference_tolerance * largest && isfinite(difference))
        largest = fmax(largest, cd_generated_noise_factor * acceleration_noise(d, a));
    return difference / (largest > 0 ? largest : 1);
}

static void update_difference(double a, double b, double* difference, double* largest)
{
    *difference = isfinite(a) ? fmax(*difference, fabs(a - b)) : INFINITY;
    *largest    = fmax(*largest, fabs(b));
}

double cd_generated_residual_error(cardan_data* d, double* scratch)
{
    const int     nv = d->m->nv, ns = d->m->nstate, nrow = d->rows.nrow, n = nv + ns + 3 * nrow;
    double *const value = scratch, *const c = value + nv + ns, *const expected = scratch + n,
                  *const zero       = scratch + 2 * n;
    double               difference = 0, largest = 0, row_difference = 0, size = 1;
    if (!d->compiled.residual || !cd_can_use_generated_residual(d) ||
        cardan_data_residual(d, d->scratch.zero_nv, expected) != CARDAN_OK)
        return 0;
    memset(zero, 0, (size_t)n * sizeof *zero);
    d->compiled.residual(d->q, d->v, d->scratch.zero_nv, d->external.effort, d->state, d->t, zero, value, value + nv, c,
                         c + nrow, c + 2 * nrow);
    double mass = 0;
    for (int i = 0; i < d->m->nlink; ++i) mass += d->m->link[i].m;
    for (int i = 0; i < nv; ++i) {
        update_difference(value[i], expected[i], &difference, &largest);
        largest = fmax(largest, mass * acceleration_scale(d) / acceleration_unit(d, i));
    }
    if (nrow > 0) cd_update_rows(d);
    for (int i = 0; i < nrow; ++i) {
        update_difference(c[i], d->constraints.value[i], &row_difference, &size);
        update_difference(c[nrow + i], d->constraints.rate[i], &row_difference, &size);
        update_difference(c[2 * nrow + i], -d->solve.gamma[i], &row_difference, &size);
    }
    return fmax(difference / (largest > 0 ? largest : 1), row_difference / size);
}
