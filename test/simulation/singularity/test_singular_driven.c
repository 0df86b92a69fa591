// SPDX-License-Identifier: BSD-3-Clause
// Singular configurations of mechanisms that drivers and gears move, for all formulations: the driver functions
// determine the motion, which passes all configurations. Steps end at the singular configurations (rk4) or near them
// (dopri5). Energy balances with the work of the drivers, whose forces are unbounded where the legs cannot carry a
// load. A driver function that leads beyond a dead centre is refused; one that starts there gets velocities.
#include "sentences.h"
#include "test.h"
#include "yaml_text.h"

#include <cardan/cardan.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static const char* const formulations[] = {"augmented", "order-n",     "reduction", "embedding",
                                           "dense",     "regularized", "lagrange"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

typedef struct record {
    int    singular, others;
    double t;
} record;

static void keep_event(void* user, cardan_data* data, const cardan_event* event)
{
    record* r = user;
    (void)data;
    if (event->kind == CARDAN_EVENT_SINGULAR)
        ++r->singular, r->t = event->t;
    else
        ++r->others;
}

// A model with one formulation.
typedef struct opened {
    cardan_description* d;
    cardan_model*       m;
    cardan_data*        data;
    cardan_status       status;
} opened;

static opened open_model(const char* text, const char* formulation)
{
    const int index = cardan_formulation_find(formulation);
    opened    o     = {.d = yaml_load(text), .status = CARDAN_BAD_INPUT};
    if (o.d) o.status = cardan_model_compile(o.d, cardan_formulation_tree_policy(index), &o.m, &yaml_report);
    if (!o.status) o.status = cardan_data_create(o.m, index, &o.data, &yaml_report);
    return o;
}

static void close_model(opened* o)
{
    cardan_data_destroy(o->data);
    cardan_model_destroy(o->m);
    cardan_description_destroy(o->d);
}

// Result of a run to time `end`; q and v are those of the joint `name`.
typedef struct outcome {
    const char *       formulation, *integrator;
    cardan_status      status;
    cardan_run_summary summary;
    record             r;
    double             q[CARDAN_JOINT_VELOCITIES_MAX + 1], v[CARDAN_JOINT_VELOCITIES_MAX];
} outcome;

static outcome run_to(const char* text, const char* formulation, const char* integrator, double tolerance,
                      const char* name, double end)
{
    opened  o   = open_model(text, formulation);
    outcome out = {.formulation = formulation, .integrator = integrator, .status = o.status, .q = {NAN}, .v = {NAN}};
    cardan_run_settings run = cardan_run_default();
    run.integrator          = cardan_integrator_find(integrator);
    run.tolerance           = tolerance;
    run.end                 = end;
    run.output_interval     = end / 4;
    run.event_callback      = keep_event;
    run.user                = &out.r;
    if (!out.status) out.status = cardan_simulate(o.data, &run, &out.summary, &yaml_report);
    if (!out.status) cardan_data_joint_state(o.data, cardan_description_find_joint(o.d, name), out.q, out.v);
    close_model(&o);
    return out;
}

// All formulations with each of the first n integrators.
static void by_all(int n, const char* text, const char* name, double end, bool (*good)(const outcome*, const void*),
                   const void* expected)
{
    static const char* const integrators[] = {"rk4", "dopri5", "cvode-bdf"};
    for (int f = 0; f < FORMULATIONS; ++f)
        for (int i = 0; i < n; ++i) {
            const outcome o    = run_to(text, formulations[f], integrators[i], 0, name, end);
            const bool    fits = good(&o, expected);
            CHECK(fits);
            if (!fits)
                printf("    %s, %s: %s at t = %g s, %.9g, %.9g, energy %.2g, %d singular configurations, the last at "
                       "%g s, "
                       "%d others\n",
                       o.formulation, o.integrator, cardan_status_name(o.status), o.summary.t, o.q[0], o.v[0],
                       o.summary.energy_error, o.r.singular, o.r.t, o.r.others);
        }
}

// Joint `name` ends at q with velocity v; `singular` events are reported, the last of them at `t`.
typedef struct ending {
    double q, v, t;
    int    singular;
} ending;

static bool ends_at(const outcome* o, const void* expected)
{
    const ending* e = expected;
    return o->status == CARDAN_OK && fabs(o->q[0] - e->q) < 1e-6 && fabs(o->v[0] - e->v) < 1e-6 &&
           fabs(o->summary.energy_error) < 1e-4 && o->r.singular == e->singular && o->r.others == 0 &&
           fabs(o->r.t - e->t) < 2e-3;
}

// Half a revolution of the crank under gravity: the parallelogram is singular at 0.5 s.
static const char* const parallelogram =
    "cardan: 1\n"
    "points: {A: [0,0,0], B: [1,0,0], C: [3,0,0], D: [2,0,0]}\n"
    "bodies: {a: {rod: [A,B], mass: 1}, b: {rod: [B,C], mass: 1}, c: {rod: [D,C], mass: 1}}\n"
    "joints:\n"
    "  JA: {revolute: [ground,a], at: A, axis: z, start: {q: =pi/2}}\n"
    "  JB: {revolute: [a,b], at: B, axis: z, start: {q: =-pi/2, guess: true}}\n"
    "  JC: {revolute: [b,c], at: C, axis: z}\n"
    "  JD: {revolute: [ground,c], at: D, axis: z, start: {q: =pi/2, guess: true}}\n"
    "constraints: {drive: {driver: JA, law: \"=pi/2+pi*t\"}}\n";

// Crank and rod have equal lengths: after a quarter of a revolution the slider could stand still, and moves on. A motor
// rotates the crank through gears.
static const char* const slider =
    "cardan: 1\n"
    "gravity: [0,0,0]\n"
    "points: {O: [0,0,0], P: [1,0,0], X: [2,0,0]}\n"
    "bodies: {motor: {at: [0,3,0], mass: 1, inertia: [0.1,0.1,0.1]}, crank: {rod: [O,P], mass: 1}, rod: {rod: [P,X], "
    "mass: 1}, slider: {at: X, mass: 1}}\n"
    "joints:\n"
    "  shaft: {revolute: [ground,motor], at: [0,3,0], axis: z}\n"
    "  main: {revolute: [ground,crank], at: O, axis: z}\n"
    "  big: {revolute: [crank,rod], at: P, axis: z}\n"
    "  small: {revolute: [rod,slider], at: X, axis: z}\n"
    "  bore: {prismatic: [ground,slider], at: X, axis: x}\n"
    "constraints: {gear: {gear: [shaft, main], ratio: 2}, drive: {driver: shaft, law: \"=pi*t\"}}\n";

static void test_planar(void)
{
    by_all(3, parallelogram, "JD", 1, ends_at, &(ending){3 * pi / 2, pi, 0.5, 1});
    by_all(3, slider, "bore", 1.6, ends_at, &(ending){2 * cos(0.8 * pi) - 2, -pi * sin(0.8 * pi), 1, 1});
}

// ---- kinematic analysis

typedef struct samples {
    record r;
    int    joint, count;
    double at, amplitude, rate; // reference of the velocity: at + amplitude sin(rate t)
    double error;
} samples;

static void keep_event_of_samples(void* user, cardan_data* data, const cardan_event* event)
{
    keep_event(&((samples*)user)->r, data, event);
}

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    samples* k = user;
    double   q[CARDAN_JOINT_VELOCITIES_MAX + 1], v[CARDAN_JOINT_VELOCITIES_MAX];
    cardan_data_joint_state(data, k->joint, q, v);
    k->error = fmax(k->error, fabs(v[0] - k->at - k->amplitude * sin(k->rate * sample->t)));
    ++k->count;
    return true;
}

// Samples at the singular configuration, and steps across it: velocities are those of the branch of the motion, and an
// event reports the configuration.
static void check_kinematics(const char* text, const char* name, double end, int count, double at, double amplitude,
                             double rate, double t)
{
    for (int f = 0; f < FORMULATIONS; ++f) {
        opened              o   = open_model(text, formulations[f]);
        cardan_run_settings run = cardan_run_default();
        samples             k   = {.at = at, .amplitude = amplitude, .rate = rate};
        cardan_run_summary  summary;
        cardan_status       status = o.status;
        k.joint                    = cardan_description_find_joint(o.d, name);
        run.end                    = end;
        run.output_interval        = end / (count - 1);
        run.sample_callback        = keep_sample;
        run.event_callback         = keep_event_of_samples;
        run.user                   = &k;
        if (!status) status = cardan_kinematic_analysis(o.data, &run, &summary, &yaml_report);
        const bool good = status == CARDAN_OK && k.count == count && k.error < 1e-8 && k.r.singular == 1 &&
                          k.r.others == 0 && fabs(k.r.t - t) < 5e-3 && summary.events == 1;
        CHECK(good);
        if (!good)
            printf("    %s: %s, %d samples, velocity error %.2g, %d singular configurations, the last at %g s, %d "
                   "others\n",
                   formulations[f], cardan_status_name(status), k.count, k.error, k.r.singular, k.r.t, k.r.others);
        close_model(&o);
    }
}

static void test_kinematics(void)
{
    check_kinematics(parallelogram, "JD", 1, 5, pi, 0, 0, 0.5);
    check_kinematics(parallelogram, "JD", 1, 8, pi, 0, 0, 0.5);
    check_kinematics(slider, "bore", 1.6, 9, 0, -pi, pi / 2, 1);
    check_kinematics(slider, "bore", 1.6, 5, 0, -pi, pi / 2, 1);
    check_kinematics(slider, "bore", 1.6, 81, 0, -pi, pi / 2, 1);
}

// Six legs with driven lengths rotate a platform about the vertical at 0.6 rad/s; a quarter of a revolution from the
// symmetric configuration all legs intersect one screw axis and cannot carry the weight.
static const char* platform(char* text, size_t size)
{
    const double        R = 1, r = 0.6, h = 0.8, w = 0.6, start = pi / 2 - 0.3, degree = pi / 180;
    static const double base[] = {10, 110, 130, 230, 250, 350}, top[] = {50, 70, 170, 190, 290, 310};
    static const char   head[] = "cardan: 1\ngravity: [0,0,-9.81]\n"
                                 "bodies: {p: {at: [0,0,%g], mass: 5, inertia: [0.5,0.6,0.9]}}\n";
    size_t              n      = (size_t)snprintf(text, size, head, h);
    n += (size_t)snprintf(text + n, size - n, "joints: {F: {free: [ground,p], at: [0,0,%g]}}\nconstraints:\n", h);
    for (int i = 0; i < 6; ++i) {
        const double b = base[i] * degree, p = top[i] * degree + start;
        n += (size_t)snprintf(text + n, size - n,
                              "  l%d: {distance: [{on: ground, at: [%.17g,%.17g,0]}, {on: p, at: "
                              "[%.17g,%.17g,%.17g]}], law: \"=sqrt(%.17g-%.17g*cos(%.17g+%.17g*t))\"}\n",
                              i, R * cos(b), R * sin(b), r * cos(p), r * sin(p), h, h * h + R * R + r * r, 2 * R * r,
                              p - b, w);
    }
    return text;
}

static bool platform_ends(const outcome* o, const void* none)
{
    (void)none;
    return o->status == CARDAN_OK && fabs(o->q[2]) < 1e-9 && fabs(o->q[3] - cos(0.3)) < 1e-9 &&
           fabs(o->q[6] - sin(0.3)) < 1e-9 && fabs(o->v[2]) < 1e-9 && fabs(o->v[5] - 0.6) < 1e-9 &&
           fabs(o->summary.energy_error) < 1e-6 && o->r.singular == 1 && fabs(o->r.t - 0.5) < 1e-3;
}

static void test_platform(void)
{
    char text[4096];
    by_all(2, platform(text, sizeof text), "F", 1, platform_ends, NULL);
}

// A slider driven into the dead centre of its crank: no configuration satisfies the driver after 1 s, and the velocity
// of the crank is unbounded.
static const char* const dead_centre =
    "cardan: 1\n"
    "gravity: [0,0,0]\n"
    "points: {O: [0,0,0], P: [1,0,0], X: [3,0,0]}\n"
    "bodies: {crank: {rod: [O,P], mass: 1}, rod: {rod: [P,X], mass: 1}, slider: {at: X, mass: 1}}\n"
    "joints:\n"
    "  main: {revolute: [ground,crank], at: O, axis: z, start: {q: 1, guess: true}}\n"
    "  big: {revolute: [crank,rod], at: P, axis: z}\n"
    "  small: {revolute: [rod,slider], at: X, axis: z}\n"
    "  bore: {prismatic: [ground,slider], at: X, axis: x}\n"
    "constraints: {drive: {driver: bore, law: \"=-0.5+0.5*t\"}}\n";

static bool is_refused(const outcome* o, const void* none)
{
    (void)none;
    if (yaml_report.count > 0) CHECK_MESSAGE(&yaml_report.message[0], CARDAN_CODE_DRIVER_LIMIT, "'drive'");
    return o->status != CARDAN_OK && o->summary.t > 0.9 && o->summary.t < 1.01 && yaml_report.count > 0;
}

static void test_dead_centre(void) { by_all(2, dead_centre, "main", 2, is_refused, NULL); }

// A driven slider that starts at the dead centre of its crank: zero velocity has no consistent acceleration, only w =
// pi or -pi start the motion. All joints of the loop are constraints in maximal coordinates, and their shares are equal.
// crank: further keys of the joint.
static const char* dead_start(const char* crank)
{
    static char text[1024];
    snprintf(text, sizeof text,
             "cardan: 1\n"
             "points: {O: [0,0,0], P: [0.3,0,0], X: [1.1,0,0]}\n"
             "bodies: {crank: {rod: [O,P], mass: 1}, rod: {rod: [P,X], mass: 1}, slider: {at: X, mass: 2}}\n"
             "joints:\n"
             "  main: {revolute: [ground,crank], at: O, axis: z%s}\n"
             "  big: {revolute: [crank,rod], at: P, axis: z}\n"
             "  small: {revolute: [rod,slider], at: X, axis: z}\n"
             "  bore: {prismatic: [ground,slider], at: X, axis: x, driver: "
             "\"=0.3*cos(pi*t)+sqrt(0.64-0.09*sin(pi*t)^2)-1.1\"}\n",
             crank);
    return text;
}

static void test_dead_start(void)
{
    for (int f = 0; f < FORMULATIONS; ++f) {
        double q, v = NAN, a[64];
        opened o = open_model(dead_start(""), formulations[f]);
        CHECK(o.status == CARDAN_OK && cardan_data_assemble(o.data, NULL, NULL, NULL, NULL, &yaml_report) == CARDAN_OK);
        cardan_data_joint_state(o.data, cardan_description_find_joint(o.d, "main"), &q, &v);
        CHECK_NEAR(v, pi, 1e-9);
        CHECK(yaml_report.count == 1);
        CHECK_MESSAGE(&yaml_report.message[0], CARDAN_CODE_BRANCH_CHOSEN, "joints 'main'");
        CHECK(cardan_data_accelerate(o.data, a, NULL, &yaml_report) == CARDAN_OK);
        close_model(&o);
        o = open_model(dead_start(", start: {v: 1}"), formulations[f]);
        CHECK(o.status == CARDAN_OK && cardan_data_assemble(o.data, NULL, NULL, NULL, NULL, &yaml_report) == CARDAN_OK);
        cardan_data_joint_state(o.data, cardan_description_find_joint(o.d, "main"), &q, &v);
        CHECK_NEAR(v, 1, 1e-12);
        CHECK(cardan_data_accelerate(o.data, a, NULL, &yaml_report) == CARDAN_INCONSISTENT);
        CHECK(yaml_report.count == 1);
        CHECK_MESSAGE(&yaml_report.message[0], CARDAN_CODE_DRIVER_INCONSISTENT, "driver of 'bore'",
                      strcmp(formulations[f], "lagrange") == 0 ? "joint 'main'" : "joint 'small'", "`start: {v: ");
        close_model(&o);
    }
}

// A Cardan joint between shafts at 1.1 rad, one of which can slide: three rows are redundant, different ones along the
// motion, and no configuration is singular. Its angles satisfy tan(in) = cos(1.1) tan(out).
static const char* const shafts =
    "cardan: 1\n"
    "gravity: [0,0,0]\n"
    "parameters: {b: 1.1}\n"
    "bodies:\n"
    "  in: {at: [-1,0,0], mass: 1, inertia: [0.1,0.2,0.2]}\n"
    "  out: {at: [=cos(b),=sin(b),0], mass: 1, inertia: [0.1,0.2,0.2]}\n"
    "joints:\n"
    "  A: {revolute: [ground,in], at: [-1,0,0], axis: x}\n"
    "  U: {universal: [in,out], at: [0,0,0], axes: [y,z]}\n"
    "  B: {cylindrical: [ground,out], at: [=cos(b),=sin(b),0], axis: [=cos(b),=sin(b),0]}\n"
    "constraints: {drive: {driver: A, law: \"=2*t\"}}\n";

static void test_cardan_joint(void)
{
    const double t = 8, in = 2 * t, out = atan2(sin(in), cos(in) * cos(1.1));
    for (int f = 0; f < FORMULATIONS; ++f)
        for (double tolerance = 1e-3; tolerance > 1e-7; tolerance /= 10) {
            const outcome o    = run_to(shafts, formulations[f], "dopri5", tolerance, "B", t);
            const double  off  = remainder(o.q[0] - out, 2 * pi);
            const bool    good = o.status == CARDAN_OK && o.r.singular + o.r.others == 0 && fabs(off) < 1e-6;
            CHECK(good);
            if (!good)
                printf("    %s, tolerance %g: %s, error %.2g rad, %d singular configurations, %d others\n",
                       o.formulation, tolerance, cardan_status_name(o.status), off, o.r.singular, o.r.others);
        }
}

int main(void)
{
    yaml_begin();
    RUN(test_planar());
    RUN(test_kinematics());
    RUN(test_platform());
    RUN(test_dead_centre());
    RUN(test_dead_start());
    RUN(test_cardan_joint());
    yaml_end();
    RUN(test_sentences("test_singular_driven"));
    return test_end();
}
