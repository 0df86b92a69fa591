// SPDX-License-Identifier: BSD-3-Clause
// Where generated code stands in for the formulation. It has the equations of the model as described; what a run changes about them, a stop that
// is reached, a constraint switched off, a pull towards closed loops, loads and motions from outside, is left to the formulation.
#include "dynamics/data.h"

#include <math.h>

bool cd_generated_serves(const cardan_data* d)
{
    if (!d->generated || d->near || d->loaded || d->some_off || d->pull > 0 || d->drag > 0) return false;
    for (int i = 0; d->held && i < d->m->nlaw; ++i)
        if (d->held[i].side != 0 && d->m->law[i].axis_law.stop_stiffness != 0) return false;
    for (int i = 0; i < d->m->nmotion; ++i)
        if (d->outer[i]) return false;
    return true;
}

double cd_generated_error(cardan_data* d, const double* a)
{
    if (!d->held || !cd_generated_serves(d)) return 0;
    double power, off = 0, largest = 0;
    d->generated(d->q, d->v, d->outer_effort, d->state, d->t, d->x, d->state_rate, &power);
    for (int i = 0; i < d->m->nv; ++i) {
        off     = isfinite(d->x[i]) ? fmax(off, fabs(d->x[i] - a[i])) : INFINITY;
        largest = fmax(largest, fabs(a[i]));
    }
    return off / (largest > 0 ? largest : 1);
}
