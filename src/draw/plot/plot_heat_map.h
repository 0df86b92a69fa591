// SPDX-License-Identifier: BSD-3-Clause
// Heat maps: values over two variables as colours, with a colour bar. Points on a complete grid become cells, others
// are drawn as points; non-finite values are drawn as crosses.
#pragma once

#include "core/text.h"

#include <cardan/status.h>

typedef struct cd_heat_map {
    const char *  title, *subtitle; // each may be NULL
    const char *  x_name, *y_name, *name, *unit;
    long          count;
    const double *x, *y, *value; // (count)
    bool          x_log, log;    // logarithmic horizontal axis; logarithmic colours
    double        width, height; // [px]; 0: default size
} cd_heat_map;

cardan_status cd_heat_map_svg(const cd_heat_map* map, cd_text* svg, cardan_report* report);
