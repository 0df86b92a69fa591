// SPDX-License-Identifier: BSD-3-Clause
// Joint symbols and supports. Symbols are small solids of fixed page size with the orientation of the joint: a revolute
// joint is a circle along its axis, a bar from the side, and a cylinder in between.
#include "draw/picture.h"

// Projection of an axis: length on the page, component towards the viewer, angle on the page [degrees].
typedef struct axis_aspect {
    double across, along, angle;
} axis_aspect;

static axis_aspect aspect_of(const cd_picture* p, cd_xyz axis)
{
    const cd_xyz d     = xyz_unit(axis);
    const double depth = cd_camera_depth(p->camera, d);
    const cd_xy  q     = cd_camera_project(p->camera, d);
    const double front = fabs(depth) > cd_direction_tolerance ? depth : fabs(q.x) > cd_direction_tolerance ? q.x : q.y;
    const double s     = front < 0 ? -1 : 1;
    return (axis_aspect){hypot(q.x, q.y), fmin(1, fabs(depth)), cd_page_angle(s * q.x, -s * q.y)};
}

static void begin_group(const cd_picture* p, cd_xyz at, double angle)
{
    const cd_xy a = cd_page_point(p, at);
    cd_text_format(
        p->svg,
        "<g transform=\"translate(%.2f %.2f) rotate(%.2f)\" fill=\"#ffffff\" stroke=\"#262626\" stroke-width=\"%.3g\">",
        a.x, a.y, angle, fmin(1.3, 0.28 * p->symbol_radius));
}

static void end_group(const cd_picture* p) { cd_text_add(p->svg, "</g>\n"); }

// Draw a cylinder of radius r and half length h along x of the group, with its near end on the right.
static void cylinder(const cd_picture* p, const axis_aspect* view, double r, double h)
{
    const double x = h * view->across, e = r * view->along;
    if (view->across > 0.02)
        cd_text_format(p->svg,
                       "<path d=\"M%.2f %.2fL%.2f %.2fA%.2f %.2f 0 0 1 %.2f %.2fL%.2f %.2fA%.2f %.2f 0 0 1 %.2f "
                       "%.2fZ\" fill=\"#e8e8e8\"/>",
                       -x, -r, x, -r, e, r, x, r, -x, r, e, r, -x, -r);
    if (view->along > 0.02) cd_text_format(p->svg, "<ellipse cx=\"%.2f\" rx=\"%.2f\" ry=\"%.2f\"/>", x, e, r);
}

static void draw_revolute(const cd_picture* p, const cd_primitive* primitive)
{
    const axis_aspect view = aspect_of(p, primitive->axis);
    const double      r    = p->symbol_radius;
    begin_group(p, primitive->a, view.angle);
    cylinder(p, &view, view.along > 0.98 ? r : 0.85 * r, 1.15 * r);
    if (view.along > 0.98) cd_text_format(p->svg, "<circle r=\"%.2f\" fill=\"#262626\" stroke=\"none\"/>", 0.28 * r);
    end_group(p);
}

// Draw a cylindrical or screw joint: a longer cylinder, with a thread for the screw.
static void draw_cylindrical(const cd_picture* p, const cd_primitive* primitive)
{
    const axis_aspect view = aspect_of(p, primitive->axis);
    const double      r = 0.85 * p->symbol_radius, h = 2 * p->symbol_radius;
    begin_group(p, primitive->a, view.angle);
    cylinder(p, &view, r, h);
    for (int i = -1; primitive->symbol == CD_SYMBOL_SCREW && view.across > 0.3 && i <= 1; ++i) {
        const double x = 0.55 * i * h * view.across;
        cd_text_format(p->svg, "<path d=\"M%.2f %.2fL%.2f %.2f\"/>", x - 0.3 * r, r, x + 0.3 * r, -r);
    }
    end_group(p);
}

// Draw the visible faces of a box with half edges e[0..2] about a point.
static void solid_box(const cd_picture* p, const cd_primitive* primitive, const cd_xyz e[3], double opacity)
{
    const cd_xy     a      = cd_page_point(p, primitive->a);
    const cd_colour colour = cd_body_colour(p, primitive->body);
    cd_text_format(
        p->svg,
        "<g transform=\"translate(%.2f %.2f)\" stroke=\"#262626\" stroke-width=\"%.3g\" stroke-linejoin=\"round\">",
        a.x, a.y, fmin(1.3, 0.28 * p->symbol_radius));
    for (int k = 0; k < 3; ++k) {
        const double s = cd_camera_depth(p->camera, e[k]);
        if (fabs(s) < cd_direction_tolerance * xyz_length(e[k])) continue;
        const cd_xy n = cd_camera_project(p->camera, xyz_scale(s > 0 ? 1 : -1, e[k]));
        const cd_xy u = cd_camera_project(p->camera, e[(k + 1) % 3]), v = cd_camera_project(p->camera, e[(k + 2) % 3]);
        cd_text_format(p->svg,
                       "<path d=\"M%.2f %.2fL%.2f %.2fL%.2f %.2fL%.2f %.2fZ\" fill=\"#%06x\" fill-opacity=\"%.2g\"/>",
                       n.x + u.x + v.x, -(n.y + u.y + v.y), n.x - u.x + v.x, -(n.y - u.y + v.y), n.x - u.x - v.x,
                       -(n.y - u.y - v.y), n.x + u.x - v.x, -(n.y + u.y - v.y),
                       cd_colour_mix(colour, CD_COLOUR_BACKGROUND,
                                     k == 2   ? 0.5
                                     : k == 1 ? 0.65
                                              : 0.8),
                       opacity);
    }
    end_group(p);
}

static void draw_prismatic(const cd_picture* p, const cd_primitive* primitive, double along, double across,
                           double thick, double opacity)
{
    const cd_xyz z = xyz_unit(primitive->axis), x = xyz_unit(primitive->side);
    const cd_xyz e[3] = {xyz_scale(across * p->symbol_radius, x), xyz_scale(thick * p->symbol_radius, xyz_cross(z, x)),
                         xyz_scale(along * p->symbol_radius, z)};
    solid_box(p, primitive, e, opacity);
}

// Draw a universal joint: its two axes inside a ring.
static void draw_universal(const cd_picture* p, const cd_primitive* primitive)
{
    const double r = 1.15 * p->symbol_radius;
    begin_group(p, primitive->a, 0);
    cd_text_format(p->svg, "<circle r=\"%.2f\"/>", r);
    const cd_xyz axis[2] = {primitive->axis, primitive->side};
    for (int i = 0; i < 2; ++i) {
        const cd_xy q = cd_camera_project(p->camera, xyz_scale(r, xyz_unit(axis[i])));
        cd_text_format(p->svg, "<path d=\"M%.2f %.2fL%.2f %.2f\" stroke-linecap=\"round\"/>", -q.x, q.y, q.x, -q.y);
    }
    cd_text_format(p->svg, "<circle r=\"%.2f\" fill=\"#262626\" stroke=\"none\"/>", 0.25 * r);
    end_group(p);
}

void cd_draw_joint_symbol(const cd_picture* p, const cd_primitive* primitive)
{
    const double r = p->symbol_radius;
    switch (primitive->symbol) {
    case CD_SYMBOL_NONE:
        break;
    case CD_SYMBOL_REVOLUTE:
        draw_revolute(p, primitive);
        break;
    case CD_SYMBOL_CYLINDRICAL:
    case CD_SYMBOL_SCREW:
        draw_cylindrical(p, primitive);
        break;
    case CD_SYMBOL_PRISMATIC:
        draw_prismatic(p, primitive, 1.9, 1.1, 1.1, 1);
        break;
    case CD_SYMBOL_PLANAR:
        draw_prismatic(p, primitive, 0.12, 2, 2, 0.8);
        break;
    case CD_SYMBOL_UNIVERSAL:
        draw_universal(p, primitive);
        break;
    case CD_SYMBOL_SPHERICAL:
        begin_group(p, primitive->a, 0);
        cd_text_format(p->svg, "<circle r=\"%.2f\"/><circle r=\"%.2f\" fill=\"#262626\" stroke=\"none\"/>", 1.05 * r,
                       0.62 * r);
        end_group(p);
        break;
    case CD_SYMBOL_FIXED:
        begin_group(p, primitive->a, 0);
        cd_text_format(p->svg, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#6b6b6b\"/>",
                       -0.6 * r, -0.6 * r, 1.2 * r, 1.2 * r);
        end_group(p);
        break;
    case CD_SYMBOL_OTHER:
        begin_group(p, primitive->a, 45);
        cd_text_format(p->svg, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>", -0.85 * r, -0.85 * r,
                       1.7 * r, 1.7 * r);
        end_group(p);
        break;
    }
}

// Draw a base line of half width w along x of the group at height y, hatched below.
static void hatched_line(const cd_picture* p, double w, double y)
{
    const double r = p->symbol_radius, pitch = 2 * w / fmax(3, floor(2 * w / (0.8 * r) + 0.5)),
                 stroke = fmin(1.2, 0.25 * r);
    cd_text_format(p->svg, "<path d=\"M%.2f %.2fH%.2f", -w, y, w);
    for (double x = -w + pitch; x <= w + cd_page_length_min; x += pitch)
        cd_text_format(p->svg, "M%.2f %.2fl%.2f %.2f", x, y, -0.85 * r, 0.85 * r);
    cd_text_format(p->svg, "\" fill=\"none\" stroke=\"#262626\" stroke-width=\"%.3g\" stroke-linecap=\"round\"/>",
                   stroke);
}

// Direction of a support (0 down, 90 left, 180 up, 270 right): away from the mechanism; left or right only if the
// mechanism extends horizontally. In isometric views down, or up for a mechanism that hangs.
static double support_angle(const cd_picture* p, const cd_primitive* primitive)
{
    const cd_xy  a = cd_page_point(p, primitive->a), b = cd_page_point(p, primitive->b);
    const double dx = a.x - b.x, dy = a.y - b.y;
    if (fabs(dx) + fabs(dy) < 1) return 0;
    if (p->camera->isometric) return -dy > 2 * fabs(dx) ? 180 : 0;
    if (fabs(dy) >= 0.25 * fabs(dx)) return dy > 0 ? 0 : 180;
    return dx > 0 ? 270 : 90;
}

static bool is_sliding(const cd_primitive* primitive)
{
    return primitive->symbol == CD_SYMBOL_PRISMATIC || primitive->symbol == CD_SYMBOL_CYLINDRICAL ||
           primitive->symbol == CD_SYMBOL_SCREW;
}

// Angle of the support of a rail: below it; for a vertical rail on the side away from the mechanism.
static double rail_angle(const cd_picture* p, const cd_primitive* primitive, double angle)
{
    while (angle > 90) angle -= 180;
    while (angle <= -90) angle += 180;
    if (fabs(angle) < 80) return angle;
    const bool left = cd_page_point(p, primitive->b).x > cd_page_point(p, primitive->a).x + 1;
    return left == (angle > 0) ? angle : angle - 180;
}

void cd_draw_support(const cd_picture* p, const cd_primitive* primitive)
{
    const double      r    = p->symbol_radius;
    const axis_aspect view = aspect_of(p, primitive->axis);
    const bool        rail = is_sliding(primitive) && view.across > 0.3;
    begin_group(p, primitive->a, rail ? rail_angle(p, primitive, view.angle) : support_angle(p, primitive));
    if (rail) {
        hatched_line(p, 3.2 * r, 1.4 * r);
    } else if (primitive->symbol == CD_SYMBOL_FIXED) {
        hatched_line(p, 2.4 * r, 0);
    } else {
        cd_text_format(p->svg, "<path d=\"M0 0L%.2f %.2fH%.2fZ\" fill=\"#f2f2f2\" stroke-linejoin=\"round\"/>", 1.5 * r,
                       2.6 * r, -1.5 * r);
        hatched_line(p, 2.6 * r, 2.6 * r);
    }
    end_group(p);
}

cd_page_rectangle cd_support_rectangle(const cd_picture* p, const cd_primitive* primitive)
{
    const double r = p->symbol_radius, width = 5.6 * r, depth = 3.8 * r;
    const cd_xy  a = cd_page_point(p, primitive->a);
    if (is_sliding(primitive)) return (cd_page_rectangle){a.x - 2.5 * r, a.y - 2.5 * r, 5 * r, 5 * r};
    const int angle = (int)support_angle(p, primitive);
    if (angle % 180 == 0) return (cd_page_rectangle){a.x - width / 2, angle ? a.y - depth : a.y, width, depth};
    return (cd_page_rectangle){angle == 90 ? a.x - depth : a.x, a.y - width / 2, depth, width};
}
