// SPDX-License-Identifier: BSD-3-Clause
// Driver functions that move markers along curves: around corners, and beyond the ends.
#include "driver/driver_evaluation.h"
#include "driver/driver_tolerances.h"

#include "constraint/curve/curve.h"

#include <math.h>

enum { WINDOWS = 1024 };

// Time at which the driver function passes `bound` between two times; NAN: never.
static double time_of_passing(cardan_data* d, int driver, double bound, cd_driver_evaluation a, cd_driver_evaluation b)
{
    const int direction = b.x[0] > a.x[0] ? 1 : -1;
    if (!(direction * (bound - a.x[0]) >= 0 && direction * (b.x[0] - bound) > cd_driver_jump_roundoff)) return NAN;
    for (int i = 0; i < CD_DRIVER_BISECTIONS; ++i) {
        const cd_driver_evaluation x                  = cd_evaluate_driver(d, driver, a.t + (b.t - a.t) / 2);
        *(direction * (x.x[0] - bound) > 0 ? &b : &a) = x;
    }
    return b.t;
}

// First time at which the driver function passes a corner of the curve, or with `ends` one of its ends; NAN: never.
static double time_of_corner_or_end(cardan_data* d, const cardan_curve* curve, int driver, bool ends, double from,
                                    double to)
{
    cd_driver_evaluation a = cd_evaluate_driver(d, driver, from);
    double               first, last, t = NAN;
    cd_curve_domain(curve, &first, &last);
    if (ends && (a.x[0] < first - cd_driver_jump_roundoff || a.x[0] > last + cd_driver_jump_roundoff)) return from;
    for (int k = 1; k <= WINDOWS && !isfinite(t); ++k) {
        const cd_driver_evaluation b =
            cd_evaluate_driver(d, driver, k == WINDOWS ? to : from + (to - from) / WINDOWS * k);
        const int direction = b.x[0] > a.x[0] ? 1 : -1;
        t                   = time_of_passing(d, driver,
                            !ends           ? cd_curve_next_corner(curve, true, a.x[0], direction)
                                              : direction > 0 ? last
                                                              : first,
                                              a, b);
        a                   = b;
    }
    return t;
}

void cd_warn_driven_curves(cardan_data* d, double from, double to, bool corners, cardan_report* report)
{
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        if (!c->curve || !c->driven_rows) continue;
        const double corner = corners && cd_curve_has_corner(c->curve, true)
                                  ? time_of_corner_or_end(d, c->curve, c->driver_number[0] - 1, false, from, to)
                                  : NAN;
        const double end    = cd_curve_is_periodic(c->curve)
                                  ? NAN
                                  : time_of_corner_or_end(d, c->curve, c->driver_number[0] - 1, true, from, to);
        if (isfinite(corner))
            cardan_warn(report, CARDAN_CODE_CURVE_CORNER, c->location,
                        "%s '%s': at t = %.9g s its driver function passes a corner of its curve, where velocities are "
                        "discontinuous: impulses act there that results do not contain; a curve of degree 2 or more "
                        "with simple knots has no corners",
                        c->category, c->name, corner);
        if (isfinite(end))
            cardan_warn(report, CARDAN_CODE_CURVE_END, c->location,
                        "%s '%s': from t = %.9g s on its driver function is beyond the end of its curve, which "
                        "continues as a straight line",
                        c->category, c->name, end);
    }
    cd_evaluate_drivers(d, d->t);
}
