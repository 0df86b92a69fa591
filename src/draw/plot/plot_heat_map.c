// SPDX-License-Identifier: BSD-3-Clause
// Heat maps as SVG. Cell edges are half way between neighbouring values on the page.
#include "draw/plot/plot_heat_map.h"

#include "core/number_locale.h"
#include "core/memory.h"
#include "draw/plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SMALL = 11, LEFT = 70, RIGHT = 110, TOP = 44, BOTTOM = 56, BAR = 14, SHADES = 64 }; // [px]; SHADES: number

typedef struct axis {
    double*       value; // sorted, distinct
    int           count;
    cd_axis_scale scale;
} axis;

typedef struct heat_map_page {
    const cd_heat_map* map;
    cd_text*           svg;
    axis               x, y;
    cd_axis_scale      colour; // to 0 ... 1
    bool               cells;
} heat_map_page;

// Colour map from dark to light, perceptually uniform (five colours of viridis, Smith and van der Walt 2015).
static cd_colour colour_at(double t)
{
    static const cd_colour stop[] = {0x440154, 0x3B528B, 0x21918C, 0x5EC962, 0xFDE725};
    const double           s      = fmin(fmax(t, 0), 1) * 4;
    const int              i      = s >= 4 ? 3 : (int)s;
    return cd_colour_mix(stop[i], stop[i + 1], s - i);
}

static int ascending(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static bool make_axis(axis* a, long count, const double* value, bool log)
{
    *a = (axis){.scale = {.low = INFINITY, .high = -INFINITY, .log = log},
                .value = cd_allocate((size_t)count + 1, sizeof(double))};
    if (!a->value) return false;
    for (long i = 0; i < count; ++i)
        if (cd_axis_scale_accepts(&a->scale, value[i])) a->value[a->count++] = value[i];
    qsort(a->value, (size_t)a->count, sizeof(double), ascending);
    int kept = 0;
    for (int i = 0; i < a->count; ++i)
        if (kept == 0 || a->value[i] != a->value[kept - 1]) a->value[kept++] = a->value[i];
    a->count = kept;
    cd_axis_scale_extend(&a->scale, a->count, a->value);
    return true;
}

// Place the axis with space for the outermost cells, which are as wide as their neighbours.
static void layout_axis(axis* a, bool cells, double start, double end)
{
    const int n = a->count;
    cd_axis_scale_add_margin(&a->scale, cells && n > 1 ? 0 : 0.06);
    a->scale.start = start;
    a->scale.end   = end;
    if (!cells || n < 2) return;
    const double first = (cd_axis_scale_position(&a->scale, a->value[1]) - start) / 2,
                 last  = (end - cd_axis_scale_position(&a->scale, a->value[n - 2])) / 2;
    const double whole = (end - start) * (end - start) / (end - start + first + last), part = whole / (end - start);
    a->scale.start = start + first * part;
    a->scale.end   = a->scale.start + whole;
}

// Position of the edge before cell i.
static double edge(const axis* a, int i, double start, double end)
{
    if (i == 0 || a->count == 1) return i == 0 ? start : end;
    if (i == a->count) return end;
    return (cd_axis_scale_position(&a->scale, a->value[i - 1]) + cd_axis_scale_position(&a->scale, a->value[i])) / 2;
}

static int cell_index(const axis* a, double value)
{
    int low = 0, high = a->count - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a->value[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void draw_missing_value(const heat_map_page* s, double x, double y)
{
    cd_svg_line(s->svg, x - 4, y - 4, x + 4, y + 4, CD_COLOUR_SECONDARY, 1.2);
    cd_svg_line(s->svg, x - 4, y + 4, x + 4, y - 4, CD_COLOUR_SECONDARY, 1.2);
}

static void draw_points(const heat_map_page* s, double left, double top, double right, double bottom)
{
    const cd_heat_map* m = s->map;
    for (long i = 0; i < m->count; ++i) {
        if (!cd_axis_scale_accepts(&s->x.scale, m->x[i]) || !cd_axis_scale_accepts(&s->y.scale, m->y[i])) continue;
        const double x = cd_axis_scale_position(&s->x.scale, m->x[i]), y = cd_axis_scale_position(&s->y.scale, m->y[i]);
        if (!cd_axis_scale_accepts(&s->colour, m->value[i])) {
            draw_missing_value(s, x, y);
            continue;
        }
        const cd_colour colour = colour_at(cd_axis_scale_position(&s->colour, m->value[i]));
        if (!s->cells) {
            cd_text_format(
                s->svg,
                "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"5\" fill=\"#%06x\" stroke=\"#%06x\" stroke-width=\"0.6\"/>\n", x,
                y, colour, CD_COLOUR_SECONDARY);
            continue;
        }
        const int    column = cell_index(&s->x, m->x[i]), line = cell_index(&s->y, m->y[i]);
        const double x1 = edge(&s->x, column, left, right), x2 = edge(&s->x, column + 1, left, right);
        const double y1 = edge(&s->y, line, bottom, top), y2 = edge(&s->y, line + 1, bottom, top);
        cd_text_format(s->svg,
                       "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\" stroke=\"#%06x\" "
                       "stroke-width=\"0.4\"/>\n",
                       x1, y2, x2 - x1, y1 - y2, colour, colour);
    }
}

static void make_ticks(const cd_axis_scale* s, int wanted, cd_ticks* ticks)
{
    if (s->log)
        cd_ticks_log(ticks, s->low, s->high, wanted);
    else
        cd_ticks_linear(ticks, s->low, s->high, wanted);
}

static void draw_axes(const heat_map_page* s, double left, double top, double right, double bottom)
{
    cd_ticks      ticks;
    char          note[80];
    const cd_font label = {.size = SMALL, .anchor = CD_ANCHOR_MIDDLE, .colour = CD_COLOUR_TEXT},
                  name  = {.size = 12, .anchor = CD_ANCHOR_MIDDLE, .colour = CD_COLOUR_TEXT};
    make_ticks(&s->x.scale, (int)((right - left) / 85), &ticks);
    for (int i = 0; i < ticks.count; ++i) {
        const double x = cd_axis_scale_position(&s->x.scale, ticks.value[i]);
        cd_svg_line(s->svg, x, bottom, x, bottom + 4, CD_COLOUR_SECONDARY, 1);
        cd_svg_text(s->svg, x, bottom + 17, label, ticks.text[i]);
    }
    cd_svg_text(s->svg, (left + right) / 2, bottom + 38, name, s->map->x_name);
    cd_ticks_note(&ticks, note, sizeof note);
    if (*note)
        cd_svg_text(s->svg, right, bottom + 38,
                    (cd_font){.size = SMALL, .anchor = CD_ANCHOR_END, .colour = CD_COLOUR_SECONDARY}, note);
    make_ticks(&s->y.scale, (int)((bottom - top) / 45), &ticks);
    for (int i = 0; i < ticks.count; ++i) {
        const double y = cd_axis_scale_position(&s->y.scale, ticks.value[i]);
        cd_svg_line(s->svg, left - 4, y, left, y, CD_COLOUR_SECONDARY, 1);
        cd_svg_text(s->svg, left - 7, y + 3.8,
                    (cd_font){.size = SMALL, .anchor = CD_ANCHOR_END, .colour = CD_COLOUR_TEXT}, ticks.text[i]);
    }
    cd_svg_text(s->svg, 18, (top + bottom) / 2,
                (cd_font){.size = 12, .anchor = CD_ANCHOR_MIDDLE, .colour = CD_COLOUR_TEXT, .rotation = -90},
                s->map->y_name);
    cd_text_format(s->svg,
                   "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" stroke=\"#%06x\"/>\n",
                   left, top, right - left, bottom - top, CD_COLOUR_SECONDARY);
}

static void draw_bar(const heat_map_page* s, double left, double top, double bottom)
{
    cd_ticks      ticks;
    cd_axis_scale bar = s->colour;
    char          text[160];
    bar.start                 = bottom;
    bar.end                   = top;
    const double strip_height = (bottom - top) / SHADES;
    for (int i = 0; i < SHADES; ++i)
        cd_text_format(s->svg, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"#%06x\"/>\n", left,
                       bottom - (i + 1) * strip_height, BAR, strip_height + 0.3, colour_at((i + 0.5) / SHADES));
    make_ticks(&bar, (int)((bottom - top) / 45), &ticks);
    for (int i = 0; i < ticks.count; ++i) {
        const double y = cd_axis_scale_position(&bar, ticks.value[i]);
        cd_svg_line(s->svg, left + BAR, y, left + BAR + 4, y, CD_COLOUR_SECONDARY, 1);
        cd_svg_text(s->svg, left + BAR + 7, y + 3.8, (cd_font){.size = SMALL, .colour = CD_COLOUR_TEXT}, ticks.text[i]);
    }
    snprintf(text, sizeof text, s->map->unit && *s->map->unit ? "%s [%s]" : "%s", s->map->name,
             s->map->unit ? s->map->unit : "");
    cd_svg_text(s->svg, left + BAR + 56, top - 8,
                (cd_font){.size = 12, .anchor = CD_ANCHOR_END, .colour = CD_COLOUR_TEXT}, text);
    cd_ticks_note(&ticks, text, sizeof text);
    if (*text) cd_svg_text(s->svg, left, bottom + 17, (cd_font){.size = SMALL, .colour = CD_COLOUR_SECONDARY}, text);
}

static void draw(heat_map_page* s)
{
    const cd_heat_map* m     = s->map;
    const double       width = m->width > 0 ? m->width : 760, height = m->height > 0 ? m->height : 520;
    const double       left = LEFT, top = TOP, right = width - RIGHT, bottom = height - BOTTOM;
    s->cells  = (double)s->x.count * s->y.count == (double)m->count;
    s->colour = (cd_axis_scale){.low = INFINITY, .high = -INFINITY, .log = m->log};
    cd_axis_scale_extend(&s->colour, m->count, m->value);
    cd_axis_scale_add_margin(&s->colour, 0);
    s->colour.start = 0;
    s->colour.end   = 1;
    layout_axis(&s->x, s->cells, left, right);
    layout_axis(&s->y, s->cells, bottom, top);
    cd_svg_begin(s->svg, width, height, m->title ? m->title : m->name);
    if (m->title) cd_svg_text(s->svg, 14, 24, (cd_font){.size = 15, .colour = CD_COLOUR_TEXT, .bold = true}, m->title);
    if (m->subtitle)
        cd_svg_text(s->svg, 28 + 1.12 * cd_svg_text_width(m->title ? m->title : "", 15), 24,
                    (cd_font){.size = 12, .colour = CD_COLOUR_SECONDARY}, m->subtitle);
    draw_points(s, left, top, right, bottom);
    draw_axes(s, left, top, right, bottom);
    draw_bar(s, right + 24, top, bottom);
    cd_svg_end(s->svg);
}

cardan_status cd_heat_map_svg(const cd_heat_map* map, cd_text* svg, cardan_report* report)
{
    heat_map_page s      = {.map = map, .svg = svg};
    cardan_status status = CARDAN_OK;
    if (!make_axis(&s.x, map->count, map->x, map->x_log) || !make_axis(&s.y, map->count, map->y, false))
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                             "out of memory for the heat map");
    else if (s.x.count == 0 || s.y.count == 0)
        status = cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_NOTHING_TO_DRAW, cardan_location_none(),
                             "the heat map has no data");
    if (status == CARDAN_OK) {
        const locale_t before = cd_locale_enter();
        draw(&s);
        cd_locale_leave(before);
        if (svg->failed)
            status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                                 "out of memory for the heat map");
    }
    free(s.x.value);
    free(s.y.value);
    return status;
}
