// SPDX-License-Identifier: BSD-3-Clause
// Force elements. A type converts the state of its markers (or its joint) into wrenches on links or efforts along
// coordinates; a type that stores energy also provides the energy and its rate. `apply` computes the rate together with
// the force, so that the power needs no second evaluation. To add a type: write src/force/force_<name>.c over `real`
// and add its entry to force_types.def.
#pragma once

#include "kinematics/world_motion.h"

#include <cardan/describe.h>

typedef struct cd_force_input {
    const cardan_model*    m;
    const cd_world_motion* world;
    const real*            component; // (3) values of the formulas of this element
} cd_force_input;

typedef struct cd_force_effect {
    spatial* wrench;       // (nlink) world axes, at the link's origin
    real*    effort;       // (nv)
    real*    stored_power; // [W] rate of the stored energy, added; NULL: not needed
} cd_force_effect;

typedef struct cd_force_type {
    const char* name;
    const char* summary;
    const char* fields;        // fields of the description that it uses, for `cardan list forces`
    bool        acts_on_joint; // acts along a coordinate of a joint
    void (*apply)(const cardan_force* force, const cd_force_input* input, cd_force_effect* effect);
    // Stored energy [J] and its rate [W]; NULL if it stores none.
    void (*stored_energy)(const cardan_force* force, const cd_force_input* input, real* energy, real* rate);
} cd_force_type;

int                  cd_force_type_count(void);
const cd_force_type* cd_force_type_at(int i);
const cd_force_type* cd_force_type_find(const char* name);

// Frame of a marker; marker 0 is ground, and so is CARDAN_NONE.
static inline const cd_link_frame* cd_marker_frame(const cardan_model* m, int marker)
{
    return &m->marker[marker == CARDAN_NONE ? 0 : marker];
}

// State of a marker in the world.
typedef struct cd_marker_state {
    int  link;
    vec3 p, v, w;
    mat3 R;
} cd_marker_state;

static inline cd_marker_state cd_marker_state_of(const cardan_model* m, const cd_world_motion* world, int marker)
{
    const cd_link_frame* at = cd_marker_frame(m, marker);
    const frame          T  = world->pose[at->link];
    const spatial        V  = world->velocity[at->link];
    const vec3           r  = m3_mul(T.R, v3_const(at->p));
    return (cd_marker_state){at->link, v3_add(T.p, r), v3_add(V.l, v3_cross(V.a, r)), V.a,
                             m3_mul_m3(T.R, m3_const(at->R))};
}

// The part of it that forces between points need; its axes alone.
typedef struct cd_marker_point {
    int  link;
    vec3 p, v;
} cd_marker_point;

static inline cd_marker_point cd_marker_point_of(const cardan_model* m, const cd_world_motion* world, int marker)
{
    const cd_link_frame* at = cd_marker_frame(m, marker);
    const frame*         T  = &world->pose[at->link];
    const spatial        V  = world->velocity[at->link];
    const vec3           r  = m3_mul(T->R, v3_const(at->p));
    return (cd_marker_point){at->link, v3_add(T->p, r), v3_add(V.l, v3_cross(V.a, r))};
}

static inline mat3 cd_marker_axes(const cardan_model* m, const cd_world_motion* world, int marker)
{
    const cd_link_frame* at = cd_marker_frame(m, marker);
    return m3_mul_m3(world->pose[at->link].R, m3_const(at->R));
}

static inline vec3 cd_marker_angular_velocity(const cardan_model* m, const cd_world_motion* world, int marker)
{
    return world->velocity[cd_marker_frame(m, marker)->link].a;
}

// Add force f at the point p of the world and a moment n to a link; wrenches on ground are ignored.
static inline void cd_add_force_at_point(const cd_force_input* input, cd_force_effect* effect, int link, vec3 p, vec3 f,
                                         vec3 n)
{
    if (link < 0) return;
    const vec3 r         = v3_sub(p, input->world->pose[link].p);
    effect->wrench[link] = sv_add(effect->wrench[link], (spatial){v3_add(n, v3_cross(r, f)), f});
}

// Add a moment n to a link.
static inline void cd_add_moment(cd_force_effect* effect, int link, vec3 n)
{
    if (link >= 0) effect->wrench[link].a = v3_add(effect->wrench[link].a, n);
}
