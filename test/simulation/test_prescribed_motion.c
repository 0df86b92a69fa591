// SPDX-License-Identifier: BSD-3-Clause
// Kinematic analysis: closed forms of four-bar and slider-crank at position, velocity and acceleration level, torques
// from the rate of the energy, efforts of motors against those of drivers and against a simulation, least norm, and
// errors for motions that are not prescribed or not possible.
#include "loop_models.h"
#include "sentences.h"

static const char* const solvers[] = {"dense", "lagrange"};

static void drive(cardan_description* d, const char* name, const char* joint, const char* driver_function)
{
    cardan_constraint c = cardan_constraint_default(name, "driver");
    c.njoint            = 1;
    c.joint[0]          = cardan_description_find_joint(d, joint);
    CHECK(cardan_description_parse(d, driver_function, cardan_location_none(), &c.driver[0], NULL) == CARDAN_OK);
    CHECK(cardan_description_add_constraint(d, &c) >= 0);
}

// ---- recorded samples

enum { SAMPLES = 400, JOINTS = 8, DRIVERS = 2, MAX_COORDINATES = 40 };

typedef struct recording {
    int    n;
    double t[SAMPLES], q[SAMPLES][JOINTS], v[SAMPLES][JOINTS], a[SAMPLES][JOINTS], effort[SAMPLES][DRIVERS],
        energy[SAMPLES];
    cardan_reaction reaction[SAMPLES][JOINTS];
    double          state_q[SAMPLES][MAX_COORDINATES], state_v[SAMPLES][MAX_COORDINATES],
        state_a[SAMPLES][MAX_COORDINATES]; // of the model
} recording;

static bool keep(void* user, cardan_data* data, const cardan_sample* sample)
{
    recording*              f    = user;
    const cardan_model_view view = cardan_model_get_view(cardan_data_model(data));
    const int               n    = f->n++;
    f->t[n]                      = sample->t;
    f->energy[n]                 = sample->energy.kinetic + sample->energy.potential;
    for (int j = 0; j < view.njoint && j < JOINTS; ++j) {
        double q[7], v[6];
        cardan_data_joint_state(data, j, q, v);
        f->q[n][j] = q[0];
        f->v[n][j] = v[0];
        cardan_data_joint_acceleration(data, j, sample->a, &f->a[n][j]);
    }
    if (cardan_data_driver_count(data) > 0) cardan_data_driver_efforts(data, sample->a, f->effort[n], NULL);
    cardan_data_reactions(data, sample->a, f->reaction[n]);
    memcpy(f->state_q[n], sample->q, (size_t)view.nq * sizeof(double));
    memcpy(f->state_v[n], sample->v, (size_t)view.nv * sizeof(double));
    memcpy(f->state_a[n], sample->a, (size_t)view.nv * sizeof(double));
    return f->n < SAMPLES;
}

static cardan_status analyse(fixture* f, double end, double output, recording* recorded, cardan_run_summary* summary)
{
    cardan_run_settings run = cardan_run_default();
    run.end                 = end;
    run.output_interval     = output;
    run.sample_callback     = keep;
    run.user                = recorded;
    recorded->n             = 0;
    return cardan_kinematic_analysis(f->data, &run, summary, &f->report);
}

// dE/dt at sample k, order six.
static double power_of(const recording* f, int k)
{
    const double h = f->t[k + 1] - f->t[k], *E = f->energy + k;
    return ((E[3] - E[-3]) / 60 - 3 * (E[2] - E[-2]) / 20 + 3 * (E[1] - E[-1]) / 4) / h;
}

// ---- closed forms

// A rotating bar: x' = r w (-s, c), x'' = r alpha (-s, c) - r w^2 (c, s).
static void check_four_bar(const four_bar* bar, const recording* f, int k)
{
    const double t = f->t[k], phi = bar->crank + 2 * t + 0.3 * sin(3 * t), w = 2 + 0.9 * cos(3 * t),
                 alpha = -2.7 * sin(3 * t);
    double B[2] = {0}, C[2] = {0};
    if (!four_bar_points(bar, phi, B, C)) return;
    const double beta = atan2(C[1] - B[1], C[0] - B[0]), psi = atan2(C[1], C[0] - bar->d), a = bar->a, b = bar->b,
                 c = bar->c;
    // b beta' e(beta) - c psi' e(psi) = -a w e(phi), e the direction perpendicular to the bar
    const double det = b * c * sin(beta - psi);
    const double rx = a * w * sin(phi), ry = -a * w * cos(phi);
    const double wb = c * (-rx * cos(psi) - ry * sin(psi)) / det, wc = b * (-rx * cos(beta) - ry * sin(beta)) / det;
    const double sx = a * alpha * sin(phi) + a * w * w * cos(phi) + b * wb * wb * cos(beta) - c * wc * wc * cos(psi);
    const double sy = -a * alpha * cos(phi) + a * w * w * sin(phi) + b * wb * wb * sin(beta) - c * wc * wc * sin(psi);
    const double ab = c * (-sx * cos(psi) - sy * sin(psi)) / det, ac = b * (-sx * cos(beta) - sy * sin(beta)) / det;
    double       B0[2] = {0}, C0[2] = {0};
    four_bar_points(bar, bar->crank, B0, C0);
    const double psi0 = atan2(C0[1], C0[0] - bar->d);
    CHECK_NEAR(f->q[k][0], phi - bar->crank, 1e-12);
    CHECK_NEAR(cos(-f->q[k][3]), cos(psi - psi0), 1e-11); // D rotates ground relative to the rocker
    CHECK_NEAR(sin(-f->q[k][3]), sin(psi - psi0), 1e-11);
    CHECK_NEAR(f->v[k][1], wb - w, 1e-10);
    CHECK_NEAR(-f->v[k][3], wc, 1e-10);
    CHECK_NEAR(f->a[k][1], ab - alpha, 1e-9);
    CHECK_NEAR(-f->a[k][3], ac, 1e-9);
}

static void test_four_bar(const char* solver)
{
    const four_bar      bar = {1, 2.2, 1.5, 2, 1.1, 1, 1};
    cardan_joint        joint[4];
    cardan_description* d = four_bar_describe(&bar, joint);
    for (int i = 0; i < 4; ++i) cardan_description_add_joint(d, &joint[i]);
    drive(d, "motor", "A", "2*t + 0.3*sin(3*t)");
    fixture            f;
    static recording   recorded;
    cardan_run_summary summary;
    if (loop_open(&f, d, solver)) {
        CHECK(analyse(&f, 0.398, 0.001, &recorded, &summary) == CARDAN_OK);
        CHECK(recorded.n == 399 && summary.samples == 399 && summary.max_position_violation < 1e-12 &&
              summary.max_velocity_violation < 1e-11);
        for (int k = 0; k < recorded.n; k += 7) check_four_bar(&bar, &recorded, k);
        for (int k = 3; k < recorded.n - 3; k += 11)
            CHECK_NEAR(recorded.effort[k][0] * recorded.v[k][0], power_of(&recorded, k), 1e-8);
        CHECK(analyse(&f, 20, 0.1, &recorded, &summary) ==
              CARDAN_OK); // long intervals, six revolutions: the same branch
        for (int k = 0; k < recorded.n; ++k) check_four_bar(&bar, &recorded, k);
    }
    fixture_close(&f);
}

static void test_slider_crank(const char* solver)
{
    fixture            f;
    static recording   recorded;
    cardan_run_summary summary;
    if (fixture_open(&f, "models/driven_slider", solver, 0, NULL)) {
        const double r = 0.05, l = 0.2, w = 100;
        CHECK(analyse(&f, 0.0794, 2e-4, &recorded, &summary) == CARDAN_OK);
        for (int k = 3; k < recorded.n - 3; ++k) {
            const double phi = w * recorded.t[k], s = r * sin(phi), root = sqrt(l * l - s * s), c = r * cos(phi);
            const double slope = -s * c / root; // derivative of the rod's part by phi
            const double curve = (s * s - c * c) / root - s * s * c * c / (root * root * root);
            CHECK_NEAR(recorded.q[k][3], c + root - r - l, 1e-12);
            CHECK_NEAR(recorded.v[k][3], w * (-s + slope), 1e-10);
            CHECK_NEAR(recorded.a[k][3], w * w * (-c + curve), 1e-9);
            CHECK_NEAR(recorded.effort[k][0] * w, power_of(&recorded, k), 2e-5);
        }
    }
    fixture_close(&f);
}

// ---- two motors

static cardan_description* five_bar(bool driven)
{
    const double O[3] = {0}, P[3] = {2, 0, 0}, A[3] = {-0.2, 0.9, 0}, B[3] = {2.3, 0.8, 0}, E[3] = {1, 1.9, 0},
                 z[3]     = {0, 0, 1};
    cardan_description* d = cardan_description_create("five-bar");
    cardan_description_set_gravity(d, (const double[3]){0, -9.81, 0});
    const int residual = loop_rod(d, "left", O, A, 1), up = loop_rod(d, "up", A, E, 0.7),
              right = loop_rod(d, "right", P, B, 1.2), down = loop_rod(d, "down", B, E, 0.8);
    const cardan_joint joint[5] = {
        loop_joint(d, "O", "revolute", CARDAN_GROUND, residual, O, z),
        loop_joint(d, "A", "revolute", residual, up, A, z), loop_joint(d, "E", "revolute", up, down, E, z),
        loop_joint(d, "B", "revolute", right, down, B, z), loop_joint(d, "P", "revolute", CARDAN_GROUND, right, P, z)};
    for (int i = 0; i < 5; ++i) cardan_description_add_joint(d, &joint[i]);
    if (driven) drive(d, "first", "O", "0.4*sin(3*t)");
    if (driven) drive(d, "second", "P", "0.3*cos(4*t) - 0.3");
    return d;
}

static void test_five_bar_solvers(void)
{
    static recording   recorded[2];
    cardan_run_summary summary;
    for (int s = 0; s < 2; ++s) {
        fixture f;
        if (loop_open(&f, five_bar(true), solvers[s]))
            CHECK(analyse(&f, 0.3, 0.001, &recorded[s], &summary) == CARDAN_OK);
        fixture_close(&f);
    }
    CHECK(recorded[0].n == 301 && recorded[1].n == 301);
    for (int k = 3; k < recorded[0].n - 3; k += 5) {
        for (int j = 0; j < 5; ++j) {
            CHECK_NEAR(recorded[1].q[k][j], recorded[0].q[k][j], 1e-9);
            CHECK_NEAR(recorded[1].v[k][j], recorded[0].v[k][j], 1e-9);
            CHECK_NEAR(recorded[1].a[k][j], recorded[0].a[k][j], 1e-9);
            for (int i = 0; i < 3; ++i)
                CHECK_NEAR(recorded[1].reaction[k][j].force[i], recorded[0].reaction[k][j].force[i], 1e-9);
        }
        for (int i = 0; i < 2; ++i) CHECK_NEAR(recorded[1].effort[k][i], recorded[0].effort[k][i], 1e-9);
        CHECK_NEAR(recorded[0].effort[k][0] * recorded[0].v[k][0] + recorded[0].effort[k][1] * recorded[0].v[k][4],
                   power_of(&recorded[0], k), 1e-7);
    }
}

// The same motion with motors on the free mechanism: their efforts are those of the drivers; under them accelerations
// and reactions are equal.
static void test_motors(const char* solver)
{
    static recording   recorded;
    cardan_run_summary summary;
    fixture            f, g;
    if (loop_open(&f, five_bar(true), solver) && loop_open(&g, five_bar(false), solver)) {
        CHECK(analyse(&f, 0.3, 0.01, &recorded, &summary) == CARDAN_OK);
        const cardan_motor motor[3] = {{0, 0}, {4, 0}, {2, 0}}; // O, P, E
        cardan_motors *    two, *three, *one;
        CHECK(cardan_motors_create(g.data, 2, motor, &two, &g.report) == CARDAN_OK);
        CHECK(cardan_motors_create(g.data, 3, motor, &three, &g.report) == CARDAN_OK);
        CHECK(cardan_motors_create(g.data, 1, motor, &one, &g.report) == CARDAN_OK);
        for (int k = 0; k < recorded.n; ++k) {
            double          u[2], w[3], x[1], a[MAX_COORDINATES], residual;
            int             redundant;
            cardan_reaction reaction[JOINTS];
            cardan_data_set_state(g.data, recorded.t[k], recorded.state_q[k], recorded.state_v[k], NULL);
            cardan_data_set_external_forces(g.data, NULL, NULL);
            CHECK(cardan_motors_efforts(two, recorded.state_a[k], u, &redundant, &residual, &g.report) == CARDAN_OK);
            CHECK(redundant == 0 && residual < 1e-9);
            for (int i = 0; i < 2; ++i) CHECK_NEAR(u[i], recorded.effort[k][i], 1e-9);
            CHECK(cardan_motors_efforts(three, recorded.state_a[k], w, &redundant, &residual, &g.report) == CARDAN_OK);
            CHECK(redundant == 1 && residual < 1e-8);
            // w - u is in the null space of the efforts; the least w is orthogonal to it
            CHECK_NEAR(w[0] * (w[0] - u[0]) + w[1] * (w[1] - u[1]) + w[2] * w[2], 0, 1e-8);
            CHECK(w[2] * w[2] > 1e-9);
            cardan_motors_efforts(one, recorded.state_a[k], x, NULL, &residual, &g.report);
            CHECK(residual > 1e-3); // one motor is not sufficient
            for (int n = 0; n < 2; ++n) {
                cardan_motors_apply(n ? three : two, n ? w : u);
                CHECK(cardan_data_accelerate(g.data, a, NULL, &g.report) == CARDAN_OK);
                for (int v = 0; v < g.m.nv; ++v) CHECK_NEAR(a[v], recorded.state_a[k][v], 1e-8);
            }
            cardan_motors_apply(two, u);
            cardan_data_accelerate(g.data, a, NULL, &g.report);
            cardan_data_reactions(g.data, a, reaction);
            for (int j = 0; j < 5; ++j)
                for (int i = 0; i < 3; ++i) CHECK_NEAR(reaction[j].force[i], recorded.reaction[k][j].force[i], 1e-8);
        }
        cardan_motors_destroy(one), cardan_motors_destroy(two), cardan_motors_destroy(three);
    }
    fixture_close(&f), fixture_close(&g);
}

// ---- simulation under these efforts: the motion of the drivers

typedef struct playback {
    const recording* recorded; // twice as fine as the run
    cardan_motors*   motors;
} playback;

static bool apply_efforts(void* user, cardan_data* data, const cardan_sample* sample)
{
    playback* p = user;
    const int k = (int)lround(sample->t / (p->recorded->t[1] - p->recorded->t[0]));
    (void)data;
    if (k + 1 < p->recorded->n)
        cardan_motors_apply(p->motors, p->recorded->effort[k + 1]); // of the middle of the interval
    return true;
}

static void test_simulation(void)
{
    static recording   recorded;
    cardan_run_summary summary;
    fixture            f, g;
    if (loop_open(&f, five_bar(true), "dense") && loop_open(&g, five_bar(false), "dense")) {
        CHECK(analyse(&f, 0.19, 0.0005, &recorded, &summary) == CARDAN_OK);
        const cardan_motor motor[2] = {{0, 0}, {4, 0}};
        cardan_motors*     motors;
        CHECK(cardan_motors_create(g.data, 2, motor, &motors, &g.report) == CARDAN_OK);
        playback            p   = {&recorded, motors};
        cardan_run_settings run = cardan_run_default();
        run.integrator          = cardan_integrator_find("rk4");
        run.end                 = 0.19;
        run.output_interval     = 0.001;
        run.step                = 0.001;
        run.q                   = recorded.state_q[0];
        run.v                   = recorded.state_v[0];
        run.sample_callback     = apply_efforts;
        run.user                = &p;
        CHECK(cardan_simulate(g.data, &run, &summary, &g.report) == CARDAN_OK);
        for (int j = 0; j < 5; ++j) {
            double q[7], v[6];
            cardan_data_joint_state(g.data, j, q, v);
            CHECK_NEAR(q[0], recorded.q[recorded.n - 1][j], 1e-5);
            CHECK_NEAR(v[0], recorded.v[recorded.n - 1][j], 1e-4);
        }
        cardan_motors_destroy(motors);
    }
    fixture_close(&f), fixture_close(&g);
}

// ---- driver values set by a callback

static void set_drivers(void* user, cardan_data* data, double t)
{
    (void)user;
    cardan_data_set_driver(data, 0, (const double[3]){0.4 * sin(3 * t), 1.2 * cos(3 * t), -3.6 * sin(3 * t)});
    cardan_data_set_driver(data, 1, (const double[3]){0.3 * cos(4 * t) - 0.3, -1.2 * sin(4 * t), -4.8 * cos(4 * t)});
}

static void test_driver_callback(const char* solver)
{
    static recording    recorded[2];
    cardan_run_summary  summary;
    fixture             f, g;
    cardan_description* still = five_bar(false);
    drive(still, "first", "O", "0");
    drive(still, "second", "P", "0");
    if (loop_open(&f, five_bar(true), solver) && loop_open(&g, still, solver)) {
        CHECK(analyse(&f, 0.2, 0.01, &recorded[0], &summary) == CARDAN_OK);
        cardan_run_settings run = cardan_run_default();
        run.end = 0.2, run.output_interval = 0.01, run.sample_callback = keep, run.user = &recorded[1],
        run.driver_callback = set_drivers;
        recorded[1].n       = 0;
        CHECK(cardan_kinematic_analysis(g.data, &run, &summary, &g.report) == CARDAN_OK);
        for (int k = 0; k < 21; ++k)
            for (int i = 0; i < 2; ++i) CHECK_NEAR(recorded[1].effort[k][i], recorded[0].effort[k][i], 1e-9);
    }
    fixture_close(&f), fixture_close(&g);
}

// ---- errors

// The first error of the report; an empty message if there is none.
static const cardan_message* first_error(const fixture* f)
{
    static const cardan_message none = {0};
    for (int i = 0; i < f->report.count; ++i)
        if (f->report.message[i].severity == CARDAN_ERROR) return &f->report.message[i];
    return &none;
}

static void test_not_prescribed(const char* solver)
{
    fixture             f;
    static recording    recorded;
    cardan_run_summary  summary;
    int                 count;
    cardan_description* d = five_bar(false);
    drive(d, "first", "O", "0.4*sin(3*t)");
    if (loop_open(&f, d, solver)) {
        CHECK(cardan_data_degrees_of_freedom(f.data, 9, &count, NULL, &f.report) == CARDAN_OK && count == 1);
        CHECK(analyse(&f, 0.3, 0.01, &recorded, &summary) == CARDAN_BAD_INPUT);
        CHECK(summary.samples == 0);
        CHECK_MESSAGE(first_error(&f), CARDAN_CODE_MOTION_NOT_PRESCRIBED, "'five-bar'", "t = 0 s", "1 degree");
        CHECK(!strstr(first_error(&f)->text, "joint 'O'"));
    }
    fixture_close(&f);
    if (loop_open(&f, five_bar(false), solver))
        CHECK(cardan_data_degrees_of_freedom(f.data, 9, &count, NULL, &f.report) == CARDAN_OK && count == 2);
    fixture_close(&f);
    if (loop_open(&f, five_bar(true), solver))
        CHECK(cardan_data_degrees_of_freedom(f.data, 9, &count, NULL, &f.report) == CARDAN_OK && count == 0);
    fixture_close(&f);
}

// The rocker of a four-bar is driven to the stretched configuration at t = 0.7 s, the limit of its workspace.
static void test_workspace_limit(const char* solver)
{
    const four_bar      bar = {1, 2.2, 1.5, 2, 1.1, 1, 1};
    cardan_joint        joint[4];
    cardan_description* d    = four_bar_describe(&bar, joint);
    double              B[2] = {0}, C[2] = {0};
    char                driver_function[60];
    four_bar_points(&bar, bar.crank, B, C);
    // crank and coupler aligned: the triangle a + b, c, d
    const double psi = atan2(C[1], C[0] - bar.d);
    const double end = M_PI - acos((1.5 * 1.5 + 4 - 3.2 * 3.2) / 6);
    snprintf(driver_function, sizeof driver_function, "%.17g*t",
             -(end - psi) / 0.7); // D rotates ground relative to the rocker
    for (int i = 0; i < 4; ++i) cardan_description_add_joint(d, &joint[i]);
    drive(d, "winch", "D", driver_function);
    fixture            f;
    static recording   recorded;
    cardan_run_summary summary;
    if (loop_open(&f, d, solver)) {
        CHECK(analyse(&f, 1, 0.02, &recorded, &summary) == CARDAN_NOT_CONVERGED);
        CHECK_MESSAGE(first_error(&f), CARDAN_CODE_DRIVER_LIMIT, "'winch'", "t = 0.7 s");
        CHECK(recorded.n == 35 && fabs(summary.t - 0.68) < 1e-12);
    }
    fixture_close(&f);
}

int main(void)
{
    for (int s = 0; s < 2; ++s) {
        RUN(test_four_bar(solvers[s]));
        RUN(test_slider_crank(solvers[s]));
        RUN(test_motors(solvers[s]));
        RUN(test_driver_callback(solvers[s]));
        RUN(test_not_prescribed(solvers[s]));
        RUN(test_workspace_limit(solvers[s]));
    }
    RUN(test_five_bar_solvers());
    RUN(test_simulation());
    RUN(test_sentences("test_prescribed_motion"));
    return test_end();
}
