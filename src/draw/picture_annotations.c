// SPDX-License-Identifier: BSD-3-Clause
// Annotations of a picture: direction of gravity, scale bar, axes.
#include "draw/picture.h"

#include "draw/ticks.h"

#include <stdio.h>

// Draw an arrow with its head; an arrow shorter than its head is drawn as a circle with a dot (towards the viewer) or a
// cross (away).
static void arrow(const cd_picture* p, double x, double y, cd_xy d, bool toward_eye, cd_colour colour)
{
    const double length = hypot(d.x, d.y);
    if (length < 6) {
        cd_text_format(
            p->svg,
            "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4\" fill=\"#ffffff\" stroke=\"#%06x\" stroke-width=\"1.2\"/>\n", x, y,
            colour);
        if (toward_eye)
            cd_text_format(p->svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"1.5\" fill=\"#%06x\"/>\n", x, y, colour);
        else
            cd_text_format(p->svg,
                           "<path d=\"M%.2f %.2fl5.6 5.6m0 -5.6l-5.6 5.6\" stroke=\"#%06x\" stroke-width=\"1.2\"/>\n",
                           x - 2.8, y - 2.8, colour);
        return;
    }
    const cd_xy u = {d.x / length, d.y / length}, tip = {x + d.x, y - d.y}, neck = {tip.x - 7 * u.x, tip.y + 7 * u.y};
    cd_text_format(p->svg,
                   "<path d=\"M%.2f %.2fL%.2f %.2f\" stroke=\"#%06x\" stroke-width=\"1.4\"/><path d=\"M%.2f %.2fL%.2f "
                   "%.2fL%.2f %.2fZ\" fill=\"#%06x\"/>\n",
                   x, y, neck.x, neck.y, colour, tip.x, tip.y, neck.x + 2.8 * u.y, neck.y + 2.8 * u.x,
                   neck.x - 2.8 * u.y, neck.y - 2.8 * u.x, colour);
}

static void draw_axes(const cd_picture* p, double x, double y)
{
    static const char* const letter[] = {"x", "y", "z"};
    const cd_xyz             axis[]   = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    // axes pointing away from the viewer first, so that near ones cover them
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < 3; ++i) {
            const bool toward = cd_camera_depth(p->camera, axis[i]) > 0;
            if (toward != (pass == 1)) continue;
            const cd_xy  d      = cd_camera_project(p->camera, xyz_scale(26, axis[i]));
            const double length = hypot(d.x, d.y);
            arrow(p, x, y, d, toward, CD_COLOUR_SECONDARY);
            const cd_xy at = length < 6 ? (cd_xy){x - 10, y + 12}
                                        : (cd_xy){x + d.x * (1 + 8 / length), y - d.y * (1 + 8 / length) + 4};
            cd_svg_text(
                p->svg, at.x, at.y,
                (cd_font){.size = 11, .anchor = CD_ANCHOR_MIDDLE, .colour = CD_COLOUR_SECONDARY, .italic = true},
                letter[i]);
        }
}

static void draw_gravity(const cd_picture* p, double x, double y)
{
    const cd_xyz g = xyz_of(p->view->gravity);
    if (!(xyz_length(g) > 0)) return;
    const cd_xy  d      = cd_camera_project(p->camera, xyz_scale(26, xyz_unit(g)));
    const double length = hypot(d.x, d.y);
    const cd_xy  start  = length < 6 ? (cd_xy){x, y} : (cd_xy){x - d.x / 2, y + d.y / 2};
    arrow(p, start.x, start.y, d, cd_camera_depth(p->camera, g) > 0, CD_COLOUR_TEXT);
    cd_svg_text(p->svg, x + 8 + fabs(d.x) / 2, y + 4, (cd_font){.size = 11, .colour = CD_COLOUR_TEXT, .italic = true},
                "g");
}

// Scale bar: the longest length 1, 2 or 5 times a power of ten that fits. In isometric views it holds along the axes.
static void draw_scale(const cd_picture* p, double right, double y)
{
    const double scale  = p->scale * (p->camera->isometric ? sqrt(2.0 / 3) : 1);
    const double length = cd_nice_below(110 / scale), width = length * scale, x = right - width;
    char         text[48];
    if (!(length > 0) || !isfinite(width)) return;
    const bool millimetres = length < 0.05;
    snprintf(text, sizeof text, "%.6g %s%s", millimetres ? 1000 * length : length, millimetres ? "mm" : "m",
             p->camera->isometric ? " along each axis" : "");
    cd_text_format(p->svg,
                   "<path d=\"M%.2f %.2fv6m0 -3H%.2fm0 -3v6\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"1.2\"/>\n",
                   x, y - 3, right, CD_COLOUR_TEXT);
    cd_svg_text(p->svg, p->camera->isometric ? right : x + width / 2, y - 8,
                (cd_font){.size   = 11,
                          .anchor = p->camera->isometric ? CD_ANCHOR_END : CD_ANCHOR_MIDDLE,
                          .colour = CD_COLOUR_TEXT},
                text);
}

void cd_draw_annotations(const cd_picture* p)
{
    const double bottom = p->rectangle.y + p->rectangle.height;
    draw_axes(p, p->rectangle.x + 44, bottom - 36);
    draw_gravity(p, p->rectangle.x + 102, bottom - 38);
    draw_scale(p, p->rectangle.x + p->rectangle.width - 14, bottom - 14);
}
