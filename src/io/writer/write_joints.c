// SPDX-License-Identifier: BSD-3-Clause
// Joints and couplings. The joint frames on both bodies are written, each in the frame of its body, so that
// reading computes nothing.
#include "io/writer/write_model.h"
#include "model/joint/joint_type.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MAX_AXES = CARDAN_JOINT_VELOCITIES_MAX };

// Numbers of coordinates and velocities.
static void coordinate_counts(const cardan_joint* joint, int* nq, int* nv)
{
    const cd_joint_type* type = cd_joint_type_find(joint->type);
    cd_elementary_joint  elementary[CARDAN_JOINT_VELOCITIES_MAX];
    const int            n = type ? type->elementary_joints(joint, elementary) : 0;
    *nq = *nv = 0;
    for (int i = 0; i < n; ++i) {
        *nq += cd_motion_nq(elementary[i].motion);
        *nv += cd_motion_nv(elementary[i].motion);
    }
}

static void write_joint_frames(cd_writer* w, const cardan_joint* joint)
{
    if (joint->first_body >= 0) cd_write_word(w, 2, "relative", cd_write_body_name(w, joint->first_body));
    cd_write_list(w, 2, "at", 3, joint->frame_first.p);
    cd_write_orientation(w, 2, "orientation", joint->frame_first.q);
    cd_write_list(w, 2, "at_second", 3, joint->frame_second.p);
    cd_write_orientation(w, 2, "orientation_second", joint->frame_second.q);
}

static void write_elementary_joints(cd_writer* w, const cardan_joint* joint)
{
    if (joint->nelementary == 0) return;
    const bool universal = strcmp(joint->type, "universal") == 0;
    cd_write_key(w, 2, universal ? "axes" : "steps");
    cd_text_add(&w->text, " [");
    for (int i = 0; i < joint->nelementary; ++i) {
        if (i > 0) cd_text_add(&w->text, ", ");
        if (!universal) cd_text_add(&w->text, joint->elementary[i].is_translation ? "{translate: " : "{rotate: ");
        cd_write_numbers(w, 3, joint->elementary[i].axis);
        if (!universal) cd_text_add(&w->text, "}");
    }
    cd_text_add(&w->text, "]\n");
}

// Field of cardan_axis_properties over the coordinates, with its default value.
typedef struct axis_field {
    const char* key;
    size_t      offset;
    double      default_value;
} axis_field;

static int gather_axis_field(const cardan_joint* joint, const axis_field* f, double value[MAX_AXES])
{
    int nspecified = 0;
    for (int i = 0; i < joint->naxis && i < MAX_AXES; ++i) {
        memcpy(&value[i], (const char*)&joint->axis[i] + f->offset, sizeof *value);
        nspecified += value[i] != f->default_value;
    }
    return nspecified;
}

// Write a number for one coordinate, a list for several.
static void write_values(cd_writer* w, int count, const double* value)
{
    if (count == 1)
        cd_write_number(w, value[0]);
    else
        cd_write_numbers(w, count, value);
}

// Write key: value.
static void write_field(cd_writer* w, const cardan_joint* joint, const axis_field* f)
{
    double value[MAX_AXES];
    if (!gather_axis_field(joint, f, value)) return;
    cd_write_key(w, 2, f->key);
    cd_text_add(&w->text, " ");
    write_values(w, joint->naxis, value);
    cd_write_end_of_line(w);
}

// Write key: {word, a: ..., b: ...} with the fields that differ from their defaults; nothing if none does and there is
// no word.
static void write_fields(cd_writer* w, const cardan_joint* joint, const char* key, const char* word, int count,
                         const axis_field* f)
{
    double value[MAX_AXES];
    int    shown = word != NULL;
    if (word) {
        cd_write_key(w, 2, key);
        cd_text_format(&w->text, " {%s", word);
    }
    for (int i = 0; i < count; ++i) {
        if (!gather_axis_field(joint, &f[i], value)) continue;
        if (shown++ == 0) cd_write_key(w, 2, key);
        cd_text_format(&w->text, "%s%s: ", shown == 1 ? " {" : ", ", f[i].key);
        write_values(w, joint->naxis, value);
    }
    if (shown) cd_text_add(&w->text, "}\n");
}

// Write the short form of common values of one coordinate: limits: [lower, upper], friction: level.
// Returns whether it applies.
static bool write_short_limits(cd_writer* w, const cardan_joint* joint)
{
    const cardan_axis_properties* a = joint->axis;
    if (joint->naxis != 1 || !isfinite(a->lower) || !isfinite(a->upper) || a->stop_stiffness != 0 ||
        a->stop_damping != 0 || a->rigid_stop)
        return false;
    cd_write_list(w, 2, "limits", 2, (double[]){a->lower, a->upper});
    return true;
}

static bool write_short_friction(cd_writer* w, const cardan_joint* joint)
{
    const cardan_axis_properties* a = joint->axis;
    if (joint->naxis != 1 || a->sticking_friction || a->friction_forward == 0 ||
        a->friction_forward != a->friction_backward ||
        a->friction_speed != cardan_axis_properties_default().friction_speed)
        return false;
    cd_write_value(w, 2, "friction", a->friction_forward);
    return true;
}

static void write_axes(cd_writer* w, const cardan_joint* joint)
{
    const cardan_axis_properties default_axis = cardan_axis_properties_default();
    const axis_field             limits[]     = {{"lower", offsetof(cardan_axis_properties, lower), default_axis.lower},
                                                 {"upper", offsetof(cardan_axis_properties, upper), default_axis.upper},
                                                 {"stiffness", offsetof(cardan_axis_properties, stop_stiffness), 0},
                                                 {"damping", offsetof(cardan_axis_properties, stop_damping), 0},
                                                 {"restitution", offsetof(cardan_axis_properties, stop_restitution), 0}};
    const axis_field             spring[]     = {{"stiffness", offsetof(cardan_axis_properties, stiffness), 0},
                                                 {"rest", offsetof(cardan_axis_properties, spring_reference), 0}};
    const axis_field             friction[]   = {
                      {"forward", offsetof(cardan_axis_properties, friction_forward), 0},
                      {"backward", offsetof(cardan_axis_properties, friction_backward), 0},
                      {"speed", offsetof(cardan_axis_properties, friction_speed), default_axis.friction_speed}};
    // the static levels of friction that sticks are written even if they are zero: their default is the level in motion
    const axis_field sticking[] = {{"forward", offsetof(cardan_axis_properties, friction_forward), 0},
                                   {"backward", offsetof(cardan_axis_properties, friction_backward), 0},
                                   {"static_forward", offsetof(cardan_axis_properties, static_friction_forward), -1},
                                   {"static_backward", offsetof(cardan_axis_properties, static_friction_backward), -1},
                                   {"load", offsetof(cardan_axis_properties, load_friction_kinetic), 0},
                                   {"load_static", offsetof(cardan_axis_properties, load_friction_static), 0},
                                   {"radius", offsetof(cardan_axis_properties, load_radius), 0}};
    const axis_field damping    = {"damping", offsetof(cardan_axis_properties, damping), 0};
    const axis_field armature   = {"armature", offsetof(cardan_axis_properties, armature), 0};
    bool             rigid_stop = false, sticks = false, all_rigid = true, all_stick = true;
    for (int i = 0; i < joint->naxis; ++i) {
        const cardan_axis_properties* a = &joint->axis[i];
        rigid_stop |= a->rigid_stop;
        sticks |= a->sticking_friction;
        all_rigid &= a->rigid_stop || !(isfinite(a->lower) || isfinite(a->upper));
        all_stick &= a->sticking_friction || (a->friction_forward == 0 && a->friction_backward == 0);
    }
    if (rigid_stop && !all_rigid) cd_write_unsupported(w, "a joint with rigid and compliant stops");
    if (sticks && !all_stick) cd_write_unsupported(w, "a joint with friction that sticks along some coordinates only");
    if (!write_short_limits(w, joint)) write_fields(w, joint, "limits", rigid_stop ? "stop: rigid" : NULL, 5, limits);
    write_fields(w, joint, "spring", NULL, 2, spring);
    write_field(w, joint, &damping);
    if (sticks)
        write_fields(w, joint, "friction", "stick: true", 7, sticking);
    else if (!write_short_friction(w, joint))
        write_fields(w, joint, "friction", NULL, 3, friction);
    write_field(w, joint, &armature);
}

static void write_start(cd_writer* w, const cardan_joint* joint)
{
    int nq, nv;
    coordinate_counts(joint, &nq, &nv);
    if (nq == 0 || (!joint->start_q_given && !joint->start_v_given && !joint->start_is_guess)) return;
    const char* before = " {";
    cd_write_key(w, 2, "start");
    if (joint->start_q_given) {
        cd_text_format(&w->text, "%sq: ", before);
        write_values(w, nq, joint->start_q);
        before = ", ";
    }
    if (joint->start_v_given) {
        cd_text_format(&w->text, "%sv: ", before);
        write_values(w, nv, joint->start_v);
        before = ", ";
    }
    if (joint->start_is_guess) cd_text_format(&w->text, "%sguess: true", before);
    cd_text_add(&w->text, "}\n");
}

// Advance per revolution, chosen so that division by 2 pi in the reader restores the pitch to the last bit if possible.
static double advance_per_revolution(double pitch)
{
    const double two_pi = 2 * 3.14159265358979323846, product = pitch * two_pi;
    const double candidates[] = {product, nextafter(product, INFINITY), nextafter(product, -INFINITY)};
    for (int i = 0; i < 3; ++i)
        if (candidates[i] / two_pi == pitch) return candidates[i];
    return product;
}

static void write_joint(cd_writer* w, const cardan_joint* joint)
{
    cd_write_item(w, joint->name);
    cd_write_key(w, 2, joint->type);
    cd_text_add(&w->text, " [");
    cd_write_name(w, cd_write_body_name(w, joint->first_body));
    cd_text_add(&w->text, ", ");
    cd_write_name(w, cd_write_body_name(w, joint->second_body));
    cd_text_add(&w->text, "]\n");
    write_joint_frames(w, joint);
    write_elementary_joints(w, joint);
    if (strcmp(joint->type, "screw") == 0) cd_write_value(w, 2, "pitch", advance_per_revolution(joint->pitch));
    write_axes(w, joint);
    write_start(w, joint);
    cd_write_drivers(w, joint);
}

void cd_write_joints(cd_writer* w)
{
    if (w->view.njoint > 0) cd_write_heading(w, "joints");
    for (int i = 0; i < w->view.njoint; ++i) write_joint(w, &w->view.joint[i]);
    if (w->view.ncoupling > 0) cd_write_heading(w, "couplings");
    for (int i = 0; i < w->view.ncoupling; ++i) {
        const cardan_coupling* c = &w->view.coupling[i];
        cd_text_add(&w->text, "  - {joint: ");
        cd_write_name(w, w->view.joint[c->joint].name);
        cd_text_add(&w->text, ", to: ");
        cd_write_name(w, w->view.joint[c->other].name);
        cd_text_add(&w->text, ", factor: ");
        cd_write_number(w, c->factor);
        if (c->offset != 0) cd_text_add(&w->text, ", offset: ");
        if (c->offset != 0) cd_write_number(w, c->offset);
        cd_text_add(&w->text, "}\n");
    }
}
