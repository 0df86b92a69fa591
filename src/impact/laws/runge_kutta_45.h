// SPDX-License-Identifier: BSD-3-Clause
// One step of the method of Dormand and Prince, order 5 with an error estimate of order 4, for up to 6 unknowns.
#pragma once

typedef void (*cd_rates)(const void* context, const double* y, double* dy);

// next: y at the end of the step h; error: estimate of its error.
void cd_runge_kutta_45(int n, cd_rates rates, const void* context, const double* y, double h, double* next,
                       double* error);
