// SPDX-License-Identifier: BSD-3-Clause
// Inside of plots: one axis, and curves in a rectangle between two axes.
#pragma once

#include "draw/picture.h"
#include "draw/plot_svg.h"
#include "draw/ticks.h"

// From values to the page: low lies at `start`, high at `end`.
typedef struct cd_axis_scale {
    double low, high;
    double start, end; // [px]
    bool   log;
} cd_axis_scale;

// Values on a logarithmic scale must be positive; what is near the end of the numbers counts as infinite.
static inline bool cd_axis_scale_accepts(const cd_axis_scale* s, double value)
{
    return fabs(value) < 1e300 && (!s->log || value > 1e-300);
}

static inline double cd_axis_scale_position(const cd_axis_scale* s, double value)
{
    const double t = s->log ? log(value / s->low) / log(s->high / s->low) : (value - s->low) / (s->high - s->low);
    return s->start + t * (s->end - s->start);
}

// Stretches low and high over values; begin with +infinity and -infinity. Returns how many finite values found no
// place.
long cd_axis_scale_extend(cd_axis_scale* s, long count, const double* value);
// A little air at both ends, and some extent where there is none; 0 to 1 where nothing was covered.
void cd_axis_scale_add_margin(cd_axis_scale* s, double air);

void cd_draw_curve(cd_text* svg, const cd_curve* curve, const cd_axis_scale* x, const cd_axis_scale* y);
// A short piece of the curve's line for legends.
void        cd_draw_legend_line(cd_text* svg, double x, double y, cd_colour colour, int dash, bool point);
const char* cd_dash_pattern(int dash); // "" for solid
