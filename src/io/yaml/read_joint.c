// SPDX-License-Identifier: BSD-3-Clause
// Joints: two bodies, a joint frame on each, axis properties and start values.
#include "io/yaml/read_model.h"

#include "io/io_tolerances.h"
#include "math/pi.h"
#include "model/joint/joint_type.h"

#include <math.h>
#include <string.h>

typedef struct joint_builder {
    cd_model_element e;
    cardan_joint     joint;
    cd_definition *  first, *second;
    cd_frame         base;    // in which numbers are given
    double           sign[3]; // keeps the joint frame right-handed and the meaning of its coordinates
    double           R[3][3]; // joint frame in the base
    cd_frame         frame;   // joint frame on the first body, in the world
} joint_builder;

static const cd_yaml* get(const joint_builder* m, const char* key) { return cd_yaml_get(m->e.node, key); }
static bool is_type(const joint_builder* m, const char* types) { return cd_word_list_contains(m->joint.type, types); }

static const cd_yaml* type_entry(const cd_yaml* node, const char** type)
{
    for (int i = 0; i < cd_joint_type_count(); ++i) {
        *type               = cd_joint_type_at(i)->name;
        const cd_yaml* pair = cd_yaml_get(node, *type);
        if (pair) return pair;
    }
    return NULL;
}

static bool find_bodies(joint_builder* m, const cd_yaml* pair)
{
    if (pair->has_error) return false;
    const bool first = cd_read_body_reference(&m->e, pair->entry[0].value, &m->first);
    if (!cd_read_body_reference(&m->e, pair->entry[1].value, &m->second) || !first) return false;
    if (m->first == m->second) return cd_element_fail(&m->e, pair, "it connects '%s' to itself", m->first->name);
    m->joint.first_body  = m->first->index;
    m->joint.second_body = m->second->index;
    return true;
}

// Choose the signs of the axes of the joint frame in a mirrored level. Rotation about z: z becomes -S z, so that
// rotations keep their sign; translation along z: z becomes S z.
static void choose_sign(joint_builder* m)
{
    const cd_placement* p = m->e.level->placement;
    memcpy(m->sign, p->sign, sizeof m->sign);
    if (!is_type(m, "revolute prismatic cylindrical screw planar")) return;
    m->sign[0] = m->sign[1] = m->sign[2] = 1;
    if (p->is_mirrored) m->sign[is_type(m, "prismatic") ? 1 : 2] = -1;
}

static bool read_rotation(joint_builder* m, const char* axis_key, const char* orientation_key, const cd_frame* base,
                          double R[3][3], bool* given)
{
    const cd_yaml *axis = get(m, axis_key), *orientation = get(m, orientation_key);
    double         z[3];
    *given = axis || orientation;
    if (axis && orientation)
        return cd_element_fail(&m->e, orientation, "'%s' and '%s' exclude each other: z of the orientation is the axis",
                               axis_key, orientation_key);
    if (orientation) return cd_read_orientation(&m->e, orientation, base, R);
    if (!axis) return true;
    if (!cd_read_direction(&m->e, axis, base, z)) return false;
    cd_rotation_z_to_axis(cd_element_parametric(&m->e), z, R);
    return true;
}

// Pose of the joint frame on a body. Numbers given in the body's own coordinates keep their bits; an orientation does
// so if the signs of the joint frame are those of the level.
static cardan_pose pose_on(const joint_builder* m, const cd_frame* base, const cd_frame* body, const cd_frame* frame,
                           const cd_yaml* at, const cd_yaml* orientation)
{
    const bool        level   = memcmp(m->sign, m->e.level->placement->sign, sizeof m->sign) == 0;
    const cardan_pose written = cd_read_pose_on_body(&m->e, at, orientation, base, body, frame);
    cardan_pose       pose    = cd_relative_pose(cd_element_parametric(&m->e), body, frame);
    if (at) memcpy(pose.p, written.p, sizeof pose.p);
    if (orientation && level) memcpy(pose.q, written.q, sizeof pose.q);
    return pose;
}

static bool read_first_frame(joint_builder* m)
{
    const cd_yaml* at = get(m, "at");
    double         p[3];
    bool           has_rotation;
    if (!read_rotation(m, "axis", "orientation", &m->base, m->R, &has_rotation)) return false;
    if (!has_rotation && is_type(m, "revolute prismatic cylindrical screw planar"))
        return cd_element_fail(&m->e, NULL, "'axis' is missing");
    if (!at && !is_type(m, "fixed free"))
        return cd_element_fail(&m->e, NULL, "'at' is missing: the position of the joint");
    memcpy(p, m->second->frame->p, sizeof p);
    if (at && !cd_read_position(&m->e, at, &m->base, p)) return false;
    m->frame             = cd_frame_from_base(cd_element_parametric(&m->e), &m->base, p, m->R, m->sign);
    m->joint.frame_first = pose_on(m, &m->base, m->first->frame, &m->frame, at, get(m, "orientation"));
    return true;
}

static bool read_second_frame(joint_builder* m)
{
    const cd_yaml* at    = get(m, "at_second");
    const cd_frame base  = cd_relative_base(m->e.level, m->second->frame);
    cd_frame       frame = m->frame;
    double         R[3][3];
    bool           has_rotation;
    if (!read_rotation(m, "axis_second", "orientation_second", &base, R, &has_rotation)) return false;
    if (has_rotation) frame = cd_frame_from_base(cd_element_parametric(&m->e), &base, frame.p, R, m->sign);
    if (at && !cd_read_position(&m->e, at, &base, frame.p)) return false;
    m->joint.frame_second = pose_on(m, &base, m->second->frame, &frame, at, get(m, "orientation_second"));
    return true;
}

// Set the frames of a free joint without `at`: its coordinates are those of the second body's frame in the first body's
// frame; in the frame of the template if the first body is ground.
static bool set_free_frames(joint_builder* m)
{
    static const char* const keys[] = {"orientation", "relative", "at_second", "orientation_second"};
    for (int i = 0; i < 4; ++i)
        if (get(m, keys[i]))
            return cd_element_fail(&m->e, get(m, keys[i]), "'%s' of a free joint requires 'at'", keys[i]);
    const cd_frame* base   = cd_level_base(m->e.level);
    const bool      ground = m->joint.first_body == CARDAN_GROUND;
    const cd_frame  frame =
        ground ? cd_frame_from_base(cd_element_parametric(&m->e), base, base->p, m->R, m->sign) : *m->first->frame;
    const cardan_pose pose = cd_relative_pose(cd_element_parametric(&m->e), &frame, m->second->frame);
    m->joint.frame_first   = cd_relative_pose(cd_element_parametric(&m->e), m->first->frame, &frame);
    m->joint.start_q_given = true;
    memcpy(m->joint.start_q, pose.p, sizeof pose.p);
    memcpy(m->joint.start_q + 3, pose.q, sizeof pose.q);
    return true;
}

// Add an elementary joint with its axis in the joint frame; translations are reflected as vectors,
// rotations with the opposite sign.
static bool add_elementary_joint(joint_builder* m, const cd_yaml* node, bool translation)
{
    cd_parametric* l    = cd_element_parametric(&m->e);
    cd_frame       base = m->base;
    double         B[3][3], axis[3];
    memcpy(B, m->base.R, sizeof B);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            base.R[i][k] = par_add_product(l, par_add_product(l, par_mul(l, B[i][0], m->R[0][k]), B[i][1], m->R[1][k]),
                                           B[i][2], m->R[2][k]);
    if (!cd_read_direction(&m->e, node, &base, axis)) return false;
    cardan_elementary_joint* elementary = &m->joint.elementary[m->joint.nelementary++];
    elementary->is_translation          = translation;
    const double rotation_sign          = m->e.level->placement->is_mirrored && !translation ? -1 : 1;
    for (int i = 0; i < 3; ++i) elementary->axis[i] = rotation_sign * m->sign[i] * axis[i] + 0.0;
    return true;
}

static bool read_universal_axes(joint_builder* m)
{
    const cd_yaml* axes = get(m, "axes");
    if (!axes) return cd_element_fail(&m->e, NULL, "'axes' is missing, for example [x, y]");
    if (axes->has_error) return false;
    for (int i = 0; i < 2; ++i)
        if (!add_elementary_joint(m, axes->entry[i].value, false)) return false;
    const double *a = m->joint.elementary[0].axis, *b = m->joint.elementary[1].axis;
    const double  cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    if (fabs(cosine) > 1 - cd_parallel_rotations_tolerance)
        return cd_element_fail(&m->e, axes, "the two axes are parallel");
    if (fabs(cosine) > cd_perpendicular_warning)
        return cd_element_warn(&m->e, axes, "the two axes are not perpendicular; their angle is %.4g degrees",
                               acos(cosine) * 180 / CD_PI);
    return true;
}

static bool read_elementary_joints(joint_builder* m)
{
    const cd_yaml* steps = get(m, "steps");
    if (!steps) return cd_element_fail(&m->e, NULL, "'steps' is missing, for example [{rotate: x}, {translate: z}]");
    if (steps->has_error) return false;
    for (int i = 0; i < steps->count; ++i) {
        const cd_yaml *step = steps->entry[i].value, *rotate = cd_yaml_get(step, "rotate"),
                      *translate = cd_yaml_get(step, "translate");
        if (step->has_error || (!rotate && !translate) ||
            !add_elementary_joint(m, rotate ? rotate : translate, !rotate))
            return false;
    }
    return true;
}

static bool read_pitch(joint_builder* m)
{
    double advance = 0;
    if (!get(m, "pitch")) return cd_element_fail(&m->e, NULL, "'pitch' is missing: the translation per revolution");
    if (!cd_read_number_key(&m->e, "pitch", &advance)) return false;
    m->joint.pitch =
        par_div(cd_element_parametric(&m->e), advance, 2 * CD_PI) * (m->e.level->placement->is_mirrored ? -1 : 1);
    return true;
}

static bool build_joint(joint_builder* m, const cd_yaml* pair, cardan_axis_properties* axis)
{
    if (!find_bodies(m, pair) || !cd_read_base(&m->e, &m->base)) return false;
    choose_sign(m);
    if (is_type(m, "free") && !get(m, "at")) {
        if (!set_free_frames(m)) return false;
    } else if (!read_first_frame(m) || !read_second_frame(m)) {
        return false;
    }
    if (is_type(m, "universal") && !read_universal_axes(m)) return false;
    if (is_type(m, "general") && !read_elementary_joints(m)) return false;
    if (is_type(m, "screw") && !read_pitch(m)) return false;

    cd_coordinate_layout c;
    if (!cd_coordinate_layout_of(&m->joint, &c)) return false;
    const bool axes = cd_read_axis_properties(&m->e, &c, axis, &m->joint.naxis);
    m->joint.axis   = m->joint.naxis ? axis : NULL;
    return cd_read_start(&m->e, &c, &m->joint) && axes;
}

bool cd_read_joint(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    const char*    type;
    cd_definition* def  = cd_find_entry_definition(r, CD_DEFINITION_JOINT, level, entry);
    const cd_yaml* pair = type_entry(entry->value, &type);
    if (!def || !pair || entry->value->has_error) return true;
    joint_builder          m = {.e     = {.reader  = r,
                                          .level   = level,
                                          .node    = entry->value,
                                          .section = "joint",
                                          .label   = "joint",
                                          .name    = def->name},
                                .joint = cardan_joint_default(def->name, type, CARDAN_GROUND, CARDAN_GROUND),
                                .R     = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    cardan_axis_properties axis[CARDAN_JOINT_VELOCITIES_MAX];
    (void)section;
    m.joint.location = cd_yaml_location(entry->key);
    if (!build_joint(&m, pair, axis)) {
        entry->value->has_error = true;
        return r->status != CARDAN_NO_MEMORY;
    }
    def->index = cardan_description_add_joint(r->description, &m.joint);
    return def->index != CARDAN_NONE || cd_reader_fail_no_memory(r);
}

bool cd_read_coupling(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    const cd_model_element e = {
        .reader = r, .level = level, .node = entry->value, .section = "coupling", .label = "coupling"};
    const cd_yaml *joint = cd_yaml_get(entry->value, "joint"), *to = cd_yaml_get(entry->value, "to");
    (void)section;
    if (entry->value->has_error || !joint || !to) return true;
    const cd_definition* follower = cd_resolve_reference(&e, CD_DEFINITION_JOINT, joint, "joint");
    const cd_definition* leader   = cd_resolve_reference(&e, CD_DEFINITION_JOINT, to, "joint");
    if (!follower || !leader || follower->index < 0 || leader->index < 0) return true;
    cardan_coupling coupling = {
        .joint = follower->index, .other = leader->index, .factor = 1, .location = cd_yaml_location(entry->value)};
    const cd_yaml*                offset = cd_yaml_get(entry->value, "offset");
    cd_coordinate_layout          c[2];
    const cardan_description_view view = cardan_description_get_view(r->description);
    if (!cd_coordinate_layout_of(&view.joint[follower->index], &c[0]) ||
        !cd_coordinate_layout_of(&view.joint[leader->index], &c[1]))
        return true;
    if (c[0].nq != 1 || c[1].nq != 1)
        return cd_element_fail(&e, joint, "a coupling requires joints with one coordinate"), true;
    if (!cd_read_number_key(&e, "factor", &coupling.factor)) return true;
    if (offset && !cd_read_number(&e, offset, c[0].kind[0] == 't' ? CD_UNIT_LENGTH : CD_UNIT_ANGLE, &coupling.offset))
        return true;
    return cardan_description_add_coupling(r->description, &coupling) != CARDAN_NONE || cd_reader_fail_no_memory(r);
}
