// SPDX-License-Identifier: BSD-3-Clause
// Smallest stable epsilon: a single motion of mobility sigma over windows. With w = cdot, m = h sigma mu and r = h
// sigma/epsilon, and without external forces, a stage at w updates m, and a step of explicit Euler updates w:
//
//     m = m(s-1) + r (w - w0 exp(-2 k/r)),     w(k+1) = w(k) - m,        w(0) = w0,
//
// where exp is the decay of the inherited violation; explicit midpoint has a second stage in between. All iterations
// of a window are one linear map of (w0, last m) to those of the next window, and epsilon is stable if its spectral
// radius is at most 1. For one iteration over long windows that is r < 2 (Ascher and Lin); each further iteration
// allows less.
#include "simulation/integrators/sequential_regularization/multiplier_window.h"

#include <math.h>

// Iterate a window that starts at w with constant m (steps x stages); both become those at its end.
static void iterate_window(int steps, int stages, int iterations, double r, double* w, double* m,
                           double* last_multiplier)
{
    const double w0 = *w;
    for (int i = 0; i < steps * stages; ++i) m[i] = *last_multiplier;
    for (int s = 0; s < iterations; ++s) {
        *w = w0;
        for (int k = 0; k < steps; ++k) {
            double at = *w;
            for (int j = 0; j < stages; ++j) {
                double* mu = &m[k * stages + j];
                *mu += r * (at - w0 * exp(-2 * (k + 0.5 * j) / r));
                at = *w - (j + 1 < stages ? 0.5 : 1) * *mu;
            }
            *w = at;
        }
    }
    *last_multiplier = m[steps * stages - 1];
}

// Spectral radius of the map.
static double spectral_radius(int steps, int stages, int iterations, double r, double* m)
{
    double M[2][2];
    for (int j = 0; j < 2; ++j) {
        double w = j == 0, last_multiplier = j == 1;
        iterate_window(steps, stages, iterations, r, &w, m, &last_multiplier);
        M[0][j] = w;
        M[1][j] = last_multiplier;
    }
    const double half = (M[0][0] + M[1][1]) / 2, det = M[0][0] * M[1][1] - M[0][1] * M[1][0], root = half * half - det;
    return root < 0 ? sqrt(det) : fabs(half) + sqrt(root);
}

double cd_window_stability_bound(int steps, int stages, int iterations, double* m)
{
    const double bound_max = 2, increment = 0.02, roundoff = 1e-9;
    double       low = 0, high = increment;
    while (high <= bound_max && spectral_radius(steps, stages, iterations, high, m) <= 1 + roundoff) {
        low = high;
        high += increment;
    }
    if (high > bound_max) return bound_max;
    for (int i = 0; i < 20; ++i) {
        const double r                                                                     = (low + high) / 2;
        *(spectral_radius(steps, stages, iterations, r, m) <= 1 + roundoff ? &low : &high) = r;
    }
    return low;
}
