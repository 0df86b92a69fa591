// SPDX-License-Identifier: BSD-3-Clause
// Hertz's stiffness and the damping of the Hunt-Crossley law against closed forms, tables and quadratures.
#include "contact/hertz.h"
#include "contact/restitution_damping.h"
#include "test.h"

// Values (c v, e) of the law, computed with 30 digits.
static void check_damping(void)
{
    static const double value[][2] = {
        {0.05, 0.9677385785309325}, {0.2, 0.8821899862473064}, {0.5, 0.7484349315974341}, {1.0, 0.5936242600400401}};
    for (int i = 0; i < 4; ++i) CHECK_NEAR(cd_restitution_damping(value[i][1], 2) * 2, value[i][0], 1e-13);
    for (double e = 0.05; e < 1; e += 0.0137) {
        const double x = cd_restitution_damping(e, 1);
        CHECK_NEAR(x * (1 + e), log1p(x) - log1p(-e * x), 1e-12 * (1 + 1 / (1 - e * x)));
        CHECK(x > 0 && e * x < 1);
    }
    for (double d = 1e-3; d > 1e-9; d /= 10) // e = 1 - 2/3 c v + ...
        CHECK(fabs(cd_restitution_damping(1 - d, 1) / (1.5 * d) - 1) < 2 * d + 1e-6 * (d < 1e-8));
    CHECK(cd_restitution_damping(1, 1) == 0);
    CHECK(isinf(cd_restitution_damping(0, 1)));
}

static void check_circle(void)
{
    const cd_elastic_constants steel = {2.1e11, 0.3}, rigid = {INFINITY, 0};
    const double               R = 0.01, curvature[2] = {1 / R, 1 / R};
    const double               modulus = 2.1e11 / (1 - 0.09);
    const cd_elastic_constants both[2] = {steel, steel}, one[2] = {steel, rigid};
    CHECK_NEAR(cd_hertz_stiffness(one, curvature) / (4.0 / 3 * modulus * sqrt(R)), 1, 1e-15);
    CHECK_NEAR(cd_hertz_stiffness(both, curvature) / (2.0 / 3 * modulus * sqrt(R)), 1, 1e-15);
}

// Elliptic contact: pressure p0 sqrt(1 - (x/a)^2 - (y/b)^2) on a half space. The displacement along the axes is an integral
// over w (Johnson, equation 3.58), of which the compression d and both relative curvatures follow:
//   d = p0 a b/(2 E*) I(1),  k = p0 a b/E* I(1/(a^2 + w)) and the same with b^2,   I(f) = integral of f dw/sqrt((a^2+w)(b^2+w)w)
//   F = 2/3 pi a b p0
static void integrals(double a, double b, double I[3])
{
    const int n = 20000; // w = a b tan^2 u, midpoint rule of a smooth periodic function
    I[0] = I[1] = I[2] = 0;
    for (int i = 0; i < n; ++i) {
        const double u = (i + 0.5) / n * acos(0.0), s = sin(u), c = cos(u), ab = a * b;
        const double A = a * a * c * c + ab * s * s, B = b * b * c * c + ab * s * s; // (a^2 + w) cos^2 u
        const double f = 2 * sqrt(ab) / sqrt(A * B) * acos(0.0) / n;
        I[0] += f;
        I[1] += f * c * c / A;
        I[2] += f * c * c / B;
    }
}

static void check_ellipse(void)
{
    for (double b = 0.95; b > 0.01; b *= 0.7) {
        double       I[3];
        const double a = 1, p0 = 1e-3, E = 1;
        integrals(a, b, I);
        const cd_elastic_constants material[2] = {{E, 0}, {INFINITY, 0}};
        const double curvature[2] = {p0 * a * b / E * I[1], p0 * a * b / E * I[2]}, d = p0 * a * b / (2 * E) * I[0],
                     F = 4.0 / 3 * acos(0.0) * a * b * p0, k = cd_hertz_stiffness(material, curvature);
        CHECK_NEAR(k * d * sqrt(d) / F, 1, 1e-10);
        const double turned[2] = {curvature[1], curvature[0]};
        CHECK_NEAR(cd_hertz_stiffness(material, turned) / k, 1, 1e-15);
    }
}

int main(void)
{
    RUN(check_damping());
    RUN(check_circle());
    RUN(check_ellipse());
    return test_end();
}
