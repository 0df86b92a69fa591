// SPDX-License-Identifier: BSD-3-Clause
// What all formulations have to follow alike, maximal coordinates first: rows that repeat others where only velocities
// say so, masses of many decades, hinges that are off by rounding.
#include "loop_models.h"

static bool open_text(fixture* f, const char* text, const char* formulation)
{
    cardan_description* d      = NULL;
    cardan_report       report = {0};
    const bool          good   = cardan_load_text(text, "scene.yaml", NULL, &d, &report) == CARDAN_OK;
    CHECK(good);
    return good && loop_open(f, d, formulation);
}

// Two wheels on one chassis: sideways both forbid the same, and so what holds a wheel upright is there twice in
// velocities, not in positions. It goes round in a circle.
static const char cart[] =
    "cardan: 1\n"
    "bodies:\n"
    "  ch: {at: [0, 0, 0.2], mass: 10, inertia: [0.3, 0.4, 0.6]}\n"
    "  L: {at: [0, 0.5, 0.2], mass: 1, inertia: [0.02, 0.04, 0.02]}\n"
    "  R: {at: [0, -0.5, 0.2], mass: 1, inertia: [0.02, 0.04, 0.02]}\n"
    "joints:\n"
    "  base: {planar: [ground, ch], at: [0, 0, 0.2], axis: z, start: {v: [1, 0, 0.5]}}\n"
    "  jl: {revolute: [ch, L], at: [0, 0.5, 0.2], axis: y}\n"
    "  jr: {revolute: [ch, R], at: [0, -0.5, 0.2], axis: y}\n"
    "constraints:\n"
    "  rl: {rolling: [{on: L, at: [0, 0.5, 0.2], orientation: {z: y, x: x}}, ground], radius: 0.2}\n"
    "  rr: {rolling: [{on: R, at: [0, -0.5, 0.2], orientation: {z: y, x: x}}, ground], radius: 0.2}\n";

static void test_cart(const char* formulation, const char* integrator, double step)
{
    fixture f;
    if (open_text(&f, cart, formulation)) {
        cardan_run     run = cardan_run_default();
        cardan_summary s;
        cardan_motion  body[3];
        run.end        = 10;
        run.integrator = cardan_integrator_find(integrator);
        if (step > 0) run.step = step;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        CHECK(s.closure_position <= 1e-11 && s.closure_velocity <= 1e-10 && s.energy_drift < 1e-8);
        cardan_bodies(f.data, NULL, body);
        CHECK_NEAR(body[0].p[0], 2 * sin(5), 3e-7);
        CHECK_NEAR(body[0].p[1], 2 * (1 - cos(5)), 3e-7);
    }
    fixture_close(&f);
}

int main(void)
{
    static const char* const formulations[] = {"lagrange", "dense", "augmented", "reduction", "order-n", "embedding"};
    for (int i = 0; i < (int)(sizeof formulations / sizeof *formulations); ++i) {
        RUN(test_cart(formulations[i], "dopri5", 0));
        RUN(test_cart(formulations[i], "rk4", 0.01));
    }
    return test_end();
}
