// SPDX-License-Identifier: BSD-3-Clause
// How programs that reproduce tables and figures of the papers write their files. What fails is told on stderr.
#pragma once

#include "draw/plot_svg.h"

#include <stdio.h>

// FOLDER/NAME for writing; NULL where that fails.
FILE* page_create(const char* folder, const char* name);
// A drawing that is ready, or that failed, as FOLDER/NAME; the text is freed in any case.
bool page_draw(const char* folder, const char* name, cd_text* svg);
// A plot as FOLDER/NAME.
bool page_plot(const char* folder, const char* name, const cd_plot* plot);
