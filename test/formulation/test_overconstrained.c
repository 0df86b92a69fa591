// SPDX-License-Identifier: BSD-3-Clause
// Overconstrained spatial loops with one degree of freedom: a spherical four-bar (all axes intersect), a Bennett
// linkage and a Bricard mechanism. Some rows are redundant only where the loop is assembled; at the stages of a step,
// which violate the constraints, these rows must not lock the motion. One row of the spherical loop is zero where it is
// assembled. All formulations agree, conserve energy and report no singular configuration; the angles of the Bricard
// and Bennett linkages are compared with their closed forms.
#include "fixture.h"

typedef struct energies {
    double kinetic, potential; // [J] at the last sample
} energies;

static bool keep_energies(void* user, cardan_data* data, const cardan_sample* row)
{
    energies* last = user;
    (void)data;
    *last = (energies){row->energy.kinetic, row->energy.potential};
    return true;
}

// `regularized` adds compliance to rows whose rank is uncertain because of the violation.
static double tolerance_of(const char* formulation) { return strcmp(formulation, "regularized") == 0 ? 2e-3 : 2e-6; }

static bool swing(const char* path, const char* formulation, const char* integrator, energies* last)
{
    const double       tolerance = tolerance_of(formulation);
    fixture            f;
    cardan_run_summary summary;
    const bool         supported = fixture_open(&f, path, formulation, 0, NULL);
    if (supported) {
        cardan_run_settings run = cardan_run_default();
        run.integrator          = cardan_integrator_find(integrator);
        run.end                 = 0.5;
        run.sample_callback     = keep_energies;
        run.user                = last;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        if (!(summary.energy_error < tolerance))
            printf("%s by %s and %s: energy error %.2g\n", path, formulation, integrator, summary.energy_error);
        CHECK(summary.energy_error < tolerance);
        CHECK(summary.max_position_violation < 1e-10);
        CHECK(summary.events == 0 || tolerance > 1e-3);
        CHECK(summary.steps < 1000); // no short steps: accelerations have no noise
    }
    fixture_close(&f);
    return supported;
}

static void test_swing(const char* path, const char* integrator)
{
    energies reference = {0};
    CHECK(swing(path, "lagrange", integrator, &reference));
    for (int i = 0; i < cardan_formulation_count(); ++i) {
        energies last = {0};
        if (!cardan_formulation_is_exact(i) || !swing(path, cardan_formulation_name(i), integrator, &last)) continue;
        const double size =
            tolerance_of(cardan_formulation_name(i)) * (fabs(reference.kinetic) + fabs(reference.potential));
        CHECK_NEAR(last.kinetic, reference.kinetic, size);
        CHECK_NEAR(last.potential, reference.potential, size);
    }
}

// Every second hinge of the Bricard mechanism has the same angle. With q = 0 in the cube configuration, where
// neighbours are perpendicular,
//     sin q1 + sin q2 + sin q1 sin q2 = 0,    q3 = q5 = q1,    q4 = q6 = q2
// (trihedral linkage with sides of equal length: cos a + cos b + cos a cos b = 0 for its angles a, b).
static bool check_bricard(void* user, cardan_data* data, const cardan_sample* row)
{
    double* largest = user;
    double  q[6], v[6];
    (void)row;
    for (int i = 0; i < 6; ++i) cardan_data_joint_state(data, i, &q[i], &v[i]);
    CHECK_NEAR(sin(q[0]) + sin(q[1]) + sin(q[0]) * sin(q[1]), 0, 1e-9);
    for (int i = 2; i < 6; ++i) {
        CHECK_NEAR(q[i], q[i - 2], 1e-9);
        CHECK_NEAR(v[i], v[i - 2], 1e-9);
    }
    *largest = fmax(*largest, fabs(q[0]));
    return true;
}

static void test_bricard(void)
{
    for (int i = 0; i < cardan_formulation_count(); ++i) {
        if (!cardan_formulation_is_exact(i)) continue;
        fixture f;
        double  largest = 0;
        if (fixture_open(&f, "models/bricard", cardan_formulation_name(i), 0, NULL)) {
            cardan_run_settings run = cardan_run_default();
            run.end                 = 3;
            run.output_interval     = 0.1;
            run.sample_callback     = check_bricard;
            run.user                = &largest;
            cardan_run_summary summary;
            CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
            CHECK(summary.energy_error < 10 * tolerance_of(cardan_formulation_name(i)));
            CHECK(largest > 2);
        }
        fixture_close(&f);
    }
}

// Bennett linkage: the angles of opposite hinges have equal magnitudes, those of neighbours satisfy
//     tan(a/2) tan(b/2) = cos((beta + alpha)/2) / cos((beta - alpha)/2)
// a, b: angles from side to side about hinges A and B; alpha, beta: angles from hinge to hinge along sides AB and BC,
// here of opposite signs (Bennett 1914 reverses every second hinge and has sines).
typedef struct bennett {
    double a, b;    // angles at the start [rad]
    double ratio;   // product of the tangents
    double rotated; // largest angle of A [rad]
} bennett;

typedef struct vector {
    double x[3];
} vector;

static double dot(vector a, vector b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }
static vector cross(vector a, vector b)
{
    return (vector){
        {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}
static vector difference(vector a, vector b) { return (vector){{b.x[0] - a.x[0], b.x[1] - a.x[1], b.x[2] - a.x[2]}}; }
// Angle from a to b about the axis, which is perpendicular to both.
static double signed_angle(vector a, vector b, vector axis)
{
    return atan2(dot(cross(a, b), axis) / sqrt(dot(axis, axis)), dot(a, b));
}

static bennett bennett_at_start(void)
{
    const double p = 1, h = 0.3, c = 1.4 * cos(1.2), d = 1.4 * sin(1.2); // values of the model file
    const vector A = {{p, 0, h}}, B = {{c, d, -h}}, C = {{-p, 0, h}}, D = {{-c, -d, -h}};
    const vector hinge[3] = {
        {{-4 * h * d, 4 * h * c, 2 * p * d}}, {{0, 4 * h * p, 2 * p * d}}, {{4 * h * d, -4 * h * c, 2 * p * d}}};
    const double alpha = signed_angle(hinge[0], hinge[1], difference(A, B)),
                 beta  = signed_angle(hinge[1], hinge[2], difference(B, C));
    return (bennett){signed_angle(difference(D, A), difference(A, B), hinge[0]),
                     signed_angle(difference(A, B), difference(B, C), hinge[1]),
                     cos((beta + alpha) / 2) / cos((beta - alpha) / 2), 0};
}

static bool check_bennett(void* user, cardan_data* data, const cardan_sample* row)
{
    bennett* x = user;
    double   q[4], v[4];
    (void)row;
    for (int i = 0; i < 4; ++i) cardan_data_joint_state(data, i, &q[i], &v[i]);
    const double a = (x->a + q[0]) / 2, b = (x->b + q[1]) / 2;
    CHECK_NEAR(sin(a) * sin(b), x->ratio * cos(a) * cos(b), 1e-9 * (1 + fabs(x->ratio)));
    CHECK_NEAR(fabs(q[2]), fabs(q[0]), 1e-9);
    CHECK_NEAR(fabs(q[3]), fabs(q[1]), 1e-9);
    x->rotated = fmax(x->rotated, fabs(q[0]));
    return true;
}

static void simulate_bennett(const char* formulation, const char* integrator, double tolerance, long max_steps)
{
    const cardan_parameter_setting speed = {"speed", "8"};
    fixture                        f;
    bennett                        x = bennett_at_start();
    if (fixture_open(&f, "models/diagnosis/bennett.yaml", formulation, 1, &speed)) {
        cardan_run_settings run = cardan_run_default();
        cardan_run_summary  summary;
        run.integrator      = cardan_integrator_find(integrator);
        run.end             = 1.7;
        run.output_interval = 0.01;
        run.sample_callback = check_bennett;
        run.user            = &x;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        printf("Bennett linkage by %s, %s: %ld steps, energy error %.1e, A rotated by %.2f rad\n", formulation,
               integrator, (long)summary.steps, summary.energy_error, x.rotated);
        CHECK(summary.energy_error < tolerance);
        CHECK(summary.events == 0 || tolerance > 1e-3);
        CHECK(summary.steps < max_steps); // no short steps: accelerations have no noise
        CHECK(x.rotated > 4 * 3.14159265358979);
    }
    fixture_close(&f);
}

static void test_bennett(void)
{
    for (int i = 0; i < cardan_formulation_count(); ++i)
        if (cardan_formulation_is_exact(i))
            simulate_bennett(cardan_formulation_name(i), "dopri5", tolerance_of(cardan_formulation_name(i)), 500);
}

// Implicit methods use a set of independent rows, which changes along the motion.
static void test_independent_rows_change(const char* formulation)
{
    simulate_bennett(formulation, "ida", 2e-6, 6000);
    simulate_bennett(formulation, "generalized-alpha", 1e-4, 30000);
    simulate_bennett(formulation, "hht", 1e-4, 30000);
}

// The integrator restarts after a change of the independent rows, whatever the step length is; without a restart its
// steps become ever shorter.
static void test_restart(double tolerance)
{
    fixture f;
    if (fixture_open(&f, "models/four_bar", "lagrange", 0, NULL)) {
        cardan_run_settings run = cardan_run_default();
        cardan_run_summary  summary;
        run.integrator = cardan_integrator_find("ida");
        run.tolerance  = tolerance;
        run.end        = 4;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        CHECK(summary.energy_error < 100 * tolerance && summary.steps < 6000);
    }
    fixture_close(&f);
}

int main(void)
{
    RUN(test_bennett());
    RUN(test_independent_rows_change("augmented"));
    RUN(test_independent_rows_change("lagrange"));
    RUN(test_restart(2e-8));
    RUN(test_restart(3e-9));
    RUN(test_restart(1e-9));
    RUN(test_bricard());
    RUN(test_swing("models/diagnosis/spherical.yaml", "dopri5"));
    RUN(test_swing("models/diagnosis/spherical.yaml", "rk4"));
    RUN(test_swing("models/diagnosis/bennett.yaml", "dopri5"));
    RUN(test_swing("models/diagnosis/bennett.yaml", "rk4"));
    return test_end();
}
