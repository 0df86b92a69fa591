// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/model.h"

#include <math.h>

// Radius of gyration of a link about its joint, on average: however far from ground a mechanism hangs, and however long
// it is.
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
