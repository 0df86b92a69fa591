// SPDX-License-Identifier: BSD-3-Clause
// Winding numbers of off-tree joints: screws, gears and hinges that motors accelerate from standstill, so smoothly that
// only the winding numbers limit the step. All formulations and integrators, with few samples, against closed forms.
#include "test.h"
#include "yaml_text.h"

#include <cardan/cardan.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

static const char* const formulations[] = {"augmented", "order-n",     "reduction", "embedding",
                                           "dense",     "regularized", "lagrange"};
static const char* const integrators[]  = {"dopri5", "rk4", "cvode-adams", "cvode-bdf", "ida", "generalized-alpha"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

typedef cardan_status (*analysis)(cardan_data*, const cardan_run_settings*, cardan_run_summary*, cardan_report*);

// q of the joint `name` at the end of an analysis.
static double end_coordinate(const char* text, const char* formulation, const char* integrator, analysis run_analysis,
                             const char* name, double end)
{
    const int           index = cardan_formulation_find(formulation);
    cardan_description* d     = yaml_load(text);
    cardan_model*       m     = NULL;
    cardan_data*        data  = NULL;
    cardan_run_settings run   = cardan_run_default();
    cardan_run_summary  summary;
    double              q[CARDAN_JOINT_VELOCITIES_MAX + 1] = {NAN}, v[CARDAN_JOINT_VELOCITIES_MAX];
    run.integrator                                         = cardan_integrator_find(integrator);
    run.end                                                = end;
    run.output_interval                                    = end / 4;
    cardan_status status = cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, &yaml_report);
    if (!status) status = cardan_data_create(m, index, &data, &yaml_report);
    if (!status) status = run_analysis(data, &run, &summary, &yaml_report);
    if (!status) cardan_data_joint_state(data, cardan_description_find_joint(d, name), q, v);
    if (status) yaml_print();
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return q[0];
}

// A wrong winding number is an error of 6.28 rad or of one pitch.
static void by_all(const char* text, const char* name, double end, double expected, double allowed)
{
    for (int f = 0; f < FORMULATIONS; ++f)
        for (int i = 0; i < INTEGRATORS; ++i) {
            const double q    = end_coordinate(text, formulations[f], integrators[i], cardan_simulate, name, end);
            const bool   good = fabs(q - expected) < allowed;
            CHECK(good);
            if (!good)
                printf("    %s, %s: '%s' is at %.9g, not %.9g\n", formulations[f], integrators[i], name, q, expected);
        }
}

// The nut moves along its rail while the motor rotates the spindle.
#define SCREW(law)                                                                                                     \
    "cardan: 1\n"                                                                                                      \
    "gravity: [0,0,0]\n"                                                                                               \
    "bodies: {spindle: {mass: 1, inertia: [0.01,0.01,0.01]}, nut: {mass: 0.5, inertia: [0.01,0.01,0.01]}}\n"           \
    "joints:\n"                                                                                                        \
    "  s: {revolute: [ground, spindle], at: [0,0,0], axis: z}\n"                                                       \
    "  rail: {prismatic: [ground, nut], at: [0,0,0], axis: z}\n"                                                       \
    "  thread: {screw: [nut, spindle], at: [0,0,0], axis: z, pitch: 0.005}\n"                                          \
    "forces: {m: {actuator: s, effort: \"" law "\"}}\n"

static void test_screw(void)
{
    const double pitch = 0.005 / (2 * pi), J = 0.01 + 0.5 * pitch * pitch;
    by_all(SCREW("=1"), "rail", 1, -pitch * 0.5 / J, 1e-4);
    by_all(SCREW("=1"), "thread", 1, 0.5 / J, 1e-2);
    by_all(SCREW("=5*t^2"), "rail", 1, -pitch * 5 / 12.0 / J, 1e-4); // no acceleration at the start
}

// A disc with a motor and one with gears; `third` closes a loop between them.
static const char* const gears = "cardan: 1\n"
                                 "gravity: [0,0,0]\n"
                                 "bodies: {a: {mass: 1, inertia: [0.01,0.01,0.01]}, b: {mass: 1, at: [1,0,0], inertia: "
                                 "[0.01,0.01,0.01]}, c: {mass: 1, inertia: [0.01,0.01,0.01]}}\n"
                                 "joints:\n"
                                 "  a: {revolute: [ground, a], at: [0,0,0], axis: z}\n"
                                 "  b: {revolute: [ground, b], at: [1,0,0], axis: z}\n"
                                 "  c: {revolute: [ground, c], at: [0,0,0], axis: z}\n"
                                 "  third: {revolute: [c, a], at: [0,0,0], axis: z}\n"
                                 "constraints: {pair: {gear: [third, b], ratio: 2}}\n"
                                 "forces: {m: {actuator: a, effort: 2}, n: {actuator: c, effort: -1}}\n";

// third = a - c and b = ratio third, in both orders: two degrees of freedom, mass matrix in closed form.
static void test_gears(void)
{
    const double b = end_coordinate(gears, "dense", "dopri5", cardan_simulate, "b", 0.1),
                 a = end_coordinate(gears, "dense", "dopri5", cardan_simulate, "a", 0.1),
                 c = end_coordinate(gears, "dense", "dopri5", cardan_simulate, "c", 0.1), ratio = b / (a - c);
    CHECK_NEAR(fabs(ratio) > 1 ? fabs(ratio) : 1 / fabs(ratio), 2, 1e-6);
    const double k = 1 + ratio * ratio, l = ratio * ratio, D = k * k - l * l;
    const double A = (2 * k - l) / D / 0.01, C = (2 * l - k) / D / 0.01; // accelerations of a and c
    by_all(gears, "third", 1, (A - C) / 2, 1e-2);
    by_all(gears, "b", 1, ratio * (A - C) / 2, 1e-2);
}

// Driven: samples are many revolutions apart.
static void test_driven(void)
{
    static const char* const text = "cardan: 1\n"
                                    "bodies: {a: {mass: 1, inertia: [0.01,0.01,0.01]}, c: {mass: 1, inertia: "
                                    "[0.01,0.01,0.01]}}\n"
                                    "joints:\n"
                                    "  a: {revolute: [ground, a], at: [0,0,0], axis: z, driver: \"=100*t\"}\n"
                                    "  c: {revolute: [ground, c], at: [0,0,0], axis: z, driver: \"=-60*t\"}\n"
                                    "  third: {revolute: [c, a], at: [0,0,0], axis: z}\n";
    for (int f = 0; f < FORMULATIONS; ++f) {
        CHECK_NEAR(end_coordinate(text, formulations[f], "dopri5", cardan_kinematic_analysis, "a", 2), 200, 1e-9);
        CHECK_NEAR(end_coordinate(text, formulations[f], "dopri5", cardan_kinematic_analysis, "third", 2), 320, 1e-9);
    }
}

int main(void)
{
    yaml_begin();
    RUN(test_screw());
    RUN(test_gears());
    RUN(test_driven());
    yaml_end();
    return test_end();
}
