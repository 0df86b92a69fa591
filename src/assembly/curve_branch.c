// SPDX-License-Identifier: BSD-3-Clause
// Choice of the branch at a self-intersection of a curve: the one whose tangent fits the velocity of the point best.
#include "assembly/curve_branch.h"
#include "assembly/assembly_tolerances.h"

#include "constraint/curve/curve.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/curve_domain.h"
#include "dynamics/state.h"

#include <math.h>
#include <stdio.h>

enum { SEARCH_POINTS = 32, MAX_BRANCHES = 4 }; // per control point; branches that are distinguished

static vec3 unit_tangent(const cardan_curve* curve, double u)
{
    const vec3   p    = cd_curve_evaluate(curve, u).p1;
    const double size = sqrt(v3_dot(p, p));
    return size > 0 ? v3_div(p, size) : p;
}

static double normal_component(vec3 T, vec3 v)
{
    const vec3 n = v3_cross(T, v);
    return sqrt(v3_dot(n, n));
}

static double distance_to_curve(const cardan_curve* curve, double u, vec3 x)
{
    const vec3 d = v3_sub(cd_curve_evaluate(curve, u).p, x);
    return sqrt(v3_dot(d, d));
}

static bool is_new_branch(const cardan_curve* curve, double u, int count, const double* branch)
{
    double first, last;
    cd_curve_domain(curve, &first, &last);
    const double range = last - first;
    if (!cd_curve_is_periodic(curve) && (u < first || u > last)) return false;
    for (int i = 0; i < count; ++i) {
        const double revolutions = (u - branch[i]) / range,
                     difference  = cd_curve_is_periodic(curve) ? revolutions - round(revolutions) : revolutions;
        if (fabs(difference) < cd_min_curve_branch_difference ||
            normal_component(unit_tangent(curve, u), unit_tangent(curve, branch[i])) < cd_min_curve_branch_difference)
            return false;
    }
    return true;
}

// Branches through x, branch[0] is given: foot points near other local minima of the distance.
static int branches_at(const cardan_curve* curve, vec3 x, double tolerance, double branch[MAX_BRANCHES])
{
    const int npoint = SEARCH_POINTS * curve->npoint;
    int       count  = 1;
    double    first, last;
    cd_curve_domain(curve, &first, &last);
    const double step   = (last - first) / npoint;
    double       before = INFINITY, now = distance_to_curve(curve, first, x);
    for (int i = 0; i <= npoint && count < MAX_BRANCHES; ++i) {
        const double after = i < npoint ? distance_to_curve(curve, first + (i + 1) * step, x) : INFINITY;
        if (now <= before && now <= after) {
            const double u = cd_curve_foot_point(curve, cd_curve_full_segment, x, first + i * step, false);
            if (distance_to_curve(curve, u, x) < tolerance && is_new_branch(curve, u, count, branch))
                branch[count++] = u;
        }
        before = now;
        now    = after;
    }
    return count;
}

static void warn_ambiguous_branch(const cardan_data* d, const cd_constraint* c, double chosen, double other,
                                  cardan_report* report)
{
    const vec3 T = unit_tangent(c->curve, chosen), S = unit_tangent(c->curve, other);
    char       position[80];
    cd_format_curve_point(c->curve, chosen, position);
    cardan_warn(report, CARDAN_CODE_CURVE_BRANCH, c->location,
                "%s '%s': at t = %.9g s '%s' is where its curve crosses itself, at %s: the branch along [%.3g, %.3g, "
                "%.3g] is chosen, another is that along [%.3g, %.3g, %.3g]; give a start velocity to choose",
                c->category, c->name, d->t, cd_curve_follower_name(d, c), position, T.x, T.y, T.z, S.x, S.y, S.z);
}

void cd_choose_curve_branches(cardan_data* d, cardan_report* report)
{
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c       = &d->constraints.constraint[i];
        double*              history = d->constraints.history + i * CD_CONSTRAINT_HISTORY_SIZE;
        if (!c->curve || c->driven_rows || cd_has_curve_segment(history)) continue;
        cd_update_constraint_values(d);
        const cd_end_state end[2]    = {cd_end_state_of(&c->end[0], &d->world), cd_end_state_of(&c->end[1], &d->world)};
        const vec3         x         = m3_tmul(end[0].T.R, v3_sub(end[1].T.p, end[0].T.p));
        const double       tolerance = cd_on_curve_tolerance * c->parameter[0];
        double             branch[MAX_BRANCHES] = {history[0]};
        if (!(distance_to_curve(c->curve, history[0], x) < tolerance)) continue;
        const int    count = branches_at(c->curve, x, tolerance, branch);
        const vec3   v     = cd_curve_follower_velocity(d, c);
        const double least = cd_velocity_tie_tolerance * sqrt(v3_dot(v, v));
        int          best = 0, second = CARDAN_NONE;
        for (int k = 1; k < count; ++k) {
            const double gain = normal_component(unit_tangent(c->curve, branch[best]), v) -
                                normal_component(unit_tangent(c->curve, branch[k]), v);
            if (gain > least)
                best = k, second = CARDAN_NONE;
            else if (gain >= -least)
                second = k;
        }
        if (best > 0) {
            history[0] = branch[best];
            cd_invalidate_rows(d);
        }
        if (second != CARDAN_NONE) warn_ambiguous_branch(d, c, branch[best], branch[second], report);
    }
}
