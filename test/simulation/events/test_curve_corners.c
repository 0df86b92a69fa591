// SPDX-License-Identifier: BSD-3-Clause
// Corners of curves: located, told, passed with the blow of a rigid wire, by every formulation, integrator and
// stabilization; where a point comes to rest the run says so.
#include "sentences.h"
#include "test.h"

#include <cardan/cardan.h>
#include <math.h>
#include <string.h>

enum { MOST = 64 };

typedef struct told {
    int          count;
    cardan_event event[MOST];
    double       q[8], v[8]; // first ones of the last row
    double       a[8];       // of the first row
    double       energy, work;
} told;

static void keep_event(void* user, cardan_data* data, const cardan_event* event)
{
    told* x = user;
    (void)data;
    if ((event->kind == CARDAN_EVENT_CURVE_CORNER || event->kind == CARDAN_EVENT_CURVE_END) && x->count < MOST)
        x->event[x->count++] = *event;
}

static bool keep_row(void* user, cardan_data* data, const cardan_sample* row)
{
    told*                   x    = user;
    const cardan_model_view look = cardan_model_get_view(cardan_data_model(data));
    for (int i = 0; i < 8; ++i) {
        x->q[i] = i < look.nq ? row->q[i] : 0;
        x->v[i] = i < look.nv ? row->v[i] : 0;
        if (row->t == 0) x->a[i] = i < look.nv ? row->a[i] : 0;
    }
    x->energy = row->energy.kinetic + row->energy.potential;
    x->work   = row->work;
    return true;
}

typedef struct how {
    const char *formulation, *integrator, *stabilization;
    double      end, tolerance;
} how;

static cardan_status go(const char* text, how how, told* x, cardan_summary* summary, cardan_report* report)
{
    cardan_description* d           = NULL;
    cardan_model*       m           = NULL;
    cardan_data*        data        = NULL;
    cardan_run          run         = cardan_run_default();
    const int           formulation = cardan_formulation_find(how.formulation ? how.formulation : "lagrange");
    run.integrator                  = cardan_integrator_find(how.integrator ? how.integrator : "dopri5");
    run.stabilization               = how.stabilization ? cardan_stabilization_find(how.stabilization) : CARDAN_NONE;
    run.tolerance                   = how.tolerance;
    run.end                         = how.end;
    run.output_interval             = how.end / 10;
    run.event_callback              = keep_event;
    run.sample_callback             = keep_row;
    run.user                        = x;
    *x                              = (told){0};
    cardan_report_clear(report);
    cardan_status status = cardan_load_text(text, "scene.yaml", NULL, &d, report);
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

// A bead slides on a slope of 45 degrees from (-1, 1) to the corner, and on along (2, 1): of its speed sqrt(2 g) it
// keeps 1/sqrt(10).
static const char bead[] =
    "cardan: 1\n"
    "bodies: {bead: {at: [-1, 0, 1], mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
    "joints: {f: {free: [ground, bead]}}\n"
    "constraints:\n"
    "  wire: {point_on_curve: [bead, ground], curve: {points: [[-1, 0, 1], [0, 0, 0], [2, 0, 1]], degree: 1}}\n";

static const double g = 9.81;

static double corner_time(void) { return sqrt(2 * sqrt(2) / (g / sqrt(2))); }

static void test_bead(how how, double tolerance)
{
    told           x;
    cardan_summary summary;
    cardan_report  report;
    how.end = 1.2;
    CHECK(go(bead, how, &x, &summary, &report) == CARDAN_OK);
    CHECK(x.count == 1 && summary.events == 1);
    CHECK_NEAR(x.event[0].t, corner_time(), tolerance);
    CHECK_NEAR(x.event[0].value, 0.9 * 2 * g, 50 * tolerance); // of 2 kg times 1 m times g
    CHECK_SENTENCE(x.event[0].description, "'wire'", "'bead'", "72 degrees");
    const double t = 1.2 - corner_time(), s = sqrt(0.1 * 2 * g) * t - g / sqrt(5) * t * t / 2;
    CHECK_NEAR(x.q[0], 2 * s / sqrt(5), 5 * tolerance);
    CHECK_NEAR(x.q[2], s / sqrt(5), 5 * tolerance);
    CHECK_NEAR(x.energy - x.work, 2 * g, 50 * tolerance); // the balance has the blow
    CHECK(report.count == 0);
}

static void test_ways(void)
{
    for (int i = 0; i < cardan_formulation_count(); ++i)
        if (!strstr("implicit semi cholesky", cardan_formulation_name(i))) // these take trees only
            test_bead((how){.formulation = cardan_formulation_name(i)}, 1e-6);
    for (int i = 0; i < cardan_integrator_count(); ++i)
        test_bead((how){.integrator = cardan_integrator_name(i)}, cardan_integrator_order(i) == 1 ? 2e-3 : 1e-4);
    for (int i = 0; i < cardan_stabilization_count(); ++i)
        test_bead((how){.stabilization = cardan_stabilization_name(i)}, 1e-6);
}

// With a rod that hangs from it the blow depends on how the rod stands at that very instant, and not on steps before
// it.
static const char dragging[] =
    "cardan: 1\n"
    "points: {A: [-1, 0, 1], B: [-1, 0, 0]}\n"
    "bodies: {bead: {at: A, mass: 2, inertia: [0.1, 0.1, 0.1]}, rod: {rod: [A, B], mass: 3}}\n"
    "joints: {f: {free: [ground, bead]}, h: {revolute: [bead, rod], at: A, axis: y, start: {v: 3}}}\n"
    "constraints:\n"
    "  wire: {point_on_curve: [bead, ground], curve: {points: [[-1, 0, 1], [0, 0, 0], [2, 0, 1]], degree: 1}}\n";

static void test_metric(const char* formulation, const char* integrator)
{
    told           exact, x;
    cardan_summary summary;
    cardan_report  report;
    CHECK(go(dragging, (how){.formulation = "lagrange", .end = 0.9, .tolerance = 1e-11}, &exact, &summary, &report) ==
          CARDAN_OK);
    CHECK(exact.count == 1);
    CHECK(go(dragging, (how){formulation, integrator, .end = 0.9, .tolerance = 1e-7}, &x, &summary, &report) ==
          CARDAN_OK);
    CHECK(x.count == 1);
    CHECK_NEAR(x.event[0].value, exact.event[0].value, 1e-4);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(x.q[i], exact.q[i], 1e-5);
}

// It keeps a tenth of its energy in every corner, and rests after a geometric sum of times.
static void test_rest(void)
{
    told           x;
    cardan_summary summary;
    cardan_report  report;
    CHECK(go(bead, (how){.end = 2}, &x, &summary, &report) == CARDAN_NOT_CONVERGED);
    CHECK(x.count >= 8);
    for (int i = 1; i < 6; ++i) CHECK_NEAR(x.event[i].value / x.event[i - 1].value, 0.1, 1e-6);
    const double first = corner_time(), right = 2 * sqrt(0.1 * 2 * g) * sqrt(5) / g,
                 left = 2 * sqrt(0.01 * 2 * g) * sqrt(2) / g;
    CHECK_NEAR(summary.t, first + (right + left) / 0.9, 1e-4);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_MOTION_BLOCKED, "scene.yaml:5:3: error: ", "'wire'", "'bead'",
                  "t = 1.4899", "[0, 0, 0] m");
    CHECK(summary.steps < 200);
}

// Sharper than a right angle: nothing of the velocity leads on.
static void test_sharp(void)
{
    told           x;
    cardan_summary summary;
    cardan_report  report;
    CHECK(go("cardan: 1\ngravity: [0, 0, 0]\n"
             "bodies: {bead: {at: [-1, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
             "joints: {f: {free: [ground, bead], start: {q: [-1, 0, 0, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 0]}}}\n"
             "constraints: {wire: {point_on_curve: [bead, ground], curve: {points: [[-1, 0, 0], [0, 0, 0], [-1, 0, "
             "0.5]], degree: 1}}}\n",
             (how){.end = 2}, &x, &summary, &report) == CARDAN_NOT_CONVERGED);
    CHECK_NEAR(summary.t, 1, 1e-9);
    CHECK_NEAR(x.q[0], 0, 1e-9);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_MOTION_BLOCKED, "'wire'", "'bead'", "t = 1 s", "[0, 0, 0] m");
}

// From a corner at the top a bead goes where the force along a side is larger; in one at the bottom it stays.
static void test_start(void)
{
    static const char* const force[] = {"3", "-9"};
    told                     x;
    cardan_summary           summary;
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
        CHECK(go(text, (how){.end = 0.3}, &x, &summary, &report) == CARDAN_OK);
        CHECK(summary.events == 0);
        // along (1, -0.2): (3 + 0.2 g)/1.04 t^2/2; along (-1, -1): (9 + g)/2 t^2/2
        CHECK_NEAR(x.q[0], i == 0 ? (3 + 0.2 * g) / 1.04 * 0.045 : -(9 + g) / 2 * 0.045, 1e-9);
    }
    CHECK(go("cardan: 1\nbodies: {bead: {at: [0, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\njoints: {f: {free: "
             "[ground, bead]}}\n"
             "constraints: {wire: {point_on_curve: [bead, ground], curve: {points: [[-1, 0, 1], [0, 0, 0], [1, 0, "
             "0.2]], degree: 1}}}\n",
             (how){.end = 0.3}, &x, &summary, &report) == CARDAN_NOT_CONVERGED);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_MOTION_BLOCKED, "'wire'", "'bead'", "t = 0 s", "[0, 0, 0] m");
}

// A hexagon of degree 2 with double knots: half of the speed is lost in every corner, over the seam too. A circle made
// of arcs, whose knots are double as well, has no corners.
static void test_splines(void)
{
    told           x;
    cardan_summary summary;
    cardan_report  report;
    CHECK(go("cardan: 1\ngravity: [0, 0, 0]\nparameters: {h: =sqrt(3)/4}\n"
             "bodies: {bead: {at: [0.5, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
             "joints: {f: {free: [ground, bead], start: {q: [0.5, 0, 0, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 0]}}}\n"
             "constraints: {wire: {point_on_curve: [bead, ground], curve: {points: [[0, 0, 0], [0.5, 0, 0], [1, 0, 0], "
             "[1.25, =h, 0], [1.5, =2*h, 0], "
             "[1.25, =3*h, 0], [1, =4*h, 0], [0.5, =4*h, 0], [0, =4*h, 0], [-0.25, =3*h, 0], [-0.5, =2*h, 0], [-0.25, "
             "=h, 0]], degree: 2, closed: true, "
             "knots: [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]}}}\n",
             (how){.end = 200}, &x, &summary, &report) == CARDAN_OK);
    CHECK(x.count == 7);
    for (int i = 0; i < 7; ++i) CHECK_NEAR(x.event[i].t, pow(2, i + 1) - 1.5, 1e-6 * pow(2, i));
    CHECK(go("cardan: 1\n"
             "bodies: {bead: {at: [1, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\njoints: {f: {free: [ground, bead]}}\n"
             "constraints: {wire: {point_on_curve: [bead, ground], curve: {points: [[1, 0, 0], [1, 0, -1], [0, 0, -1], "
             "[-1, 0, -1], [-1, 0, 0]], "
             "weights: [1, =sqrt(0.5), 1, =sqrt(0.5), 1], degree: 2, knots: [0, 0, 0, 1, 1, 2, 2, 2]}}}\n",
             (how){.end = 1}, &x, &summary, &report) == CARDAN_OK);
    CHECK(x.count == 0 && summary.energy_error < 1e-6);
}

// Led round a corner by a law: the speed along the second side is sqrt(2), the energy of the blow comes from the
// driver.
static void test_driver(void)
{
    static const char* const integrator[] = {"dopri5", "rk4", "ida", "generalized-alpha", "cvode-bdf"};
    for (int i = 0; i < 5; ++i) {
        told           x;
        cardan_summary summary;
        cardan_report  report;
        CHECK(go("cardan: 1\ngravity: [0, 0, 0]\nbodies: {bead: {at: [-0.8, 0, 0], mass: 2, inertia: [0.1, 0.1, "
                 "0.1]}}\njoints: {f: {free: [ground, bead]}}\n"
                 "constraints: {wire: {follow: [bead, ground], curve: {points: [[-1, 0, 0], [0, 0, 0], [1, 0, 1]], "
                 "degree: 1}, law: '=0.1 + t/2'}}\n",
                 (how){.integrator = integrator[i], .end = 1.5}, &x, &summary, &report) == CARDAN_OK);
        CHECK(x.count == 1);
        CHECK_NEAR(x.event[0].t, 0.8, 1e-9);
        CHECK_NEAR(x.event[0].value, -1, 1e-6);
        CHECK_NEAR(x.energy, 2, 1e-6);
        CHECK(summary.energy_error < 1e-6 && report.count == 0);
        CHECK_SENTENCE(x.event[0].description, "'wire'", "45 degrees");
    }
}

// An open curve whose last point is its first goes on round: a circular cam, e = 0.2 off its axis, of four arcs under a
// point on the y axis, over three turns.
static void test_cam(void)
{
    told           x;
    cardan_summary summary;
    cardan_report  report;
    CHECK(go("cardan: 1\ngravity: [0, -9.81, 0]\nparameters: {R: 0.5, e: 0.2, w: =sqrt(0.5)}\n"
             "bodies: {cam: {at: [0, 0, 0], mass: 3, inertia: [0.1, 0.1, 0.2]}, tip: {at: [0, =sqrt(R^2 - e^2), 0], "
             "mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
             "joints:\n  c: {revolute: [ground, cam], at: [0, 0, 0], axis: z, driver: '=2*t'}\n  s: {prismatic: "
             "[ground, tip], at: [0, =sqrt(R^2 - e^2), 0], axis: y}\n"
             "constraints: {k: {point_on_curve: [tip, cam], curve: {points: [[=e+R, 0, 0], [=e+R, =R, 0], [=e, =R, 0], "
             "[=e-R, =R, 0], [=e-R, 0, 0], [=e-R, =-R, 0], "
             "[=e, =-R, 0], [=e+R, =-R, 0], [=e+R, 0, 0]], weights: [1, =w, 1, =w, 1, =w, 1, =w, 1], degree: 2, knots: "
             "[0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4]}}}\n",
             (how){.formulation = "augmented", .end = 10}, &x, &summary, &report) == CARDAN_OK);
    CHECK(x.count == 0 && report.count == 0);
    CHECK_NEAR(x.q[1], 0.2 * sin(20) + sqrt(0.25 - 0.04 * cos(20) * cos(20)) - sqrt(0.21), 1e-9);
}

// Beyond its ends a curve goes on straight, and that is told: of points as events, of markers that a law leads there as
// a warning.
static void test_ends(void)
{
    told           x;
    cardan_summary summary;
    cardan_report  report;
    CHECK(go("cardan: 1\ngravity: [-1, 0, 0]\nbodies: {bead: {at: [0, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
             "joints: {f: {free: [ground, bead], start: {q: [0, 0, 0, 1, 0, 0, 0], v: [2, 0, 0, 0, 0, 0]}}}\n"
             "constraints: {wire: {point_on_curve: [bead, ground], curve: {points: [[-0.5, 0, 0], [1.5, 0, 0]], "
             "degree: 1}}}\n",
             (how){.end = 4.5}, &x, &summary, &report) == CARDAN_OK);
    CHECK(x.count == 3 && summary.energy_error < 1e-9); // out at 1.5 m, back, and out at -0.5 m
    const double time[] = {1, 3, 2 + sqrt(5)};
    for (int i = 0; i < 3; ++i) CHECK_NEAR(x.event[i].t, time[i], 1e-7);
    CHECK_SENTENCE(x.event[0].description, "'bead'", "[1.5, 0, 0] m");
    CHECK_SENTENCE(x.event[1].description, "'bead'");
    CHECK_NEAR(x.q[0], 2 * 4.5 - 4.5 * 4.5 / 2, 1e-7);
    CHECK(go("cardan: 1\ngravity: [0, 0, 0]\nbodies: {bead: {at: [-0.8, 0, 0], mass: 2, inertia: [0.1, 0.1, "
             "0.1]}}\njoints: {f: {free: [ground, bead]}}\n"
             "constraints: {wire: {follow: [bead, ground], curve: {points: [[-1, 0, 0], [0, 0, 0], [1, 0, 1]]}, law: "
             "'=0.1 + t/2'}}\n",
             (how){.end = 2}, &x, &summary, &report) == CARDAN_OK);
    CHECK_MESSAGE(message_of(&report, CARDAN_CODE_CURVE_END), CARDAN_CODE_CURVE_END, "'wire'", "t = 1.8 s");
    CHECK(go("cardan: 1\nbodies: {a: {at: [0.5, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
             "joints: {A: {revolute: [ground, a], at: [0, 0, 0], axis: z}}\n"
             "constraints:\n  far: {point_on_curve: [{on: a, at: [1, 0, 0]}, ground], curve: {points: [[5, 0, 0], "
             "[6, 0, 0]], degree: 1}}\n",
             (how){.end = 0.5}, &x, &summary, &report) == CARDAN_OK);
    CHECK_MESSAGE(message_of(&report, CARDAN_CODE_CURVE_END), CARDAN_CODE_CURVE_END,
                  "scene.yaml:5:3: warning: ", "constraint 'far'", "t = 0 s", "'a'", "[5, 0, 0] m");
}

// At the very end of a quarter circle, rounding aside: who moves inward feels it, who moves out does not.
static void test_at_end(void)
{
    static const char* const by[] = {"lagrange", "dense", "order-n"};
    for (int i = 0; i < 80; ++i) {
        const bool     top = i & 1, out = i & 2;
        told           x;
        cardan_summary summary;
        cardan_report  report;
        char           text[1000];
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
        CHECK(go(text, (how){.formulation = by[i % 3], .end = 0.1}, &x, &summary, &report) == CARDAN_OK);
        CHECK(x.count == 0 && report.count == out);
        if (out) CHECK_MESSAGE(&report.message[0], CARDAN_CODE_CURVE_END, "'wire'", "t = 0 s", "'bead'", "] m");
        CHECK_NEAR(x.a[0], top || out ? 0 : -4, 1e-9);
        CHECK_NEAR(x.a[2], top && !out ? -4 : 0, 1e-9);
        CHECK_NEAR(x.q[0] * x.q[0] + x.q[2] * x.q[2], out ? 1.04 : 1, 1e-6);
    }
}

// Where a curve crosses itself the start velocity says which branch is meant, exact or guessed; at rest one is told.
static void test_crossing(void)
{
    static const char* const by[] = {"lagrange", "dense", "order-n"};
    for (int i = 0; i < 24; ++i) {
        const int      vx = i & 1 ? 3 : -3, vy = i & 2 ? 2 : -2;
        const bool     guess = i & 4;
        told           x;
        cardan_summary summary;
        cardan_report  report;
        char           text[1000];
        snprintf(text, sizeof text,
                 "cardan: 1\ngravity: [0, 0, 0]\n"
                 "bodies: {bead: {at: [1.5, 0, 0], mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
                 "joints:\n  b: {free: [ground, bead], start: {q: [0, 0, 0, 1, 0, 0, 0], v: [%d, %d, 0, 0, 0, 0], "
                 "guess: %s}}\n"
                 "constraints:\n  wire: {point_on_curve: [bead, ground], curve: {closed: true, points: [[2, 0, 0], "
                 "[1.5, 1, 0], [0, 0, 0], [-1.5, -1, 0], [-2, 0, 0], [-1.5, 1, 0], [0, 0, 0], [1.5, -1, 0]]}}\n",
                 i < 20 ? vx : 0, i < 20 ? vy + guess : 0, guess ? "true" : "false");
        CHECK(go(text, (how){.formulation = by[i % 3], .end = 0.01}, &x, &summary, &report) == CARDAN_OK);
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

// A wire that is given twice: both leave it at one time, whatever rounding says of each, and turn corners together.
static void test_twice(void)
{
    static const char wire[] = "{point_on_curve: [bead, frame], curve: {points: [[1, 0, 0], [1, 0, 1], [0, 0, 1]], "
                               "weights: [1, =h, 1], degree: 2}}";
    static const char side[] =
        "{point_on_curve: [bead, ground], curve: {points: [[-1, 0, 1], [0, 0, 0], [2, 0, 1]], degree: 1}}";
    char arc[1500], slope[1000], rest[1000];
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
    snprintf(rest, sizeof rest,
             "cardan: 1\ngravity: [-5, 0, -1]\nbodies: {bead: {at: [0, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
             "joints: {f: {free: [ground, bead]}}\nconstraints: {wire: %s, copy: %s}\n",
             side, side);
    static const char* const by[] = {"lagrange", "dense", "augmented", "reduction", "order-n", "embedding"};
    for (int i = 0; i < 6; ++i) {
        told           x;
        cardan_summary summary;
        cardan_report  report;
        CHECK(go(arc, (how){.formulation = by[i], .end = 2}, &x, &summary, &report) == CARDAN_OK);
        CHECK(x.count == 2 && x.event[0].t == x.event[1].t && summary.energy_error < 1e-7);
        CHECK_NEAR(x.event[0].t, 1.19338, 1e-5);
        CHECK(go(slope, (how){.formulation = by[i], .end = 1.2}, &x, &summary, &report) == CARDAN_OK);
        CHECK(x.count == 2 && summary.energy_error < 1e-7);
        CHECK_NEAR(x.event[0].value + x.event[1].value, 0.9 * 2 * g, 1e-4);
        CHECK(go(rest, (how){.formulation = by[i], .end = 0.3}, &x, &summary, &report) == CARDAN_OK);
        CHECK_NEAR(x.q[0], -0.09, 1e-9); // begun in the corner, with half of 5 - 1 along x
    }
}

// Points that coincide leave a curve without direction.
static void test_no_direction(void)
{
    told           x;
    cardan_summary summary;
    cardan_report  report;
    CHECK(go("cardan: 1\nbodies: {bead: {at: [0, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1]}}\njoints: {f: {free: "
             "[ground, bead]}}\n"
             "constraints: {wire: {point_on_curve: [bead, ground], curve: {points: [[-1, 0, 1], [0, 0, 0], [0, 0, 0], "
             "[1, 0, 0.2]], degree: 1}}}\n",
             (how){.end = 0.3}, &x, &summary, &report) == CARDAN_BAD_INPUT);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_CONSTRAINT_INVALID, "'wire'", "2 ", "degree 1");
}

int main(void)
{
    RUN(test_ways());
    RUN(test_metric("lagrange", "dopri5"));
    RUN(test_metric("reduction", "dopri5"));
    RUN(test_metric("reduction", "cvode-adams"));
    RUN(test_rest());
    RUN(test_sharp());
    RUN(test_start());
    RUN(test_splines());
    RUN(test_driver());
    RUN(test_cam());
    RUN(test_ends());
    RUN(test_at_end());
    RUN(test_twice());
    RUN(test_crossing());
    RUN(test_no_direction());
    RUN(test_sentences("test_curve_corners"));
    return test_end();
}
