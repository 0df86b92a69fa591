// SPDX-License-Identifier: BSD-3-Clause
// cd_fast_atan2 against atan2l: points in all directions and of magnitudes 2^-500 to 2^500, small angles, and the
// special cases of the C standard.
#include "test.h"

#include "math/fast_atan2.h"

#include <float.h>
#include <math.h>

static void test_directions(void)
{
    double worst = 0;
    for (int i = 0; i < 200000; ++i) {
        const double direction = 3.1415926535897931 * (2 * (i + 0.37) / 200000 - 1), size = exp2((i * 37) % 1000 - 500);
        const double x = size * cos(direction), y = size * sin(direction);
        const double exact = (double)atan2l(y, x);
        worst              = fmax(worst, fabs((double)(cd_fast_atan2(y, x) - atan2l(y, x)) / exact));
    }
    CHECK(worst < 3e-16);
}

// Relative accuracy down to 1e-300 rad.
static void test_small_angles(void)
{
    for (int k = 0; k < 300; ++k) {
        const double y = 0.73 * pow(10, -k);
        CHECK_NEAR(cd_fast_atan2(y, 1) / (double)atan2l(y, 1), 1, 3e-16);
        CHECK_NEAR(cd_fast_atan2(-y, -1), (double)atan2l(-y, -1), 1e-15);
    }
}

static void test_special_cases(void)
{
    static const double argument[] = {0.0,       -0.0, 1,      -1,      3,       -4,       INFINITY,
                                      -INFINITY, NAN,  5e-324, -1e-310, DBL_MAX, -DBL_MAX, DBL_MIN};
    const int           n          = (int)(sizeof argument / sizeof *argument);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const double angle = cd_fast_atan2(argument[i], argument[j]), exact = atan2(argument[i], argument[j]);
            if (isnan(exact)) {
                CHECK(isnan(angle));
                continue;
            }
            CHECK(fabs(angle - exact) <= 3e-16 * fabs(exact));
            CHECK(!signbit(angle) == !signbit(exact));
        }
}

int main(void)
{
    RUN(test_directions());
    RUN(test_small_angles());
    RUN(test_special_cases());
    return test_end();
}
