// SPDX-License-Identifier: BSD-3-Clause
// Assembly far from the design configuration: exact values of any joint that some configuration satisfies are found,
// and the branch of the design configuration is kept for full rotations of the crank; for others the error states only
// that no configuration was found.
#include "loop_models.h"
#include "random_tree.h"

#include "assembly/assembly_problem.h"

static const double pi = 3.14159265358979323846;

static double coordinate(const fixture* f, const char* name)
{
    double q[7], v[6];
    cardan_data_joint_state(f->data, cardan_description_find_joint(f->description, name), q, v);
    return q[0];
}

// Three equal cranks: the coupler stays parallel, through singular configurations on one line.
static void test_three_cranks(void)
{
    for (int n = -60; n <= 60 && !test_broken; ++n) {
        char                           value[40];
        const double                   phi     = 0.1 * n;
        const cardan_parameter_setting setting = {"phi", value};
        fixture                        f;
        snprintf(value, sizeof value, "%.17g", phi);
        if (fixture_open(&f, "models/parallelogram", "dense", 1, &setting)) {
            cardan_assembly_result done = {0};
            CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, &done, &f.report) == CARDAN_OK);
            CHECK(done.position_violation_after < 1e-12 && coordinate(&f, "a1") == phi);
            for (int k = 0; k < 2; ++k) {
                const double rotation = coordinate(&f, k ? "a2" : "a3") - phi;
                CHECK_NEAR(cos(rotation), 1, 1e-9);
            }
            if (test_broken) printf("    phi = %s: %s\n", value, f.report.count ? f.report.message[0].text : "closed");
        }
        fixture_close(&f);
    }
}

// Side of the line from crank pin to ground pivot on which the end of the coupler is.
static double side(const four_bar* f, const double B[2], const double C[2])
{
    return (f->d - B[0]) * (C[1] - B[1]) - (0 - B[1]) * (C[0] - B[0]);
}

static bool is_crank_rocker(const four_bar* f)
{
    double B[2], C[2];
    for (int i = 0; i < 100; ++i)
        if (!four_bar_points(f, 2 * pi * i / 100, B, C) || fabs(side(f, B, C)) < 0.1) return false;
    return true;
}

static cardan_status assemble_at(const four_bar* bar, int exact, double value, fixture* f)
{
    cardan_joint        joint[4];
    cardan_description* description = four_bar_describe(bar, joint);
    joint[exact].start_q_given      = true;
    joint[exact].start_q[0]         = value;
    for (int i = 0; i < 4; ++i) cardan_description_add_joint(description, &joint[i]);
    if (!loop_open(f, description, "dense")) return CARDAN_BAD_INPUT;
    return cardan_data_assemble(f->data, NULL, NULL, NULL, NULL, &f->report);
}

// Any crank angle; then the angle of another joint there as its exact value.
static void test_four_bars(void)
{
    static const char* const name[4] = {"A", "B", "C", "D"};
    dice                     d       = {11};
    int                      round = 0, kept = 0;
    for (int n = 0; n < 300 && !test_broken; ++n) {
        const four_bar bar      = {dice_range(&d, 0.3, 1.5),
                                   dice_range(&d, 1, 3),
                                   dice_range(&d, 1, 3),
                                   dice_range(&d, 1, 3),
                                   dice_range(&d, -pi, pi),
                              dice_unit(&d) < 0.5 ? -1 : 1,
                                   1};
        const double   rotation = dice_range(&d, -pi, pi);
        double         B[2], C[2];
        if (!four_bar_points(&bar, bar.crank, B, C) || !four_bar_points(&bar, bar.crank + rotation, B, C)) continue;
        fixture f, g;
        CHECK(assemble_at(&bar, 0, rotation, &f) == CARDAN_OK);
        if (test_broken) printf("    four-bar %d: %s\n", n, f.report.count ? f.report.message[0].text : "closed");
        CHECK(coordinate(&f, "A") == rotation);
        if (is_crank_rocker(&bar)) {
            cardan_motion body[3];
            cardan_data_body_motions(f.data, NULL, body);
            ++round;
            kept += fabs(body[1].p[0] - (B[0] + C[0]) / 2) + fabs(body[1].p[1] - (B[1] + C[1]) / 2) < 1e-9;
        }
        const int    other = 1 + dice_int(&d, 3);
        const double value = remainder(coordinate(&f, name[other]), 2 * pi);
        CHECK(assemble_at(&bar, other, value, &g) == CARDAN_OK);
        CHECK_NEAR(coordinate(&g, name[other]), value, 1e-12);
        if (test_broken) printf("    four-bar %d at %s: %s\n", n, name[other], g.report.message[0].text);
        fixture_close(&f);
        fixture_close(&g);
    }
    printf("    the branch of the design configuration kept by %d of %d cranks with full rotations\n", kept, round);
    CHECK(round > 20 && kept == round);
}

// Guesses far from the design configuration, no exact value: the design configuration satisfies the loops.
static void test_far_guesses(void)
{
    dice d = {5};
    for (int n = 0; n < 100 && !test_broken; ++n) {
        const four_bar      bar = {1, 2.2, 1.5, 2, pi / 3, 1, 1};
        cardan_joint        joint[4];
        cardan_description* description = four_bar_describe(&bar, joint);
        fixture             f;
        for (int i = 0; i < 4; ++i) {
            joint[i].start_q_given = joint[i].start_is_guess = true;
            joint[i].start_q[0]                              = dice_range(&d, -pi, pi);
            cardan_description_add_joint(description, &joint[i]);
        }
        if (loop_open(&f, description, "dense"))
            CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report) == CARDAN_OK);
        fixture_close(&f);
    }
}

int main(void)
{
    RUN(test_three_cranks());
    RUN(test_four_bars());
    RUN(test_far_guesses());
    return test_end();
}
