// SPDX-License-Identifier: BSD-3-Clause
// Real roots by recursion over the derivatives: between neighbouring roots of the derivative a polynomial is monotone,
// so that a change of sign there contains exactly one root, which Newton's method safeguarded by bisection finds.
// Roots of even multiplicity have no change of sign and are not returned. With source: Collins & Loos, Polynomial real
// root isolation by differentiation, 1976.
#include "contact/ray/polynomial_roots.h"

#include <math.h>

static double value(int n, const double* c, double x)
{
    double y = c[n];
    for (int i = n - 1; i >= 0; --i) y = y * x + c[i];
    return y;
}

// Root in [a, b] with values of different signs at the ends; the polynomial is monotone between them.
static double bracketed_root(int n, const double* c, const double* derivative, double a, double b, double at_a)
{
    double x = 0.5 * (a + b);
    for (int k = 0; k < 200 && b - a > 0; ++k) {
        const double y = value(n, c, x);
        if (y == 0) return x;
        if ((y > 0) == (at_a > 0))
            a = x;
        else
            b = x;
        double next = x - y / value(n - 1, derivative, x);
        if (!(next > a && next < b)) next = 0.5 * (a + b);
        if (fabs(next - x) <= 0x1p-53 * fabs(x) || next <= a || next >= b) return next;
        x = next;
    }
    return x;
}

int cd_polynomial_roots(int n, const double* c, double a, double b, double* root)
{
    if (n < 1) return 0;
    double derivative[CD_POLYNOMIAL_DEGREE_MAX], split[CD_POLYNOMIAL_DEGREE_MAX + 1];
    for (int i = 0; i < n; ++i) derivative[i] = (i + 1) * c[i + 1];
    int count = 0, nsplit = cd_polynomial_roots(n - 1, derivative, a, b, split);
    split[nsplit++] = b;
    double from = a, at_from = value(n, c, a);
    for (int i = 0; i < nsplit; ++i) {
        const double at = value(n, c, split[i]);
        if (at == 0 && i < nsplit - 1) continue; // even multiplicity or decided by the next interval
        if (at_from != 0 && (at > 0) != (at_from > 0))
            root[count++] = bracketed_root(n, c, derivative, from, split[i], at_from);
        from = split[i], at_from = at;
    }
    return count;
}
