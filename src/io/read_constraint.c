// SPDX-License-Identifier: BSD-3-Clause
// Constraints. In a reflected use of a template coordinates and laws get the signs that make its motion the mirror
// image.
#include "io/read.h"

#include "model/description.h"

#include <math.h>
#include <string.h>

typedef struct holder {
    cd_element        e;
    cardan_constraint c;
    const cd_yaml*    key;
    cd_frame          frame[2]; // of the markers
    cd_coordinates    joint[CARDAN_COUPLED_MAX];
    double            sign[CARDAN_COUPLED_MAX]; // of the coordinates
} holder;

static const cd_yaml* get(const holder* h, const char* key) { return cd_yaml_get(h->e.node, key); }

static bool flag(const holder* h, const char* key)
{
    const cd_yaml* node  = get(h, key);
    bool           value = false;
    return node && cd_boolean(&h->e, node, &value) && value;
}

// Markers

// What holds markers has reactions, as joints have.
static bool fail_namesake(const holder* h, const cd_def* joint)
{
    return cd_reader_fail(h->e.reader, h->key,
                          "constraint '%s': the joint in line %d has this name already, and both have reactions, "
                          "columns '%s.fx' of the results; choose another",
                          h->e.name, joint->key->line, h->e.name);
}

static bool two_markers(holder* h)
{
    const cd_yaml* pair  = get(h, h->c.type);
    const cd_def*  joint = cd_find_full(h->e.reader, CD_DEF_JOINT, h->e.name);
    if (joint) return fail_namesake(h, joint);
    if (pair->broken || pair->count != 2) return false;
    const bool first  = cd_marker_of(&h->e, pair->entry[0].value, "held", &h->c.marker[0], &h->frame[0]);
    const bool second = cd_marker_of(&h->e, pair->entry[1].value, "carrier", &h->c.marker[1], &h->frame[1]);
    if (!first || !second) return false;
    if (h->c.marker[0] == h->c.marker[1]) return cd_element_fail(&h->e, pair, "both its markers are the same");
    const int ground = cardan_find_marker(h->e.reader->description, "ground");
    for (int i = 0; i < 2; ++i)
        if (h->c.marker[i] == ground) h->c.marker[i] = CARDAN_NONE;
    return true;
}

static bool read_rest(holder* h)
{
    const cd_yaml* node = get(h, "rest");
    h->c.rest           = cd_pose_between(cd_ledger_at(&h->e), &h->frame[1], &h->frame[0]);
    if (!node) return true;
    if (node->broken) return false;
    const cd_element inner = {.reader  = h->e.reader,
                              .level   = h->e.level,
                              .node    = (cd_yaml*)node,
                              .section = "rest",
                              .label   = h->e.label,
                              .name    = h->e.name};
    const cd_frame   base  = cd_relative_base(h->e.level, &h->frame[1]);
    cd_frame         frame;
    if (!cd_placed_frame(&inner, &base, base.p, &frame)) return false;
    h->c.rest =
        cd_pose_on(&inner, cd_yaml_get(node, "at"), cd_yaml_get(node, "orientation"), &base, &h->frame[1], &frame);
    return true;
}

static bool read_lock(holder* h)
{
    static const char* const keys[6] = {"x", "y", "z", "rx", "ry", "rz"};
    const cd_placement*      p       = h->e.level->placement;
    if (!two_markers(h) || !read_rest(h)) return false;
    h->c.locked = 63;
    for (int i = 0; i < 6; ++i) {
        const cd_yaml* node = get(h, keys[i]);
        if (!node || strcmp(node->text, "locked") == 0) continue;
        if (node->broken) return false;
        h->c.locked &= ~(1u << i);
        if (strcmp(node->text, "free") == 0) continue;
        const double sign = p->sign[i % 3] * (i >= 3 && p->mirrored ? -1 : 1);
        if (!cd_law(&h->e, node, sign, &h->c.law[i])) return false;
    }
    for (int i = 0; i < 6; ++i)
        if (h->c.locked >> i & 1 || h->c.law[i] != CARDAN_NONE) return true;
    return cd_element_fail(&h->e, NULL, "all its motions are free, so it holds nothing");
}

static bool read_orientation(holder* h) { return two_markers(h) && read_rest(h); }

static bool read_distance(holder* h)
{
    const cd_yaml *law = get(h, "law"), *length = get(h, "length");
    if (!two_markers(h)) return false;
    const double *a = h->frame[0].p, *b = h->frame[1].p;
    cd_ledger*    l    = cd_ledger_at(&h->e);
    const double  d[3] = {l_sub(l, a[0], b[0]), l_sub(l, a[1], b[1]), l_sub(l, a[2], b[2])};
    h->c.length        = l_sqrt(l, l_dot(l, d, d));
    if (law && length) return cd_element_fail(&h->e, law, "'length' and 'law' exclude each other");
    if (law) {
        h->c.length = 0;
        return cd_law(&h->e, law, 1, &h->c.law[0]);
    }
    if (!cd_get_number(&h->e, "length", &h->c.length)) return false;
    if (h->c.length > 0) return true;
    return cd_element_fail(&h->e, length,
                           length ? "the length of a rod must be positive"
                                  : "its markers coincide in the design position, which makes no rod: a spherical "
                                    "joint holds two points together");
}

static bool read_on_curve(holder* h)
{
    const cd_yaml *curve = get(h, "curve"), *law = get(h, "law");
    if (!two_markers(h) || !curve || !cd_read_curve(&h->e, curve, &h->frame[1], &h->c.curve)) return false;
    if (h->c.type[0] != 'f') return true;
    if (!law) return cd_element_fail(&h->e, NULL, "'law' is missing: the parameter of the curve as a function of t");
    return cd_law(&h->e, law, 1, &h->c.law[0]);
}

static bool read_rolling(holder* h)
{
    const cd_yaml* shape = get(h, "shape");
    if (!two_markers(h) || !cd_get_number(&h->e, "radius", &h->c.radius[0])) return false;
    if (h->c.radius[0] == 0) return cd_element_fail(&h->e, get(h, "radius"), "its radius is zero");
    h->c.radius[0] *= h->e.level->placement->sign[2]; // where z is turned over, the plane's other side is up
    h->c.sphere = shape && strcmp(shape->text, "sphere") == 0;
    return true;
}

// Joints

static bool coordinate(holder* h, int i, const cd_yaml* joint, const cd_yaml* which)
{
    const cd_def* def    = cd_refer(&h->e, CD_DEF_JOINT, joint, "joint");
    int           number = 1;
    if (!def || def->index < 0 || !cd_coordinates_of(&h->e.reader->description->joint[def->index], &h->joint[i]))
        return false;
    const cd_coordinates* c = &h->joint[i];
    if (which && !cd_integer(&h->e, which, &number)) return false;
    if (c->nv == 0) return cd_element_fail(&h->e, joint, "joint '%s' is fixed and has no coordinate", def->name);
    if (!which && c->nv > 1)
        return cd_element_fail(&h->e, joint, "joint '%s' has %d coordinates: say which with '%s'", def->name, c->nv,
                               h->c.type[0] == 'd' ? "coordinate" : "coordinates");
    if (number < 1 || number > c->nv)
        return cd_element_fail(&h->e, which, "joint '%s' has coordinates 1 to %d, not %d", def->name, c->nv, number);
    if (c->kind[number - 1] == 'R')
        return cd_element_fail(
            &h->e, which ? which : joint,
            "coordinate %d of joint '%s' belongs to a rotation about three axes and is no angle of its own: use a lock",
            number, def->name);
    h->c.joint[i] = def->index;
    h->c.axis[i]  = number - 1;
    h->sign[i]    = cd_v_sign(h->e.level, c, number - 1);
    h->c.njoint   = i + 1;
    return true;
}

static bool is_angle(const holder* h, int i) { return h->joint[i].kind[h->c.axis[i]] != 't'; }

static bool coordinates(holder* h)
{
    const cd_yaml *list = get(h, h->c.type), *which = get(h, "coordinates");
    if (list->broken || (which && which->broken)) return false;
    if (which && which->count != list->count)
        return cd_element_fail(&h->e, which, "it couples %d joints, and %d coordinates are given", list->count,
                               which->count);
    for (int i = 0; i < list->count; ++i)
        if (!coordinate(h, i, list->entry[i].value, which ? which->entry[i].value : NULL)) return false;
    for (int i = 0; i < list->count; ++i)
        for (int k = 0; k < i; ++k)
            if (h->c.joint[i] == h->c.joint[k] && h->c.axis[i] == h->c.axis[k])
                return cd_element_fail(&h->e, list, "it couples a coordinate with itself");
    return true;
}

static bool angles(const holder* h)
{
    for (int i = 0; i < h->c.njoint; ++i)
        if (!is_angle(h, i))
            return cd_element_fail(&h->e, get(h, h->c.type), "the coordinate of joint '%s' is a way, and a %s turns",
                                   h->e.reader->description->joint[h->c.joint[i]].name, h->c.type);
    return true;
}

// Offset in the unit of coordinate i, with its sign.
static bool offset(holder* h, int i)
{
    const cd_yaml* node = get(h, "offset");
    if (node && !cd_number(&h->e, node, is_angle(h, i) ? CD_UNIT_ANGLE : CD_UNIT_LENGTH, &h->c.offset)) return false;
    h->c.offset *= h->sign[i];
    return true;
}

static bool read_gear(holder* h)
{
    const cd_yaml *teeth = get(h, "teeth"), *ratio = get(h, "ratio"), *internal = get(h, "internal");
    double         z[2] = {1, 1}, r = 1;
    if (!coordinates(h) || !angles(h) || !offset(h, 0)) return false;
    if (!teeth == !ratio)
        return cd_element_fail(&h->e, ratio,
                               teeth ? "'teeth' and 'ratio' exclude each other" : "'teeth' or 'ratio' is missing");
    if (ratio && internal)
        return cd_element_fail(&h->e, internal, "'internal' goes with 'teeth'; a ratio has its own sign");
    if (teeth && !cd_numbers(&h->e, teeth, CD_UNIT_NONE, 2, z)) return false;
    if (!(z[0] > 0 && z[1] > 0)) return cd_element_fail(&h->e, teeth, "numbers of teeth must be positive");
    if (!cd_get_number(&h->e, "ratio", &r)) return false;
    if (r == 0) return cd_element_fail(&h->e, ratio, "its ratio is zero");
    h->c.factor[0] = z[0];
    h->c.factor[1] = (teeth ? flag(h, "internal") ? -z[1] : z[1] : -r) * h->sign[0] * h->sign[1];
    return true;
}

static bool read_coupler(holder* h)
{
    const cd_yaml* factors = get(h, "factors");
    if (!coordinates(h) || !offset(h, 0) || !factors || factors->broken) return false;
    if (factors->count != h->c.njoint)
        return cd_element_fail(&h->e, factors, "it couples %d joints, and %d factors are given", h->c.njoint,
                               factors->count);
    if (!cd_numbers(&h->e, factors, CD_UNIT_NONE, h->c.njoint, h->c.factor)) return false;
    h->c.offset *= h->sign[0]; // a sum has the unit of the first coordinate, not its sign
    for (int i = 0; i < h->c.njoint; ++i) {
        if (h->c.factor[i] == 0)
            return cd_element_fail(&h->e, factors->entry[i].value, "a factor of zero couples nothing");
        h->c.factor[i] *= h->sign[i];
    }
    return true;
}

static bool read_rack_pinion(holder* h)
{
    if (!coordinates(h) || !cd_get_number(&h->e, "radius", &h->c.radius[0])) return false;
    const cd_yaml* list = get(h, "rack_pinion");
    if (!is_angle(h, 0))
        return cd_element_fail(&h->e, list->entry[0].value,
                               "the first joint is the pinion, and its coordinate must be an angle");
    if (is_angle(h, 1))
        return cd_element_fail(&h->e, list->entry[1].value,
                               "the second joint is the rack, and its coordinate must be a way");
    if (h->c.radius[0] == 0) return cd_element_fail(&h->e, get(h, "radius"), "its radius is zero");
    h->c.radius[0] *= h->sign[0] * h->sign[1];
    return offset(h, 1);
}

static bool read_belt(holder* h)
{
    const cd_yaml* radii = get(h, "radii");
    if (!coordinates(h) || !angles(h) || !offset(h, 0) || !radii || radii->broken) return false;
    if (!cd_numbers(&h->e, radii, CD_UNIT_LENGTH, 2, h->c.radius)) return false;
    if (!(h->c.radius[0] > 0 && h->c.radius[1] > 0))
        return cd_element_fail(&h->e, radii, "radii of pulleys must be positive");
    h->c.radius[1] *= (flag(h, "crossed") ? -1 : 1) * h->sign[0] * h->sign[1];
    return true;
}

static bool read_worm(holder* h)
{
    if (!coordinates(h) || !angles(h) || !offset(h, 0)) return false;
    if (!get(h, "ratio"))
        return cd_element_fail(&h->e, NULL, "'ratio' is missing: turns of the worm per turn of the wheel");
    if (!cd_get_number(&h->e, "ratio", &h->c.ratio) || !cd_get_number(&h->e, "efficiency", &h->c.efficiency[0]) ||
        !cd_get_number(&h->e, "back_efficiency", &h->c.efficiency[1]) || !cd_get_number(&h->e, "speed", &h->c.speed))
        return false;
    if (h->c.ratio == 0) return cd_element_fail(&h->e, get(h, "ratio"), "its ratio is zero");
    if (!(h->c.efficiency[0] > 0 && h->c.efficiency[0] <= 1))
        return cd_element_fail(&h->e, get(h, "efficiency"), "an efficiency is above 0 and at most 1");
    if (!(h->c.efficiency[1] <= 1))
        return cd_element_fail(&h->e, get(h, "back_efficiency"), "an efficiency is at most 1");
    if (!(h->c.speed > 0)) return cd_element_fail(&h->e, get(h, "speed"), "the speed of its losses must be positive");
    h->c.ratio *= h->sign[0] * h->sign[1];
    return true;
}

static bool read_driver(holder* h)
{
    const cd_yaml* law = get(h, "law");
    if (!coordinate(h, 0, get(h, "driver"), get(h, "coordinate"))) return false;
    if (!law) return cd_element_fail(&h->e, NULL, "'law' is missing: the coordinate as a function of t");
    return cd_law(&h->e, law, h->sign[0], &h->c.law[0]);
}

static const struct {
    const char* type;
    bool (*read)(holder* h);
} types[] = {
    {"lock", read_lock},
    {"distance", read_distance},
    {"point_on_line", two_markers},
    {"point_in_plane", two_markers},
    {"parallel", two_markers},
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
    const cd_def* def = cd_definition(r, CD_DEF_CONSTRAINT, level, entry);
    size_t        i   = 0;
    (void)section;
    if (!def || entry->value->broken) return true;
    while (i < sizeof types / sizeof *types && !cd_yaml_get(entry->value, types[i].type)) ++i;
    if (i == sizeof types / sizeof *types) return true;
    holder h  = {.e   = {.reader  = r,
                         .level   = level,
                         .node    = entry->value,
                         .section = "constraint",
                         .label   = "constraint",
                         .name    = def->name},
                 .c   = cardan_constraint_default(def->name, types[i].type),
                 .key = entry->key};
    h.c.place = cd_yaml_place(entry->key);
    if (!types[i].read(&h)) {
        entry->value->broken = true;
        return r->status != CARDAN_NO_MEMORY;
    }
    return cardan_add_constraint(r->description, &h.c) != CARDAN_NONE || cd_reader_no_memory(r);
}
