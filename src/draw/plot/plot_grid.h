// SPDX-License-Identifier: BSD-3-Clause
// Small multiples: panels side by side with a common horizontal axis, each with its own vertical scale.
#pragma once

#include "draw/plot/plot_svg.h"

// Append the panels of the plot in lines of `columns` panels, with the keys of the plot as legend. Width or height 0:
// default size.
cardan_status cd_plot_small_multiples(const cd_plot* plot, int columns, cd_text* svg, cardan_report* report);
