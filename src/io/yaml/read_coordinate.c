// SPDX-License-Identifier: BSD-3-Clause
// Joint coordinates: kinds and units, axis properties, start values.
//
// A mirrored joint keeps its coordinates: a rotation by q about u is reflected into one by q about -S u, a translation
// q along u into q along S u, and the joint frame is chosen accordingly. Signs change only if one axis serves both
// kinds (cylindrical: the translation) and if components refer to the axes of a frame (spherical, free: S for
// translations, -S for rotations).
#include "io/yaml/read_model.h"

#include "model/joint/joint_type.h"

#include <math.h>
#include <string.h>

bool cd_coordinate_layout_of(const cardan_joint* joint, cd_coordinate_layout* c)
{
    static const char* const letters[] = {
        [CD_REVOLUTE] = "r", [CD_PRISMATIC] = "t", [CD_SCREW] = "r", [CD_SPHERICAL] = "RRR", [CD_FREE] = "tttRRR"};
    const cd_joint_type* type = cd_joint_type_find(joint->type);
    cd_elementary_joint  elementary[CARDAN_JOINT_VELOCITIES_MAX];
    *c = (cd_coordinate_layout){.type = joint->type};
    if (!type) return false;
    const int count = type->elementary_joints(joint, elementary);
    for (int i = 0; i < count; ++i) {
        strcat(c->kind, letters[elementary[i].motion]);
        c->nq += cd_motion_nq(elementary[i].motion);
        c->nv += cd_motion_nv(elementary[i].motion);
    }
    return true;
}

double cd_v_sign(const cd_level* level, const cd_coordinate_layout* c, int i)
{
    const cd_placement* p = level->placement;
    const double        d = p->is_mirrored ? -1 : 1;
    if (strcmp(c->type, "cylindrical") == 0 && i == 1) return d;
    if (c->kind[i] == 'R') return d * p->sign[i % 3];
    if (strcmp(c->type, "free") == 0) return p->sign[i];
    return 1;
}

double cd_q_sign(const cd_level* level, const cd_coordinate_layout* c, int i)
{
    if (c->nq == c->nv) return cd_v_sign(level, c, i);
    const int scalar = c->nq - 4; // index of the scalar part of the quaternion
    return i < scalar ? cd_v_sign(level, c, i) : i == scalar ? 1 : cd_v_sign(level, c, i - 1);
}

// ---- values per coordinate

static bool is_rotation(const cd_coordinate_layout* c, int i) { return c->kind[i] != 't'; }

static cd_unit unit_of(cd_unit unit, bool rotation)
{
    switch (unit) {
    case CD_UNIT_Q:
    case CD_UNIT_V:
        return rotation ? CD_UNIT_ANGLE : CD_UNIT_LENGTH;
    case CD_UNIT_Q_STIFFNESS:
    case CD_UNIT_Q_DAMPING:
        return rotation ? CD_UNIT_TORSION : CD_UNIT_STIFFNESS;
    case CD_UNIT_Q_INERTIA:
        return rotation ? CD_UNIT_INERTIA : CD_UNIT_MASS;
    case CD_UNIT_LENGTH:
        return CD_UNIT_LENGTH;
    default:
        return CD_UNIT_NONE;
    }
}

static bool has_single_kind(const cd_coordinate_layout* c)
{
    for (int i = 1; i < c->nv; ++i)
        if (is_rotation(c, i) != is_rotation(c, 0)) return false;
    return true;
}

static bool read_per_coordinate(const cd_model_element* e, const cd_yaml* node, const cd_coordinate_layout* c,
                                cd_unit unit, double* value)
{
    bool (*const read)(const cd_model_element*, const cd_yaml*, cd_unit, double*) =
        strcmp(e->section, "limits") == 0 ? cd_read_bound : cd_read_number;
    if (node->has_error) return false;
    if (node->kind == CD_YAML_SCALAR) {
        if (!has_single_kind(c))
            return cd_element_fail(
                e, node, "a %s joint has rotations and translations: use one value per coordinate, a list of %d",
                c->type, c->nv);
        for (int i = 0; i < c->nv; ++i)
            if (!read(e, node, unit_of(unit, is_rotation(c, i)), &value[i])) return false;
        return true;
    }
    if (node->kind != CD_YAML_LIST) return false;
    if (node->count != c->nv)
        return cd_element_fail(e, node, "a %s joint has %d coordinate%s, but %d values are given", c->type, c->nv,
                               c->nv == 1 ? "" : "s", node->count);
    for (int i = 0; i < c->nv; ++i)
        if (!read(e, node->entry[i].value, unit_of(unit, is_rotation(c, i)), &value[i])) return false;
    return true;
}

// Read a key of a map; value is unchanged if it is absent.
static bool read_per_coordinate_key(const cd_model_element* e, const char* key, const cd_coordinate_layout* c,
                                    double* value)
{
    const cd_yaml* node = cd_yaml_get(e->node, key);
    return !node || read_per_coordinate(e, node, c, cd_key_find(e->section, key)->unit, value);
}

static cd_model_element sub_element(const cd_model_element* e, cd_yaml* node, const char* section)
{
    cd_model_element inner = *e;
    inner.node             = node;
    inner.section          = section;
    return inner;
}

#define FOR_EACH_VELOCITY(i) for (int i = 0; i < c->nv; ++i)

static bool read_spring(const cd_model_element* e, cd_yaml* node, const cd_coordinate_layout* c,
                        cardan_axis_properties* axis)
{
    double                 k[CARDAN_JOINT_VELOCITIES_MAX] = {0}, reference[CARDAN_JOINT_VELOCITIES_MAX] = {0};
    const cd_model_element s = sub_element(e, node, "spring");
    if (node->kind == CD_YAML_MAP
            ? !read_per_coordinate_key(&s, "stiffness", c, k) || !read_per_coordinate_key(&s, "rest", c, reference)
            : !read_per_coordinate(e, node, c, CD_UNIT_Q_STIFFNESS, k))
        return false;
    FOR_EACH_VELOCITY(i)
    {
        axis[i].stiffness        = k[i];
        axis[i].spring_reference = reference[i] * cd_v_sign(e->level, c, i);
    }
    return true;
}

// Levels of dry friction per coordinate, as in the file.
typedef struct friction_levels {
    double forward[CARDAN_JOINT_VELOCITIES_MAX], backward[CARDAN_JOINT_VELOCITIES_MAX];
    double static_forward[CARDAN_JOINT_VELOCITIES_MAX], static_backward[CARDAN_JOINT_VELOCITIES_MAX];
    double speed[CARDAN_JOINT_VELOCITIES_MAX];
    double load[CARDAN_JOINT_VELOCITIES_MAX], load_static[CARDAN_JOINT_VELOCITIES_MAX];
    double radius[CARDAN_JOINT_VELOCITIES_MAX];
    bool   sticks;
} friction_levels;

// Read the levels of both directions: by `both`, or by the keys of the directions.
static bool read_two_levels(const cd_model_element* f, const cd_coordinate_layout* c, const char* both,
                            const char* forward_key, const char* backward_key, double* forward, double* backward)
{
    const cd_yaml *node = cd_yaml_get(f->node, both), *other = cd_yaml_get(f->node, forward_key);
    if (!other) other = cd_yaml_get(f->node, backward_key);
    if (node && other) return cd_element_fail(f, other, "'%s' excludes '%s' and '%s'", both, forward_key, backward_key);
    if (!node)
        return read_per_coordinate_key(f, forward_key, c, forward) &&
               read_per_coordinate_key(f, backward_key, c, backward);
    if (!read_per_coordinate_key(f, both, c, forward)) return false;
    memcpy(backward, forward, (size_t)c->nv * sizeof *backward);
    return true;
}

static bool check_friction_load(const cd_model_element* e, const cd_yaml* node, const cd_coordinate_layout* c,
                                const friction_levels* f)
{
    FOR_EACH_VELOCITY(i)
    {
        if (f->load[i] < 0 || f->radius[i] < 0)
            return cd_element_fail(e, node, "'load' or 'radius' of friction is negative");
        if (f->load_static[i] < f->load[i])
            return cd_element_fail(e, node, "'load_static' of friction is below 'load'");
        if (f->load_static[i] > 0 && is_rotation(c, i) && f->radius[i] == 0)
            return cd_element_fail(e, node, "friction by load of a rotation requires a 'radius'");
    }
    return true;
}

// Read the keys of a map; friction sticks if one of the keys that only this friction has is given.
static bool read_friction_map(const cd_model_element* e, cd_yaml* node, const cd_coordinate_layout* c,
                              friction_levels* f)
{
    static const char* const of_stiction[] = {"static", "static_forward", "static_backward", "load", "load_static"};
    const cd_model_element   m             = sub_element(e, node, "friction");
    const cd_yaml*           stick         = cd_yaml_get(node, "stick");
    for (size_t i = 0; i < sizeof of_stiction / sizeof *of_stiction; ++i)
        f->sticks |= cd_yaml_get(node, of_stiction[i]) != NULL;
    const bool needs = f->sticks;
    if (stick && !cd_read_boolean(e, stick, &f->sticks)) return false;
    if (needs && !f->sticks)
        return cd_element_fail(e, stick, "static friction and friction by load stick: remove 'stick: false'");
    if (f->sticks && cd_yaml_get(node, "speed"))
        return cd_element_fail(e, cd_yaml_get(node, "speed"), "friction that sticks is not smoothed: remove 'speed'");
    if (!read_two_levels(&m, c, "level", "forward", "backward", f->forward, f->backward)) return false;
    memcpy(f->static_forward, f->forward, sizeof f->forward);
    memcpy(f->static_backward, f->backward, sizeof f->backward);
    if (!read_two_levels(&m, c, "static", "static_forward", "static_backward", f->static_forward, f->static_backward) ||
        !read_per_coordinate_key(&m, "speed", c, f->speed) || !read_per_coordinate_key(&m, "load", c, f->load))
        return false;
    memcpy(f->load_static, f->load, sizeof f->load);
    return read_per_coordinate_key(&m, "load_static", c, f->load_static) &&
           read_per_coordinate_key(&m, "radius", c, f->radius) && check_friction_load(e, node, c, f);
}

static bool read_friction(const cd_model_element* e, cd_yaml* node, const cd_coordinate_layout* c,
                          cardan_axis_properties* axis)
{
    friction_levels f               = {.sticks = false};
    FOR_EACH_VELOCITY(i) f.speed[i] = axis[i].friction_speed;
    if (node->kind == CD_YAML_MAP) {
        if (!read_friction_map(e, node, c, &f)) return false;
    } else {
        if (!read_per_coordinate(e, node, c, CD_UNIT_Q_FORCE, f.forward)) return false;
        memcpy(f.backward, f.forward, sizeof f.forward);
    }
    FOR_EACH_VELOCITY(i)
    {
        if (f.forward[i] < 0 || f.backward[i] < 0) return cd_element_fail(e, node, "the friction is negative");
        if (!(f.speed[i] > 0)) return cd_element_fail(e, node, "the 'speed' of friction must be positive");
        if (f.sticks && (f.static_forward[i] < f.forward[i] || f.static_backward[i] < f.backward[i]))
            return cd_element_fail(e, node, "the static friction is below the friction in motion");
        const bool reversed       = cd_v_sign(e->level, c, i) < 0;
        axis[i].friction_forward  = reversed ? f.backward[i] : f.forward[i];
        axis[i].friction_backward = reversed ? f.forward[i] : f.backward[i];
        axis[i].friction_speed    = f.speed[i];
        if (!f.sticks || (f.static_forward[i] == 0 && f.static_backward[i] == 0 && f.load_static[i] == 0)) continue;
        axis[i].sticking_friction        = true;
        axis[i].static_friction_forward  = reversed ? f.static_backward[i] : f.static_forward[i];
        axis[i].static_friction_backward = reversed ? f.static_forward[i] : f.static_backward[i];
        axis[i].load_friction_kinetic    = f.load[i];
        axis[i].load_friction_static     = f.load_static[i];
        axis[i].load_radius              = f.radius[i];
    }
    return true;
}

// Read [lower, upper] for all coordinates, or one pair per coordinate.
static bool limit_pairs(const cd_model_element* e, const cd_yaml* node, const cd_coordinate_layout* c, double* lower,
                        double* upper)
{
    const bool pairs = node->entry[0].value->kind == CD_YAML_LIST;
    if (!pairs && node->count != 2)
        return cd_element_fail(e, node, "'limits' must be [lower, upper] or a list of such pairs");
    if (pairs && node->count != c->nv)
        return cd_element_fail(e, node, "a %s joint has %d coordinate%s, but limits of %d are given", c->type, c->nv,
                               c->nv == 1 ? "" : "s", node->count);
    if (!pairs && !has_single_kind(c))
        return cd_element_fail(e, node, "a %s joint has rotations and translations: use one pair per coordinate",
                               c->type);
    FOR_EACH_VELOCITY(i)
    {
        const cd_yaml* pair = pairs ? node->entry[i].value : node;
        if (pair->kind != CD_YAML_LIST)
            return cd_element_fail(e, pair, "'limits' must be [lower, upper] or a list of such pairs");
        const cd_unit unit = unit_of(CD_UNIT_Q, is_rotation(c, i));
        if (!cd_read_bound(e, pair->entry[0].value, unit, &lower[i]) ||
            !cd_read_bound(e, pair->entry[1].value, unit, &upper[i]))
            return false;
    }
    return true;
}

// Read `stop` and `restitution` of limits.
static bool read_stops(const cd_model_element* l, const cd_coordinate_layout* c, cardan_axis_properties* axis)
{
    const cd_yaml *stop = cd_yaml_get(l->node, "stop"), *restitution = cd_yaml_get(l->node, "restitution");
    double         ratio[CARDAN_JOINT_VELOCITIES_MAX] = {0};
    if (!stop && restitution) return cd_element_fail(l, restitution, "'restitution' requires 'stop: rigid'");
    if (!stop) return true;
    if (cd_yaml_get(l->node, "stiffness") || cd_yaml_get(l->node, "damping"))
        return cd_element_fail(l, stop, "'stop: rigid' excludes 'stiffness' and 'damping'");
    if (!read_per_coordinate_key(l, "restitution", c, ratio)) return false;
    FOR_EACH_VELOCITY(i)
    {
        if (!(ratio[i] >= 0 && ratio[i] <= 1))
            return cd_element_fail(l, restitution, "'restitution' must be between 0 and 1, not %g", ratio[i]);
        axis[i].rigid_stop       = isfinite(axis[i].lower) || isfinite(axis[i].upper);
        axis[i].stop_restitution = axis[i].rigid_stop ? ratio[i] : 0;
    }
    return true;
}

static bool read_limits(const cd_model_element* e, cd_yaml* node, const cd_coordinate_layout* c,
                        cardan_axis_properties* axis)
{
    double lower[CARDAN_JOINT_VELOCITIES_MAX], upper[CARDAN_JOINT_VELOCITIES_MAX], k[CARDAN_JOINT_VELOCITIES_MAX] = {0},
                                                                                   d[CARDAN_JOINT_VELOCITIES_MAX] = {0};
    const cd_model_element l      = sub_element(e, node, "limits");
    FOR_EACH_VELOCITY(i) lower[i] = -INFINITY, upper[i] = INFINITY;
    if (node->kind == CD_YAML_LIST) {
        if (!limit_pairs(e, node, c, lower, upper)) return false;
    } else if (!read_per_coordinate_key(&l, "lower", c, lower) || !read_per_coordinate_key(&l, "upper", c, upper) ||
               !read_per_coordinate_key(&l, "stiffness", c, k) || !read_per_coordinate_key(&l, "damping", c, d)) {
        return false;
    }
    FOR_EACH_VELOCITY(i)
    {
        if (lower[i] > upper[i]) return cd_element_fail(e, node, "the lower limit is above the upper limit");
        if (k[i] < 0 || d[i] < 0) return cd_element_fail(e, node, "the stiffness or damping of a stop is negative");
        const bool reversed    = cd_v_sign(e->level, c, i) < 0;
        axis[i].lower          = reversed ? -upper[i] : lower[i];
        axis[i].upper          = reversed ? -lower[i] : upper[i];
        axis[i].stop_stiffness = k[i];
        axis[i].stop_damping   = d[i];
    }
    return node->kind != CD_YAML_MAP || read_stops(&l, c, axis);
}

bool cd_read_axis_properties(const cd_model_element* e, const cd_coordinate_layout* c,
                             cardan_axis_properties axis[CARDAN_JOINT_VELOCITIES_MAX], int* naxis)
{
    cd_yaml *spring = cd_yaml_get(e->node, "spring"), *friction = cd_yaml_get(e->node, "friction"),
            *limits  = cd_yaml_get(e->node, "limits");
    cd_yaml *damping = cd_yaml_get(e->node, "damping"), *armature = cd_yaml_get(e->node, "armature");
    double   d[CARDAN_JOINT_VELOCITIES_MAX] = {0}, m[CARDAN_JOINT_VELOCITIES_MAX] = {0};
    if (!spring && !friction && !limits && !damping && !armature) return true;
    FOR_EACH_VELOCITY(i) axis[i] = cardan_axis_properties_default();
    *naxis                       = c->nv;
    if (spring && (spring->has_error || !read_spring(e, spring, c, axis))) return false;
    if (friction && (friction->has_error || !read_friction(e, friction, c, axis))) return false;
    if (limits && (limits->has_error || !read_limits(e, limits, c, axis))) return false;
    if (!read_per_coordinate_key(e, "damping", c, d) || !read_per_coordinate_key(e, "armature", c, m)) return false;
    FOR_EACH_VELOCITY(i)
    {
        if (m[i] < 0) return cd_element_fail(e, armature, "the armature is negative");
        axis[i].damping  = d[i];
        axis[i].armature = m[i];
    }
    return true;
}

// ---- start values

static bool start_values(const cd_model_element* e, const cd_yaml* node, const cd_coordinate_layout* c, bool velocity,
                         double* value)
{
    const int      count = velocity ? c->nv : c->nq;
    const cd_yaml* one[1];
    if (node->has_error) return false;
    if (node->kind == CD_YAML_SCALAR ? count != 1 : node->count != count)
        return cd_element_fail(e, node, "the start of a %s joint has %d value%s of %s, but %d %s given", c->type, count,
                               count == 1 ? "" : "s", velocity ? "v" : "q",
                               node->kind == CD_YAML_SCALAR ? 1 : node->count,
                               node->kind == CD_YAML_SCALAR || node->count == 1 ? "is" : "are");
    one[0] = node;
    for (int i = 0; i < count; ++i) {
        const cd_yaml* item          = node->kind == CD_YAML_SCALAR ? one[0] : node->entry[i].value;
        const bool     is_quaternion = !velocity && c->nq != c->nv && i >= c->nq - 4; // component of a quaternion
        if (!cd_read_number(e, item, is_quaternion ? CD_UNIT_NONE : unit_of(CD_UNIT_Q, is_rotation(c, i)), &value[i]))
            return false;
        value[i] *= velocity ? cd_v_sign(e->level, c, i) : cd_q_sign(e->level, c, i);
    }
    return true;
}

bool cd_read_start(const cd_model_element* e, const cd_coordinate_layout* c, cardan_joint* joint)
{
    cd_yaml* node = cd_yaml_get(e->node, "start");
    if (!node) return true;
    if (node->has_error) return false;
    const cd_yaml *q = cd_yaml_get(node, "q"), *v = cd_yaml_get(node, "v"), *guess = cd_yaml_get(node, "guess");
    if (q && !start_values(e, q, c, false, joint->start_q)) return false;
    if (v && !start_values(e, v, c, true, joint->start_v)) return false;
    if (guess && !cd_read_boolean(e, guess, &joint->start_is_guess)) return false;
    joint->start_q_given = joint->start_q_given || q;
    joint->start_v_given = v != NULL;
    if (!q || c->nq == c->nv) return true;
    double* quaternion = joint->start_q + c->nq - 4;
    if (quaternion[0] == 0 && quaternion[1] == 0 && quaternion[2] == 0 && quaternion[3] == 0)
        return cd_element_fail(e, q, "the quaternion is zero; it must not be zero");
    cd_normalize_quaternion(NULL, quaternion);
    return true;
}
