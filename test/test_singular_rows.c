// SPDX-License-Identifier: BSD-3-Clause
// Rows that fall on singular poses, and steps so long that they jump across them. A parallelogram of thin rods, 1 m and
// 1 kg the cranks, free of forces, turns at a constant rate w: whenever it lies flat its mobility is two, and nothing
// may come of that. Its coupler moves on a circle of 1 m without turning, so that with half of its mass at each pin
//
//     the force on a crank at ground is (1/2 + 1/2) w^2 along the crank, inward,
//
// by continuity at the flat pose as well, where joints could carry more along the line.
#include "planar_rods.h"
#include "test.h"

#include <cardan/cardan.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct record {
    double v, along,
        across; // largest errors at rows: velocities; reactions beside those along the crank, and across it
    int             rows, singular, others;
    double          t[8];
    cardan_reaction reaction[4];
} record;

static void keep_event(void* user, cardan_data* data, const cardan_event* event)
{
    record* r = user;
    (void)data;
    if (event->kind != CARDAN_EVENT_SINGULAR)
        ++r->others;
    else if (r->singular < 8)
        r->t[r->singular++] = event->t;
}

static bool keep_row(void* user, cardan_data* data, const cardan_row* row)
{
    record*      r     = user;
    const double angle = pi / 2 + pi * row->t, w[4] = {pi, pi, -pi, pi};
    for (int j = 0; j < 4; ++j) {
        double q, v;
        cardan_joint_state(data, j, &q, &v);
        r->v = fmax(r->v, fabs(v - w[j]));
    }
    cardan_reactions(data, row->a, r->reaction);
    const double* F = r->reaction[0].force;
    r->along        = fmax(r->along, fabs(F[0] * cos(angle) + F[1] * sin(angle) + pi * pi));
    r->across       = fmax(r->across, fabs(F[1] * cos(angle) - F[0] * sin(angle)));
    ++r->rows;
    return true;
}

static cardan_description* parallelogram(void)
{
    cardan_description* d = cardan_description_create("parallelogram");
    cardan_set_gravity(d, (const double[3]){0, 0, 0});
    const int a = add_rod(d, "crank", 0, 1, 0, 0, 0, 1), c = add_rod(d, "crank", 1, 1, 2, 0, 0, 1),
              b = add_rod(d, "coupler", 0, 1, 0, 1, 2, 0);
    add_hinge(d, "a", 0, CARDAN_GROUND, a, 0, 0, 0, 0, pi);
    add_hinge(d, "a", 1, CARDAN_GROUND, c, 2, 0, 0, 0, pi);
    add_hinge(d, "b", 0, a, b, 0, 1, 0, 0, -pi);
    add_hinge(d, "c", 0, b, c, 2, 0, 0, 1, pi);
    return d;
}

// Rows every quarter of a second: those at 0.5 and 1.5 s lie on the line.
static bool run_parallelogram(const char* formulation, const char* integrator, double step, record* r)
{
    cardan_description* d     = parallelogram();
    cardan_model*       m     = NULL;
    cardan_data*        data  = NULL;
    const int           index = cardan_formulation_find(formulation);
    cardan_run          run   = cardan_run_default();
    cardan_report       report;
    cardan_summary      summary;
    cardan_report_clear(&report);
    cardan_status status = cardan_model_compile(d, cardan_formulation_tree(index), &m, &report);
    if (!status) status = cardan_data_create(m, index, &data, &report);
    run.integrator = cardan_integrator_find(integrator);
    run.tolerance  = 1e-8;
    run.step       = step;
    run.end        = 2;
    run.output     = 0.25;
    run.event      = keep_event;
    run.row        = keep_row;
    run.user       = r;
    if (!status) status = cardan_simulate(data, &run, &summary, &report);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return status == CARDAN_OK;
}

static void turn(const char* formulation, const char* integrator, double step, double good)
{
    record     r      = {0};
    const bool passes = run_parallelogram(formulation, integrator, step, &r);
    CHECK(passes);
    CHECK(r.rows == 9);
    CHECK(r.v < good);
    CHECK(r.along < 1e3 * good && r.across < 1e3 * good);
    CHECK(r.singular == 2 && r.others == 0);
    for (int i = 0; i < r.singular; ++i) CHECK_NEAR(r.t[i], 0.5 + i, 1e-3);
    if (!passes || r.v >= good || r.along >= 1e3 * good || r.across >= 1e3 * good || r.singular != 2)
        printf("    %s, %s, step %g: velocities %.2g, reactions %.2g along and %.2g across, %d singular poses\n",
               formulation, integrator, step, r.v, r.along, r.across, r.singular);
}

static void test_rows_on_singular_poses(void)
{
    static const char* const formulation[] = {"augmented", "order-n",     "reduction", "embedding",
                                              "dense",     "regularized", "lagrange"};
    for (size_t i = 0; i < sizeof formulation / sizeof *formulation; ++i) turn(formulation[i], "dopri5", 0, 1e-6);
}

static void test_fixed_steps(void)
{
    static const char* const formulation[] = {"augmented", "order-n",     "reduction", "embedding",
                                              "dense",     "regularized", "lagrange"};
    for (size_t i = 0; i < sizeof formulation / sizeof *formulation; ++i) turn(formulation[i], "rk4", 0, 1e-6);
}

// Steps that end on the pose, and steps whose stages do; soft rows have no solution there, and no direction that tells
// of it.
static void test_any_step(void)
{
    static const char* const integrator[] = {"rk4", "midpoint", "semi-implicit-euler", "explicit-euler"};
    static const double      step[]       = {0.00025, 0.001, 0.01, 0.0123, 0.05, 0.1};
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; ++i)
        for (size_t k = 0; k < sizeof step / sizeof *step; ++k) {
            turn("regularized", integrator[i], step[k], 1e-6);
            turn("reduction", integrator[i], step[k], 1e-6);
        }
}

// Methods with steps of their own.
static void test_own_steps(void)
{
    static const char* const integrator[] = {"cvode-adams", "cvode-bdf", "generalized-alpha", "hht", "ida"};
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; ++i) turn("regularized", integrator[i], 0, 1e-5);
}

// Those that solve for multipliers beside the positions of free bodies find no step towards the pose: another method
// goes across, and the report says so.
static void test_stand_in(void)
{
    static const char* const integrator[] = {"generalized-alpha", "hht", "ida"};
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; ++i) turn("lagrange", integrator[i], 0, 1e-5);
}

// Windows leave gaps; along the line their multipliers are those that the motion had, not what gaps would make of them.
static void test_windows(void)
{
    static const char* const formulation[] = {"regularized", "reduction", "order-n"};
    for (size_t i = 0; i < sizeof formulation / sizeof *formulation; ++i) {
        record euler = {0}, midpoint = {0};
        CHECK(run_parallelogram(formulation[i], "regularized-euler", 0.001, &euler));
        CHECK(run_parallelogram(formulation[i], "regularized-midpoint", 0.001, &midpoint));
        CHECK(euler.rows == 9 && euler.v < 1e-2 && euler.across < 1e-2 && euler.along < 0.3 * pi * pi);
        CHECK(midpoint.rows == 9 && midpoint.v < 5e-3 && midpoint.across < 5e-3 && midpoint.along < 0.3 * pi * pi);
    }
}

int main(void)
{
    RUN(test_rows_on_singular_poses());
    RUN(test_fixed_steps());
    RUN(test_any_step());
    RUN(test_own_steps());
    RUN(test_stand_in());
    RUN(test_windows());
    return test_end();
}
