// SPDX-License-Identifier: BSD-3-Clause
// Links, faces, balls, springs, dampers and mass centres on the page.
#include "draw/picture.h"

double cd_link_width(const cd_picture* p, const cd_mark* mark)
{
    const double width = 2 * mark->radius * p->scale;
    return mark->radius > 0 ? fmax(width, fmin(2, p->unit)) : 1.25 * p->unit;
}

static void stroke(const cd_picture* p, cd_xy a, cd_xy b, cd_colour colour, double width)
{
    cd_text_format(p->svg,
                   "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"#%06x\" stroke-width=\"%.2f\" "
                   "stroke-linecap=\"round\"/>\n",
                   a.x, a.y, b.x, b.y, colour, width);
}

// A rod thick enough to be seen as a cylinder of radius r [px]: its side, and the end that faces the eye.
static void draw_cylinder(const cd_picture* p, const cd_mark* mark, double r)
{
    const cd_xyz    d      = xyz_unit(xyz_sub(mark->b, mark->a));
    const bool      b_near = cd_look_depth(p->look, d) > CD_NOISE;
    const cd_xy     close = cd_page(p, b_near ? mark->b : mark->a), far = cd_page(p, b_near ? mark->a : mark->b);
    const double    e      = r * fmin(1, fabs(cd_look_depth(p->look, d)));
    const double    length = hypot(close.x - far.x, close.y - far.y);
    const double    angle  = length > 1e-6 ? cd_page_angle((close.x - far.x) / length, (close.y - far.y) / length) : 0;
    const cd_colour colour = cd_body_colour(p, mark->body);
    cd_text_format(
        p->svg,
        "<g transform=\"translate(%.2f %.2f) rotate(%.2f)\" stroke=\"#%06x\" stroke-width=\"1\" "
        "stroke-linejoin=\"round\"><path d=\"M0 %.2fH%.2fA%.2f %.2f 0 0 1 %.2f %.2fH0A%.2f %.2f 0 0 1 0 %.2fZ\" "
        "fill=\"#%06x\"/><ellipse cx=\"%.2f\" rx=\"%.2f\" ry=\"%.2f\" fill=\"#%06x\"/></g>\n",
        far.x, far.y, angle, cd_mix(colour, 0, 0.35), -r, length, e, r, length, r, e, r, -r,
        cd_mix(colour, CD_PAPER, 0.4), length, e, r, cd_mix(colour, CD_PAPER, 0.6));
}

// A bar: a dark rim, and the body's colour inside.
static void draw_link(const cd_picture* p, const cd_mark* mark)
{
    const cd_xy     a = cd_page(p, mark->a), b = cd_page(p, mark->b);
    const cd_colour colour = cd_body_colour(p, mark->body);
    const double    width  = cd_link_width(p, mark);
    if (width < 3) {
        stroke(p, a, b, colour, width);
        return;
    }
    if (mark->radius > 0 && width > 8) {
        draw_cylinder(p, mark, width / 2);
        return;
    }
    stroke(p, a, b, cd_mix(colour, 0, 0.35), width);
    stroke(p, a, b, cd_mix(colour, CD_PAPER, 0.22), fmax(width - 2, 0.6 * width));
}

// Both ends reach beyond the slider.
static void draw_rail(const cd_picture* p, const cd_mark* mark)
{
    const double more = 4.5 * p->unit / p->scale;
    stroke(p, cd_page(p, xyz_along(mark->a, -more, mark->axis)), cd_page(p, xyz_along(mark->b, more, mark->axis)),
           cd_body_colour(p, mark->body), fmax(0.5 * p->unit, 1));
}

cd_xyz cd_face_normal(const cd_scene* scene, const cd_mark* mark)
{
    const cd_xyz* q = scene->point + mark->first;
    return xyz_unit(xyz_cross(xyz_sub(q[1], q[0]), xyz_sub(q[2], q[0])));
}

// Solid faces are lit from above the eye's left shoulder; plates are translucent.
static void draw_face(const cd_picture* p, const cd_scene* scene, const cd_mark* mark)
{
    const cd_colour colour = cd_body_colour(p, mark->body);
    cd_colour       fill   = colour;
    if (mark->solid) {
        const cd_xyz n = cd_face_normal(scene, mark);
        if (xyz_dot(n, p->look->toward) <= 1e-9) return;
        const cd_xyz light =
            xyz_unit(xyz_add(xyz_along(p->look->toward, 1.2, p->look->up), xyz_scale(-0.5, p->look->right)));
        fill = cd_mix(colour, CD_PAPER, 0.32 + 0.45 * fmax(0, xyz_dot(n, light)));
    }
    cd_text_add(p->svg, "<polygon points=\"");
    for (int i = 0; i < mark->count; ++i) {
        const cd_xy q = cd_page(p, scene->point[mark->first + i]);
        cd_text_format(p->svg, "%s%.2f,%.2f", i ? " " : "", q.x, q.y);
    }
    cd_text_format(p->svg, "\" fill=\"#%06x\"", fill);
    if (mark->solid)
        cd_text_format(p->svg, " stroke=\"#%06x\" stroke-width=\"1\" stroke-linejoin=\"round\"/>\n",
                       cd_mix(colour, 0, 0.35));
    else
        cd_text_add(p->svg, " fill-opacity=\"0.22\"/>\n");
}

static void draw_disc(const cd_picture* p, const cd_mark* mark, double radius)
{
    const cd_xy     a      = cd_page(p, mark->a);
    const cd_colour colour = cd_body_colour(p, mark->body);
    cd_text_format(p->svg,
                   "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"#%06x\" stroke=\"#%06x\" stroke-width=\"1\"/>\n",
                   a.x, a.y, radius, cd_mix(colour, CD_PAPER, radius > 12 ? 0.4 : 0.22), cd_mix(colour, 0, 0.35));
}

// The sign of a mass centre: a disc in four quarters, two of them black.
static void draw_centre(const cd_picture* p, const cd_mark* mark)
{
    const double r = 0.72 * p->unit; // too small to be told from a dot: left out
    const cd_xy  a = cd_page(p, mark->a);
    if (r < 2) return;
    cd_text_format(
        p->svg,
        "<g transform=\"translate(%.2f %.2f)\"><circle r=\"%.2f\" fill=\"#ffffff\" stroke=\"#262626\" "
        "stroke-width=\"0.8\"/>"
        "<path d=\"M0 0V%.2fA%.2f %.2f 0 0 1 %.2f 0ZM0 0V%.2fA%.2f %.2f 0 0 1 %.2f 0Z\" fill=\"#262626\"/></g>\n",
        a.x, a.y, r, -r, r, r, r, r, r, r, -r);
}

// A coil: straight ends, and turns of fixed number between them.
static void draw_spring(const cd_picture* p, const cd_mark* mark)
{
    enum { TURNS = 12 };
    const cd_xy  a = cd_page(p, mark->a), b = cd_page(p, mark->b);
    const double length = hypot(b.x - a.x, b.y - a.y);
    if (length < 1) return;
    const cd_xy  d = {(b.x - a.x) / length, (b.y - a.y) / length};
    const double r = 1.1 * p->unit, end = fmin(0.15 * length, 2.5 * p->unit), turn = (length - 2 * end) / TURNS;
    cd_text_format(p->svg, "<polyline points=\"%.2f,%.2f", a.x, a.y);
    for (int i = 0; i <= TURNS; ++i) {
        const double s = end + turn * i, w = i == 0 || i == TURNS ? 0 : i % 2 ? r : -r;
        cd_text_format(p->svg, " %.2f,%.2f", a.x + s * d.x - w * d.y, a.y + s * d.y + w * d.x);
    }
    cd_text_format(p->svg,
                   " %.2f,%.2f\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"1.3\" stroke-linejoin=\"round\"/>\n",
                   b.x, b.y, CD_PENCIL);
}

// A pot, open towards b, and the piston on its rod.
static void draw_damper(const cd_picture* p, const cd_mark* mark)
{
    const cd_xy  a = cd_page(p, mark->a), b = cd_page(p, mark->b);
    const double length = hypot(b.x - a.x, b.y - a.y), r = 0.9 * p->unit;
    if (length < 1) return;
    const double foot = fmin(0.3 * length, fmax(0.25 * length, 0.5 * length - 6 * p->unit)), head = length - foot;
    const double piston = 0.55 * length;
    cd_text_format(p->svg,
                   "<path transform=\"translate(%.2f %.2f) rotate(%.2f)\" d=\"M0 0H%.2fM%.2f %.2fH%.2fV%.2fH%.2f"
                   "M%.2f %.2fV%.2fM%.2f 0H%.2f\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"1.3\"/>\n",
                   a.x, a.y, cd_page_angle((b.x - a.x) / length, (b.y - a.y) / length), foot, head, -r, foot, r, head,
                   piston, -0.7 * r, 0.7 * r, piston, length, CD_PENCIL);
}

void cd_draw_mark(const cd_picture* p, const cd_scene* scene, const cd_mark* mark)
{
    switch (mark->kind) {
    case CD_MARK_FACE:
        draw_face(p, scene, mark);
        break;
    case CD_MARK_RAIL:
        draw_rail(p, mark);
        break;
    case CD_MARK_SPUR:
        stroke(p, cd_page(p, mark->a), cd_page(p, mark->b), cd_body_colour(p, mark->body), fmin(1.2, 0.3 * p->unit));
        break;
    case CD_MARK_LINK:
        draw_link(p, mark);
        break;
    case CD_MARK_BALL:
        draw_disc(p, mark, fmax(mark->radius * p->scale, 1));
        break;
    case CD_MARK_SPRING:
        draw_spring(p, mark);
        break;
    case CD_MARK_DAMPER:
        draw_damper(p, mark);
        break;
    case CD_MARK_MASS:
        draw_disc(p, mark, 1.5 * p->unit);
        break;
    case CD_MARK_CENTRE:
        draw_centre(p, mark);
        break;
    case CD_MARK_GROUND:
        cd_draw_ground(p, mark);
        break;
    case CD_MARK_JOINT:
        cd_draw_symbol(p, mark);
        break;
    }
}
