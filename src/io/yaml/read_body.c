// SPDX-License-Identifier: BSD-3-Clause
// Bodies and markers.
#include "io/yaml/read_model.h"

#include <math.h>
#include <string.h>

static const cd_yaml* get(const cd_model_element* e, const char* key) { return cd_yaml_get(e->node, key); }

static bool read_mass(const cd_model_element* e, const cd_solid* solid, double* mass)
{
    const cd_yaml *given = cd_yaml_get(e->node, "mass"), *density = cd_yaml_get(e->node, "density");
    double         rho = 0;
    if (given && density) return cd_element_fail(e, density, "'mass' and 'density' exclude each other");
    if (!cd_read_number_key(e, "mass", mass) || !cd_read_number_key(e, "density", &rho)) return false;
    if (*mass < 0) return cd_element_fail(e, given, "the mass is negative (%g)", *mass);
    if (!density) return true;
    if (rho < 0) return cd_element_fail(e, density, "the density is negative (%g)", rho);
    if (solid->key && solid->volume == 0)
        return cd_element_fail(e, density,
                               "the volume is zero, so the density does not determine the mass; use 'mass'");
    *mass = par_mul(cd_element_parametric(e), rho, solid->volume);
    return true;
}

// Inertia in body axes: I' = S L I L' S, L from inertia_axes, S = diag(sign) of the level.
static bool given_inertia(const cd_model_element* e, const cd_frame* base, double six[6])
{
    const cd_yaml *node = cd_yaml_get(e->node, "inertia"), *axes = cd_yaml_get(e->node, "inertia_axes");
    const double*  sign = e->level->placement->sign;
    double         I[3][3], L[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, rotated[3][3] = {{0}};
    if (!node) return !axes || cd_element_fail(e, axes, "'inertia_axes' requires 'inertia'");
    if (node->has_error) return false;
    if (node->count != 3 && node->count != 6)
        return cd_element_fail(e, node, "'inertia' must be [xx, yy, zz] or [xx, yy, zz, xy, xz, yz], not a list of %d",
                               node->count);
    if (!cd_read_numbers(e, node, CD_UNIT_INERTIA, node->count, six)) return false;
    cd_parametric* l = cd_element_parametric(e);
    if (!cd_inertia_check(e, node, cd_unit_factor(node->file, CD_UNIT_INERTIA), six)) return false;
    if (axes && !cd_read_orientation(e, axes, base, L)) return false;
    cd_inertia_to_matrix(six, I);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            for (int m = 0; m < 3; ++m)
                for (int n = 0; n < 3; ++n)
                    rotated[i][k] = par_add(
                        l, rotated[i][k],
                        par_mul(l, par_mul(l, par_mul(l, par_mul(l, sign[i], L[i][m]), I[m][n]), L[k][n]), sign[k]));
    cd_inertia_from_matrix(rotated, six);
    return true;
}

static bool read_inertia(const cd_model_element* e, const cd_frame* base, cd_solid* solid, double mass, double six[6])
{
    const cd_yaml* node = cd_yaml_get(e->node, "inertia");
    if (!solid->key) return given_inertia(e, base, six);
    if (node)
        return cd_element_fail(e, node,
                               "the inertia is computed from '%s'; put the %s under 'shape' if it is for pictures only",
                               solid->key, solid->key);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            solid->inertia[i][k] = par_mul(cd_element_parametric(e), solid->inertia[i][k], mass);
    cd_inertia_from_matrix(solid->inertia, six);
    return true;
}

static bool read_centre(const cd_model_element* e, const cd_definition* def, const cd_frame* base,
                        const cd_solid* solid, double centre[3])
{
    const cd_yaml* node = cd_yaml_get(e->node, "centre");
    if (solid->has_centre && node)
        return cd_element_fail(e, node, "the mass centre is computed from '%s'; remove 'centre'", solid->key);
    if (def->frame_at_centre) return true; // the origin of the frame is the mass centre
    if (solid->has_centre) cd_world_to_frame(cd_element_parametric(e), def->frame, solid->centre, centre);
    return !node || cd_read_position_in_frame(e, node, base, def->frame, centre);
}

bool cd_read_body(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    cd_definition* def = cd_find_entry_definition(r, CD_DEFINITION_FRAME, level, entry);
    if (!def || !def->is_body || entry->value->has_error || !cd_evaluate_frame(r, def))
        return r->status != CARDAN_NO_MEMORY;
    (void)section;
    const cd_model_element e = {
        .reader = r, .level = level, .node = entry->value, .section = "body", .label = "body", .name = def->name};
    const cd_frame base = def->frame_at_centre ? *cd_level_base(level) : cd_relative_base(level, def->frame);
    cd_frame       pose_base;
    cd_solid       solid;
    cardan_body    body = cardan_body_default(def->name);
    body.location       = cd_yaml_location(entry->key);
    bool ok             = cd_read_base(&e, &pose_base);
    body.pose =
        cd_read_pose_on_body(&e, get(&e, "at"), get(&e, "orientation"), &pose_base, &cd_world_motion, def->frame);
    ok         = ok && cd_read_solid(&e, def->frame, &base, &solid);
    ok         = ok && read_mass(&e, &solid, &body.mass);
    ok         = read_centre(&e, def, &base, &solid, body.centre) && ok;
    ok         = read_inertia(&e, &base, &solid, body.mass, body.inertia) && ok;
    def->index = cardan_description_add_body(r->description, &body);
    if (def->index == CARDAN_NONE) return cd_reader_fail_no_memory(r);
    if (!ok) return true;

    cd_yaml* shape = cd_yaml_get(entry->value, "shape");
    if (shape && get(&e, "material"))
        cd_element_fail(&e, get(&e, "material"), "with 'shape' the materials are given there, not in the body");
    if (shape) return cd_read_shapes(&e, shape, def, &base, body.centre) || r->status != CARDAN_NO_MEMORY;
    if (!solid.key) return true;
    solid.shape.body = def->index;
    if (solid.shape.kind != CARDAN_SHAPE_MESH && solid.shape.kind != CARDAN_SHAPE_HULL)
        memcpy(solid.shape.pose.p, body.centre, sizeof body.centre);
    if (!cd_read_surface(&e, &solid.shape)) return r->status != CARDAN_NO_MEMORY;
    return cardan_description_add_shape(r->description, &solid.shape) != CARDAN_NONE || cd_reader_fail_no_memory(r);
}

static bool add_marker(const cd_model_element* e, const char* name, const cd_definition* body, const cd_frame* frame,
                       const cd_yaml* node, int* index)
{
    cd_frame base;
    if (!cd_read_base(e, &base)) return false;
    cardan_marker marker = {.name = name, .body = body->index, .location = cd_yaml_location(node)};
    marker.pose          = cd_read_pose_on_body(e, get(e, "at"), get(e, "orientation"), &base, body->frame, frame);
    *index               = cardan_description_add_marker(e->reader->description, &marker);
    return *index != CARDAN_NONE || cd_reader_fail_no_memory(e->reader);
}

bool cd_read_marker(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    cd_definition* def = cd_find_entry_definition(r, CD_DEFINITION_FRAME, level, entry);
    if (!def || def->is_body || entry->value->has_error || !cd_evaluate_frame(r, def))
        return r->status != CARDAN_NO_MEMORY;
    (void)section;
    const cd_model_element e = {
        .reader = r, .level = level, .node = entry->value, .section = "marker", .label = "marker", .name = def->name};
    cd_definition* body;
    const cd_yaml* on = cd_yaml_get(entry->value, "on");
    if (!on || !cd_read_body_reference(&e, on, &body)) return true;
    return add_marker(&e, def->name, body, def->frame, entry->key, &def->index) || r->status != CARDAN_NO_MEMORY;
}

bool cd_read_marker_reference(const cd_model_element* e, const cd_yaml* node, const char* suffix, int* marker,
                              cd_frame* frame)
{
    cd_reader* r = e->reader;
    if (node->has_error) return false;
    if (node->kind == CD_YAML_SCALAR) {
        cd_definition* def = cd_resolve_reference(e, CD_DEFINITION_FRAME, node, "marker or body");
        if (!def || !cd_evaluate_frame(r, def)) return false;
        *marker = cardan_description_find_marker(r->description,
                                                 def->is_body && def->index == CARDAN_GROUND ? "ground" : def->name);
        *frame  = *def->frame;
        return *marker != CARDAN_NONE;
    }
    const cd_model_element inner = {
        .reader = r, .level = e->level, .node = (cd_yaml*)node, .section = "end", .label = e->label, .name = e->name};
    const cd_yaml* on = cd_yaml_get(node, "on");
    cd_frame       base;
    cd_definition* body;
    if (!on || !cd_read_body_reference(&inner, on, &body) || !cd_read_base(&inner, &base)) return false;
    if (!cd_read_frame(&inner, &base, base.p, frame)) return false;
    cd_text name = {0};
    cd_text_format(&name, "%s.%s", e->name, suffix);
    const bool name_exists = !name.failed && cardan_description_find_marker(r->description, name.data) != CARDAN_NONE;
    bool       ok          = !name.failed || cd_reader_fail_no_memory(r);
    if (name_exists)
        ok = cd_element_fail(e, node, "the name of its end is '%s', but a marker or body of this name exists",
                             name.data);
    ok = ok && add_marker(&inner, name.data, body, frame, node, marker);
    cd_text_free(&name);
    return ok;
}
