// SPDX-License-Identifier: BSD-3-Clause
// Hertz contact. With the relative principal curvatures k1 >= k2 of the surfaces,
//
//   1/E* = (1 - nu_1^2)/E_1 + (1 - nu_2^2)/E_2,      R = 1/sqrt(k1 k2)
//   F = 4/3 E* sqrt(R) F2^(-3/2) d^(3/2)
//
// F2 = 1 for circular contacts. Else the contact is an ellipse with semi-axes a >= b, q = b/a, K and E the complete
// elliptic integrals of the parameter m = 1 - q^2:
//
//   k1/k2 = (E/q^2 - K)/(K - E)
//   F1^3  = 4/(pi m) q^(3/2) sqrt((E/q^2 - K)(K - E)),   F2 = 2/pi sqrt(q) K/F1
//
// The ratio k1/k2 decreases with q, so that ln q is found by bisection. K. L. Johnson, Contact mechanics (1985), sections
// 4.1, 4.2. Elliptic integrals by the arithmetic-geometric mean: M. Abramowitz, I. Stegun, section 17.6.
#include "contact/hertz.h"

#include "contact/contact_tolerances.h"
#include "math/pi.h"

#include <math.h>

// K, and D = (K - E)/m without cancellation
static void elliptic_integrals(double q, double* K, double* D)
{
    double       a = 1, b = q, power = 1, sum = 0.5; // sum of 2^(n-1) c_n^2/m, c_0^2 = m
    const double m = (1 - q) * (1 + q);
    for (int n = 0; n < 30 && a - b > 1e-16 * a; ++n) {
        const double c = (a - b) / 2, next = (a + b) / 2;
        b = sqrt(a * b);
        a = next;
        if (m > 0) sum += power * c * (c / m);
        power *= 2;
    }
    *K = CD_PI / (2 * a);
    *D = *K * sum;
}

// E/q^2 - K = m (K - D)/q^2 and K - E = m D
static double curvature_ratio(double q)
{
    double K, D;
    elliptic_integrals(q, &K, &D);
    return (K - D) / (q * q * D);
}

// Ratio of semi-axes b/a of the ellipse of contact.
static double axis_ratio(double ratio)
{
    double below = log(cd_hertz_axis_ratio_min), above = 0;
    if (ratio <= 1) return 1;
    for (int i = 0; i < 100 && above - below > 1e-16; ++i) {
        const double middle = below + (above - below) / 2;
        if (curvature_ratio(exp(middle)) > ratio)
            below = middle;
        else
            above = middle;
    }
    return exp(above);
}

static double compliance(const cd_elastic_constants* c)
{
    return (1 - c->poisson_ratio * c->poisson_ratio) / c->young_modulus;
}

double cd_hertz_stiffness(const cd_elastic_constants material[2], const double curvature[2])
{
    const double modulus = 1 / (compliance(&material[0]) + compliance(&material[1]));
    const double large = fmax(curvature[0], curvature[1]), small = fmin(curvature[0], curvature[1]);
    const double q = axis_ratio(large / small);
    double       K, D;
    elliptic_integrals(q, &K, &D);
    // F1^3 = 4/pi sqrt(q (K - D) D)
    const double F1 = cbrt(4 / CD_PI * sqrt(q * (K - D) * D)), F2 = 2 / CD_PI * sqrt(q) * K / F1;
    return 4.0 / 3 * modulus / sqrt(sqrt(large * small)) / (F2 * sqrt(F2));
}
