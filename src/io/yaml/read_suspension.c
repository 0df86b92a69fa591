// SPDX-License-Identifier: BSD-3-Clause
// Section `suspension`: wheels, chassis, steering, ranges.
#include "io/yaml/read_model.h"

#include "io/io_tolerances.h"
#include "model/description.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Find a force element by name, or else a joint if `joints` is true.
static bool read_element(const cd_model_element* e, const char* key, bool joints, int* force, int* joint)
{
    const cd_yaml* node = cd_yaml_get(e->node, key);
    if (!node) return true;
    if (node->has_error) return false;
    cd_definition* def = cd_find_definition(e->reader, CD_DEFINITION_FORCE, e->level, node->text);
    for (int i = 0; def && i < e->reader->description->nforce; ++i)
        if (strcmp(e->reader->description->force[i].name, def->name) == 0) *force = i;
    if (def && *force >= 0) return true;
    def = joints ? cd_find_definition(e->reader, CD_DEFINITION_JOINT, e->level, node->text) : NULL;
    if (def && def->index >= 0) return *joint = def->index, true;
    cd_resolve_reference(e, CD_DEFINITION_FORCE, node, joints ? "force element or joint" : "force element");
    return false;
}

static bool read_range(const cd_model_element* e, const char* key, cd_unit unit, double range[2])
{
    const cd_yaml* node = cd_yaml_get(e->node, key);
    if (!node) return true;
    if (node->has_error || !cd_read_numbers(e, node, unit, 2, range)) return false;
    if (!(range[0] <= 0 && range[1] >= 0 && range[0] < range[1]))
        return cd_element_fail(e, node, "'%s' must include 0, the design configuration; it is from %g to %g", key,
                               range[0], range[1]);
    return true;
}

static bool read_axis(const cd_model_element* e, const char* key, double axis[3])
{
    const cd_yaml* node = cd_yaml_get(e->node, key);
    return !node || cd_read_direction(e, node, cd_level_base(e->level), axis);
}

static bool read_wheel(cd_reader* r, cd_yaml_entry* entry, cardan_wheel* wheel)
{
    char name[160];
    *wheel = cardan_wheel_default(entry->key->text, CARDAN_NONE);
    if (entry->value->has_error) return false;
    snprintf(name, sizeof name, "suspension.%s", entry->key->text);
    const cd_model_element e = {
        .reader = r, .level = r->root_level, .node = entry->value, .section = "wheel", .label = "wheel", .name = name};
    const cd_yaml *hub = cd_yaml_get(entry->value, "hub"), *kingpin = cd_yaml_get(entry->value, "kingpin");
    cd_frame       frame;
    wheel->location = cd_yaml_location(entry->key);
    if (!hub || !cd_read_marker_reference(&e, hub, "hub", &wheel->hub, &frame)) return false;
    if (!cd_read_number_key(&e, "radius", &wheel->radius) || !read_axis(&e, "axis", wheel->axis)) return false;
    if (!(wheel->radius > 0))
        return cd_element_fail(&e, cd_yaml_get(entry->value, "radius"), "'radius' must be positive, not %g",
                               wheel->radius);
    for (int i = 0; kingpin && i < 2; ++i)
        if (kingpin->has_error ||
            !cd_read_marker_reference(&e, kingpin->entry[i].value, i ? "upper" : "lower", &wheel->kingpin[i], &frame))
            return false;
    int none = CARDAN_NONE;
    return read_element(&e, "spring", true, &wheel->spring, &wheel->spring_joint) &&
           read_element(&e, "damper", true, &wheel->damper, &wheel->damper_joint) &&
           read_element(&e, "tyre", false, &wheel->tyre, &none);
}

static bool read_steering(const cd_model_element* e, cardan_suspension* s)
{
    const cd_yaml *      name = cd_yaml_get(e->node, "steering"), *travel = cd_yaml_get(e->node, "stroke");
    cd_coordinate_layout c;
    if (!name && travel)
        return cd_element_fail(e, travel, "'stroke' requires 'steering', the name of the steering joint");
    if (!name) return true;
    cd_definition* def = cd_resolve_reference(e, CD_DEFINITION_JOINT, name, "joint");
    if (!def || def->index < 0 || !cd_coordinate_layout_of(&e->reader->description->joint[def->index], &c))
        return false;
    if (c.nv != 1)
        return cd_element_fail(e, name, "joint '%s' has %d coordinates, but a steering joint must have one", def->name,
                               c.nv);
    if (!travel) return cd_element_fail(e, name, "'stroke' is missing: the range of joint '%s'", def->name);
    s->steering = def->index;
    return read_range(e, "stroke", c.kind[0] == 't' ? CD_UNIT_LENGTH : CD_UNIT_ANGLE, s->steering_travel);
}

static bool read_directions(const cd_model_element* e, cardan_suspension* s)
{
    if (!read_axis(e, "forward", s->forward) || !read_axis(e, "up", s->up)) return false;
    double along = 0;
    for (int i = 0; i < 3; ++i) along += s->forward[i] * s->up[i];
    if (fabs(along) > cd_perpendicular_tolerance)
        return cd_element_fail(e, e->node, "'forward' and 'up' are not perpendicular");
    return true;
}

static bool read_settings(const cd_model_element* e, cardan_suspension* s)
{
    const cd_yaml *chassis = cd_yaml_get(e->node, "chassis"), *points = cd_yaml_get(e->node, "points");
    cd_definition* body = NULL;
    if (chassis && !cd_read_body_reference(e, chassis, &body)) return false;
    if (body) s->chassis = body->index;
    if (points && !cd_read_integer(e, points, &s->npoint)) return false;
    if (s->npoint < 3 || s->npoint > 100000)
        return cd_element_fail(e, points, "'points' must be between 3 and 100000, not %d", s->npoint);
    if (!cd_read_number_key(e, "wheelbase", &s->wheelbase)) return false;
    if (!(s->wheelbase >= 0))
        return cd_element_fail(e, cd_yaml_get(e->node, "wheelbase"), "'wheelbase' must be positive, not %g",
                               s->wheelbase);
    return read_directions(e, s) && read_range(e, "travel", CD_UNIT_LENGTH, s->travel) && read_steering(e, s);
}

bool cd_read_suspension(cd_reader* r, cd_yaml* node)
{
    const cd_model_element e = {
        .reader = r, .level = r->root_level, .node = node, .section = "suspension", .label = "suspension"};
    cardan_suspension s      = cardan_suspension_default();
    cd_yaml*          wheels = node->has_error ? NULL : cd_yaml_get(node, "wheels");
    if (!wheels || wheels->has_error || !read_settings(&e, &s)) return false;
    cardan_wheel* wheel = cd_pool_alloc(&r->pool, (size_t)wheels->count + 1, sizeof *wheel);
    if (!wheel) return cd_reader_fail_no_memory(r);
    for (int i = 0; i < wheels->count; ++i)
        if (!read_wheel(r, &wheels->entry[i], &wheel[i])) return false;
    s.nwheel   = wheels->count;
    s.wheel    = wheel;
    s.location = cd_yaml_location(node);
    if (s.nwheel == 0) return cd_element_fail(&e, wheels, "it has no wheels");
    return cardan_description_set_suspension(r->description, &s) || cd_reader_fail_no_memory(r);
}
