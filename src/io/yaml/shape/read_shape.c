// SPDX-License-Identifier: BSD-3-Clause
// Shapes of bodies, which are drawn and, with a material, touch. Poses are in the body frame; numbers are in `base`, as
// those of the body.
#include "io/yaml/read_model.h"

#include "math/quaternion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape_reader {
    cd_model_element e;
    cd_definition*   body;
    const cd_frame*  base;
    const double*    centre; // mass centre, body frame
} shape_reader;

static bool add_shape(const shape_reader* p, cardan_shape* shape)
{
    shape->body = p->body->index;
    if (!cd_read_surface(&p->e, shape)) return false;
    return cardan_description_add_shape(p->e.reader->description, shape) != CARDAN_NONE ||
           cd_reader_fail_no_memory(p->e.reader);
}

static bool read_polyline(const shape_reader* p, const cd_yaml* line)
{
    double* points = calloc((size_t)line->count, 3 * sizeof *points);
    if (!points) return cd_reader_fail_no_memory(p->e.reader);
    bool ok = true;
    for (int i = 0; i < line->count && ok; ++i)
        ok = cd_read_position_in_frame(&p->e, line->entry[i].value, p->base, p->body->frame, points + 3 * i);
    cardan_shape shape = {
        .kind = CARDAN_SHAPE_POINTS, .pose = cardan_pose_default(), .npoint = line->count, .point = points};
    ok = ok && add_shape(p, &shape);
    free(points);
    return ok;
}

// Read position and orientation of a shape with three planes of symmetry: S L S in body axes, S = diag(sign) of the level.
static bool read_shape_pose(const shape_reader* p, cardan_shape* shape)
{
    const cd_yaml *at = cd_yaml_get(p->e.node, "at"), *orientation = cd_yaml_get(p->e.node, "orientation");
    memcpy(shape->pose.p, p->centre, sizeof shape->pose.p);
    if (at && !cd_read_position_in_frame(&p->e, at, p->base, p->body->frame, shape->pose.p)) return false;
    if (!orientation) return true;
    const cd_frame body_base = cd_relative_base(p->e.level, p->body->frame);
    double         L[3][3];
    if (!cd_read_orientation(&p->e, orientation, &body_base, L)) return false;
    const cd_frame frame =
        cd_frame_from_base(cd_element_parametric(&p->e), &body_base, body_base.p, L, p->e.level->placement->sign);
    const cardan_pose rotation = cd_read_pose_on_body(&p->e, NULL, orientation, &body_base, p->body->frame, &frame);
    q4_mul(rotation.q, shape->pose.q, shape->pose.q);
    return true;
}

static bool read_mesh(const shape_reader* p)
{
    cardan_shape mesh;
    cd_frame     frame;
    if (!cd_read_mesh_shape(&p->e, &mesh) || !cd_read_frame(&p->e, p->base, p->base->p, &frame)) return false;
    mesh.pose = cd_read_pose_on_body(&p->e, cd_yaml_get(p->e.node, "at"), cd_yaml_get(p->e.node, "orientation"),
                                     p->base, p->body->frame, &frame);
    return add_shape(p, &mesh);
}

static bool read_terrain(const shape_reader* p,
                         bool (*read)(const cd_model_element*, const cd_frame*, const cd_frame*, cardan_shape*))
{
    cardan_shape shape;
    return read(&p->e, p->base, p->body->frame, &shape) && add_shape(p, &shape);
}

bool cd_read_surface(const cd_model_element* e, cardan_shape* shape)
{
    const cd_yaml* material = cd_yaml_get(e->node, "material");
    shape->location         = cd_yaml_location(e->node);
    shape->rounding         = -1;
    if (!cd_read_number_key(e, "rounding", &shape->rounding)) return false;
    const cd_yaml* rounding = cd_yaml_get(e->node, "rounding");
    if (rounding && !(shape->rounding >= 0))
        return cd_element_fail(e, rounding, "the rounding is negative (%g)", shape->rounding);
    if (rounding && !material)
        return cd_element_fail(e, rounding, "'rounding' has an effect on contacts only: the shape has no 'material'");
    if (!material) return true;
    const cd_definition* def = cd_resolve_reference(e, CD_DEFINITION_MATERIAL, material, "material");
    if (!def) return false;
    shape->material = def->name;
    for (int i = 0; i < 3; ++i)
        if (!cd_require_structural_constant(e, e->node, shape->size[i]) ||
            !cd_require_structural_constant(e, e->node, shape->pose.p[i]))
            return false;
    for (int i = 0; i < 4; ++i)
        if (!cd_require_structural_constant(e, e->node, shape->pose.q[i])) return false;
    return !rounding || cd_require_structural_constant(e, rounding, shape->rounding);
}

static bool read_one_shape(const shape_reader* p)
{
    const cd_yaml* line = cd_yaml_get(p->e.node, "line");
    cd_solid       solid;
    if (p->e.node->has_error || p->e.node->kind != CD_YAML_MAP) return false;
    if (line) return !line->has_error && read_polyline(p, line);
    if (cd_yaml_get(p->e.node, "mesh") || cd_yaml_get(p->e.node, "hull")) return read_mesh(p);
    if (cd_yaml_get(p->e.node, "plane")) return read_terrain(p, cd_read_plane);
    if (cd_yaml_get(p->e.node, "height_field") || cd_yaml_get(p->e.node, "profile"))
        return read_terrain(p, cd_read_height_field);
    if (!cd_read_solid(&p->e, p->body->frame, p->base, &solid) || !solid.key) return false;
    if (solid.key[0] == 'r')
        cd_world_to_frame(cd_element_parametric(&p->e), p->body->frame, solid.centre, solid.shape.pose.p);
    else if (!read_shape_pose(p, &solid.shape))
        return false;
    return add_shape(p, &solid.shape);
}

bool cd_read_shapes(const cd_model_element* e, cd_yaml* node, cd_definition* body, const cd_frame* base,
                    const double centre[3])
{
    bool ok = !node->has_error;
    for (int i = 0; ok && i < (node->kind == CD_YAML_LIST ? node->count : 1); ++i) {
        shape_reader p = {.e = *e, .body = body, .base = base, .centre = centre};
        p.e.node       = node->kind == CD_YAML_LIST ? node->entry[i].value : node;
        p.e.section    = "shape";
        ok             = read_one_shape(&p);
    }
    return ok;
}

// An entry of `ground`: its key is `shape` or `shapes`.
bool cd_read_ground(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    (void)section;
    static const double    origin[3] = {0};
    cd_definition*         ground    = cd_find_qualified(r, CD_DEFINITION_FRAME, "ground");
    const cd_model_element e         = {
                .reader = r, .level = level, .node = entry->value, .section = "ground", .label = NULL, .name = "ground"};
    double centre[3];
    memcpy(centre, level->outer ? level->placement->base.p : origin, sizeof centre);
    if (entry->value->kind != CD_YAML_MAP && entry->value->kind != CD_YAML_LIST) return true;
    return cd_read_shapes(&e, entry->value, ground, cd_level_base(level), centre) || r->status != CARDAN_NO_MEMORY;
}
