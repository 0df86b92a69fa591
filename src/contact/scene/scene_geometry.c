// SPDX-License-Identifier: BSD-3-Clause
// Shapes of the description as collision geometry: sizes in the terms of contact/shape; hulls and meshes made from points.
#include "contact/scene/scene_compiler.h"

#include "contact/field/height_field.h"
#include "contact/mesh/triangle_mesh.h"
#include "contact/scene/scene_tolerances.h"
#include "contact/shape/hull.h"
#include "contact/shape/shape.h"

#include <math.h>

static const char* body_name(const cardan_model* m, int body)
{
    return body == CARDAN_GROUND ? "ground" : m->view.body[body].name;
}

static double rounding_of(const cardan_shape* s, double smallest)
{
    return s->rounding < 0 ? cd_default_rounding * smallest : s->rounding;
}

// Kind and sizes, without hull, mesh and field.
static cd_shape_geometry sizes_of(const cardan_shape* s)
{
    const double* a = s->size;
    switch (s->kind) {
    case CARDAN_SHAPE_SPHERE:
        return (cd_shape_geometry){.kind = CD_SHAPE_SPHERE, .size = {a[0]}};
    case CARDAN_SHAPE_BOX:
        return (cd_shape_geometry){.kind     = CD_SHAPE_BOX,
                                   .size     = {a[0] / 2, a[1] / 2, a[2] / 2},
                                   .rounding = rounding_of(s, fmin(a[0], fmin(a[1], a[2])) / 2)};
    case CARDAN_SHAPE_ROD:
        return (cd_shape_geometry){
            .kind = CD_SHAPE_CYLINDER, .size = {a[1], a[0] / 2}, .rounding = rounding_of(s, fmin(a[1], a[0] / 2))};
    case CARDAN_SHAPE_CAPSULE:
        return (cd_shape_geometry){.kind = CD_SHAPE_CAPSULE, .size = {a[1], a[0] / 2}};
    case CARDAN_SHAPE_ELLIPSOID:
        return (cd_shape_geometry){.kind = CD_SHAPE_ELLIPSOID, .size = {a[0], a[1], a[2]}};
    case CARDAN_SHAPE_TORUS:
        return (cd_shape_geometry){.kind = CD_SHAPE_TORUS, .size = {a[0], a[1]}};
    case CARDAN_SHAPE_HULL:
        return (cd_shape_geometry){.kind = CD_SHAPE_HULL};
    case CARDAN_SHAPE_PLANE:
        return (cd_shape_geometry){.kind = CD_SHAPE_PLANE};
    case CARDAN_SHAPE_MESH:
        return (cd_shape_geometry){.kind = CD_SHAPE_MESH};
    case CARDAN_SHAPE_HEIGHT_FIELD:
        return (cd_shape_geometry){.kind = CD_SHAPE_HEIGHT_FIELD};
    default:
        return (cd_shape_geometry){.kind = CD_SHAPE_KINDS};
    }
}

static double smallest_half_size(int n, const double* point)
{
    double smallest = INFINITY;
    for (int k = 0; k < 3; ++k) {
        double lower = INFINITY, upper = -INFINITY;
        for (int i = 0; i < n; ++i) lower = fmin(lower, point[3 * i + k]), upper = fmax(upper, point[3 * i + k]);
        smallest = fmin(smallest, (upper - lower) / 2);
    }
    return smallest;
}

// The grid is centred; one row of heights is a profile over its width.
static cd_field_description field_of(const cardan_height_grid* grid)
{
    const bool profile = grid->ny == 1;
    return (cd_field_description){.kind = profile        ? CD_FIELD_PROFILE
                                          : grid->smooth ? CD_FIELD_SMOOTH
                                                         : CD_FIELD_TRIANGLES,
                                  .nx   = grid->nx,
                                  .ny   = grid->ny,
                                  .x0   = -0.5 * (grid->nx - 1) * grid->spacing[0],
                                  .y0   = -0.5 * (profile ? 1 : grid->ny - 1) * grid->spacing[1],
                                  .dx   = grid->spacing[0],
                                  .dy   = grid->spacing[1],
                                  .z    = grid->height};
}

cardan_status cd_scene_geometry_create(const cardan_model* m, int shape, cd_shape_geometry* g, cardan_report* report)
{
    const cardan_shape* s      = &m->view.shape[shape];
    const char*         reason = NULL;
    *g                         = sizes_of(s);
    if (g->kind == CD_SHAPE_KINDS)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, s->location,
                           "a shape of '%s' has a material, but shapes of this kind do not touch",
                           body_name(m, s->body));
    if (g->kind == CD_SHAPE_HULL) {
        g->rounding = rounding_of(s, smallest_half_size(s->npoint, s->point));
        g->hull     = cd_hull_create(s->npoint, s->point, g->rounding, &reason);
    } else if (g->kind == CD_SHAPE_MESH) {
        g->mesh = cd_triangle_mesh_create(s->npoint, s->point, s->ntriangle, s->triangle, &reason);
    } else if (g->kind == CD_SHAPE_HEIGHT_FIELD) {
        const cd_field_description field = field_of(&s->field);
        g->field                         = cd_height_field_create(&field, &reason);
    } else {
        reason = cd_shape_check(g);
    }
    if (!reason) return CARDAN_OK;
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, s->location, "a shape of '%s' (%s): %s",
                       body_name(m, s->body), cd_shape_type_of(g)->name, reason);
}

void cd_scene_geometry_release(cd_shape_geometry* g)
{
    if (g->hull) cd_hull_destroy((cd_hull*)g->hull);
    if (g->mesh) cd_triangle_mesh_destroy((cd_triangle_mesh*)g->mesh);
    if (g->field) cd_height_field_destroy((cd_height_field*)g->field);
    g->hull  = NULL;
    g->mesh  = NULL;
    g->field = NULL;
}
