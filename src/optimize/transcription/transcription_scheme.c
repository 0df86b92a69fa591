// SPDX-License-Identifier: BSD-3-Clause
// Collocation points are roots of Legendre polynomials on [0, 1]: Gauss of P_d, Radau of
// P_d - P_(d-1), one of which is 1.
#include "optimize/transcription/transcription_scheme.h"

#include <cardan/optimize.h>

#include <math.h>
#include <stddef.h>
#include <string.h>

// P_d(x) and P_(d-1)(x)
static double legendre(int degree, double x, double* before)
{
    double p = x;
    *before  = 1;
    for (int n = 1; n < degree; ++n) {
        const double next = ((2 * n + 1) * x * p - n * *before) / (n + 1);
        *before           = p;
        p                 = next;
    }
    return p;
}

// P_d(2c - 1) - factor P_(d-1)(2c - 1), whose roots are the points
static double node_polynomial(int degree, double factor, double c)
{
    double       before;
    const double p = legendre(degree, 2 * c - 1, &before);
    return p - factor * before;
}

static double root_between(int degree, double factor, double low, double high)
{
    const bool rising = node_polynomial(degree, factor, high) > 0;
    for (int i = 0; i < 200 && high - low > 0; ++i) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) break;
        if ((node_polynomial(degree, factor, middle) > 0) == rising)
            high = middle;
        else
            low = middle;
    }
    return high;
}

// Find the roots in (0, 1) by their sign changes; distances between roots are at least 1/d^2.
static int find_roots(int degree, double factor, double* c)
{
    const int n     = 40 * degree * degree;
    int       count = 0;
    for (int i = 0; i < n && count < degree; ++i) {
        const double low = (double)i / n, high = i == n - 1 ? 1 - 1e-9 : (double)(i + 1) / n;
        if ((node_polynomial(degree, factor, low) > 0) != (node_polynomial(degree, factor, high) > 0))
            c[count++] = root_between(degree, factor, low, high);
    }
    return count;
}

void cd_gauss_points(int degree, double* c)
{
    if (degree == 1)
        c[0] = 0.5;
    else
        find_roots(degree, 0, c);
}

void cd_radau_points(int degree, double* c)
{
    if (degree > 1) find_roots(degree, 1, c);
    c[degree - 1] = 1;
}

// Lagrange polynomial j of the n points at x
static double lagrange(int n, const double* c, int j, double x)
{
    double value = 1;
    for (int i = 0; i < n; ++i)
        if (i != j) value *= (x - c[i]) / (c[j] - c[i]);
    return value;
}

// Integral of Lagrange polynomial j from 0 to x, exact by n Gauss points.
static double integral(int n, const double* c, int j, double x)
{
    double point[CD_COLLOCATION_DEGREE_MAX], sum = 0;
    cd_gauss_points(n, point);
    for (int g = 0; g < n; ++g) {
        const double s = 2 * point[g] - 1;
        double       before;
        const double p            = legendre(n, s, &before);
        const double p_derivative = n * (before - s * p) / (1 - s * s),
                     weight       = 1 / ((1 - s * s) * p_derivative * p_derivative);
        sum += weight * lagrange(n, c, j, x * point[g]);
    }
    return x * sum;
}

static double derivative(int n, const double* c, int j, double x)
{
    double sum = 0;
    for (int k = 0; k < n; ++k) {
        if (k == j) continue;
        double value = 1 / (c[j] - c[k]);
        for (int i = 0; i < n; ++i)
            if (i != j && i != k) value *= (x - c[i]) / (c[j] - c[i]);
        sum += value;
    }
    return sum;
}

static void collocate(cd_scheme* s)
{
    const int d                                   = s->degree;
    double    node[CD_COLLOCATION_DEGREE_MAX + 1] = {0};
    for (int j = 0; j < d; ++j) node[j + 1] = s->c[j];
    for (int j = 0; j < d; ++j) {
        for (int i = 0; i < d; ++i) s->A[i][j] = integral(d, s->c, j, s->c[i]);
        s->b[j] = integral(d, s->c, j, 1);
    }
    s->includes_end = s->c[d - 1] == 1;
    for (int r = 0; r <= d; ++r) {
        for (int j = 1; j <= d; ++j) s->C[r][j] = derivative(d + 1, node, r, node[j]);
        s->D[r] = s->includes_end ? r == d : lagrange(d + 1, node, r, 1);
    }
    s->collocation = true;
}

static void set_rk4(cd_scheme* s)
{
    s->degree = 4;
    s->c[1] = s->c[2] = s->A[1][0] = s->A[2][1] = 0.5;
    s->c[3] = s->A[3][2] = 1;
    s->b[0] = s->b[3] = 1.0 / 6;
    s->b[1] = s->b[2] = 1.0 / 3;
}

static const struct {
    const char* name;
    void (*points)(int degree, double* c);
    bool        shooting;
    const char* summary;
} schemes[] = {
#define CD_SCHEME(name, points, shooting, summary) {#name, points, shooting, summary},
#include "optimize/transcription/transcription_schemes.def"
#undef CD_SCHEME
};

enum { SCHEMES = sizeof schemes / sizeof *schemes };

const char* cardan_transcription_name(int i) { return i >= 0 && i < SCHEMES ? schemes[i].name : NULL; }
const char* cardan_transcription_summary(int i) { return i >= 0 && i < SCHEMES ? schemes[i].summary : NULL; }

bool cd_scheme_init(const char* name, int degree, cd_scheme* scheme)
{
    for (int i = 0; i < SCHEMES; ++i) {
        if (strcmp(schemes[i].name, name) != 0) continue;
        *scheme = (cd_scheme){.name = schemes[i].name, .degree = degree};
        if (schemes[i].shooting)
            set_rk4(scheme);
        else {
            schemes[i].points(degree, scheme->c);
            collocate(scheme);
        }
        return true;
    }
    return false;
}
