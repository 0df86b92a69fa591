// SPDX-License-Identifier: BSD-3-Clause
// Limit reactions at the flat parallelogram with rods of 1, 1 and 3 kg. At constant speed w, without gravity, all bar
// forces are along the cranks at every angle, and the coupler is held by both equally:
//
//     joints b, c: w^2/2,     a: w^2/2 + w^2/2 = w^2,     d: w^2/2 + 3 w^2/2 = 2 w^2
//
// At phi = 0 a self-stress along the rods exists, and only the limit gives these values. With gravity the force along
// the rods is unbounded there, in proportion to 1/phi.
#include "prepared_parallelogram.h"

static cardan_description* unequal_parallelogram(double gravity)
{
    char text[1024];
    snprintf(text, sizeof text,
             "cardan: 1\nname: unequal\ngravity: [0, %g, 0]\nparameters: {x: =cos(1), y: =sin(1)}\n"
             "bodies:\n"
             "  crank: {rod: [[0, 0, 0], [=x, =y, 0]], mass: 1}\n"
             "  coupler: {rod: [[=x, =y, 0], [=x+2, =y, 0]], mass: 1}\n"
             "  rocker: {rod: [[2, 0, 0], [=x+2, =y, 0]], mass: 3}\n"
             "joints:\n"
             "  a: {revolute: [ground, crank], at: [0, 0, 0], axis: z}\n"
             "  b: {revolute: [crank, coupler], at: [=x, =y, 0], axis: z}\n"
             "  c: {revolute: [coupler, rocker], at: [=x+2, =y, 0], axis: z}\n"
             "  d: {revolute: [ground, rocker], at: [2, 0, 0], axis: z}\n",
             -gravity);
    return describe_text(text);
}

// Forces of the joints at phi, rotating at w: by the limit near phi = 0, as at an output sample.
static bool forces_at(parallelogram_run* p, double t, double phi, double w, cardan_reaction force[4])
{
    cd_ode_system* system = run_system(&p->run);
    double         rate[32];
    cd_ode_state*  x = run_state(&p->run);
    set_parallelogram(p, t, phi, w, x);
    CHECK(cd_rhs_by_library(system, t, x->q, x->z, rate) == CARDAN_OK);
    const bool has_limit = cd_singular_limit_evaluate_reactions(system, t, 1e-4);
    if (has_limit) {
        CHECK(cd_rhs_by_library(system, t, x->q, x->z, rate) == CARDAN_OK);
        cd_singular_limit_apply_reactions(system);
    }
    CHECK(cardan_data_reactions(p->run.data, rate, force) == CARDAN_OK);
    return has_limit;
}

// Bar forces on the second bodies of the joints: on the crank towards the pin, on the coupler away from the crank's end
// in the direction of the acceleration, on the rocker by the coupler outward.
static void check_forces(const cardan_reaction force[4], double phi, double w, double tolerance)
{
    static const double along[4] = {-1, -0.5, 0.5, -2};
    for (int j = 0; j < 4; ++j) {
        CHECK_NEAR(force[j].force[0] / (w * w), along[j] * cos(phi), tolerance);
        CHECK_NEAR(force[j].force[1] / (w * w), along[j] * sin(phi), tolerance);
    }
}

static void test_bounded(const char* formulation)
{
    parallelogram_run p;
    if (parallelogram_prepare(&p, unequal_parallelogram(0), formulation, "dopri5", 10)) {
        cardan_reaction force[4];
        CHECK(!forces_at(&p, 0, 1.5, 2, force)); // regular
        check_forces(force, 1.5, 2, 1e-9);
        CHECK(!forces_at(&p, 1, 0.4, -3, force));
        check_forces(force, 0.4, -3, 1e-9);
        CHECK(forces_at(&p, 2, 0, 2, force));
        check_forces(force, 0, 2, 1e-6);
        CHECK(forces_at(&p, 3, 1e-8, -1.5, force));
        check_forces(force, 0, 1.5, 1e-6);
    }
    parallelogram_close(&p);
}

// With gravity: forces across the rods have a limit, those along them do not.
static void test_unbounded(const char* formulation)
{
    parallelogram_run p;
    if (parallelogram_prepare(&p, unequal_parallelogram(9.81), formulation, "dopri5", 10)) {
        cardan_reaction force[4], near[4];
        CHECK(!forces_at(&p, 0, 1.5, 2, force));
        CHECK(!forces_at(&p, 1, 0.05, 2, near));
        CHECK(forces_at(&p, 2, 0, 2, force));
        for (int j = 0; j < 4; ++j) {
            CHECK(isnan(force[j].force[0]) && isfinite(near[j].force[0]));
            CHECK(fabs(force[j].force[1] - near[j].force[1]) < 1.5);
        }
        // at phi = 0.05: vertical force on the coupler at b, and the horizontal one by the moments of the crank
        const double g = 9.81, c = cos(0.05), y = sin(0.05), dw = -9.0 / 7 * g * c, vertical = (g + dw * c - 4 * y) / 2;
        CHECK_NEAR(near[1].force[1], vertical, 1e-6);
        CHECK_NEAR(near[1].force[0], (dw / 3 + g * c / 2 + vertical * c) / y, 1e-6);
        // both ends of the coupler carry the same vertical force: (g + w')/2 of 1 kg with w' = -9/7 g
        CHECK_NEAR(force[1].force[1], -9.81 / 7, 1e-5);
        CHECK_NEAR(force[2].force[1], 9.81 / 7, 1e-5);
    }
    parallelogram_close(&p);
}

int main(void)
{
    RUN(test_bounded("order-n"));
    RUN(test_bounded("reduction"));
    RUN(test_bounded("dense"));
    RUN(test_bounded("lagrange"));
    RUN(test_unbounded("order-n"));
    RUN(test_unbounded("reduction"));
    return test_end();
}
