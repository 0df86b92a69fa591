// SPDX-License-Identifier: BSD-3-Clause
// Joints and couplings. Both sides of a joint are written, each in the frame of its own body, so that nothing is
// computed when they are read again.
#include "io/write.h"
#include "model/joint_type.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST = CARDAN_JOINT_MAX };

// Numbers of coordinates and velocities.
static void sizes(const cardan_joint* joint, int* nq, int* nv)
{
    const cd_joint_type* type = cd_joint_type_find(joint->type);
    cd_step              step[CARDAN_JOINT_MAX];
    const int            n = type ? type->steps(joint, step) : 0;
    *nq = *nv = 0;
    for (int i = 0; i < n; ++i) {
        *nq += cd_motion_nq(step[i].motion);
        *nv += cd_motion_nv(step[i].motion);
    }
}

static void write_sides(cd_writer* w, const cardan_joint* joint)
{
    if (joint->first >= 0) cd_write_word(w, 2, "relative", cd_write_body_name(w, joint->first));
    cd_write_list(w, 2, "at", 3, joint->frame_first.p);
    cd_write_turn(w, 2, "orientation", joint->frame_first.q);
    cd_write_list(w, 2, "at_second", 3, joint->frame_second.p);
    cd_write_turn(w, 2, "orientation_second", joint->frame_second.q);
}

static void write_steps(cd_writer* w, const cardan_joint* joint)
{
    if (joint->nstep == 0) return;
    const bool universal = strcmp(joint->type, "universal") == 0;
    cd_write_key(w, 2, universal ? "axes" : "steps");
    cd_text_add(&w->text, " [");
    for (int i = 0; i < joint->nstep; ++i) {
        if (i > 0) cd_text_add(&w->text, ", ");
        if (!universal) cd_text_add(&w->text, joint->step[i].translation ? "{translate: " : "{rotate: ");
        cd_write_numbers(w, 3, joint->step[i].axis);
        if (!universal) cd_text_add(&w->text, "}");
    }
    cd_text_add(&w->text, "]\n");
}

// A field of cardan_axis over the coordinates; `usual` is what it is where nothing was said.
typedef struct field {
    const char* key;
    size_t      offset;
    double      usual;
} field;

static int gather(const cardan_joint* joint, const field* f, double value[MOST])
{
    int said = 0;
    for (int i = 0; i < joint->naxis && i < MOST; ++i) {
        memcpy(&value[i], (const char*)&joint->axis[i] + f->offset, sizeof *value);
        said += value[i] != f->usual;
    }
    return said;
}

// A number for one coordinate, a list for several.
static void write_values(cd_writer* w, int count, const double* value)
{
    if (count == 1)
        cd_write_number(w, value[0]);
    else
        cd_write_numbers(w, count, value);
}

// key: value
static void write_field(cd_writer* w, const cardan_joint* joint, const field* f)
{
    double value[MOST];
    if (!gather(joint, f, value)) return;
    cd_write_key(w, 2, f->key);
    cd_text_add(&w->text, " ");
    write_values(w, joint->naxis, value);
    cd_write_end(w);
}

// key: {a: ..., b: ...} with the fields that say something; nothing if none does.
static void write_fields(cd_writer* w, const cardan_joint* joint, const char* key, int count, const field* f)
{
    double value[MOST];
    int    shown = 0;
    for (int i = 0; i < count; ++i) {
        if (!gather(joint, &f[i], value)) continue;
        if (shown++ == 0) cd_write_key(w, 2, key);
        cd_text_format(&w->text, "%s%s: ", shown == 1 ? " {" : ", ", f[i].key);
        write_values(w, joint->naxis, value);
    }
    if (shown) cd_text_add(&w->text, "}\n");
}

// What one coordinate has most often is written short: limits: [lower, upper], friction: level. True if it was.
static bool write_short_limits(cd_writer* w, const cardan_joint* joint)
{
    const cardan_axis* a = joint->axis;
    if (joint->naxis != 1 || !isfinite(a->lower) || !isfinite(a->upper) || a->stop_stiffness != 0 ||
        a->stop_damping != 0)
        return false;
    cd_write_list(w, 2, "limits", 2, (double[]){a->lower, a->upper});
    return true;
}

static bool write_short_friction(cd_writer* w, const cardan_joint* joint)
{
    const cardan_axis* a = joint->axis;
    if (joint->naxis != 1 || a->friction_forward == 0 || a->friction_forward != a->friction_backward ||
        a->friction_speed != cardan_axis_default().friction_speed)
        return false;
    cd_write_value(w, 2, "friction", a->friction_forward);
    return true;
}

static void write_axes(cd_writer* w, const cardan_joint* joint)
{
    const cardan_axis usual      = cardan_axis_default();
    const field       limits[]   = {{"lower", offsetof(cardan_axis, lower), usual.lower},
                                    {"upper", offsetof(cardan_axis, upper), usual.upper},
                                    {"stiffness", offsetof(cardan_axis, stop_stiffness), 0},
                                    {"damping", offsetof(cardan_axis, stop_damping), 0}};
    const field       spring[]   = {{"stiffness", offsetof(cardan_axis, stiffness), 0},
                                    {"rest", offsetof(cardan_axis, rest), 0}};
    const field       friction[] = {{"forward", offsetof(cardan_axis, friction_forward), 0},
                                    {"backward", offsetof(cardan_axis, friction_backward), 0},
                                    {"speed", offsetof(cardan_axis, friction_speed), usual.friction_speed}};
    const field       damping    = {"damping", offsetof(cardan_axis, damping), 0};
    const field       armature   = {"armature", offsetof(cardan_axis, armature), 0};
    if (!write_short_limits(w, joint)) write_fields(w, joint, "limits", 4, limits);
    write_fields(w, joint, "spring", 2, spring);
    write_field(w, joint, &damping);
    if (!write_short_friction(w, joint)) write_fields(w, joint, "friction", 3, friction);
    write_field(w, joint, &armature);
}

static void write_start(cd_writer* w, const cardan_joint* joint)
{
    int nq, nv;
    sizes(joint, &nq, &nv);
    if (nq == 0 || (!joint->start_q_given && !joint->start_v_given && !joint->start_guess)) return;
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
    if (joint->start_guess) cd_text_format(&w->text, "%sguess: true", before);
    cd_text_add(&w->text, "}\n");
}

// Advance per turn, chosen so that the reader's division by 2 pi gives the pitch back to the last bit where it can.
static double per_turn(double pitch)
{
    const double turn = 2 * 3.14159265358979323846, usual = pitch * turn;
    const double near[] = {usual, nextafter(usual, INFINITY), nextafter(usual, -INFINITY)};
    for (int i = 0; i < 3; ++i)
        if (near[i] / turn == pitch) return near[i];
    return usual;
}

static void write_joint(cd_writer* w, const cardan_joint* joint)
{
    cd_write_item(w, joint->name);
    cd_write_key(w, 2, joint->type);
    cd_text_add(&w->text, " [");
    cd_write_name(w, cd_write_body_name(w, joint->first));
    cd_text_add(&w->text, ", ");
    cd_write_name(w, cd_write_body_name(w, joint->second));
    cd_text_add(&w->text, "]\n");
    write_sides(w, joint);
    write_steps(w, joint);
    if (strcmp(joint->type, "screw") == 0) cd_write_value(w, 2, "pitch", per_turn(joint->pitch));
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
