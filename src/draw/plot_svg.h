// SPDX-License-Identifier: BSD-3-Clause
// Line plots as SVG: panels above each other that share their horizontal axis, each with several curves.
#pragma once

#include "core/text.h"

#include <cardan/status.h>

typedef struct cd_curve {
    const char*   name; // in the legend; NULL: not there
    long          count;
    const double *x, *y;          // (count); what is not finite is a gap
    int           colour;         // index into the palette
    int           dash;           // 0 solid, 1 dashed, 2 dotted, 3 dash and dot; counts round
    bool          shows_points;   // a dot on every point
    bool          shows_exponent; // logarithmic plots: the legend gives the exponent p of y ~ x^p, by least squares
} cd_curve;

typedef struct cd_panel {
    const char *    name, *unit; // title of the vertical axis; each may be NULL
    bool            log;
    int             ncurve;
    const cd_curve* curve;
} cd_panel;

// One line style, said once for the whole plot: which run it stands for.
typedef struct cd_plot_key {
    const char* name;
    int         colour; // -1: ink, where only the dash tells
    int         dash;
} cd_plot_key;

typedef struct cd_plot {
    const char *       title, *subtitle; // each may be NULL
    const char *       x_name, *x_unit;
    bool               x_log;
    int                npanel, nkey;
    const cd_panel*    panel;
    const cd_plot_key* key;
    double             width, height; // [px]; 0: as it looks well
} cd_plot;

// Append the plot to `svg`. Long curves are thinned to what a pixel column can show; extremes stay.
cardan_status cd_plot_svg(const cd_plot* plot, cd_text* svg, cardan_report* report);

// Exponent p of the least-squares line log y = p log x + c over the points that have logarithms; NaN for fewer than
// two.
double cd_curve_exponent(const cd_curve* curve);
