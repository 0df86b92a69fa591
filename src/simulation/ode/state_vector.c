// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/ode/state_vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

void cd_state_vector_q_rate(const cd_ode_system* system, const double* q, const double* v, double* rate)
{
    cardan_model_position_rate(system->model, q, v, rate);
    for (int i = 0; i < system->nquaternion; ++i) {
        const double* w                  = v + system->quaternion_v[i];
        const int     k                  = system->quaternion_q[i];
        const double* u                  = q + k;
        const double  kappa              = sqrt(1 + w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / 2;
        const double  normalization_rate = kappa * (1 - (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]));
        for (int c = 0; c < 4; ++c) rate[k + c] += normalization_rate * u[c];
    }
}

// Valid for unit quaternions; integrated ones are nearly unit.
void cd_quaternion_rate_jacobian(const double e[4], const double x[3], double R[4][4])
{
    const double normalization_rate = sqrt(1 + x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) / 2;
    const double T[4][4]            = {
                   {0, -x[0], -x[1], -x[2]}, {x[0], 0, x[2], -x[1]}, {x[1], -x[2], 0, x[0]}, {x[2], x[1], -x[0], 0}};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) R[i][j] = T[i][j] / 2 - 2 * normalization_rate * e[i] * e[j];
}

void cd_state_vector_q_rate_by_q(const cd_ode_system* system, const double* q, const double* v, double factor,
                                 double** column)
{
    for (int k = 0; k < system->nquaternion; ++k) {
        const int at = system->quaternion_q[k];
        double    R[4][4];
        cd_quaternion_rate_jacobian(q + at, v + system->quaternion_v[k], R);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) column[at + j][at + i] += factor * R[i][j];
    }
}

void cd_state_vector_q_rate_along(const cd_ode_system* system, const double* q, const double* x, double factor,
                                  double* work, double* column)
{
    cardan_model_position_rate(system->model, q, x, work);
    for (int i = 0; i < system->nq; ++i) column[i] += factor * work[i];
}

void cd_state_vector_derivative_by_q(const cd_ode_system* system, const double* q, const double* derivative,
                                     size_t stride, double factor, int i, double** column)
{
    for (int v = 0; v < system->nv; ++v)
        if (system->q_of_v[v] != CARDAN_NONE) column[system->q_of_v[v]][i] = factor * derivative[(size_t)v * stride];
    for (int k = 0; k < system->nquaternion; ++k) {
        const double* e = q + system->quaternion_q[k];
        const double* g = derivative + (size_t)system->quaternion_v[k] * stride;
        const double  a = 2 * factor * g[0], b = 2 * factor * g[stride], c = 2 * factor * g[2 * stride];
        double**      to = column + system->quaternion_q[k];
        to[0][i]         = -(a * e[1] + b * e[2] + c * e[3]);
        to[1][i]         = a * e[0] - b * e[3] + c * e[2];
        to[2][i]         = a * e[3] + b * e[0] - c * e[1];
        to[3][i]         = -a * e[2] + b * e[1] + c * e[0];
    }
}

cardan_status cd_state_vector_rate(cd_ode_system* system, double t, const double* y, double* rate)
{
    const double*       z      = y + system->nq;
    const cardan_status status = system->rhs(system, t, y, z, rate + system->nq);
    if (!status) cd_state_vector_q_rate(system, y, cd_rhs_velocities(system, z), rate);
    return status;
}

static double error_scale(const cd_ode_system* system, int i, const double* y)
{
    const int    nq    = system->nq;
    const double size  = i < nq ? fabs(y[i]) : cd_z_magnitude(system, i - nq, y + nq);
    const double scale = i < nq ? cd_q_error_scale(system, i, size) : cd_z_error_scale(system, i - nq, size);
    return fmax(scale / 10, 10 * DBL_EPSILON * size);
}

void cd_state_vector_error_weights(const cd_ode_system* system, const double* y, double* weight)
{
    for (int i = 0; i < system->nq + system->nz; ++i) weight[i] = 1 / error_scale(system, i, y);
}

void cd_state_vector_from_state(const cd_ode_system* system, const cd_ode_state* x, double* y)
{
    memcpy(y, x->q, (size_t)system->nq * sizeof *y);
    memcpy(y + system->nq, x->z, (size_t)system->nz * sizeof *y);
}

void cd_state_vector_to_state(const cd_ode_system* system, double t, const double* y, cd_ode_state* x)
{
    x->t = t;
    memcpy(x->q, y, (size_t)system->nq * sizeof *y);
    memcpy(x->z, y + system->nq, (size_t)system->nz * sizeof *y);
    cardan_model_normalize_position(system->model, x->q);
}

cardan_status cd_state_vector_step_too_small(cd_ode_system* system, double t, const double* y, const double* error)
{
    double largest        = -1;
    system->failure.t     = t;
    system->failure.index = CARDAN_NONE;
    for (int i = 0; error && i < system->nq + system->nz - 1; ++i) {
        const double relative = fabs(error[i]) / error_scale(system, i, y);
        if (relative > largest) {
            largest               = relative;
            system->failure.index = i;
        }
    }
    return CARDAN_STEP_TOO_SMALL;
}

bool cd_state_vector_jacobian_fits(const cd_ode_system* system)
{
    const double n = system->nq + system->nz;
    return n * n * sizeof(double) < 2e9;
}
