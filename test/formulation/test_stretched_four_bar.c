// SPDX-License-Identifier: BSD-3-Clause
// Configurations at which a fixed set of dependent coordinates is singular: the four-bar with stretched coupler and
// rocker, where the crank cannot be independent, and near it; the flat parallelogram, where the constraint Jacobian
// loses rank. Every formulation solves them, or reports an error with the name of a joint. References: accelerations
// in closed form, and `dense`.
#include "loop_models.h"

#include "dynamics/data.h"

static const double pi = 3.14159265358979323846;

static bool supports_loops(const char* formulation)
{
    fixture    f;
    const bool supported = fixture_open(&f, "models/four_bar", formulation, 0, NULL);
    fixture_close(&f);
    return supported;
}

static int bar(cardan_description* d, const char* name, double length, double mass)
{
    cardan_body b = cardan_body_default(name);
    b.mass        = mass;
    b.centre[0]   = length / 2;
    b.inertia[1] = b.inertia[2] = mass * length * length / 12;
    return cardan_description_add_body(d, &b);
}

// Four-bar of lengths a, b, c, d with joint angles q and velocities v.
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
    if (!status) status = cardan_data_accelerate(data, a, NULL, report);
    for (int i = 0; !status && i < 4; ++i) cardan_data_joint_acceleration(data, i, a, &acceleration[i]);
    if (!status) *error = cardan_data_residual_norm(data, a);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    return status == CARDAN_OK;
}

// |BD| = b + c - shortening, at standstill. Stretched (0): accelerations in closed form; near it: those of `dense`.
static void test_stretched(const char* formulation, double shortening)
{
    static const double length[4] = {2, 1, 1.5, 2}, mass[3] = {1, 2, 1.5}, standstill[4] = {0},
                        known[4] = {0, -9.196875, 15.328125, -6.13125};
    const double e = 2.5 - shortening, phi = 2 * asin(e / 4), to_D = (pi - phi) / -2; // |AB| = |AD|
    const double beta = to_D + acos((1 + e * e - 2.25) / (2 * e) > 1 ? 1 : (1 + e * e - 2.25) / (2 * e));
    const double B[2] = {2 * cos(phi), 2 * sin(phi)}, C[2] = {B[0] + cos(beta), B[1] + sin(beta)},
                 gamma         = atan2(-C[1], 2 - C[0]);
    const double        q[4]   = {phi, beta - phi, gamma - beta, -gamma};
    cardan_description* d      = linkage(length, mass, q, standstill);
    cardan_report       report = {0}, other = {0};
    double              a[4] = {0}, dense[4] = {0}, error = 1, dense_error = 1;
    CHECK(accelerate(d, formulation, a, &error, &report));
    CHECK(accelerate(d, "dense", dense, &dense_error, &other));
    for (int i = 0; i < report.count; ++i) printf("%s: %s\n", formulation, report.message[i].text);
    CHECK(error < 1e-9);
    for (int i = 0; i < 4; ++i) CHECK_NEAR(a[i], shortening == 0 ? known[i] : dense[i], shortening == 0 ? 1e-7 : 1e-9);
    if (test_broken)
        printf("    %s, shortening %g: %.9g %.9g %.9g %.9g, dense %.9g %.9g %.9g %.9g\n", formulation, shortening, a[0],
               a[1], a[2], a[3], dense[0], dense[1], dense[2], dense[3]);
    cardan_description_destroy(d);
}

// Flat parallelogram. At standstill, and with equal velocities of the cranks, the accelerations are known; velocities
// of neither branch are inconsistent at acceleration level: an error that names a joint.
static void test_flat_parallelogram(const char* formulation)
{
    static const double length[4] = {1, 2, 1, 2}, mass[3] = {1, 2, 1}, q[4] = {0, 0, pi, -pi};
    const double        parallel[4] = {3, -3, 3, -3}, inconsistent[4] = {3, -2, 0, -1};
    double              a[4] = {0}, error = 1;
    cardan_report       report = {0};
    cardan_description* d      = linkage(length, mass, q, (const double[4]){0});
    CHECK(accelerate(d, formulation, a, &error, &report));
    CHECK_NEAR(a[0], -9.81 * 9 / 8, 1e-9);
    CHECK_NEAR(a[0] + a[1], 0, 1e-9);
    CHECK(error < 1e-9);
    cardan_description_destroy(d);

    d = linkage(length, mass, q, parallel);
    CHECK(accelerate(d, formulation, a, &error, &report));
    CHECK_NEAR(a[0], -9.81 * 9 / 8, 1e-9);
    CHECK_NEAR(a[0] + a[1], 0, 1e-9);
    CHECK(error < 1e-9 && report.count == 0);
    cardan_description_destroy(d);

    d = linkage(length, mass, q, inconsistent);
    CHECK(!accelerate(d, formulation, a, &error, &report));
    CHECK(report.count == 1 && report.message[0].severity == CARDAN_ERROR);
    bool named = false;
    for (int i = 0; i < 4; ++i) {
        char quoted[8];
        snprintf(quoted, sizeof quoted, "'%s'", names[i]);
        named |= report.count > 0 && strstr(report.message[0].text, quoted);
    }
    CHECK(named);
    if (test_broken) printf("    %s: %s\n", formulation, report.count ? report.message[0].text : "no message");
    cardan_description_destroy(d);
}

int main(void)
{
    static const double shortenings[] = {0.1, 1e-2, 1e-3, 1e-4, 1e-5, 0};
    for (int i = 0; i < cardan_formulation_count(); ++i) {
        const char* name = cardan_formulation_name(i);
        if (!cardan_formulation_is_exact(i) || !supports_loops(name)) continue;
        for (size_t k = 0; k < sizeof shortenings / sizeof *shortenings; ++k) RUN(test_stretched(name, shortenings[k]));
        RUN(test_flat_parallelogram(name));
    }
    return test_end();
}
