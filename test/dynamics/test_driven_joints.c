// SPDX-License-Identifier: BSD-3-Clause
// Joints driven by the caller: disabled until used, response of the filter, closed loops, efforts, energy balance.
#include "dynamics/inputs/driven_input.h"
#include "fixture.h"
#include "model_folders.h"

enum { MAX = 96 };
static const double lag = 0.04;

#define FOUR_BAR                                                                                                       \
    "cardan: 1\n"                                                                                                      \
    "name: driven\n"                                                                                                   \
    "gravity: [0, -9.81, 0]\n"                                                                                         \
    "points: {A: [0, 0, 0], B: [0.3, 0.4, 0], C: [1.5, 1.2, 0], D: [1.4, 0, 0]}\n"                                     \
    "bodies:\n"                                                                                                        \
    "  crank:   {rod: [A, B], mass: 1}\n"                                                                              \
    "  coupler: {rod: [B, C], mass: 2}\n"                                                                              \
    "  rocker:  {rod: [C, D], mass: 1.5}\n"                                                                            \
    "joints:\n"                                                                                                        \
    "  a: {revolute: [ground, crank], at: A, axis: z}\n"                                                               \
    "  b: {revolute: [crank, coupler], at: B, axis: z}\n"                                                              \
    "  c: {revolute: [coupler, rocker], at: C, axis: z}\n"                                                             \
    "  d: {revolute: [ground, rocker], at: D, axis: z}\n"

typedef struct rig {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    cardan_model_view   m;
    cardan_report       report;
} rig;

static void tell(const rig* r)
{
    for (int i = 0; i < r->report.count; ++i) printf("    %s\n", r->report.message[i].text);
}

// joint CARDAN_NONE: all joints drivable; -2: none.
static bool begin(rig* r, const char* text, const char* formulation, int joint)
{
    *r              = (rig){0};
    const int index = cardan_formulation_find(formulation);
    bool      good  = cardan_description_load_text(text, "driven.yaml", NULL, &r->description, &r->report) == CARDAN_OK;
    if (joint != -2) good = good && cardan_description_make_drivable(r->description, joint, 0, &r->report) == CARDAN_OK;
    good = good && cardan_model_compile(r->description, cardan_formulation_tree_policy(index), &r->model, &r->report) ==
                       CARDAN_OK;
    good = good && cardan_data_create(r->model, index, &r->data, &r->report) == CARDAN_OK;
    good = good && cardan_data_assemble(r->data, NULL, NULL, NULL, NULL, &r->report) == CARDAN_OK;
    if (good) r->m = cardan_model_get_view(r->model);
    if (!good) tell(r);
    CHECK(good);
    return good;
}

static void end(rig* r)
{
    cardan_data_destroy(r->data);
    cardan_model_destroy(r->model);
    cardan_description_destroy(r->description);
}

static double coordinate(cardan_data* d, int joint, double* rate)
{
    double q[8], v[8];
    cardan_data_joint_state(d, joint, q, v);
    if (rate) *rate = v[0];
    return q[0];
}

// ---- not driven: the same motion as without drivable joints

typedef struct record {
    int    n, joint;
    double q[1000], rate[1000], effort[1000], t[1000], last_work;
} record;

static bool keep(void* user, cardan_data* d, const cardan_sample* s)
{
    record* r         = user;
    double  effort[8] = {0};
    if (r->n >= 1000) return false;
    r->q[r->n] = coordinate(d, r->joint, &r->rate[r->n]);
    CHECK(cardan_data_driver_efforts(d, s->a, effort, NULL) == CARDAN_OK);
    r->effort[r->n] = effort[0];
    r->t[r->n++]    = s->t;
    r->last_work    = s->work;
    return true;
}

static cardan_run_summary simulate(rig* r, const char* integrator, double duration, double step, record* x)
{
    cardan_run_summary  summary = {0};
    cardan_run_settings run     = cardan_run_default();
    run.integrator              = cardan_integrator_find(integrator);
    run.end                     = duration;
    run.step                    = step;
    run.tolerance               = cardan_integrator_is_low_order(run.integrator) ? 1e-6 : 1e-9;
    run.sample_callback         = keep;
    run.user                    = x;
    const cardan_status status  = cardan_simulate(r->data, &run, &summary, &r->report);
    if (status != CARDAN_OK) tell(r);
    CHECK(status == CARDAN_OK);
    return summary;
}

static const char* const formulations[] = {"dense",   "lagrange",  "augmented", "augmented-last",
                                           "order-n", "reduction", "embedding"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

static void test_disabled(void)
{
    static record free_motion, drivable;
    rig           r;
    for (int f = 0; f < FORMULATIONS; ++f) {
        free_motion = (record){0}, drivable = (record){0};
        if (!begin(&r, FOUR_BAR, formulations[f], -2)) return;
        simulate(&r, "dopri5", 1, 0, &free_motion);
        end(&r);
        if (!begin(&r, FOUR_BAR, formulations[f], CARDAN_NONE)) return;
        CHECK(cardan_data_driver_count(r.data) == 4);
        const cardan_run_summary s = simulate(&r, "dopri5", 1, 0, &drivable);
        CHECK(s.energy_error < 1e-6);
        int count = 0;
        CHECK(cardan_data_set_state(r.data, 0, r.m.q_start, r.m.v_start, NULL) == CARDAN_OK);
        CHECK(cardan_data_degrees_of_freedom(r.data, 4, &count, NULL, &r.report) == CARDAN_OK && count == 1);
        end(&r);
        CHECK(free_motion.n == drivable.n && free_motion.n > 50);
        for (int i = 0; i < free_motion.n; ++i) {
            CHECK_NEAR(drivable.q[i], free_motion.q[i], 1e-6);
            CHECK(drivable.effort[i] == 0);
        }
    }
}

// Accelerations (n) of a mechanism with all joints drivable and none driven, or without drivable joints. Returns false
// if the formulation does not support the mechanism.
static bool accelerate(const char* path, const char* formulation, bool drivable, int most, double* a, int* n)
{
    char                file[1024];
    cardan_description* description = NULL;
    cardan_model*       model       = NULL;
    cardan_data*        data        = NULL;
    cardan_report       report      = {0};
    const int           index       = cardan_formulation_find(formulation);
    snprintf(file, sizeof file, "%s/%s", CARDAN_SOURCE, path);
    bool good = cardan_description_load(file, NULL, &description, &report) == CARDAN_OK;
    if (drivable) good = good && cardan_description_make_drivable(description, CARDAN_NONE, 0, &report) == CARDAN_OK;
    good =
        good && cardan_model_compile(description, cardan_formulation_tree_policy(index), &model, &report) == CARDAN_OK;
    good = good && cardan_data_create(model, index, &data, &report) == CARDAN_OK;
    *n   = good ? cardan_model_get_view(model).nv : 0;
    good = good && *n <= most && cardan_data_assemble(data, NULL, NULL, NULL, NULL, &report) == CARDAN_OK;
    good = good && cardan_data_accelerate(data, a, NULL, &report) == CARDAN_OK;
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
    return good;
}

static void test_models(void)
{
    static model_folders models;
    static double        a[2000], b[2000];
    int                  count = 0;
    collect_models(&models, "models");
    for (int i = 0; i < models.count; ++i)
        for (int f = 1; f < FORMULATIONS; ++f) {
            int n, other;
            if (!accelerate(models.path[i], formulations[f], false, 2000, a, &n)) continue;
            const bool good = accelerate(models.path[i], formulations[f], true, 2000, b, &other);
            double     size = 1, difference = 0;
            for (int k = 0; good && k < n; ++k) {
                size       = fmax(size, fabs(a[k]));
                difference = fmax(difference, fabs(a[k] - b[k]));
            }
            if (!good || n != other || !(difference <= 1e-7 * size)) {
                printf("%s, %s: %s, off by %g of %g\n", models.path[i], formulations[f], good ? "solved" : "failed",
                       difference, size);
                test_broken = true;
            }
            ++count;
        }
    CHECK(count > 100);
}

// ---- driven: the response to a jump of the target, x = u + (c0 + c1 s + c2 s^2) exp(-s)

static double response(double t, double x0, double v0, double u)
{
    const double s = t / lag, c0 = x0 - u, c1 = lag * v0 + c0, c2 = (2 * lag * v0 + c0) / 2;
    return u + (c0 + s * (c1 + s * c2)) * exp(-s);
}

static void test_response(const char* formulation, const char* integrator, double step, double tolerance, int joint)
{
    static record x;
    rig           r;
    x = (record){.joint = joint};
    if (!begin(&r, FOUR_BAR, formulation, joint)) return;
    double       rate;
    const double start = coordinate(r.data, joint, &rate), target = start + 0.3;
    CHECK(cardan_data_drive_joint(r.data, joint, 0, target, &r.report) == CARDAN_OK);
    const cardan_run_summary s = simulate(&r, integrator, 0.6, step, &x);
    CHECK(s.max_position_violation < fmax(1e-9, tolerance)); // the loop and the driver
    CHECK(x.n == 61);
    for (int i = 0; i < x.n; ++i)
        if (!(fabs(x.q[i] - response(x.t[i], start, rate, target)) <= tolerance)) {
            printf("%s, %s, t = %g: %.12g, not %.12g\n", formulation, integrator, x.t[i], x.q[i],
                   response(x.t[i], start, rate, target));
            test_broken = true;
        }
    CHECK(fabs(x.q[x.n - 1] - target) < 1e-3);
    CHECK(fabs(x.effort[x.n - 1]) > 1); // holds the weight
    CHECK(fabs(x.last_work) > 0.1);     // lifted the weight
    CHECK(s.energy_error < fmax(1e-6, 100 * tolerance));
    end(&r);
}

// The effort is that of a driver of the model with the same motion.
static void test_effort(void)
{
    rig    r, other;
    double a[MAX], b[MAX], driven[4] = {0}, expected[4] = {0};
    bool   unique[4];
    if (!begin(&r, FOUR_BAR, "order-n", 0)) return;
    CHECK(cardan_data_drive_joint(r.data, 0, 0, coordinate(r.data, 0, NULL), &r.report) == CARDAN_OK);
    CHECK(cardan_data_accelerate(r.data, a, NULL, &r.report) == CARDAN_OK);
    CHECK(cardan_data_driver_efforts(r.data, a, driven, unique) == CARDAN_OK && unique[0]);
    CHECK(cardan_description_load_text(FOUR_BAR, "driven.yaml", NULL, &other.description, &r.report) == CARDAN_OK);
    const cardan_expression zero = cardan_description_add_constant(other.description, 0);
    CHECK(cardan_description_set_joint_drivers(other.description, 0, 1, &zero));
    CHECK(cardan_model_compile(other.description, CARDAN_TREE_BREADTH_FIRST, &other.model, &r.report) == CARDAN_OK);
    CHECK(cardan_data_create(other.model, cardan_formulation_find("order-n"), &other.data, &r.report) == CARDAN_OK);
    CHECK(cardan_data_assemble(other.data, NULL, NULL, NULL, NULL, &r.report) == CARDAN_OK);
    CHECK(cardan_data_accelerate(other.data, b, NULL, &r.report) == CARDAN_OK);
    CHECK(cardan_data_driver_efforts(other.data, b, expected, NULL) == CARDAN_OK);
    CHECK(fabs(expected[0]) > 1);
    CHECK_NEAR(driven[0], expected[0], 1e-9);
    end(&r);
    end(&other);
}

// Value, rate and acceleration are continuous at a change of the target in motion; released, the joint moves freely.
static void test_change_and_release(const char* formulation)
{
    rig    r;
    double a[MAX], before[MAX], rate;
    if (!begin(&r, FOUR_BAR, formulation, 0)) return;
    const double        start    = coordinate(r.data, 0, NULL);
    const unsigned long revision = cardan_data_input_revision(r.data);
    static record       x;
    x = (record){0};
    CHECK(cardan_data_drive_joint(r.data, 0, 0, start + 0.3, &r.report) == CARDAN_OK);
    CHECK(cardan_data_input_revision(r.data) == revision + 1);
    simulate(&r, "dopri5", 0.1, 0, &x);
    CHECK(cardan_data_accelerate(r.data, before, NULL, &r.report) == CARDAN_OK);
    const double here = coordinate(r.data, 0, &rate);
    CHECK(cardan_data_drive_joint(r.data, 0, 0, start - 0.4, &r.report) == CARDAN_OK);
    CHECK(cardan_data_accelerate(r.data, a, NULL, &r.report) == CARDAN_OK);
    for (int i = 0; i < r.m.nv; ++i) CHECK_NEAR(a[i], before[i], 1e-6);
    double position, velocity;
    CHECK(cardan_data_constraint_violation(r.data, &position, &velocity) == CARDAN_OK);
    CHECK(position < 1e-7 && velocity < 1e-6);
    CHECK_NEAR(here, response(0.1, start, 0, start + 0.3), 1e-7);
    // released: the accelerations are those without driver
    CHECK(cardan_data_release_joint(r.data, 0, 0, &r.report) == CARDAN_OK);
    CHECK(cardan_data_input_revision(r.data) == revision + 3);
    CHECK(cardan_data_accelerate(r.data, a, NULL, &r.report) == CARDAN_OK);
    const double effort = fabs(a[0] - before[0]);
    CHECK(effort > 1e-3);
    CHECK(cardan_data_release_joint(r.data, 0, 0, &r.report) == CARDAN_OK); // nothing to release
    CHECK(cardan_data_input_revision(r.data) == revision + 3);
    end(&r);
}

// A run that starts before the joint was driven begins at its start state; a restart begins at the present state.
static void test_restart(void)
{
    rig           r;
    static record x, again;
    x = (record){0}, again = (record){0};
    if (!begin(&r, FOUR_BAR, "order-n", 0)) return;
    const double start = coordinate(r.data, 0, NULL);
    simulate(&r, "rk4", 0.2, 1e-3, &x); // free
    CHECK(fabs(coordinate(r.data, 0, NULL) - start) > 1e-3);
    CHECK(cardan_data_drive_joint(r.data, 0, 0, start + 0.3, &r.report) == CARDAN_OK);
    simulate(&r, "rk4", 0.2, 1e-3, &again);
    for (int i = 0; i < again.n; ++i) CHECK_NEAR(again.q[i], response(again.t[i], start, 0, start + 0.3), 1e-6);

    double       rate = 0, position, velocity;
    const double here = coordinate(r.data, 0, &rate);
    CHECK(cardan_data_release_joint(r.data, 0, 0, &r.report) == CARDAN_OK);
    CHECK(cardan_data_drive_joint(r.data, 0, 0, 2, &r.report) == CARDAN_OK); // from the state
    cd_restart_driven_inputs(r.data, true);
    CHECK(cardan_data_constraint_violation(r.data, &position, &velocity) == CARDAN_OK);
    CHECK(position < 1e-9 && velocity < 1e-8 && fabs(rate) > 0.1 && fabs(here - 2) > 0.1);
    end(&r);
}

// A drivable model is saved without its drivers, and has no generated code.
static void test_save_and_generate(void)
{
    rig               r;
    cardan_generated* code = NULL;
    if (!begin(&r, FOUR_BAR, "order-n", CARDAN_NONE)) return;
    char* text = cardan_description_save_text(r.description);
    CHECK(text && !strstr(text, "driver"));
    CHECK(cardan_generated_create(r.model, NULL, &code, &r.report) == CARDAN_UNSUPPORTED && !code);
    free(text);
    end(&r);
}

static void test_arguments(void)
{
    rig r;
    if (!begin(&r, FOUR_BAR, "order-n", 0)) return;
    CHECK(cardan_data_drive_joint(NULL, 0, 0, 1, &r.report) == CARDAN_BAD_USAGE);
    CHECK(cardan_data_drive_joint(r.data, -1, 0, 1, &r.report) == CARDAN_BAD_USAGE);
    CHECK(cardan_data_drive_joint(r.data, 4, 0, 1, NULL) == CARDAN_BAD_USAGE);
    CHECK(cardan_data_drive_joint(r.data, 0, 1, 1, &r.report) == CARDAN_BAD_USAGE);
    CHECK(cardan_data_drive_joint(r.data, 0, -1, 1, &r.report) == CARDAN_BAD_USAGE);
    CHECK(cardan_data_drive_joint(r.data, 0, 100, 1, &r.report) == CARDAN_BAD_USAGE);
    CHECK(cardan_data_drive_joint(r.data, 0, 0, NAN, &r.report) == CARDAN_BAD_USAGE);
    CHECK(cardan_data_drive_joint(r.data, 0, 0, INFINITY, &r.report) == CARDAN_BAD_USAGE);
    CHECK(cardan_data_drive_joint(r.data, 1, 0, 1, &r.report) == CARDAN_BAD_USAGE); // not drivable
    CHECK(cardan_data_release_joint(r.data, 1, 0, &r.report) == CARDAN_BAD_USAGE);
    CHECK(cardan_data_release_joint(NULL, 0, 0, &r.report) == CARDAN_BAD_USAGE);
    CHECK(cardan_data_release_joint(r.data, 9, 0, &r.report) == CARDAN_BAD_USAGE);
    CHECK(cardan_data_set_driver(r.data, 0, (const double[]){0, 0, 0}) == CARDAN_BAD_USAGE);
    CHECK(cardan_data_input_revision(r.data) == 0);
    end(&r);

    cardan_report       report      = {0};
    cardan_description* description = cardan_description_create("joints");
    cardan_body         body        = cardan_body_default("ball");
    body.mass                       = 1;
    const int          ball         = cardan_description_add_body(description, &body);
    const cardan_joint joint        = cardan_joint_default("socket", "spherical", CARDAN_GROUND, ball);
    cardan_description_add_joint(description, &joint);
    CHECK(cardan_description_make_drivable(NULL, 0, 0, &report) == CARDAN_BAD_USAGE);
    CHECK(cardan_description_make_drivable(description, 0, 0, &report) == CARDAN_BAD_USAGE); // no coordinate
    CHECK(cardan_description_make_drivable(description, 1, 0, &report) == CARDAN_BAD_USAGE);
    CHECK(cardan_description_make_drivable(description, 0, -1, &report) == CARDAN_BAD_USAGE);
    CHECK(cardan_description_make_drivable(description, CARDAN_NONE, 1, &report) == CARDAN_BAD_USAGE);
    CHECK(cardan_description_make_drivable(description, CARDAN_NONE, 0, &report) == CARDAN_OK); // there is none
    cardan_description_destroy(description);
}

int main(void)
{
    RUN(test_disabled());
    RUN(test_models());
    for (int f = 0; f < FORMULATIONS; ++f) RUN(test_response(formulations[f], "dopri5", 0, 1e-7, f % 4));
    RUN(test_response("order-n", "rk4", 1e-3, 1e-6, 0));
    RUN(test_response("order-n", "semi-implicit-euler", 1e-4, 1e-3, 3));
    RUN(test_response("order-n", "cvode-bdf", 0, 1e-6, 2));
    RUN(test_response("lagrange", "cvode-adams", 0, 1e-6, 0));
    RUN(test_response("order-n", "ida", 0, 1e-6, 0));
    RUN(test_response("lagrange", "ida", 0, 1e-6, 1));
    RUN(test_response("order-n", "generalized-alpha", 1e-3, 1e-5, 0));
    RUN(test_response("lagrange", "generalized-alpha", 1e-3, 1e-5, 2));
    RUN(test_effort());
    RUN(test_change_and_release("order-n"));
    RUN(test_change_and_release("lagrange"));
    RUN(test_restart());
    RUN(test_save_and_generate());
    RUN(test_arguments());
    return test_end();
}
