// SPDX-License-Identifier: BSD-3-Clause
// Validity of inertias: limit cases (rods, plates), rotated axes, and the nearest valid inertia.
#include "test.h"

#include "io/inertia_validity.h"

// R D R' of D = diag(a, b, c), R = rotation by an angle about z, then about x
static void rotate_inertia(double a, double b, double c, double angle, double I[6])
{
    const double     s = sin(angle), k = cos(angle);
    const double     R[3][3] = {{k, -s, 0}, {k * s, k * k, -s}, {s * s, s * k, k}}, D[3] = {a, b, c};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; ++i) {
        I[i] = 0;
        for (int n = 0; n < 3; ++n) I[i] += R[row[i]][n] * D[n] * R[column[i]][n];
    }
}

static void test_limit_cases(void) // a point, a rod and a plate in any axes and of any size
{
    static const double shapes[][3] = {{0, 0, 0}, {0, 1, 1}, {1, 1, 2}, {1, 2, 3}, {2, 2, 2}};
    for (int i = 0; i < 5; ++i)
        for (double size = 1e-12; size < 1e13; size *= 1e4)
            for (double angle = 0; angle < 3; angle += 0.37) {
                double I[6];
                rotate_inertia(size * shapes[i][0], size * shapes[i][1], size * shapes[i][2], angle, I);
                CHECK(cd_inertia_validate(I).is_physical);
            }
}

static void test_invalid(void)
{
    double I[6];
    rotate_inertia(-0.1, 2, 2, 0.7, I);
    const cd_inertia_validity s = cd_inertia_validate(I);
    CHECK(!s.is_nonnegative && !s.is_physical);
    CHECK_NEAR(s.min_moment, -0.1, 1e-14);
    // positive diagonal, but a negative principal moment
    CHECK(!cd_inertia_validate((double[]){1, 1, 1, 2, 0, 0}).is_nonnegative);
}

static void test_nearest(void) // (1, 2, 6) violates the triangle inequality by 3; each moment is changed by one third
{
    double I[6], expected[6];
    rotate_inertia(1, 2, 6, 0.7, I);
    rotate_inertia(2, 3, 5, 0.7, expected);
    const cd_inertia_validity s = cd_inertia_validate(I);
    CHECK(s.is_nonnegative && !s.is_physical);
    CHECK_NEAR(s.triangle_excess, 3, 1e-14);
    for (int i = 0; i < 6; ++i) CHECK_NEAR(s.nearest_physical[i], expected[i], 1e-14);
    CHECK(cd_inertia_validate(s.nearest_physical).is_physical);
}

int main(void)
{
    RUN(test_limit_cases());
    RUN(test_invalid());
    RUN(test_nearest());
    return test_end();
}
