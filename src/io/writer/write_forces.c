// SPDX-License-Identifier: BSD-3-Clause
// Force elements: the type key names the markers or the joint; the other keys depend on the type.
#include "io/writer/write_model.h"

#include <math.h>
#include <string.h>

static void write_markers(cd_writer* w, const cardan_force* force)
{
    cd_write_key(w, 2, force->type);
    cd_text_add(&w->text, " [");
    cd_write_name(w, cd_write_marker_name(w, force->marker[0]));
    cd_text_add(&w->text, ", ");
    cd_write_name(w, cd_write_marker_name(w, force->marker[1]));
    cd_text_add(&w->text, "]\n");
}

static void write_six(cd_writer* w, const char* key, const double value[6])
{
    for (int i = 0; i < 6; ++i)
        if (value[i] != 0) {
            cd_write_list(w, 2, key, 6, value);
            return;
        }
}

static void write_table(cd_writer* w, const char* key, int table)
{
    if (table >= 0) cd_write_word(w, 2, key, w->view.table[table].name);
}

// Write a spring along a line or about an axis.
static void write_spring(cd_writer* w, const cardan_force* force)
{
    const bool torsion = strcmp(force->type, "torsion") == 0;
    write_markers(w, force);
    if (force->stiffness[0] != 0) cd_write_value(w, 2, "stiffness", force->stiffness[0]);
    if (force->damping[0] != 0) cd_write_value(w, 2, "damping", force->damping[0]);
    cd_write_value(w, 2, torsion ? "angle" : "length", force->free_length);
    if (force->preload != 0) cd_write_value(w, 2, "preload", force->preload);
    write_table(w, "force_table", force->force_table);
    write_table(w, "damper_table", force->damper_table);
}

static void write_bushing(cd_writer* w, const cardan_force* force)
{
    write_markers(w, force);
    write_six(w, "stiffness", force->stiffness);
    write_six(w, "damping", force->damping);
}

// Write a marker; omitted if it is ground.
static void write_marker(cd_writer* w, const char* key, int marker)
{
    const char* name = cd_write_marker_name(w, marker);
    if (strcmp(name, "ground") != 0) cd_write_word(w, 2, key, name);
}

static void write_components(cd_writer* w, const cardan_force* force)
{
    cd_write_key(w, 2, force->type);
    cd_text_add(&w->text, " [");
    for (int i = 0; i < 3; ++i) {
        if (i > 0) cd_text_add(&w->text, ", ");
        cd_write_formula(w, force->component[i]);
    }
    cd_text_add(&w->text, "]\n");
    cd_write_word(w, 2, "on", cd_write_marker_name(w, force->marker[0]));
    write_marker(w, "against", force->marker[1]);
    write_marker(w, "in", force->frame);
}

static void write_actuator(cd_writer* w, const cardan_force* force)
{
    cd_write_word(w, 2, "actuator", w->view.joint[force->joint].name);
    if (force->axis != 0) cd_text_format(&w->text, "    coordinate: %d\n", force->axis + 1);
    cd_write_key(w, 2, "effort");
    cd_text_add(&w->text, " ");
    cd_write_formula(w, force->component[0]);
    cd_write_end_of_line(w);
    if (isfinite(force->lower) || isfinite(force->upper))
        cd_write_list(w, 2, "limits", 2, (double[]){force->lower, force->upper});
}

static const struct {
    const char* type;
    void (*write)(cd_writer* w, const cardan_force* force);
} type_writers[] = {
    {"spring", write_spring},    {"torsion", write_spring},    {"bushing", write_bushing},
    {"force", write_components}, {"torque", write_components}, {"actuator", write_actuator},
};

void cd_write_forces(cd_writer* w)
{
    if (w->view.nforce > 0) cd_write_heading(w, "forces");
    for (int i = 0; i < w->view.nforce; ++i) {
        const cardan_force* force = &w->view.force[i];
        size_t              k     = 0;
        while (k < sizeof type_writers / sizeof *type_writers && strcmp(type_writers[k].type, force->type) != 0) ++k;
        if (k == sizeof type_writers / sizeof *type_writers) {
            cd_write_unsupported(w, "a force of the type '%s', which model files do not support", force->type);
            return;
        }
        cd_write_item(w, force->name);
        type_writers[k].write(w, force);
    }
}
