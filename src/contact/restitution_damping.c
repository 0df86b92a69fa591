// SPDX-License-Identifier: BSD-3-Clause
// A mass m that touches with speed v under the force k d^n (1 + c d') leaves with speed e v. From m w dw = -k d^n (1 + c w) dd,
// w = d', the integral of w/(1 + c w) dw is the same from 0 to v and from -e v to 0, for any k, n and m:
//
//   x (1 + e) = ln(1 + x) - ln(1 - e x),    x = c v,   0 < x < 1/e
//
// The difference f(x) of the right side and the left side is negative below the root and grows without bound towards 1/e.
#include "contact/restitution_damping.h"

#include "contact/contact_tolerances.h"

#include <math.h>

// f(x)/x^2; the series for small x, where f cancels
static double residual(double e, double x)
{
    if (x > cd_restitution_series_limit) return (log1p(x) - log1p(-e * x) - x * (1 + e)) / (x * x);
    double sum = 0, power = 1;
    for (int k = 2; k <= 12; ++k, power *= x) sum += power * (pow(e, k) - (k % 2 ? -1 : 1)) / k;
    return sum;
}

double cd_restitution_damping(double e, double speed)
{
    if (e >= 1) return 0;
    if (e <= 0) return INFINITY;
    double below = 0, above = 1 / e;
    for (int i = 0; i < 200 && above - below > 2e-16 * above; ++i) { // bisection: the residual is finite below 1/e
        const double x = below + (above - below) / 2;
        if (residual(e, x) < 0)
            below = x;
        else
            above = x;
    }
    return (below + (above - below) / 2) / speed;
}
