// SPDX-License-Identifier: BSD-3-Clause
// Small multiples: one cell per panel with title, ticks and curves; the horizontal axis is labelled under the lowest
// cells.
#include "draw/plot/plot_grid.h"

#include "draw/draw_tolerances.h"
#include "core/number_locale.h"
#include "draw/plot/plot.h"

#include <math.h>
#include <stdio.h>

enum { SMALL = 10, TITLE = 11, HEAD = 22, FOOT = 18, SPACING = 16, LEFT = 46 }; // [px]

typedef struct grid_page {
    const cd_plot* plot;
    cd_text*       svg;
    int            columns;
    double         cell_width, cell_height, top, foot;
} grid_page;

static void horizontal_scale(const cd_plot* plot, cd_axis_scale* x)
{
    *x = (cd_axis_scale){.low = INFINITY, .high = -INFINITY, .log = plot->x_log};
    for (int k = 0; k < plot->npanel; ++k)
        for (int i = 0; i < plot->panel[k].ncurve; ++i)
            cd_axis_scale_extend(x, plot->panel[k].curve[i].count, plot->panel[k].curve[i].x);
    cd_axis_scale_add_margin(x, 0);
}

static void make_ticks(const cd_axis_scale* s, int wanted, cd_ticks* ticks)
{
    if (s->log)
        cd_ticks_log(ticks, s->low, s->high, wanted);
    else
        cd_ticks_linear(ticks, s->low, s->high, wanted);
}

// Vertical axis scale. A range at round-off level is widened, so that the curve is a line without noise.
static cd_axis_scale vertical_scale(const cd_panel* panel)
{
    cd_axis_scale y = {.low = INFINITY, .high = -INFINITY, .log = panel->log};
    for (int i = 0; i < panel->ncurve; ++i) cd_axis_scale_extend(&y, panel->curve[i].count, panel->curve[i].y);
    if (!y.log && y.low <= y.high && y.high - y.low < cd_constant_curve_tolerance * (1 + fabs(y.low))) {
        const double middle = (y.low + y.high) / 2, air = fmax(0.1 * fabs(middle), 1e-3);
        y.low  = middle - air;
        y.high = middle + air;
        return y;
    }
    cd_axis_scale_add_margin(&y, 0.06);
    return y;
}

static void draw_title(const grid_page* p, const cd_panel* panel, const cd_ticks* ticks, double left, double top,
                       double right)
{
    char text[200], note[80];
    snprintf(text, sizeof text, panel->unit && *panel->unit ? "%s [%s]" : "%s", panel->name ? panel->name : "",
             panel->unit ? panel->unit : "");
    cd_svg_text(p->svg, left, top - 6, (cd_font){.size = TITLE, .colour = CD_COLOUR_TEXT}, text);
    cd_ticks_note(ticks, note, sizeof note);
    if (*note)
        cd_svg_text(p->svg, right, top - 6,
                    (cd_font){.size = SMALL, .anchor = CD_ANCHOR_END, .colour = CD_COLOUR_SECONDARY}, note);
}

static void draw_lines(const grid_page* p, const cd_axis_scale* x, const cd_axis_scale* y, const cd_ticks* across,
                       const cd_ticks* up, bool named)
{
    for (int i = 0; i < across->count; ++i) {
        const double at = cd_axis_scale_position(x, across->value[i]);
        cd_svg_line(p->svg, at, y->end, at, y->start, across->value[i] == 0 ? 0xA8A8A8 : CD_COLOUR_GRID, 0.8);
        if (named)
            cd_svg_text(p->svg, at, y->start + 13,
                        (cd_font){.size = SMALL, .anchor = CD_ANCHOR_MIDDLE, .colour = CD_COLOUR_TEXT},
                        across->text[i]);
    }
    for (int i = 0; i < up->count; ++i) {
        const double at = cd_axis_scale_position(y, up->value[i]);
        cd_svg_line(p->svg, x->start, at, x->end, at, up->value[i] == 0 ? 0xA8A8A8 : CD_COLOUR_GRID, 0.8);
        cd_svg_text(p->svg, x->start - 5, at + 3.5,
                    (cd_font){.size = SMALL, .anchor = CD_ANCHOR_END, .colour = CD_COLOUR_TEXT}, up->text[i]);
    }
}

static void draw_cell(const grid_page* p, int k, cd_axis_scale x)
{
    const cd_panel* panel = &p->plot->panel[k];
    const int       line = k / p->columns, column = k % p->columns;
    const bool      lowest = k + p->columns >= p->plot->npanel;
    const double    left   = SPACING + column * p->cell_width + LEFT,
                 right     = SPACING + (column + 1) * p->cell_width - SPACING;
    const double  top = p->top + line * p->cell_height + HEAD, bottom = p->top + (line + 1) * p->cell_height - FOOT;
    cd_axis_scale y = vertical_scale(panel);
    cd_ticks      across, up;
    char          text[160];
    x.start = left;
    x.end   = right;
    y.start = bottom;
    y.end   = top;
    make_ticks(&x, (int)fmax(2, (right - left) / 55), &across);
    make_ticks(&y, (int)fmax(2, (bottom - top) / 30), &up);
    draw_title(p, panel, &up, left, top, right);
    draw_lines(p, &x, &y, &across, &up, true);
    cd_text_format(p->svg, "<path d=\"M%.2f %.2fV%.2fH%.2f\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"1\"/>\n",
                   left, top, bottom, right, CD_COLOUR_SECONDARY);
    for (int i = 0; i < panel->ncurve; ++i) cd_draw_curve(p->svg, &panel->curve[i], &x, &y);
    if (!lowest) return;
    snprintf(text, sizeof text, p->plot->x_unit && *p->plot->x_unit ? "%s [%s]" : "%s",
             p->plot->x_name ? p->plot->x_name : "", p->plot->x_unit ? p->plot->x_unit : "");
    cd_svg_text(p->svg, (left + right) / 2, bottom + 28,
                (cd_font){.size = TITLE, .anchor = CD_ANCHOR_MIDDLE, .colour = CD_COLOUR_TEXT}, text);
}

static double draw_head(const grid_page* p)
{
    const cd_plot* plot = p->plot;
    double         x = SPACING, y = 8;
    if (plot->title || plot->subtitle) {
        const char* title = plot->title ? plot->title : "";
        cd_svg_text(p->svg, x, 24, (cd_font){.size = 15, .colour = CD_COLOUR_TEXT, .bold = true}, title);
        if (plot->subtitle)
            cd_svg_text(p->svg, x + 1.12 * cd_svg_text_width(title, 15) + (*title ? 14 : 0), 24,
                        (cd_font){.size = 12, .colour = CD_COLOUR_SECONDARY}, plot->subtitle);
        y = 34;
    }
    for (int i = 0; i < plot->nkey; ++i) {
        cd_draw_legend_line(p->svg, x, y + 10,
                            plot->key[i].colour < 0 ? CD_COLOUR_TEXT : cd_palette_colour(plot->key[i].colour),
                            plot->key[i].dash, false);
        cd_svg_text(p->svg, x + 28, y + 14, (cd_font){.size = TITLE, .colour = CD_COLOUR_TEXT}, plot->key[i].name);
        x += 28 + cd_svg_text_width(plot->key[i].name, TITLE) + 18;
    }
    return plot->nkey > 0 ? y + 22 : y;
}

cardan_status cd_plot_small_multiples(const cd_plot* plot, int columns, cd_text* svg, cardan_report* report)
{
    if (plot->npanel < 1 || columns < 1)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_NOTHING_TO_DRAW, cardan_location_none(),
                           "the plot has no data");
    grid_page      p     = {.plot = plot, .svg = svg, .columns = columns < plot->npanel ? columns : plot->npanel};
    const int      rows  = (plot->npanel + p.columns - 1) / p.columns;
    const double   width = plot->width > 0 ? plot->width : SPACING + 240.0 * p.columns, foot = 16;
    const double   height = plot->height > 0 ? plot->height : 60 + 150.0 * rows + foot;
    cd_axis_scale  x;
    const locale_t before = cd_locale_enter();
    horizontal_scale(plot, &x);
    cd_svg_begin(svg, width, height, plot->title);
    p.top         = draw_head(&p);
    p.cell_width  = (width - SPACING) / p.columns;
    p.cell_height = (height - p.top - foot) / rows;
    for (int k = 0; k < plot->npanel; ++k) draw_cell(&p, k, x);
    cd_svg_end(svg);
    cd_locale_leave(before);
    return svg->failed ? cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                                     "out of memory for the plot")
                       : CARDAN_OK;
}
