// SPDX-License-Identifier: BSD-3-Clause
// Reactions and driver efforts at samples that are singular configurations: the limit of those at neighbouring samples,
// equal for all formulations, simulations and kinematic analyses, and NAN where they are unbounded. The same at the
// first sample, without samples before it.
//
// A parallelogram of cranks a (1 kg) and c (3 kg) of 1 m and a coupler b of 2 m (1 kg) is flat after 0.5 s. At the
// angle phi of its cranks, with w = phi' and the force F along the coupler,
//
//   crank c about D:   I phi'' = ... + F sin(phi)      thus F = residue/(t - 1/2) unless the other terms vanish there
//
// Without gravity and at a constant rate, B carries half of the coupler, w^2/2 along the crank, and D that and crank c,
// (1/2 + 3/2) w^2. Under gravity, perpendicular to the crank, B carries half the weight of the coupler; A balances the
// moments of all weights about the ground pins. A crank with the acceleration p = phi'' moves the coupler by p
// perpendicular to itself; the effort of its driver is p (1/3 + 3/3 + 1).
#include "test.h"
#include "yaml_text.h"

#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846, g = 9.81;

static const char* const formulations[] = {"augmented", "order-n",     "reduction", "embedding",
                                           "dense",     "regularized", "lagrange"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations, A = 0, B = 1, D = 3 };

#define PARALLELOGRAM(gravity, a)                                                                                      \
    "cardan: 1\n"                                                                                                      \
    "gravity: [0, " gravity ", 0]\n"                                                                                   \
    "points: {A: [0,0,0], B: [0,1,0], C: [2,1,0], D: [2,0,0]}\n"                                                       \
    "bodies:\n"                                                                                                        \
    "  a: {rod: [A,B], mass: 1}\n"                                                                                     \
    "  b: {rod: [B,C], mass: 1}\n"                                                                                     \
    "  c: {rod: [C,D], mass: 3}\n"                                                                                     \
    "joints:\n"                                                                                                        \
    "  A: {revolute: [ground,a], at: A, axis: z, " a "}\n"                                                             \
    "  B: {revolute: [a,b], at: B, axis: z}\n"                                                                         \
    "  C: {spherical: [b,c], at: C}\n"                                                                                 \
    "  D: {cylindrical: [c,ground], at: D, axis: z}\n"

static const char rotating[]      = PARALLELOGRAM("0", "driver: '=-pi*t'"),
                  free_rotation[] = PARALLELOGRAM("0", "start: {v: =-pi}"),
                  weight[]        = PARALLELOGRAM("-9.81", "driver: '=-pi*t'"),
                  accelerated[]   = PARALLELOGRAM("0", "driver: '=-pi*(t+t^2)/1.5'");

// A massless rod instead of the coupler.
static const char tied[] = "cardan: 1\n"
                           "gravity: [0, -9.81, 0]\n"
                           "points: {A: [0,0,0], B: [0,1,0], C: [2,1,0], D: [2,0,0]}\n"
                           "bodies:\n"
                           "  a: {rod: [A,B], mass: 1}\n"
                           "  c: {rod: [C,D], mass: 3}\n"
                           "joints:\n"
                           "  A: {revolute: [ground,a], at: A, axis: z, driver: '=-pi*t'}\n"
                           "  D: {revolute: [c,ground], at: D, axis: z}\n"
                           "constraints:\n"
                           "  R: {distance: [{on: a, at: B}, {on: c, at: C}]}\n";

// A crank of 0.3 m and a rod of 0.8 m, moved by the piston: stretched after 0.5 s.
#define PISTON(crank, time)                                                                                            \
    "cardan: 1\n"                                                                                                      \
    "parameters: {r: 0.3, l: 0.8, a: =pi/2}\n"                                                                         \
    "points: {O: [0,0,0], P: [=r*cos(a),=r*sin(a),0], X: ['=r*cos(a)+sqrt(l^2-r^2*sin(a)^2)',0,0]}\n"                  \
    "gravity: [0,-9.81,0]\n"                                                                                           \
    "bodies:\n"                                                                                                        \
    "  k: {rod: [O,P], mass: 1}\n"                                                                                     \
    "  c: {rod: [P,X], mass: 1}\n"                                                                                     \
    "  s: {at: X, mass: 2, inertia: [0.1,0.1,0.1]}\n"                                                                  \
    "joints:\n"                                                                                                        \
    "  O: {revolute: [ground,k], at: O, axis: z" crank "}\n"                                                           \
    "  P: {revolute: [k,c], at: P, axis: z}\n"                                                                         \
    "  X: {revolute: [c,s], at: X, axis: z}\n"                                                                         \
    "  S: {prismatic: [ground,s], at: X, axis: x, driver: "                                                            \
    "'=r*cos(a+pi*(" time "))+sqrt(l^2-r^2*sin(a+pi*(" time "))^2)-r*cos(a)-sqrt(l^2-r^2*sin(a)^2)'}\n"

static const char piston[] = PISTON("", "t");

// The sample at 0.5 s and its neighbours.
typedef struct record {
    int             rows;
    double          from, apart, drive[3];
    cardan_reaction reaction[3][4], rod[3];
} record;

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    record*   r = user;
    const int i = r->rows++ - 1;
    if (i < 0 || i > 2) return true;
    CHECK_NEAR(sample->t, r->from + r->apart * i, 1e-12);
    cardan_data_reactions(data, sample->a, r->reaction[i]);
    if (cardan_data_marker_constraint_count(data) == 1)
        cardan_data_marker_constraint_reactions(data, sample->a, &r->rod[i]);
    if (cardan_data_driver_count(data) == 1) cardan_data_driver_efforts(data, sample->a, &r->drive[i], NULL);
    return true;
}

// Samples with the interval `apart` up to the end, or until a sample fails.
static bool run_from(const char* text, const char* formulation, const char* integrator, double end, record* r)
{
    const int           index = cardan_formulation_find(formulation);
    cardan_description* d     = yaml_load(text);
    cardan_model*       m     = NULL;
    cardan_data*        data  = NULL;
    cardan_run_settings run   = cardan_run_default();
    cardan_run_summary  summary;
    cardan_status       status = d ? CARDAN_OK : CARDAN_BAD_INPUT;
    run.end                    = end;
    run.output_interval        = r->apart;
    run.sample_callback        = keep_sample;
    run.user                   = r;
    if (integrator) run.integrator = cardan_integrator_find(integrator);
    if (!status) status = cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, &yaml_report);
    if (!status) status = cardan_data_create(m, index, &data, &yaml_report);
    if (!status && integrator) status = cardan_simulate(data, &run, &summary, &yaml_report);
    if (!status && !integrator) status = cardan_kinematic_analysis(data, &run, &summary, &yaml_report);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return status == CARDAN_OK && r->rows == 4;
}

// Samples at 0.5 s and `apart` from it.
static bool run_to(const char* text, const char* formulation, const char* integrator, double apart, record* r)
{
    *r = (record){.rows = 2 - (int)round(0.5 / apart), .from = 0.5 - apart, .apart = apart};
    return run_from(text, formulation, integrator, 0.5 + apart, r);
}

// The first sample and the one `apart` after it, in place of those at 0.5 s.
static bool start_from(const char* text, const char* formulation, const char* integrator, double apart, record* r)
{
    *r = (record){.rows = 2, .from = -apart, .apart = apart};
    return run_from(text, formulation, integrator, apart, r);
}

typedef void check_record(const record* r, double good);

// All formulations and integrators; NULL: kinematic analysis.
static void run_all(const char* text, check_record* check, double good)
{
    static const char* const integrator[] = {"dopri5", "rk4", NULL};
    for (int i = 0; i < 3; ++i)
        for (int f = 0; f < FORMULATIONS; ++f) {
            record r;
            if (text == free_rotation && !integrator[i]) continue;
            const bool broken = test_broken;
            test_broken       = false;
            const bool runs   = run_to(text, formulations[f], integrator[i], 0.01, &r);
            CHECK(runs);
            if (runs) check(&r, good);
            if (test_broken)
                printf("    %s, %s: drive %g, B %g %g, D %g %g\n", formulations[f],
                       integrator[i] ? integrator[i] : "kinematics", r.drive[1], r.reaction[1][B].force[0],
                       r.reaction[1][B].force[1], r.reaction[1][D].force[0], r.reaction[1][D].force[1]);
            test_broken |= broken;
        }
}

static void check_rotating(const record* r, double good)
{
    CHECK_NEAR(r->reaction[1][B].force[0], -pi * pi / 2, good);
    CHECK_NEAR(r->reaction[1][B].force[1], 0, good);
    CHECK_NEAR(r->reaction[1][D].force[0], 2 * pi * pi, good);
    CHECK_NEAR(r->reaction[1][D].force[1], 0, good);
    CHECK_NEAR(r->drive[1], 0, good);
    CHECK(r->reaction[1][B].unique == r->reaction[0][B].unique && r->reaction[1][B].unique == r->reaction[2][B].unique);
}

static void test_limits(void)
{
    run_all(rotating, check_rotating, 1e-5);
    run_all(free_rotation, check_rotating, 1e-5);
}

// Forces along the line are unbounded; those of the neighbouring samples have opposite signs.
static void check_unbounded(const record* r, double good)
{
    for (int j = B; j <= D; ++j) {
        CHECK(isnan(r->reaction[1][j].force[0]));
        CHECK(r->reaction[0][j].force[0] * r->reaction[2][j].force[0] < 0);
        CHECK_NEAR(r->reaction[1][j].force[1], (r->reaction[0][j].force[1] + r->reaction[2][j].force[1]) / 2, 0.05);
        CHECK_NEAR(r->reaction[1][j].force[2], 0, good);
    }
}

static void check_weight(const record* r, double good)
{
    check_unbounded(r, good);
    CHECK_NEAR(r->drive[1], 3 * g, good);
    CHECK_NEAR(r->reaction[1][B].force[1], g / 2, good);
    CHECK_NEAR(r->reaction[1][D].force[1], -3.5 * g, good);
}

static void check_accelerated(const record* r, double good)
{
    const double p = -4 * pi / 3;
    check_unbounded(r, good);
    CHECK_NEAR(r->drive[1], 7 * p / 3, good);
    CHECK_NEAR(r->reaction[1][B].force[1], p / 2, good);
    CHECK_NEAR(r->reaction[1][D].force[1], -2 * p, good);
}

// Perpendicular to the rod there is no force at any configuration.
static void check_massless_rod(const record* r, double good)
{
    CHECK(isnan(r->rod[1].force[0]) && r->rod[0].force[0] * r->rod[2].force[0] < 0);
    CHECK_NEAR(r->rod[1].force[1], 0, good);
    CHECK_NEAR(r->rod[1].torque[2], 0, good);
    CHECK_NEAR(r->drive[1], 2 * g, good);
    CHECK_NEAR(r->reaction[1][1].force[1], -3 * g, good);
}

static void test_unbounded(void)
{
    run_all(weight, check_weight, 1e-5);
    run_all(accelerated, check_accelerated, 1e-5);
    run_all(tied, check_massless_rod, 1e-5);
}

// At the time u [s] from the singular configuration the force is 2 g / tan(pi u), and w^2/2 of above.
static void test_near_pole(void)
{
    for (int f = 0; f < FORMULATIONS; ++f)
        for (int k = 0; k < 2; ++k) {
            record       r;
            const double u = k ? 1e-4 : 1e-5;
            CHECK(run_to(weight, formulations[f], "dopri5", u, &r));
            for (int i = 0; i < 3; i += 2)
                CHECK_NEAR(r.reaction[i][B].force[0], 2 * g / tan(pi * (i - 1) * u) - pi * pi / 2, 1e-5);
            CHECK(isnan(r.reaction[1][B].force[0]));
        }
}

// The weights of crank and rod, half at each end, and the moment of the guide.
static void check_piston(const record* r, double good)
{
    CHECK(isnan(r->drive[1]) && isfinite(r->drive[0]) && isfinite(r->drive[2]));
    CHECK(r->drive[0] > 400 && r->drive[2] < -400);
    for (int j = 0; j < 3; ++j) {
        CHECK(isnan(r->reaction[1][j].force[0]));
        CHECK_NEAR(r->reaction[1][j].force[1], (r->reaction[0][j].force[1] + r->reaction[2][j].force[1]) / 2, 0.05);
    }
    CHECK_NEAR(r->reaction[1][D].force[0], 0, good);
    CHECK_NEAR(r->reaction[1][0].force[1] + r->reaction[1][D].force[1], 4 * g, good);
}

static void test_dead_centre(void) { run_all(piston, check_piston, 1e-4); }

// ---- starts

// Starts at 0.5 s of the motions above; free mechanisms start 1e-7 from the singular configuration, where loops without
// drivers are closed no more accurately.
static const char rotating_start[] = PARALLELOGRAM("0", "driver: '=-pi*(t+0.5)'"),
                  heavy_start[]    = PARALLELOGRAM("-9.81", "driver: '=-pi*(t+0.5)'"),
                  regular_start[]  = PARALLELOGRAM("-9.81", "driver: '=-pi*(t+0.25)'"),
                  freely_start[]   = PARALLELOGRAM("0", "start: {q: -1.5707962, v: =-pi}"),
                  falling_start[]  = PARALLELOGRAM("-9.81", "start: {q: -1.5707962, v: =-pi}"),
                  piston_start[]   = PISTON(", start: {q: =pi/2, v: =pi}", "t+0.5");

static void start_all(const char* text, check_record* check, double good)
{
    static const char* const integrator[] = {"dopri5", "rk4", "ida", "generalized-alpha", NULL};
    const bool               free_to_move = text == freely_start || text == falling_start;
    for (int i = 0; i < 5; ++i)
        for (int f = 0; f < FORMULATIONS; ++f) {
            record r;
            if (free_to_move && !integrator[i]) continue;
            const bool broken = test_broken;
            test_broken       = false;
            const bool runs   = start_from(text, formulations[f], integrator[i], 0.01, &r);
            CHECK(runs);
            if (runs) check(&r, good);
            if (test_broken)
                printf("    start, %s, %s: drive %g, B %g %g, D %g %g\n", formulations[f],
                       integrator[i] ? integrator[i] : "kinematics", r.drive[1], r.reaction[1][B].force[0],
                       r.reaction[1][B].force[1], r.reaction[1][D].force[0], r.reaction[1][D].force[1]);
            test_broken |= broken;
        }
}

static void check_rotating_start(const record* r, double good)
{
    CHECK_NEAR(r->reaction[1][B].force[0], -pi * pi / 2, good);
    CHECK_NEAR(r->reaction[1][B].force[1], 0, good);
    CHECK_NEAR(r->reaction[1][D].force[0], 2 * pi * pi, good);
    CHECK_NEAR(r->reaction[1][D].force[1], 0, good);
    CHECK_NEAR(r->drive[1], 0, good);
    CHECK(r->reaction[1][B].unique == r->reaction[2][B].unique);
}

static void check_weight_start(const record* r, double good)
{
    CHECK(isnan(r->reaction[1][B].force[0]) && isnan(r->reaction[1][D].force[0]));
    CHECK_NEAR(r->reaction[2][B].force[0], 2 * g / tan(pi * r->apart) - pi * pi / 2, 1e-3);
    CHECK_NEAR(r->drive[1], 3 * g, good);
    CHECK_NEAR(r->reaction[1][B].force[1], g / 2, good);
    CHECK_NEAR(r->reaction[1][D].force[1], -3.5 * g, good);
}

// Moments about the ground pins: 7/3 p = -3 g.
static void check_falling_start(const record* r, double good)
{
    const double p = -9 * g / 7;
    CHECK(isnan(r->reaction[1][B].force[0]) && isnan(r->reaction[1][D].force[0]));
    CHECK(isfinite(r->reaction[2][B].force[0]));
    CHECK_NEAR(r->reaction[1][B].force[1], (g + p) / 2, good);
    CHECK_NEAR(r->reaction[1][D].force[1], -3.5 * g - 2 * p, good);
}

// Between singular configurations: the force F along the coupler carries the weight of crank c and half of the coupler.
static void check_regular_start(const record* r, double good)
{
    const double s = sqrt(0.5), w = pi * pi;
    CHECK_NEAR(r->drive[1], 3 * g * s, good);
    CHECK_NEAR(r->reaction[1][B].force[0], -2 * g - w / 2 * s, good);
    CHECK_NEAR(r->reaction[1][B].force[1], g / 2 - w / 2 * s, good);
}

static void check_piston_start(const record* r, double good)
{
    CHECK(isnan(r->drive[1]) && r->drive[2] < -400);
    for (int j = 0; j < 3; ++j) CHECK(isnan(r->reaction[1][j].force[0]));
    CHECK_NEAR(r->reaction[1][D].force[0], 0, good);
    CHECK_NEAR(r->reaction[1][0].force[1] + r->reaction[1][D].force[1], 4 * g, good);
}

static void test_starts(void)
{
    start_all(rotating_start, check_rotating_start, 1e-5);
    start_all(freely_start, check_rotating_start, 1e-5);
    start_all(heavy_start, check_weight_start, 1e-5);
    start_all(falling_start, check_falling_start, 1e-4);
    start_all(regular_start, check_regular_start, 1e-5);
    start_all(piston_start, check_piston_start, 1e-4);
}

int main(void)
{
    yaml_begin();
    RUN(test_limits());
    RUN(test_unbounded());
    RUN(test_near_pole());
    RUN(test_dead_centre());
    RUN(test_starts());
    yaml_end();
    return test_end();
}
