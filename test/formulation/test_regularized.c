// SPDX-License-Identifier: BSD-3-Clause
// Sequential regularization: accelerations by iteration of compliant rows, also at singular configurations; the penalty
// method; and the integrators that satisfy loops by multiplier windows. References: closed forms of square chains,
// `dense`, and dopri5.
#include "sentences.h"
#include "fixture.h"
#include "simulation/integrators/sequential_regularization/multiplier_window.h"

#include <cardan/family.h>

#include <math.h>

static const double g = 9.81;

// ---- accelerations

static bool open_family(fixture* f, const char* family, int n, const char* formulation)
{
    *f              = (fixture){0};
    const int index = cardan_formulation_find(formulation);
    bool      good  = cardan_family_generate(family, n, NULL, &f->description, &f->report) == CARDAN_OK &&
                cardan_model_compile(f->description, cardan_formulation_tree_policy(index), &f->model, &f->report) ==
                    CARDAN_OK &&
                cardan_data_create(f->model, index, &f->data, &f->report) == CARDAN_OK;
    if (good) {
        f->m = cardan_model_get_view(f->model);
        good = cardan_data_set_state(f->data, 0, f->m.q_start, f->m.v_start, f->m.state_start) == CARDAN_OK;
    }
    CHECK(good);
    return good;
}

// Square chains at standstill: joints of one square accelerate with 6g/5, those of two as computed independently. Mass
// centres are halfway between joints.
static void test_square_chain(int squares, const double* joint)
{
    fixture f;
    if (!open_family(&f, "square-chain", squares, "regularized")) return;
    double        a[16];
    cardan_motion body[7];
    CHECK(cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK);
    cardan_data_body_motions(f.data, a, body);
    for (int i = 0; i <= squares; ++i) {
        CHECK_NEAR(body[3 * i].a[1], joint[i], 1e-11);
        if (i == 0) continue;
        CHECK_NEAR(body[3 * i - 2].a[1], (joint[i] + joint[i - 1]) / 2, 1e-11);
        CHECK_NEAR(body[3 * i - 1].a[1], (joint[i] + joint[i - 1]) / 2, 1e-11);
    }
    fixture_close(&f);
}

// All bars on one line: rows are redundant; the accelerations are regular.
static void test_singular_configurations(void)
{
    fixture f;
    double  a[8];
    if (fixture_open(&f, "models/diagnosis/flat_parallelogram.yaml", "regularized", 0, NULL)) {
        cardan_data_set_state(f.data, 0, f.m.q_start, f.m.v_start, NULL);
        CHECK(cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK);
        double q[8], v[8], joint_a[8];
        cardan_data_joint_motions(f.data, a, q, v, joint_a);
        CHECK_NEAR(joint_a[fixture_joint(&f, "A")], -9 * g / 8, 1e-12);
        CHECK(cardan_data_residual_norm(f.data, a) < 1e-12);
    }
    fixture_close(&f);
    if (fixture_open(&f, "models/diagnosis/stretched.yaml", "regularized", 0, NULL)) {
        cardan_data_set_state(f.data, 0, f.m.q_start, f.m.v_start, NULL);
        CHECK(cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK);
        CHECK_NEAR(a[0], -1.5 * g, 1e-12);
        CHECK(cardan_data_residual_norm(f.data, a) < 1e-12);
    }
    fixture_close(&f);
}

static double final_angle(const char* formulation, const char* stabilization, cardan_run_summary* s);

// The spin of a rod between two spherical joints has 1/5000 of its transverse inertia: with any stabilization it must
// not be treated as a motion without inertia.
static void test_small_inertia(void)
{
    static const char* const stabilizations[] = {"projection", "partitioning", "baumgarte", "none"};
    cardan_run_summary       s;
    const double             reference = final_angle("lagrange", "projection", &s);
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(final_angle("regularized", stabilizations[i], &s), reference, 1e-6);
        CHECK(s.status == CARDAN_OK && (i == 3 || s.max_position_violation < (i == 2 ? 1e-8 : 1e-11)));
    }
}

// Rows that are redundant only at assembled configurations get no force at states with a violation: the number of steps
// is that of other formulations and energy is conserved.
static void test_overconstrained(const char* file, long max_steps)
{
    fixture             f;
    cardan_run_summary  s;
    cardan_run_settings run = cardan_run_default();
    run.end                 = 4;
    if (fixture_open(&f, file, "regularized", 0, NULL)) {
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        CHECK(s.steps < max_steps && s.energy_error < 1e-5 && s.events == 0);
        if (test_broken) printf("    %s: %ld steps, energy error %.2g\n", file, s.steps, s.energy_error);
    }
    fixture_close(&f);
}

// The penalty method is the first iteration: accelerations differ from the exact ones by 1e-9 to 1e-4.
static void test_penalty(void)
{
    fixture exact, penalty;
    if (fixture_open(&exact, "models/four_bar", "dense", 0, NULL) &&
        fixture_open(&penalty, "models/four_bar", "penalty", 0, NULL)) {
        double a[8], b[8], difference = 0;
        cardan_data_set_state(exact.data, 0, exact.m.q_start, exact.m.v_start, NULL);
        cardan_data_set_state(penalty.data, 0, exact.m.q_start, exact.m.v_start, NULL);
        CHECK(cardan_data_accelerate(exact.data, a, NULL, NULL) == CARDAN_OK &&
              cardan_data_accelerate(penalty.data, b, NULL, NULL) == CARDAN_OK);
        for (int i = 0; i < exact.m.nv; ++i) difference = fmax(difference, fabs(a[i] - b[i]));
        CHECK(difference > 1e-9 && difference < 1e-4);
        CHECK(cardan_formulation_is_reference(cardan_formulation_find("penalty")) &&
              !cardan_formulation_is_exact(cardan_formulation_find("penalty")));
    }
    fixture_close(&exact);
    fixture_close(&penalty);
}

// ---- steps

static bool keep_angle(void* user, cardan_data* data, const cardan_sample* row)
{
    double q[8], v[8];
    (void)row;
    cardan_data_joint_state(data, 0, q, v);
    *(double*)user = q[0];
    return true;
}

static cardan_run_settings settings(const char* integrator, double end, double step, double* angle)
{
    cardan_run_settings run = cardan_run_default();
    run.integrator          = cardan_integrator_find(integrator);
    run.end                 = end;
    run.output_interval     = end / 10;
    run.step                = step;
    run.sample_callback     = keep_angle;
    run.user                = angle;
    run.violation_tolerance = 1e-10;
    return run;
}

static double final_angle(const char* formulation, const char* stabilization, cardan_run_summary* s)
{
    fixture f;
    double  angle = NAN;
    if (fixture_open(&f, "models/diagnosis/rssr.yaml", formulation, 0, NULL)) {
        cardan_run_settings run = settings("dopri5", 2, 0, &angle);
        run.stabilization       = cardan_stabilization_find(stabilization);
        CHECK(cardan_simulate(f.data, &run, s, &f.report) == CARDAN_OK);
    }
    fixture_close(&f);
    return angle;
}

static double angle_of(const char* model, const char* integrator, double end, double step, cardan_run_summary* s)
{
    fixture f;
    double  angle = NAN;
    if (fixture_open(&f, model, "order-n", 0, NULL)) {
        const cardan_run_settings run = settings(integrator, end, step, &angle);
        CHECK(cardan_simulate(f.data, &run, s, &f.report) == CARDAN_OK);
        for (int i = 0; i < f.report.count; ++i) printf("%s\n", f.report.message[i].text);
    }
    fixture_close(&f);
    return angle;
}

// A quarter of the step reduces errors and violations by a factor of 8 or more (midpoint), 2.5 or more (Euler).
static void test_order(const char* model, double end)
{
    cardan_run_summary s, s2;
    const double       reference = angle_of(model, "dopri5", end, 0, &s);
    const double       e1        = fabs(angle_of(model, "regularized-midpoint", end, 5e-4, &s) - reference);
    const double       e2        = fabs(angle_of(model, "regularized-midpoint", end, 1.25e-4, &s2) - reference);
    CHECK(e2 < fmax(e1 / 8, 1e-9) && e1 < 1e-3);
    CHECK(s2.max_position_violation < s.max_position_violation / 8 && s.max_position_violation < 1e-3);
    CHECK(s.regularization.windows == lround(400 * end) && s.steps == 5 * s.regularization.windows);
    const double f1 = fabs(angle_of(model, "regularized-euler", end, 2e-4, &s) - reference);
    const double f2 = fabs(angle_of(model, "regularized-euler", end, 5e-5, &s2) - reference);
    CHECK(f2 < f1 / 2.5 && f1 < 0.1);
    if (test_broken) printf("    %s: midpoint %.2g %.2g, Euler %.2g %.2g\n", model, e1, e2, f1, f2);
}

// A tree has no loops to regularize.
static void test_tree(void)
{
    cardan_run_summary s;
    const double       plain = angle_of("models/three_link", "midpoint", 1, 1e-3, &s);
    CHECK_NEAR(angle_of("models/three_link", "regularized-midpoint", 1, 1e-3, &s), plain, 1e-13);
}

// The stability bound of one iteration over long windows is h lambda_max / epsilon = 2; it decreases with iterations.
static void test_stability_bound(void)
{
    double m[200];
    CHECK_NEAR(cd_window_stability_bound(100, 1, 1, m), 2, 1e-2);
    for (int stages = 1; stages <= 2; ++stages)
        for (int steps = 5; steps <= 20; steps += 5)
            for (int iterations = 1; iterations <= 6; ++iterations) {
                const double more = cd_window_stability_bound(steps, stages, iterations, m),
                             less = cd_window_stability_bound(steps, stages, iterations + 1, m);
                CHECK(less <= more && less > 0.3);
            }
}

// The smallest stable epsilon reported at the start is stable if the growth of lambda_max along the motion is added.
static void test_smallest_stable_epsilon(const char* integrator)
{
    fixture f;
    double  angle;
    if (open_family(&f, "square-chain", 1, "order-n")) {
        cardan_run_settings run = settings(integrator, 0.3, 1e-3, &angle);
        cardan_run_summary  s;
        run.regularization = 1e-5;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_BAD_USAGE);
        run.regularization = 1.3 * s.regularization.epsilon_stable_min; // lambda_max grows by a factor of 1.28
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        CHECK(s.max_position_violation < 1e-4);
    }
    fixture_close(&f);
}

// Passage of the singular configurations of the N-four-bar, where rows become redundant, without singularity detection.
static void test_singular_passage(void)
{
    cardan_run_summary s;
    const double       reference = angle_of("models/n_four_bar", "dopri5", 2, 0, &s);
    CHECK(s.events > 1);
    CHECK_NEAR(angle_of("models/n_four_bar", "regularized-midpoint", 2, 1e-4, &s), reference, 1e-4);
}

// An unstable epsilon is an error that gives the smallest stable one: 1 ms * 3.75 / 2 for one square and one iteration,
// more for two. Twice that value is stable.
static void test_unstable_refused(void)
{
    fixture f;
    double  angle;
    if (open_family(&f, "square-chain", 1, "order-n")) {
        cardan_run_settings run = settings("regularized-euler", 0.1, 1e-3, &angle);
        cardan_run_summary  s;
        run.regularization = 1e-3;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_BAD_USAGE);
        CHECK_MESSAGE(&f.report.message[f.report.count - 1], CARDAN_CODE_REGULARIZATION_UNSTABLE, "epsilon = 0.00255");
        run.max_iterations = 1;
        run.window         = 100;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_BAD_USAGE);
        CHECK_MESSAGE(&f.report.message[f.report.count - 1], CARDAN_CODE_REGULARIZATION_UNSTABLE, "epsilon = 0.00188");
        run.max_iterations = run.window = 0;
        CHECK_NEAR(s.regularization.max_mobility, 3.75, 1e-6);
        run.regularization = 5e-3;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        CHECK(s.regularization.max_mobility < 4.85 && s.max_position_violation < 1e-3);
        run.stabilization = cardan_stabilization_find("projection");
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_BAD_USAGE);
        CHECK_CASE(&f.report, "projection", "regularized-euler|'projection'");
    }
    fixture_close(&f);
}

static void count_violation_events(void* user, cardan_data* data, const cardan_event* event)
{
    (void)data;
    if (event->kind != CARDAN_EVENT_VIOLATION_LIMIT) return;
    ++*(int*)user;
    CHECK_HAS(event->description, "joint 'C'");
    CHECK(event->value > 1e-12);
}

// A violation above the requested tolerance is reported as an event where it begins, in the summary and as a warning;
// not with the default tolerance.
static void test_violation_over_tolerance(void)
{
    fixture f;
    if (fixture_open(&f, "models/four_bar", "order-n", 0, NULL)) {
        cardan_run_settings run = cardan_run_default();
        cardan_run_summary  s;
        int                 events = 0;
        run.integrator             = cardan_integrator_find("regularized-midpoint");
        run.end                    = 0.1;
        run.step                   = 1e-3;
        run.event_callback         = count_violation_events;
        run.user                   = &events;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        CHECK(s.regularization.windows_over_tolerance == 0 && f.report.count == 0 && events == 0);
        run.violation_tolerance = 1e-12;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        CHECK(s.regularization.windows_over_tolerance == s.regularization.windows && events == 1 && s.events == 1);
        CHECK(s.regularization.max_window_violation > 1e-12 &&
              s.regularization.max_window_violation ==
                  s.regularization.violation_per_iteration[CARDAN_WINDOW_ITERATIONS_REPORTED - 1]);
        CHECK(f.report.count == 1);
        CHECK_MESSAGE(&f.report.message[0], CARDAN_CODE_VIOLATION_LIMIT, "warning", "20 of 20", "1e-12");
        run.violation_tolerance = 1e-2;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        CHECK(s.regularization.windows_over_tolerance == 0);
        f.report.count = 0;
        run.end        = 2;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        CHECK(s.max_position_violation > 1e-3 && f.report.count == 0); // within the requested tolerance
        run.violation_tolerance = 0;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        CHECK(s.max_position_violation > 1e-3 && f.report.count == 1);
        CHECK_MESSAGE(&f.report.message[0], CARDAN_CODE_VIOLATION_LIMIT, "warning", "'C'", " 0.00");
        run.max_iterations = 30;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_BAD_USAGE);
        CHECK_MESSAGE(&f.report.message[1], CARDAN_CODE_INVALID_OPTION, "'iterations'", "1 to 20", "30");
    }
    fixture_close(&f);
}

// Windows are not shortened if the output interval is as short as a step: violations do not depend on it.
static void test_dense_samples(void)
{
    fixture f;
    double  angle, violation[3];
    if (fixture_open(&f, "models/four_bar", "order-n", 0, NULL)) {
        for (int i = 0; i < 3; ++i) {
            cardan_run_settings run = settings("regularized-euler", 0.5, 1e-3, &angle);
            cardan_run_summary  s;
            run.output_interval     = i == 0 ? 5e-3 : i == 1 ? 1e-3 : 2.5e-4;
            run.violation_tolerance = 0;
            CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
            CHECK(s.regularization.windows == 100 && s.steps == 500 &&
                  s.samples == lround(0.5 / run.output_interval) + 1);
            violation[i] = s.max_position_violation;
        }
        CHECK(violation[1] < 1.2 * violation[0] && violation[2] < 1.2 * violation[0] && violation[0] < 2e-3);
    }
    fixture_close(&f);
}

// Form of the paper: one window over the whole duration. Every iteration reduces the violation by the same factor for 1
// to 60 squares.
static void test_iterations(void)
{
    const int squares[] = {1, 3, 10, 60};
    for (int i = 0; i < 4; ++i) {
        fixture f;
        double  angle;
        if (open_family(&f, "square-chain", squares[i], "order-n")) {
            cardan_run_settings run = settings("regularized-midpoint", 0.3, 0.01, &angle);
            cardan_run_summary  s;
            run.output_interval     = 0.3;
            run.window              = 30;
            run.regularization      = 0.05;
            run.violation_tolerance = 1e-9;
            CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
            CHECK(s.regularization.windows == 1 && s.steps == 30);
            for (int k = 1; k < 3; ++k)
                CHECK(s.regularization.violation_per_iteration[k] <
                      0.5 * s.regularization.violation_per_iteration[k - 1]);
            CHECK(s.max_position_violation < 2e-3);
        }
        fixture_close(&f);
    }
}

typedef struct position {
    double p[3];
} position;

static bool keep_position(void* user, cardan_data* data, const cardan_sample* row)
{
    cardan_motion body[6];
    cardan_data_body_motions(data, row->a, body);
    memcpy(((position*)user)->p, body[1].p, sizeof body[1].p);
    return true;
}

static position position_of_ring(const char* formulation, const char* integrator, cardan_run_summary* s)
{
    fixture  f;
    position x = {{NAN, NAN, NAN}};
    if (open_family(&f, "ring", 6, formulation)) {
        cardan_run_settings run = settings(integrator, 0.5, 5e-4, NULL);
        run.sample_callback     = keep_position;
        run.user                = &x;
        run.regularization      = cardan_integrator_is_regularized(run.integrator) ? 0.01 : 0;
        CHECK(cardan_simulate(f.data, &run, s, &f.report) == CARDAN_OK);
    }
    fixture_close(&f);
    return x;
}

// In maximal coordinates every joint is a constraint and only masses are inverted (AlgII of the paper): the same motion
// with a larger epsilon.
static void test_maximal_coordinates(void)
{
    cardan_run_summary exact, tree, maximal;
    const position     x = position_of_ring("dense", "dopri5", &exact),
                   a     = position_of_ring("order-n", "regularized-midpoint", &tree),
                   b     = position_of_ring("lagrange", "regularized-midpoint", &maximal);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(a.p[i], x.p[i], 2e-4);
        CHECK_NEAR(b.p[i], x.p[i], 2e-4);
    }
    CHECK(tree.regularization.max_mobility > 4 &&
          maximal.regularization.max_mobility > 1.5 * tree.regularization.max_mobility);
}

// Rods without inertia about their axes have a singular mass matrix as free bodies: an error.
static void test_without_inertia(void)
{
    fixture f;
    double  angle;
    if (fixture_open(&f, "models/four_bar", "lagrange", 0, NULL)) {
        const cardan_run_settings run = settings("regularized-midpoint", 0.2, 1e-3, &angle);
        cardan_run_summary        s;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_SINGULAR);
        CHECK_MESSAGE(&f.report.message[f.report.count - 1], CARDAN_CODE_ZERO_INERTIA, "");
    }
    fixture_close(&f);
}

// Nearly redundant rows of a long ladder: a small residual of the rows is a large error of accelerations. These are
// accurate, or an error is reported.
static cardan_status ladder(int cells, const char* formulation, fixture* f, double** a)
{
    CHECK(cardan_family_generate("ladder", cells, NULL, &f->description, &f->report) == CARDAN_OK);
    CHECK(cardan_model_compile(f->description, CARDAN_TREE_BREADTH_FIRST, &f->model, &f->report) == CARDAN_OK);
    CHECK(cardan_data_create(f->model, cardan_formulation_find(formulation), &f->data, &f->report) == CARDAN_OK);
    f->m = cardan_model_get_view(f->model);
    *a   = calloc((size_t)f->m.nv, sizeof **a);
    return cardan_data_accelerate(f->data, *a, NULL, &f->report);
}

static void test_long_ladder(int cells, cardan_status expected)
{
    double *a, *b, difference = 0, largest = 0;
    fixture f = {0}, k = {0};
    CHECK(ladder(cells, "reduction", &f, &a) == CARDAN_OK);
    CHECK(ladder(cells, "regularized", &k, &b) == expected);
    for (int v = 0; v < f.m.nv; ++v) {
        difference = fmax(difference, fabs(b[v] - a[v]));
        largest    = fmax(largest, fabs(a[v]));
    }
    CHECK(largest > 1);
    if (expected == CARDAN_OK) CHECK_NEAR(difference, 0, 1e-9);
    free(a), free(b);
    fixture_close(&f), fixture_close(&k);
}

int main(void)
{
    RUN(test_square_chain(1, (double[]){0, -6 * g / 5}));
    RUN(test_square_chain(2, (double[]){0, -11.252647058824, -9.521470588235}));
    RUN(test_singular_configurations());
    RUN(test_small_inertia());
    RUN(test_overconstrained("models/diagnosis/bennett.yaml", 120));
    RUN(test_overconstrained("models/diagnosis/spherical.yaml", 700));
    RUN(test_penalty());
    RUN(test_order("models/four_bar", 0.5));
    RUN(test_order("models/slider_crank", 0.5));
    RUN(test_order("models/five_bar_redundant", 0.5));
    RUN(test_tree());
    RUN(test_singular_passage());
    RUN(test_unstable_refused());
    RUN(test_stability_bound());
    RUN(test_smallest_stable_epsilon("regularized-euler"));
    RUN(test_smallest_stable_epsilon("regularized-midpoint"));
    RUN(test_violation_over_tolerance());
    RUN(test_dense_samples());
    RUN(test_iterations());
    RUN(test_maximal_coordinates());
    RUN(test_without_inertia());
    RUN(test_long_ladder(5000, CARDAN_OK));
    RUN(test_long_ladder(20000, CARDAN_NOT_CONVERGED));
    RUN(test_sentences("test_regularized"));
    return test_end();
}
