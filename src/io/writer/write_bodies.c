// SPDX-License-Identifier: BSD-3-Clause
// Bodies with their shapes, shapes of ground, and markers. Bodies are given in the world, their shapes and markers
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

static void write_body(cd_writer* w, int index, const int* first, const int* next)
{
    const cardan_body* body = &w->view.body[index];
    cd_write_check_frame(w, body->name);
    cd_write_item(w, body->name);
    cd_write_list(w, 2, "at", 3, body->pose.p);
    if (cd_write_is_rotated(&body->pose)) cd_write_orientation(w, 2, "orientation", body->pose.q);
    if (body->mass != 0) cd_write_value(w, 2, "mass", body->mass);
    if (!is_zero(3, body->centre)) cd_write_list(w, 2, "centre", 3, body->centre);
    if (!is_zero(6, body->inertia))
        cd_write_list(w, 2, "inertia", is_zero(3, body->inertia + 3) ? 3 : 6, body->inertia);
    if (!cd_inertia_validate(body->inertia).is_physical) cd_text_format(&w->text, "    inertia_check: false\n");
    if (first[index] < 0) return;
    cd_write_key(w, 2, "shape");
    cd_write_end_of_line(w);
    for (int i = first[index]; i >= 0; i = next[i]) cd_write_shape(w, 3, &w->view.shape[i]);
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

static void write_ground(cd_writer* w)
{
    bool any = false;
    for (int i = 0; i < w->view.nshape; ++i) {
        if (w->view.shape[i].body >= 0) continue;
        if (!any) cd_text_add(&w->text, "\nground:\n  shapes:\n");
        any = true;
        cd_write_shape(w, 2, &w->view.shape[i]);
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
    write_ground(w);
    if (nbody > 0) cd_write_heading(w, "bodies");
    for (int i = 0; i < nbody; ++i) write_body(w, i, first, next);
    free(first);
    write_markers(w);
}
