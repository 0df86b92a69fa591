// SPDX-License-Identifier: BSD-3-Clause
// Rates of the contact frame while the features that touch remain (cd_contact_derivative):
//
//   n' = N (V_A, V_B),   c' = C (V_A, V_B)         V: twist of the body at the point c
//   t1 = w/|w|, w = n x e_k:   t1' = (w' - t1 (t1.w'))/|w|,   t2' = n' x t1 + n x t1'
//
// A vertex x with the radius r around it on a plane, the most frequent contact, has the closed form (A: the vertex)
//
//   n' = w_B x n,   g' = n.(v_A - v_B),   c = x - (r + g/2) n
//
// Where they have no derivative, as for parallel lines, the point is taken as fixed to A and the normal as fixed to B.
#include "contact/scene/contact_set.h"

#include "contact/shape/shape.h"

static void put3(vec3 v, double x[3])
{
    for (int i = 0; i < 3; ++i) x[i] = v3_component(v, i);
}

// Twist of a link at the point c: angular velocity, velocity of its material point there.
static spatial twist_at(const cd_world_motion* world, int link, const double point[3])
{
    const spatial V = world->velocity[link];
    return (spatial){V.a, v3_add(V.l, v3_cross(V.a, v3_sub(v3_const(point), world->pose[link].p)))};
}

spatial cd_contact_relative_velocity(const cd_contact* c, const cd_world_motion* world)
{
    const spatial A = twist_at(world, c->link[0], c->point), B = twist_at(world, c->link[1], c->point);
    return (spatial){v3_sub(A.a, B.a), v3_sub(A.l, B.l)};
}

static void tangent_rates(const cd_contact* c, cd_contact_frame_rate* rate)
{
    const d3     n = d3_of(c->normal), t = d3_of(c->tangent[0]), ndot = d3_of(rate->normal);
    const d3     axis = d3_axis(d3_smallest(n)), wdot = d3_cross(ndot, axis);
    const double size = d3_norm(d3_cross(n, axis));
    const d3     tdot = d3_scale(1 / size, d3_add_scaled(wdot, -d3_dot(t, wdot), t));
    d3_put(tdot, rate->tangent[0]);
    d3_put(d3_add(d3_cross(ndot, t), d3_cross(n, tdot)), rate->tangent[1]);
}

static vec3 velocity_of(const cd_world_motion* world, int link, vec3 point)
{
    const spatial V = world->velocity[link];
    return v3_add(V.l, v3_cross(V.a, v3_sub(point, world->pose[link].p)));
}

// Rates of a vertex with its radius on a plane, whichever of them is A; false if it is something else.
static bool vertex_on_plane(const cd_contact* c, const cd_scene_shape* const shape[2], const cd_world_motion* world,
                            cd_contact_frame_rate* rate)
{
    const int      plane = shape[0]->geometry.kind == CD_SHAPE_PLANE ? 0 : 1, own = 1 - plane;
    const uint32_t feature = own == 0 ? (uint32_t)(c->found_key >> 32) : (uint32_t)c->found_key;
    if (c->lost || shape[plane]->geometry.kind != CD_SHAPE_PLANE || cd_feature_kind_of(feature) != CD_FEATURE_VERTEX)
        return false;
    const double radius = cd_shape_type_of(&shape[own]->geometry)->offset(&shape[own]->geometry);
    const vec3   up = v3_scale(own == 0 ? 1 : -1, v3_const(c->normal)), point = v3_const(c->point);
    const vec3   x     = v3_add_scaled(v3_const(own == 0 ? c->a : c->b), radius, up);
    const vec3   updot = v3_cross(world->velocity[c->link[plane]].a, up);
    const double gdot =
        v3_dot(up, v3_sub(velocity_of(world, c->link[own], point), velocity_of(world, c->link[plane], point)));
    const vec3 cdot = v3_sub(velocity_of(world, c->link[own], x),
                             v3_add(v3_scale(radius + c->gap / 2, updot), v3_scale(gdot / 2, up)));
    put3(v3_scale(own == 0 ? 1 : -1, updot), rate->normal);
    put3(cdot, rate->point);
    tangent_rates(c, rate);
    return true;
}

void cd_contact_frame_rate_of(const cd_contact_set* set, const cd_contact* c, const cd_world_motion* world,
                              cd_contact_frame_rate* rate)
{
    const cd_scene_shape *A = &set->scene->shape[set->scene->pair[c->pair].shape[0]],
                         *B = &set->scene->shape[set->scene->pair[c->pair].shape[1]];
    if (vertex_on_plane(c, (const cd_scene_shape* const[2]){A, B}, world, rate)) return;
    const cd_shape_pose pose_A = cd_scene_shape_pose(A, world), pose_B = cd_scene_shape_pose(B, world);
    const spatial       V_A = twist_at(world, c->link[0], c->point), V_B = twist_at(world, c->link[1], c->point);
    cd_contact_point    point = {.gap = c->gap, .key = c->found_key, .doubtful = c->doubtful};
    cd_contact_rates    rates;
    memcpy(point.a, c->a, sizeof point.a);
    memcpy(point.b, c->b, sizeof point.b);
    memcpy(point.normal, c->normal, sizeof point.normal);
    if (!c->lost && cd_contact_derivative(&A->geometry, &pose_A, &B->geometry, &pose_B, &point, &rates)) {
        double V[12];
        put3(V_A.a, V), put3(V_A.l, V + 3), put3(V_B.a, V + 6), put3(V_B.l, V + 9);
        for (int i = 0; i < 3; ++i) {
            rate->normal[i] = rate->point[i] = 0;
            for (int k = 0; k < 12; ++k) {
                rate->normal[i] += rates.normal[i][k] * V[k];
                rate->point[i] += rates.point[i][k] * V[k];
            }
        }
    } else {
        put3(v3_cross(V_B.a, v3_const(c->normal)), rate->normal);
        put3(V_A.l, rate->point);
    }
    tangent_rates(c, rate);
}
