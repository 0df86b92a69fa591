// SPDX-License-Identifier: BSD-3-Clause
// Soundness of inertias: rods and plates at the border, turned ones, and the nearest sound value.
#include "test.h"

#include "io/inertia_validity.h"

// diag(a, b, c) turned by an angle about z, then about x: R D R'
static void turned(double a, double b, double c, double angle, double I[6])
{
    const double     s = sin(angle), k = cos(angle);
    const double     R[3][3] = {{k, -s, 0}, {k * s, k * k, -s}, {s * s, s * k, k}}, D[3] = {a, b, c};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; ++i) {
        I[i] = 0;
        for (int n = 0; n < 3; ++n) I[i] += R[row[i]][n] * D[n] * R[column[i]][n];
    }
}

static void test_border(void) // a point, a rod, a plate, in any axes and of any size
{
    static const double shapes[][3] = {{0, 0, 0}, {0, 1, 1}, {1, 1, 2}, {1, 2, 3}, {2, 2, 2}};
    for (int i = 0; i < 5; ++i)
        for (double size = 1e-12; size < 1e13; size *= 1e4)
            for (double angle = 0; angle < 3; angle += 0.37) {
                double I[6];
                turned(size * shapes[i][0], size * shapes[i][1], size * shapes[i][2], angle, I);
                CHECK(cd_inertia_validate(I).is_physical);
            }
}

static void test_impossible(void)
{
    double I[6];
    turned(-0.1, 2, 2, 0.7, I);
    const cd_inertia_validity s = cd_inertia_validate(I);
    CHECK(!s.is_nonnegative && !s.is_physical);
    CHECK_NEAR(s.min_moment, -0.1, 1e-14);
    CHECK(!cd_inertia_validate((double[]){1, 1, 1, 2, 0, 0}).is_nonnegative); // positive on the diagonal, and yet
}

static void test_nearest(void) // (1, 2, 6) is off by 3: one third of it goes to each moment
{
    double I[6], expected[6];
    turned(1, 2, 6, 0.7, I);
    turned(2, 3, 5, 0.7, expected);
    const cd_inertia_validity s = cd_inertia_validate(I);
    CHECK(s.is_nonnegative && !s.is_physical);
    CHECK_NEAR(s.triangle_excess, 3, 1e-14);
    for (int i = 0; i < 6; ++i) CHECK_NEAR(s.nearest_physical[i], expected[i], 1e-14);
    CHECK(cd_inertia_validate(s.nearest_physical).is_physical);
}

int main(void)
{
    RUN(test_border());
    RUN(test_impossible());
    RUN(test_nearest());
    return test_end();
}
