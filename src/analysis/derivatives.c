// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of accelerations at a state: A = dx'/dx (linear.h), column by column by central differences of fourth order,
//
//   f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h,
//
// every point closed on the constraints. This is the only place that knows how A is found.
#include "analysis/linear.h"

#include <math.h>
#include <string.h>

static const double step_position = 5e-4;  // [rad, lengths]
static const double step_velocity = 1e-4;  // [rad/s, lengths/s], relative to the velocity where that is above 1
static const double step_state    = 5e-4;  // relative to the state where that is above 1

// x' at x into the column, times a factor, and where velocities follow eta; false where it cannot be evaluated.
static bool add_rate(cd_linear* l, const double* x, double factor, double* column, double* follow)
{
    cardan_data* d  = l->d;
    const size_t nv = (size_t)d->m->nv;
    if (!cd_linear_move(l, x) || cardan_accelerate(d, l->a, l->z, NULL) != CARDAN_OK) return false;
    for (int k = 0; k < l->np; ++k)
        for (size_t i = 0; i < nv; ++i) column[k] += factor * l->Wp[(size_t)k * nv + i] * d->v[i];
    for (int k = 0; k < l->nw; ++k)
        for (size_t i = 0; i < nv; ++i) column[l->np + k] += factor * l->Wv[(size_t)k * nv + i] * l->a[i];
    for (int k = 0; k < l->nw && follow; ++k)
        for (size_t i = 0; i < nv; ++i) follow[k] += factor * l->Wv[(size_t)k * nv + i] * (d->v[i] - l->v0[i]);
    for (int i = 0; i < l->nz; ++i) column[l->np + l->nw + i] += factor * l->z[i];
    return true;
}

// Length of motion k of N in units.
static double motion_size(const cd_linear* l, const double* N, int k)
{
    const int nv = l->d->m->nv;
    double    most = 0;
    for (int i = 0; i < nv; ++i) most = fmax(most, fabs(N[(size_t)k * (size_t)nv + (size_t)i]) * l->tangent.unit[i]);
    return most;
}

double cd_linear_step(const cd_linear* l, int j)
{
    double fastest = 1;
    for (int i = 0; i < l->d->m->nv; ++i) fastest = fmax(fastest, fabs(l->v0[i]) * l->tangent.unit[i]);
    if (j < l->np) return step_position / motion_size(l, l->Np, j);
    if (j < l->np + l->nw) return step_velocity * fastest / motion_size(l, l->Nv, j - l->np);
    return step_state * fmax(1, fabs(l->z0[j - l->np - l->nw]));
}

// Where velocities had to follow a change of xi, eta changed too: its share taken out.
static void hold_velocities(cd_linear* l)
{
    const size_t n = (size_t)l->n, np = (size_t)l->np, nw = (size_t)l->nw;
    for (size_t j = 0; j < np; ++j)
        for (size_t k = 0; k < nw; ++k)
            for (size_t i = 0; i < n; ++i) l->A[j * n + i] -= l->follow[j * nw + k] * l->A[(np + k) * n + i];
}

// G (nw x np) = Nv'M [Np, w]: vector products with w, for each quaternion.
static void products(cd_linear* l, const double* w, double* G)
{
    const cardan_model* m  = l->d->m;
    const size_t        nv = (size_t)m->nv;
    for (int j = 0; j < l->np; ++j) {
        const double* xi = l->Np + (size_t)j * nv;
        memset(l->v, 0, nv * sizeof *l->v);
        for (int i = 0; i < m->nrotation; ++i) {
            const double *r = xi + m->rotation[i], *u = w + m->rotation[i];
            double*       x = l->v + m->rotation[i];
            x[0]            = r[1] * u[2] - r[2] * u[1];
            x[1]            = r[2] * u[0] - r[0] * u[2];
            x[2]            = r[0] * u[1] - r[1] * u[0];
        }
        for (int k = 0; k < l->nw; ++k) {
            double sum = 0;
            for (size_t i = 0; i < nv; ++i) sum += l->Wv[(size_t)k * nv + i] * l->v[i];
            G[(size_t)j * (size_t)l->nw + (size_t)k] = sum;
        }
    }
}

// From axes that turn with the bodies to axes that stand still. There xi' = dv and eta' = da + xi x a0, while dv = eta - B xi.
static void stand(cd_linear* l)
{
    const size_t n = (size_t)l->n, np = (size_t)l->np, nw = (size_t)l->nw;
    products(l, l->v0, l->turning);
    for (size_t j = 0; j < np; ++j)
        for (size_t k = 0; k < nw; ++k)
            for (size_t i = 0; i < n; ++i) l->A[j * n + i] -= l->turning[j * nw + k] * l->A[(np + k) * n + i];
    products(l, l->a0, l->swinging);
    for (size_t j = 0; j < np; ++j)
        for (size_t k = 0; k < nw; ++k) l->A[j * n + np + k] += l->swinging[j * nw + k];
}

cardan_status cd_linear_derivatives(cd_linear* l, cardan_report* report)
{
    static const double weight[2] = {8.0 / 12, -1.0 / 12};
    const size_t        n         = (size_t)l->n;
    bool                good      = true;
    memset(l->A, 0, n * n * sizeof *l->A);
    memset(l->x, 0, n * sizeof *l->x);
    memset(l->follow, 0, (size_t)l->nw * (size_t)l->np * sizeof *l->follow);
    for (int j = 0; j < l->n && good; ++j) {
        const double h      = cd_linear_step(l, j);
        double*      column = l->A + (size_t)j * n;
        double*      follow = j < l->np ? l->follow + (size_t)j * (size_t)l->nw : NULL;
        for (int k = 1; k <= 2 && good; ++k) {
            l->x[j] = k * h;
            good    = add_rate(l, l->x, weight[k - 1] / h, column, follow);
            l->x[j] = -k * h;
            good    = good && add_rate(l, l->x, -weight[k - 1] / h, column, follow);
        }
        l->x[j] = 0;
    }
    hold_velocities(l);
    stand(l);
    cd_linear_move(l, NULL);
    for (size_t i = 0; i < n * n && good; ++i) good = isfinite(l->A[i]);
    if (good) return CARDAN_OK;
    return cardan_fail(report, CARDAN_NOT_CONVERGED, cardan_nowhere(), "'%s' cannot be linearized at t = %g s: beside the state its accelerations cannot be found",
                       l->d->m->view.name, l->d->t);
}
