// SPDX-License-Identifier: BSD-3-Clause
// The random displacement of a guess; see guess_drawn.c.
#pragma once

#include "optimize/plan.h"

#include <stdint.h>

enum { CD_HARMONICS = 3 };

struct cd_displacement {
    uint64_t state;        // of the stream of random numbers
    double   spread;       // of all widths
    double * width, *c;    // (n); (n x CD_HARMONICS) amplitudes
    double * y, *dy, *ddy; // (n) the displacement where it was evaluated last, its rate, its acceleration
    double*  q;            // (nq)
};

// Adds the displacement to a state at a share 0..1 of the horizon; ddy is then its acceleration.
void cd_displace(const cardan_plan* plan, const cd_displacement* d, double share, double* q, double* v);
