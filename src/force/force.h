// SPDX-License-Identifier: BSD-3-Clause
// Force elements. A type turns the state of its markers (or its joint) into wrenches on links or efforts along
// coordinates; one that stores energy also says how much and how fast it changes.
// What changes how fast is known where the push is, so that `apply` says it beside, and the power costs no second look.
// To add one: write src/force/force_<name>.c over `real` and add its row to force_types.def.
#pragma once

#include "kinematics/world.h"

#include <cardan/describe.h>

typedef struct cd_force_input {
    const cardan_model* m;
    const cd_world*     world;
    const real*         component;  // (3) formulas of this element, evaluated
} cd_force_input;

typedef struct cd_force_effect {
    spatial* wrench;  // (nlink) world axes, at the link's origin
    real*    effort;  // (nv)
    real*    storing; // [W] rate of the energy that is stored, added where it is wanted; else NULL
} cd_force_effect;

typedef struct cd_force_type {
    const char* name;
    const char* summary;
    const char* fields;  // what it reads, for `cardan list forces`
    bool        joint;   // acts along a coordinate of a joint
    void (*apply)(const cardan_force* force, const cd_force_input* input, cd_force_effect* effect);
    // Stored energy [J] and its rate [W]; absent where nothing is stored.
    void (*store)(const cardan_force* force, const cd_force_input* input, real* energy, real* rate);
} cd_force_type;

int                  cd_force_type_count(void);
const cd_force_type* cd_force_type_at(int i);
const cd_force_type* cd_force_type_find(const char* name);

// A marker in the world. CARDAN_NONE is ground.
typedef struct cd_marker_state {
    int  link;
    vec3 p, v, w;
    mat3 R;
} cd_marker_state;

static inline cd_marker_state cd_marker_state_of(const cardan_model* m, const cd_world* world, int marker)
{
    if (marker == CARDAN_NONE) marker = 0;  // the first marker is ground
    const cd_attached* at = &m->marker[marker];
    const frame        T  = world->pose[at->link];
    const spatial      V  = world->velocity[at->link];
    const vec3         r  = m3_mul(T.R, v3_lift(at->p));
    return (cd_marker_state){at->link, v3_add(T.p, r), v3_add(V.l, v3_cross(V.a, r)), V.a, m3_mul_m3(T.R, m3_lift(at->R))};
}

// Add force f at the point p of the world and a moment n to a link; ground takes everything.
static inline void cd_push(const cd_force_input* input, cd_force_effect* effect, int link, vec3 p, vec3 f, vec3 n)
{
    if (link < 0) return;
    const vec3 r        = v3_sub(p, input->world->pose[link].p);
    effect->wrench[link] = sv_add(effect->wrench[link], (spatial){v3_add(n, v3_cross(r, f)), f});
}
