// SPDX-License-Identifier: BSD-3-Clause
// Laws along the coordinates of joints.
//
//   spring     -k (q - rest)                              stored: k (q - rest)^2 / 2
//   damper     -c v
//   friction   -f tanh(v / vs),  f forward or backward by the sign of v
//   stop       -k x - c v, x how far beyond the limit, never pulling      stored: k x^2 / 2
//
// A run holds the side of every stop within a step and changes it at located events, so that its forces are smooth there.
//
// Along a quaternion the coordinate is the component of the rotation vector, and an elastic effort is the gradient of its
// energy (force/rotation_vector.h).
#include "dynamics/data.h"
#include "force/rotation_vector.h"

#include <math.h>

// Coordinate of a law, its rate, and the direction of its effort in v (one component, or three for a quaternion).
typedef struct along {
    double x, rate;
    vec3   direction;
    int    v0;  // first velocity of the quaternion's triple; CARDAN_NONE for a plain coordinate
} along;

static along along_of(const cd_law* law, const double* q, const double* v)
{
    if (law->ball == CARDAN_NONE) return (along){q[law->q], v[law->v], v3_zero(), CARDAN_NONE};
    const vec3  theta = rotation_vector(q + law->ball);
    const vec3  unit  = v3(law->component == 0, law->component == 1, law->component == 2);
    const int   v0    = law->v - law->component;
    const vec3  g     = rotation_moment(theta, unit, -1);
    return (along){v3_dot(unit, theta), v3_dot(g, v3(v[v0], v[v0 + 1], v[v0 + 2])), g, v0};
}

static void push(const cd_law* law, const along* s, double effort, double* tau)
{
    if (s->v0 == CARDAN_NONE) {
        tau[law->v] += effort;
        return;
    }
    tau[s->v0] += effort * s->direction.x;
    tau[s->v0 + 1] += effort * s->direction.y;
    tau[s->v0 + 2] += effort * s->direction.z;
}

// The stop as the state itself tells it.
static cd_stop stop_at(const cardan_axis* a, double x, double rate)
{
    const int    side = x > a->upper ? +1 : x < a->lower ? -1 : 0;
    const double over = side > 0 ? x - a->upper : x - a->lower;
    return (cd_stop){side, side * (a->stop_stiffness * over + a->stop_damping * rate) <= 0};
}

static double beyond(const cardan_axis* a, cd_stop stop, double x)
{
    return stop.side > 0 ? x - a->upper : stop.side < 0 ? x - a->lower : 0;
}

static double stop_effort(const cardan_axis* a, cd_stop stop, double x, double rate)
{
    if (stop.side == 0 || stop.slack || a->stop_stiffness == 0) return 0;
    return -a->stop_stiffness * beyond(a, stop, x) - a->stop_damping * rate;
}

void cd_law_along(const cd_law* law, const double* q, const double* v, double* x, double* rate)
{
    const along s = along_of(law, q, v);
    *x            = s.x;
    *rate         = s.rate;
}

static bool pushes(const cardan_axis* a)
{
    return a->stiffness != 0 || a->damping != 0 || a->friction_forward != 0 || a->friction_backward != 0 || a->stop_stiffness != 0;
}

bool cd_laws_push(const cardan_model* m, bool measured)
{
    for (int i = 0; i < m->nlaw; ++i)
        if (pushes(&m->law[i].axis_law) && (!measured || m->law[i].v >= m->nv)) return true;
    return false;
}

void cd_laws_apply(const cardan_model* m, const double* q, const double* v, const cd_stop* held, double* effort)
{
    for (int i = 0; i < m->nlaw; ++i) {
        const cd_law*      law = &m->law[i];
        const cardan_axis* a   = &law->axis_law;
        if (!pushes(a)) continue;
        const along        s   = along_of(law, q, v);
        const double       speed = v[law->v];
        const double       level = speed > 0 ? a->friction_forward : a->friction_backward;
        effort[law->v] -= a->damping * speed + (level != 0 ? level * tanh(speed / a->friction_speed) : 0);
        const cd_stop      stop  = held ? held[i] : stop_at(a, s.x, s.rate);
        push(law, &s, stop_effort(a, stop, s.x, s.rate) - a->stiffness * (s.x - a->rest), effort);
    }
}

void cd_laws_store(const cardan_model* m, const double* q, const double* v, const cd_stop* held, double* energy, double* rate)
{
    for (int i = 0; i < m->nlaw; ++i) {
        const cd_law*      law  = &m->law[i];
        const cardan_axis* a    = &law->axis_law;
        if (a->stiffness == 0 && a->stop_stiffness == 0) continue;
        const along        s    = along_of(law, q, v);
        const cd_stop      stop = held ? held[i] : stop_at(a, s.x, s.rate);
        const double       x    = s.x - a->rest, over = beyond(a, stop, s.x);
        *energy += a->stiffness * x * x / 2 + a->stop_stiffness * over * over / 2;
        *rate += (a->stiffness * x + a->stop_stiffness * over) * s.rate;
    }
}
