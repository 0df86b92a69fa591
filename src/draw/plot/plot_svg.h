// SPDX-License-Identifier: BSD-3-Clause
// Line plots as SVG: panels one above the other with a common horizontal axis, each with several curves.
#pragma once

#include "core/text.h"

#include <cardan/status.h>

typedef struct cd_curve {
    const char*   name; // name in the legend; NULL: none
    long          count;
    const double *x, *y;          // (count); non-finite values interrupt the line
    int           colour;         // index into the palette
    int           dash;           // 0 solid, 1 dashed, 2 dotted, 3 dash-dotted; modulo 4
    bool          shows_points;   // dot at every point
    bool          shows_exponent; // log-log plots: the legend gives the exponent p of y ~ x^p by least squares
} cd_curve;

typedef struct cd_panel {
    const char *    name, *unit; // title of the vertical axis; each may be NULL
    bool            log;
    int             ncurve;
    const cd_curve* curve;
} cd_panel;

// Legend entry of the whole plot: line style of one run.
typedef struct cd_plot_key {
    const char* name;
    int         colour; // -1: text colour, if only the dash differs
    int         dash;
} cd_plot_key;

typedef struct cd_plot {
    const char *       title, *subtitle; // each may be NULL
    const char*        remark;           // text at the lower left; may be NULL
    const char *       x_name, *x_unit;
    bool               x_log;
    int                npanel, nkey;
    const cd_panel*    panel;
    const cd_plot_key* key;
    double             width, height; // [px]; 0: default size
} cd_plot;

// Append the plot to `svg`. Long curves are decimated per pixel column; extrema are kept.
cardan_status cd_plot_svg(const cd_plot* plot, cd_text* svg, cardan_report* report);

// Exponent p of the least-squares line log y = p log x + c over the points with x, y > 0; NaN for fewer than two.
double cd_curve_exponent(const cd_curve* curve);
