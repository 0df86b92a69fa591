// SPDX-License-Identifier: BSD-3-Clause
// Chart of a step: local coordinates about a configuration (ode_system.h).
#include "simulation/ode/ode_system.h"

#include "math/norm_inf.h"

#include <math.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// theta' = w + theta x w / 2 + c theta x (theta x w); near zero c = 1/12 + phi^2/720 + phi^4/30240 + ...
static void dexpinv(const double theta[3], const double w[3], double rate[3])
{
    const double phi2 = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2];
    double       c    = 1.0 / 12 + phi2 * (1.0 / 720 + phi2 * (1.0 / 30240 + phi2 / 1209600));
    if (phi2 > 0.01) {
        const double half = sqrt(phi2) / 2;
        c                 = (1 - half / tan(half)) / phi2;
    }
    double first[3], second[3];
    cross(theta, w, first);
    cross(theta, first, second);
    for (int i = 0; i < 3; ++i) rate[i] = w[i] + first[i] / 2 + c * second[i];
}

static void rate_of_theta(const cd_ode_system* system, const double* y, const double* v, double* rate)
{
    memcpy(rate, v, (size_t)system->nv * sizeof *rate);
    for (int i = 0; i < system->nquaternion; ++i) {
        const int k = system->quaternion_v[i];
        dexpinv(y + k, v + k, rate + k);
    }
}

void cd_chart_rate_of_theta(const cd_ode_system* system, const double* y, double* rate)
{
    rate_of_theta(system, y, y + system->nv, rate);
}

cardan_status cd_chart_rate(cd_ode_system* system, double t, const double* q0, const double* y, double* rate)
{
    const int nv = system->nv;
    cardan_model_integrate_position(system->model, q0, y, system->q_scratch);
    const cardan_status status = system->rhs(system, t, system->q_scratch, y + nv, rate + nv);
    if (!status) rate_of_theta(system, y, cd_rhs_velocities(system, y + nv), rate);
    return status;
}

void cd_chart_to_state(const cd_ode_system* system, double t, const double* q0, const double* y, cd_ode_state* state)
{
    state->t = t;
    cardan_model_integrate_position(system->model, q0, y, state->q);
    memcpy(state->z, y + system->nv, (size_t)system->nz * sizeof *state->z);
}

double cd_chart_step_limit(const cd_ode_system* system, const double* z)
{
    double largest = 0;
    for (int i = 0; i < system->nquaternion; ++i) {
        const double* w = z + system->quaternion_v[i];
        largest         = cd_max(largest, w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    }
    return largest > 0 ? 2 / sqrt(largest) : INFINITY;
}
