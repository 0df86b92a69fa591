// SPDX-License-Identifier: BSD-3-Clause
// Limit accelerations at the flat parallelogram, with rods of 1, 1 and 3 kg and a damper c on one crank:
//
//     7/3 w' = -3 g cos(phi) - c w,     power of the damper -c w^2
//
// holds at phi = 0 too, where the rows are dependent and the accelerations of the state itself are undetermined. The
// masses differ: with equal cranks, the motion without the dependent row, with one more degree of freedom, is the same.
#include "prepared_parallelogram.h"

static const double G = 9.81, DAMPING = 0.8;

static double crank_acceleration(double phi, double w) { return -(3 * G * cos(phi) + DAMPING * w) * 3 / 7; }

static cardan_description* damped_parallelogram(void)
{
    return describe_text("cardan: 1\nname: damped\ngravity: [0, -9.81, 0]\n"
                         "parameters: {x: =cos(1), y: =sin(1)}\n"
                         "bodies:\n"
                         "  crank: {rod: [[0, 0, 0], [=x, =y, 0]], mass: 1}\n"
                         "  coupler: {rod: [[=x, =y, 0], [=x+2, =y, 0]], mass: 1}\n"
                         "  rocker: {rod: [[2, 0, 0], [=x+2, =y, 0]], mass: 3}\n"
                         "joints:\n"
                         "  a: {revolute: [ground, crank], at: [0, 0, 0], axis: z, damping: 0.8}\n"
                         "  b: {revolute: [crank, coupler], at: [=x, =y, 0], axis: z}\n"
                         "  c: {revolute: [coupler, rocker], at: [=x+2, =y, 0], axis: z}\n"
                         "  d: {revolute: [ground, rocker], at: [2, 0, 0], axis: z}\n");
}

// A run whose conditioning has its reference at phi = 1.5.
static bool open_damped(parallelogram_run* p, const char* formulation)
{
    if (!parallelogram_prepare(p, damped_parallelogram(), formulation, "dopri5", 10)) return false;
    set_parallelogram(p, -1, 1.5, 1, run_state(&p->run));
    CHECK(cd_conditioning_at(run_system(&p->run), run_state(&p->run)) == CARDAN_OK);
    cd_conditioning_track_directions(run_system(&p->run));
    CHECK(!p->run.data->settings.near_singular);
    return true;
}

// Accelerations a (nv) of all joints, at the state of the data, are those of the cranks at phi.
static void check_accelerations(parallelogram_run* p, const double* a, double phi, double w, double tolerance)
{
    static const double sign[4]  = {1, -1, 1, 1};
    const double        expected = crank_acceleration(phi, w);
    for (int j = 0; j < 4; ++j) {
        double value = NAN;
        CHECK(cardan_data_joint_acceleration(p->run.data, j, a, &value) == CARDAN_OK);
        CHECK_NEAR(value, sign[j] * expected, tolerance);
    }
}

// Save, evaluate, restore and apply at phi, as an evaluation does.
static void test_limit(const char* formulation, double phi, double w)
{
    parallelogram_run p;
    if (open_damped(&p, formulation)) {
        cd_ode_system* system = run_system(&p.run);
        double         a[32], v[32];
        set_parallelogram(&p, 2, phi, w, run_state(&p.run));
        cd_singular_limit_save_state(system);
        const cardan_status status = cd_conditioning_at(system, run_state(&p.run));
        CHECK(cd_conditioning_is_known(system, status) && p.run.data->settings.near_singular);
        CHECK(cd_singular_limit_is_needed(system));
        CHECK(!cd_singular_limit_velocities(system, v) && !cd_singular_limit_has_nodes(system, 2));
        cd_singular_limit_evaluate(system, system->a);
        CHECK(run_limit(&p.run)->valid);
        cd_singular_limit_restore_state(system);
        CHECK(p.run.data->t == 2 && cd_singular_limit_has_nodes(system, 2) && !cd_singular_limit_has_nodes(system, 3));
        const double power = cd_singular_limit_apply(system, a);
        check_accelerations(&p, a, phi, w, 1e-8);
        CHECK_NEAR(power, -DAMPING * w * w, 1e-8);
        CHECK(cd_singular_limit_velocities(system, v));
        for (int i = 0; i < system->nv; ++i) CHECK_NEAR(v[i], run_state(&p.run)->z[i], 1e-8);
    }
    parallelogram_close(&p);
}

// The same by the evaluation of a step, over a sequence of states through phi = 0, with earlier accelerations.
static void test_evaluation(const char* formulation, double w)
{
    parallelogram_run p;
    if (open_damped(&p, formulation)) {
        static const double distance[] = {-0.5, -0.1, -0.02, -1e-3, -1e-4, -1e-5, -1e-7, -1e-9, 0,
                                          1e-9, 1e-7, 1e-5,  1e-4,  1e-3,  0.02,  0.1,   0.5};
        cd_ode_system*      system     = run_system(&p.run);
        for (size_t i = 0; i < sizeof distance / sizeof *distance; ++i) {
            double       rate[32];
            const double t   = 3 + distance[i] / fabs(w);
            const double phi = (w > 0 ? 1 : -1) * distance[i];
            set_parallelogram(&p, t, phi, w, run_state(&p.run));
            CHECK(system->rhs(system, t, run_state(&p.run)->q, run_state(&p.run)->z, rate) == CARDAN_OK);
            check_accelerations(&p, rate, phi, w, 2e-6);
            CHECK_NEAR(rate[system->nv], -DAMPING * w * w, 2e-6);
        }
    }
    parallelogram_close(&p);
}

// A motion that comes to rest at phi = 0 has no direction of its own: the path is along the velocity of the approach.
static void test_standstill(const char* formulation)
{
    parallelogram_run p;
    if (open_damped(&p, formulation)) {
        cd_ode_system* system = run_system(&p.run);
        double         rate[32];
        set_parallelogram(&p, 2, -0.003, 0.5, run_state(&p.run));
        CHECK(system->rhs(system, 2, run_state(&p.run)->q, run_state(&p.run)->z, rate) == CARDAN_OK);
        CHECK(p.run.data->settings.near_singular && run_limit(&p.run)->has_history);
        CHECK_NEAR(run_limit(&p.run)->history_t, 2, 0);
        set_parallelogram(&p, 2.1, -1e-9, 0, run_state(&p.run));
        CHECK(system->rhs(system, 2.1, run_state(&p.run)->q, run_state(&p.run)->z, rate) == CARDAN_OK);
        CHECK(run_limit(&p.run)->time_frozen);
        check_accelerations(&p, rate, 0, 0, 1e-6);
    }
    parallelogram_close(&p);
}

// Far from a singular configuration the accelerations of the state are used.
static void test_not_needed(const char* formulation)
{
    parallelogram_run p;
    if (open_damped(&p, formulation)) {
        cd_ode_system* system = run_system(&p.run);
        set_parallelogram(&p, 0, 0.3, 1, run_state(&p.run));
        CHECK(cd_conditioning_at(system, run_state(&p.run)) == CARDAN_OK);
        CHECK(!cd_singular_limit_is_needed(system) && !p.run.data->settings.near_singular);
        cd_singular_limit_record_acceleration(system, system->a);
        CHECK(!run_limit(&p.run)->has_history); // only near singular configurations
        check_accelerations(&p, system->a, 0.3, 1, 1e-10);
    }
    parallelogram_close(&p);
}

// A node at u on the path of constant velocity: the state there is (phi + u w, w), at the time t + u or, frozen, t.
static void test_node(double u, bool time_frozen)
{
    parallelogram_run p;
    if (open_damped(&p, "order-n")) {
        cd_ode_system*     system = run_system(&p.run);
        cd_singular_limit* limit  = run_limit(&p.run);
        const double       phi = 0.01, w = -1.3;
        double             a[64], q, v;
        set_parallelogram(&p, 2, phi, w, run_state(&p.run));
        cd_singular_limit_save_state(system);
        limit->direction   = limit->v;
        limit->curvature   = limit->zero;
        limit->time_frozen = time_frozen;
        CHECK(cd_singular_limit_evaluate_node(system, u, a));
        CHECK(p.run.data->t == (time_frozen ? 2 : 2 + u));
        CHECK(cardan_data_joint_state(p.run.data, 0, &q, &v) == CARDAN_OK);
        CHECK_NEAR(q, phi + u * w - PARALLELOGRAM_DESIGN, 1e-12);
        CHECK_NEAR(v, w, 1e-12);
        check_accelerations(&p, a, phi + u * w, w, 1e-8);
        const int power = system->nv + p.run.data->solver_rows.nrow;
        CHECK_NEAR(a[power], -DAMPING * w * w, 1e-10);
        for (int i = 0; i < system->nv; ++i) CHECK_NEAR(a[power + 1 + i], p.run.data->v[i], 0);
        cd_singular_limit_restore_state(system);
        CHECK(p.run.data->t == 2);
        CHECK(cardan_data_joint_state(p.run.data, 0, &q, &v) == CARDAN_OK);
        CHECK_NEAR(q, phi - PARALLELOGRAM_DESIGN, 1e-15);
    }
    parallelogram_close(&p);
}

// A start without a reference: the conditioning 0.1 rad away along the motion shows whether it is singular.
static void test_start(const char* formulation, double phi, bool is_singular)
{
    parallelogram_run p;
    if (parallelogram_prepare(&p, damped_parallelogram(), formulation, "dopri5", 10)) {
        cd_ode_system* system = run_system(&p.run);
        double         q, v;
        set_parallelogram(&p, 0, phi, 2, run_state(&p.run));
        cd_singular_limit_check_start(system);
        CHECK(p.run.data->settings.near_singular == is_singular);
        CHECK(is_singular == (run_conditioning(&p.run)->sigma_min_sq_rel < 1e-6));
        CHECK(p.run.data->t == 0);
        CHECK(cardan_data_joint_state(p.run.data, 0, &q, &v) == CARDAN_OK);
        CHECK_NEAR(q, phi - PARALLELOGRAM_DESIGN, 1e-12);
        cd_singular_limit_save_state(system);
        CHECK(cd_singular_limit_leave_start(system));
        CHECK(cardan_data_joint_state(p.run.data, 0, &q, &v) == CARDAN_OK);
        // along the velocity; in maximal coordinates along the tangent, and projected
        CHECK_NEAR(q, phi + 0.1 - PARALLELOGRAM_DESIGN, strcmp(formulation, "lagrange") == 0 ? 1e-3 : 1e-9);
        CHECK_NEAR(p.run.data->t, 0.05, 1e-12);
    }
    parallelogram_close(&p);
}

int main(void)
{
    for (int i = 0; i < EVERY_FORMULATION; ++i) {
        RUN(test_limit(every_formulation[i], 0, 1.2));
        RUN(test_limit(every_formulation[i], 1e-9, -0.7));
        RUN(test_limit(every_formulation[i], -1e-7, 1.2));
        RUN(test_evaluation(every_formulation[i], 1.1));
        RUN(test_evaluation(every_formulation[i], -0.6));
        RUN(test_standstill(every_formulation[i]));
        RUN(test_not_needed(every_formulation[i]));
        RUN(test_start(every_formulation[i], 0, true));
        RUN(test_start(every_formulation[i], 0.7, false));
    }
    RUN(test_node(0.05, false));
    RUN(test_node(-0.04, true));
    return test_end();
}
