// SPDX-License-Identifier: BSD-3-Clause
// Small multiples: panels side by side on one page, over the same horizontal axis, each with a scale of its own.
#pragma once

#include "draw/plot_svg.h"

// Append the panels of the plot in rows of `columns`; the legend is that of the plot's keys. Widths and heights of 0:
// as it looks well.
cardan_status cd_plot_small_multiples(const cd_plot* plot, int columns, cd_text* svg, cardan_report* report);
