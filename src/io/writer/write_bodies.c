// SPDX-License-Identifier: BSD-3-Clause
// Bodies with their shapes, and markers. Bodies are given in the world, their shapes and markers
// in the frame of the body.
#include "core/memory.h"
#include "io/inertia_validity.h"
#include "io/writer/write_model.h"

#include <stdlib.h>
#include <string.h>

static bool is_zero(int count, const double* value)
{
    for (int i = 0; i < count; ++i)
        if (value[i] != 0) return false;
    return true;
}

static bool is_rotated(const cardan_pose* pose) { return pose->q[0] != 1 || !is_zero(3, pose->q + 1); }

static void write_points(cd_writer* w, const cardan_shape* shape)
{
    cd_text_add(&w->text, "line: [");
    for (int i = 0; i < shape->npoint; ++i) {
        if (i > 0) cd_text_add(&w->text, ", ");
        cd_write_numbers(w, 3, shape->point + 3 * i);
    }
    cd_text_add(&w->text, "]");
}

static void write_shape(cd_writer* w, const cardan_shape* shape)
{
    cd_text_add(&w->text, "      - {");
    switch (shape->kind) {
    case CARDAN_SHAPE_BOX:
        cd_text_add(&w->text, "box: ");
        cd_write_numbers(w, 3, shape->size);
        break;
    case CARDAN_SHAPE_ROD:
        cd_text_add(&w->text, "cylinder: {radius: ");
        cd_write_number(w, shape->size[1]);
        cd_text_add(&w->text, ", length: ");
        cd_write_number(w, shape->size[0]);
        cd_text_add(&w->text, "}");
        break;
    case CARDAN_SHAPE_SPHERE:
        cd_text_add(&w->text, "sphere: ");
        cd_write_number(w, shape->size[0]);
        break;
    case CARDAN_SHAPE_POINTS:
        write_points(w, shape);
        break;
    case CARDAN_SHAPE_MESH:
        if (!shape->file && !w->canonical) cd_write_unsupported(w, "a mesh without a file");
        cd_text_add(&w->text, "mesh: ");
        cd_write_name(w, shape->file ? shape->file : "");
        cd_text_add(&w->text, ", scale: ");
        cd_write_numbers(w, 3, shape->size);
        break;
    case CARDAN_SHAPE_CAPSULE:
    case CARDAN_SHAPE_ELLIPSOID:
    case CARDAN_SHAPE_TORUS:
    case CARDAN_SHAPE_HULL:
    case CARDAN_SHAPE_PLANE:
    case CARDAN_SHAPE_HEIGHT_FIELD:
        cd_write_unsupported(w, "a shape of this kind");
        break;
    }
    if (shape->kind != CARDAN_SHAPE_POINTS) {
        cd_text_add(&w->text, ", at: ");
        cd_write_numbers(w, 3, shape->pose.p);
    }
    if (shape->kind != CARDAN_SHAPE_POINTS && shape->kind != CARDAN_SHAPE_SPHERE && is_rotated(&shape->pose)) {
        cd_text_add(&w->text, ", orientation: ");
        cd_write_quaternion(w, shape->pose.q);
    }
    cd_text_add(&w->text, "}\n");
}

static void write_body(cd_writer* w, int index, const int* first, const int* next)
{
    const cardan_body* body = &w->view.body[index];
    cd_write_check_frame(w, body->name);
    cd_write_item(w, body->name);
    cd_write_list(w, 2, "at", 3, body->pose.p);
    if (is_rotated(&body->pose)) cd_write_orientation(w, 2, "orientation", body->pose.q);
    if (body->mass != 0) cd_write_value(w, 2, "mass", body->mass);
    if (!is_zero(3, body->centre)) cd_write_list(w, 2, "centre", 3, body->centre);
    if (!is_zero(6, body->inertia))
        cd_write_list(w, 2, "inertia", is_zero(3, body->inertia + 3) ? 3 : 6, body->inertia);
    if (!cd_inertia_validate(body->inertia).is_physical) cd_text_format(&w->text, "    inertia_check: false\n");
    if (first[index] < 0) return;
    cd_write_key(w, 2, "shape");
    cd_write_end_of_line(w);
    for (int i = first[index]; i >= 0; i = next[i]) write_shape(w, &w->view.shape[i]);
}

static void write_markers(cd_writer* w)
{
    bool any = false;
    for (int i = 0; i < w->view.nmarker; ++i) {
        const cardan_marker* marker = &w->view.marker[i];
        const char*          body   = cd_write_body_name(w, marker->body);
        if (strcmp(marker->name, body) == 0) continue; // every body, and ground, is a marker already
        if (!any) cd_write_heading(w, "markers");
        any = true;
        cd_write_check_frame(w, marker->name);
        cd_write_item(w, marker->name);
        cd_write_word(w, 2, "on", body);
        if (marker->body >= 0) cd_write_word(w, 2, "relative", body);
        cd_write_list(w, 2, "at", 3, marker->pose.p);
        cd_write_orientation(w, 2, "orientation", marker->pose.q);
    }
}

void cd_write_bodies(cd_writer* w)
{
    // shapes of each body, in order: first[body], then next[shape]
    const int nbody = w->view.nbody, nshape = w->view.nshape;
    int*      first = cd_allocate((size_t)nbody + (size_t)nshape, sizeof *first);
    if (!first) {
        w->text.failed = true;
        return;
    }
    int* next = first + nbody;
    for (int i = 0; i < nbody; ++i) first[i] = -1;
    for (int i = nshape - 1; i >= 0; --i) {
        const int body = w->view.shape[i].body;
        if (body < 0) continue;
        next[i]     = first[body];
        first[body] = i;
    }
    if (nbody > 0) cd_write_heading(w, "bodies");
    for (int i = 0; i < nbody; ++i) write_body(w, i, first, next);
    free(first);
    write_markers(w);
}
