// SPDX-License-Identifier: BSD-3-Clause
// Signals at a state. Those of markers are a's in the axes of b: position, velocity as b sees it, angular velocity; distance and its rate;
// angle about axis i of b: where the next axis j of a points in the plane of j and k.
#include "force/signals.h"

static real marker_signal(const cd_signal_source* f, const cardan_signal* s)
{
    const cd_marker_state a = cd_marker_state_of(f->m, f->world, s->a), b = cd_marker_state_of(f->m, f->world, s->b);
    const vec3            r = v3_sub(a.p, b.p), v = v3_sub(a.v, b.v);
    const real            length = r_sqrt(v3_dot(r, r));
    switch (s->kind) {
    case CARDAN_SIGNAL_POSITION: return v3_component(m3_tmul(b.R, r), s->component);
    case CARDAN_SIGNAL_VELOCITY: return v3_component(m3_tmul(b.R, v3_sub(v, v3_cross(b.w, r))), s->component);
    case CARDAN_SIGNAL_ANGULAR_VELOCITY: return v3_component(m3_tmul(b.R, v3_sub(a.w, b.w)), s->component);
    case CARDAN_SIGNAL_DISTANCE: return length;
    case CARDAN_SIGNAL_DISTANCE_RATE: return r_value(length) > 0 ? r_div(v3_dot(r, v), length) : r_lift(0);
    default: break;
    }
    const int  i = s->component, j = (i + 1) % 3, k = (i + 2) % 3;
    const vec3 seen = m3_tmul(b.R, m3_column(a.R, j));
    return r_atan2(v3_component(seen, k), v3_component(seen, j));
}

real cd_signal_value(const cd_signal_source* f, const cardan_signal* s)
{
    switch (s->kind) {
    case CARDAN_SIGNAL_TIME: return f->t;
    case CARDAN_SIGNAL_STATE: return f->state[s->a];
    case CARDAN_SIGNAL_COORDINATE: return f->q[f->m->place[s->a].q + s->component];
    case CARDAN_SIGNAL_EFFORT: return f->effort ? f->effort[f->m->place[s->a].v + s->component] : r_lift(0);
    case CARDAN_SIGNAL_ACCELERATION: return r_lift(0);  // not known at a state; tasks have their own
    case CARDAN_SIGNAL_SPEED: return f->v[f->m->place[s->a].v + s->component];
    default: return marker_signal(f, s);
    }
}
