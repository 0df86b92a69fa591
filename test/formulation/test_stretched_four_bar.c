// SPDX-License-Identifier: BSD-3-Clause
// Poses that a fixed choice of dependent joints cannot pass: the four-bar with coupler and rocker stretched, where the
// crank cannot be independent, and near it; the flat parallelogram, where the mechanism itself changes rank. Every
// formulation solves, or refuses with the joint named.
#include "loop_models.h"

#include "dynamics/data.h"

static const double pi = 3.14159265358979323846;

static bool takes_loops(const char* formulation)
{
    fixture    f;
    const bool takes = fixture_open(&f, "models/four_bar", formulation, 0, NULL);
    fixture_close(&f);
    return takes;
}

static int bar(cardan_description* d, const char* name, double length, double mass)
{
    cardan_body b = cardan_body_default(name);
    b.mass        = mass;
    b.centre[0]   = length / 2;
    b.inertia[1] = b.inertia[2] = mass * length * length / 12;
    return cardan_description_add_body(d, &b);
}

// Four-bar of lengths a, b, c, d whose joint angles are q, from pivot to pivot.
static cardan_description* linkage(const double length[4], const double mass[3], const double q[4], const double v[4])
{
    static const char* const name[] = {"A", "B", "C", "D"};
    cardan_description*      d      = cardan_description_create("linkage");
    cardan_description_set_gravity(d, (const double[3]){0, -9.81, 0});
    const int body[5] = {CARDAN_GROUND, bar(d, "crank", length[0], mass[0]), bar(d, "coupler", length[1], mass[1]),
                         bar(d, "rocker", length[2], mass[2]), CARDAN_GROUND};
    for (int i = 0; i < 4; ++i) {
        cardan_joint j     = cardan_joint_default(name[i], "revolute", body[i], body[i + 1]);
        j.frame_first.p[0] = i > 0 ? length[i - 1] : 0;
        if (i == 3) j.frame_second.p[0] = length[3];
        j.start_q_given = j.start_v_given = true;
        j.start_q[0]                      = q[i];
        j.start_v[0]                      = v[i];
        cardan_description_add_joint(d, &j);
    }
    return d;
}

static const char* const names[4] = {"A", "B", "C", "D"};

static bool accelerate(const cardan_description* d, const char* formulation, double acceleration[4], double* error,
                       cardan_report* report)
{
    const int     index = cardan_formulation_find(formulation);
    cardan_model* m     = NULL;
    cardan_data*  data  = NULL;
    double        a[32];
    cardan_status status = cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, report);
    if (!status) status = cardan_data_create(m, index, &data, report);
    if (!status) status = cardan_accelerate(data, a, NULL, report);
    for (int i = 0; !status && i < 4; ++i) cardan_joint_acceleration(data, i, a, &acceleration[i]);
    if (!status) *error = cardan_residual_norm(data, a);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    return status == CARDAN_OK;
}

// |BD| = b + c - gap, at rest. Stretched, the accelerations are known; near it, all formulations agree.
static void test_stretched(const char* formulation, double gap)
{
    static const double length[4] = {2, 1, 1.5, 2}, mass[3] = {1, 2, 1.5}, rest[4] = {0},
                        known[4] = {0, -9.196875, 15.328125, -6.13125};
    const double e = 2.5 - gap, phi = 2 * asin(e / 4), to_D = (pi - phi) / -2; // |AB| = |AD|
    const double beta = to_D + acos((1 + e * e - 2.25) / (2 * e) > 1 ? 1 : (1 + e * e - 2.25) / (2 * e));
    const double B[2] = {2 * cos(phi), 2 * sin(phi)}, C[2] = {B[0] + cos(beta), B[1] + sin(beta)},
                 gamma         = atan2(-C[1], 2 - C[0]);
    const double        q[4]   = {phi, beta - phi, gamma - beta, -gamma};
    cardan_description* d      = linkage(length, mass, q, rest);
    cardan_report       report = {0}, other = {0};
    double              a[4] = {0}, dense[4] = {0}, error = 1, dense_error = 1;
    CHECK(accelerate(d, formulation, a, &error, &report));
    CHECK(accelerate(d, "dense", dense, &dense_error, &other));
    for (int i = 0; i < report.count; ++i) printf("%s: %s\n", formulation, report.message[i].text);
    CHECK(error < 1e-9);
    for (int i = 0; i < 4; ++i) CHECK_NEAR(a[i], gap == 0 ? known[i] : dense[i], gap == 0 ? 1e-7 : 1e-9);
    if (test_broken)
        printf("    %s, gap %g: %.9g %.9g %.9g %.9g, dense %.9g %.9g %.9g %.9g\n", formulation, gap, a[0], a[1], a[2],
               a[3], dense[0], dense[1], dense[2], dense[3]);
    cardan_description_destroy(d);
}

// On one line. Cranks that turn alike go on; all at rest they fall; with speeds that neither branch has, the loop would
// have to tear, and who refuses says which joint.
static void test_flat(const char* formulation)
{
    static const double length[4] = {1, 2, 1, 2}, mass[3] = {1, 2, 1}, q[4] = {0, 0, pi, -pi};
    const double        along[4] = {3, -3, 3, -3}, torn[4] = {3, -2, 0, -1};
    double              a[4] = {0}, error = 1;
    cardan_report       report = {0};
    cardan_description* d      = linkage(length, mass, q, (const double[4]){0});
    CHECK(accelerate(d, formulation, a, &error, &report));
    CHECK_NEAR(a[0], -9.81 * 9 / 8, 1e-9);
    CHECK_NEAR(a[0] + a[1], 0, 1e-9);
    CHECK(error < 1e-9);
    cardan_description_destroy(d);

    d = linkage(length, mass, q, along);
    CHECK(accelerate(d, formulation, a, &error, &report));
    CHECK_NEAR(a[0], -9.81 * 9 / 8, 1e-9);
    CHECK_NEAR(a[0] + a[1], 0, 1e-9);
    CHECK(error < 1e-9 && report.count == 0);
    cardan_description_destroy(d);

    d = linkage(length, mass, q, torn);
    CHECK(!accelerate(d, formulation, a, &error, &report));
    CHECK(report.count == 1 && report.message[0].severity == CARDAN_ERROR);
    bool named = false;
    for (int i = 0; i < 4; ++i) {
        char quoted[8];
        snprintf(quoted, sizeof quoted, "'%s'", names[i]);
        named |= report.count > 0 && strstr(report.message[0].text, quoted);
    }
    CHECK(named);
    if (test_broken) printf("    %s: %s\n", formulation, report.count ? report.message[0].text : "no word");
    cardan_description_destroy(d);
}

int main(void)
{
    static const double gaps[] = {0.1, 1e-2, 1e-3, 1e-4, 1e-5, 0};
    for (int i = 0; i < cardan_formulation_count(); ++i) {
        const char* name = cardan_formulation_name(i);
        if (!cardan_formulation_is_exact(i) || !takes_loops(name)) continue;
        for (size_t k = 0; k < sizeof gaps / sizeof *gaps; ++k) RUN(test_stretched(name, gaps[k]));
        RUN(test_flat(name));
    }
    return test_end();
}
