// SPDX-License-Identifier: BSD-3-Clause
// Corners of curves of point_on_curve and follow constraints: time, impulse and motion after the corner against closed
// forms, for all formulations, integrators and stabilizations; a run ends with an error if the point is blocked in a
// corner.
#include "sentences.h"
#include "test.h"

#include <cardan/cardan.h>
#include <math.h>
#include <string.h>

enum { MAX_EVENTS = 64 };

typedef struct record {
    int          count;
    cardan_event event[MAX_EVENTS];
    double       q[8], v[8]; // first coordinates of the last sample
    double       a[8];       // of the first sample
    double       energy, work;
} record;

static void keep_event(void* user, cardan_data* data, const cardan_event* event)
{
    record* x = user;
    (void)data;
    if ((event->kind == CARDAN_EVENT_CURVE_CORNER || event->kind == CARDAN_EVENT_CURVE_END) && x->count < MAX_EVENTS)
        x->event[x->count++] = *event;
}

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    record*                 x    = user;
    const cardan_model_view view = cardan_model_get_view(cardan_data_model(data));
    for (int i = 0; i < 8; ++i) {
        x->q[i] = i < view.nq ? sample->q[i] : 0;
        x->v[i] = i < view.nv ? sample->v[i] : 0;
        if (sample->t == 0) x->a[i] = i < view.nv ? sample->a[i] : 0;
    }
    x->energy = sample->energy.kinetic + sample->energy.potential;
    x->work   = sample->work;
    return true;
}

typedef struct run_settings {
    const char *formulation, *integrator, *stabilization;
    double      end, tolerance;
} run_settings;

static cardan_status simulate(const char* text, run_settings settings, record* x, cardan_run_summary* summary,
                              cardan_report* report)
{
    cardan_description* d           = NULL;
    cardan_model*       m           = NULL;
    cardan_data*        data        = NULL;
    cardan_run_settings run         = cardan_run_default();
    const int           formulation = cardan_formulation_find(settings.formulation ? settings.formulation : "lagrange");
    run.integrator                  = cardan_integrator_find(settings.integrator ? settings.integrator : "dopri5");
    run.stabilization   = settings.stabilization ? cardan_stabilization_find(settings.stabilization) : CARDAN_NONE;
    run.tolerance       = settings.tolerance;
    run.end             = settings.end;
    run.output_interval = settings.end / 10;
    run.event_callback  = keep_event;
    run.sample_callback = keep_sample;
    run.user            = x;
    *x                  = (record){0};
    cardan_report_clear(report);
    cardan_status status = cardan_description_load_text(text, "scene.yaml", NULL, &d, report);
    if (!status) status = cardan_model_compile(d, cardan_formulation_tree_policy(formulation), &m, report);
    if (!status) status = cardan_data_create(m, formulation, &data, report);
    if (!status) status = cardan_simulate(data, &run, summary, report);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return status;
}

// The first message with this code; an empty one if there is none.
static const cardan_message* message_of(const cardan_report* report, cardan_code code)
{
    static const cardan_message none = {0};
    for (int i = 0; i < report->count; ++i)
        if (report->message[i].code == code) return &report->message[i];
    return &none;
}

// A bead slides on a slope of 45 degrees from (-1, 1) to the corner and continues along (2, 1) with 1/sqrt(10) of its
// speed sqrt(2 g).
static const char bead[] =
    "cardan: 1\n"
    "bodies: {bead: {at: [-1, 0, 1], mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
    "joints: {f: {free: [ground, bead]}}\n"
    "constraints:\n"
    "  wire: {point_on_curve: [bead, ground], curve: {points: [[-1, 0, 1], [0, 0, 0], [2, 0, 1]], degree: 1}}\n";

static const double g = 9.81;

static double corner_time(void) { return sqrt(2 * sqrt(2) / (g / sqrt(2))); }

static void test_bead(run_settings settings, double tolerance)
{
    record             x;
    cardan_run_summary summary;
    cardan_report      report;
    settings.end = 1.2;
    CHECK(simulate(bead, settings, &x, &summary, &report) == CARDAN_OK);
    CHECK(x.count == 1 && summary.events == 1);
    CHECK_NEAR(x.event[0].t, corner_time(), tolerance);
    CHECK_NEAR(x.event[0].value, 0.9 * 2 * g, 50 * tolerance); // of 2 kg times 1 m times g
    CHECK_SENTENCE(x.event[0].description, "'wire'", "'bead'", "72 degrees");
    const double t = 1.2 - corner_time(), s = sqrt(0.1 * 2 * g) * t - g / sqrt(5) * t * t / 2;
    CHECK_NEAR(x.q[0], 2 * s / sqrt(5), 5 * tolerance);
    CHECK_NEAR(x.q[2], s / sqrt(5), 5 * tolerance);
    CHECK_NEAR(x.energy - x.work, 2 * g, 50 * tolerance); // the work of the run includes the impulse
    CHECK(report.count == 0);
}

static void test_methods(void)
{
    for (int i = 0; i < cardan_formulation_count(); ++i)
        if (!strstr("implicit semi cholesky", cardan_formulation_name(i))) // these support trees only
            test_bead((run_settings){.formulation = cardan_formulation_name(i)}, 1e-6);
    for (int i = 0; i < cardan_integrator_count(); ++i)
        test_bead((run_settings){.integrator = cardan_integrator_name(i)},
                  cardan_integrator_order(i) == 1 ? 2e-3 : 1e-4);
    for (int i = 0; i < cardan_stabilization_count(); ++i)
        test_bead((run_settings){.stabilization = cardan_stabilization_name(i)}, 1e-6);
}

// A rod is suspended at the bead: the impulse depends on the angle of the rod at the time of the corner, not at the
// last step.
static const char bead_with_rod[] =
    "cardan: 1\n"
    "points: {A: [-1, 0, 1], B: [-1, 0, 0]}\n"
    "bodies: {bead: {at: A, mass: 2, inertia: [0.1, 0.1, 0.1]}, rod: {rod: [A, B], mass: 3}}\n"
    "joints: {f: {free: [ground, bead]}, h: {revolute: [bead, rod], at: A, axis: y, start: {v: 3}}}\n"
    "constraints:\n"
    "  wire: {point_on_curve: [bead, ground], curve: {points: [[-1, 0, 1], [0, 0, 0], [2, 0, 1]], degree: 1}}\n";

static void test_rod_at_corner(const char* formulation, const char* integrator)
{
    record             exact, x;
    cardan_run_summary summary;
    cardan_report      report;
    CHECK(simulate(bead_with_rod, (run_settings){.formulation = "lagrange", .end = 0.9, .tolerance = 1e-11}, &exact,
                   &summary, &report) == CARDAN_OK);
    CHECK(exact.count == 1);
    CHECK(simulate(bead_with_rod, (run_settings){formulation, integrator, .end = 0.9, .tolerance = 1e-7}, &x, &summary,
                   &report) == CARDAN_OK);
    CHECK(x.count == 1);
    CHECK_NEAR(x.event[0].value, exact.event[0].value, 1e-4);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(x.q[i], exact.q[i], 1e-5);
}

// The bead keeps a tenth of its energy at every corner and stops after a geometric sum of times.
static void test_repeated_corners(void)
{
    record             x;
    cardan_run_summary summary;
    cardan_report      report;
    CHECK(simulate(bead, (run_settings){.end = 2}, &x, &summary, &report) == CARDAN_NOT_CONVERGED);
    CHECK(x.count >= 8);
    for (int i = 1; i < 6; ++i) CHECK_NEAR(x.event[i].value / x.event[i - 1].value, 0.1, 1e-6);
    const double first = corner_time(), right = 2 * sqrt(0.1 * 2 * g) * sqrt(5) / g,
                 left = 2 * sqrt(0.01 * 2 * g) * sqrt(2) / g;
    CHECK_NEAR(summary.t, first + (right + left) / 0.9, 1e-4);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_MOTION_BLOCKED, "scene.yaml:5:3: error: ", "'wire'", "'bead'",
                  "t = 1.4899", "[0, 0, 0] m");
    CHECK(summary.steps < 200); // it is not followed from corner to corner down to the smallest step
}

// A corner sharper than a right angle: the velocity has no component along the second side.
static void test_acute_corner(void)
{
    record             x;
    cardan_run_summary summary;
    cardan_report      report;
    CHECK(
        simulate("cardan: 1\ngravity: [0, 0, 0]\n"
                 "bodies: {bead: {at: [-1, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
                 "joints: {f: {free: [ground, bead], start: {q: [-1, 0, 0, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 0]}}}\n"
                 "constraints: {wire: {point_on_curve: [bead, ground], curve: {points: [[-1, 0, 0], [0, 0, 0], [-1, 0, "
                 "0.5]], degree: 1}}}\n",
                 (run_settings){.end = 2}, &x, &summary, &report) == CARDAN_NOT_CONVERGED);
    CHECK_NEAR(summary.t, 1, 1e-9);
    CHECK_NEAR(x.q[0], 0, 1e-9);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_MOTION_BLOCKED, "'wire'", "'bead'", "t = 1 s", "[0, 0, 0] m");
}

// From a corner at the top a bead moves to the side with the larger force; in a corner at the bottom it does not move.
static void test_start_in_corner(void)
{
    static const char* const force[] = {"3", "-9"};
    record                   x;
    cardan_run_summary       summary;
    cardan_report            report;
    char                     text[600];
    for (int i = 0; i < 2; ++i) {
        snprintf(
            text, sizeof text,
            "cardan: 1\ngravity: [%s, 0, -9.81]\n"
            "bodies: {bead: {at: [0, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\njoints: {f: {free: [ground, bead]}}\n"
            "constraints: {wire: {point_on_curve: [bead, ground], curve: {points: [[-1, 0, -1], [0, 0, 0], [1, 0, "
            "-0.2]], degree: 1}}}\n",
            force[i]);
        CHECK(simulate(text, (run_settings){.end = 0.3}, &x, &summary, &report) == CARDAN_OK);
        CHECK(summary.events == 0);
        // along (1, -0.2): (3 + 0.2 g)/1.04 t^2/2; along (-1, -1): (9 + g)/2 t^2/2
        CHECK_NEAR(x.q[0], i == 0 ? (3 + 0.2 * g) / 1.04 * 0.045 : -(9 + g) / 2 * 0.045, 1e-9);
    }
    CHECK(
        simulate("cardan: 1\nbodies: {bead: {at: [0, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\njoints: {f: {free: "
                 "[ground, bead]}}\n"
                 "constraints: {wire: {point_on_curve: [bead, ground], curve: {points: [[-1, 0, 1], [0, 0, 0], [1, 0, "
                 "0.2]], degree: 1}}}\n",
                 (run_settings){.end = 0.3}, &x, &summary, &report) == CARDAN_NOT_CONVERGED);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_MOTION_BLOCKED, "'wire'", "'bead'", "t = 0 s", "[0, 0, 0] m");
}

// A hexagon of degree 2 with double knots: half of the speed is lost at every corner, also where the curve closes. A
// circle of arcs has double knots, too, and no corners.
static void test_splines(void)
{
    record             x;
    cardan_run_summary summary;
    cardan_report      report;
    CHECK(
        simulate(
            "cardan: 1\ngravity: [0, 0, 0]\nparameters: {h: =sqrt(3)/4}\n"
            "bodies: {bead: {at: [0.5, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
            "joints: {f: {free: [ground, bead], start: {q: [0.5, 0, 0, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 0]}}}\n"
            "constraints: {wire: {point_on_curve: [bead, ground], curve: {points: [[0, 0, 0], [0.5, 0, 0], [1, 0, 0], "
            "[1.25, =h, 0], [1.5, =2*h, 0], "
            "[1.25, =3*h, 0], [1, =4*h, 0], [0.5, =4*h, 0], [0, =4*h, 0], [-0.25, =3*h, 0], [-0.5, =2*h, 0], [-0.25, "
            "=h, 0]], degree: 2, closed: true, "
            "knots: [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]}}}\n",
            (run_settings){.end = 200}, &x, &summary, &report) == CARDAN_OK);
    CHECK(x.count == 7);
    for (int i = 0; i < 7; ++i) CHECK_NEAR(x.event[i].t, pow(2, i + 1) - 1.5, 1e-6 * pow(2, i));
    CHECK(
        simulate(
            "cardan: 1\n"
            "bodies: {bead: {at: [1, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\njoints: {f: {free: [ground, bead]}}\n"
            "constraints: {wire: {point_on_curve: [bead, ground], curve: {points: [[1, 0, 0], [1, 0, -1], [0, 0, -1], "
            "[-1, 0, -1], [-1, 0, 0]], "
            "weights: [1, =sqrt(0.5), 1, =sqrt(0.5), 1], degree: 2, knots: [0, 0, 0, 1, 1, 2, 2, 2]}}}\n",
            (run_settings){.end = 1}, &x, &summary, &report) == CARDAN_OK);
    CHECK(x.count == 0 && summary.energy_error < 1e-6);
}

// A driver moves the bead around a corner: its speed along the second side is sqrt(2), and the driver supplies the
// energy of the impulse.
static void test_driver(void)
{
    static const char* const integrator[] = {"dopri5", "rk4", "ida", "generalized-alpha", "cvode-bdf"};
    for (int i = 0; i < 5; ++i) {
        record             x;
        cardan_run_summary summary;
        cardan_report      report;
        CHECK(
            simulate("cardan: 1\ngravity: [0, 0, 0]\nbodies: {bead: {at: [-0.8, 0, 0], mass: 2, inertia: [0.1, 0.1, "
                     "0.1]}}\njoints: {f: {free: [ground, bead]}}\n"
                     "constraints: {wire: {follow: [bead, ground], curve: {points: [[-1, 0, 0], [0, 0, 0], [1, 0, 1]], "
                     "degree: 1}, law: '=0.1 + t/2'}}\n",
                     (run_settings){.integrator = integrator[i], .end = 1.5}, &x, &summary, &report) == CARDAN_OK);
        CHECK(x.count == 1);
        CHECK_NEAR(x.event[0].t, 0.8, 1e-9);
        CHECK_NEAR(x.event[0].value, -1, 1e-6);
        CHECK_NEAR(x.energy, 2, 1e-6);
        CHECK(summary.energy_error < 1e-6 && report.count == 0);
        CHECK_SENTENCE(x.event[0].description, "'wire'", "45 degrees");
    }
}

// An open curve whose last point is its first is closed: a circular cam of four arcs with eccentricity e = 0.2 moves a
// point on the y axis over three revolutions.
static void test_cam(void)
{
    record             x;
    cardan_run_summary summary;
    cardan_report      report;
    CHECK(
        simulate(
            "cardan: 1\ngravity: [0, -9.81, 0]\nparameters: {R: 0.5, e: 0.2, w: =sqrt(0.5)}\n"
            "bodies: {cam: {at: [0, 0, 0], mass: 3, inertia: [0.1, 0.1, 0.2]}, tip: {at: [0, =sqrt(R^2 - e^2), 0], "
            "mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
            "joints:\n  c: {revolute: [ground, cam], at: [0, 0, 0], axis: z, driver: '=2*t'}\n  s: {prismatic: "
            "[ground, tip], at: [0, =sqrt(R^2 - e^2), 0], axis: y}\n"
            "constraints: {k: {point_on_curve: [tip, cam], curve: {points: [[=e+R, 0, 0], [=e+R, =R, 0], [=e, =R, 0], "
            "[=e-R, =R, 0], [=e-R, 0, 0], [=e-R, =-R, 0], "
            "[=e, =-R, 0], [=e+R, =-R, 0], [=e+R, 0, 0]], weights: [1, =w, 1, =w, 1, =w, 1, =w, 1], degree: 2, knots: "
            "[0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4]}}}\n",
            (run_settings){.formulation = "augmented", .end = 10}, &x, &summary, &report) == CARDAN_OK);
    CHECK(x.count == 0 && report.count == 0);
    CHECK_NEAR(x.q[1], 0.2 * sin(20) + sqrt(0.25 - 0.04 * cos(20) * cos(20)) - sqrt(0.21), 1e-9);
}

// Beyond its ends a curve continues straight. A point that leaves it is an event; a marker that a driver function moves
// there is a warning.
static void test_ends(void)
{
    record             x;
    cardan_run_summary summary;
    cardan_report      report;
    CHECK(
        simulate("cardan: 1\ngravity: [-1, 0, 0]\nbodies: {bead: {at: [0, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
                 "joints: {f: {free: [ground, bead], start: {q: [0, 0, 0, 1, 0, 0, 0], v: [2, 0, 0, 0, 0, 0]}}}\n"
                 "constraints: {wire: {point_on_curve: [bead, ground], curve: {points: [[-0.5, 0, 0], [1.5, 0, 0]], "
                 "degree: 1}}}\n",
                 (run_settings){.end = 4.5}, &x, &summary, &report) == CARDAN_OK);
    CHECK(x.count == 3 && summary.energy_error < 1e-9); // leaves at 1.5 m, returns, leaves at -0.5 m
    const double time[] = {1, 3, 2 + sqrt(5)};
    for (int i = 0; i < 3; ++i) CHECK_NEAR(x.event[i].t, time[i], 1e-7);
    CHECK_SENTENCE(x.event[0].description, "'bead'", "[1.5, 0, 0] m");
    CHECK_SENTENCE(x.event[1].description, "'bead'");
    CHECK_NEAR(x.q[0], 2 * 4.5 - 4.5 * 4.5 / 2, 1e-7);
    CHECK(simulate(
              "cardan: 1\ngravity: [0, 0, 0]\nbodies: {bead: {at: [-0.8, 0, 0], mass: 2, inertia: [0.1, 0.1, "
              "0.1]}}\njoints: {f: {free: [ground, bead]}}\n"
              "constraints: {wire: {follow: [bead, ground], curve: {points: [[-1, 0, 0], [0, 0, 0], [1, 0, 1]]}, law: "
              "'=0.1 + t/2'}}\n",
              (run_settings){.end = 2}, &x, &summary, &report) == CARDAN_OK);
    CHECK_MESSAGE(message_of(&report, CARDAN_CODE_CURVE_END), CARDAN_CODE_CURVE_END, "'wire'", "t = 1.8 s");
    CHECK(
        simulate("cardan: 1\nbodies: {a: {at: [0.5, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
                 "joints: {A: {revolute: [ground, a], at: [0, 0, 0], axis: z}}\n"
                 "constraints:\n  far: {point_on_curve: [{on: a, at: [1, 0, 0]}, ground], curve: {points: [[5, 0, 0], "
                 "[6, 0, 0]], degree: 1}}\n",
                 (run_settings){.end = 0.5}, &x, &summary, &report) == CARDAN_OK);
    CHECK_MESSAGE(message_of(&report, CARDAN_CODE_CURVE_END), CARDAN_CODE_CURVE_END,
                  "scene.yaml:5:3: warning: ", "constraint 'far'", "t = 0 s", "'a'", "[5, 0, 0] m");
}

// A point at the end of a quarter circle, up to rounding: the curvature acts if it moves inward, not if it moves
// outward.
static void test_at_end(void)
{
    static const char* const by[] = {"lagrange", "dense", "order-n"};
    for (int i = 0; i < 80; ++i) {
        const bool         top = i & 1, out = i & 2;
        record             x;
        cardan_run_summary summary;
        cardan_report      report;
        char               text[1000];
        snprintf(
            text, sizeof text,
            "cardan: 1\nparameters: {h: =sqrt(0.5)}\ngravity: [0, 0, 0]\n"
            "bodies:\n  frame: {at: [0.31, -0.17, 0.05], orientation: {axis: [1, 2, 3], angle: %g}, mass: 2, "
            "inertia: [0.3, 0.2, 0.25]}\n"
            "  bead: {at: [%d, 0, %d], mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
            "joints:\n  b: {free: [ground, bead], start: {v: [%d, 0, %d, 0, 0, 0]}}\n  f: {fixed: [ground, frame]}\n"
            "constraints:\n  wire: {point_on_curve: [bead, frame], curve: {points: [[1, 0, 0], [1, 0, 1], "
            "[0, 0, 1]], weights: [1, =h, 1], degree: 2}}\n",
            0.1 * (i / 4), !top, top, top ? (out ? -2 : 2) : 0, top ? 0 : (out ? -2 : 2));
        CHECK(simulate(text, (run_settings){.formulation = by[i % 3], .end = 0.1}, &x, &summary, &report) == CARDAN_OK);
        CHECK(x.count == 0 && report.count == out);
        if (out) CHECK_MESSAGE(&report.message[0], CARDAN_CODE_CURVE_END, "'wire'", "t = 0 s", "'bead'", "] m");
        CHECK_NEAR(x.a[0], top || out ? 0 : -4, 1e-9);
        CHECK_NEAR(x.a[2], top && !out ? -4 : 0, 1e-9);
        CHECK_NEAR(x.q[0] * x.q[0] + x.q[2] * x.q[2], out ? 1.04 : 1, 1e-6);
    }
}

// Where a curve crosses itself the start velocity selects the branch, exact or as a guess; without velocity a warning
// names the branch taken.
static void test_crossing(void)
{
    static const char* const by[] = {"lagrange", "dense", "order-n"};
    for (int i = 0; i < 24; ++i) {
        const int          vx = i & 1 ? 3 : -3, vy = i & 2 ? 2 : -2;
        const bool         guess = i & 4;
        record             x;
        cardan_run_summary summary;
        cardan_report      report;
        char               text[1000];
        snprintf(text, sizeof text,
                 "cardan: 1\ngravity: [0, 0, 0]\n"
                 "bodies: {bead: {at: [1.5, 0, 0], mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
                 "joints:\n  b: {free: [ground, bead], start: {q: [0, 0, 0, 1, 0, 0, 0], v: [%d, %d, 0, 0, 0, 0], "
                 "guess: %s}}\n"
                 "constraints:\n  wire: {point_on_curve: [bead, ground], curve: {closed: true, points: [[2, 0, 0], "
                 "[1.5, 1, 0], [0, 0, 0], [-1.5, -1, 0], [-2, 0, 0], [-1.5, 1, 0], [0, 0, 0], [1.5, -1, 0]]}}\n",
                 i < 20 ? vx : 0, i < 20 ? vy + guess : 0, guess ? "true" : "false");
        CHECK(simulate(text, (run_settings){.formulation = by[i % 3], .end = 0.01}, &x, &summary, &report) ==
              CARDAN_OK);
        if (i >= 20) {
            CHECK(report.count == 1);
            CHECK_MESSAGE(&report.message[0], CARDAN_CODE_CURVE_BRANCH, "'bead'", "[0, 0, 0] m");
            continue;
        }
        CHECK(report.count == 0);
        CHECK(x.q[0] * vx > 0 && x.q[1] * vy > 0);
        if (!guess) CHECK_NEAR(x.q[0], 0.01 * vx, 1e-5);
    }
}

// Two equal wires: the point leaves both at the same time, independently of rounding, and passes the corners of both at
// once.
static void test_duplicate_wires(void)
{
    static const char wire[] = "{point_on_curve: [bead, frame], curve: {points: [[1, 0, 0], [1, 0, 1], [0, 0, 1]], "
                               "weights: [1, =h, 1], degree: 2}}";
    static const char side[] =
        "{point_on_curve: [bead, ground], curve: {points: [[-1, 0, 1], [0, 0, 0], [2, 0, 1]], degree: 1}}";
    char arc[1500], slope[1000], corner[1000];
    snprintf(arc, sizeof arc,
             "cardan: 1\nparameters: {h: =sqrt(0.5)}\ngravity: [0, 0, 0]\n"
             "bodies:\n  frame: {at: [0.31, -0.17, 0.05], mass: 2, inertia: [0.3, 0.2, 0.25]}\n"
             "  bead:  {at: [=cos(0.4), 0, =sin(0.4)], mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
             "joints:\n  b: {free: [ground, bead], start: {v: [0.3, 0.5, 2, 0.1, 0, 0], guess: true}}\n"
             "  f: {spherical: [ground, frame], at: [0.1, 0.2, 0.3], start: {v: [0.3, -0.2, 0.5], guess: true}}\n"
             "constraints: {wire: %s, copy: %s}\n",
             wire, wire);
    snprintf(slope, sizeof slope,
             "cardan: 1\nbodies: {bead: {at: [-1, 0, 1], mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
             "joints: {f: {free: [ground, bead]}}\nconstraints: {wire: %s, copy: %s}\n",
             side, side);
    snprintf(corner, sizeof corner,
             "cardan: 1\ngravity: [-5, 0, -1]\nbodies: {bead: {at: [0, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
             "joints: {f: {free: [ground, bead]}}\nconstraints: {wire: %s, copy: %s}\n",
             side, side);
    static const char* const by[] = {"lagrange", "dense", "augmented", "reduction", "order-n", "embedding"};
    for (int i = 0; i < 6; ++i) {
        record             x;
        cardan_run_summary summary;
        cardan_report      report;
        CHECK(simulate(arc, (run_settings){.formulation = by[i], .end = 2}, &x, &summary, &report) == CARDAN_OK);
        CHECK(x.count == 2 && x.event[0].t == x.event[1].t && summary.energy_error < 1e-7);
        CHECK_NEAR(x.event[0].t, 1.19338, 1e-5);
        CHECK(simulate(slope, (run_settings){.formulation = by[i], .end = 1.2}, &x, &summary, &report) == CARDAN_OK);
        CHECK(x.count == 2 && summary.energy_error < 1e-7);
        CHECK_NEAR(x.event[0].value + x.event[1].value, 0.9 * 2 * g, 1e-4);
        CHECK(simulate(corner, (run_settings){.formulation = by[i], .end = 0.3}, &x, &summary, &report) == CARDAN_OK);
        CHECK_NEAR(x.q[0], -0.09, 1e-9); // starts in the corner, with half of 5 - 1 along x
    }
}

// Coincident points leave a curve without direction.
static void test_no_direction(void)
{
    record             x;
    cardan_run_summary summary;
    cardan_report      report;
    CHECK(simulate(
              "cardan: 1\nbodies: {bead: {at: [0, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\njoints: {f: {free: "
              "[ground, bead]}}\n"
              "constraints: {wire: {point_on_curve: [bead, ground], curve: {points: [[-1, 0, 1], [0, 0, 0], [0, 0, 0], "
              "[1, 0, 0.2]], degree: 1}}}\n",
              (run_settings){.end = 0.3}, &x, &summary, &report) == CARDAN_BAD_INPUT);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_CONSTRAINT_INVALID, "'wire'", "2 ", "degree 1");
}

int main(void)
{
    RUN(test_methods());
    RUN(test_rod_at_corner("lagrange", "dopri5"));
    RUN(test_rod_at_corner("reduction", "dopri5"));
    RUN(test_rod_at_corner("reduction", "cvode-adams"));
    RUN(test_repeated_corners());
    RUN(test_acute_corner());
    RUN(test_start_in_corner());
    RUN(test_splines());
    RUN(test_driver());
    RUN(test_cam());
    RUN(test_ends());
    RUN(test_at_end());
    RUN(test_duplicate_wires());
    RUN(test_crossing());
    RUN(test_no_direction());
    RUN(test_sentences("test_curve_corners"));
    return test_end();
}
