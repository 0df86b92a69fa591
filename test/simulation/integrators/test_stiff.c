// SPDX-License-Identifier: BSD-3-Clause
// Stiff mechanisms: order of generalized-alpha and HHT in joint and in maximal coordinates, errors proportional to the
// tolerance, far fewer steps than the stability of an explicit method requires; dry friction, kinks of tables, events,
// forces that are not finite or discontinuous, and the messages of failed runs.
#include "fixture.h"
#include "yaml_text.h"

static const char* const methods[] = {"generalized-alpha", "hht", "ida", "cvode-bdf"};

enum { ALPHA = 0, HHT = 1, METHODS = 4, SAMPLES = 6 };

typedef struct motion {
    int    sample;
    double x[SAMPLES][256]; // coordinates and velocities of all joints
    double t_event;
} motion;

static bool keep(void* user, cardan_data* data, const cardan_sample* sample)
{
    motion*                 m = user;
    const cardan_model_view v = cardan_model_get_view(cardan_data_model(data));
    (void)sample;
    int n = 0;
    for (int j = 0; j < v.njoint && n < 240 && m->sample < SAMPLES; ++j) {
        double q[8] = {0}, speed[8] = {0};
        cardan_data_joint_state(data, j, q, speed);
        for (int i = 0; i < v.tree_range[j].nv && i < 6; ++i) m->x[m->sample][n++] = speed[i];
        if (v.tree_range[j].nq == 1) m->x[m->sample][n++] = q[0];
    }
    ++m->sample;
    return true;
}

static void keep_event(void* user, cardan_data* data, const cardan_event* event)
{
    (void)data;
    if (((motion*)user)->t_event == 0) ((motion*)user)->t_event = event->t;
}

typedef struct settings {
    const char *path, *formulation, *integrator;
    double      tolerance, max_step, end;
} settings;

static cardan_status run_to(const settings* w, motion* m, cardan_run_summary* summary, cardan_report* report)
{
    fixture f;
    *m                   = (motion){0};
    cardan_status status = CARDAN_BAD_INPUT;
    if (fixture_open(&f, w->path, w->formulation, 0, NULL)) {
        cardan_run_settings run = cardan_run_default();
        run.integrator          = cardan_integrator_find(w->integrator);
        run.tolerance           = w->tolerance;
        run.max_step            = w->max_step;
        run.end                 = w->end;
        run.output_interval     = w->end / (SAMPLES - 1);
        run.sample_callback     = keep;
        run.event_callback      = keep_event;
        run.user                = m;
        status                  = cardan_simulate(f.data, &run, summary, &f.report);
        if (report) *report = f.report;
    }
    fixture_close(&f);
    return status;
}

static double distance(const motion* a, const motion* b)
{
    double worst = 0;
    for (int r = 0; r < SAMPLES; ++r)
        for (int i = 0; i < 256; ++i) worst = fmax(worst, fabs(a->x[r][i] - b->x[r][i]) / (1 + fabs(b->x[r][i])));
    return worst;
}

// With a tolerance that is always met, steps are max_step: half the step leaves a quarter of the error.
static void test_order(const char* path, const char* formulation, const char* method, double step, double end)
{
    static motion      exact, coarse, fine;
    cardan_run_summary s;
    CHECK(run_to(&(settings){path, formulation, "dopri5", 1e-11, 0, end}, &exact, &s, NULL) == CARDAN_OK);
    CHECK(run_to(&(settings){path, formulation, method, 0.1, step, end}, &coarse, &s, NULL) == CARDAN_OK);
    CHECK(run_to(&(settings){path, formulation, method, 0.1, step / 2, end}, &fine, &s, NULL) == CARDAN_OK);
    const double order = log2(distance(&coarse, &exact) / distance(&fine, &exact));
    if (!(fabs(order - 2) < 0.3))
        printf("%s %s %s: order %.2f, %.2g, %.2g\n", path, formulation, method, order, distance(&coarse, &exact),
               distance(&fine, &exact));
    CHECK(fabs(order - 2) < 0.3);
}

// Errors are proportional to the tolerance over three decades within a factor of thirty.
static void test_tolerance(const char* path, const char* formulation, int method, double end)
{
    static motion      exact, seen;
    cardan_run_summary s;
    const double       first = method <= HHT ? 1e-3 : 1e-5, last = method <= HHT ? 1e-5 : 1e-8;
    CHECK(run_to(&(settings){path, formulation, "dopri5", 1e-11, 0, end}, &exact, &s, NULL) == CARDAN_OK);
    CHECK(run_to(&(settings){path, formulation, methods[method], first, 0, end}, &seen, &s, NULL) == CARDAN_OK);
    const double coarse = distance(&seen, &exact);
    CHECK(run_to(&(settings){path, formulation, methods[method], last, 0, end}, &seen, &s, NULL) == CARDAN_OK);
    const double fine = distance(&seen, &exact), ratio = coarse / fine / (first / last);
    if (!(coarse < 100 * first && fine < 100 * last && ratio > 1 / 30.0 && ratio < 30))
        printf("%s %s %s: %.2g, %.2g\n", path, formulation, methods[method], coarse, fine);
    CHECK(coarse < 100 * first && fine < 100 * last);
    CHECK(ratio > 1 / 30.0 && ratio < 30);
}

// Accuracy determines the steps; stability limits dopri5 to thousands of steps for all tolerances.
static void test_steps(void)
{
    static motion      m;
    cardan_run_summary s, explicit_one;
    CHECK(run_to(&(settings){"models/bushing_corner", "order-n", "dopri5", 1e-3, 0, 0.1}, &m, &explicit_one, NULL) ==
          CARDAN_OK);
    CHECK(explicit_one.steps > 3000);
    for (int i = 0; i < METHODS; ++i) {
        CHECK(run_to(&(settings){"models/bushing_corner", "order-n", methods[i], 1e-3, 0, 0.1}, &m, &s, NULL) ==
              CARDAN_OK);
        if (!(10 * s.steps < explicit_one.steps)) printf("%s: %ld steps\n", methods[i], s.steps);
        CHECK(10 * s.steps < explicit_one.steps);
    }
}

// ---- difficult cases

static cardan_status run_text_by(const char* text, const char* formulation, const char* integrator, double tolerance,
                                 double end, motion* m, cardan_run_summary* s, cardan_report* report)
{
    cardan_description* d     = yaml_load(text);
    cardan_model*       model = NULL;
    cardan_data*        data  = NULL;
    cardan_report_clear(report);
    *m                   = (motion){0};
    const int     index  = cardan_formulation_find(formulation);
    cardan_status status = cardan_model_compile(d, cardan_formulation_tree_policy(index), &model, report);
    if (!status) status = cardan_data_create(model, index, &data, report);
    if (!status) {
        cardan_run_settings run = cardan_run_default();
        run.integrator          = cardan_integrator_find(integrator);
        run.tolerance           = tolerance;
        run.end                 = end;
        run.output_interval     = end / (SAMPLES - 1);
        run.sample_callback     = keep;
        run.event_callback      = keep_event;
        run.user                = m;
        status                  = cardan_simulate(data, &run, s, report);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(d);
    return status;
}

static cardan_status run_text(const char* text, const char* integrator, double tolerance, double end, motion* m,
                              cardan_run_summary* s, cardan_report* report)
{
    return run_text_by(text, "cholesky", integrator, tolerance, end, m, s, report);
}

// A light slide on a cart sticks by dry friction, slips and sticks again: the derivative of the friction, a million
// times the damping, changes from one step to the next, and the sticking mass is small.
#define STICKS(law, force)                                                                                             \
    "cardan: 1\n"                                                                                                      \
    "name: sticks\n"                                                                                                   \
    "gravity: [0, 0, 0]\n"                                                                                             \
    "bodies:\n"                                                                                                        \
    "  cart:  {mass: 5, at: [0, 0, 0], inertia: [1, 1, 1]}\n"                                                          \
    "  slide: {mass: 0.001, at: [0, 0, 0], inertia: [1, 1, 1]}\n"                                                      \
    "joints:\n"                                                                                                        \
    "  rail: {prismatic: [ground, cart], at: [0, 0, 0], axis: x, start: {v: 1}}\n"                                     \
    "  way:  {prismatic: [cart, slide], at: [0, 0, 0], axis: x" law "}\n"                                              \
    "forces:\n" force "  pull: {spring: [slide, {on: ground, at: [-1, 0, 0]}], stiffness: 10, damping: 0.05, "         \
    "length: 1}\n"                                                                                                     \
    "  hold: {spring: [cart, {on: ground, at: [-2, 0, 0]}], stiffness: 200, length: 2}\n"                              \
    "run: {duration: 2}\n"

static void test_friction(const char* text, const char* formulation)
{
    static const double tolerances[] = {1e-2, 1e-3, 1e-4};
    static motion       exact, seen;
    cardan_run_summary  s;
    cardan_report       report;
    const double        end = 0.6;
    CHECK(run_text(text, "dopri5", 1e-9, end, &exact, &s, &report) == CARDAN_OK);
    CHECK(fabs(exact.x[SAMPLES - 1][2]) > 0.5); // it slips
    for (int i = 0; i < METHODS; ++i)
        for (int k = 0; k < 3; ++k) {
            const cardan_status status =
                run_text_by(text, formulation, methods[i], tolerances[k], end, &seen, &s, &report);
            const double error = distance(&seen, &exact);
            if (status != CARDAN_OK || !(error < 30 * tolerances[k]))
                printf("%s %s, %g: %.2g\n", formulation, methods[i], tolerances[k], error);
            CHECK(status == CARDAN_OK && error < 30 * tolerances[k]);
        }
}

// Driven gears without degree of freedom: multipliers follow the rotating rows, and the driver does no work.
static const char driven[] = "cardan: 1\n"
                             "name: driven\n"
                             "bodies:\n"
                             "  sun: {at: [0, 0, 0], mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
                             "  carrier: {at: [0, 0, 0], mass: 1, inertia: [0.05, 0.05, 0.05]}\n"
                             "  planet: {at: [0.2, 0, 0], mass: 1, inertia: [0.05, 0.05, 0.05]}\n"
                             "joints:\n"
                             "  s: {revolute: [ground, sun], at: [0, 0, 0], axis: z, driver: =100*t}\n"
                             "  c: {revolute: [ground, carrier], at: [0, 0, 0], axis: z}\n"
                             "  sc: {revolute: [carrier, sun], at: [0, 0, 0], axis: z}\n"
                             "  p: {revolute: [carrier, planet], at: [0.2, 0, 0], axis: z}\n"
                             "constraints:\n"
                             "  sp: {gear: [sc, p], teeth: [20, 16]}\n"
                             "  pr: {gear: [p, c], ratio: =-52/16}\n"
                             "run: {duration: 1}\n";

static void test_driven(void)
{
    static motion      m;
    cardan_run_summary s;
    cardan_report      report;
    for (int i = ALPHA; i <= HHT; ++i) {
        CHECK(run_text_by(driven, "lagrange", methods[i], 1e-4, 1, &m, &s, &report) == CARDAN_OK);
        if (!(s.energy_error < 1e-5)) printf("%s: energy drifts by %.2g\n", methods[i], s.energy_error);
        CHECK(s.energy_error < 1e-5);
    }
}

// An unbalanced wheel drives its worm or is driven by it; the losses of the gear are work.
static const char worm[] = "cardan: 1\n"
                           "name: worm\n"
                           "bodies:\n"
                           "  w: {mass: 1, cylinder: {radius: 0.05, length: 0.2}, centre: [0, 0, 0]}\n"
                           "  g: {mass: 2, cylinder: {radius: 0.15, length: 0.05}, centre: [0, 0.2, 0.03]}\n"
                           "joints:\n"
                           "  w: {revolute: [ground, w], at: [0, 0, 0], axis: x, start: {v: 10}}\n"
                           "  g: {revolute: [ground, g], at: [0, 0.2, 0], axis: y}\n"
                           "constraints:\n"
                           "  wg: {worm: [w, g], ratio: 20, efficiency: 0.7, back_efficiency: 0.5}\n"
                           "run: {duration: 1}\n";

static void test_losses(const char* formulation)
{
    static motion      m;
    cardan_run_summary s;
    cardan_report      report;
    for (int i = 0; i < METHODS; ++i) {
        CHECK(run_text_by(worm, formulation, methods[i], 1e-6, 1, &m, &s, &report) == CARDAN_OK);
        CHECK(s.energy_start - s.energy_end > 0.03);
        if (!(s.energy_error < 1e-4)) printf("%s: energy drifts by %.2g\n", methods[i], s.energy_error);
        CHECK(s.energy_error < 1e-4);
    }
}

// A mass falls onto a stiff spring given by a table with kinks; without force before contact.
static const char bouncing[] = "cardan: 1\n"
                               "name: bouncing\n"
                               "tables:\n"
                               "  contact: {x: [-1, 0, 0.001, 0.1], y: [0, 0, 500, 100500], interpolation: linear}\n"
                               "bodies:\n"
                               "  mass: {mass: 2, inertia: [1, 1, 1], at: [0, 0, 0.05]}\n"
                               "joints:\n"
                               "  slide: {prismatic: [ground, mass], at: [0, 0, 0.05], axis: z, damping: 5}\n"
                               "forces:\n"
                               "  push: {actuator: slide, effort: \"=contact(-0.05 - q(slide))\"}\n"
                               "run: {duration: 0.3}\n";

static void test_kinks(void)
{
    static motion      exact, seen;
    cardan_run_summary s;
    cardan_report      report;
    CHECK(run_text(bouncing, "dopri5", 1e-11, 0.3, &exact, &s, &report) == CARDAN_OK);
    for (int i = 0; i < report.count && test_broken; ++i) printf("%s\n", report.message[i].text);
    CHECK(fabs(exact.x[SAMPLES - 1][0] + 9.81 * 0.3) > 1); // it has bounced
    for (int i = 0; i < METHODS; ++i) {
        const double tolerance = i <= HHT ? 1e-5 : 1e-7;
        CHECK(run_text(bouncing, methods[i], tolerance, 0.3, &seen, &s, &report) == CARDAN_OK);
        if (!(distance(&seen, &exact) < 100 * tolerance)) printf("%s: %.2g\n", methods[i], distance(&seen, &exact));
        CHECK(distance(&seen, &exact) < 100 * tolerance);
    }
}

// A stiff stop: all methods report the limit at its time.
static const char stopped[] = "cardan: 1\n"
                              "name: stopped\n"
                              "bodies:\n"
                              "  mass: {mass: 2, inertia: [1, 1, 1], at: [0, 0, 0]}\n"
                              "joints:\n"
                              "  slide: {prismatic: [ground, mass], at: [0, 0, 0], axis: z, limits: {lower: -0.05, "
                              "upper: 1, stiffness: 1000000, damping: 2000}}\n"
                              "run: {duration: 0.3}\n";

static void test_events(void)
{
    static motion      exact, seen;
    cardan_run_summary s;
    cardan_report      report;
    CHECK(run_text(stopped, "dopri5", 1e-11, 0.3, &exact, &s, &report) == CARDAN_OK);
    for (int i = 0; i < report.count && test_broken; ++i) printf("%s\n", report.message[i].text);
    CHECK_NEAR(exact.t_event, sqrt(2 * 0.05 / 9.80665), 1e-4);
    for (int i = 0; i < METHODS; ++i) {
        const double tolerance = i <= HHT ? 1e-5 : 1e-7;
        CHECK(run_text(stopped, methods[i], tolerance, 0.3, &seen, &s, &report) == CARDAN_OK);
        CHECK_NEAR(seen.t_event, exact.t_event, 20 * tolerance);
        if (!(distance(&seen, &exact) < 300 * tolerance)) printf("%s: %.2g\n", methods[i], distance(&seen, &exact));
        CHECK(distance(&seen, &exact) < 300 * tolerance);
    }
}

// Failures name the joint and the time.
static const char undefined_force[] = "cardan: 1\n"
                                      "name: no number\n"
                                      "bodies:\n"
                                      "  rod: {rod: [[0, 0, 0], [1, 0, 0]], mass: 2}\n"
                                      "joints:\n"
                                      "  hinge: {revolute: [ground, rod], at: [0, 0, 0], axis: y}\n"
                                      "forces:\n"
                                      "  push: {actuator: hinge, effort: \"=sqrt(0.1 - t)\"}\n"
                                      "run: {duration: 0.3}\n";
static const char jumping[]         = "cardan: 1\n"
                                      "name: jumping\n"
                                      "bodies:\n"
                                      "  rod: {rod: [[0, 0, 0], [1, 0, 0]], mass: 2}\n"
                                      "joints:\n"
                                      "  hinge: {revolute: [ground, rod], at: [0, 0, 0], axis: y}\n"
                                      "forces:\n"
                                      "  push: {actuator: hinge, effort: \"=if(v(hinge) > 1, -1e9, 1e6)\"}\n"
                                      "run: {duration: 0.3}\n";

// The run failed because no step is small enough or a value is not finite; the message names the joint and the time.
static bool reports_failure(const cardan_report* report, const char* time)
{
    const cardan_message* m = &report->message[0];
    return report->count > 0 && (m->code == CARDAN_CODE_DIVERGED || m->code == CARDAN_CODE_STEP_TOO_SMALL) &&
           strstr(m->text, "'hinge'") && strstr(m->text, time);
}

static void test_failures(void)
{
    static motion      m;
    cardan_run_summary s;
    cardan_report      report;
    for (int i = 0; i < METHODS; ++i) {
        const double tolerance = i <= HHT ? 1e-5 : 1e-7;
        const bool   failed    = run_text(undefined_force, methods[i], tolerance, 0.3, &m, &s, &report) != CARDAN_OK;
        const bool   reported  = reports_failure(&report, "t = 0.");
        if (!failed || !reported || !(fabs(s.t - 0.1) < 0.02))
            printf("%s: %s (%g)\n", methods[i], report.count ? report.message[0].text : "no message", s.t);
        CHECK(failed && reported);
        CHECK(fabs(s.t - 0.1) < 0.02);
        // the run ends in finite time, or the message names the joint
        const cardan_status status = run_text(jumping, methods[i], tolerance, 0.3, &m, &s, &report);
        if (status != CARDAN_OK && !reports_failure(&report, "t = "))
            printf("%s: %s\n", methods[i], report.count ? report.message[0].text : "no message");
        CHECK(status == CARDAN_OK || reports_failure(&report, "t = "));
    }
}

int main(void)
{
    for (int i = ALPHA; i <= HHT; ++i) {
        RUN(test_order("models/four_bar", "lagrange", methods[i], 4e-3, 0.4));
        RUN(test_order("models/hmmwv", "augmented", methods[i], 2e-3, 0.1));
        RUN(test_order("models/hmmwv", "lagrange", methods[i], 2e-3, 0.1));
        RUN(test_order("models/governor", "cholesky", methods[i], 4e-3, 0.4));
    }
    for (int i = 0; i < METHODS; ++i) {
        RUN(test_tolerance("models/governor", "cholesky", i, 0.3));
        RUN(test_tolerance("models/four_bar", "augmented", i, 0.5));
        RUN(test_tolerance("models/four_bar", "lagrange", i, 0.5));
    }
    RUN(test_steps());
    yaml_begin();
    RUN(test_friction(STICKS(", friction: 1", ""), "cholesky"));
    RUN(test_friction(STICKS(", friction: 1", ""), "lagrange"));
    RUN(test_friction(STICKS("", "  law: {actuator: way, effort: \"=-tanh(v(way) / 0.001)\"}\n"), "lagrange"));
    RUN(test_driven());
    RUN(test_losses("reduction"));
    RUN(test_losses("lagrange"));
    RUN(test_kinks());
    RUN(test_events());
    RUN(test_failures());
    yaml_end();
    return test_end();
}
