// SPDX-License-Identifier: BSD-3-Clause
// Parallel robots of models/ against closed forms: the delta robot, whose platform does not rotate, and the planar
// 3-RRR by inverse kinematics of their arms; efforts of too few motors; energies. A vehicle with six axles: degrees of
// freedom, wheel loads, Newton's second law.
#include "fixture.h"

static const char* const solvers[] = {"dense", "lagrange", "reduction"};
enum { SOLVERS = 3 };

typedef struct sample_check {
    fixture* f;
    void (*check)(fixture* f, const cardan_sample* sample);
} sample_check;

static bool check_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    const sample_check* w = user;
    (void)data;
    w->check(w->f, sample);
    return true;
}

// Simulate, call `check` for every sample, and check energy error and constraint violation.
static void run_and_check(const char* model, const char* formulation, double end,
                          void (*check)(fixture* f, const cardan_sample* sample))
{
    fixture f;
    if (fixture_open(&f, model, formulation, 0, NULL)) {
        cardan_run_summary  summary;
        cardan_run_settings run = cardan_run_default();
        sample_check        w   = {&f, check};
        run.end                 = end;
        run.output_interval     = end / 20;
        run.tolerance           = 1e-9;
        run.sample_callback     = check_sample;
        run.user                = &w;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        for (int i = 0; i < f.report.count; ++i) printf("%s\n", f.report.message[i].text);
        CHECK(summary.energy_error < 1e-6);
        CHECK(summary.max_position_violation < 1e-10);
    }
    fixture_close(&f);
}

static double angle_of(fixture* f, const char* joint)
{
    double q[CARDAN_JOINT_VELOCITIES_MAX + 1], v[CARDAN_JOINT_VELOCITIES_MAX];
    cardan_data_joint_state(f->data, fixture_joint(f, joint), q, v);
    return q[0];
}

static cardan_motion frame_of(fixture* f, const char* marker)
{
    cardan_motion m;
    cardan_data_marker_motion(f->data, cardan_description_find_marker(f->description, marker), NULL, &m);
    return m;
}

// Solution of a cos x + b sin x = c nearest to x.
static double solve_angle(double a, double b, double c, double x)
{
    const double middle = atan2(b, a), half = acos(c / hypot(a, b));
    const double one = remainder(middle + half - x, 2 * acos(-1)), two = remainder(middle - half - x, 2 * acos(-1));
    return x + (fabs(one) < fabs(two) ? one : two);
}

// ---- delta

// In the plane of leg i the elbow is at (base + arm cos, -arm sin), the joint of the platform at the distance `top`
// outward from its centre; the distance of both is `rod`.
static void check_delta(fixture* f, const cardan_sample* sample)
{
    const double        base = 0.2, top = 0.06, arm = 0.25, rod = 0.55, theta = 0.35;
    const cardan_motion p = frame_of(f, "platform");
    (void)sample;
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(p.q[1 + k], 0, 1e-10); // no rotation
        CHECK_NEAR(p.w[k], 0, 1e-9);
    }
    for (int i = 1; i <= 3; ++i) {
        char         name[32];
        const double angle = 2 * acos(-1) / 3 * (i - 1);
        const double x     = p.p[0] * cos(angle) + p.p[1] * sin(angle) + top - base,
                     y = p.p[1] * cos(angle) - p.p[0] * sin(angle), z = p.p[2];
        snprintf(name, sizeof name, "leg%d.motor", i);
        const double known = theta + angle_of(f, name);
        // (x - arm cos)^2 + y^2 + (z + arm sin)^2 = rod^2
        CHECK_NEAR(solve_angle(-2 * arm * x, 2 * arm * z, rod * rod - arm * arm - x * x - y * y - z * z, known), known,
                   1e-9);
    }
}

static void delta(void)
{
    for (int i = 0; i < SOLVERS; ++i) run_and_check("models/delta", solvers[i], 1, check_delta);
}

static void delta_hinged(void)
{
    for (int i = 0; i < SOLVERS; ++i) run_and_check("models/delta/hinged.yaml", solvers[i], 1, check_delta);
}

// ---- 3-RRR

static void check_rrr(fixture* f, const cardan_sample* sample)
{
    const double        R = 1, c = 0.3, a = 0.6, b = 0.6, along = (R - c) / 2;
    const cardan_motion p       = frame_of(f, "platform");
    const double        angle   = 2 * atan2(p.q[3], p.q[0]);
    const bool          upright = fabs(cardan_description_get_view(f->description).gravity[1]) > 1;
    (void)sample;
    for (int i = 0; i < 3; ++i) {
        char         name[32];
        const double leg = 2 * acos(-1) / 3 * i + (upright ? acos(-1) / 6 : 0);
        // wrist relative to the hinge on the ground, in the directions of the leg
        const double x = p.p[0] * cos(leg) + p.p[1] * sin(leg) + c * cos(angle) - R,
                     y = p.p[1] * cos(leg) - p.p[0] * sin(leg) + c * sin(angle);
        snprintf(name, sizeof name, "leg%d.motor", i + 1);
        const double known = atan2(sqrt(a * a - along * along), -along) + angle_of(f, name);
        CHECK_NEAR(solve_angle(2 * a * x, 2 * a * y, x * x + y * y + a * a - b * b, known), known, 1e-9);
        CHECK_NEAR(p.p[2], 0, 1e-11);
    }
}

static void three_rrr(void)
{
    for (int i = 0; i < SOLVERS; ++i) run_and_check("models/three_rrr", solvers[i], 1, check_rrr);
    for (int i = 0; i < SOLVERS; ++i) run_and_check("models/three_rrr_passive", solvers[i], 1, check_rrr);
}

// Two motors for three degrees of freedom: a residual acceleration remains; with three motors it vanishes.
static void too_few_motors(void)
{
    fixture f;
    if (fixture_open(&f, "models/three_rrr_passive", "dense", 0, NULL)) {
        cardan_motor motor[3];
        double       a[7], effort[3], residual;
        int          redundant, dof;
        cardan_data_degrees_of_freedom(f.data, 10, &dof, NULL, NULL);
        CHECK(dof == 3);
        CHECK(cardan_data_accelerate(f.data, a, NULL, NULL) == CARDAN_OK);
        for (int v = 0; v < 7; ++v) a[v] = 0; // standstill
        for (int i = 0; i < 3; ++i) {
            char name[32];
            snprintf(name, sizeof name, "leg%d.motor", i + 1);
            motor[i] = (cardan_motor){fixture_joint(&f, name), 0};
        }
        for (int n = 2; n <= 3; ++n) {
            cardan_motors* motors = NULL;
            CHECK(cardan_motors_create(f.data, n, motor, &motors, NULL) == CARDAN_OK);
            CHECK(cardan_motors_efforts(motors, a, effort, &redundant, &residual, NULL) == CARDAN_OK);
            CHECK(redundant == 0);
            if (n == 2)
                CHECK(residual > 0.1);
            else
                CHECK(residual < 1e-9);
            cardan_motors_destroy(motors);
        }
    }
    fixture_close(&f);
}

// ---- the vehicle

enum { CORNERS = 12 };
static const char* const corner[CORNERS] = {"FL",  "FR",  "D1L", "D1R", "D2L", "D2R",
                                            "T1L", "T1R", "T2L", "T2R", "T3L", "T3R"};

// Vertical forces of the tyres. Returns their sum; *moment: their moment about y.
static double loads(fixture* f, double load[CORNERS], double* moment)
{
    const cardan_description_view view = cardan_description_get_view(f->description);
    double                        sum = 0, *output = calloc((size_t)view.noutput + 1, sizeof *output);
    *moment = 0;
    cardan_data_evaluate_outputs(f->data, output);
    for (int i = 0; i < CORNERS; ++i)
        for (int k = 0; k < view.noutput; ++k) {
            char name[32];
            snprintf(name, sizeof name, "%s.load", corner[i]);
            if (strcmp(view.output[k].name, name) != 0) continue;
            snprintf(name, sizeof name, "%s.hub", corner[i]);
            load[i] = output[k];
            sum += load[i];
            *moment -= load[i] * frame_of(f, name).p[0];
        }
    free(output);
    return sum;
}

// The tyres are the only contacts: weight and tyre loads give the acceleration of the mass centre.
static void check_tractor(fixture* f, const cardan_sample* sample)
{
    const cardan_description_view view = cardan_description_get_view(f->description);
    double                        load[CORNERS], moment, change = 0, mass = 0;
    cardan_motion*                body = calloc((size_t)view.nbody, sizeof *body);
    cardan_data_body_motions(f->data, sample->a, body);
    for (int i = 0; i < view.nbody; ++i) {
        mass += view.body[i].mass;
        change += view.body[i].mass * (body[i].a[2] + 9.81);
    }
    CHECK_NEAR(loads(f, load, &moment), change, 1e-7);
    CHECK_NEAR(mass, 2773 + 10989 + 9.072 + 12 * (5.813 + 23.965 + 90.555), 1e-12);
    for (int i = 0; i < CORNERS; i += 2) CHECK_NEAR(load[i], load[i + 1], 1e-6); // symmetric vehicle
    free(body);
}

static void tractor_in_motion(void)
{
    run_and_check("models/tractor", "lagrange", 0.6, check_tractor);
    run_and_check("models/tractor", "reduction", 0.3, check_tractor);
}

// Degrees of freedom: 6 of the tractor, 2 of the fifth wheel, the rack, and one per wheel.
static void tractor_degrees_of_freedom(void)
{
    fixture f;
    int     count = 0;
    if (fixture_open(&f, "models/tractor", "dense", 0, NULL)) {
        CHECK(cardan_data_degrees_of_freedom(f.data, 100, &count, NULL, NULL) == CARDAN_OK);
        CHECK(count == 6 + 2 + 1 + CORNERS);
        CHECK(f.m.nbody == 3 + 3 * CORNERS);
    }
    fixture_close(&f);
}

// In equilibrium (after 12 s) the tyre loads balance the weight, also in their moments about y.
static void tractor_in_equilibrium(void)
{
    fixture f;
    if (fixture_open(&f, "models/tractor", "lagrange", 0, NULL)) {
        const cardan_description_view view = cardan_description_get_view(f.description);
        cardan_run_summary            summary;
        cardan_run_settings           run = cardan_run_default();
        double                        load[CORNERS], moment, weight = 0, weight_moment = 0;
        cardan_motion*                body = calloc((size_t)view.nbody, sizeof *body);
        run.end = run.output_interval = 12;
        run.tolerance                 = 1e-9;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        cardan_data_body_motions(f.data, NULL, body);
        for (int i = 0; i < view.nbody; ++i) {
            weight += 9.81 * view.body[i].mass;
            weight_moment -= 9.81 * view.body[i].mass * body[i].p[0];
        }
        CHECK_NEAR(loads(&f, load, &moment), weight, 1e-6);
        CHECK_NEAR(moment, weight_moment, 1e-6);
        for (int i = 0; i < CORNERS; ++i) CHECK(load[i] > 7000 && load[i] < 15000); // all axles are loaded
        free(body);
    }
    fixture_close(&f);
}

int main(void)
{
    RUN(delta());
    RUN(delta_hinged());
    RUN(three_rrr());
    RUN(too_few_motors());
    RUN(tractor_in_motion());
    RUN(tractor_degrees_of_freedom());
    RUN(tractor_in_equilibrium());
    return test_end();
}
