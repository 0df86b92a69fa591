// SPDX-License-Identifier: BSD-3-Clause
// Curves: axis scales, interruptions, decimation. Of consecutive points in one pixel column only the first, lowest,
// highest and last are drawn, in their order: the picture is the same and the file is small.
#include "draw/plot/plot.h"

#include "draw/draw_tolerances.h"

long cd_axis_scale_extend(cd_axis_scale* s, long count, const double* value)
{
    long refused = 0;
    for (long i = 0; i < count; ++i) {
        if (cd_axis_scale_accepts(s, value[i])) {
            s->low  = fmin(s->low, value[i]);
            s->high = fmax(s->high, value[i]);
        } else {
            refused += isfinite(value[i]);
        }
    }
    return refused;
}

void cd_axis_scale_add_margin(cd_axis_scale* s, double margin)
{
    if (!(s->low <= s->high)) {
        s->low  = s->log ? 0.1 : 0;
        s->high = 1;
    }
    if (s->log) {
        const double grow = s->high > s->low ? pow(s->high / s->low, margin) : 2;
        s->low /= grow;
        s->high *= grow;
        return;
    }
    const double extent = s->high - s->low, size = fmax(fabs(s->low), fabs(s->high));
    double       more = margin * extent;
    // a range at round-off level counts as constant
    if (extent <= fmax(cd_constant_range_tolerance * size, 1e-300)) more = size > 1e-300 ? 0.1 * size : 1;
    s->low -= more;
    s->high += more;
}

const char* cd_dash_pattern(int dash)
{
    static const char* const pattern[] = {"", "6 3.5", "1.5 3", "8 3 1.5 3"};
    return pattern[(unsigned)dash % 4];
}

static void stroke_attributes(cd_text* svg, cd_colour colour, int dash)
{
    cd_text_format(
        svg, " stroke=\"#%06x\" stroke-width=\"1.6\" fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\"",
        colour);
    if (*cd_dash_pattern(dash)) cd_text_format(svg, " stroke-dasharray=\"%s\"", cd_dash_pattern(dash));
}

void cd_draw_legend_line(cd_text* svg, double x, double y, cd_colour colour, int dash, bool point)
{
    cd_text_format(svg, "<path d=\"M%.1f %.1fh22\"", x, y);
    stroke_attributes(svg, colour, dash);
    cd_text_add(svg, "/>\n");
    if (point) cd_text_format(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"#%06x\"/>\n", x + 11, y, colour);
}

// Retained points of one pixel column.
typedef struct pixel_column {
    long  count;
    cd_xy first, low, high, last;
    long  at_low, at_high; // indices of the extrema
} pixel_column;

typedef struct path_writer {
    cd_text*     svg;
    pixel_column column;
    bool         in_segment; // a line has been started
    long         npoint;     // points of the current line
} path_writer;

static void put_point(path_writer* p, cd_xy q)
{
    cd_text_format(p->svg, "%c%.2f %.2f", p->in_segment ? 'L' : 'M', q.x, q.y);
    p->in_segment = true;
    ++p->npoint;
}

static void flush(path_writer* p)
{
    const pixel_column* c = &p->column;
    if (c->count > 0) put_point(p, c->first);
    const bool low_first = c->at_low < c->at_high;
    for (int k = 0; k < 2; ++k) {
        const bool low = (k == 0) == low_first;
        const long at  = low ? c->at_low : c->at_high;
        if (at > 0 && at < c->count - 1) put_point(p, low ? c->low : c->high);
    }
    if (c->count > 1) put_point(p, c->last);
    p->column.count = 0;
}

static void add_point(path_writer* p, cd_xy q)
{
    pixel_column* c = &p->column;
    if (c->count > 0 && floor(q.x) != floor(c->first.x)) flush(p);
    if (c->count == 0) *c = (pixel_column){.first = q, .low = q, .high = q};
    if (q.y < c->low.y) c->low = q, c->at_low = c->count;
    if (q.y > c->high.y) c->high = q, c->at_high = c->count;
    c->last = q;
    ++c->count;
}

// Interrupt the line; a single point between two interruptions becomes a dot.
static void end_segment(path_writer* p)
{
    flush(p);
    if (p->npoint == 1) cd_text_add(p->svg, "m-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0");
    p->in_segment = false;
    p->npoint     = 0;
}

static void draw_points(cd_text* svg, const cd_curve* curve, const cd_axis_scale* x, const cd_axis_scale* y)
{
    cd_text_format(svg, "<g fill=\"#%06x\">\n", cd_palette_colour(curve->colour));
    for (long i = 0; i < curve->count; ++i)
        if (cd_axis_scale_accepts(x, curve->x[i]) && cd_axis_scale_accepts(y, curve->y[i]))
            cd_text_format(svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2.6\"/>\n", cd_axis_scale_position(x, curve->x[i]),
                           cd_axis_scale_position(y, curve->y[i]));
    cd_text_add(svg, "</g>\n");
}

void cd_draw_curve(cd_text* svg, const cd_curve* curve, const cd_axis_scale* x, const cd_axis_scale* y)
{
    path_writer p     = {.svg = svg};
    bool        begun = false;
    for (long i = 0; i < curve->count; ++i) {
        if (cd_axis_scale_accepts(x, curve->x[i]) && cd_axis_scale_accepts(y, curve->y[i])) {
            if (!begun) cd_text_add(svg, "<path d=\"");
            begun = true;
            add_point(&p, (cd_xy){cd_axis_scale_position(x, curve->x[i]), cd_axis_scale_position(y, curve->y[i])});
        } else if (begun) {
            end_segment(&p);
        }
    }
    if (!begun) return;
    end_segment(&p);
    cd_text_add(svg, "\"");
    stroke_attributes(svg, cd_palette_colour(curve->colour), curve->dash);
    cd_text_add(svg, "/>\n");
    if (curve->shows_points) draw_points(svg, curve, x, y);
}

double cd_curve_exponent(const cd_curve* curve)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (long i = 0; i < curve->count; ++i) {
        if (!(curve->x[i] > 0 && curve->y[i] > 0) || !isfinite(curve->x[i]) || !isfinite(curve->y[i])) continue;
        const double u = log(curve->x[i]), v = log(curve->y[i]);
        n += 1;
        sx += u;
        sy += v;
        sxx += u * u;
        sxy += u * v;
    }
    const double d = n * sxx - sx * sx;
    return n >= 2 && d > cd_fit_spread_min * n * sxx ? (n * sxy - sx * sy) / d : (double)NAN;
}
