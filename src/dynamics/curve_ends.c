// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/curve_ends.h"

#include "constraint/curve.h"

#include <math.h>
#include <stdio.h>

static const double at_end = 1e-8; // of the range of parameters: so near a point is at the end

const char* cd_curve_rider(const cardan_data* d, const cd_constraint* c)
{
    return c->body[1] == CARDAN_GROUND ? "ground" : d->m->view.body[c->body[1]].name;
}

void cd_curve_place(const cardan_curve* curve, double u, char text[80])
{
    const vec3 p = cd_curve_at(curve, u).p;
    snprintf(text, 80, "[%.4g, %.4g, %.4g] m", p.x, p.y, p.z);
}

vec3 cd_curve_velocity(cardan_data* d, const cd_constraint* c)
{
    cd_know_world(d);
    const cd_end end[2] = {cd_end_of(&c->end[0], &d->world), cd_end_of(&c->end[1], &d->world)};
    return m3_tmul(end[0].T.R, cd_apart_of(end).s);
}

bool cd_curve_has_ends(const cd_constraint* c) { return c->curve && !c->driven && !cd_curve_wraps(c->curve); }

// The end that the point is beyond; NAN: none. Who is held is where he is held.
static double beyond(cardan_data* d, int i)
{
    const cd_constraint* c      = &d->closure.constraint[i];
    const double*        memory = d->closure.memory + i * CD_MEMORY;
    double               first, last;
    cd_know_closure(d);
    cd_curve_domain(c->curve, &first, &last);
    if (cd_is_held(memory)) return memory[3] <= first ? first : memory[2] >= last ? last : NAN;
    const double near = at_end * (last - first), u = memory[0], end = u - first < last - u ? first : last,
                 out = end == first ? first - u : u - last;
    if (out > near) return end;
    const vec3   T = cd_curve_at(c->curve, end).p1;
    const double v = v3_dot(cd_curve_velocity(d, c), T), least = at_end * v3_dot(T, T);
    return out >= -near && (end == first ? -v : v) > least ? end : NAN;
}

void cd_warn_beyond(cardan_data* d, bool* told, cardan_report* report)
{
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        char                 place[80];
        if (!cd_curve_has_ends(c) || (told && told[i])) continue;
        const double end = beyond(d, i);
        if (isnan(end)) continue;
        cd_curve_place(c->curve, end, place);
        if (told) told[i] = true;
        cardan_warn(report, CARDAN_CODE_CURVE_END, c->place,
                    "%s '%s': at t = %.9g s '%s' is beyond the end %s of its curve, which goes on straight there",
                    c->what, c->name, d->t, cd_curve_rider(d, c), place);
    }
}
