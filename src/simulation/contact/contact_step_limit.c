// SPDX-License-Identifier: BSD-3-Clause
// Longest step that misses no contact. Gaps are computed at a few times in a step. Two shapes that approach with at
// most the speed V, at the distance g, cannot be on the other side of each other
//
//   - within the time g/V, nor
//   - if they move by less than the sum of their thicknesses between two times at which gaps are computed.
//
// V is that of the end of the last step, times a factor for the accelerations within the next one.
#include "contact/shape/shape.h"
#include "contact/vector3.h"
#include "dynamics/contacts/contacts.h"
#include "dynamics/data.h"
#include "simulation/contact/contact_run.h"
#include "simulation/simulation.h"

#include <math.h>

enum { SUBINTERVALS = 4 }; // of steps of adaptive methods (events.c)

// Smallest extent of a shape in any direction; surfaces have none, half spaces an infinite one.
static double thickness(const cd_shape_geometry* g)
{
    const cd_shape_type* type = cd_shape_type_of(g);
    if (g->mesh || g->field) return 0;
    if (!type->bounded) return INFINITY;
    const cd_shape_pose pose = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    double              lower[3], upper[3];
    cd_shape_bounds(g, &pose, lower, upper);
    return fmin(upper[0] - lower[0], fmin(upper[1] - lower[1], upper[2] - lower[2]));
}

// Upper bound of the relative speed of two shapes near each other.
static double relative_speed(const cd_contact_scene* scene, const cd_scene_pair* pair, const cd_world_motion* world)
{
    const cd_scene_shape *A = &scene->shape[pair->shape[0]], *B = &scene->shape[pair->shape[1]];
    const cd_shape_pose   pose[2]   = {cd_scene_shape_pose(A, world), cd_scene_shape_pose(B, world)};
    const double          radius[2] = {cd_shape_bounding_radius(&A->geometry), cd_shape_bounding_radius(&B->geometry)};
    const int             centre    = radius[0] <= radius[1] ? 0 : 1; // of the smaller shape
    const spatial *       VA = &world->velocity[A->frame.link], *VB = &world->velocity[B->frame.link];
    const vec3            x  = {pose[centre].p[0], pose[centre].p[1], pose[centre].p[2]};
    const vec3            va = v3_add(VA->l, v3_cross(VA->a, v3_sub(x, world->pose[A->frame.link].p))),
               vb            = v3_add(VB->l, v3_cross(VB->a, v3_sub(x, world->pose[B->frame.link].p)));
    const vec3 u = v3_sub(va, vb), w = v3_sub(VA->a, VB->a);
    return sqrt(v3_dot(u, u)) + sqrt(v3_dot(w, w)) * radius[centre];
}

double cd_contact_step_limit(cd_contact_run* run)
{
    cardan_data*            d     = run->s->system.data;
    const cd_contact_scene* scene = run->probe.scene;
    double                  limit = INFINITY;
    const int               times = run->s->integrator->is_adaptive ? SUBINTERVALS : 1;
    if (!scene) return limit;
    cd_update_world(d);
    cd_contact_set_search(d->m, &d->world, INFINITY, &run->probe);
    for (int i = 0; i < scene->npair; ++i) {
        const cd_scene_pair* pair = &scene->pair[i];
        double               gap  = INFINITY;
        const double         size =
            thickness(&scene->shape[pair->shape[0]].geometry) + thickness(&scene->shape[pair->shape[1]].geometry);
        if (isinf(size)) continue;
        const double speed = cd_contact_speed_margin * relative_speed(scene, pair, &d->world);
        for (int k = 0; k < run->probe.n; ++k)
            if (run->probe.contact[k].pair == i) gap = fmin(gap, run->probe.contact[k].gap);
        const double distance = fmax(gap, times * cd_contact_thickness_part * size);
        if (speed > 0) limit = fmin(limit, distance / speed);
    }
    return limit;
}
