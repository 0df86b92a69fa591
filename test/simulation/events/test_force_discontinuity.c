// SPDX-License-Identifier: BSD-3-Clause
// Detection of a jump of accelerations by a step control that reports changes of given functions: a jump is enclosed
// by halving, and crossed by one short step; smooth changes are not detected; a cluster of jumps ends.
#include "simulation/events/force_discontinuity.h"
#include "test.h"

static const double MIN_STEP = 1e-14;

// Result of steps from t = 0 to 1 by a method that controls the error per unit time: it rejects every step with a
// change above 1 error scale per second, and halves it.
typedef struct result {
    int    rejected, accepted, restarts;
    double restart_from, restart_to; // last step across a jump
} result;

// Change of accelerations over a step, in error scales per second.
typedef double (*change_function)(double from, double to);

static double JUMP_TIME = 0.61803;

static double jump(double from, double to) { return from < JUMP_TIME && to >= JUMP_TIME ? 1e4 : 0; }
static double smooth(double from, double to) { return 30 * (to - from); } // proportional to the step
static double two_jumps(double from, double to) { return jump(from, to) + (from < 0.8 && to >= 0.8 ? 500 : 0); }

static result simulate(change_function f)
{
    cd_force_discontinuity d;
    result                 r = {0};
    double                 t = 0, h = 0.3;
    cd_force_discontinuity_reset(&d, MIN_STEP);
    while (t < 1 && r.rejected + r.accepted < 10000) {
        const double step   = cd_force_discontinuity_limit_step(&d, t, fmin(h, 1 - t));
        const double change = f(t, t + step);
        if (change > 1 && !cd_force_discontinuity_step_rejected(&d, t, step, change)) {
            ++r.rejected;
            h = step / 2;
            continue;
        }
        ++r.accepted;
        if (cd_force_discontinuity_step_accepted(&d, t, step, change)) {
            ++r.restarts;
            r.restart_from = t;
            r.restart_to   = t + step;
            h              = 0.3;
        } else if (change <= 0.25)
            h = 2 * step;
        t += step;
    }
    CHECK(t >= 1);
    return r;
}

// The step across the jump contains it, and its error h J is at most a hundredth of the error scale.
static void test_jump(void)
{
    for (int i = 0; i < 20; ++i) {
        JUMP_TIME      = 0.05 + 0.0371 * i;
        const result r = simulate(jump);
        CHECK(r.restarts == 1);
        CHECK(r.restart_from < JUMP_TIME && r.restart_to >= JUMP_TIME);
        CHECK((r.restart_to - r.restart_from) * 1e4 <= 0.0101);
        CHECK(r.rejected < 60);
    }
    JUMP_TIME = 0.61803;
}

static void test_smooth(void)
{
    const result r = simulate(smooth);
    CHECK(r.restarts == 0 && r.rejected > 0);
}

static void test_two_jumps(void)
{
    const result r = simulate(two_jumps);
    CHECK(r.restarts == 2);
    CHECK(r.restart_from < 0.8 && r.restart_to >= 0.8);
}

// A change that falls to half with an eighth of the step is no jump; one that stays above half is.
static void test_persistence(void)
{
    cd_force_discontinuity d;
    cd_force_discontinuity_reset(&d, MIN_STEP);
    CHECK(!cd_force_discontinuity_step_rejected(&d, 0, 0.8, 100));
    CHECK(!d.detected && cd_force_discontinuity_limit_step(&d, 0, 0.5) == 0.5);
    CHECK(!cd_force_discontinuity_step_rejected(&d, 0, 0.1, 49)); // the search starts again
    CHECK(!d.detected);
    cd_force_discontinuity_reset(&d, MIN_STEP);
    CHECK(!cd_force_discontinuity_step_rejected(&d, 0, 0.8, 100));
    CHECK(!cd_force_discontinuity_step_rejected(&d, 0, 0.1, 51));
    CHECK(d.detected && d.interval_end == 0.1 && d.change_max == 100);
    CHECK(cd_force_discontinuity_limit_step(&d, 0, 0.5) == 0.05);  // half the interval
    CHECK(cd_force_discontinuity_limit_step(&d, 0.2, 0.5) == 0.5); // behind it
    CHECK(!cd_force_discontinuity_step_accepted(&d, 0, 0.05, 3));  // the change is still ahead
    CHECK(d.detected);
    CHECK(cd_force_discontinuity_step_accepted(&d, 0.05, 0.05, 60));
    CHECK(!d.detected && d.last_t == 0.1);
}

// At the resolution of the time, a step with an error of one error scale is accepted.
static void test_resolution(void)
{
    cd_force_discontinuity d;
    cd_force_discontinuity_reset(&d, 0.01);
    CHECK(!cd_force_discontinuity_step_rejected(&d, 0, 0.4, 20));
    CHECK(!cd_force_discontinuity_step_rejected(&d, 0, 0.05, 20)); // 1 error scale, but longer than 4 min_step
    CHECK(d.detected);
    CHECK(cd_force_discontinuity_step_rejected(&d, 0, 0.04, 20)); // 0.8 error scales
}

// After fifty jumps directly one after another no further one is accepted; after a distance they are again.
static void test_cluster(void)
{
    cd_force_discontinuity d;
    const double           h = 1e-6, change = 9000; // 0.009 error scales
    int                    accepted = 0;
    double                 t        = 0;
    cd_force_discontinuity_reset(&d, MIN_STEP);
    for (int i = 0; i < 80; ++i, t += h) {
        cd_force_discontinuity_step_rejected(&d, t, 16 * h, change);
        if (!cd_force_discontinuity_step_rejected(&d, t, h, change)) break;
        CHECK(cd_force_discontinuity_step_accepted(&d, t, h, change));
        ++accepted;
    }
    CHECK(accepted == 51); // the first one and fifty behind it
    t += 1000 * h;
    d.nclustered = 49;
    cd_force_discontinuity_step_rejected(&d, t, 16 * h, change);
    CHECK(cd_force_discontinuity_step_rejected(&d, t, h, change));
    CHECK(cd_force_discontinuity_step_accepted(&d, t, h, change) && d.nclustered == 0);
}

int main(void)
{
    RUN(test_jump());
    RUN(test_smooth());
    RUN(test_two_jumps());
    RUN(test_persistence());
    RUN(test_resolution());
    RUN(test_cluster());
    return test_end();
}
