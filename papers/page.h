// SPDX-License-Identifier: BSD-3-Clause
// Output files of the programs that reproduce tables and figures of the papers. Failures are reported on stderr.
#pragma once

#include "draw/plot/plot_svg.h"

#include <stdio.h>

// Open FOLDER/NAME for writing. Returns NULL on failure.
FILE* page_create(const char* folder, const char* name);
// Write a drawing to FOLDER/NAME and free its text, also on failure. Returns false if the drawing or the file failed.
bool page_draw(const char* folder, const char* name, cd_text* svg);
// Write a plot to FOLDER/NAME.
bool page_plot(const char* folder, const char* name, const cd_plot* plot);
