// SPDX-License-Identifier: BSD-3-Clause
#include "motion/flat.h"

#include <float.h>
#include <math.h>
#include <string.h>

void cd_flat_coordinate_rate(const cd_system* system, const double* q, const double* v, double* rate)
{
    cardan_model_rate(system->model, q, v, rate);
    for (int i = 0; i < system->nrotation; ++i) {
        const double* w     = v + system->rotation[i];
        const int     k     = system->quaternion[i];
        const double* u     = q + k;
        const double  kappa = sqrt(1 + w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / 2;
        const double  pull  = kappa * (1 - (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]));
        for (int c = 0; c < 4; ++c) rate[k + c] += pull * u[c];
    }
}

// Where quaternions are of unit length, as they nearly are.
void cd_flat_quaternion_slope(const double e[4], const double x[3], double R[4][4])
{
    const double pull    = sqrt(1 + x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) / 2;
    const double T[4][4] = {
        {0, -x[0], -x[1], -x[2]}, {x[0], 0, x[2], -x[1]}, {x[1], -x[2], 0, x[0]}, {x[2], x[1], -x[0], 0}};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) R[i][j] = T[i][j] / 2 - 2 * pull * e[i] * e[j];
}

void cd_flat_rate_by_q(const cd_system* system, const double* q, const double* v, double factor, double** column)
{
    for (int k = 0; k < system->nrotation; ++k) {
        const int at = system->quaternion[k];
        double    R[4][4];
        cd_flat_quaternion_slope(q + at, v + system->rotation[k], R);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) column[at + j][at + i] += factor * R[i][j];
    }
}

void cd_flat_rate_along(const cd_system* system, const double* q, const double* x, double factor, double* work,
                        double* column)
{
    cardan_model_rate(system->model, q, x, work);
    for (int i = 0; i < system->nq; ++i) column[i] += factor * work[i];
}

void cd_flat_by_q(const cd_system* system, const double* q, const double* along, size_t stride, double factor, int i,
                  double** column)
{
    for (int v = 0; v < system->nv; ++v)
        if (system->q_of_v[v] != CARDAN_NONE) column[system->q_of_v[v]][i] = factor * along[(size_t)v * stride];
    for (int k = 0; k < system->nrotation; ++k) {
        const double* e = q + system->quaternion[k];
        const double* g = along + (size_t)system->rotation[k] * stride;
        const double  a = 2 * factor * g[0], b = 2 * factor * g[stride], c = 2 * factor * g[2 * stride];
        double**      to = column + system->quaternion[k];
        to[0][i]         = -(a * e[1] + b * e[2] + c * e[3]);
        to[1][i]         = a * e[0] - b * e[3] + c * e[2];
        to[2][i]         = a * e[3] + b * e[0] - c * e[1];
        to[3][i]         = -a * e[2] + b * e[1] + c * e[0];
    }
}

cardan_status cd_flat_rate(cd_system* system, double t, const double* y, double* rate)
{
    const double*       z      = y + system->nq;
    const cardan_status status = cd_system_rate_alone(system, t, y, z, rate + system->nq);
    if (!status) cd_flat_coordinate_rate(system, y, cd_system_velocities(system, z), rate);
    return status;
}

static double unit(const cd_system* system, int i, const double* y)
{
    const int    nq    = system->nq;
    const double size  = i < nq ? fabs(y[i]) : cd_z_size(system, i - nq, y + nq);
    const double scale = i < nq ? cd_q_scale(system, i, size) : cd_z_scale(system, i - nq, size);
    return fmax(scale / 10, 10 * DBL_EPSILON * size);
}

void cd_flat_weights(const cd_system* system, const double* y, double* weight)
{
    for (int i = 0; i < system->nq + system->nz; ++i) weight[i] = 1 / unit(system, i, y);
}

void cd_flat_enter(const cd_system* system, const cd_point* x, double* y)
{
    memcpy(y, x->q, (size_t)system->nq * sizeof *y);
    memcpy(y + system->nq, x->z, (size_t)system->nz * sizeof *y);
}

void cd_flat_leave(const cd_system* system, double t, const double* y, cd_point* x)
{
    x->t = t;
    memcpy(x->q, y, (size_t)system->nq * sizeof *y);
    memcpy(x->z, y + system->nq, (size_t)system->nz * sizeof *y);
    cardan_model_normalize(system->model, x->q);
}

cardan_status cd_flat_too_small(cd_system* system, double t, const double* y, const double* error)
{
    double largest    = -1;
    system->trouble_t = t;
    system->trouble   = CARDAN_NONE;
    for (int i = 0; error && i < system->nq + system->nz - 1; ++i) {
        const double relative = fabs(error[i]) / unit(system, i, y);
        if (relative > largest) {
            largest         = relative;
            system->trouble = i;
        }
    }
    return CARDAN_STEP_TOO_SMALL;
}

bool cd_flat_matrix_fits(const cd_system* system)
{
    const double n = system->nq + system->nz;
    return n * n * sizeof(double) < 2e9;
}
