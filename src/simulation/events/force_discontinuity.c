// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/events/force_discontinuity.h"
#include "simulation/simulation_tolerances.h"

#include <math.h>

// Fraction of the error scale allowed for a step across a jump; 1 if the time does not resolve shorter steps.
static double allowed_error(const cd_force_discontinuity* discontinuity, double h)
{
    return h <= 4 * discontinuity->min_step ? 1 : cd_jump_error_fraction;
}

enum { CLUSTERED_MAX = 50 }; // successive jumps after which no further one is accepted

static void clear_detection(cd_force_discontinuity* discontinuity)
{
    discontinuity->interval_end = -INFINITY;
    discontinuity->detected     = false;
}

void cd_force_discontinuity_reset(cd_force_discontinuity* discontinuity, double min_step)
{
    discontinuity->min_step = min_step;
    clear_detection(discontinuity);
    discontinuity->last_t     = -INFINITY;
    discontinuity->nclustered = 0;
}

double cd_force_discontinuity_limit_step(const cd_force_discontinuity* discontinuity, double t, double h)
{
    const double remaining = discontinuity->interval_end - t;
    if (!discontinuity->detected || remaining <= 0) return h;
    return remaining * discontinuity->change_max <= allowed_error(discontinuity, remaining) && h > 0.8 * remaining
               ? remaining
               : fmin(h, remaining / 2);
}

bool cd_force_discontinuity_step_rejected(cd_force_discontinuity* discontinuity, double t, double h, double change)
{
    // another location, or a change that decreases with the step
    if (t >= discontinuity->interval_end || change < cd_jump_persistent_fraction * discontinuity->change_max)
        *discontinuity = (cd_force_discontinuity){
            t + h, change, h, discontinuity->min_step, false, discontinuity->last_t, discontinuity->nclustered};
    discontinuity->interval_end = fmin(discontinuity->interval_end, t + h);
    discontinuity->change_max   = fmax(discontinuity->change_max, change);
    if (h <= discontinuity->first_h / cd_jump_detection_ratio) discontinuity->detected = true;
    return discontinuity->detected && h * change <= allowed_error(discontinuity, h) &&
           discontinuity->nclustered < CLUSTERED_MAX;
}

bool cd_force_discontinuity_step_accepted(cd_force_discontinuity* discontinuity, double t, double h, double change)
{
    if (!discontinuity->detected) return false;
    if (t + 1.01 * h < discontinuity->interval_end &&
        change < cd_jump_persistent_fraction / 2 * discontinuity->change_max)
        return false; // the change is still ahead
    discontinuity->nclustered =
        t - discontinuity->last_t < cd_jump_cluster_distance * h ? discontinuity->nclustered + 1 : 0;
    discontinuity->last_t = t + h;
    clear_detection(discontinuity);
    return true;
}
