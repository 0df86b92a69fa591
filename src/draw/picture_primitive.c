// SPDX-License-Identifier: BSD-3-Clause
// Bars, faces, spheres, springs, dampers and mass centres on the page.
#include "draw/picture.h"

double cd_bar_width(const cd_picture* p, const cd_primitive* primitive)
{
    const double width = 2 * primitive->radius * p->scale;
    return primitive->radius > 0 ? fmax(width, fmin(2, p->symbol_radius)) : 1.25 * p->symbol_radius;
}

static void stroke(const cd_picture* p, cd_xy a, cd_xy b, cd_colour colour, double width)
{
    cd_text_format(p->svg,
                   "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"#%06x\" stroke-width=\"%.2f\" "
                   "stroke-linecap=\"round\"/>\n",
                   a.x, a.y, b.x, b.y, colour, width);
}

// Attribute of a transparent body.
static const char* group_opacity(const cd_picture* p, const cd_primitive* primitive)
{
    return cd_body_opacity(p, primitive->body) < 1 ? " opacity=\"0.5\"" : "";
}

// Draw a thick bar as a cylinder of radius r [px]: its side, and the end towards the viewer.
static void draw_cylinder(const cd_picture* p, const cd_primitive* primitive, double r)
{
    const cd_xyz d      = xyz_unit(xyz_sub(primitive->b, primitive->a));
    const bool   b_near = cd_camera_depth(p->camera, d) > cd_direction_tolerance;
    const cd_xy  close  = cd_page_point(p, b_near ? primitive->b : primitive->a),
                far     = cd_page_point(p, b_near ? primitive->a : primitive->b);
    const double e      = r * fmin(1, fabs(cd_camera_depth(p->camera, d)));
    const double length = hypot(close.x - far.x, close.y - far.y);
    const double angle =
        length > cd_page_length_min ? cd_page_angle((close.x - far.x) / length, (close.y - far.y) / length) : 0;
    const cd_colour colour = cd_body_colour(p, primitive->body);
    cd_text_format(
        p->svg,
        "<g transform=\"translate(%.2f %.2f) rotate(%.2f)\" stroke=\"#%06x\" stroke-width=\"1\" "
        "stroke-linejoin=\"round\"%s><path d=\"M0 %.2fH%.2fA%.2f %.2f 0 0 1 %.2f %.2fH0A%.2f %.2f 0 0 1 0 %.2fZ\" "
        "fill=\"#%06x\"/><ellipse cx=\"%.2f\" rx=\"%.2f\" ry=\"%.2f\" fill=\"#%06x\"/></g>\n",
        far.x, far.y, angle, cd_colour_mix(colour, 0, 0.35), group_opacity(p, primitive), -r, length, e, r, length, r,
        e, r, -r, cd_colour_mix(colour, CD_COLOUR_BACKGROUND, 0.4), length, e, r,
        cd_colour_mix(colour, CD_COLOUR_BACKGROUND, 0.6));
}

// Draw a bar in the colour of the body with a dark outline.
static void draw_bar(const cd_picture* p, const cd_primitive* primitive)
{
    const cd_xy     a = cd_page_point(p, primitive->a), b = cd_page_point(p, primitive->b);
    const cd_colour colour = cd_body_colour(p, primitive->body);
    const double    width  = cd_bar_width(p, primitive);
    if (width < 3) {
        stroke(p, a, b, colour, width);
        return;
    }
    if (primitive->radius > 0 && width > CD_CYLINDER_WIDTH_MIN) {
        draw_cylinder(p, primitive, width / 2);
        return;
    }
    stroke(p, a, b, cd_colour_mix(colour, 0, 0.35), width);
    stroke(p, a, b, cd_colour_mix(colour, CD_COLOUR_BACKGROUND, 0.22), fmax(width - 2, 0.6 * width));
}

// Draw the guide of a sliding joint, longer than the travel at both ends.
static void draw_rail(const cd_picture* p, const cd_primitive* primitive)
{
    const double more = 4.5 * p->symbol_radius / p->scale;
    stroke(p, cd_page_point(p, xyz_add_scaled(primitive->a, -more, primitive->axis)),
           cd_page_point(p, xyz_add_scaled(primitive->b, more, primitive->axis)), cd_body_colour(p, primitive->body),
           fmax(0.5 * p->symbol_radius, 1));
}

cd_xyz cd_face_normal(const cd_scene* scene, const cd_primitive* primitive)
{
    const cd_xyz* q = scene->point + primitive->first;
    return xyz_unit(xyz_cross(xyz_sub(q[1], q[0]), xyz_sub(q[2], q[0])));
}

// Draw a face: solid faces are shaded by a light from above left of the viewer; plates are translucent.
static void draw_face(const cd_picture* p, const cd_scene* scene, const cd_primitive* primitive)
{
    const cd_colour colour = cd_body_colour(p, primitive->body);
    cd_colour       fill   = colour;
    if (primitive->solid) {
        const cd_xyz n = cd_face_normal(scene, primitive);
        if (xyz_dot(n, p->camera->toward) <= cd_direction_tolerance) return;
        const cd_xyz light =
            xyz_unit(xyz_add(xyz_add_scaled(p->camera->toward, 1.2, p->camera->up), xyz_scale(-0.5, p->camera->right)));
        fill = cd_colour_mix(colour, CD_COLOUR_BACKGROUND, 0.32 + 0.45 * fmax(0, xyz_dot(n, light)));
    }
    cd_text_add(p->svg, "<polygon points=\"");
    for (int i = 0; i < primitive->count; ++i) {
        const cd_xy q = cd_page_point(p, scene->point[primitive->first + i]);
        cd_text_format(p->svg, "%s%.2f,%.2f", i ? " " : "", q.x, q.y);
    }
    cd_text_format(p->svg, "\" fill=\"#%06x\"", fill);
    if (primitive->solid) // a smooth surface has strokes of its own colour, which close the gaps between its faces
        cd_text_format(p->svg, " stroke=\"#%06x\" stroke-width=\"%s\" stroke-linejoin=\"round\"%s/>\n",
                       primitive->smooth ? fill : cd_colour_mix(colour, 0, 0.35), primitive->smooth ? "0.6" : "1",
                       group_opacity(p, primitive));
    else
        cd_text_add(p->svg, " fill-opacity=\"0.22\"/>\n");
}

static void draw_disc(const cd_picture* p, const cd_primitive* primitive, double radius)
{
    const cd_xy     a      = cd_page_point(p, primitive->a);
    const cd_colour colour = cd_body_colour(p, primitive->body);
    cd_text_format(
        p->svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"#%06x\" stroke=\"#%06x\" stroke-width=\"1\"%s/>\n",
        a.x, a.y, radius, cd_colour_mix(colour, CD_COLOUR_BACKGROUND, radius > 12 ? 0.4 : 0.22),
        cd_colour_mix(colour, 0, 0.35), group_opacity(p, primitive));
}

// Draw the symbol of a mass centre: a disc with two black quadrants.
static void draw_mass_centre(const cd_picture* p, const cd_primitive* primitive)
{
    const double r = 0.72 * p->symbol_radius; // omitted if too small
    const cd_xy  a = cd_page_point(p, primitive->a);
    if (r < 2) return;
    cd_text_format(
        p->svg,
        "<g transform=\"translate(%.2f %.2f)\"><circle r=\"%.2f\" fill=\"#ffffff\" stroke=\"#262626\" "
        "stroke-width=\"0.8\"/>"
        "<path d=\"M0 0V%.2fA%.2f %.2f 0 0 1 %.2f 0ZM0 0V%.2fA%.2f %.2f 0 0 1 %.2f 0Z\" fill=\"#262626\"/></g>\n",
        a.x, a.y, r, -r, r, r, r, r, r, r, -r);
}

// Draw a spring: straight ends and a fixed number of coils.
static void draw_spring(const cd_picture* p, const cd_primitive* primitive)
{
    enum { COILS = 12 };
    const cd_xy  a = cd_page_point(p, primitive->a), b = cd_page_point(p, primitive->b);
    const double length = hypot(b.x - a.x, b.y - a.y);
    if (length < 1) return;
    const cd_xy  d = {(b.x - a.x) / length, (b.y - a.y) / length};
    const double r = 1.1 * p->symbol_radius, end = fmin(0.15 * length, 2.5 * p->symbol_radius),
                 pitch = (length - 2 * end) / COILS;
    cd_text_format(p->svg, "<polyline points=\"%.2f,%.2f", a.x, a.y);
    for (int i = 0; i <= COILS; ++i) {
        const double s = end + pitch * i, w = i == 0 || i == COILS ? 0 : i % 2 ? r : -r;
        cd_text_format(p->svg, " %.2f,%.2f", a.x + s * d.x - w * d.y, a.y + s * d.y + w * d.x);
    }
    cd_text_format(p->svg,
                   " %.2f,%.2f\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"1.3\" stroke-linejoin=\"round\"/>\n",
                   b.x, b.y, CD_COLOUR_SECONDARY);
}

// Draw a damper: a cylinder open towards b, and the piston with its rod.
static void draw_damper(const cd_picture* p, const cd_primitive* primitive)
{
    const cd_xy  a = cd_page_point(p, primitive->a), b = cd_page_point(p, primitive->b);
    const double length = hypot(b.x - a.x, b.y - a.y), r = 0.9 * p->symbol_radius;
    if (length < 1) return;
    const double foot   = fmin(0.3 * length, fmax(0.25 * length, 0.5 * length - 6 * p->symbol_radius)),
                 head   = length - foot;
    const double piston = 0.55 * length;
    cd_text_format(p->svg,
                   "<path transform=\"translate(%.2f %.2f) rotate(%.2f)\" d=\"M0 0H%.2fM%.2f %.2fH%.2fV%.2fH%.2f"
                   "M%.2f %.2fV%.2fM%.2f 0H%.2f\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"1.3\"/>\n",
                   a.x, a.y, cd_page_angle((b.x - a.x) / length, (b.y - a.y) / length), foot, head, -r, foot, r, head,
                   piston, -0.7 * r, 0.7 * r, piston, length, CD_COLOUR_SECONDARY);
}

void cd_draw_primitive(const cd_picture* p, const cd_scene* scene, const cd_primitive* primitive)
{
    switch (primitive->kind) {
    case CD_PRIMITIVE_FACE:
        draw_face(p, scene, primitive);
        break;
    case CD_PRIMITIVE_RAIL:
        draw_rail(p, primitive);
        break;
    case CD_PRIMITIVE_OFFSET_LINE:
        stroke(p, cd_page_point(p, primitive->a), cd_page_point(p, primitive->b), cd_body_colour(p, primitive->body),
               fmin(1.2, 0.3 * p->symbol_radius));
        break;
    case CD_PRIMITIVE_BAR:
        draw_bar(p, primitive);
        break;
    case CD_PRIMITIVE_SPHERE:
        draw_disc(p, primitive, fmax(primitive->radius * p->scale, 1));
        break;
    case CD_PRIMITIVE_SPRING:
        draw_spring(p, primitive);
        break;
    case CD_PRIMITIVE_DAMPER:
        draw_damper(p, primitive);
        break;
    case CD_PRIMITIVE_POINT_MASS:
        draw_disc(p, primitive, 1.5 * p->symbol_radius);
        break;
    case CD_PRIMITIVE_MASS_CENTRE:
        draw_mass_centre(p, primitive);
        break;
    case CD_PRIMITIVE_SUPPORT:
        cd_draw_support(p, primitive);
        break;
    case CD_PRIMITIVE_JOINT:
        cd_draw_joint_symbol(p, primitive);
        break;
    }
}
