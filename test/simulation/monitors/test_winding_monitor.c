// SPDX-License-Identifier: BSD-3-Clause
// Winding numbers of the joint that closes a parallelogram, whose cranks rotate at w: the step limit is 2 rad / w,
// steps beyond 2.5 rad are repeated, and angles are counted over many revolutions.
#include "parallelogram.h"
#include "prepared_run.h"

#include "model/model.h"

static const double sign[4] = {1, -1, 1, 1}; // of the angles of the joints

static double step_limit(prepared_run* r)
{
    return cd_monitor_winding.step_limit(&r->simulation, run_monitor(r, &cd_monitor_winding));
}

static cardan_status start(prepared_run* r, cd_start_reason reason)
{
    return cd_monitor_winding.start(&r->simulation, run_monitor(r, &cd_monitor_winding), reason);
}

// Whether the step from time `from` to x must be repeated.
static bool rotates_too_far(prepared_run* r, double from)
{
    const cd_verdict verdict = run_check(r, &cd_monitor_winding, CD_PHASE_TAKEN, from);
    CHECK(verdict == CD_VERDICT_SHORTEN || verdict == CD_VERDICT_CONTINUE);
    return verdict == CD_VERDICT_SHORTEN;
}

static bool open_cranks(prepared_run* r, const char* formulation, const char* integrator)
{
    return run_prepare(r, parallelogram_at(cos(1), sin(1), 1, 0), formulation, integrator, 100);
}

// State (t, q, v) with cranks rotated by `angle` from the design configuration, rotating at w.
static void fill_state(const prepared_run* r, double angle, double w, double* q, double* v)
{
    const cardan_model_view view = cardan_model_get_view(r->model);
    for (int j = 0; j < view.njoint; ++j)
        if (view.tree_range[j].q >= 0) {
            q[view.tree_range[j].q] = sign[j] * angle;
            v[view.tree_range[j].v] = sign[j] * w;
        }
}

// Set x and the data to this state.
static void move_to(prepared_run* r, double t, double angle, double w)
{
    cd_ode_state* x = run_state(r);
    x->t            = t;
    fill_state(r, angle, w, x->q, x->z);
    CHECK(cd_simulation_set_state(&r->simulation, x) == CARDAN_OK);
}

// Coordinate of the joint that is not in the tree.
static double closing_angle(prepared_run* r)
{
    const int j = r->model->off_tree[0];
    double    q = NAN, v = NAN;
    CHECK(cardan_data_joint_state(r->data, j, &q, &v) == CARDAN_OK);
    return sign[j] * q;
}

static void test_step_limit(void)
{
    prepared_run r;
    if (open_cranks(&r, "order-n", "dopri5")) {
        move_to(&r, 0, 0.5, 4);
        CHECK_NEAR(step_limit(&r), 0.5, 1e-12);
        move_to(&r, 0, 0.5, -0.1);
        CHECK_NEAR(step_limit(&r), 20, 1e-12);
        move_to(&r, 0, 0.5, 0);
        CHECK(isinf(step_limit(&r)));
    }
    run_close(&r);
    if (open_cranks(&r, "order-n", "rk4")) { // at least a 64th of the step
        const double step = r.simulation.run.step;
        move_to(&r, 0, 0.5, 1e9);
        CHECK_NEAR(step_limit(&r) / step, 1.0 / 64, 1e-12);
        move_to(&r, 0, 0.5, 4);
        CHECK_NEAR(step_limit(&r), 0.5, 1e-12);
        r.data->settings.near_singular = true; // velocities may be unbounded there
        CHECK(isinf(step_limit(&r)));
        r.data->settings.near_singular = false;
    }
    run_close(&r);
}

// In maximal coordinates: 0.56 of the time in which the fastest body rotates by 2 rad.
static void test_maximal_limit(void)
{
    prepared_run r;
    if (open_cranks(&r, "lagrange", "dopri5")) {
        CHECK(cd_set_initial_state(&r.simulation) == CARDAN_OK);
        CHECK(start(&r, CD_START_STEPS) == CARDAN_OK);
        CHECK_NEAR(step_limit(&r), 0.56 * 2, 1e-9);
        run_state(&r)->t = 0.7 * 2 + 0.01;
        CHECK(rotates_too_far(&r, 0));
        run_state(&r)->t = 0.7 * 2 - 0.01;
        CHECK(!rotates_too_far(&r, 0));
    }
    run_close(&r);
}

static void test_too_far(void)
{
    prepared_run r;
    if (open_cranks(&r, "order-n", "dopri5")) {
        move_to(&r, 0, 0, 1);
        CHECK(start(&r, CD_START_STEPS) == CARDAN_OK);
        move_to(&r, 2.4, 2.4, 1);
        CHECK(!rotates_too_far(&r, 0));
        move_to(&r, 2.6, 2.6, 1);
        CHECK(rotates_too_far(&r, 0));
        CHECK(!rotates_too_far(&r, 0.2)); // a step of 2.4 s
        move_to(&r, 2.6, 2.6, -1);
        CHECK(rotates_too_far(&r, 0));
        r.data->settings.near_singular = true;
        CHECK(!rotates_too_far(&r, 0));
        r.data->settings.near_singular = false;
    }
    run_close(&r);
}

// Evaluate the joints at another state than x, as stages and samples do.
static void evaluate_at(prepared_run* r, double t, double angle)
{
    double q[8], v[8];
    fill_state(r, angle, 1, q, v);
    CHECK(cardan_data_set_state(r->data, t, q, v, NULL) == CARDAN_OK);
    closing_angle(r);
}

// Steps of 2 rad, forward 6 revolutions and back beyond the start. Stages and samples do not count, even if the angle
// from x to them, or between two of them, is beyond half a revolution.
static void test_count(const char* formulation)
{
    prepared_run r;
    if (open_cranks(&r, formulation, "dopri5")) {
        double angle = 0, t = 0;
        CHECK(r.model->noff_tree == 1);
        move_to(&r, 0, 0, 1);
        CHECK(start(&r, CD_START_STEPS) == CARDAN_OK);
        for (int i = 0; i < 60; ++i, t += 2) {
            const double step = i < 20 ? 2 : -2;
            evaluate_at(&r, t + 1, angle + 2 * step);
            angle += step;
            run_state(&r)->t = t + 2;
            fill_state(&r, angle, 1, run_state(&r)->q, run_state(&r)->z);
            CHECK(!rotates_too_far(&r, t));
            CHECK(cd_simulation_set_state(&r.simulation, run_state(&r)) == CARDAN_OK);
            CHECK(run_check(&r, &cd_monitor_winding, CD_PHASE_STABILIZED, t) == CD_VERDICT_CONTINUE);
            CHECK_NEAR(closing_angle(&r), angle, 1e-12);
            evaluate_at(&r, t + 0.1, angle - 2.5);
            evaluate_at(&r, t + 0.2, angle - 5);
            CHECK(start(&r, CD_START_DISCONTINUITY) == CARDAN_OK);
            CHECK_NEAR(closing_angle(&r), angle, 1e-12);
        }
        CHECK(angle == -40);
    }
    run_close(&r);
}

// A tree has no such joint.
static void test_tree(void)
{
    prepared_run r;
    if (run_prepare(&r,
                    describe_text("cardan: 1\nname: top\nbodies: {b: {mass: 2, inertia: [1, 1, 1], at: [0, 0, 0]}}\n"
                                  "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, start: {v: 1000}}}\n"),
                    "cholesky", "dopri5", 1)) {
        CHECK(!cd_monitor_winding.applies(&r.simulation) && !run_monitor(&r, &cd_monitor_winding));
        CHECK(isinf(cd_monitors_step_limit(&r.simulation)));
    }
    run_close(&r);
}

int main(void)
{
    RUN(test_step_limit());
    RUN(test_maximal_limit());
    RUN(test_too_far());
    RUN(test_count("order-n"));
    RUN(test_count("reduction"));
    RUN(test_tree());
    return test_end();
}
