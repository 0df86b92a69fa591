// SPDX-License-Identifier: BSD-3-Clause
// Motions that reverse at or near a singular configuration: a parallelogram released nearly flat is a pendulum and
// reverses nearly flat on the other side, for all formulations and integrators; the same with a third, redundant crank;
// and an antiparallelogram that starts flat.
#include "parallelogram.h"
#include "test.h"

static const double gravity = 9.81, duration = 2.5;

// w' = -k cos(angle), by steps of 0.1 ms of order four.
static double swing(double k, double angle, double t)
{
    const int n = (int)lround(t / 1e-4);
    double    w = 0, h = t / n;
    for (int i = 0; i < n; ++i) {
        const double a1 = -k * cos(angle), w2 = w + h / 2 * a1, a2 = -k * cos(angle + h / 2 * w), w3 = w + h / 2 * a2,
                     a3 = -k * cos(angle + h / 2 * w2), w4 = w + h * a3, a4 = -k * cos(angle + h * w3);
        angle += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
        w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return angle;
}

typedef struct record {
    int    joint;
    double angle;
    int    other;           // branch switches and growing violations
    double singular, least; // [s] time of the first singular event, and the largest distance of near-singular events
} record;

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    record* r = user;
    double  v;
    (void)sample;
    cardan_data_joint_state(data, r->joint, &r->angle, &v);
    return true;
}

static void keep_event(void* user, cardan_data* data, const cardan_event* event)
{
    record* r = user;
    (void)data;
    r->other += event->kind != CARDAN_EVENT_SINGULAR && event->kind != CARDAN_EVENT_NEAR_SINGULAR;
    if (event->kind == CARDAN_EVENT_SINGULAR && r->singular == 0) r->singular = event->t;
    if (event->kind == CARDAN_EVENT_NEAR_SINGULAR) r->least = fmax(r->least, event->value);
}

static cardan_run_settings run_by(const char* integrator, double end, record* r)
{
    cardan_run_settings run = cardan_run_default();
    run.integrator          = cardan_integrator_find(integrator);
    run.step                = 1e-3;
    run.end                 = end;
    run.output_interval     = 0.05;
    run.sample_callback     = keep_sample;
    run.event_callback      = keep_event;
    run.user                = r;
    return run;
}

// A third crank between the others, redundant.
static void add_third_crank(cardan_description* d, double c, double s)
{
    const int crank = add_rod(d, "third", 0, 1, 0.8, 0, c, s), coupler = cardan_description_find_body(d, "coupler0");
    CHECK(coupler >= 0);
    add_hinge(d, "e", 0, CARDAN_GROUND, crank, 0.8, 0, 0, 0, 0);
    add_hinge(d, "f", 0, coupler, crank, 0.8, 0, c, s, 0);
}

static void test_swing(const char* formulation, const char* integrator, double phi, bool third, double near)
{
    record                    r   = {0};
    const cardan_run_settings run = run_by(integrator, duration, &r);
    cardan_run_summary        summary;
    // cranks and coupler of 1 kg: (n/3 + 1) w' = -(n/2 + 1) g cos(angle)
    const double        k = third ? 2.5 / 2 * gravity : gravity * 6 / 5;
    cardan_description* d = parallelogram_at(cos(phi), sin(phi), 0, gravity);
    if (third) add_third_crank(d, cos(phi), sin(phi));
    CHECK(run_description(d, formulation, &run, &summary) == CARDAN_OK);
    const double error = r.angle + phi - swing(k, phi, duration);
    CHECK_NEAR(error, 0, near);
    CHECK(r.other == 0);
    if (!(fabs(error) < near) || r.other)
        printf("%s, %s, from %g rad%s: error %.2g rad at t = %g s\n", formulation, integrator, phi,
               third ? ", three cranks" : "", error, summary.t);
}

static void test_fixed_steps(double phi)
{
    for (int f = 0; f < EVERY_FORMULATION; ++f) {
        const bool starts = phi > 0 || strcmp(every_formulation[f], "regularized") == 0;
        if (!starts) continue;
        test_swing(every_formulation[f], "rk4", phi, false, 1e-9);
        test_swing(every_formulation[f], "midpoint", phi, false, 1e-4);
        test_swing(every_formulation[f], "rk4", phi, true, 1e-8);
    }
}

static void test_adaptive_steps(double phi)
{
    static const struct {
        const char* name;
        double      near;
    } by[] = {{"dopri5", 5e-7}, {"cvode-adams", 5e-6}, {"cvode-bdf", 5e-6}, {"ida", 5e-6}, {"generalized-alpha", 5e-4}};
    static const char* const formulations[] = {"regularized", "reduction", "lagrange"};
    for (size_t i = 0; i < sizeof by / sizeof *by; ++i)
        for (int f = 0; f < (phi > 0 ? 3 : 1); ++f) test_swing(formulations[f], by[i].name, phi, false, by[i].near);
    test_swing("regularized", "dopri5", phi, true, 5e-7);
}

// It reverses at the singular configuration, half a period after its release: an event reports configuration and time.
static void test_event_at_reversal(const char* integrator)
{
    const double              k   = gravity * 6 / 5;
    double                    low = 1, high = 1.2; // [s]
    record                    r   = {0};
    const cardan_run_settings run = run_by(integrator, 1.5, &r);
    cardan_run_summary        summary;
    while (high - low > 1e-7) { // the angle decreases until then: one more step decides
        const double half                                                     = (low + high) / 2;
        *(swing(k, 0, half + 1e-3) < swing(k, 0, half - 1e-3) ? &low : &high) = half;
    }
    CHECK(run_description(parallelogram_at(1, 0, 0, gravity), "regularized", &run, &summary) == CARDAN_OK);
    CHECK_NEAR(r.singular, low, 1e-3);
    CHECK(r.least == 0);
}

// Antiparallelogram: tan(b/2) = -3 tan(a/2) with the angles a and b of the cranks, which start at 1 and -3 rad/s.
static bool keep_crossed(void* user, cardan_data* data, const cardan_sample* sample)
{
    record* r = user;
    double  a, b, v;
    (void)sample;
    cardan_data_joint_state(data, 0, &a, &v);
    cardan_data_joint_state(data, 3, &b, &v);
    r->angle = fmax(r->angle, fabs(sin(b / 2) * cos(a / 2) + 3 * sin(a / 2) * cos(b / 2)));
    return true;
}

static void test_crossed(const char* integrator, double near)
{
    record              r   = {0};
    cardan_run_settings run = run_by(integrator, 2, &r);
    cardan_description* d   = cardan_description_create("crossed");
    cardan_run_summary  summary;
    run.sample_callback = keep_crossed;
    cardan_description_set_gravity(d, (const double[3]){0, -gravity, 0});
    const int crank = add_rod(d, "crank", 0, 1, 0, 0, 1, 0), coupler = add_rod(d, "coupler", 0, 2, 1, 0, 2, 0),
              rocker = add_rod(d, "rocker", 0, 1, 2, 0, 1, 0);
    add_hinge(d, "a", 0, CARDAN_GROUND, crank, 0, 0, 0, 0, 1);
    add_hinge(d, "b", 0, crank, coupler, 1, 0, 0, 0, -3);
    add_hinge(d, "c", 0, coupler, rocker, 2, 0, 1, 0, -1);
    add_hinge(d, "d", 0, CARDAN_GROUND, rocker, 2, 0, 0, 0, -3);
    CHECK(run_description(d, "regularized", &run, &summary) == CARDAN_OK);
    CHECK_NEAR(summary.t, 2, 1e-12);
    CHECK_NEAR(r.angle, 0, 1e-8);
    CHECK_NEAR(summary.energy_error, 0, near);
}

// A driver function with zero rate at the singular configuration that reverses there: the coupler stays parallel to
// ground.
static const char driven[] = "cardan: 1\n"
                             "gravity: [0, -9.81, 0]\n"
                             "points: {A: [0, 0, 0], B: [=cos(0.5), =sin(0.5), 0], C: [=2+cos(0.5), =sin(0.5), 0], "
                             "D: [2, 0, 0]}\n"
                             "bodies:\n"
                             "  left: {rod: [A, B], mass: 1}\n"
                             "  coupler: {rod: [B, C], mass: 2}\n"
                             "  right: {rod: [C, D], mass: 1}\n"
                             "joints:\n"
                             "  A: {revolute: [ground, left], at: A, axis: z, driver: \"=-0.25*(1-cos(4*t))\"}\n"
                             "  B: {revolute: [left, coupler], at: B, axis: z}\n"
                             "  C: {revolute: [coupler, right], at: C, axis: z}\n"
                             "  D: {revolute: [right, ground], at: D, axis: z}\n";

static void test_driven(const char* formulation, const char* integrator)
{
    record                    r      = {.joint = 3};
    const cardan_run_settings run    = run_by(integrator, 1.5, &r);
    cardan_description*       d      = NULL;
    cardan_report             report = {0};
    cardan_run_summary        summary;
    CHECK(cardan_description_load_text(driven, "driven.yaml", NULL, &d, &report) == CARDAN_OK);
    CHECK(run_description(d, formulation, &run, &summary) == CARDAN_OK);
    CHECK_NEAR(r.angle, 0.25 * (1 - cos(6)), 1e-9); // relative to ground
    CHECK_NEAR(summary.energy_error, 0, 1e-5);
    CHECK(r.other == 0);
}

int main(void)
{
    static const double phi[] = {0, 1e-5, 1e-3, 3e-3, 1e-2};
    for (size_t i = 0; i < sizeof phi / sizeof *phi; ++i) {
        RUN(test_fixed_steps(phi[i]));
        RUN(test_adaptive_steps(phi[i]));
    }
    for (int f = 0; f < EVERY_FORMULATION; ++f) {
        RUN(test_driven(every_formulation[f], "rk4"));
        RUN(test_driven(every_formulation[f], "dopri5"));
    }
    RUN(test_event_at_reversal("rk4"));
    RUN(test_event_at_reversal("dopri5"));
    RUN(test_event_at_reversal("cvode-bdf"));
    RUN(test_crossed("rk4", 1e-7));
    RUN(test_crossed("dopri5", 1e-6));
    RUN(test_crossed("cvode-adams", 1e-6));
    RUN(test_crossed("cvode-bdf", 1e-6));
    RUN(test_crossed("ida", 1e-6));
    return test_end();
}
