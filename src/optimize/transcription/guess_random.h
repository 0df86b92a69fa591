// SPDX-License-Identifier: BSD-3-Clause
// Random displacement of a guess; see guess_random.c.
#pragma once

#include "optimize/transcription/ocp.h"

#include <stdint.h>

enum { CD_HARMONICS = 3 };

struct cd_random_displacement {
    uint64_t rng;               // state of the random number generator
    double   amplitude_scale;   // factor on all amplitudes, `spread` in guess_random.c
    double * range, *amplitude; // (n); (n x CD_HARMONICS) amplitudes
    double * y, *dy, *ddy;      // (n) displacement at the last evaluation, its rate, its acceleration
    double*  q;                 // (nq)
};

// Add the displacement to a state at a fraction 0..1 of the horizon; sets ddy to its acceleration.
void cd_random_displacement_apply(const cardan_ocp* ocp, const cd_random_displacement* d, double fraction, double* q,
                                  double* v);
