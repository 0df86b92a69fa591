// SPDX-License-Identifier: BSD-3-Clause
// Laws along the coordinates of joints.
//
//   spring     -k (q - rest)                              stored: k (q - rest)^2 / 2
//   damper     -c v
//   friction   -f tanh(v / vs),  f forward or backward by the sign of v
//   stop       -k x - c v, x how far beyond the limit, never pulling      stored: k x^2 / 2
//
// A run holds the side of every stop within a step and changes it at located events, so that its forces are smooth
// there.
//
// Along a quaternion the coordinate is the component of the rotation vector, and an elastic effort is the gradient of
// its energy (force/rotation_vector.h).
#include "force/laws.h"

#include "force/rotation_vector.h"

// Coordinate of a law, its rate, and the direction of its effort in v (one component, or three for a quaternion).
typedef struct along {
    real x, rate;
    vec3 direction;
    int  v0; // first velocity of the quaternion's triple; CARDAN_NONE for a plain coordinate
} along;

static along along_of(const cd_law* law, const real* q, const real* v)
{
    if (law->ball == CARDAN_NONE) return (along){q[law->q], v[law->v], v3_zero(), CARDAN_NONE};
    const vec3 theta = rotation_vector(q + law->ball);
    const vec3 unit  = v3_unit(law->component);
    const int  v0    = law->v - law->component;
    const vec3 g     = rotation_moment(theta, unit, -1);
    return (along){v3_dot(unit, theta), v3_dot(g, v3(v[v0], v[v0 + 1], v[v0 + 2])), g, v0};
}

static void push(const cd_law* law, const along* s, real effort, real* tau)
{
    if (s->v0 == CARDAN_NONE) {
        tau[law->v] = r_add(tau[law->v], effort);
        return;
    }
    for (int i = 0; i < 3; ++i) tau[s->v0 + i] = r_add(tau[s->v0 + i], r_mul(effort, v3_component(s->direction, i)));
}

// How far beyond the limit of a side.
static real beyond(const cardan_axis* a, int side, real x)
{
    return side > 0 ? r_sub(x, r_lift(a->upper)) : side < 0 ? r_sub(x, r_lift(a->lower)) : r_lift(0);
}

static real stop_force(const cardan_axis* a, int side, real x, real rate)
{
    return r_add(r_times(a->stop_stiffness, beyond(a, side, x)), r_times(a->stop_damping, rate));
}

// The stop as the state itself tells it.
static cd_stop stop_at(const cardan_axis* a, real x, real rate)
{
    const int side = r_value(x) > a->upper ? +1 : r_value(x) < a->lower ? -1 : 0;
    return (cd_stop){side, side * r_value(stop_force(a, side, x, rate)) <= 0};
}

static real stop_effort(const cardan_axis* a, cd_stop stop, real x, real rate)
{
    return stop.side == 0 || stop.slack ? r_lift(0) : r_neg(stop_force(a, stop.side, x, rate));
}

// The same with choices that stay choices: beyond a limit, and never pulling.
static real stop_chosen(const cardan_axis* a, real x, real rate)
{
    const real zero = r_lift(0), above = stop_force(a, 1, x, rate), below = stop_force(a, -1, x, rate);
    const real down = r_pick(zero, above, r_neg(above), zero), up = r_pick(below, zero, r_neg(below), zero);
    return r_pick(r_lift(a->upper), x, down, r_pick(x, r_lift(a->lower), up, zero));
}

void cd_law_along(const cd_law* law, const real* q, const real* v, real* x, real* rate)
{
    const along s = along_of(law, q, v);
    *x            = s.x;
    *rate         = s.rate;
}

static bool pushes(const cardan_axis* a)
{
    return a->stiffness != 0 || a->damping != 0 || a->friction_forward != 0 || a->friction_backward != 0 ||
           a->stop_stiffness != 0;
}

bool cd_laws_push(const cardan_model* m, bool measured)
{
    for (int i = 0; i < m->nlaw; ++i)
        if (pushes(&m->law[i].axis_law) && (!measured || m->law[i].v >= m->nv)) return true;
    return false;
}

// Damper and friction.
static real resistance(const cardan_axis* a, real speed)
{
    const real damper = r_times(a->damping, speed);
    if (a->friction_forward == 0 && a->friction_backward == 0) return damper;
    const real level = r_pick(r_lift(0), speed, r_lift(a->friction_forward), r_lift(a->friction_backward));
    return r_add(damper, r_mul(level, r_tanh(r_div(speed, r_lift(a->friction_speed)))));
}

void cd_laws_apply(const cardan_model* m, const real* q, const real* v, const cd_stop* held, real* effort)
{
    for (int i = 0; i < m->nlaw; ++i) {
        const cd_law*      law = &m->law[i];
        const cardan_axis* a   = &law->axis_law;
        if (!pushes(a)) continue;
        const along s  = along_of(law, q, v);
        real        F  = r_times(-a->stiffness, r_sub(s.x, r_lift(a->rest)));
        effort[law->v] = r_sub(effort[law->v], resistance(a, v[law->v]));
        if (a->stop_stiffness != 0 && (held || r_decides()))
            F = r_add(F, stop_effort(a, held ? held[i] : stop_at(a, s.x, s.rate), s.x, s.rate));
        else if (a->stop_stiffness != 0)
            F = r_add(F, stop_chosen(a, s.x, s.rate));
        push(law, &s, F, effort);
    }
}

void cd_laws_store(const cardan_model* m, const real* q, const real* v, const cd_stop* held, real* energy, real* rate)
{
    for (int i = 0; i < m->nlaw; ++i) {
        const cd_law*      law = &m->law[i];
        const cardan_axis* a   = &law->axis_law;
        if (a->stiffness == 0 && a->stop_stiffness == 0) continue;
        const along   s    = along_of(law, q, v);
        const cd_stop stop = held ? held[i] : stop_at(a, s.x, s.rate);
        const real    x = r_sub(s.x, r_lift(a->rest)), over = beyond(a, stop.side, s.x);
        const real    F = r_add(r_times(a->stiffness, x), r_times(a->stop_stiffness, over));
        *energy         = r_add(*energy, r_times(0.5, r_add(r_times(a->stiffness, r_mul(x, x)),
                                                            r_times(a->stop_stiffness, r_mul(over, over)))));
        *rate           = r_add(*rate, r_mul(F, s.rate));
    }
}
