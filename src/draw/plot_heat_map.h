// SPDX-License-Identifier: BSD-3-Clause
// Maps: a value over two numbers as colours, with a bar that says what they mean. Points that fill a grid become cells,
// others stay points; a value that is not finite is a cross.
#pragma once

#include "core/text.h"

#include <cardan/status.h>

typedef struct cd_heat_map {
    const char *  title, *subtitle; // each may be NULL
    const char *  x_name, *y_name, *name, *unit;
    long          count;
    const double *x, *y, *value; // (count)
    bool          x_log, log;    // horizontal axis; colours
    double        width, height; // [px]; 0: as it looks well
} cd_heat_map;

cardan_status cd_heat_map_svg(const cd_heat_map* map, cd_text* svg, cardan_report* report);
