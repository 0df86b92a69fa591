// SPDX-License-Identifier: BSD-3-Clause
#include "impact/cone/lorentz_cone.h"

#include <math.h>

static double tangential(int n, const double* x)
{
    return n == 1 ? 0 : n == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

double cd_lorentz_square(int n, const double* x)
{
    const double t = tangential(n, x);
    return (x[0] - t) * (x[0] + t);
}

void cd_lorentz_product(int n, const double* x, const double* y, double* r)
{
    double dot = 0;
    for (int i = 0; i < n; ++i) dot += x[i] * y[i];
    for (int i = 1; i < n; ++i) r[i] = x[0] * y[i] + y[0] * x[i];
    r[0] = dot;
}

void cd_lorentz_divide(int n, const double* x, const double* r, double* u)
{
    double dot = x[0] * r[0];
    for (int i = 1; i < n; ++i) dot -= x[i] * r[i];
    const double u0 = n == 1 ? r[0] / x[0] : dot / cd_lorentz_square(n, x);
    for (int i = 1; i < n; ++i) u[i] = (r[i] - u0 * x[i]) / x[0];
    u[0] = u0;
}

void cd_lorentz_scaling(int n, const double* s, const double* y, double W[9], double inverse[9], double* lambda)
{
    const double s_norm = sqrt(cd_lorentz_square(n, s)), y_norm = sqrt(cd_lorentz_square(n, y));
    const double beta = sqrt(s_norm / y_norm);
    double       dot = 0, w[3] = {0}, v[3] = {0};
    for (int i = 0; i < n; ++i) dot += (s[i] / s_norm) * (y[i] / y_norm);
    const double gamma = sqrt((1 + dot) / 2);
    for (int i = 0; i < n; ++i) w[i] = (s[i] / s_norm + (i == 0 ? 1 : -1) * y[i] / y_norm) / (2 * gamma);
    const double root = sqrt(2 * (w[0] + 1));
    for (int i = 0; i < n; ++i) v[i] = (w[i] + (i == 0)) / root;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const double J = i != j ? 0 : i == 0 ? 1 : -1, sign = (i == 0) == (j == 0) ? 1 : -1;
            W[3 * i + j]       = beta * (2 * v[i] * v[j] - J);
            inverse[3 * i + j] = (2 * sign * v[i] * v[j] - J) / beta;
        }
    for (int i = 0; i < n; ++i) {
        lambda[i] = 0;
        for (int j = 0; j < n; ++j) lambda[i] += W[3 * i + j] * y[j];
    }
}

// x'Jx + 2 a x'Jd + a^2 d'Jd = 0, smallest positive root
double cd_lorentz_step(int n, const double* x, const double* d)
{
    const double most = 1e10;
    double       step = d[0] < 0 ? fmin(most, -x[0] / d[0]) : most;
    if (n == 1) return step;
    double b = x[0] * d[0];
    for (int i = 1; i < n; ++i) b -= x[i] * d[i];
    const double a = cd_lorentz_square(n, d), c = cd_lorentz_square(n, x), root = b * b - a * c;
    if (root < 0) return step;                           // no root: never leaves
    const double q     = -(b + copysign(sqrt(root), b)); // roots q/a and c/q
    const double first = q / a, second = c / q;
    if (isfinite(first) && first > 0) step = fmin(step, first);
    if (isfinite(second) && second > 0) step = fmin(step, second);
    return step;
}
