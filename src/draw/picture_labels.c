// SPDX-License-Identifier: BSD-3-Clause
// Labels of a picture. A coarse occupancy grid stores what is drawn; each label gets the nearest position of acceptable
// cost, and is omitted if there is none.
#include "draw/picture.h"

#include "core/memory.h"

#include <stdlib.h>

enum { CELL = 3 };                                                     // [px]
enum { OVER_AREA = 1, OVER_BAR = 4, COST_MAX = 120, OCCUPIED = 1000 }; // cost of a covered cell; maximum of a label
enum { AREA_WIDTH = 16 }; // [px] wider primitives count as areas, which may be covered

typedef struct occupancy_grid {
    const cd_picture* picture;
    int               columns, rows;
    short*            cell_cost;
} occupancy_grid;

static void occupy(occupancy_grid* g, double x, double y, double width, double height, short cost)
{
    const cd_page_rectangle* box = &g->picture->rectangle;
    const int                i0 = (int)fmax(0, (x - box->x) / CELL), j0 = (int)fmax(0, (y - box->y) / CELL);
    const int                i1 = (int)fmin(g->columns - 1, (x + width - box->x) / CELL),
              j1                = (int)fmin(g->rows - 1, (y + height - box->y) / CELL);
    for (int j = j0; j <= j1; ++j)
        for (int i = i0; i <= i1; ++i)
            if (g->cell_cost[j * g->columns + i] < cost) g->cell_cost[j * g->columns + i] = cost;
}

static void occupy_line(occupancy_grid* g, cd_xy a, cd_xy b, double width, short cost)
{
    const double length    = hypot(b.x - a.x, b.y - a.y);
    const int    ninterval = (int)fmin(length / CELL, 4000) + 1;
    const double w         = fmax(width, CELL);
    for (int i = 0; i <= ninterval; ++i) {
        const double s = (double)i / ninterval;
        occupy(g, a.x + s * (b.x - a.x) - w / 2, a.y + s * (b.y - a.y) - w / 2, w, w, cost);
    }
}

static void occupy_primitive(occupancy_grid* g, const cd_scene* scene, const cd_primitive* primitive)
{
    const cd_picture* p             = g->picture;
    const double      r             = p->symbol_radius;
    const cd_xy       a             = cd_page_point(p, primitive->a);
    const double      width_on_page = 2 * primitive->radius * p->scale;
    switch (primitive->kind) {
    case CD_PRIMITIVE_BAR:
        occupy_line(g, a, cd_page_point(p, primitive->b), cd_bar_width(p, primitive),
                    width_on_page < AREA_WIDTH ? OVER_BAR : OVER_AREA);
        break;
    case CD_PRIMITIVE_RAIL:
    case CD_PRIMITIVE_OFFSET_LINE:
    case CD_PRIMITIVE_SPRING:
    case CD_PRIMITIVE_DAMPER:
        occupy_line(g, a, cd_page_point(p, primitive->b),
                    primitive->kind == CD_PRIMITIVE_SPRING || primitive->kind == CD_PRIMITIVE_DAMPER ? 2 * r : 1,
                    OVER_BAR);
        break;
    case CD_PRIMITIVE_FACE:
        for (int i = 0; i < primitive->count; ++i)
            occupy_line(g, cd_page_point(p, scene->point[primitive->first + i]),
                        cd_page_point(p, scene->point[primitive->first + (i + 1) % primitive->count]), 1, OVER_BAR);
        break;
    case CD_PRIMITIVE_SPHERE:
        occupy(g, a.x - width_on_page / 2, a.y - width_on_page / 2, width_on_page, width_on_page,
               width_on_page < 2 * AREA_WIDTH ? OVER_BAR : OVER_AREA);
        break;
    case CD_PRIMITIVE_SUPPORT: {
        const cd_page_rectangle box = cd_support_rectangle(p, primitive);
        occupy(g, box.x, box.y, box.width, box.height, OCCUPIED);
        break;
    }
    case CD_PRIMITIVE_POINT_MASS:
    case CD_PRIMITIVE_MASS_CENTRE:
    case CD_PRIMITIVE_JOINT:
        occupy(g, a.x - 1.3 * r, a.y - 1.3 * r, 2.6 * r, 2.6 * r, OCCUPIED);
        break;
    }
}

// Cost of a label in a rectangle; OCCUPIED outside the picture.
static int cost_of(const occupancy_grid* g, double x, double y, double width, double height)
{
    const cd_page_rectangle* box = &g->picture->rectangle;
    if (x < box->x || y < box->y || x + width > box->x + box->width || y + height > box->y + box->height)
        return OCCUPIED;
    int       cost = 0;
    const int i1   = (int)fmin(g->columns - 1, (x + width - box->x) / CELL),
              j1   = (int)fmin(g->rows - 1, (y + height - box->y) / CELL);
    for (int j = (int)((y - box->y) / CELL); j <= j1; ++j)
        for (int i = (int)((x - box->x) / CELL); i <= i1 && cost < OCCUPIED; ++i)
            cost += g->cell_cost[j * g->columns + i];
    return cost;
}

// Try positions around the anchor, near ones first. Returns true if the label was drawn.
static bool place_label(occupancy_grid* g, const cd_label* label, double size)
{
    static const cd_xy direction[] = {{1, -0.7}, {1, 0}, {-1, -0.7}, {-1, 0}, {1, 0.7}, {-1, 0.7}, {0, -1}, {0, 1}};
    const cd_picture*  p           = g->picture;
    const cd_xy        a           = cd_page_point(p, label->at);
    const double       width = cd_svg_text_width(label->text, size), height = 1.05 * size;
    int                cost_min = OCCUPIED;
    cd_xy              best     = {0, 0};
    for (int ring = 0; ring < 3; ++ring) {
        const double distance = 1.3 * p->symbol_radius + 3 + 7 * ring;
        for (size_t k = 0; k < sizeof direction / sizeof *direction; ++k) {
            const cd_xy  d    = direction[k];
            const cd_xy  c    = {a.x + d.x * distance +
                                     (d.x > 0   ? 0
                                      : d.x < 0 ? -width
                                                : -width / 2),
                                 a.y + d.y * distance - height / 2 + d.y * height / 2};
            const double over = cost_of(g, c.x - 1, c.y, width + 2, height);
            const int    cost = (int)(over / 2) + 8 * ring + (int)k;
            if (over < COST_MAX && cost < cost_min) {
                cost_min = cost;
                best     = c;
            }
        }
    }
    if (cost_min == OCCUPIED) return false;
    const bool      body   = label->body >= 0;
    const cd_colour colour = body ? cd_colour_mix(p->colour[label->body], 0, 0.4) : CD_COLOUR_SECONDARY;
    cd_svg_text(p->svg, best.x, best.y + 0.82 * size,
                (cd_font){.size = size, .colour = colour, .italic = !body, .halo = true}, label->text);
    occupy(g, best.x - 2, best.y, width + 4, height, OCCUPIED);
    return true;
}

static bool is_requested(const cd_label* name, cd_label_options options)
{
    return name->body >= 0 ? options.bodies : options.joints;
}

void cd_draw_labels(const cd_picture* p, const cd_scene* scene, cd_label_options options, bool* named)
{
    int count = 0;
    for (int i = 0; i < scene->nlabel; ++i) count += is_requested(&scene->label[i], options);
    if (options.is_reduced && count > 16 && !p->camera->isometric) return;

    occupancy_grid g = {
        .picture = p, .columns = (int)(p->rectangle.width / CELL) + 1, .rows = (int)(p->rectangle.height / CELL) + 1};
    g.cell_cost = cd_allocate((size_t)g.columns * (size_t)g.rows, sizeof *g.cell_cost);
    if (!g.cell_cost) {
        p->svg->failed = true;
        return;
    }
    for (int i = 0; i < scene->nprimitive; ++i) occupy_primitive(&g, scene, &scene->primitive[i]);
    occupy(&g, p->rectangle.x, p->rectangle.y + p->rectangle.height - options.bottom_margin, 130, options.bottom_margin,
           OCCUPIED);
    occupy(&g, p->rectangle.x + p->rectangle.width - 150,
           p->rectangle.y + p->rectangle.height - options.bottom_margin / 2, 150, options.bottom_margin / 2, OCCUPIED);

    const double size = count > 40 ? 9 : count > 16 ? 10.5 : 12;
    for (int pass = 0; pass < 2; ++pass) // bodies first
        for (int i = 0; i < scene->nlabel; ++i) {
            const cd_label* name = &scene->label[i];
            const bool      body = name->body >= 0;
            if (body == (pass == 0) && is_requested(name, options) && place_label(&g, name, body ? size : size - 0.5))
                named[i] = true;
        }
    free(g.cell_cost);
}
