// SPDX-License-Identifier: BSD-3-Clause
// URDF joints. The frame of the child is the frame of the joint; the axis is given in it. Cardan's joint frame has z
// along the axis, with R rotating z to the axis:
//
//   x_parent = origin (R motion(q) R^-1) x_child,      frame_first = origin R,   frame_second = R
#include "core/memory.h"
#include "io/urdf/urdf.h"
#include "math/quaternion.h"

#include <math.h>
#include <string.h>

// Joint types of URDF, their names in Cardan, and the elements of the joint that apply.
static const struct joint_type_entry {
    const char *urdf, *cardan;
    bool        has_axis;   // <axis> applies
    bool        one_axis;   // one coordinate: limits, damping, friction and mimic apply
    bool        has_limits; // positions have limits
} types[] = {
    {"revolute", "revolute", true, true, true},   {"continuous", "revolute", true, true, false},
    {"prismatic", "prismatic", true, true, true}, {"fixed", "fixed", false, false, false},
    {"floating", "free", false, false, false},    {"planar", "planar", true, false, false},
};

enum { NTYPE = sizeof types / sizeof *types };

static const char* type_name(void* user, int i)
{
    (void)user;
    return i < NTYPE ? types[i].urdf : NULL;
}

static const struct joint_type_entry* read_type(cd_urdf* u, int element, const char* name)
{
    const char* type = cd_urdf_require_attribute(u, element, "type");
    for (int i = 0; type && i < NTYPE; ++i)
        if (strcmp(type, types[i].urdf) == 0) return &types[i];
    if (!type) return NULL;
    const char* suggestion = cd_nearest_name(type, type_name, NULL);
    if (suggestion)
        cd_urdf_fail(u, element, "joint '%s': there is no type '%s' (did you mean '%s'?)", name, type, suggestion);
    else
        cd_urdf_fail(u, element,
                     "joint '%s': there is no type '%s'; types are revolute, continuous, prismatic, fixed, "
                     "floating and planar",
                     name, type);
    return NULL;
}

// Return the link that <parent> or <child> names, or -1.
static int read_end(cd_urdf* u, int element, const char* name, const char* which)
{
    const int end = cd_urdf_single_child(u, element, which);
    if (end < 0) {
        cd_urdf_fail(u, element, "joint '%s' has no <%s>", name, which);
        return -1;
    }
    const char* link = cd_urdf_require_attribute(u, end, "link");
    if (!link) return -1;
    const int found = cd_name_table_find(u->link_names, cd_urdf_link_name(link));
    if (found >= 0) return found;
    const char* suggestion = cd_nearest_name(link, cd_urdf_name_candidate, u->link_names);
    if (suggestion)
        cd_urdf_fail(u, end, "joint '%s': there is no link '%s' (did you mean '%s', line %d?)", name, link, suggestion,
                     cd_xml_at(u->xml, u->link[cd_name_table_find(u->link_names, suggestion)].element)->location.line);
    else
        cd_urdf_fail(u, end, "joint '%s': there is no link '%s'", name, link);
    return -1;
}

// Rotation that takes z to the unit vector `axis`; exact for coordinate axes.
static void rotation_z_to(const double axis[3], double q[4])
{
    // a rotation by 120 degrees about a space diagonal permutes the axes without round-off
    static const struct {
        double axis[3], q[4];
    } exact[] = {
        {{1, 0, 0}, {0.5, 0.5, 0.5, 0.5}},    {{0, 1, 0}, {0.5, -0.5, -0.5, -0.5}}, {{0, 0, 1}, {1, 0, 0, 0}},
        {{-1, 0, 0}, {0.5, 0.5, -0.5, -0.5}}, {{0, -1, 0}, {0.5, 0.5, 0.5, -0.5}},  {{0, 0, -1}, {0, 1, 0, 0}},
    };
    for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i)
        if (axis[0] == exact[i].axis[0] && axis[1] == exact[i].axis[1] && axis[2] == exact[i].axis[2]) {
            memcpy(q, exact[i].q, sizeof exact[i].q);
            return;
        }
    // shortest rotation from z, or from -z after 180 degrees about x, so that 1 + cos(angle) is not close to 0
    const double sign               = axis[2] < 0 ? -1 : 1;
    const double rotation[4]        = {1 + sign * axis[2], -sign * axis[1], sign * axis[0], 0};
    const double half_revolution[4] = {0, 1, 0, 0};
    memcpy(q, rotation, sizeof rotation);
    if (sign < 0) q4_mul(rotation, half_revolution, q);
    q4_normalize(q);
}

static void read_axis(cd_urdf* u, urdf_joint* joint)
{
    double    a[3]    = {1, 0, 0};
    const int element = cd_urdf_single_child(u, joint->element, "axis");
    if (element >= 0) cd_urdf_read_numbers(u, element, "xyz", true, 3, a);
    const double largest = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
    if (largest == 0) {
        cd_urdf_fail(u, element, "joint '%s': the axis is zero", joint->name);
        return;
    }
    for (int i = 0; i < 3; ++i) a[i] /= largest;
    const double norm = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; ++i) a[i] /= norm;
    rotation_z_to(a, joint->axis_frame.q);
}

static void read_limit(cd_urdf* u, urdf_joint* joint, bool limited)
{
    const int limit = cd_urdf_single_child(u, joint->element, "limit");
    if (limit < 0) {
        if (limited)
            cd_urdf_warn(u, joint->element, "joint '%s' has no <limit>; its motion is not limited", joint->name);
        return;
    }
    double     lower = 0, upper = 0, unused;
    const bool low    = cd_urdf_read_number(u, limit, "lower", false, &lower),
               high   = cd_urdf_read_number(u, limit, "upper", false, &upper);
    const bool effort = cd_urdf_read_number(u, limit, "effort", false, &unused),
               speed  = cd_urdf_read_number(u, limit, "velocity", false, &unused);
    if (effort || speed) cd_urdf_note(u, limit, "limits of effort and velocity are ignored; position limits are used");
    if (!limited && (low || high)) cd_urdf_note(u, limit, "position limits of continuous joints are ignored");
    if (!limited || (!low && !high)) return;
    if (lower > upper)
        cd_urdf_fail(u, limit, "joint '%s': the lower limit %g is above the upper limit %g", joint->name, lower, upper);
    joint->axis.lower = lower;
    joint->axis.upper = upper;
}

static void read_dynamics(cd_urdf* u, urdf_joint* joint)
{
    const int dynamics = cd_urdf_single_child(u, joint->element, "dynamics");
    if (dynamics < 0) return;
    double friction = 0;
    cd_urdf_read_number(u, dynamics, "damping", false, &joint->axis.damping);
    cd_urdf_read_number(u, dynamics, "friction", false, &friction);
    if (joint->axis.damping < 0)
        cd_urdf_fail(u, dynamics, "joint '%s': damping %g is negative", joint->name, joint->axis.damping);
    if (friction < 0) cd_urdf_fail(u, dynamics, "joint '%s': friction %g is negative", joint->name, friction);
    joint->axis.friction_forward = joint->axis.friction_backward = friction;
}

// Note an element that does not apply to a joint of this type.
static void note_ignored(cd_urdf* u, const urdf_joint* joint, const char* type, const char* child)
{
    const int element = cd_xml_child(u->xml, joint->element, child);
    if (element < 0) return;
    cd_xml_element* e = cd_xml_at(u->xml, element);
    for (int i = 0; i < e->nattribute; ++i) e->attribute[i].used = true;
    cd_urdf_note(u, element, "<%s> of a %s joint is not used", child, type);
}

static void read_joint(cd_urdf* u, int element, const char* name)
{
    const struct joint_type_entry* type  = read_type(u, element, name);
    urdf_joint                     joint = {.name    = name,
                                            .element = element,
                                            .type    = type ? type->cardan : NULL,
                                            .axis    = cardan_axis_properties_default(),
                                            .mimic   = -1};
    joint.parent                         = read_end(u, element, name, "parent");
    joint.child                          = read_end(u, element, name, "child");
    joint.axis_frame                     = cardan_pose_default();
    cd_urdf_read_origin(u, element, &joint.origin);
    if (!type) return;

    if (type->has_axis)
        read_axis(u, &joint);
    else
        note_ignored(u, &joint, type->urdf, "axis");
    joint.has_axis = type->one_axis;
    if (type->one_axis) {
        read_limit(u, &joint, type->has_limits);
        read_dynamics(u, &joint);
        joint.mimic = cd_urdf_single_child(u, element, "mimic");
    } else {
        note_ignored(u, &joint, type->urdf, "limit");
        note_ignored(u, &joint, type->urdf, "dynamics");
        note_ignored(u, &joint, type->urdf, "mimic");
    }
    if (!cd_array_grow((void**)&u->joint, &u->joint_capacity, u->njoint, sizeof joint) ||
        !cd_name_table_add(u->joint_names, name, u->njoint)) {
        u->no_memory = true;
        return;
    }
    u->joint[u->njoint++] = joint;
}

void cd_urdf_read_joints(cd_urdf* u)
{
    for (int e = cd_xml_child(u->xml, 0, "joint"); e >= 0 && !u->no_memory; e = cd_xml_next(u->xml, e, "joint")) {
        const char* name = cd_urdf_require_name(u, e);
        if (!name) continue;
        const int known = cd_name_table_find(u->joint_names, name);
        if (known >= 0)
            cd_urdf_fail(u, e, "there are two joints '%s'; the first is on line %d", name,
                         cd_xml_at(u->xml, u->joint[known].element)->location.line);
        else
            read_joint(u, e, name);
    }
}

static void add_joint(cd_urdf* u, const urdf_joint* from)
{
    cardan_joint joint                 = cardan_joint_default(from->name, from->type, from->parent, from->child);
    joint.frame_first                  = pose_mul(from->origin, from->axis_frame);
    joint.frame_second                 = from->axis_frame;
    joint.location                     = cd_xml_at(u->xml, from->element)->location;
    const cardan_axis_properties  none = cardan_axis_properties_default();
    const cardan_axis_properties* axis = &from->axis;
    const bool                    has_defaults_only =
        axis->lower == none.lower && axis->upper == none.upper && axis->damping == 0 && axis->friction_forward == 0;
    if (from->has_axis && !has_defaults_only) {
        joint.naxis = 1;
        joint.axis  = axis;
    }
    if (cardan_description_add_joint(u->description, &joint) < 0) u->no_memory = true;
}

static void add_coupling(cd_urdf* u, int index)
{
    const urdf_joint* joint = &u->joint[index];
    const char*       name  = cd_urdf_require_attribute(u, joint->mimic, "joint");
    cardan_coupling   c     = {.joint = index, .factor = 1, .location = cd_xml_at(u->xml, joint->mimic)->location};
    cd_urdf_read_number(u, joint->mimic, "multiplier", false, &c.factor);
    cd_urdf_read_number(u, joint->mimic, "offset", false, &c.offset);
    if (!name) return;
    c.other = cd_name_table_find(u->joint_names, name);
    if (c.other < 0) {
        const char* suggestion = cd_nearest_name(name, cd_urdf_name_candidate, u->joint_names);
        if (suggestion)
            cd_urdf_fail(u, joint->mimic, "joint '%s' mimics '%s', which is not a joint (did you mean '%s'?)",
                         joint->name, name, suggestion);
        else
            cd_urdf_fail(u, joint->mimic, "joint '%s' mimics '%s', which is not a joint", joint->name, name);
    } else if (c.other == index) {
        cd_urdf_fail(u, joint->mimic, "joint '%s' mimics itself", joint->name);
    } else if (!u->joint[c.other].has_axis) {
        cd_urdf_fail(u, joint->mimic, "joint '%s' mimics '%s', which does not have exactly one coordinate", joint->name,
                     name);
    } else if (cardan_description_add_coupling(u->description, &c) < 0) {
        u->no_memory = true;
    }
}

// Add the joint from ground to the root, with a unique name: fixed, or free and named after the link.
static void attach_root(cd_urdf* u)
{
    const bool is_floating = u->options->floating_base;
    cd_text    name        = {0};
    cd_text_format(&name, is_floating ? "%s" : "%s_on_ground", u->link[u->root].name);
    while (!name.failed && cd_name_table_find(u->joint_names, name.data) >= 0) cd_text_add(&name, "_");
    cardan_joint joint = cardan_joint_default(name.data, is_floating ? "free" : "fixed", CARDAN_GROUND, u->root);
    joint.location     = cd_xml_at(u->xml, u->link[u->root].element)->location;
    if (name.failed || cardan_description_add_joint(u->description, &joint) < 0) u->no_memory = true;
    cd_text_free(&name);
}

void cd_urdf_add_joints(cd_urdf* u)
{
    for (int i = 0; i < u->njoint && !u->no_memory; ++i) add_joint(u, &u->joint[i]);
    for (int i = 0; i < u->njoint && !u->no_memory; ++i)
        if (u->joint[i].mimic >= 0) add_coupling(u, i);
    if (!u->no_memory) attach_root(u);
}
