// SPDX-License-Identifier: BSD-3-Clause
// One picture: scenes seen by one eye, at one scale, in one rectangle of the page.
#pragma once

#include "draw/camera.h"
#include "draw/scene.h"
#include "draw/svg.h"

typedef struct cd_page_rectangle {
    double x, y, width, height; // [px]
} cd_page_rectangle;

typedef struct cd_picture {
    cd_text*           svg;
    const cardan_view* view;
    const cd_camera*   camera;
    cd_page_rectangle  rectangle;
    double             scale;         // [px/m]
    cd_xy              origin;        // page coordinates of the world's origin
    double             symbol_radius; // [px] radius of a joint symbol; everything schematic follows it
    const cd_colour*   colour;        // (nbody)
} cd_picture;

static inline cd_xy cd_page_point(const cd_picture* p, cd_xyz at)
{
    const cd_xy q = cd_camera_project(p->camera, at);
    return (cd_xy){p->origin.x + p->scale * q.x, p->origin.y - p->scale * q.y};
}

// Components of unit vectors below this are rounding errors, and have no direction.
#define CD_DIRECTION_TOLERANCE 1e-9

// Angle [degrees] of a direction on the page, y down. Rounding errors do not turn it: pictures are the same everywhere.
static inline double cd_page_angle(double x, double y)
{
    const double u = fabs(x) < CD_DIRECTION_TOLERANCE ? 0 : x, v = fabs(y) < CD_DIRECTION_TOLERANCE ? 0 : y;
    return u == 0 && v == 0 ? 0 : atan2(v, u) * 57.29577951308232;
}

static inline cd_colour cd_body_colour(const cd_picture* p, int body) { return body < 0 ? 0x8A8A8A : p->colour[body]; }

// Width of a link on the page.
double cd_bar_width(const cd_picture* p, const cd_primitive* primitive);

cd_xyz cd_face_normal(const cd_scene* scene, const cd_primitive* face);

void cd_draw_primitive(const cd_picture* p, const cd_scene* scene, const cd_primitive* primitive);
void cd_draw_joint_symbol(const cd_picture* p, const cd_primitive* primitive);
void cd_draw_support(const cd_picture* p, const cd_primitive* primitive);

// All marks of one scene, far ones first. Supports lie behind everything; in old instants only bodies are drawn.
void cd_draw_scene(const cd_picture* p, const cd_scene* scene, bool bodies_only);

typedef struct cd_label_options {
    bool   bodies, joints;
    bool   is_reduced;    // one picture of several: many names are left to the isometric one
    double bottom_margin; // [px] kept free along the lower edge
} cd_label_options;

// Names, as many as find a free place; sets named[i] for those that do.
void cd_draw_labels(const cd_picture* p, const cd_scene* scene, cd_label_options options, bool* named);

// Where the support of a ground joint stands about the joint, on the page.
cd_page_rectangle cd_support_rectangle(const cd_picture* p, const cd_primitive* primitive);

// Gravity, scale and axes, in a strip along the lower edge of the picture.
void cd_draw_annotations(const cd_picture* p);

// A colour for each body: by itself where there are few, else by the limb it belongs to, neighbours lighter and darker.
bool cd_body_colours(const cardan_view* view, cd_colour* colour);
