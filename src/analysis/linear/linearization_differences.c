// SPDX-License-Identifier: BSD-3-Clause
// Central differences of fourth order, for gears whose losses depend on load: the derivative does not exist where the
// direction of power changes, which may be at the state itself.
//
//   f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h
//
// Every evaluation point is projected onto the constraints.
#include "analysis/linear/linearization.h"

#include "math/norm_inf.h"

#include <math.h>

static const double step_position = 5e-4; // [rad, lengths]
static const double step_velocity = 1e-4; // [rad/s, lengths/s], relative to velocities above 1
static const double step_state    = 5e-4; // relative to states above 1

// Add joint velocities, accelerations, state rates and outputs at component j = x, times a factor, to columns j of X, Y
// and H. Returns false if an evaluation fails.
static bool add_evaluation(cd_linearization* l, int j, double x, double factor, double* H)
{
    cardan_data* d = l->d;
    const size_t n = (size_t)l->n, count = (size_t)d->m->view.noutput;
    double *     X = l->X + (size_t)j * n, *Y = l->Y + (size_t)j * n, *v = l->work, *a = l->work + d->m->nv_joint,
           *h = a + d->m->nv_joint;
    l->x[j]   = x;
    if (!cd_linearization_set_state(l, l->x)) return false;
    if (cardan_data_accelerate(d, l->a, l->z, NULL) != CARDAN_OK) return false;
    cardan_data_joint_motions(d, l->a, NULL, v, a);
    for (int i = 0; i < l->np; ++i) Y[i] += factor * v[l->position_entry[i]];
    for (int i = 0; i < l->nw; ++i) {
        X[l->np + i] += factor * v[l->velocity_entry[i]];
        Y[l->np + i] += factor * a[l->velocity_entry[i]];
    }
    for (int i = 0; i < l->nz; ++i) Y[l->np + l->nw + i] += factor * l->z[i];
    if (H) cardan_data_evaluate_outputs(d, h);
    for (size_t i = 0; H && i < count; ++i) H[(size_t)j * count + i] += factor * h[i];
    return true;
}

static double step_along(const cd_linearization* l, int j)
{
    const int nv = l->d->m->nv, k = j - l->np;
    if (j < l->np) return step_position / cd_norm_inf_scaled(nv, l->Np + (size_t)j * (size_t)nv, l->tangent.unit);
    if (k >= l->nw) return step_state * fmax(1, fabs(l->z0[k - l->nw]));
    const double fastest = fmax(1, cd_norm_inf_scaled(nv, l->v0, l->tangent.unit));
    return step_velocity * fastest / cd_norm_inf_scaled(nv, l->Nv + (size_t)k * (size_t)nv, l->tangent.unit);
}

bool cd_linearization_column_difference(cd_linearization* l, int j, double* H)
{
    static const double weight[2] = {8.0 / 12, -1.0 / 12};
    const double        h         = step_along(l, j);
    bool                good      = true;
    for (int k = 1; k <= 2 && good; ++k)
        good = add_evaluation(l, j, k * h, weight[k - 1] / h, H) && add_evaluation(l, j, -k * h, -weight[k - 1] / h, H);
    l->x[j] = 0;
    return good;
}
