// SPDX-License-Identifier: BSD-3-Clause
// Angles of points all around and of all sizes, against long double; and the cases that C names for atan2.
#include "test.h"

#include "math/fast_atan2.h"

#include <float.h>
#include <math.h>

static void all_around(void)
{
    double worst = 0;
    for (int i = 0; i < 200000; ++i) {
        const double turn = 3.1415926535897931 * (2 * (i + 0.37) / 200000 - 1), size = exp2((i * 37) % 1000 - 500);
        const double x = size * cos(turn), y = size * sin(turn);
        const double exact = (double)atan2l(y, x);
        worst              = fmax(worst, fabs((double)(cd_fast_atan2(y, x) - atan2l(y, x)) / exact));
    }
    CHECK(worst < 3e-16);
}

// Relative to the angle, however small.
static void small_angles(void)
{
    for (int k = 0; k < 300; ++k) {
        const double y = 0.73 * pow(10, -k);
        CHECK_NEAR(cd_fast_atan2(y, 1) / (double)atan2l(y, 1), 1, 3e-16);
        CHECK_NEAR(cd_fast_atan2(-y, -1), (double)atan2l(-y, -1), 1e-15);
    }
}

static void special(void)
{
    static const double of[] = {0.0,       -0.0, 1,      -1,      3,       -4,       INFINITY,
                                -INFINITY, NAN,  5e-324, -1e-310, DBL_MAX, -DBL_MAX, DBL_MIN};
    const int           n    = (int)(sizeof of / sizeof *of);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const double angle = cd_fast_atan2(of[i], of[j]), exact = atan2(of[i], of[j]);
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
    RUN(all_around());
    RUN(small_angles());
    RUN(special());
    return test_end();
}
