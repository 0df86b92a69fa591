// SPDX-License-Identifier: BSD-3-Clause
// Line plots: divide the page into panels, choose ticks, draw the curves.
#include "draw/plot/plot_svg.h"

#include "core/number_locale.h"
#include "draw/plot/plot.h"

#include <stdio.h>
#include <string.h>

enum { RIGHT = 22, SMALL = 11, LEGEND_LINE = 17 }; // [px] margin, label font, line height of the legend

typedef struct plot_page {
    const cd_plot* plot;
    cd_text*       svg;
    double         width, height;
    double         left; // [px] left end of the axes
    cd_axis_scale  x;
    cd_ticks       x_ticks;
} plot_page;

typedef struct panel_axis {
    cd_axis_scale y;
    cd_ticks      ticks;
} panel_axis;

static void make_ticks(const cd_axis_scale* s, int wanted, cd_ticks* ticks)
{
    if (s->log)
        cd_ticks_log(ticks, s->low, s->high, wanted);
    else
        cd_ticks_linear(ticks, s->low, s->high, wanted);
}

// Vertical scale and ticks of a panel; warns about values that a logarithmic axis cannot show.
static panel_axis axis_of(const cd_panel* panel, double height, cardan_report* report)
{
    const char* name = panel->name; // name of the current series, else of the panel
    panel_axis  a    = {.y = {.low = INFINITY, .high = -INFINITY, .log = panel->log}};
    for (int i = 0; i < panel->ncurve; ++i) {
        const cd_curve* c = &panel->curve[i];
        if (c->name) name = c->name;
        const long refused = cd_axis_scale_extend(&a.y, c->count, c->y);
        if (refused)
            cardan_warn(report, CARDAN_CODE_VALUES_OMITTED, cardan_location_none(),
                        "'%s': %ld of %ld values are not positive and are omitted from the logarithmic axis",
                        name ? name : "a curve", refused, c->count);
    }
    cd_axis_scale_add_margin(&a.y, 0.06);
    make_ticks(&a.y, (int)fmax(2, height / 38), &a.ticks);
    return a;
}

static double label_width(const cd_ticks* ticks)
{
    double width = 0;
    for (int i = 0; i < ticks->count; ++i) width = fmax(width, cd_svg_text_width(ticks->text[i], SMALL));
    return width;
}

// Text of a curve in the legend.
static void curve_label(const cd_curve* curve, char* text, size_t size)
{
    const double exponent = curve->shows_exponent ? cd_curve_exponent(curve) : NAN;
    if (isnan(exponent))
        snprintf(text, size, "%s", curve->name);
    else
        snprintf(text, size, "%s (slope %.2f)", curve->name, exponent);
}

// Legend, filled from left to right and wrapped. Without `svg` only the lines are counted.
typedef struct legend_flow {
    cd_text* svg;
    double   left, right, x, y;
    int      nline;
} legend_flow;

static void flow_entry(legend_flow* f, const char* text, cd_colour colour, int dash, bool point)
{
    const double width = 28 + cd_svg_text_width(text, SMALL) + 16;
    if (f->nline == 0 || (f->x > f->left && f->x + width > f->right + 16)) {
        f->x = f->left;
        if (f->nline++ > 0) f->y += LEGEND_LINE;
    }
    if (f->svg) {
        cd_draw_legend_line(f->svg, f->x, f->y - 4, colour, dash, point);
        cd_svg_text(f->svg, f->x + 28, f->y, (cd_font){.size = SMALL, .colour = CD_COLOUR_TEXT}, text);
    }
    f->x += width;
}

static void flow_panel(legend_flow* f, const cd_panel* panel)
{
    char text[256];
    for (int i = 0; i < panel->ncurve; ++i) {
        const cd_curve* c = &panel->curve[i];
        if (!c->name) continue;
        curve_label(c, text, sizeof text);
        flow_entry(f, text, cd_palette_colour(c->colour), c->dash, c->shows_points);
    }
}

static void flow_keys(legend_flow* f, const cd_plot* plot)
{
    for (int i = 0; i < plot->nkey; ++i)
        flow_entry(f, plot->key[i].name,
                   plot->key[i].colour < 0 ? CD_COLOUR_TEXT : cd_palette_colour(plot->key[i].colour), plot->key[i].dash,
                   false);
}

static legend_flow flow_begin(const plot_page* s, cd_text* svg, double y)
{
    return (legend_flow){.svg = svg, .left = s->left, .right = s->width - RIGHT, .x = s->left, .y = y};
}

static int legend_lines(const plot_page* s, const cd_panel* panel)
{
    legend_flow f = flow_begin(s, NULL, 0);
    flow_panel(&f, panel);
    return f.nline;
}

static void axis_title(char* text, size_t size, const char* name, const char* unit)
{
    const bool has_name = name && *name, has_unit = unit && *unit;
    snprintf(text, size,
             has_name && has_unit ? "%s [%s]"
             : has_unit           ? "%s[%s]"
                                  : "%s%s",
             has_name ? name : "", has_unit ? unit : "");
}

static void draw_y_axis(const plot_page* s, const cd_panel* panel, const panel_axis* a)
{
    const double right = s->width - RIGHT;
    char         text[160];
    for (int i = 0; i < a->ticks.count; ++i) {
        const double y    = cd_axis_scale_position(&a->y, a->ticks.value[i]);
        const bool   zero = !a->y.log && a->ticks.value[i] == 0;
        cd_svg_line(s->svg, s->left, y, right, y, zero ? 0xA8A8A8 : CD_COLOUR_GRID, zero ? 1 : 0.8);
        cd_svg_text(s->svg, s->left - 7, y + 3.8,
                    (cd_font){.size = SMALL, .anchor = CD_ANCHOR_END, .colour = CD_COLOUR_TEXT}, a->ticks.text[i]);
    }
    cd_ticks_note(&a->ticks, text, sizeof text);
    if (*text)
        cd_svg_text(s->svg, right, a->y.end - 5,
                    (cd_font){.size = SMALL, .anchor = CD_ANCHOR_END, .colour = CD_COLOUR_SECONDARY}, text);
    axis_title(text, sizeof text, panel->name, panel->unit);
    if (*text)
        cd_svg_text(s->svg, 18, (a->y.start + a->y.end) / 2,
                    (cd_font){.size = 12, .anchor = CD_ANCHOR_MIDDLE, .colour = CD_COLOUR_TEXT, .rotation = -90}, text);
}

static void draw_x_axis(const plot_page* s, const cd_axis_scale* y, bool labelled)
{
    char text[160];
    for (int i = 0; i < s->x_ticks.count; ++i) {
        const double x = cd_axis_scale_position(&s->x, s->x_ticks.value[i]);
        cd_svg_line(s->svg, x, y->end, x, y->start, CD_COLOUR_GRID, 0.8);
        if (labelled)
            cd_svg_text(s->svg, x, y->start + 16,
                        (cd_font){.size = SMALL, .anchor = CD_ANCHOR_MIDDLE, .colour = CD_COLOUR_TEXT},
                        s->x_ticks.text[i]);
    }
    if (!labelled) return;
    axis_title(text, sizeof text, s->plot->x_name, s->plot->x_unit);
    cd_svg_text(s->svg, (s->x.start + s->x.end) / 2, y->start + 36,
                (cd_font){.size = 12, .anchor = CD_ANCHOR_MIDDLE, .colour = CD_COLOUR_TEXT}, text);
    cd_ticks_note(&s->x_ticks, text, sizeof text);
    if (*text)
        cd_svg_text(s->svg, s->width - RIGHT, y->start + 36,
                    (cd_font){.size = SMALL, .anchor = CD_ANCHOR_END, .colour = CD_COLOUR_SECONDARY}, text);
}

static void draw_panel(const plot_page* s, const cd_panel* panel, panel_axis* a, double top, double bottom, bool last)
{
    a->y.start = bottom;
    a->y.end   = top;
    draw_x_axis(s, &a->y, last);
    draw_y_axis(s, panel, a);
    cd_text_format(s->svg, "<path d=\"M%.2f %.2fV%.2fH%.2f\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"1\"/>\n",
                   s->left, top, bottom, s->width - RIGHT, CD_COLOUR_SECONDARY);
    for (int i = 0; i < panel->ncurve; ++i) cd_draw_curve(s->svg, &panel->curve[i], &s->x, &a->y);
}

// Draw title and legend of the runs; returns the position of the panels [px].
static double draw_head(const plot_page* s)
{
    const cd_plot* plot = s->plot;
    double         y    = 8;
    if (plot->title || plot->subtitle) {
        const char*  title = plot->title ? plot->title : "";
        const double width = 1.12 * cd_svg_text_width(title, 15);
        cd_svg_text(s->svg, 14, 24, (cd_font){.size = 15, .colour = CD_COLOUR_TEXT, .bold = true}, title);
        if (plot->subtitle)
            cd_svg_text(s->svg, 14 + width + (*title ? 14 : 0), 24,
                        (cd_font){.size = 12, .colour = CD_COLOUR_SECONDARY}, plot->subtitle);
        y = 34;
    }
    if (plot->nkey == 0) return y;
    legend_flow f = flow_begin(s, s->svg, y + 14);
    flow_keys(&f, plot);
    return y + LEGEND_LINE * f.nline + 6;
}

static void horizontal_scale(plot_page* s, cardan_report* report)
{
    bool points = false, reverses = false; // curves monotonic in x fill the width, others get a margin
    long refused = 0;
    s->x         = (cd_axis_scale){.low = INFINITY, .high = -INFINITY, .log = s->plot->x_log};
    for (int k = 0; k < s->plot->npanel; ++k)
        for (int i = 0; i < s->plot->panel[k].ncurve; ++i) {
            const cd_curve* c = &s->plot->panel[k].curve[i];
            refused += cd_axis_scale_extend(&s->x, c->count, c->x);
            points |= c->shows_points;
            for (long n = 1; n < c->count && !reverses; ++n) reverses = c->x[n] < c->x[n - 1];
        }
    if (refused)
        cardan_warn(report, CARDAN_CODE_VALUES_OMITTED, cardan_location_none(),
                    "%ld points have no logarithm of '%s' and are omitted", refused,
                    s->plot->x_name ? s->plot->x_name : "x");
    cd_axis_scale_add_margin(&s->x, points || reverses ? 0.03 : 0);
}

// Height above a panel [px]: its legend, or a margin.
static double legend_height(const plot_page* s, const cd_panel* panel)
{
    const int nline = legend_lines(s, panel);
    return nline ? 13 + LEGEND_LINE * nline : 16;
}

static void draw_panels(plot_page* s, cardan_report* report)
{
    enum { PANELS_MAX = 64 };
    const cd_plot* plot  = s->plot;
    const int      count = plot->npanel < PANELS_MAX ? plot->npanel : PANELS_MAX;
    panel_axis     axis[PANELS_MAX];
    const double   guess = (s->height - 90) / count - 40;
    double         width = 20;
    for (int k = 0; k < count; ++k) {
        axis[k] = axis_of(&plot->panel[k], guess, report);
        width   = fmax(width, label_width(&axis[k].ticks));
    }
    s->left    = 24 + width + 14;
    s->x.start = s->left;
    s->x.end   = s->width - RIGHT;
    make_ticks(&s->x, (int)((s->x.end - s->x.start) / 85), &s->x_ticks);

    double y    = draw_head(s);
    double room = s->height - y - 48;
    for (int k = 0; k < count; ++k) room -= legend_height(s, &plot->panel[k]);
    const double height = fmax(room / count, 30);
    for (int k = 0; k < count; ++k) {
        const double head = legend_height(s, &plot->panel[k]);
        legend_flow  f    = flow_begin(s, s->svg, y + 18);
        flow_panel(&f, &plot->panel[k]);
        draw_panel(s, &plot->panel[k], &axis[k], y + head, y + head + height, k == count - 1);
        y += head + height;
    }
}

cardan_status cd_plot_svg(const cd_plot* plot, cd_text* svg, cardan_report* report)
{
    if (plot->npanel < 1)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_NOTHING_TO_DRAW, cardan_location_none(),
                           "the plot has no data");
    plot_page s           = {.plot = plot, .svg = svg};
    s.width               = plot->width > 0 ? plot->width : 800;
    s.height              = plot->height > 0 ? plot->height : plot->npanel == 1 ? 480 : 110 + 190.0 * plot->npanel;
    const locale_t before = cd_locale_enter();
    horizontal_scale(&s, report);
    cd_svg_begin(svg, s.width, s.height, plot->title);
    draw_panels(&s, report);
    if (plot->remark)
        cd_svg_text(svg, 14, s.height - 10, (cd_font){.size = SMALL, .colour = CD_COLOUR_SECONDARY}, plot->remark);
    cd_svg_end(svg);
    cd_locale_leave(before);
    return svg->failed ? cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                                     "out of memory for the plot")
                       : CARDAN_OK;
}
