// SPDX-License-Identifier: BSD-3-Clause
// Bodies without inertia in loops with redundant equations: the spatial ladder of L cells against its closed form.
// Rails hang on universal joints (axes x, y), each rung connects neighbouring rails by two hinges about y; all bodies
// are slender rods, or the rungs have no mass. For any L, with rails (m, l) and rungs (mr) at h below the top,
//
//     A = (L+1) m l^2/3 + L mr h^2,   C = (L+1) m l/2 + L mr h,   w2 = g C/A
//     u1' = 2 tan(q2) u1 u2 - w2 sin(q1)/cos(q2)
//     u2' = -sin(q2) cos(q2) u1^2 - w2 cos(q1) sin(q2)
#include "test.h"

#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>

static const double g = 9.81, h = 0.8;

static int add_rod(cardan_description* d, const char* name, int i, double mass, int axis, double length)
{
    char full[32];
    snprintf(full, sizeof full, "%s%d", name, i);
    cardan_body b  = cardan_body_default(full);
    b.mass         = mass;
    b.centre[axis] = (axis == 2 ? -1 : 1) * length / 2;
    for (int k = 0; k < 3; ++k) b.inertia[k] = k == axis ? 0 : mass * length * length / 12;
    return cardan_description_add_body(d, &b);
}

// Hinge about y (z axis of the joint frame along y) with start values q, v.
static void add_hinge(cardan_description* d, const char* name, int i, int first, int second, double x1, double z1,
                      double x2, double z2, double q, double v)
{
    char full[32];
    snprintf(full, sizeof full, "%s%d", name, i);
    cardan_joint j    = cardan_joint_default(full, "revolute", first, second);
    const double half = sqrt(0.5);
    j.frame_first     = (cardan_pose){{x1, 0, z1}, {half, -half, 0, 0}};
    j.frame_second    = (cardan_pose){{x2, 0, z2}, {half, -half, 0, 0}};
    j.start_q_given = j.start_v_given = true;
    j.start_q[0]                      = q;
    j.start_v[0]                      = v;
    cardan_description_add_joint(d, &j);
}

typedef struct motion {
    double q1, q2, u1, u2;
} motion;

static cardan_description* ladder(int cells, double rung_mass, motion s)
{
    cardan_description* d = cardan_description_create("ladder");
    int                 rail[16], rung[16];
    cardan_description_set_gravity(d, (const double[3]){0, 0, -g});
    for (int i = 0; i <= cells; ++i) rail[i] = add_rod(d, "rail", i, 1, 2, 1);
    for (int i = 1; i <= cells; ++i) rung[i] = add_rod(d, "rung", i, rung_mass, 0, 0.5);
    for (int i = 0; i <= cells; ++i) {
        char name[32];
        snprintf(name, sizeof name, "top%d", i);
        cardan_joint j          = cardan_joint_default(name, "universal", CARDAN_GROUND, rail[i]);
        j.frame_first.p[0]      = 0.5 * i;
        j.elementary[0].axis[0] = 1;
        j.elementary[1].axis[1] = 1;
        j.start_q_given = j.start_v_given = true;
        j.start_q[0]                      = s.q1;
        j.start_q[1]                      = s.q2;
        j.start_v[0]                      = s.u1;
        j.start_v[1]                      = s.u2;
        cardan_description_add_joint(d, &j);
    }
    for (int i = 1; i <= cells; ++i) {
        add_hinge(d, "left", i, rail[i - 1], rung[i], 0, -h, 0, 0, -s.q2, -s.u2);
        add_hinge(d, "right", i, rung[i], rail[i], 0.5, 0, 0, -h, s.q2, s.u2);
    }
    return d;
}

static motion rate(int cells, double mr, motion s)
{
    const double A = (cells + 1) / 3.0 + cells * mr * h * h, C = (cells + 1) / 2.0 + cells * mr * h, w2 = g * C / A;
    return (motion){s.u1, s.u2, 2 * tan(s.q2) * s.u1 * s.u2 - w2 * sin(s.q1) / cos(s.q2),
                    -sin(s.q2) * cos(s.q2) * s.u1 * s.u1 - w2 * cos(s.q1) * sin(s.q2)};
}

static motion add(motion a, double k, motion b)
{
    return (motion){a.q1 + k * b.q1, a.q2 + k * b.q2, a.u1 + k * b.u1, a.u2 + k * b.u2};
}

// Integrate the closed form to `end` by rk4.
static motion closed_form(int cells, double mr, motion s, double end)
{
    const int    n    = 20000;
    const double step = end / n;
    for (int i = 0; i < n; ++i) {
        const motion k1 = rate(cells, mr, s), k2 = rate(cells, mr, add(s, step / 2, k1)),
                     k3 = rate(cells, mr, add(s, step / 2, k2)), k4 = rate(cells, mr, add(s, step, k3));
        s = add(add(add(add(s, step / 6, k1), step / 3, k2), step / 3, k3), step / 6, k4);
    }
    return s;
}

typedef struct instance {
    cardan_description* d;
    cardan_model*       m;
    cardan_data*        data;
    cardan_report       report;
} instance;

static bool open(instance* r, cardan_description* d, const char* formulation)
{
    const int index      = cardan_formulation_find(formulation);
    *r                   = (instance){.d = d};
    cardan_status status = cardan_model_compile(d, cardan_formulation_tree_policy(index), &r->m, &r->report);
    if (!status) status = cardan_data_create(r->m, index, &r->data, &r->report);
    for (int i = 0; status && i < r->report.count; ++i) printf("%s\n", r->report.message[i].text);
    CHECK(status == CARDAN_OK);
    return status == CARDAN_OK;
}

static void close(instance* r)
{
    cardan_data_destroy(r->data);
    cardan_model_destroy(r->m);
    cardan_description_destroy(r->d);
}

// Accelerations at standstill and in motion, including the vertical configuration (q1 = q2 = 0).
static void test_accelerations(int cells, double mr, const char* formulation)
{
    const motion state[] = {{0.4, 0.5, 0.6, -0.8}, {0, 0.5, 0.6, -0.8}, {0.4, 0, -0.3, 0.2}, {0, 0, 1, 2},
                            {0, 0, 0, 0},          {1e-9, 1e-9, 1, 1},  {-0.7, 0.3, 0, 0}};
    for (size_t i = 0; i < sizeof state / sizeof *state; ++i) {
        instance r;
        double   a[512], top[2] = {NAN, NAN};
        if (!open(&r, ladder(cells, mr, state[i]), formulation)) break;
        const cardan_status status = cardan_data_accelerate(r.data, a, NULL, &r.report);
        CHECK(status == CARDAN_OK);
        for (int k = 0; status && k < r.report.count; ++k) printf("state %zu: %s\n", i, r.report.message[k].text);
        const motion expected = rate(cells, mr, state[i]);
        for (int j = 0; j <= cells && status == CARDAN_OK; ++j) {
            cardan_data_joint_acceleration(r.data, j, a, top);
            CHECK_NEAR(top[0], expected.u1, 1e-9);
            CHECK_NEAR(top[1], expected.u2, 1e-9);
        }
        close(&r);
    }
}

static double end_q[2], end_v[2];

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* row)
{
    (void)user, (void)row;
    cardan_data_joint_state(data, 0, end_q, end_v);
    return true;
}

// Simulate two seconds; the motion passes q1 = 0.
static void test_motion(int cells, double mr, const char* formulation, const char* integrator)
{
    const motion        start = {0.4, 0.5, 0.6, -0.8};
    instance            r;
    cardan_run_summary  summary;
    cardan_run_settings run = cardan_run_default();
    if (!open(&r, ladder(cells, mr, start), formulation)) return;
    run.integrator      = cardan_integrator_find(integrator);
    run.tolerance       = 1e-10;
    run.step            = 2e-3;
    run.end             = 2;
    run.output_interval = 0.5;
    run.sample_callback = keep_sample;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    for (int k = 0; k < r.report.count; ++k) printf("%s %s: %s\n", formulation, integrator, r.report.message[k].text);
    const motion expected = closed_form(cells, mr, start, 2);
    CHECK_NEAR(end_q[0], expected.q1, 1e-7);
    CHECK_NEAR(end_q[1], expected.q2, 1e-7);
    CHECK_NEAR(end_v[0], expected.u1, 1e-7);
    CHECK_NEAR(end_v[1], expected.u2, 1e-7);
    CHECK(summary.energy_error < 1e-8);
    CHECK(summary.max_position_violation < 1e-10);
    close(&r);
}

int main(void)
{
    const char* const formulations[] = {"dense", "lagrange"};
    const double      rung[]         = {0.3, 0};
    for (int f = 0; f < 2; ++f)
        for (int k = 0; k < 2; ++k) {
            RUN(test_accelerations(1, rung[k], formulations[f]));
            RUN(test_accelerations(3, rung[k], formulations[f]));
            RUN(test_accelerations(10, rung[k], formulations[f]));
            RUN(test_motion(3, rung[k], formulations[f], "dopri5"));
            RUN(test_motion(3, rung[k], formulations[f], "rk4"));
        }
    return test_end();
}
