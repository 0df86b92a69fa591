// SPDX-License-Identifier: BSD-3-Clause
// Picture: scenes seen by one camera at one scale in one rectangle of the page.
#pragma once

#include "draw/camera.h"
#include "draw/draw_tolerances.h"
#include "draw/scene.h"
#include "draw/svg.h"

typedef struct cd_page_rectangle {
    double x, y, width, height; // [px]
} cd_page_rectangle;

typedef struct cd_picture {
    cd_text*                       svg;
    const cardan_description_view* view;
    const cd_camera*               camera;
    cd_page_rectangle              rectangle;
    double                         scale;         // [px/m]
    cd_xy                          origin;        // page coordinates of the world origin
    double                         symbol_radius; // [px] radius of a joint symbol; unit of all schematic sizes
    const cd_colour*               colour;        // (nbody)
    const bool*                    transparent;   // (nbody) bodies that hide others; NULL: none
} cd_picture;

static inline cd_xy cd_page_point(const cd_picture* p, cd_xyz at)
{
    const cd_xy q = cd_camera_project(p->camera, at);
    return (cd_xy){p->origin.x + p->scale * q.x, p->origin.y - p->scale * q.y};
}

// Angle [degrees] of a direction on the page, y down. Round-off does not change it, so pictures are equal on all
// machines.
static inline double cd_page_angle(double x, double y)
{
    const double u = fabs(x) < cd_direction_tolerance ? 0 : x, v = fabs(y) < cd_direction_tolerance ? 0 : y;
    return u == 0 && v == 0 ? 0 : atan2(v, u) * 57.29577951308232;
}

static inline cd_colour cd_body_colour(const cd_picture* p, int body) { return body < 0 ? 0x8A8A8A : p->colour[body]; }

// Opacity of the solids of a body.
static inline double cd_body_opacity(const cd_picture* p, int body)
{
    return body >= 0 && p->transparent && p->transparent[body] ? 0.5 : 1;
}

enum { CD_CYLINDER_WIDTH_MIN = 8 }; // [px] bars of given radius that are thicker are drawn as cylinders

// Width of a bar on the page [px].
double cd_bar_width(const cd_picture* p, const cd_primitive* primitive);

cd_xyz cd_face_normal(const cd_scene* scene, const cd_primitive* face);

void cd_draw_primitive(const cd_picture* p, const cd_scene* scene, const cd_primitive* primitive);
void cd_draw_joint_symbol(const cd_picture* p, const cd_primitive* primitive);
void cd_draw_support(const cd_picture* p, const cd_primitive* primitive);

// Find the bodies that hide a large part of another body, in hiding (nbody). Returns false if memory is exhausted.
bool cd_find_hiding_bodies(const cd_picture* p, const cd_scene* scene, bool* hiding);

// Draw all primitives of a scene in depth order, far ones first. Bodies that hide others are transparent; supports are
// drawn in front of all bodies; for older snapshots only the bodies are drawn.
void cd_draw_scene(const cd_picture* p, const cd_scene* scene, bool bodies_only);

typedef struct cd_label_options {
    bool   bodies, joints;
    bool   is_reduced;    // one of several views: omit names if there are many, the isometric view has them
    double bottom_margin; // [px] free strip along the lower edge
} cd_label_options;

// Draw the names that fit into free space; sets named[i] for those.
void cd_draw_labels(const cd_picture* p, const cd_scene* scene, cd_label_options options, bool* named);

// Rectangle on the page that the support of a ground joint occupies.
cd_page_rectangle cd_support_rectangle(const cd_picture* p, const cd_primitive* primitive);

// Draw gravity arrow, scale bar and axes in a strip along the lower edge.
void cd_draw_annotations(const cd_picture* p);

// Assign a colour to each body: one per body if there are few, else one per branch with alternating lightness. Returns
// false if memory is exhausted.
bool cd_body_colours(const cardan_description_view* view, cd_colour* colour);
