// SPDX-License-Identifier: BSD-3-Clause
// Curves of results as SVG.
#pragma once

#include "cli/options.h"

// Columns of one or several CSV files, overlaid, into the SVG file `path`; what is wrong is told. Returns the exit code.
int cd_write_curves(const cd_options* options, int nrun, const char* const* csv, const char* title, const char* subtitle,
                    const char* path, bool force);
