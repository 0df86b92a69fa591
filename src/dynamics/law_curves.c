// SPDX-License-Identifier: BSD-3-Clause
// Laws that lead markers along curves: round corners, and beyond the ends.
#include "dynamics/law_moments.h"

#include "constraint/curve.h"

#include <math.h>

enum { WINDOWS = 1024 };

// A law goes by `bound` between two times: when; NAN: never.
static double goes_by(cardan_data* d, int law, double bound, cd_law_moment a, cd_law_moment b)
{
    const int way = b.x[0] > a.x[0] ? 1 : -1;
    if (!(way * (bound - a.x[0]) >= 0 && way * (b.x[0] - bound) > cd_unseen)) return NAN;
    for (int i = 0; i < CD_LAW_HALVINGS; ++i) {
        const cd_law_moment x                   = cd_moment_at(d, law, a.t + (b.t - a.t) / 2);
        *(way * (x.x[0] - bound) > 0 ? &b : &a) = x;
    }
    return b.t;
}

// First time between two at which a law leads round a corner of the curve, or with `ends` beyond its ends; NAN: never.
static double leads_over(cardan_data* d, const cardan_curve* curve, int law, bool ends, double from, double to)
{
    cd_law_moment a = cd_moment_at(d, law, from);
    double        first, last, t = NAN;
    cd_curve_domain(curve, &first, &last);
    if (ends && (a.x[0] < first - cd_unseen || a.x[0] > last + cd_unseen)) return from;
    for (int k = 1; k <= WINDOWS && !isfinite(t); ++k) {
        const cd_law_moment b   = cd_moment_at(d, law, k == WINDOWS ? to : from + (to - from) / WINDOWS * k);
        const int           way = b.x[0] > a.x[0] ? 1 : -1;
        t = goes_by(d, law, !ends ? cd_curve_next_corner(curve, true, a.x[0], way) : way > 0 ? last : first, a, b);
        a = b;
    }
    return t;
}

void cd_warn_curves(cardan_data* d, double from, double to, bool corners, cardan_report* report)
{
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        if (!c->curve || !c->driven) continue;
        const double corner = corners && cd_curve_has_corner(c->curve, true)
                                  ? leads_over(d, c->curve, c->law[0] - 1, false, from, to)
                                  : NAN;
        const double end    = cd_curve_wraps(c->curve) ? NAN : leads_over(d, c->curve, c->law[0] - 1, true, from, to);
        if (isfinite(corner))
            cardan_warn(report, CARDAN_CODE_CURVE_CORNER, c->place,
                        "%s '%s': at t = %.9g s its law leads round a corner of its curve, where velocities jump: "
                        "forces are infinite for an instant there, and results do not have "
                        "them; a curve of degree 2 or more with simple knots has no corners",
                        c->what, c->name, corner);
        if (isfinite(end))
            cardan_warn(
                report, CARDAN_CODE_CURVE_END, c->place,
                "%s '%s': from t = %.9g s on its law leads beyond the end of its curve, which goes on straight there",
                c->what, c->name, end);
    }
    cd_laws_at(d, d->t);
}
