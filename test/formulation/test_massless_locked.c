// SPDX-License-Identifier: BSD-3-Clause
// Locked mechanisms of massless bodies: velocities after assembly are round-off, from which dampers compute forces.
// Every formulation gives zero accelerations and must not report inconsistent constraints. Also a movable mechanism: a
// massless coupler must not be reported as a singular configuration.
#include "test.h"
#include "yaml_text.h"

#include <cardan/cardan.h>

static const char bracket[] =
    "cardan: 1\nname: bracket\n"
    "bodies: {b1: {at: [0, 0.3, -0.9]}}\n"
    "joints:\n"
    "  j1: {prismatic: [ground, b1], at: [-0.5, -0.1, 0.6], axis: [-0.077, 0.999, -0.81],"
    " start: {v: 0.5, guess: true}}\n"
    "  c0: {cylindrical: [ground, b1], at: [0.6, 0.5, -0.4], axis: [0.023, -0.98, 0.536], damping: [0.4, 0.4]}\n";

static const char welded[] =
    "cardan: 1\nname: welded\n"
    "bodies:\n"
    "  b1: {at: [0.026, 0.314, -0.917]}\n"
    "  b2: {mass: 1.948, at: [0.853, -0.234, -0.93], inertia: [0.076, 0.062, 0.069, 0.003, -0.004, 0.002]}\n"
    "  b3: {at: [0.908, -0.686, -0.21]}\n"
    "joints:\n"
    "  j1: {prismatic: [ground, b1], at: [-0.538, -0.157, 0.589], axis: [-0.077, 0.999, -0.81],"
    " start: {v: 0.56, guess: true}}\n"
    "  j2: {fixed: [ground, b2]}\n"
    "  j3: {fixed: [b3, b1]}\n"
    "  c0: {cylindrical: [b2, b1], at: [0.606, 0.494, -0.399], axis: [0.023, -0.98, 0.536], damping: [0.4, 0.4]}\n"
    "  c1: {cylindrical: [b2, b1], at: [-0.057, 0.256, 0.448], axis: [-0.36, -0.374, 0.989]}\n"
    "  c2: {planar: [ground, b2], at: [0.459, 0.497, 0.697], axis: [0.287, 0.989, -0.711], damping: [0.4, 0.4, 0.4]}\n"
    "  c3: {planar: [b1, b2], at: [-0.99, 0.664, -0.587], axis: [-0.479, 0.97, -0.338], damping: [0.4, 0.4, 0.4]}\n";

static const char three[] =
    "cardan: 1\nname: three\n"
    "bodies: {b0: {at: [0.328, -0.88, -0.026]}, b1: {at: [-0.967, 0.95, -0.321]}, b2: {at: [0.464, 0.273, -0.304]}}\n"
    "joints:\n"
    "  j0: {cylindrical: [ground, b0], at: [0.667, 0.541, -0.645], axis: [0.493, -0.641, -0.948]}\n"
    "  j1: {prismatic: [ground, b1], at: [0.344, -0.917, 0.677], axis: [-0.822, 0.197, -0.178],"
    " start: {v: 0.723, guess: true}, damping: 0.3}\n"
    "  j2: {revolute: [b0, b2], at: [-0.367, -0.084, 0.164], axis: [-0.277, -0.208, 0.88],"
    " start: {v: 0.411, guess: true}, damping: 0.3}\n"
    "  c0: {cylindrical: [b0, b1], at: [-0.69, 0.777, -0.431], axis: [-0.053, 0.729, 0.591], damping: [0.4, 0.4]}\n"
    "  c1: {prismatic: [b1, b2], at: [0.753, 0.079, -0.655], axis: [-0.031, 0.863, -0.836], damping: 0.4}\n";

// Two drivers of one prismatic joint with driver functions of the size of round-off that differ: these are
// inconsistent.
static const char inconsistent[] = "cardan: 1\nname: contradictory\ngravity: [0, 0, 0]\n"
                                   "bodies: {b: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}}\n"
                                   "joints:\n"
                                   "  j: {prismatic: [ground, b], at: [0, 0, 0], axis: x, driver: \"=1e-12*t^2\"}\n"
                                   "  k: {prismatic: [ground, b], at: [0, 1, 0], axis: x, driver: \"=2e-12*t^2\"}\n";

static const char slider_crank[] = "cardan: 1\nname: slider_crank\ngravity: [0, 0, -9.81]\n"
                                   "bodies:\n"
                                   "  k: {rod: [[0, 0, 0], [0, 0, 0.3]], mass: 1}\n"
                                   "  c: {at: [0, 0, 0.3]}\n"
                                   "  s: {at: [0.63245553203367587, 0, 0], mass: 2}\n"
                                   "joints:\n"
                                   "  O: {revolute: [ground, k], at: [0, 0, 0], axis: y, start: {v: 6}}\n"
                                   "  P: {revolute: [k, c], at: [0, 0, 0.3], axis: y}\n"
                                   "  X: {revolute: [c, s], at: [0.63245553203367587, 0, 0], axis: y}\n"
                                   "  S: {prismatic: [ground, s], at: [0.63245553203367587, 0, 0], axis: x}\n";

static void test_run(const char* formulation)
{
    cardan_run_settings run = cardan_run_default();
    cardan_run_summary  summary;
    const int           f    = cardan_formulation_find(formulation);
    cardan_model*       m    = NULL;
    cardan_data*        data = NULL;
    cardan_report       report;
    cardan_report_clear(&report);
    run.integrator        = cardan_integrator_find("dopri5");
    run.tolerance         = 1e-8;
    run.end               = 1;
    cardan_description* d = yaml_load(slider_crank);
    CHECK(cardan_model_compile(d, cardan_formulation_tree_policy(f), &m, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, f, &data, &report) == CARDAN_OK);
    CHECK(cardan_simulate(data, &run, &summary, &report) == CARDAN_OK);
    CHECK(summary.events == 0);
    CHECK(summary.steps < 400); // no short steps: accelerations have no noise
    CHECK_NEAR(summary.energy_end, summary.energy_start, 1e-6);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

// Accelerations after assembly, at standstill or with velocities of the size `speed` that violate all rows by
// round-off.
static void test_accelerations(const char* text, double speed, cardan_status expected)
{
    cardan_description* d = yaml_load(text);
    for (int f = 0; f < cardan_formulation_count(); ++f) {
        cardan_model* model = NULL;
        cardan_data*  data  = NULL;
        cardan_report report;
        double        q[64], v[64], a[64] = {0};
        cardan_report_clear(&report);
        if (!cardan_formulation_is_exact(f)) continue;
        CHECK(cardan_model_compile(d, cardan_formulation_tree_policy(f), &model, &report) == CARDAN_OK);
        if (cardan_data_create(model, f, &data, &report) == CARDAN_OK) {
            CHECK(cardan_data_assemble(data, NULL, q, v, NULL, &report) == CARDAN_OK);
            const cardan_model_view m = cardan_model_get_view(model);
            for (int i = 0; i < m.nv; ++i) v[i] += speed * (1 + 0.3 * sin(i));
            cardan_data_set_state(data, 0, q, v, NULL);
            const cardan_status status = cardan_data_accelerate(data, a, NULL, &report);
            CHECK(status == expected);
            if (status != expected)
                printf("    %s at %g: %s\n", cardan_formulation_name(f), speed,
                       report.count ? report.message[0].text : "solved");
            for (int i = 0; i < m.nv && !expected; ++i) CHECK_NEAR(a[i], 0, 1e-20);
        }
        cardan_data_destroy(data);
        cardan_model_destroy(model);
    }
    cardan_description_destroy(d);
}

int main(void)
{
    yaml_begin();
    for (int n = 0; n < 4; ++n) {
        static const double speed[] = {0, 2.2e-16, 1e-31, 1e-14};
        RUN(test_accelerations(bracket, speed[n], CARDAN_OK));
        RUN(test_accelerations(welded, speed[n], CARDAN_OK));
        RUN(test_accelerations(three, speed[n], CARDAN_OK));
    }
    RUN(test_accelerations(inconsistent, 0, CARDAN_INCONSISTENT));
    static const char* const formulations[] = {"augmented", "order-n", "reduction", "embedding", "dense", "lagrange"};
    for (size_t i = 0; i < sizeof formulations / sizeof *formulations; ++i) RUN(test_run(formulations[i]));
    yaml_end();
    return test_end();
}
