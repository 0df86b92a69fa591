// SPDX-License-Identifier: BSD-3-Clause
// A driven coordinate follows its target u by three equal first-order lags in series, critically damped:
//
//   (1 + T d/dt)^3 x = u,      x = u + (c0 + c1 s + c2 s^2) exp(-s),   s = (t - t_start) / T
//   c0 = x0 - u,   c1 = T v0 + c0,   c2 = (T^2 a0 + 2 T v0 + c0) / 2
//
// Value, rate and acceleration are continuous if the target jumps; they do not depend on the steps of an integrator.
// After 0.21 s, 5.3 T, 10 % of a jump of the target remain.
#include "dynamics/inputs/driven_input.h"

#include "core/check_arguments.h"
#include "dynamics/data.h"
#include "model/description.h"

#include <math.h>
#include <string.h>

static const double lag = 0.04; // [s] T

void cd_driven_input_evaluate(const cd_driven_input* w, double t, double value[3])
{
    const double s  = fmin(1000, fmax(0, (t - w->t_start) / lag)); // exp(-1000) = 0
    const double c0 = w->start[0] - w->target, c1 = lag * w->start[1] + c0,
                 c2 = (lag * lag * w->start[2] + 2 * lag * w->start[1] + c0) / 2;
    const double e = exp(-s), p0 = c0 + s * (c1 + s * c2), p1 = c1 + 2 * s * c2;
    if (s == 0) {
        memcpy(value, w->start, 3 * sizeof *value);
        return;
    }
    value[0] = w->target + p0 * e;
    value[1] = (p1 - p0) * e / lag;
    value[2] = (2 * c2 - 2 * p1 + p0) * e / (lag * lag);
}

void cd_enable_driven_input(cardan_data* d, int n, bool on)
{
    cd_driven_input* w                                = &d->external.driven[n];
    w->is_driven                                      = on;
    w->is_frozen                                      = false;
    d->external.is_driver_external[n]                 = on;
    d->settings.is_constraint_disabled[w->constraint] = !on;
    d->settings.has_disabled_constraint               = false;
    for (int i = 0; i < d->constraints.nconstraint; ++i)
        d->settings.has_disabled_constraint |= d->settings.is_constraint_disabled[i];
}

void cd_driven_inputs_init(cardan_data* d)
{
    for (int i = 0; i < d->constraints.ndriven; ++i) {
        const int                     number = d->constraints.driven[i];
        const cd_constraint*          c      = &d->constraints.constraint[number];
        const cd_coupled_coordinates* k      = c->coupled;
        const int                     n      = c->driver_number[0] - 1;
        if (!k || !cd_is_index(n, d->m->njoint_driver) ||
            !cd_is_drivable(d->m->description, k->coordinate[0].joint, k->coordinate[0].axis_index))
            continue;
        d->external.driven[n]                      = (cd_driven_input){.is_drivable = true, .constraint = number};
        d->settings.is_constraint_disabled[number] = d->settings.has_disabled_constraint = true;
    }
}

void cd_replace_external_drivers(cardan_data* d, double t)
{
    for (int i = 0; i < d->m->ndriver_function; ++i) {
        const cd_driven_input* w  = &d->external.driven[i];
        double*                to = d->constraints.driver_values + 3 * i;
        if (w->is_driven && !w->is_frozen)
            cd_driven_input_evaluate(w, t, to);
        else if (d->external.is_driver_external[i])
            memcpy(to, d->external.driver_values + 3 * i, 3 * sizeof *to);
    }
}

bool cd_constraint_is_drivable(const cardan_data* d, int constraint)
{
    const int n = d->constraints.constraint[constraint].driver_number[0] - 1;
    return n >= 0 && d->external.driven[n].is_drivable && d->external.driven[n].constraint == constraint;
}
