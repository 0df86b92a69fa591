// SPDX-License-Identifier: BSD-3-Clause
// Plots of results: selected columns of one or several runs, one panel per unit.
#pragma once

#include "draw/plot/plot_svg.h"
#include "io/results/results.h"

typedef struct cd_plot_run {
    const char*            name; // name in the legend if there are several runs
    const cd_result_table* table;
} cd_plot_run;

typedef struct cd_plot_options {
    int                npattern;
    const char* const* pattern; // column names with * as wildcard; npattern = 0: all columns up to the limits below
    const char*        x;       // horizontal axis; NULL: the first column
    bool               x_log, y_log;
    const char *       title, *subtitle;
    int                nomitted;      // columns that the caller has left out; added to those omitted here
    bool               is_noted;      // the caller reports omitted columns; no note
    double             width, height; // [px]; 0: default size
} cd_plot_options;

// Limits of panels, and of curves per panel, without patterns; a note reports omitted columns.
enum { CD_PLOT_PANELS_MAX = 6, CD_PLOT_CURVES_MAX = 12 };

cardan_status cd_plot_results(int nrun, const cd_plot_run* run, const cd_plot_options* options, cd_text* svg,
                              cardan_report* report);
