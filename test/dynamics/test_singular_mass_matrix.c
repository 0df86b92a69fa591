// SPDX-License-Identifier: BSD-3-Clause
// Massless bodies and slender rods are valid; a degree of freedom without inertia is an error that names joint and
// direction, for all formulations.
#include "dynamics/data.h"
#include "dynamics/state.h"
#include "math/quaternion.h"
#include "sentences.h"
#include "test.h"

#include <cardan/cardan.h>
#include <stdio.h>

static bool is_maximal(int formulation) { return cardan_formulation_tree_policy(formulation) == CARDAN_TREE_MAXIMAL; }

static cardan_status solve(cardan_description* d, int formulation, double* a, cardan_report* report)
{
    cardan_model* m      = NULL;
    cardan_data*  data   = NULL;
    cardan_status status = cardan_model_compile(d, cardan_formulation_tree_policy(formulation), &m, report);
    if (status == CARDAN_OK) status = cardan_data_create(m, formulation, &data, report);
    double found[512] = {0};
    if (status == CARDAN_OK) status = cardan_data_accelerate(data, found, NULL, report);
    for (int j = 0; status == CARDAN_OK && j < cardan_model_get_view(m).njoint; ++j)
        cardan_data_joint_acceleration(data, j, found, a + j);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    return status;
}

static int add_body(cardan_description* d, const char* name, double mass, double x, double xx, double yy, double zz)
{
    cardan_body b = cardan_body_default(name);
    b.mass        = mass;
    b.centre[0]   = x;
    b.inertia[0]  = xx;
    b.inertia[1]  = yy;
    b.inertia[2]  = zz;
    return cardan_description_add_body(d, &b);
}

static void add_hinge(cardan_description* d, const char* name, int first, int second, double x, double y, double z)
{
    cardan_joint j = cardan_joint_default(name, "revolute", first, second);
    // z to the axis: half-way quaternion (1 + z, -y, x, 0)
    const double q[4] = {1 + z, -y, x, 0};
    memcpy(j.frame_first.q, q, sizeof q);
    q4_normalize(j.frame_first.q);
    j.frame_second = j.frame_first;
    cardan_description_add_joint(d, &j);
}

// About y, at x on the first body.
static void add_hinge_at(cardan_description* d, const char* name, int first, int second, double x)
{
    cardan_joint j = cardan_joint_default(name, "revolute", first, second);
    j.frame_first = j.frame_second = (cardan_pose){{0}, {0.70710678118654752, -0.70710678118654752, 0, 0}};
    j.frame_first.p[0]             = x;
    cardan_description_add_joint(d, &j);
}

// A point mass without joints: the error names the body with its location.
static void test_free_point_mass(int formulation)
{
    cardan_description* d      = cardan_description_create("free_mass");
    cardan_report       report = {0};
    double              a[8];
    cardan_body         b = cardan_body_default("dust");
    b.mass                = 1;
    b.location            = (cardan_location){.file = "free_mass.yaml", .line = 3, .column = 5};
    cardan_description_add_body(d, &b);
    CHECK(solve(d, formulation, a, &report) == CARDAN_SINGULAR);
    CHECK(report.count == 1);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ZERO_INERTIA, "free_mass.yaml:3:5: error: ", "body 'dust'", "t = 0 s",
                  " x");
    cardan_description_destroy(d);
}

static void test_massless_body(int formulation)
{
    cardan_description* d      = cardan_description_create("massless");
    cardan_report       report = {0};
    double              a[4];
    const int           arm = add_body(d, "arm", 1, 0.5, 0, 0.1, 0.1);
    add_hinge(d, "hinge", CARDAN_GROUND, arm, 0, 1, 0);
    add_hinge(d, "spinner", arm, add_body(d, "ghost", 0, 0, 0, 0, 0), 0, 0, 1);
    CHECK(solve(d, formulation, a, &report) == CARDAN_SINGULAR);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ZERO_INERTIA,
                  is_maximal(formulation) ? "body 'ghost'" : "joint 'spinner', coordinate 1", "t = 0 s", " z");
    cardan_description_destroy(d);
}

static void test_slender_rod(int formulation)
{
    cardan_description* d      = cardan_description_create("rod");
    cardan_report       report = {0};
    double              a[4];
    add_hinge(d, "spin", CARDAN_GROUND, add_body(d, "rod", 1, 0.5, 0, 1.0 / 12, 1.0 / 12), 1, 0, 0);
    CHECK(solve(d, formulation, a, &report) == CARDAN_SINGULAR);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ZERO_INERTIA,
                  is_maximal(formulation) ? "body 'rod'" : "joint 'spin', coordinate 1", "t = 0 s", " x");
    cardan_description_destroy(d);
}

static void test_massless_slide(int formulation)
{
    cardan_description* d      = cardan_description_create("slide");
    cardan_report       report = {0};
    double              a[4];
    cardan_joint        j =
        cardan_joint_default("rail", "prismatic", CARDAN_GROUND, add_body(d, "ghost", 0, 0, 0.1, 0.1, 0.1));
    cardan_description_add_joint(d, &j);
    CHECK(solve(d, formulation, a, &report) == CARDAN_SINGULAR);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ZERO_INERTIA,
                  is_maximal(formulation) ? "body 'ghost'" : "joint 'rail'", "t = 0 s", " z");
    cardan_description_destroy(d);
}

// A massless cross between two hinges and a slender rod: a pendulum in closed form.
static void test_massless_between(int formulation)
{
    cardan_description* d      = cardan_description_create("cross");
    cardan_report       report = {0};
    double              a[4]   = {NAN, NAN};
    const int           cross  = add_body(d, "cross", 0, 0, 0, 0, 0);
    add_hinge(d, "first", CARDAN_GROUND, cross, 0, 0, 1);
    add_hinge(d, "second", cross, add_body(d, "rod", 2, 0.5, 0, 2.0 / 12, 2.0 / 12), 0, 1, 0);
    CHECK(solve(d, formulation, a, &report) == CARDAN_OK);
    CHECK_NEAR(a[0], 0, 1e-12);
    CHECK_NEAR(a[1], 2 * 9.81 * 0.5 / (2.0 / 3), 1e-12); // m g l/2 over m l^2/3, about +y
    cardan_description_destroy(d);
}

// Two point masses on massless bars: a double pendulum without rotational inertia.
static void test_point_masses(int formulation)
{
    cardan_description* d      = cardan_description_create("points");
    cardan_report       report = {0};
    double              a[4]   = {NAN, NAN};
    const int           upper  = add_body(d, "upper", 1, 1, 0, 0, 0);
    add_hinge(d, "first", CARDAN_GROUND, upper, 0, 1, 0);
    add_hinge_at(d, "second", upper, add_body(d, "lower", 1, 1, 0, 0, 0), 1);
    CHECK(solve(d, formulation, a, &report) == CARDAN_OK);
    CHECK_NEAR(a[0], 9.81, 1e-12);  // both on the horizontal: free fall
    CHECK_NEAR(a[1], -9.81, 1e-11); // 2 a1 + a2 = g
    cardan_description_destroy(d);
}

// Slender rods with inclined axes that rotate about themselves: their inertia is a rounding error, possibly positive.
static void test_inclined_rods(int formulation)
{
    int missed = 0;
    for (int i = 0; i < 50; ++i) {
        const double raw[3]        = {sin(1 + 7 * i), cos(2 + 5 * i), sin(3 + 11 * i) + 1.1};
        const double n             = sqrt(raw[0] * raw[0] + raw[1] * raw[1] + raw[2] * raw[2]),
                     u[3]          = {raw[0] / n, raw[1] / n, raw[2] / n};
        cardan_description* d      = cardan_description_create("askew");
        cardan_report       report = {0};
        double              a[4];
        cardan_body         b = cardan_body_default("rod");
        b.mass                = 3;
        const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
        for (int k = 0; k < 6; ++k) b.inertia[k] = 0.25 * ((k < 3) - u[row[k]] * u[column[k]]);
        for (int k = 0; k < 3; ++k) b.centre[k] = 0.7 * u[k];
        add_hinge(d, "spin", CARDAN_GROUND, cardan_description_add_body(d, &b), u[0], u[1], u[2]);
        missed += solve(d, formulation, a, &report) != CARDAN_SINGULAR;
        cardan_description_destroy(d);
    }
    CHECK(missed == 0);
    if (missed) printf("%s takes %d of 50 for resistance\n", cardan_formulation_name(formulation), missed);
}

// The same at the end of a chain long enough for LAPACK.
static void test_end_of_a_long_chain(int formulation)
{
    enum { N = 60 };
    cardan_description* d      = cardan_description_create("long");
    cardan_report       report = {0};
    double              a[N];
    for (int i = 0; i < N; ++i) {
        char name[24];
        snprintf(name, sizeof name, "link%d", i);
        const bool last = i == N - 1;
        const int  body = add_body(d, name, 1, 0.5, last ? 0 : 0.01, 1.0 / 12, 1.0 / 12);
        snprintf(name, sizeof name, "joint%d", i);
        cardan_joint j          = cardan_joint_default(name, "general", body - 1, body);
        j.nelementary           = 1;
        j.elementary[0].axis[0] = last ? 1 : 0;
        j.elementary[0].axis[1] = last ? 0 : i % 2;
        j.elementary[0].axis[2] = last ? 0 : 1 - i % 2;
        j.frame_first.p[0]      = i > 0 ? 1 : 0;
        j.start_q_given         = true;
        j.start_q[0]            = 0.3 + 0.1 * (i % 7);
        cardan_description_add_joint(d, &j);
    }
    CHECK(solve(d, formulation, a, &report) == CARDAN_SINGULAR);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ZERO_INERTIA, "joint 'joint59'", "coordinate 1");
    cardan_description_destroy(d);
}

// A state that is not finite, which a step inside the library can produce, is reported as such and not as zero inertia;
// the accelerations are overwritten. (cardan_data_set_state refuses such a state.)
static void test_state_is_not_finite(int formulation)
{
    cardan_description* d      = cardan_description_create("lost");
    cardan_report       report = {0};
    cardan_model*       m      = NULL;
    cardan_data*        data   = NULL;
    const double        q[5] = {NAN, 1, 0, 0, 0}, ball[5] = {0, NAN, 0, 0, 0}, v[4] = {0};
    double              a[4] = {0};
    add_hinge(d, "hinge", CARDAN_GROUND, add_body(d, "arm", 1, 0.5, 0.1, 0.1, 0.1), 0, 1, 0);
    const cardan_joint j = cardan_joint_default("wrist", "spherical", 0, add_body(d, "hand", 1, 0.5, 0.1, 0.1, 0.1));
    cardan_description_add_joint(d, &j);
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, formulation, &data, &report) == CARDAN_OK);
    cd_data_set_state(data, 0, q, v, NULL);
    CHECK(cardan_data_accelerate(data, a, NULL, &report) == CARDAN_NOT_FINITE);
    cd_data_set_state(data, 0, ball, v, NULL);
    CHECK(cardan_data_accelerate(data, a, NULL, &report) == CARDAN_NOT_FINITE);
    // the coordinate of the hinge, or its acceleration if the mass matrix does not depend on it
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_NOT_FINITE, "joint 'hinge'", "t = 0 s");
    CHECK_MESSAGE(&report.message[1], CARDAN_CODE_NOT_FINITE, "joint 'wrist'", "coordinate 1", "t = 0 s");
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

// The same with a closed loop.
static void test_loop_is_not_finite(void)
{
    cardan_description* d      = cardan_description_create("loop");
    cardan_report       report = {0};
    cardan_model*       m      = NULL;
    cardan_data*        data   = NULL;
    const double        q[2] = {NAN, 0}, v[2] = {0};
    double              a[2] = {0};
    const int arm = add_body(d, "arm", 1, 0.5, 0.1, 0.1, 0.1), other = add_body(d, "other", 1, 0.5, 0.1, 0.1, 0.1);
    const cardan_joint j[3] = {cardan_joint_default("A", "revolute", CARDAN_GROUND, arm),
                               cardan_joint_default("B", "revolute", arm, other),
                               cardan_joint_default("C", "revolute", other, CARDAN_GROUND)};
    for (int i = 0; i < 3; ++i) cardan_description_add_joint(d, &j[i]);
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("dense"), &data, &report) == CARDAN_OK);
    CHECK(cardan_data_accelerate(data, a, NULL, &report) == CARDAN_OK);
    cd_data_set_state(data, 0, q, v, NULL);
    CHECK(cardan_data_accelerate(data, a, NULL, &report) == CARDAN_NOT_FINITE);
    CHECK(report.errors == 1);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

int main(void)
{
    for (int i = 0; i < cardan_formulation_count(); ++i) {
        if (!cardan_formulation_is_exact(i)) continue;
        RUN(test_massless_body(i));
        RUN(test_free_point_mass(i));
        RUN(test_slender_rod(i));
        RUN(test_inclined_rods(i));
        RUN(test_massless_slide(i));
        RUN(test_massless_between(i));
        RUN(test_point_masses(i));
        if (!is_maximal(i)) RUN(test_end_of_a_long_chain(i)); // uses general joints
        if (!is_maximal(i)) RUN(test_state_is_not_finite(i));
    }
    RUN(test_loop_is_not_finite());
    RUN(test_sentences("test_singular_mass_matrix"));
    return test_end();
}
