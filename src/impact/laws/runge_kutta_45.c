// SPDX-License-Identifier: BSD-3-Clause
// Dormand & Prince 1980; coefficients of Hairer, Norsett & Wanner I, table II.5.2.
#include "impact/laws/runge_kutta_45.h"

enum { STAGES = 7, MAX_N = 6 };

static const double A[STAGES][STAGES - 1] = {
    {0},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
};
static const double E[STAGES] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};

void cd_runge_kutta_45(int n, cd_rates rates, const void* context, const double* y, double h, double* next,
                       double* error)
{
    double k[STAGES][MAX_N];
    for (int stage = 0; stage < STAGES; ++stage) {
        for (int i = 0; i < n; ++i) {
            double sum = 0;
            for (int j = 0; j < stage; ++j) sum += A[stage][j] * k[j][i];
            next[i] = y[i] + h * sum;
        }
        rates(context, next, k[stage]);
    }
    for (int i = 0; i < n; ++i) {
        error[i] = 0;
        for (int stage = 0; stage < STAGES; ++stage) error[i] += h * E[stage] * k[stage][i];
    }
}
