// SPDX-License-Identifier: BSD-3-Clause
// Shapes of bodies and of ground, in the frame of the body.
#include "io/writer/write_model.h"

bool cd_write_is_rotated(const cardan_pose* pose)
{
    return pose->q[0] != 1 || pose->q[1] != 0 || pose->q[2] != 0 || pose->q[3] != 0;
}

static void write_points(cd_writer* w, const char* key, const cardan_shape* shape)
{
    cd_text_format(&w->text, "%s: [", key);
    for (int i = 0; i < shape->npoint; ++i) {
        if (i > 0) cd_text_add(&w->text, ", ");
        cd_write_numbers(w, 3, shape->point + 3 * i);
    }
    cd_text_add(&w->text, "]");
}

// Write key: {first: a, second: b}.
static void write_pair(cd_writer* w, const char* key, const char* first, double a, const char* second, double b)
{
    cd_text_format(&w->text, "%s: {%s: ", key, first);
    cd_write_number(w, a);
    cd_text_format(&w->text, ", %s: ", second);
    cd_write_number(w, b);
    cd_text_add(&w->text, "}");
}

// Write the file of a mesh; in canonical text, which identifies the mechanism, the points of a mesh that touches.
static void write_mesh(cd_writer* w, const char* key, const cardan_shape* shape)
{
    if (w->canonical && shape->material) {
        write_points(w, key, shape);
        cd_text_add(&w->text, ", triangles: [");
        for (int i = 0; i < 3 * shape->ntriangle; ++i) cd_text_format(&w->text, "%d,", shape->triangle[i]);
        cd_text_add(&w->text, "]");
        return;
    }
    if (!shape->file && !w->canonical) cd_write_unsupported(w, "a mesh without a file");
    cd_text_format(&w->text, "%s: ", key);
    cd_write_name(w, shape->file ? shape->file : "");
    cd_text_add(&w->text, ", scale: ");
    cd_write_numbers(w, 3, shape->size);
}

static void write_height_field(cd_writer* w, const cardan_shape* shape)
{
    const cardan_height_grid* f = &shape->field;
    if (f->ny == 1) {
        cd_text_add(&w->text, "profile: ");
        cd_write_numbers(w, f->nx, f->height);
        cd_text_add(&w->text, ", step: ");
        cd_write_number(w, f->spacing[0]);
        cd_text_add(&w->text, ", width: ");
        cd_write_number(w, f->spacing[1]);
        return;
    }
    cd_text_add(&w->text, "height_field: [");
    for (int j = 0; j < f->ny; ++j) {
        if (j > 0) cd_text_add(&w->text, ", ");
        cd_write_numbers(w, f->nx, f->height + (size_t)f->nx * (size_t)j);
    }
    cd_text_add(&w->text, "], step: ");
    cd_write_numbers(w, 2, f->spacing);
    if (f->smooth) cd_text_add(&w->text, ", interpolation: smooth");
}

static void write_kind(cd_writer* w, const cardan_shape* shape)
{
    switch (shape->kind) {
    case CARDAN_SHAPE_BOX:
        cd_text_add(&w->text, "box: ");
        cd_write_numbers(w, 3, shape->size);
        break;
    case CARDAN_SHAPE_ROD:
        write_pair(w, "cylinder", "radius", shape->size[1], "length", shape->size[0]);
        break;
    case CARDAN_SHAPE_SPHERE:
        cd_text_add(&w->text, "sphere: ");
        cd_write_number(w, shape->size[0]);
        break;
    case CARDAN_SHAPE_POINTS:
        write_points(w, "line", shape);
        break;
    case CARDAN_SHAPE_MESH:
        write_mesh(w, "mesh", shape);
        break;
    case CARDAN_SHAPE_CAPSULE:
        write_pair(w, "capsule", "radius", shape->size[1], "length", shape->size[0]);
        break;
    case CARDAN_SHAPE_ELLIPSOID:
        cd_text_add(&w->text, "ellipsoid: ");
        cd_write_numbers(w, 3, shape->size);
        break;
    case CARDAN_SHAPE_TORUS:
        write_pair(w, "torus", "radius", shape->size[0], "tube", shape->size[1]);
        break;
    case CARDAN_SHAPE_HULL:
        if (shape->file)
            write_mesh(w, "hull", shape);
        else
            write_points(w, "hull", shape);
        break;
    case CARDAN_SHAPE_PLANE:
        cd_text_add(&w->text, "plane: ");
        cd_write_numbers(w, 2, shape->size);
        break;
    case CARDAN_SHAPE_HEIGHT_FIELD:
        write_height_field(w, shape);
        break;
    }
}

void cd_write_shape(cd_writer* w, int depth, const cardan_shape* shape)
{
    const bool can_round =
        shape->kind == CARDAN_SHAPE_BOX || shape->kind == CARDAN_SHAPE_ROD || shape->kind == CARDAN_SHAPE_HULL;
    cd_text_format(&w->text, "%*s- {", 2 * depth, "");
    write_kind(w, shape);
    if (shape->kind != CARDAN_SHAPE_POINTS) {
        cd_text_add(&w->text, ", at: ");
        cd_write_numbers(w, 3, shape->pose.p);
    }
    if (shape->kind != CARDAN_SHAPE_POINTS && shape->kind != CARDAN_SHAPE_SPHERE && cd_write_is_rotated(&shape->pose)) {
        cd_text_add(&w->text, ", orientation: ");
        cd_write_quaternion(w, shape->pose.q);
    }
    if (shape->material) {
        cd_text_add(&w->text, ", material: ");
        cd_write_name(w, shape->material);
    }
    if (shape->material && can_round && shape->rounding >= 0) {
        cd_text_add(&w->text, ", rounding: ");
        cd_write_number(w, shape->rounding);
    }
    cd_text_add(&w->text, "}\n");
}
