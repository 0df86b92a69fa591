// SPDX-License-Identifier: BSD-3-Clause
// States that satisfy the constraints near the state of a linearization: q = project(q0 (+) Np xi),
// v = project(v0 + Nv eta), z = z0 + z (linearization.h).
#include "analysis/linear/linearization.h"
#include "dynamics/state.h"

#include <string.h>

static void combine(int nv, int n, const double* N, const double* x, double* v)
{
    memset(v, 0, (size_t)nv * sizeof *v);
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < nv; ++i) v[i] += N[(size_t)k * (size_t)nv + (size_t)i] * x[k];
}

void cd_linearization_motion(const cd_linearization* l, const double* xi, double* v)
{
    combine(l->d->m->nv, l->np, l->Np, xi, v);
}

bool cd_linearization_set_state(cd_linearization* l, const double* x)
{
    cardan_data* d  = l->d;
    const int    nv = d->m->nv;
    if (!x) return cd_data_set_state(d, d->t, l->q0, l->v0, l->z0) == CARDAN_OK;
    cd_linearization_motion(l, x, l->v);
    cardan_model_integrate_position(d->m, l->q0, l->v, l->q);
    combine(nv, l->nw, l->Nv, x + l->np, l->v);
    for (int i = 0; i < nv; ++i) l->v[i] += l->v0[i];
    for (int i = 0; i < l->nz; ++i) l->z[i] = l->z0[i] + x[l->np + l->nw + i];
    cd_data_set_state(d, d->t, l->q, l->v, l->z);
    return cd_tangent_space_project(&l->tangent) && cd_tangent_space_project_velocity(&l->tangent);
}
