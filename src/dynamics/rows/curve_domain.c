// SPDX-License-Identifier: BSD-3-Clause
// Points on open curves: detection of points beyond the ends, where the curve is continued straight.
#include "dynamics/rows/curve_domain.h"

#include "constraint/curve/curve.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"

#include <math.h>
#include <stdio.h>

const char* cd_curve_follower_name(const cardan_data* d, const cd_constraint* c)
{
    return c->body[1] == CARDAN_GROUND ? "ground" : d->m->view.body[c->body[1]].name;
}

void cd_format_curve_point(const cardan_curve* curve, double u, char text[80])
{
    const vec3 p = cd_curve_evaluate(curve, u).p;
    snprintf(text, 80, "[%.4g, %.4g, %.4g] m", p.x, p.y, p.z);
}

vec3 cd_curve_follower_velocity(cardan_data* d, const cd_constraint* c)
{
    cd_update_world(d);
    const cd_end_state end[2] = {cd_end_state_of(&c->end[0], &d->world), cd_end_state_of(&c->end[1], &d->world)};
    return m3_tmul(end[0].T.R, cd_relative_motion_of(end).s);
}

bool cd_needs_curve_end_check(const cd_constraint* c)
{
    return c->curve && !c->driven_rows && !cd_curve_is_periodic(c->curve);
}

// Parameter of the curve end that the point has passed, or NAN. A point assigned to a curve segment is judged by the
// limits of its segment.
static double end_passed(cardan_data* d, int i)
{
    const cd_constraint* c       = &d->constraints.constraint[i];
    const double*        history = d->constraints.history + i * CD_CONSTRAINT_HISTORY_SIZE;
    double               first, last;
    cd_update_constraint_values(d);
    cd_curve_domain(c->curve, &first, &last);
    if (cd_has_curve_segment(history)) return history[3] <= first ? first : history[2] >= last ? last : NAN;
    const double tolerance = cd_curve_end_tolerance * (last - first), u = history[0],
                 end = u - first < last - u ? first : last, distance_beyond = end == first ? first - u : u - last;
    if (distance_beyond > tolerance) return end;
    const vec3   T = cd_curve_evaluate(c->curve, end).p1;
    const double v = v3_dot(cd_curve_follower_velocity(d, c), T), least = cd_curve_end_rate * v3_dot(T, T);
    return distance_beyond >= -tolerance && (end == first ? -v : v) > least ? end : NAN;
}

void cd_warn_beyond_curve_end(cardan_data* d, bool* warned, cardan_report* report)
{
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        char                 position[80];
        if (!cd_needs_curve_end_check(c) || (warned && warned[i])) continue;
        const double end = end_passed(d, i);
        if (isnan(end)) continue;
        cd_format_curve_point(c->curve, end, position);
        if (warned) warned[i] = true;
        cardan_warn(report, CARDAN_CODE_CURVE_END, c->location,
                    "%s '%s': at t = %.9g s '%s' is beyond the end %s of its curve, which continues as a straight line",
                    c->category, c->name, d->t, cd_curve_follower_name(d, c), position);
    }
}
