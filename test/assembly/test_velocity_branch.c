// SPDX-License-Identifier: BSD-3-Clause
// Velocities assembled at a singular configuration start a motion. Rods on one line, of lengths l1, l2, l3 from A over
// B and C to D, signed along the line, with angular velocities w1, w2, w3 satisfy the loop
//
//   to first order     l1 w1 + l2 w2 + l3 w3 = 0
//   to second order    l1 w1^2 + l2 w2^2 + l3 w3^2 = 0
//
// which are two branches for every w1. Velocities that satisfy only the first order are combinations of both, which no
// motion has.
#include "planar_rods.h"
#include "sentences.h"
#include "test.h"

#include <cardan/cardan.h>
#include <string.h>

static void hinge(cardan_description* d, const char* name, int first, int second, double x1, double x2, const double* v,
                  bool guess)
{
    cardan_joint j      = cardan_joint_default(name, "revolute", first, second);
    j.frame_first.p[0]  = x1;
    j.frame_second.p[0] = x2;
    j.start_v_given     = v != NULL;
    j.start_is_guess    = guess;
    if (v) j.start_v[0] = *v;
    cardan_description_add_joint(d, &j);
}

// v: of the joints a, b and d, or NULL.
static cardan_description* four_bar(const double l[3], const double* const v[3], bool guess)
{
    cardan_description* d = cardan_description_create("flat");
    cardan_description_set_gravity(d, (const double[3]){0, -9.81, 0});
    const int crank = add_rod(d, "crank", 0, 1, 0, 0, l[0], 0), coupler = add_rod(d, "coupler", 0, 1, l[0], 0, l[1], 0),
              rocker = add_rod(d, "rocker", 0, 1, l[0] + l[1], 0, l[2], 0);
    hinge(d, "a", CARDAN_GROUND, crank, 0, 0, v[0], guess);
    hinge(d, "b", crank, coupler, l[0], 0, v[1], guess);
    hinge(d, "c", coupler, rocker, l[1], 0, NULL, guess);
    hinge(d, "d", CARDAN_GROUND, rocker, l[0] + l[1] + l[2], l[2], v[2], guess);
    return d;
}

// Angular velocities w of the rods, assembled with this formulation; true if a message reports the branches.
static bool assemble(cardan_description* d, const char* formulation, double w[3], cardan_report* report)
{
    cardan_model* m     = NULL;
    cardan_data*  data  = NULL;
    const int     index = cardan_formulation_find(formulation);
    double        q[8], v[4], a[64];
    bool          reported = false;
    *report                = (cardan_report){0};
    CHECK(cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, report) == CARDAN_OK);
    CHECK(cardan_data_create(m, index, &data, report) == CARDAN_OK);
    CHECK(cardan_data_assemble(data, NULL, NULL, NULL, NULL, report) == CARDAN_OK);
    for (int j = 0; j < 4; ++j) cardan_data_joint_state(data, j, q, &v[j]);
    w[0] = v[0];
    w[1] = v[0] + v[1];
    w[2] = v[3];
    CHECK_NEAR(v[0] + v[1] + v[2], v[3], 1e-12);
    CHECK(cardan_data_accelerate(data, a, NULL, report) == CARDAN_OK);
    for (int i = 0; i < report->count; ++i) {
        if (report->message[i].code != CARDAN_CODE_BRANCH_CHOSEN) continue;
        CHECK_MESSAGE(&report->message[i], CARDAN_CODE_BRANCH_CHOSEN, "joints 'a', 'b', 'c', 'd'", "rad/s");
        reported = true;
    }
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return reported;
}

static void check_motion(const double l[3], const double w[3])
{
    CHECK_NEAR(l[0] * w[0] + l[1] * w[1] + l[2] * w[2], 0, 1e-10);
    CHECK_NEAR(l[0] * w[0] * w[0] + l[1] * w[1] * w[1] + l[2] * w[2] * w[2], 0, 1e-9);
}

static const double parallelogram[3] = {1, 2, -1}, galloway[3] = {2, 1, -2};
static const double one = 1, minus_one = -1, minus_three = -3;

// Only the crank velocity is given: the coupler stays parallel (least motion), and a warning names the other branch.
static void test_crank(const double l[3], const char* formulation)
{
    const double* const v[3] = {&one, NULL, NULL};
    cardan_report       report;
    double              w[3];
    CHECK(assemble(four_bar(l, v, false), formulation, w, &report));
    check_motion(l, w);
    CHECK_NEAR(w[0], 1, 1e-12);
    CHECK_NEAR(w[1], 0, 1e-9);
    CHECK_NEAR(w[2], 1, 1e-9);
}

// Given velocities select the branch: w2 = -2 w1, w3 = -3 w1 is that of the antiparallelogram.
static void test_given_branch(void)
{
    const double *const both[3] = {&one, NULL, &minus_three}, *const first[3] = {&one, &minus_one, NULL};
    cardan_report report;
    double        w[3];
    CHECK(!assemble(four_bar(parallelogram, both, false), "reduction", w, &report));
    check_motion(parallelogram, w);
    CHECK_NEAR(w[1], -2, 1e-10);
    CHECK(!assemble(four_bar(parallelogram, first, false), "reduction", w, &report));
    CHECK_NEAR(w[2], 1, 1e-10);
}

// Guesses near a branch; and zero velocity, which stays zero.
static void test_guessed(void)
{
    const double        near[2] = {1.1, -2.9}, zero = 0;
    const double *const guess[3] = {&near[0], NULL, &near[1]}, *const none[3] = {&zero, NULL, NULL};
    cardan_report report;
    double        w[3];
    CHECK(assemble(four_bar(parallelogram, guess, true), "reduction", w, &report));
    check_motion(parallelogram, w);
    CHECK(w[0] > 0.8 && w[0] < 1.2);
    CHECK_NEAR(w[1], -2 * w[0], 1e-8);
    CHECK(!assemble(four_bar(parallelogram, none, false), "reduction", w, &report));
    CHECK_NEAR(fabs(w[0]) + fabs(w[1]) + fabs(w[2]), 0, 1e-15);
}

// No motion has the velocities of both cranks: they satisfy the first order and are kept; the accelerations are
// refused.
static void test_impossible(void)
{
    const double        half   = 0.5;
    const double* const v[3]   = {&one, NULL, &half};
    cardan_model*       m      = NULL;
    cardan_data*        data   = NULL;
    cardan_report       report = {0};
    double              a[8];
    cardan_description* d     = four_bar(parallelogram, v, false);
    const int           index = cardan_formulation_find("reduction");
    CHECK(cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, index, &data, &report) == CARDAN_OK);
    CHECK(cardan_data_assemble(data, NULL, NULL, NULL, NULL, &report) == CARDAN_OK);
    CHECK(report.count == 0);
    CHECK(cardan_data_accelerate(data, a, NULL, &report) == CARDAN_INCONSISTENT);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

int main(void)
{
    static const char* const formulations[] = {"reduction", "embedding", "order-n", "dense", "augmented", "lagrange"};
    for (int i = 0; i < 6; ++i) {
        RUN(test_crank(parallelogram, formulations[i]));
        RUN(test_crank(galloway, formulations[i]));
    }
    RUN(test_given_branch());
    RUN(test_guessed());
    RUN(test_impossible());
    RUN(test_sentences("test_velocity_branch"));
    return test_end();
}
