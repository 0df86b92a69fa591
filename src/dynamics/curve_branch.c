// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/curve_branch.h"

#include "constraint/curve.h"
#include "dynamics/curve_ends.h"

#include <math.h>
#include <stdio.h>

enum { SAMPLES = 32, BRANCHES = 4 }; // per control point; that are told apart

static const double here  = 1e-9; // of the curve's extent: so near a branch goes through the point
static const double apart = 1e-6; // of the range of parameters, and as a sine: branches that differ
static const double even  = 1e-6; // of the velocity: it fits two branches alike

static vec3 direction(const cardan_curve* curve, double u)
{
    const vec3   p    = cd_curve_at(curve, u).p1;
    const double size = sqrt(v3_dot(p, p));
    return size > 0 ? v3_over(p, size) : p;
}

static double length_across(vec3 T, vec3 v)
{
    const vec3 n = v3_cross(T, v);
    return sqrt(v3_dot(n, n));
}

static double away(const cardan_curve* curve, double u, vec3 x)
{
    const vec3 d = v3_sub(cd_curve_at(curve, u).p, x);
    return sqrt(v3_dot(d, d));
}

static bool is_new(const cardan_curve* curve, double u, int count, const double* branch)
{
    double first, last;
    cd_curve_domain(curve, &first, &last);
    const double range = last - first;
    if (!cd_curve_wraps(curve) && (u < first || u > last)) return false;
    for (int i = 0; i < count; ++i) {
        const double turns = (u - branch[i]) / range, off = cd_curve_wraps(curve) ? turns - round(turns) : turns;
        if (fabs(off) < apart || length_across(direction(curve, u), direction(curve, branch[i])) < apart) return false;
    }
    return true;
}

// Branches through x, of which branch[0] is known: feet of other places that are nearer than their neighbours.
static int branches_at(const cardan_curve* curve, vec3 x, double tolerance, double branch[BRANCHES])
{
    const int samples = SAMPLES * curve->npoint;
    int       count   = 1;
    double    first, last;
    cd_curve_domain(curve, &first, &last);
    const double step   = (last - first) / samples;
    double       before = INFINITY, now = away(curve, first, x);
    for (int i = 0; i <= samples && count < BRANCHES; ++i) {
        const double after = i < samples ? away(curve, first + (i + 1) * step, x) : INFINITY;
        if (now <= before && now <= after) {
            const double u = cd_curve_foot(curve, cd_curve_whole, x, first + i * step, false);
            if (away(curve, u, x) < tolerance && is_new(curve, u, count, branch)) branch[count++] = u;
        }
        before = now;
        now    = after;
    }
    return count;
}

static void tell(const cardan_data* d, const cd_constraint* c, double taken, double other, cardan_report* report)
{
    const vec3 T = direction(c->curve, taken), S = direction(c->curve, other);
    char       place[80];
    cd_curve_place(c->curve, taken, place);
    cardan_warn(report, CARDAN_CODE_CURVE_BRANCH, c->place,
                "%s '%s': at t = %.9g s '%s' is where its curve crosses itself, at %s: the branch along "
                "[%.3g, %.3g, %.3g] is taken, that along [%.3g, %.3g, %.3g] is another; a start velocity decides",
                c->what, c->name, d->t, cd_curve_rider(d, c), place, T.x, T.y, T.z, S.x, S.y, S.z);
}

void cd_take_branches(cardan_data* d, cardan_report* report)
{
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c      = &d->closure.constraint[i];
        double*              memory = d->closure.memory + i * CD_MEMORY;
        if (!c->curve || c->driven || cd_is_held(memory)) continue;
        cd_know_closure(d);
        const cd_end end[2]           = {cd_end_of(&c->end[0], &d->world), cd_end_of(&c->end[1], &d->world)};
        const vec3   x                = m3_tmul(end[0].T.R, v3_sub(end[1].T.p, end[0].T.p));
        const double tolerance        = here * c->parameter[0];
        double       branch[BRANCHES] = {memory[0]};
        if (!(away(c->curve, memory[0], x) < tolerance)) continue;
        const int    count = branches_at(c->curve, x, tolerance, branch);
        const vec3   v     = cd_curve_velocity(d, c);
        const double least = even * sqrt(v3_dot(v, v));
        int          best = 0, second = CARDAN_NONE;
        for (int k = 1; k < count; ++k) {
            const double gain =
                length_across(direction(c->curve, branch[best]), v) - length_across(direction(c->curve, branch[k]), v);
            if (gain > least)
                best = k, second = CARDAN_NONE;
            else if (gain >= -least)
                second = k;
        }
        if (best > 0) {
            memory[0] = branch[best];
            cd_forget_rows(d);
        }
        if (second != CARDAN_NONE) tell(d, c, branch[best], branch[second], report);
    }
}
