// SPDX-License-Identifier: BSD-3-Clause
// Growth of violations on synthetic sequences: g = violation / (L (h v)^2), the largest of blocks of 20 steps, must
// increase over four blocks to more than four times the first, with violations above 1e-5 L.
#include "simulation/monitors/violation_growth_monitor.h"
#include "test.h"

static const double H = 0.01, SPEED = 2, LENGTH = 3; // L (h v)^2 = 1.2e-3

static double scale(void) { return LENGTH * H * SPEED * H * SPEED; }

// Relative violation of a step (from 0) of a sequence.
typedef double (*sequence)(int step);

static double constant(int step) { return (void)step, 2; }
static double oscillating(int step) { return step / 20 % 2 ? 8 : 1; }
static double growing(int step) { return pow(2, step / 20); }          // block maxima 1, 2, 4, 8
static double slowly_growing(int step) { return pow(1.5, step / 20); } // 1, 1.5, 2.25, 3.375: below four times
static double nearly_growing(int step) { return (const double[]){1, 2, 1.9, 8, 16, 32, 64, 64}[step / 20 % 8]; }
static double growing_then_steady(int step) { return fmin(growing(step), 16); }
static double decaying(int step) { return pow(0.5, step / 20); }
// Only the largest of a block counts.
static double spikes(int step) { return step % 20 == 7 ? growing(step) : 0; }

// Step (from 1) at which growth is reported among n steps of this sequence times `factor`; 0: never; -1: repeatedly.
static int reported_at(sequence f, double factor, int n)
{
    cd_violation_growth growth = {0};
    int                 found  = 0;
    for (int i = 0; i < n; ++i)
        if (cd_violation_growth_update(&growth, factor * scale() * f(i), H, SPEED, LENGTH)) found = found ? -1 : i + 1;
    return found;
}

static void test_growing(void)
{
    CHECK(reported_at(growing, 1, 200) == 80);
    CHECK(reported_at(spikes, 1, 200) == 80);
    CHECK(reported_at(growing, 1, 79) == 0);
    CHECK(reported_at(growing_then_steady, 1, 200) == 80);
    // blocks of 1e-6 L 2^k, or 1e-7 L 2^k: the first above 1e-5 L has k = 4, or 7
    CHECK(reported_at(growing, 1e-6 * LENGTH / scale(), 200) == 100);
    CHECK(reported_at(growing, 1e-7 * LENGTH / scale(), 200) == 160);
}

static void test_not_growing(void)
{
    CHECK(reported_at(constant, 1, 400) == 0);
    CHECK(reported_at(oscillating, 1, 400) == 0);
    CHECK(reported_at(slowly_growing, 1, 400) == 0);
    CHECK(reported_at(decaying, 1, 400) == 0);
    CHECK(reported_at(growing, 1e-12, 200) == 0);    // invisible
    CHECK(reported_at(nearly_growing, 1, 119) == 0); // 1.9, 8, 16, 32 are the first four that grow
    CHECK(reported_at(nearly_growing, 1, 160) == 120);
}

// Violations that grow with the square of the step and of the velocity are normal; the same violations at constant
// steps are reported.
static void test_scaling(void)
{
    cd_violation_growth scaled = {0}, faster = {0}, fixed = {0};
    bool                any = false, reported = false;
    for (int i = 0; i < 200; ++i) {
        const double factor = pow(4, i / 20), violation = scale() * factor;
        any |= cd_violation_growth_update(&scaled, violation, H * sqrt(factor), SPEED, LENGTH);
        any |= cd_violation_growth_update(&faster, violation, H, SPEED * sqrt(factor), LENGTH);
        reported |= cd_violation_growth_update(&fixed, violation, H, SPEED, LENGTH);
    }
    CHECK(!any);
    CHECK(reported);
}

// Steps at rest have no scale and do not count.
static void test_rest(void)
{
    cd_violation_growth growth = {0};
    for (int i = 0; i < 200; ++i) CHECK(!cd_violation_growth_update(&growth, growing(i), H, 0, LENGTH));
    for (int i = 0; i < 79; ++i) CHECK(!cd_violation_growth_update(&growth, scale() * growing(i), H, SPEED, LENGTH));
    CHECK(cd_violation_growth_update(&growth, scale() * growing(79), H, SPEED, LENGTH));
}

int main(void)
{
    RUN(test_growing());
    RUN(test_not_growing());
    RUN(test_scaling());
    RUN(test_rest());
    return test_end();
}
