// SPDX-License-Identifier: BSD-3-Clause
// Measured times as tables, CSV files and SVG pictures.
#pragma once

#include "engine_comparison.h"

void results_head(int core); // machine, compiler flags of both sides, method of measurement
void results_print(const race* r);

// Print the exponent of time over size from 64 joints on for the comparisons of one family.
void results_growth(const race* r, int n, const char* family);

// Print the ratios of Talos and their goals.
void results_goals(const race* r, int n);

bool results_csv(const race* r, int n, const char* path);
// Plot times and ratios over the number of joints; returns true also if there is nothing to draw.
bool results_plot(const race* r, int n, const char* family, const char* path);
