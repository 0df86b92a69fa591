// SPDX-License-Identifier: BSD-3-Clause
// Loops in space that move although they should not: a spherical four-bar, all of whose axes meet, and a Bennett linkage. Three of their equations
// repeat others where the loop is closed, and only there: at the stages of a step, which leave gaps, they must not lock the motion. One row of the
// spherical loop even vanishes where it is closed. Every formulation carries them alike, keeps the energy and tells of no singular pose.
#include "fixture.h"

typedef struct seen {
    double kinetic, potential;  // [J] at the last row
} seen;

static bool look(void* user, cardan_data* data, const cardan_row* row)
{
    seen* last = user;
    (void)data;
    *last = (seen){row->energy.kinetic, row->energy.potential};
    return true;
}

// `regularized` softens rows as far as gaps make them doubtful.
static double tolerance_of(const char* formulation) { return strcmp(formulation, "regularized") == 0 ? 2e-3 : 2e-6; }

static bool swing(const char* path, const char* formulation, const char* integrator, seen* last)
{
    const double   tolerance = tolerance_of(formulation);
    fixture        f;
    cardan_summary summary;
    const bool     takes = fixture_open(&f, path, formulation, 0, NULL);
    if (takes) {
        cardan_run run = cardan_run_default();
        run.integrator = cardan_integrator_find(integrator);
        run.end        = 0.5;
        run.row        = look;
        run.user       = last;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        if (!(summary.energy_drift < tolerance)) printf("%s by %s and %s: energy drift %.2g\n", path, formulation, integrator, summary.energy_drift);
        CHECK(summary.energy_drift < tolerance);
        CHECK(summary.closure_position < 1e-10);
        CHECK(summary.events == 0 || tolerance > 1e-3);
        CHECK(summary.steps < 1000);
    }
    fixture_close(&f);
    return takes;
}

static void test_swing(const char* path, const char* integrator)
{
    seen reference = {0};
    CHECK(swing(path, "lagrange", integrator, &reference));
    for (int i = 0; i < cardan_formulation_count(); ++i) {
        seen last = {0};
        if (!cardan_formulation_is_exact(i) || !swing(path, cardan_formulation_name(i), integrator, &last)) continue;
        const double size = tolerance_of(cardan_formulation_name(i)) * (fabs(reference.kinetic) + fabs(reference.potential));
        CHECK_NEAR(last.kinetic, reference.kinetic, size);
        CHECK_NEAR(last.potential, reference.potential, size);
    }
}

int main(void)
{
    RUN(test_swing("models/doctor/spherical.yaml", "dopri5"));
    RUN(test_swing("models/doctor/spherical.yaml", "rk4"));
    RUN(test_swing("models/doctor/bennett.yaml", "dopri5"));
    RUN(test_swing("models/doctor/bennett.yaml", "rk4"));
    return test_end();
}
