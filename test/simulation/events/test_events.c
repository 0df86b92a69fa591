// SPDX-License-Identifier: BSD-3-Clause
// Events: times of limits and stop conditions against closed forms, with every integrator.
#include "motion_models.h"

static const double pi = 3.14159265358979323846;

typedef struct log_of_events {
    cardan_event event[32];
    double       q[32]; // of the first joint at the event
    int          count;
    final_sample last;
} log_of_events;

static void keep_event(void* user, cardan_data* data, const cardan_event* event)
{
    log_of_events* log = user;
    (void)data;
    if (log->count < 32) log->event[log->count++] = *event;
}

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    return keep_final(&((log_of_events*)user)->last, data, sample);
}

static cardan_run_settings run_of(int integrator, log_of_events* log)
{
    cardan_run_settings run = cardan_run_default();
    run.integrator          = integrator;
    run.tolerance           = 1e-8;
    run.output_interval     = 0.05;
    run.step                = cardan_integrator_order(integrator) == 1 ? 5e-5 : 1e-3;
    run.sample_callback     = keep_sample;
    run.event_callback      = keep_event;
    run.user                = log;
    return run;
}

// Accuracy to require of the time of an event, given the error of the motion.
static double time_tolerance(int integrator)
{
    const int order = cardan_integrator_order(integrator);
    return order == 1 ? 1e-3 : order == 2 ? 1e-4 : 1e-6;
}

static rig oscillator(cardan_axis_properties axis, double q)
{
    rig r          = rig_begin("oscillator");
    axis.stiffness = 4;
    rig_add_slider(&r, &axis, 1, q, 0);
    rig_end(&r);
    return r;
}

// x = cos(2 t) stops where x falls below zero: t = pi / 4
static void test_stop_condition(int integrator)
{
    rig                    r    = rig_begin("oscillator");
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.stiffness              = 4;
    rig_add_slider(&r, &axis, 1, 1, 0);
    const cardan_expression stop = rig_formula(&r, "-q(slide)");
    cardan_run_defaults     wish = cardan_run_defaults_empty();
    wish.stop_condition          = stop;
    cardan_description_set_run_defaults(r.description, &wish);
    rig_end(&r);

    log_of_events       log = {0};
    cardan_run_settings run = run_of(integrator, &log);
    cardan_run_summary  summary;
    run.stop_condition = stop;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(summary.stop_condition_met && summary.events == 1 && summary.samples == 17);
    CHECK_NEAR(summary.t, pi / 4, time_tolerance(integrator));
    CHECK(log.last.t == summary.t && log.event[0].t == summary.t);
    CHECK(log.last.q[0] < 0 && log.last.q[0] > -1e-10);
    CHECK(log.event[0].joint == CARDAN_NONE && log.event[0].is_entering);
    rig_free(&r);
}

static void stop_formula(int integrator, const char* formula, double expected)
{
    rig r = rig_begin("oscillator");
    rig_add_slider(&r, NULL, 1, 1, 0);
    const cardan_expression stop = rig_formula(&r, formula);
    cardan_run_defaults     wish = cardan_run_defaults_empty();
    wish.stop_condition          = stop;
    cardan_description_set_run_defaults(r.description, &wish);
    rig_end(&r);
    log_of_events       log = {0};
    cardan_run_settings run = run_of(integrator, &log);
    cardan_run_summary  summary;
    run.stop_condition = stop;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(summary.stop_condition_met && summary.events == 1);
    CHECK_NEAR(summary.t, expected, 1e-10);
    CHECK(log.last.t == summary.t);
    rig_free(&r);
}

// A discontinuity, a condition that becomes true at the time of a sample, and one that is true from the start.
static void test_stop_formulas(int integrator)
{
    stop_formula(integrator, "if(t > 0.123, 1, -1)", 0.123);
    stop_formula(integrator, "t - 0.5", 0.5);
    stop_formula(integrator, "1", 0);
}

// x = cos(2 t) leaves [-0.5, 0.8] and returns: limits without stops report events and do not change the motion.
static void test_limits_without_stops(int integrator)
{
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.lower                  = -0.5;
    axis.upper                  = 0.8;
    rig                 r       = oscillator(axis, 1);
    log_of_events       log     = {0};
    cardan_run_settings run     = run_of(integrator, &log);
    cardan_run_summary  summary;
    run.end = pi;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(!summary.stop_condition_met && summary.events == 4 && log.count == 4);

    const double t[4]        = {acos(0.8) / 2, acos(-0.5) / 2, pi - acos(-0.5) / 2, pi - acos(0.8) / 2};
    const bool   upper[4]    = {true, false, false, true};
    const bool   entering[4] = {false, true, false, true};
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(log.event[i].t, t[i], time_tolerance(integrator));
        CHECK(log.event[i].joint == 0 && log.event[i].axis == 0);
        CHECK(log.event[i].is_upper == upper[i] && log.event[i].is_entering == entering[i]);
    }
    rig_free(&r);
}

// A brief excursion inside one long step: x = cos(2 t) is beyond 0.9999 for 14 ms about t = pi.
static void test_brief_excursion(void)
{
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.upper                  = 0.9999;
    rig                 r       = oscillator(axis, 0.5);
    log_of_events       log     = {0};
    cardan_run_settings run     = run_of(cardan_integrator_find("dopri5"), &log);
    cardan_run_summary  summary;
    const double        v = 2 * sqrt(0.75);
    run.v                 = &v;
    run.end               = 1.5;
    run.tolerance         = 1e-6;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    const double peak = pi / 6;
    CHECK(log.count == 2);
    CHECK_NEAR(log.event[0].t, peak - acos(0.9999) / 2, 1e-4);
    CHECK_NEAR(log.event[1].t, peak + acos(0.9999) / 2, 1e-4);
    rig_free(&r);
}

// A block of 2 kg at 3 m/s hits a stop of 5000 N/m at 0.6 m: contact of pi sqrt(m/k), then a velocity of -3 m/s.
static void test_stop_with_stiffness(int integrator)
{
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.upper                  = 0.6;
    axis.stop_stiffness         = 5000;
    rig r                       = rig_begin("block");
    rig_add_slider(&r, &axis, 2, 0, 3);
    rig_end(&r);
    log_of_events       log = {0};
    cardan_run_settings run = run_of(integrator, &log);
    cardan_run_summary  summary;
    run.end = 0.4;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(log.count == 2 && log.event[0].is_entering && !log.event[1].is_entering && log.event[0].is_upper);
    const double contact = pi * sqrt(2 / 5000.0), close = time_tolerance(integrator);
    CHECK_NEAR(log.event[0].t, 0.2, close);
    CHECK_NEAR(log.event[1].t, 0.2 + contact, close);
    CHECK_NEAR(log.last.t, 0.4, 0);
    CHECK_NEAR(log.last.v[0], -3, 200 * close);
    CHECK_NEAR(log.last.q[0], 0.6 - 3 * (0.2 - contact), 20 * close);
    CHECK(summary.energy_error < 1000 * close);
    rig_free(&r);
}

// With damping of the stop the block returns slower; the work of the stop balances the energy.
static void test_stop_with_damping(int integrator)
{
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.upper                  = 0.6;
    axis.stop_stiffness         = 5000;
    axis.stop_damping           = 20;
    rig r                       = rig_begin("block");
    rig_add_slider(&r, &axis, 2, 0, 3);
    rig_end(&r);
    log_of_events       log = {0};
    cardan_run_settings run = run_of(integrator, &log);
    cardan_run_summary  summary;
    run.end = 0.4;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(log.count == 2);
    CHECK(log.last.v[0] < -2 && log.last.v[0] > -2.9);
    CHECK(summary.energy_end < 0.95 * summary.energy_start);
    CHECK(summary.energy_error < 1000 * time_tolerance(integrator));
    rig_free(&r);
}

// 1 kg falls 1 m onto a stop of 10 kN/m and 20 N s/m, three times in 2 s. Free flight, contact, and the part where the
// force of the stop would be tensile have closed forms; computed with 30 digits:
static const double bounce_t[6] = {0.4515236409857309, 0.4836121774363601, 1.148427559914726,
                                   1.180706514043259,  1.668204504545138,  1.700747080561844};
static const double bounce_q = -0.917461545592877754, bounce_energy = -8.289841284355494;

static double bounce(int integrator, double step, double tolerance, log_of_events* log, cardan_run_summary* summary)
{
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.lower                  = -1;
    axis.upper                  = 1;
    axis.stop_stiffness         = 10000;
    axis.stop_damping           = 20;
    rig r                       = rig_begin("bounce");
    cardan_description_set_gravity(r.description, (const double[]){0, 0, -gravity});
    rig_add_slider(&r, &axis, 1, 0, 0);
    rig_end(&r);
    *log                    = (log_of_events){0};
    cardan_run_settings run = run_of(integrator, log);
    run.end                 = 2;
    run.step                = step;
    run.tolerance           = tolerance;
    CHECK(cardan_simulate(r.data, &run, summary, &r.report) == CARDAN_OK);
    CHECK(log->count == 6 && summary->events == 6);
    rig_free(&r);
    return fabs(log->last.q[0] - bounce_q);
}

// The force is discontinuous at the begin of contact, and its rate at the end: a method keeps its order through both.
static void test_order_through_stop(int integrator)
{
    log_of_events      log;
    cardan_run_summary summary;
    const int          order  = cardan_integrator_order(integrator);
    const double       step   = order == 4 ? 5e-4 : order == 2 ? 2e-4 : 2e-5;
    const double       coarse = bounce(integrator, step, 0, &log, &summary);
    const double       drift  = summary.energy_error;
    const double       seen   = log2(coarse / bounce(integrator, step / 2, 0, &log, &summary));
    if (!(seen > order - 0.3)) printf("%s: order %.2f\n", cardan_integrator_name(integrator), seen);
    CHECK(seen > order - 0.3);
    CHECK(order != 4 || coarse < 1e-6);
    CHECK(order == 1 || summary.energy_error < 0.35 * drift);
}

// The error of the motion and of the energy balance is proportional to the tolerance.
static void test_tolerance_through_stop(int integrator)
{
    log_of_events      log;
    cardan_run_summary summary;
    CHECK(bounce(integrator, 0, 1e-8, &log, &summary) < 1e-6);
    CHECK(summary.energy_error < 2e-5);
    const double drift = summary.energy_error;
    CHECK(bounce(integrator, 0, 1e-11, &log, &summary) < 2e-9);
    CHECK(summary.energy_error < 0.03 * drift);
    CHECK_NEAR(summary.energy_end, bounce_energy, 1e-8);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(log.event[i].t, bounce_t[i], 1e-9);
        CHECK(log.event[i].is_entering == (i % 2 == 0) && !log.event[i].is_upper);
    }
}

// In maximal coordinates the joint coordinate is derived; its stop and its limit have the same effect.
static void test_stop_in_maximal_coordinates(int integrator)
{
    rig r = rig_begin("bounce");
    cardan_description_set_gravity(r.description, (const double[]){0, 0, -gravity});
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.lower                  = -1;
    axis.upper                  = 1;
    axis.stop_stiffness         = 10000;
    axis.stop_damping           = 20;
    rig_add_slider(&r, &axis, 1, 0, 0);
    const int formulation = cardan_formulation_find("lagrange");
    CHECK(cardan_model_compile(r.description, cardan_formulation_tree_policy(formulation), &r.model, &r.report) ==
          CARDAN_OK);
    CHECK(cardan_data_create(r.model, formulation, &r.data, &r.report) == CARDAN_OK);
    log_of_events       log = {0};
    cardan_run_settings run = run_of(integrator, &log);
    cardan_run_summary  summary;
    run.end = 2;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(log.count == 6);
    for (int i = 0; i < 6; ++i) CHECK_NEAR(log.event[i].t, bounce_t[i], 1e-5);
    CHECK_NEAR(log.last.q[2], bounce_q, 1e-5);
    CHECK(summary.energy_error < 1e-5);
    rig_free(&r);
}

// Thrown up so that it touches a soft stop for 8 ms at the top of its flight, inside one long step.
static void test_brief_touch(int integrator)
{
    const double           v = 3, peak = v / gravity, half = 0.004;
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.upper                  = v * v / (2 * gravity) - gravity * half * half / 2;
    axis.stop_stiffness         = 1;
    rig r                       = rig_begin("touch");
    cardan_description_set_gravity(r.description, (const double[]){0, 0, -gravity});
    rig_add_slider(&r, &axis, 1, 0, v);
    rig_end(&r);
    log_of_events       log = {0};
    cardan_run_settings run = run_of(integrator, &log);
    cardan_run_summary  summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(log.count == 2);
    CHECK_NEAR(log.event[0].t, peak - half, 1e-6);
    CHECK_NEAR(log.event[1].t, peak + half, 1e-6);
    rig_free(&r);
}

// At its limit without velocity, moved by rounding only: no event. The other bodies keep moving.
static void test_standstill_at_limit(int integrator)
{
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.lower                  = 0;
    rig r                       = rig_begin("resting");
    rig_add_slider(&r, &axis, 1, 0, 1e-17);
    rig_add_pendulum(&r, NULL, 1, 0);
    rig_end(&r);
    log_of_events       log = {0};
    cardan_run_settings run = run_of(integrator, &log);
    cardan_run_summary  summary;
    const double        q[2] = {1e-17, 1}, v[2] = {-1e-15, 0};
    run.q = q;
    run.v = v;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(log.last.q[0] < 0 && summary.events == 0);
    rig_free(&r);
}

// A spherical joint is limited along its rotation vector: rotating about z at 2 rad/s it passes 0.9 rad at t = 0.45 s.
static void test_limit_of_spherical_joint(int integrator)
{
    cardan_axis_properties axes[3] = {cardan_axis_properties_default(), cardan_axis_properties_default(),
                                      cardan_axis_properties_default()};
    axes[2].upper                  = 0.9;
    rig         r                  = rig_begin("ball");
    cardan_body body               = cardan_body_default("ball");
    body.mass                      = 1;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
    const int    ball                                   = cardan_description_add_body(r.description, &body);
    cardan_joint joint  = cardan_joint_default("socket", "spherical", CARDAN_GROUND, ball);
    joint.start_v_given = true;
    joint.start_v[2]    = 2;
    joint.naxis         = 3;
    joint.axis          = axes;
    cardan_description_add_joint(r.description, &joint);
    rig_end(&r);
    log_of_events       log = {0};
    cardan_run_settings run = run_of(integrator, &log);
    cardan_run_summary  summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(log.count == 1 && log.event[0].axis == 2 && log.event[0].is_upper && log.event[0].is_entering);
    CHECK_NEAR(log.event[0].t, 0.45, time_tolerance(integrator));
    rig_free(&r);
}

int main(void)
{
    for (int i = 0; i < cardan_integrator_count(); ++i) {
        RUN(test_stop_condition(i));
        RUN(test_stop_formulas(i));
        RUN(test_limits_without_stops(i));
        RUN(test_stop_with_stiffness(i));
        RUN(test_stop_with_damping(i));
        if (cardan_integrator_is_adaptive(i)) {
            if (!cardan_integrator_is_low_order(i))
                RUN(test_tolerance_through_stop(i)); // a tolerance of 1e-11 would take millions of steps
            RUN(test_brief_touch(i));
        } else {
            RUN(test_order_through_stop(i));
        }
        RUN(test_standstill_at_limit(i));
        RUN(test_limit_of_spherical_joint(i));
    }
    RUN(test_brief_excursion());
    RUN(test_stop_in_maximal_coordinates(cardan_integrator_find("dopri5")));
    RUN(test_stop_in_maximal_coordinates(cardan_integrator_find("rk4")));
    return test_end();
}
