// SPDX-License-Identifier: BSD-3-Clause
// Plots of results: chosen columns of one or several runs, one panel for each unit.
#pragma once

#include "draw/plot_svg.h"
#include "io/results/results.h"

typedef struct cd_plot_run {
    const char*            name; // said in the legend where there are several
    const cd_result_table* table;
} cd_plot_run;

typedef struct cd_plot_options {
    int                npattern;
    const char* const* pattern; // column names, * for any part; none: all columns, as far as they fit
    const char*        x;       // horizontal axis; NULL: the first column
    bool               x_log, y_log;
    const char *       title, *subtitle;
    double             width, height; // [px]; 0: as it looks well
} cd_plot_options;

// Without patterns at most this much is shown, and a note says so.
enum { CD_PLOT_PANELS_MAX = 6, CD_PLOT_CURVES_MAX = 12 };

cardan_status cd_plot_results(int nrun, const cd_plot_run* run, const cd_plot_options* options, cd_text* svg,
                              cardan_report* report);
