// SPDX-License-Identifier: BSD-3-Clause
// Internal header of the plots: axis scale, and curves between two axes.
#pragma once

#include "draw/picture.h"
#include "draw/plot/plot_svg.h"
#include "draw/ticks.h"

// Map from values to page coordinates: `low` to `start`, `high` to `end`.
typedef struct cd_axis_scale {
    double low, high;
    double start, end; // [px]
    bool   log;
} cd_axis_scale;

// True for values that the axis can show: below 1e300 in magnitude, above 1e-300 on a logarithmic axis.
static inline bool cd_axis_scale_accepts(const cd_axis_scale* s, double value)
{
    return fabs(value) < 1e300 && (!s->log || value > 1e-300);
}

static inline double cd_axis_scale_position(const cd_axis_scale* s, double value)
{
    const double t = s->log ? log(value / s->low) / log(s->high / s->low) : (value - s->low) / (s->high - s->low);
    return s->start + t * (s->end - s->start);
}

// Extend [low, high] to contain all values; initialize with +infinity and -infinity. Returns the number of finite
// values that the axis cannot show.
long cd_axis_scale_extend(cd_axis_scale* s, long count, const double* value);
// Extend both ends by the fraction `margin`; give a constant range a nonzero extent; use 0 to 1 for an empty range.
void cd_axis_scale_add_margin(cd_axis_scale* s, double margin);

void cd_draw_curve(cd_text* svg, const cd_curve* curve, const cd_axis_scale* x, const cd_axis_scale* y);
// Draw a short line sample for the legend.
void        cd_draw_legend_line(cd_text* svg, double x, double y, cd_colour colour, int dash, bool point);
const char* cd_dash_pattern(int dash); // "" for solid lines
