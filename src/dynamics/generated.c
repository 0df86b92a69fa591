// SPDX-License-Identifier: BSD-3-Clause
// Where generated code stands in for the formulation. It has the equations of the model as described; what a run changes about them, a stop that
// is reached, a constraint switched off, a pull towards closed loops, loads and motions from outside, is left to the formulation.
#include "dynamics/data.h"

#include <math.h>
#include <string.h>

bool cd_generated_serves(const cardan_data* d) { return d->generated && cd_generated_fits(d); }

bool cd_generated_fits(const cardan_data* d)
{
    if (d->near || d->loaded || d->some_off || d->pull > 0 || d->drag > 0) return false;
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

static void look(double a, double b, double* off, double* largest)
{
    *off     = isfinite(a) ? fmax(*off, fabs(a - b)) : INFINITY;
    *largest = fmax(*largest, fabs(b));
}

double cd_generated_equations_error(cardan_data* d, double* scratch)
{
    const int     nv = d->m->nv, ns = d->m->nstate, nrow = d->rows.nrow, n = nv + ns + 3 * nrow;
    double *const value = scratch, *const c = value + nv + ns, *const expected = scratch + n, *const none = scratch + 2 * n;
    double        off = 0, largest = 0, gap = 0, size = 1;
    if (!d->generated_equations || !cd_generated_fits(d) || cardan_residual(d, d->rest, expected) != CARDAN_OK) return 0;
    memset(none, 0, (size_t)n * sizeof *none);
    d->generated_equations(d->q, d->v, d->rest, d->outer_effort, d->state, d->t, none, value, value + nv, c, c + nrow, c + 2 * nrow);
    for (int i = 0; i < nv; ++i) look(value[i], expected[i], &off, &largest);
    if (nrow > 0) cd_know_rows(d);
    for (int i = 0; i < nrow; ++i) {
        look(c[i], d->closure.value[i], &gap, &size);
        look(c[nrow + i], d->closure.rate[i], &gap, &size);
        look(c[2 * nrow + i], -d->gamma[i], &gap, &size);
    }
    return fmax(off / (largest > 0 ? largest : 1), gap / size);
}
