// SPDX-License-Identifier: BSD-3-Clause
// Simulation: samples at exact times, motions against closed forms, energy, counts, and all ways in which a run ends.
#include "motion_models.h"
#include "sentences.h"

static int integrator(const char* name) { return cardan_integrator_find(name); }

// First message of the report; an empty one with code 0 if there is none.
static const cardan_message* first_message(const rig* r)
{
    static const cardan_message none = {0};
    return r->report.count ? &r->report.message[0] : &none;
}

static rig pendulum(double q, double v)
{
    rig r = rig_begin("pendulum");
    rig_add_pendulum(&r, NULL, q, v);
    rig_end(&r);
    return r;
}

// A slider at standstill and one user state.
static rig with_state(double start, const char* rate)
{
    rig r = rig_begin("state");
    rig_add_slider(&r, NULL, 1, 0, 0);
    const int s = rig_state(&r, "s", start);
    cardan_description_set_state_rate(r.description, s, rig_formula(&r, rate));
    rig_end(&r);
    return r;
}

typedef struct times {
    double t[64];
    int    count, stop_after;
} times;

static bool keep_time(void* user, cardan_data* data, const cardan_sample* sample)
{
    (void)data;
    times* s         = user;
    s->t[s->count++] = sample->t;
    return s->count != s->stop_after;
}

// Sample k is at start + k * output to the last bit, the last one at end, for all step sizes.
static void test_sample_times(int i)
{
    rig                 r   = pendulum(0.4, 0);
    cardan_run_settings run = cardan_run_default();
    run.integrator          = i;
    run.start               = 0.3;
    run.output_interval     = 0.1;
    run.end                 = 2.25;
    run.step                = 0.013;
    run.sample_callback     = keep_time;

    times seen = {0};
    run.user   = &seen;
    cardan_run_summary summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(seen.count == 21 && summary.samples == 21);
    for (int k = 0; k < 20; ++k) CHECK(seen.t[k] == 0.3 + k * 0.1);
    CHECK(seen.t[20] == 2.25 && summary.t == 2.25);

    // a whole number of intervals: no second sample at the end
    seen    = (times){0};
    run.end = 0.3 + 7 * 0.1;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(seen.count == 8 && seen.t[7] == run.end);

    // zero duration: the sample of the start only
    seen    = (times){0};
    run.end = 0.3;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(seen.count == 1 && seen.t[0] == 0.3 && summary.steps == 0);
    rig_free(&r);
}

// Period of the pendulum by the arithmetic-geometric mean: T = 2 pi sqrt(1.5 / g) / agm(1, cos(q0 / 2)).
static double period(double amplitude)
{
    double a = 1, b = cos(amplitude / 2);
    while (fabs(a - b) > 1e-15) {
        const double mean = (a + b) / 2;
        b                 = sqrt(a * b);
        a                 = mean;
    }
    return 2 * 3.14159265358979323846 * sqrt(1.5 / gravity) / a;
}

static void test_period(int i)
{
    rig                 r     = pendulum(2, 0);
    cardan_run_settings run   = cardan_run_default();
    final_sample        last  = {0};
    const bool          euler = cardan_integrator_order(i) == 1;
    run.integrator            = i;
    run.tolerance             = 1e-8;
    run.end                   = 3 * period(2);
    run.output_interval       = 0.05;
    run.step                  = euler ? 1e-4 : 1e-3;
    run.sample_callback       = keep_final;
    run.user                  = &last;
    cardan_run_summary summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    const double close = euler ? 5e-2 : cardan_integrator_order(i) == 2 ? 1e-4 : 3e-7;
    CHECK_NEAR(last.q[0], 2, close);
    CHECK_NEAR(last.v[0], 0, 10 * close);
    CHECK(summary.energy_error < 10 * close);
    CHECK_NEAR(summary.energy_start, -gravity * cos(2), 1e-12);
    rig_free(&r);
}

// Samples between the steps of an adaptive method are as accurate as the steps: x = cos(2 t).
static bool check_cosine(void* user, cardan_data* data, const cardan_sample* sample)
{
    (void)data;
    double* largest = user;
    *largest        = fmax(*largest, fabs(sample->q[0] - cos(2 * sample->t)));
    *largest        = fmax(*largest, fabs(sample->v[0] + 2 * sin(2 * sample->t)));
    *largest        = fmax(*largest, fabs(sample->a[0] + 4 * cos(2 * sample->t)));
    return true;
}

static void test_dense_output(int i)
{
    rig                    r    = rig_begin("oscillator");
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.stiffness              = 4;
    rig_add_slider(&r, &axis, 1, 1, 0);
    rig_end(&r);
    double              largest = 0;
    cardan_run_settings run     = cardan_run_default();
    run.integrator              = i;
    run.tolerance               = 1e-8;
    run.end                     = 5;
    run.output_interval         = 0.0123;
    run.sample_callback         = check_cosine;
    run.user                    = &largest;
    cardan_run_summary summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK_NEAR(largest, 0, 2e-6);
    CHECK(summary.energy_error < 1e-6);
    CHECK_NEAR(summary.energy_start, 2, 1e-14);
    rig_free(&r);
}

static void test_state(int i)
{
    rig                 r    = with_state(3, "-2*s");
    final_sample        last = {0};
    cardan_run_settings run  = cardan_run_default();
    run.integrator           = i;
    run.tolerance            = 1e-8;
    run.sample_callback      = keep_final;
    run.user                 = &last;
    cardan_run_summary summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK_NEAR(last.state[0], 3 * exp(-2), cardan_integrator_order(i) == 1 ? 1e-3 : 1e-6);
    rig_free(&r);
}

// Start values of the run replace those of the model.
static void test_start_values(void)
{
    rig                 r    = with_state(3, "-2*s");
    final_sample        last = {0};
    const double        q = 5, v = 2, s = 7;
    cardan_run_settings run = cardan_run_default();
    run.q                   = &q;
    run.v                   = &v;
    run.state               = &s;
    run.sample_callback     = keep_final;
    run.user                = &last;
    cardan_run_summary summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK_NEAR(last.q[0], 7, 1e-12);
    CHECK_NEAR(last.state[0], 7 * exp(-2), 1e-7);

    const double nowhere = NAN;
    run.v                = &nowhere;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_BAD_INPUT);
    CHECK_MESSAGE(first_message(&r), CARDAN_CODE_INVALID_VALUE, "error: ", "joint 'slide'", "nan");
    rig_free(&r);
}

// 0.01 s between samples and steps of at most 3 ms: four equal steps with four evaluations each.
static void test_counts(void)
{
    rig                 r   = pendulum(0.4, 0);
    cardan_run_settings run = cardan_run_default();
    run.integrator          = integrator("rk4");
    run.step                = 0.003;
    cardan_run_summary summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(summary.samples == 101 && summary.steps == 400 && summary.evaluations == 1600 && summary.rejected_steps == 0);
    CHECK(summary.wall_time >= 0);

    run.step = 0;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(summary.steps == 1000);

    run.integrator = integrator("dopri5");
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(summary.evaluations == 2 + 6 * (summary.steps + summary.rejected_steps));
    const long free_steps = summary.steps;
    run.max_step          = 0.005;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(free_steps < 100 && summary.steps >= 200);
    rig_free(&r);
}

// The energy error is that of the motion: equal for many samples and for two, and zero without motion.
static void test_energy_error(int i)
{
    rig                 r   = pendulum(0.01, 0);
    cardan_run_settings run = cardan_run_default();
    run.integrator          = i;
    run.end                 = 3 * period(0.01);
    run.step                = cardan_integrator_order(i) == 1 ? 1e-4 : 1e-3;
    cardan_run_summary often, stop_at_once, still;
    CHECK(cardan_simulate(r.data, &run, &often, &r.report) == CARDAN_OK);
    run.output_interval = run.end;
    CHECK(cardan_simulate(r.data, &run, &stop_at_once, &r.report) == CARDAN_OK);
    CHECK(stop_at_once.samples == 2);
    CHECK(stop_at_once.energy_error > 0.2 * often.energy_error && stop_at_once.energy_error < 5 * often.energy_error);
    CHECK(often.energy_error < (cardan_integrator_order(i) == 1 ? 0.1 : 1e-4));

    const double hanging = 0;
    run.q                = &hanging;
    run.end              = 5;
    CHECK(cardan_simulate(r.data, &run, &still, &r.report) == CARDAN_OK);
    CHECK(still.energy_error < 1e-9);
    rig_free(&r);
}

// A double pendulum, scaled by 1e-6 with gravity and mass: the same energy error and the same warning.
static void test_scaled(void)
{
    static const char text[]   = "cardan: 1\n"
                                 "parameters: {s: 1}\n"
                                 "gravity: [0, =-9.81*s, 0]\n"
                                 "bodies: {upper: {rod: [[0, 0, 0], [=s, 0, 0]], mass: =s^3},\n"
                                 "         lower: {rod: [[=s, 0, 0], [=2*s, 0, 0]], mass: =s^3}}\n"
                                 "joints: {A: {revolute: [ground, upper], at: [0, 0, 0], axis: z},\n"
                                 "         B: {revolute: [upper, lower], at: [=s, 0, 0], axis: z}}\n";
    double            drift[2] = {0};
    for (int i = 0; i < 2; ++i) {
        const cardan_parameter_setting setting = {"s", i ? "1e-6" : "1"};
        cardan_load_options            options = cardan_load_options_default();
        options.nsetting                       = 1;
        options.setting                        = &setting;
        rig r                                  = {0};
        CHECK(cardan_description_load_text(text, "similar.yaml", &options, &r.description, &r.report) == CARDAN_OK);
        rig_end(&r);
        cardan_run_settings run = cardan_run_default();
        run.integrator          = integrator("explicit-euler");
        run.step                = 0.05;
        run.output_interval     = 0.1;
        run.end                 = 2;
        cardan_run_summary summary;
        CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
        drift[i] = summary.energy_error;
        CHECK(r.report.count == 1);
        rig_free(&r);
    }
    CHECK(drift[0] > 0.1);
    CHECK_NEAR(drift[1], drift[0], 1e-9);
}

static bool stop_at_half(void* user, double t) { return t < *(const double*)user; }

static void test_ended_by_callback(void)
{
    rig                 r    = pendulum(0.4, 0);
    times               seen = {.stop_after = 6};
    cardan_run_settings run  = cardan_run_default();
    run.sample_callback      = keep_time;
    run.user                 = &seen;
    cardan_run_summary summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_STOPPED);
    CHECK(summary.status == CARDAN_STOPPED && summary.samples == 6 && summary.t == 0.05 && r.report.count == 0);
    CHECK(summary.energy_error < 1e-6);

    double half           = 0.5;
    run.sample_callback   = NULL;
    run.progress_callback = stop_at_half;
    run.user              = &half;
    run.integrator        = integrator("midpoint");
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_STOPPED);
    CHECK_NEAR(summary.t, 0.5, 1e-12);
    CHECK(summary.steps == 500 && summary.samples == 51);
    rig_free(&r);
}

static bool stop_at_once(void* user, double t)
{
    (void)t;
    ++*(int*)user;
    return false;
}

// 400 blocks: a note reports the dense Jacobian, and a callback can end the run at its begin.
static void test_large(int i)
{
    rig r = rig_begin("large");
    for (int k = 0; k < 400; ++k) {
        char body_name[24], joint_name[24];
        snprintf(body_name, sizeof body_name, "block%d", k);
        snprintf(joint_name, sizeof joint_name, "slide%d", k);
        cardan_body body         = cardan_body_default(body_name);
        body.mass                = 1;
        const cardan_joint joint = cardan_joint_default(joint_name, "prismatic", CARDAN_GROUND,
                                                        cardan_description_add_body(r.description, &body));
        cardan_description_add_joint(r.description, &joint);
    }
    rig_end(&r);
    int                 asked = 0;
    cardan_run_settings run   = cardan_run_default();
    run.integrator            = i;
    run.progress_callback     = stop_at_once;
    run.user                  = &asked;
    cardan_run_summary summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_STOPPED);
    CHECK(summary.t < 0.1 && asked == 1 && summary.steps <= 1);
    CHECK(r.report.count == 1 && r.report.message[0].severity == CARDAN_NOTE);
    CHECK_MESSAGE(first_message(&r), CARDAN_CODE_DENSE_JACOBIAN, cardan_integrator_name(i), "400", "801 x 801");
    rig_free(&r);
}

static void check_refused(rig* r, cardan_run_settings run)
{
    cardan_run_summary summary;
    cardan_report_clear(&r->report);
    CHECK(cardan_simulate(r->data, &run, &summary, &r->report) == CARDAN_BAD_USAGE);
    CHECK(summary.status == CARDAN_BAD_USAGE && summary.samples == 0 && r->report.count == 1);
}

// A setting with a value that is refused; then the texts that the message has.
#define REFUSED(field, value, ...)                                                                                     \
    do {                                                                                                               \
        cardan_run_settings run = cardan_run_default();                                                                \
        run.field               = value;                                                                               \
        check_refused(&r, run);                                                                                        \
        CHECK_MESSAGE(first_message(&r), CARDAN_CODE_INVALID_OPTION, "error: ", __VA_ARGS__);                          \
    } while (0)

static void test_bad_settings(void)
{
    rig r = pendulum(0.4, 0);
    REFUSED(integrator, 99, "integrator", "99");
    REFUSED(start, NAN, "start", "t = nan s");
    REFUSED(end, INFINITY, "end", "t = inf s");
    REFUSED(end, -1, "t = -1 s", "0 s");
    REFUSED(output_interval, 0, "0 s");
    REFUSED(output_interval, NAN, "nan s");
    REFUSED(output_interval, 1e-10, "1e-10 s");
    REFUSED(step, -1, "step", "-1 s");
    REFUSED(step, 1e-20, "step", "1e-20 s");
    REFUSED(max_step, NAN, "step", "nan s");
    REFUSED(tolerance, 1e-16, "1e-16", "1e-13", "0.1");
    REFUSED(tolerance, -1, "-1", "1e-13", "0.1");
    rig_free(&r);
}

// The report has the note while the run goes on: record the time at which the progress callback first finds it.
typedef struct stiffness_watch {
    const cardan_report* report;
    double               first_seen;
} stiffness_watch;

static bool watch_stiffness(void* user, double t)
{
    stiffness_watch* w = user;
    if (w->report->count > 0 && isnan(w->first_seen)) w->first_seen = t;
    return true;
}

// Explicit Euler with h w = 3 grows eightfold and more in every step.
static void test_diverged(void)
{
    rig                    r    = rig_begin("stiff");
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.stiffness              = 9e6;
    rig_add_slider(&r, &axis, 1, 1, 0);
    rig_end(&r);
    cardan_run_settings run = cardan_run_default();
    run.integrator          = integrator("explicit-euler");
    cardan_run_summary summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_NOT_FINITE);
    CHECK(summary.t > 0 && summary.t < 0.2 && summary.samples > 1);
    CHECK_MESSAGE(first_message(&r), CARDAN_CODE_DIVERGED, "t = 0.0", "joint 'slide'", "0.001 s", "dopri5");
    rig_free(&r);
}

// s' = s^2 reaches infinity at t = 1.
static void test_finite_escape_time(int i)
{
    rig                 r   = with_state(1, "s^2");
    cardan_run_settings run = cardan_run_default();
    run.integrator          = i;
    run.end                 = 2;
    cardan_run_summary  summary;
    const cardan_status status = cardan_simulate(r.data, &run, &summary, &r.report);
    CHECK(status == CARDAN_STEP_TOO_SMALL || status == CARDAN_NOT_FINITE);
    CHECK(summary.samples == 100 || summary.samples == 101 || cardan_integrator_order(i) == 1);
    CHECK_NEAR(summary.t, 1, cardan_integrator_order(i) == 1 ? 2e-2 : 5e-3);
    CHECK_MESSAGE(first_message(&r), status == CARDAN_NOT_FINITE ? CARDAN_CODE_DIVERGED : CARDAN_CODE_STEP_TOO_SMALL,
                  "state 's'");
    CHECK(r.report.count == 1);
    rig_free(&r);
}

// A formula that is not a number from t = 0.5 on.
static void test_undefined(int i)
{
    rig                 r   = with_state(1, "if(t < 0.5, 1, sqrt(-1))");
    cardan_run_settings run = cardan_run_default();
    run.integrator          = i;
    cardan_run_summary summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_NOT_FINITE);
    CHECK_NEAR(summary.t, 0.5, 2e-3);
    CHECK_MESSAGE(first_message(&r), CARDAN_CODE_DIVERGED, "t = 0.5", "state 's'");
    rig_free(&r);
}

// A slider without inertia: one error, at the start.
static void test_singular(int i)
{
    rig r = rig_begin("nothing");
    rig_add_slider(&r, NULL, 0, 0, 1);
    rig_end(&r);
    cardan_run_settings run = cardan_run_default();
    run.integrator          = i;
    cardan_run_summary summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_SINGULAR);
    CHECK(summary.samples == 0 && summary.t == 0 && r.report.count == 1);
    CHECK_MESSAGE(first_message(&r), CARDAN_CODE_ZERO_INERTIA, "joint 'slide'", "coordinate 1", "t = 0 s", " z");
    rig_free(&r);
}

// A damper with a time constant of 10 us: an explicit method takes short steps and reports stiffness, implicit ones do
// not.
static void test_stiff(void)
{
    rig                    r    = rig_begin("stiff");
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.stiffness              = 100;
    axis.damping                = 1e5;
    rig_add_slider(&r, &axis, 1, 1, 0);
    rig_end(&r);
    cardan_run_settings run = cardan_run_default();
    cardan_run_summary explicit, implicit;
    run.end               = 0.5;
    stiffness_watch watch = {&r.report, NAN};
    run.progress_callback = watch_stiffness;
    run.user              = &watch;
    CHECK(cardan_simulate(r.data, &run, &explicit, &r.report) == CARDAN_OK);
    run.progress_callback = NULL;
    CHECK(watch.first_seen < 0.1);
    CHECK(r.report.count == 1 && r.report.message[0].severity == CARDAN_NOTE);
    CHECK_MESSAGE(first_message(&r), CARDAN_CODE_STIFF, "t = ", "cvode-bdf", "ida");

    cardan_report_clear(&r.report);
    run.integrator = integrator("cvode-bdf");
    CHECK(cardan_simulate(r.data, &run, &implicit, &r.report) == CARDAN_OK);
    run.integrator = integrator("ida");
    CHECK(implicit.steps < explicit.steps / 20);
    CHECK(cardan_simulate(r.data, &run, &implicit, &r.report) == CARDAN_OK);
    CHECK(implicit.steps < explicit.steps / 20);
    CHECK(r.report.count == 0);
    rig_free(&r);
}

int main(void)
{
    for (int i = 0; i < cardan_integrator_count(); ++i) {
        RUN(test_sample_times(i));
        RUN(test_period(i));
        if (cardan_integrator_is_adaptive(i)) RUN(test_dense_output(i));
        RUN(test_state(i));
        RUN(test_energy_error(i));
        RUN(test_finite_escape_time(i));
        RUN(test_undefined(i));
        RUN(test_singular(i));
    }
    RUN(test_start_values());
    RUN(test_scaled());
    RUN(test_counts());
    RUN(test_ended_by_callback());
    RUN(test_bad_settings());
    RUN(test_diverged());
    RUN(test_large(integrator("cvode-bdf")));
    RUN(test_large(integrator("ida")));
    RUN(test_stiff());
    RUN(test_sentences("test_simulate"));
    return test_end();
}
