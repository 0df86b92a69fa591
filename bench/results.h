// SPDX-License-Identifier: BSD-3-Clause
// What was measured, for people (tables), for programs (CSV) and for the eye (SVG).
#pragma once

#include "race.h"

void results_head(int core); // machine, flags of both sides, how it was measured
void results_print(const race* r);

// Slope of log time over log size, from 64 joints on, of the races of one family.
void results_growth(const race* r, int n, const char* family);

// Talos against the goals set for it.
void results_goals(const race* r, int n);

bool results_csv(const race* r, int n, const char* path);
// Times and ratios over the number of joints; true also where there is nothing to draw.
bool results_plot(const race* r, int n, const char* family, const char* path);
