// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/model.h"

#include <math.h>

// Mean radius of gyration of the links about their joints [m]; independent of the distance from ground and of the size
// of the whole mechanism.
static inline double cd_characteristic_length(const cardan_model* m)
{
    double sum = 0;
    int    n   = 0;
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link  = &m->link[i];
        const double   trace = link->I[0] + link->I[1] + link->I[2];
        if (!(link->m > 0) || !(trace > 0)) continue;
        sum += sqrt(trace / (2 * link->m));
        ++n;
    }
    return n > 0 ? sum / n : 1;
}
