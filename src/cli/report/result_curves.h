// SPDX-License-Identifier: BSD-3-Clause
// Curves as SVG: of result files, and of a run in progress.
#pragma once

#include "cli/options.h"
#include "draw/plot/plot_results.h"

// Write the plot that `plot_options` and --columns select to the SVG file `path`. Prints errors; returns the exit code.
int cd_write_curves_svg(const cd_options* options, int nrun, const cd_plot_run* run, cd_plot_options plot_options,
                        const char* path, bool force);

// Plot data of a run: some columns of each unit; samples are decimated so that memory stays bounded.
typedef struct cd_plot_data cd_plot_data;

// Columns of `first` (ncolumn), the outputs of the model, come first; `first` may be NULL. NULL if memory is exhausted.
cd_plot_data*          cd_plot_data_create(int ncolumn, const cd_column* head, const bool* first);
int                    cd_plot_data_omitted_count(const cd_plot_data* plot_data); // columns without a curve
void                   cd_plot_data_add_sample(cd_plot_data* plot_data, const double* value);
const cd_result_table* cd_plot_data_table(cd_plot_data* plot_data);
void                   cd_plot_data_destroy(cd_plot_data* plot_data);
