// SPDX-License-Identifier: BSD-3-Clause
// Names on a picture. A coarse grid remembers what is drawn where; each name takes the free place nearest to its part,
// and a name that finds none is left out rather than printed over another.
#include "draw/picture.h"

#include "core/memory.h"

#include <stdlib.h>

enum { CELL = 3 };                                                   // [px]
enum { OVER_AREA = 1, OVER_LINK = 4, TOO_MUCH = 120, TAKEN = 1000 }; // cost of covering a cell, and of a whole name
enum { WIDE = 16 }; // [px] what is wider than a name is high is an area

typedef struct plan {
    const cd_picture* picture;
    int               columns, rows;
    short*            cost;
} plan;

static void take(plan* g, double x, double y, double width, double height, short cost)
{
    const cd_box* box = &g->picture->box;
    const int     i0 = (int)fmax(0, (x - box->x) / CELL), j0 = (int)fmax(0, (y - box->y) / CELL);
    const int     i1 = (int)fmin(g->columns - 1, (x + width - box->x) / CELL),
              j1     = (int)fmin(g->rows - 1, (y + height - box->y) / CELL);
    for (int j = j0; j <= j1; ++j)
        for (int i = i0; i <= i1; ++i)
            if (g->cost[j * g->columns + i] < cost) g->cost[j * g->columns + i] = cost;
}

static void take_line(plan* g, cd_xy a, cd_xy b, double width, short cost)
{
    const double length = hypot(b.x - a.x, b.y - a.y);
    const int    steps  = (int)fmin(length / CELL, 4000) + 1;
    const double w      = fmax(width, CELL);
    for (int i = 0; i <= steps; ++i) {
        const double s = (double)i / steps;
        take(g, a.x + s * (b.x - a.x) - w / 2, a.y + s * (b.y - a.y) - w / 2, w, w, cost);
    }
}

static void take_mark(plan* g, const cd_scene* scene, const cd_mark* mark)
{
    const cd_picture* p    = g->picture;
    const double      r    = p->unit;
    const cd_xy       a    = cd_page(p, mark->a);
    const double      wide = 2 * mark->radius * p->scale;
    switch (mark->kind) {
    case CD_MARK_LINK:
        take_line(g, a, cd_page(p, mark->b), cd_link_width(p, mark), wide < WIDE ? OVER_LINK : OVER_AREA);
        break;
    case CD_MARK_RAIL:
    case CD_MARK_SPUR:
    case CD_MARK_SPRING:
    case CD_MARK_DAMPER:
        take_line(g, a, cd_page(p, mark->b), mark->kind == CD_MARK_SPRING || mark->kind == CD_MARK_DAMPER ? 2 * r : 1,
                  OVER_LINK);
        break;
    case CD_MARK_FACE:
        for (int i = 0; i < mark->count; ++i)
            take_line(g, cd_page(p, scene->point[mark->first + i]),
                      cd_page(p, scene->point[mark->first + (i + 1) % mark->count]), 1, OVER_LINK);
        break;
    case CD_MARK_BALL:
        take(g, a.x - wide / 2, a.y - wide / 2, wide, wide, wide < 2 * WIDE ? OVER_LINK : OVER_AREA);
        break;
    case CD_MARK_GROUND: {
        const cd_box box = cd_ground_box(p, mark);
        take(g, box.x, box.y, box.width, box.height, TAKEN);
        break;
    }
    case CD_MARK_MASS:
    case CD_MARK_CENTRE:
    case CD_MARK_JOINT:
        take(g, a.x - 1.3 * r, a.y - 1.3 * r, 2.6 * r, 2.6 * r, TAKEN);
        break;
    }
}

// Cost of printing over a rectangle; outside the picture nothing may stand.
static int cost_of(const plan* g, double x, double y, double width, double height)
{
    const cd_box* box = &g->picture->box;
    if (x < box->x || y < box->y || x + width > box->x + box->width || y + height > box->y + box->height) return TAKEN;
    int       cost = 0;
    const int i1   = (int)fmin(g->columns - 1, (x + width - box->x) / CELL),
              j1   = (int)fmin(g->rows - 1, (y + height - box->y) / CELL);
    for (int j = (int)((y - box->y) / CELL); j <= j1; ++j)
        for (int i = (int)((x - box->x) / CELL); i <= i1 && cost < TAKEN; ++i) cost += g->cost[j * g->columns + i];
    return cost;
}

// Tries places around the part, near ones first; true if the name was printed.
static bool place_name(plan* g, const cd_name* name, double size)
{
    static const cd_xy direction[] = {{1, -0.7}, {1, 0}, {-1, -0.7}, {-1, 0}, {1, 0.7}, {-1, 0.7}, {0, -1}, {0, 1}};
    const cd_picture*  p           = g->picture;
    const cd_xy        a           = cd_page(p, name->at);
    const double       width = cd_text_width(name->text, size), height = 1.05 * size;
    int                least = TAKEN;
    cd_xy              best  = {0, 0};
    for (int ring = 0; ring < 3; ++ring) {
        const double distance = 1.3 * p->unit + 3 + 7 * ring;
        for (size_t k = 0; k < sizeof direction / sizeof *direction; ++k) {
            const cd_xy  d    = direction[k];
            const cd_xy  c    = {a.x + d.x * distance +
                                     (d.x > 0   ? 0
                                      : d.x < 0 ? -width
                                                : -width / 2),
                                 a.y + d.y * distance - height / 2 + d.y * height / 2};
            const double over = cost_of(g, c.x - 1, c.y, width + 2, height);
            const int    cost = (int)(over / 2) + 8 * ring + (int)k;
            if (over < TOO_MUCH && cost < least) {
                least = cost;
                best  = c;
            }
        }
    }
    if (least == TAKEN) return false;
    const bool      body   = name->body >= 0;
    const cd_colour colour = body ? cd_mix(p->colour[name->body], 0, 0.4) : CD_PENCIL;
    cd_svg_text(p->svg, best.x, best.y + 0.82 * size,
                (cd_font){.size = size, .colour = colour, .italic = !body, .halo = true}, name->text);
    take(g, best.x - 2, best.y, width + 4, height, TAKEN);
    return true;
}

static bool wanted(const cd_name* name, cd_names_wish wish) { return name->body >= 0 ? wish.bodies : wish.joints; }

void cd_draw_names(const cd_picture* p, const cd_scene* scene, cd_names_wish wish, bool* named)
{
    int count = 0;
    for (int i = 0; i < scene->nname; ++i) count += wanted(&scene->name[i], wish);
    if (wish.few && count > 16 && !p->look->isometric) return;

    plan g = {.picture = p, .columns = (int)(p->box.width / CELL) + 1, .rows = (int)(p->box.height / CELL) + 1};
    g.cost = cd_allocate((size_t)g.columns * (size_t)g.rows, sizeof *g.cost);
    if (!g.cost) {
        p->svg->failed = true;
        return;
    }
    for (int i = 0; i < scene->nmark; ++i) take_mark(&g, scene, &scene->mark[i]);
    take(&g, p->box.x, p->box.y + p->box.height - wish.strip, 130, wish.strip, TAKEN);
    take(&g, p->box.x + p->box.width - 150, p->box.y + p->box.height - wish.strip / 2, 150, wish.strip / 2, TAKEN);

    const double size = count > 40 ? 9 : count > 16 ? 10.5 : 12;
    for (int pass = 0; pass < 2; ++pass) // bodies first
        for (int i = 0; i < scene->nname; ++i) {
            const cd_name* name = &scene->name[i];
            const bool     body = name->body >= 0;
            if (body == (pass == 0) && wanted(name, wish) && place_name(&g, name, body ? size : size - 0.5))
                named[i] = true;
        }
    free(g.cost);
}
