// SPDX-License-Identifier: BSD-3-Clause
// Curves as SVG: of result files, and of a run while it goes on.
#pragma once

#include "cli/options.h"
#include "draw/plot_results.h"

// The plot that the wish and --columns ask for, into the SVG file `path`; what is wrong is told. Returns the exit code.
int cd_write_curves_svg(const cd_options* options, int nrun, const cd_plot_run* run, cd_plot_options plot_options,
                        const char* path, bool force);

// The part of a run that its picture shows: some columns of each unit, and rows thinned so that memory stays small.
typedef struct cd_plot_data cd_plot_data;

cd_plot_data*          cd_plot_data_create(int ncolumn, const cd_column* head); // NULL without memory
void                   cd_plot_data_add_sample(cd_plot_data* sample, const double* value);
const cd_result_table* cd_plot_data_table(cd_plot_data* sample);
void                   cd_plot_data_destroy(cd_plot_data* sample);
