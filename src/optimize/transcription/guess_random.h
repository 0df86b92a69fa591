// SPDX-License-Identifier: BSD-3-Clause
// The random displacement of a guess; see guess_random.c.
#pragma once

#include "optimize/transcription/ocp.h"

#include <stdint.h>

enum { CD_HARMONICS = 3 };

struct cd_random_displacement {
    uint64_t rng;               // of the stream of random numbers
    double   amplitude_scale;   // of all widths
    double * range, *amplitude; // (n); (n x CD_HARMONICS) amplitudes
    double * y, *dy, *ddy;      // (n) the displacement where it was evaluated last, its rate, its acceleration
    double*  q;                 // (nq)
};

// Adds the displacement to a state at a share 0..1 of the horizon; ddy is then its acceleration.
void cd_random_displacement_apply(const cardan_ocp* ocp, const cd_random_displacement* d, double fraction, double* q,
                                  double* v);
