// SPDX-License-Identifier: BSD-3-Clause
// Constraints. In a mirrored use of a template, coordinates and driver functions get the signs that make its
// motion the mirror image.
#include "io/yaml/read_model.h"

#include "model/description.h"

#include <math.h>
#include <string.h>

typedef struct constraint_builder {
    cd_model_element     e;
    cardan_constraint    c;
    const cd_yaml*       key;
    cd_frame             frame[2]; // of the markers
    cd_coordinate_layout joint[CARDAN_COUPLED_JOINTS_MAX];
    double               sign[CARDAN_COUPLED_JOINTS_MAX]; // of the coordinates
} constraint_builder;

static const cd_yaml* get(const constraint_builder* h, const char* key) { return cd_yaml_get(h->e.node, key); }

static bool read_flag(const constraint_builder* h, const char* key)
{
    const cd_yaml* node  = get(h, key);
    bool           value = false;
    return node && cd_read_boolean(&h->e, node, &value) && value;
}

// ---- constraints between markers

// Report that a joint has the same name: both have reactions, whose columns would coincide.
static bool fail_duplicate_name(const constraint_builder* h, const cd_definition* joint)
{
    return cd_reader_fail(h->e.reader, h->key,
                          "constraint '%s': the joint in line %d has the same name, and both have reactions in the "
                          "columns '%s.fx' of the results; use another name",
                          h->e.name, joint->key->line, h->e.name);
}

static bool read_marker_pair(constraint_builder* h)
{
    const cd_yaml*       pair  = get(h, h->c.type);
    const cd_definition* joint = cd_find_qualified(h->e.reader, CD_DEFINITION_JOINT, h->e.name);
    if (joint) return fail_duplicate_name(h, joint);
    if (pair->has_error || pair->count != 2) return false;
    const bool first  = cd_read_marker_reference(&h->e, pair->entry[0].value, "held", &h->c.marker[0], &h->frame[0]);
    const bool second = cd_read_marker_reference(&h->e, pair->entry[1].value, "carrier", &h->c.marker[1], &h->frame[1]);
    if (!first || !second) return false;
    if (h->c.marker[0] == h->c.marker[1])
        return cd_element_fail(&h->e, pair, "both markers are the same; they must differ");
    const int ground = cardan_description_find_marker(h->e.reader->description, "ground");
    for (int i = 0; i < 2; ++i)
        if (h->c.marker[i] == ground) h->c.marker[i] = CARDAN_NONE;
    return true;
}

static bool read_reference_pose(constraint_builder* h)
{
    const cd_yaml* node = get(h, "rest");
    h->c.reference      = cd_relative_pose(cd_element_parametric(&h->e), &h->frame[1], &h->frame[0]);
    if (!node) return true;
    if (node->has_error) return false;
    const cd_model_element inner = {.reader  = h->e.reader,
                                    .level   = h->e.level,
                                    .node    = (cd_yaml*)node,
                                    .section = "rest",
                                    .label   = h->e.label,
                                    .name    = h->e.name};
    const cd_frame         base  = cd_relative_base(h->e.level, &h->frame[1]);
    cd_frame               frame;
    if (!cd_read_frame(&inner, &base, base.p, &frame)) return false;
    h->c.reference = cd_read_pose_on_body(&inner, cd_yaml_get(node, "at"), cd_yaml_get(node, "orientation"), &base,
                                          &h->frame[1], &frame);
    return true;
}

static bool read_lock(constraint_builder* h)
{
    static const char* const keys[6] = {"x", "y", "z", "rx", "ry", "rz"};
    const cd_placement*      p       = h->e.level->placement;
    if (!read_marker_pair(h) || !read_reference_pose(h)) return false;
    h->c.locked = 63;
    for (int i = 0; i < 6; ++i) {
        const cd_yaml* node = get(h, keys[i]);
        if (!node || strcmp(node->text, "locked") == 0) continue;
        if (node->has_error) return false;
        h->c.locked &= ~(1u << i);
        if (strcmp(node->text, "free") == 0) continue;
        const double sign = p->sign[i % 3] * (i >= 3 && p->is_mirrored ? -1 : 1);
        if (!cd_read_driver_function(&h->e, node, sign, &h->c.driver[i])) return false;
    }
    for (int i = 0; i < 6; ++i)
        if (h->c.locked >> i & 1 || h->c.driver[i] != CARDAN_NONE) return true;
    return cd_element_fail(&h->e, NULL, "all motions are free; lock or drive at least one");
}

static bool read_orientation(constraint_builder* h) { return read_marker_pair(h) && read_reference_pose(h); }

static bool read_distance(constraint_builder* h)
{
    const cd_yaml *driver = get(h, "law"), *length = get(h, "length");
    if (!read_marker_pair(h)) return false;
    const double * a = h->frame[0].p, *b = h->frame[1].p;
    cd_parametric* l    = cd_element_parametric(&h->e);
    const double   d[3] = {par_sub(l, a[0], b[0]), par_sub(l, a[1], b[1]), par_sub(l, a[2], b[2])};
    h->c.length         = par_sqrt(l, par_dot(l, d, d));
    if (driver && length) return cd_element_fail(&h->e, driver, "'length' and 'law' exclude each other");
    if (driver) {
        h->c.length = 0;
        return cd_read_driver_function(&h->e, driver, 1, &h->c.driver[0]);
    }
    if (!cd_read_number_key(&h->e, "length", &h->c.length)) return false;
    if (h->c.length > 0) return true;
    return cd_element_fail(
        &h->e, length,
        length ? "the length must be positive"
               : "the markers coincide in the design configuration, so the distance is zero; use a spherical "
                 "joint to connect two points");
}

static bool read_on_curve(constraint_builder* h)
{
    const cd_yaml *curve = get(h, "curve"), *driver = get(h, "law");
    if (!read_marker_pair(h) || !curve || !cd_read_curve(&h->e, curve, &h->frame[1], &h->c.curve)) return false;
    if (h->c.type[0] != 'f') return true;
    if (!driver) return cd_element_fail(&h->e, NULL, "'law' is missing: the curve parameter as a function of t");
    return cd_read_driver_function(&h->e, driver, 1, &h->c.driver[0]);
}

static bool read_rolling(constraint_builder* h)
{
    const cd_yaml* shape = get(h, "shape");
    if (!read_marker_pair(h) || !cd_read_number_key(&h->e, "radius", &h->c.radius[0])) return false;
    if (h->c.radius[0] == 0) return cd_element_fail(&h->e, get(h, "radius"), "the radius is zero");
    h->c.radius[0] *= h->e.level->placement->sign[2]; // if z is reflected, the roller is on the other side of the plane
    h->c.is_sphere = shape && strcmp(shape->text, "sphere") == 0;
    return true;
}

// ---- constraints between joint coordinates

static bool read_one_coordinate(constraint_builder* h, int i, const cd_yaml* joint, const cd_yaml* which)
{
    const cd_definition* def    = cd_resolve_reference(&h->e, CD_DEFINITION_JOINT, joint, "joint");
    int                  number = 1;
    if (!def || def->index < 0 || !cd_coordinate_layout_of(&h->e.reader->description->joint[def->index], &h->joint[i]))
        return false;
    const cd_coordinate_layout* c = &h->joint[i];
    if (which && !cd_read_integer(&h->e, which, &number)) return false;
    if (c->nv == 0) return cd_element_fail(&h->e, joint, "joint '%s' is fixed and has no coordinates", def->name);
    if (!which && c->nv > 1)
        return cd_element_fail(&h->e, joint, "joint '%s' has %d coordinates: select one with '%s'", def->name, c->nv,
                               h->c.type[0] == 'd' ? "coordinate" : "coordinates");
    if (number < 1 || number > c->nv)
        return cd_element_fail(&h->e, which, "joint '%s' has coordinates 1 to %d, not %d", def->name, c->nv, number);
    if (c->kind[number - 1] == 'R')
        return cd_element_fail(
            &h->e, which ? which : joint,
            "coordinate %d of joint '%s' is part of a spatial rotation and not an angle: use a lock constraint", number,
            def->name);
    h->c.joint[i] = def->index;
    h->c.axis[i]  = number - 1;
    h->sign[i]    = cd_v_sign(h->e.level, c, number - 1);
    h->c.njoint   = i + 1;
    return true;
}

static bool is_angle(const constraint_builder* h, int i) { return h->joint[i].kind[h->c.axis[i]] != 't'; }

static bool read_coordinates(constraint_builder* h)
{
    const cd_yaml *list = get(h, h->c.type), *which = get(h, "coordinates");
    if (list->has_error || (which && which->has_error)) return false;
    if (which && which->count != list->count)
        return cd_element_fail(&h->e, which, "it couples %d joints, but %d coordinates are given", list->count,
                               which->count);
    for (int i = 0; i < list->count; ++i)
        if (!read_one_coordinate(h, i, list->entry[i].value, which ? which->entry[i].value : NULL)) return false;
    for (int i = 0; i < list->count; ++i)
        for (int k = 0; k < i; ++k)
            if (h->c.joint[i] == h->c.joint[k] && h->c.axis[i] == h->c.axis[k])
                return cd_element_fail(&h->e, list, "it couples a coordinate with itself");
    return true;
}

static bool check_angles(const constraint_builder* h)
{
    for (int i = 0; i < h->c.njoint; ++i)
        if (!is_angle(h, i))
            return cd_element_fail(&h->e, get(h, h->c.type),
                                   "the coordinate of joint '%s' is a displacement, but a %s requires an angle",
                                   h->e.reader->description->joint[h->c.joint[i]].name, h->c.type);
    return true;
}

// Read the offset in the unit of coordinate i, with its sign.
static bool read_offset(constraint_builder* h, int i)
{
    const cd_yaml* node = get(h, "offset");
    if (node && !cd_read_number(&h->e, node, is_angle(h, i) ? CD_UNIT_ANGLE : CD_UNIT_LENGTH, &h->c.offset))
        return false;
    h->c.offset *= h->sign[i];
    return true;
}

static bool read_gear(constraint_builder* h)
{
    const cd_yaml *teeth = get(h, "teeth"), *ratio = get(h, "ratio"), *internal = get(h, "internal");
    double         z[2] = {1, 1}, r = 1;
    if (!read_coordinates(h) || !check_angles(h) || !read_offset(h, 0)) return false;
    if (!teeth == !ratio)
        return cd_element_fail(&h->e, ratio,
                               teeth ? "'teeth' and 'ratio' exclude each other" : "'teeth' or 'ratio' is missing");
    if (ratio && internal)
        return cd_element_fail(&h->e, internal, "'internal' is allowed only with 'teeth'; a ratio has its own sign");
    if (teeth && !cd_read_numbers(&h->e, teeth, CD_UNIT_NONE, 2, z)) return false;
    if (!(z[0] > 0 && z[1] > 0)) return cd_element_fail(&h->e, teeth, "numbers of teeth must be positive");
    if (!cd_read_number_key(&h->e, "ratio", &r)) return false;
    if (r == 0) return cd_element_fail(&h->e, ratio, "the ratio is zero");
    h->c.factor[0] = z[0];
    h->c.factor[1] = (teeth ? read_flag(h, "internal") ? -z[1] : z[1] : -r) * h->sign[0] * h->sign[1];
    return true;
}

static bool read_coupler(constraint_builder* h)
{
    const cd_yaml* factors = get(h, "factors");
    if (!read_coordinates(h) || !read_offset(h, 0) || !factors || factors->has_error) return false;
    if (factors->count != h->c.njoint)
        return cd_element_fail(&h->e, factors, "it couples %d joints, but %d factors are given", h->c.njoint,
                               factors->count);
    if (!cd_read_numbers(&h->e, factors, CD_UNIT_NONE, h->c.njoint, h->c.factor)) return false;
    h->c.offset *= h->sign[0]; // cancels the sign of read_offset: a sum has no sign of the first coordinate
    for (int i = 0; i < h->c.njoint; ++i) {
        if (h->c.factor[i] == 0) return cd_element_fail(&h->e, factors->entry[i].value, "a factor must not be zero");
        h->c.factor[i] *= h->sign[i];
    }
    return true;
}

static bool read_rack_pinion(constraint_builder* h)
{
    if (!read_coordinates(h) || !cd_read_number_key(&h->e, "radius", &h->c.radius[0])) return false;
    const cd_yaml* list = get(h, "rack_pinion");
    if (!is_angle(h, 0))
        return cd_element_fail(&h->e, list->entry[0].value,
                               "the coordinate of the first joint, the pinion, must be an angle");
    if (is_angle(h, 1))
        return cd_element_fail(&h->e, list->entry[1].value,
                               "the coordinate of the second joint, the rack, must be a displacement");
    if (h->c.radius[0] == 0) return cd_element_fail(&h->e, get(h, "radius"), "the radius is zero");
    h->c.radius[0] *= h->sign[0] * h->sign[1];
    return read_offset(h, 1);
}

static bool read_belt(constraint_builder* h)
{
    const cd_yaml* radii = get(h, "radii");
    if (!read_coordinates(h) || !check_angles(h) || !read_offset(h, 0) || !radii || radii->has_error) return false;
    if (!cd_read_numbers(&h->e, radii, CD_UNIT_LENGTH, 2, h->c.radius)) return false;
    if (!(h->c.radius[0] > 0 && h->c.radius[1] > 0))
        return cd_element_fail(&h->e, radii, "radii of pulleys must be positive");
    h->c.radius[1] *= (read_flag(h, "crossed") ? -1 : 1) * h->sign[0] * h->sign[1];
    return true;
}

static bool read_worm(constraint_builder* h)
{
    if (!read_coordinates(h) || !check_angles(h) || !read_offset(h, 0)) return false;
    if (!get(h, "ratio"))
        return cd_element_fail(&h->e, NULL, "'ratio' is missing: revolutions of the worm per revolution of the wheel");
    if (!cd_read_number_key(&h->e, "ratio", &h->c.ratio) ||
        !cd_read_number_key(&h->e, "efficiency", &h->c.efficiency[0]) ||
        !cd_read_number_key(&h->e, "back_efficiency", &h->c.efficiency[1]) ||
        !cd_read_number_key(&h->e, "speed", &h->c.loss_speed))
        return false;
    if (h->c.ratio == 0) return cd_element_fail(&h->e, get(h, "ratio"), "the ratio is zero");
    if (!(h->c.efficiency[0] > 0 && h->c.efficiency[0] <= 1))
        return cd_element_fail(&h->e, get(h, "efficiency"), "'efficiency' must be above 0 and at most 1");
    if (!(h->c.efficiency[1] <= 1))
        return cd_element_fail(&h->e, get(h, "back_efficiency"), "'back_efficiency' must be at most 1");
    if (!(h->c.loss_speed > 0)) return cd_element_fail(&h->e, get(h, "speed"), "'speed' must be positive");
    h->c.ratio *= h->sign[0] * h->sign[1];
    return true;
}

static bool read_driver(constraint_builder* h)
{
    const cd_yaml* driver = get(h, "law");
    if (!read_one_coordinate(h, 0, get(h, "driver"), get(h, "coordinate"))) return false;
    if (!driver) return cd_element_fail(&h->e, NULL, "'law' is missing: the coordinate as a function of t");
    return cd_read_driver_function(&h->e, driver, h->sign[0], &h->c.driver[0]);
}

static const struct {
    const char* type;
    bool (*read)(constraint_builder* h);
} type_readers[] = {
    {"lock", read_lock},
    {"distance", read_distance},
    {"point_on_line", read_marker_pair},
    {"point_in_plane", read_marker_pair},
    {"parallel", read_marker_pair},
    {"gear", read_gear},
    {"point_on_curve", read_on_curve},
    {"orientation", read_orientation},
    {"belt", read_belt},
    {"coupler", read_coupler},
    {"rack_pinion", read_rack_pinion},
    {"worm", read_worm},
    {"driver", read_driver},
    {"rolling", read_rolling},
    {"follow", read_on_curve},
};

bool cd_read_constraint(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    const cd_definition* def = cd_find_entry_definition(r, CD_DEFINITION_CONSTRAINT, level, entry);
    size_t               i   = 0;
    (void)section;
    if (!def || entry->value->has_error) return true;
    while (i < sizeof type_readers / sizeof *type_readers && !cd_yaml_get(entry->value, type_readers[i].type)) ++i;
    if (i == sizeof type_readers / sizeof *type_readers) return true;
    constraint_builder h = {.e   = {.reader  = r,
                                    .level   = level,
                                    .node    = entry->value,
                                    .section = "constraint",
                                    .label   = "constraint",
                                    .name    = def->name},
                            .c   = cardan_constraint_default(def->name, type_readers[i].type),
                            .key = entry->key};
    h.c.location         = cd_yaml_location(entry->key);
    if (!type_readers[i].read(&h)) {
        entry->value->has_error = true;
        return r->status != CARDAN_NO_MEMORY;
    }
    return cardan_description_add_constraint(r->description, &h.c) != CARDAN_NONE || cd_reader_fail_no_memory(r);
}
