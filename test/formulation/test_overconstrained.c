// SPDX-License-Identifier: BSD-3-Clause
// Loops in space that move although they should not: a spherical four-bar, all of whose axes meet, a Bennett linkage,
// Bricard's mechanism. Some of their equations repeat others where the loop is closed, and only there: at the stages of
// a step, which leave gaps, they must not lock the motion. One row of the spherical loop even vanishes where it is
// closed. Every formulation carries them alike, keeps the energy and tells of no singular pose.
#include "fixture.h"

typedef struct seen {
    double kinetic, potential; // [J] at the last row
} seen;

static bool look(void* user, cardan_data* data, const cardan_sample* row)
{
    seen* last = user;
    (void)data;
    *last = (seen){row->energy.kinetic, row->energy.potential};
    return true;
}

// `regularized` softens rows as far as gaps make them doubtful.
static double tolerance_of(const char* formulation) { return strcmp(formulation, "regularized") == 0 ? 2e-3 : 2e-6; }

static bool swing(const char* path, const char* formulation, const char* integrator, seen* last)
{
    const double   tolerance = tolerance_of(formulation);
    fixture        f;
    cardan_summary summary;
    const bool     takes = fixture_open(&f, path, formulation, 0, NULL);
    if (takes) {
        cardan_run run      = cardan_run_default();
        run.integrator      = cardan_integrator_find(integrator);
        run.end             = 0.5;
        run.sample_callback = look;
        run.user            = last;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        if (!(summary.energy_error < tolerance))
            printf("%s by %s and %s: energy error %.2g\n", path, formulation, integrator, summary.energy_error);
        CHECK(summary.energy_error < tolerance);
        CHECK(summary.max_position_violation < 1e-10);
        CHECK(summary.events == 0 || tolerance > 1e-3);
        CHECK(summary.steps < 1000);
    }
    fixture_close(&f);
    return takes;
}

static void test_swing(const char* path, const char* integrator)
{
    seen reference = {0};
    CHECK(swing(path, "lagrange", integrator, &reference));
    for (int i = 0; i < cardan_formulation_count(); ++i) {
        seen last = {0};
        if (!cardan_formulation_is_exact(i) || !swing(path, cardan_formulation_name(i), integrator, &last)) continue;
        const double size =
            tolerance_of(cardan_formulation_name(i)) * (fabs(reference.kinetic) + fabs(reference.potential));
        CHECK_NEAR(last.kinetic, reference.kinetic, size);
        CHECK_NEAR(last.potential, reference.potential, size);
    }
}

// The hinges of Bricard's mechanism turn alike by turns. With q from the cube, where neighbours are at right angles,
//     sin q1 + sin q2 + sin q1 sin q2 = 0,    q3 = q5 = q1,    q4 = q6 = q2
// (the trihedral linkage with sides of one length: cos a + cos b + cos a cos b = 0 for its angles a, b).
static bool look_at_hinges(void* user, cardan_data* data, const cardan_sample* row)
{
    double* farthest = user;
    double  q[6], v[6];
    (void)row;
    for (int i = 0; i < 6; ++i) cardan_joint_state(data, i, &q[i], &v[i]);
    CHECK_NEAR(sin(q[0]) + sin(q[1]) + sin(q[0]) * sin(q[1]), 0, 1e-9);
    for (int i = 2; i < 6; ++i) {
        CHECK_NEAR(q[i], q[i - 2], 1e-9);
        CHECK_NEAR(v[i], v[i - 2], 1e-9);
    }
    *farthest = fmax(*farthest, fabs(q[0]));
    return true;
}

static void test_bricard(void)
{
    for (int i = 0; i < cardan_formulation_count(); ++i) {
        if (!cardan_formulation_is_exact(i)) continue;
        fixture f;
        double  farthest = 0;
        if (fixture_open(&f, "models/bricard", cardan_formulation_name(i), 0, NULL)) {
            cardan_run run      = cardan_run_default();
            run.end             = 3;
            run.output_interval = 0.1;
            run.sample_callback = look_at_hinges;
            run.user            = &farthest;
            cardan_summary summary;
            CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
            CHECK(summary.energy_error < 10 * tolerance_of(cardan_formulation_name(i)));
            CHECK(farthest > 2);
        }
        fixture_close(&f);
    }
}

// Bennett's linkage: opposite hinges turn alike and against each other, and neighbours by
//     tan(a/2) tan(b/2) = cos((beta + alpha)/2) / cos((beta - alpha)/2)
// a, b: angles from side to side about hinges A and B; alpha, beta: from hinge to hinge along sides AB and BC, here of
// opposite signs (Bennett 1914, who has every other hinge the other way, and sines).
typedef struct bennett {
    double a, b, ratio; // at the start; of the tangents
    double turned;      // of A [rad]
} bennett;

typedef struct arrow {
    double x[3];
} arrow;

static double along(arrow a, arrow b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }
static arrow  across(arrow a, arrow b)
{
    return (arrow){
        {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}
static arrow from_to(arrow a, arrow b) { return (arrow){{b.x[0] - a.x[0], b.x[1] - a.x[1], b.x[2] - a.x[2]}}; }
// Angle from a to b, seen against the axis, which is at right angles to both.
static double turn_of(arrow a, arrow b, arrow axis)
{
    return atan2(along(across(a, b), axis) / sqrt(along(axis, axis)), along(a, b));
}

static bennett bennett_at_start(void)
{
    const double p = 1, h = 0.3, c = 1.4 * cos(1.2), d = 1.4 * sin(1.2); // as the file has them
    const arrow  A = {{p, 0, h}}, B = {{c, d, -h}}, C = {{-p, 0, h}}, D = {{-c, -d, -h}};
    const arrow  hinge[3] = {
         {{-4 * h * d, 4 * h * c, 2 * p * d}}, {{0, 4 * h * p, 2 * p * d}}, {{4 * h * d, -4 * h * c, 2 * p * d}}};
    const double alpha = turn_of(hinge[0], hinge[1], from_to(A, B)), beta = turn_of(hinge[1], hinge[2], from_to(B, C));
    return (bennett){turn_of(from_to(D, A), from_to(A, B), hinge[0]), turn_of(from_to(A, B), from_to(B, C), hinge[1]),
                     cos((beta + alpha) / 2) / cos((beta - alpha) / 2), 0};
}

static bool look_at_bennett(void* user, cardan_data* data, const cardan_sample* row)
{
    bennett* x = user;
    double   q[4], v[4];
    (void)row;
    for (int i = 0; i < 4; ++i) cardan_joint_state(data, i, &q[i], &v[i]);
    const double a = (x->a + q[0]) / 2, b = (x->b + q[1]) / 2;
    CHECK_NEAR(sin(a) * sin(b), x->ratio * cos(a) * cos(b), 1e-9 * (1 + fabs(x->ratio)));
    CHECK_NEAR(fabs(q[2]), fabs(q[0]), 1e-9);
    CHECK_NEAR(fabs(q[3]), fabs(q[1]), 1e-9);
    x->turned = fmax(x->turned, fabs(q[0]));
    return true;
}

static void turn_bennett(const char* formulation, const char* integrator, double tolerance, long most)
{
    const cardan_parameter_setting speed = {"speed", "8"};
    fixture                        f;
    bennett                        x = bennett_at_start();
    if (fixture_open(&f, "models/doctor/bennett.yaml", formulation, 1, &speed)) {
        cardan_run     run = cardan_run_default();
        cardan_summary summary;
        run.integrator      = cardan_integrator_find(integrator);
        run.end             = 1.7;
        run.output_interval = 0.01;
        run.sample_callback = look_at_bennett;
        run.user            = &x;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        printf("Bennett's linkage by %s, %s: %ld steps, energy error %.1e, A turned by %.2f rad\n", formulation,
               integrator, (long)summary.steps, summary.energy_error, x.turned);
        CHECK(summary.energy_error < tolerance);
        CHECK(summary.events == 0 || tolerance > 1e-3);
        CHECK(summary.steps < most);
        CHECK(x.turned > 4 * 3.14159265358979);
    }
    fixture_close(&f);
}

static void test_bennett(void)
{
    for (int i = 0; i < cardan_formulation_count(); ++i)
        if (cardan_formulation_is_exact(i))
            turn_bennett(cardan_formulation_name(i), "dopri5", tolerance_of(cardan_formulation_name(i)), 500);
}

// Implicit methods hold rows that do not repeat others; which ones do changes as the hinges turn.
static void test_rows_exchanged(const char* formulation)
{
    turn_bennett(formulation, "ida", 2e-6, 6000);
    turn_bennett(formulation, "generalized-alpha", 1e-4, 30000);
    turn_bennett(formulation, "hht", 1e-4, 30000);
}

// After rows are exchanged the method begins anew, with steps of any length.
static void test_begun_anew(double tolerance)
{
    fixture f;
    if (fixture_open(&f, "models/four_bar", "lagrange", 0, NULL)) {
        cardan_run     run = cardan_run_default();
        cardan_summary summary;
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
    RUN(test_rows_exchanged("augmented"));
    RUN(test_rows_exchanged("lagrange"));
    RUN(test_begun_anew(2e-8));
    RUN(test_begun_anew(3e-9));
    RUN(test_begun_anew(1e-9));
    RUN(test_bricard());
    RUN(test_swing("models/doctor/spherical.yaml", "dopri5"));
    RUN(test_swing("models/doctor/spherical.yaml", "rk4"));
    RUN(test_swing("models/doctor/bennett.yaml", "dopri5"));
    RUN(test_swing("models/doctor/bennett.yaml", "rk4"));
    return test_end();
}
