// SPDX-License-Identifier: BSD-3-Clause
// Constraints, and the drivers of joints.
#include "io/writer/write_model.h"

#include <math.h>
#include <string.h>

static void write_driver_function(cd_writer* w, const char* key, cardan_expression function)
{
    cd_write_key(w, 2, key);
    cd_text_add(&w->text, " ");
    cd_write_formula(w, function);
    cd_write_end_of_line(w);
}

static void write_flag(cd_writer* w, const char* key) { cd_text_format(&w->text, "    %s: true\n", key); }

static void write_markers(cd_writer* w, const cardan_constraint* c)
{
    cd_write_key(w, 2, c->type);
    cd_text_add(&w->text, " [");
    cd_write_name(w, cd_write_marker_name(w, c->marker[0]));
    cd_text_add(&w->text, ", ");
    cd_write_name(w, cd_write_marker_name(w, c->marker[1]));
    cd_text_add(&w->text, "]\n");
}

static void write_reference_pose(cd_writer* w, const cardan_constraint* c)
{
    cd_write_key(w, 2, "rest");
    cd_text_add(&w->text, " {at: ");
    cd_write_numbers(w, 3, c->reference.p);
    cd_text_add(&w->text, ", orientation: ");
    cd_write_quaternion(w, c->reference.q);
    cd_text_add(&w->text, "}\n");
}

static void write_lock(cd_writer* w, const cardan_constraint* c)
{
    static const char* const keys[6] = {"x", "y", "z", "rx", "ry", "rz"};
    write_markers(w, c);
    write_reference_pose(w, c);
    for (int i = 0; i < 6; ++i) {
        if (c->driver[i] != CARDAN_NONE)
            write_driver_function(w, keys[i], c->driver[i]);
        else if (!(c->locked >> i & 1))
            cd_write_word(w, 2, keys[i], "free");
    }
}

static void write_orientation(cd_writer* w, const cardan_constraint* c)
{
    write_markers(w, c);
    write_reference_pose(w, c);
}

static void write_distance(cd_writer* w, const cardan_constraint* c)
{
    write_markers(w, c);
    if (c->driver[0] != CARDAN_NONE)
        write_driver_function(w, "law", c->driver[0]);
    else
        cd_write_value(w, 2, "length", c->length);
}

// Write a curve; its points are in the frame of the carrier, which is given as `relative`.
static void write_on_curve(cd_writer* w, const cardan_constraint* c)
{
    const cardan_curve* curve   = &c->curve;
    const char*         carrier = cd_write_marker_name(w, c->marker[1]);
    write_markers(w, c);
    cd_text_add(&w->text, "    curve:\n");
    if (strcmp(carrier, "ground") != 0) cd_write_word(w, 3, "relative", carrier);
    cd_write_key(w, 3, "points");
    cd_text_add(&w->text, " [");
    for (int i = 0; i < curve->npoint; ++i) {
        if (i > 0) cd_text_add(&w->text, ", ");
        cd_write_numbers(w, 3, curve->point + 3 * i);
    }
    cd_text_add(&w->text, "]\n");
    if (curve->degree > 0) cd_text_format(&w->text, "      degree: %d\n", curve->degree);
    if (curve->closed) cd_text_add(&w->text, "      closed: true\n");
    if (curve->weight) cd_write_list(w, 3, "weights", curve->npoint, curve->weight);
    if (curve->knot) cd_write_list(w, 3, "knots", curve->nknot, curve->knot);
    if (c->driver[0] != CARDAN_NONE) write_driver_function(w, "law", c->driver[0]);
}

static void write_rolling(cd_writer* w, const cardan_constraint* c)
{
    write_markers(w, c);
    cd_write_value(w, 2, "radius", c->radius[0]);
    if (c->is_sphere) cd_write_word(w, 2, "shape", "sphere");
}

static void write_joints(cd_writer* w, const cardan_constraint* c)
{
    cd_write_key(w, 2, c->type);
    for (int i = 0; i < c->njoint; ++i) {
        cd_text_add(&w->text, i > 0 ? ", " : " [");
        cd_write_name(w, w->view.joint[c->joint[i]].name);
    }
    cd_text_add(&w->text, "]\n    coordinates: [");
    for (int i = 0; i < c->njoint; ++i) cd_text_format(&w->text, i > 0 ? ", %d" : "%d", c->axis[i] + 1);
    cd_text_add(&w->text, "]\n");
    if (c->offset != 0) cd_write_value(w, 2, "offset", c->offset);
}

static void write_gear(cd_writer* w, const cardan_constraint* c)
{
    const bool internal = (c->factor[0] < 0) != (c->factor[1] < 0);
    write_joints(w, c);
    cd_write_list(w, 2, "teeth", 2, (double[]){fabs(c->factor[0]), fabs(c->factor[1])});
    if (internal) write_flag(w, "internal");
}

static void write_coupler(cd_writer* w, const cardan_constraint* c)
{
    write_joints(w, c);
    cd_write_list(w, 2, "factors", c->njoint, c->factor);
}

static void write_rack_pinion(cd_writer* w, const cardan_constraint* c)
{
    write_joints(w, c);
    cd_write_value(w, 2, "radius", c->radius[0]);
}

static void write_belt(cd_writer* w, const cardan_constraint* c)
{
    write_joints(w, c);
    cd_write_list(w, 2, "radii", 2, (double[]){c->radius[0], fabs(c->radius[1])});
    if (c->radius[1] < 0) write_flag(w, "crossed");
}

static void write_worm(cd_writer* w, const cardan_constraint* c)
{
    write_joints(w, c);
    cd_write_value(w, 2, "ratio", c->ratio);
    if (c->efficiency[0] != 1) cd_write_value(w, 2, "efficiency", c->efficiency[0]);
    if (c->efficiency[1] != 1) cd_write_value(w, 2, "back_efficiency", c->efficiency[1]);
    if (c->loss_speed != cardan_constraint_default("", "").loss_speed) cd_write_value(w, 2, "speed", c->loss_speed);
}

static void write_driver(cd_writer* w, const cardan_constraint* c)
{
    cd_write_word(w, 2, "driver", w->view.joint[c->joint[0]].name);
    cd_text_format(&w->text, "    coordinate: %d\n", c->axis[0] + 1);
    write_driver_function(w, "law", c->driver[0]);
}

static const struct {
    const char* type;
    void (*write)(cd_writer* w, const cardan_constraint* c);
} type_writers[] = {
    {"lock", write_lock},
    {"distance", write_distance},
    {"point_on_line", write_markers},
    {"point_in_plane", write_markers},
    {"parallel", write_markers},
    {"gear", write_gear},
    {"point_on_curve", write_on_curve},
    {"orientation", write_orientation},
    {"belt", write_belt},
    {"coupler", write_coupler},
    {"rack_pinion", write_rack_pinion},
    {"worm", write_worm},
    {"driver", write_driver},
    {"rolling", write_rolling},
    {"follow", write_on_curve},
};

void cd_write_constraints(cd_writer* w)
{
    if (w->view.nconstraint > 0) cd_write_heading(w, "constraints");
    for (int i = 0; i < w->view.nconstraint; ++i) {
        const cardan_constraint* c = &w->view.constraint[i];
        size_t                   k = 0;
        while (k < sizeof type_writers / sizeof *type_writers && strcmp(type_writers[k].type, c->type) != 0) ++k;
        if (k == sizeof type_writers / sizeof *type_writers) {
            cd_write_unsupported(w, "a constraint of the type '%s', which model files do not support", c->type);
            return;
        }
        cd_write_item(w, c->name);
        type_writers[k].write(w, c);
    }
}

// Whether a driver function is written; those of drivable coordinates belong to a cache key only.
static bool is_written(const cd_writer* w, const cardan_joint* joint, int index, int axis)
{
    return joint->driver[axis] != CARDAN_NONE && (w->canonical || !cd_is_drivable(w->description, index, axis));
}

void cd_write_drivers(cd_writer* w, const cardan_joint* joint)
{
    const int index  = (int)(joint - w->view.joint);
    bool      is_any = false;
    for (int i = 0; i < joint->ndriver; ++i) is_any |= is_written(w, joint, index, i);
    if (!is_any) return;
    cd_write_key(w, 2, "driver");
    cd_text_add(&w->text, joint->ndriver > 1 ? " [" : " ");
    for (int i = 0; i < joint->ndriver; ++i) {
        if (i > 0) cd_text_add(&w->text, ", ");
        if (!is_written(w, joint, index, i))
            cd_text_add(&w->text, "free");
        else
            cd_write_formula(w, joint->driver[i]);
    }
    cd_text_add(&w->text, joint->ndriver > 1 ? "]\n" : "\n");
}
