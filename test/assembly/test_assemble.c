// SPDX-License-Identifier: BSD-3-Clause
// Assembly: loops are closed from inaccurate guesses, exact start values and the branch are kept, the change of the
// guesses is the least; messages of failures. References: closed forms of four-bars.
#include "loop_models.h"
#include "sentences.h"
#include "random_tree.h"

#include "assembly/assembly_problem.h"
#include "dynamics/state.h"

static const double pi = 3.14159265358979323846;

static double coordinate(const fixture* f, const char* name)
{
    double    q[7], v[6];
    const int j = cardan_description_find_joint(f->description, name);
    cardan_data_joint_state(f->data, j, q, v);
    return q[0];
}

static double rate(const fixture* f, const char* name)
{
    double    q[7], v[6];
    const int j = cardan_description_find_joint(f->description, name);
    cardan_data_joint_state(f->data, j, q, v);
    return v[0];
}

static four_bar random_four_bar(dice* d)
{
    four_bar f;
    double   B[2], C[2];
    do {
        f = (four_bar){dice_range(d, 0.3, 1.5),
                       dice_range(d, 1, 3),
                       dice_range(d, 1, 3),
                       dice_range(d, 1, 3),
                       dice_range(d, -pi, pi),
                       dice_unit(d) < 0.5 ? -1 : 1,
                       1};
    } while (!four_bar_points(&f, f.crank, B, C) ||
             fabs((C[0] - B[0]) * (0 - C[1]) - (C[1] - B[1]) * (f.d - C[0])) < 1.5);
    return f;
}

// Reference values of the specification: the crank is fixed, the other joints follow.
static void test_four_bar_reference(void)
{
    static const double speed[4] = {1, -1.045698033954, 0.668751716400, -0.623053682446};
    static const char*  name[4]  = {"A", "B", "C", "D"};
    fixture             f;
    if (fixture_open(&f, "models/four_bar", "dense", 0, NULL)) {
        double                 a[16];
        cardan_motion          body[3];
        cardan_assembly_result done;
        CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, &done, &f.report) == CARDAN_OK);
        CHECK(done.position_violation_after <= 1e-14 && done.velocity_violation_after <= 1e-14 &&
              done.velocity_violation_before > 0.5);
        for (int i = 0; i < 4; ++i) CHECK_NEAR(rate(&f, name[i]), speed[i], 1e-11);
        CHECK(cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK);
        cardan_data_body_motions(f.data, a, body);
        CHECK_NEAR(body[0].alpha[2], -5.626200631477, 1e-11);
        CHECK_NEAR(body[1].alpha[2], 0.498866515329, 1e-11);
        CHECK_NEAR(body[2].alpha[2], -3.230684975611, 1e-11);
    }
    fixture_close(&f);
}

// The crank rotated from the design configuration, guesses wrong by up to 0.3 rad: the closed form on the same branch.
static void test_random_four_bars(void)
{
    dice d = {2026};
    for (int n = 0; n < 300; ++n) {
        const four_bar bar = random_four_bar(&d);
        double         B[2], C[2], rotation = dice_range(&d, -0.3, 0.3);
        if (!four_bar_points(&bar, bar.crank + rotation, B, C)) continue;
        // the guesses must not lead to a stretched configuration, where the branches meet
        if (fabs((C[0] - B[0]) * (0 - C[1]) - (C[1] - B[1]) * (bar.d - C[0])) < 1.5) continue;
        cardan_joint        joint[4];
        cardan_description* description = four_bar_describe(&bar, joint);
        joint[0].start_q_given = joint[0].start_v_given = true;
        joint[0].start_q[0]                             = rotation;
        joint[0].start_v[0]                             = 1.7;
        for (int i = 1; i < 4; ++i) {
            joint[i].start_q_given = joint[i].start_is_guess = true;
            joint[i].start_q[0]                              = dice_range(&d, -0.3, 0.3);
        }
        for (int i = 0; i < 4; ++i) cardan_description_add_joint(description, &joint[i]);
        fixture f;
        if (loop_open(&f, description, "dense")) {
            cardan_assembly_result done;
            cardan_motion          body[3];
            CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, &done, &f.report) == CARDAN_OK);
            CHECK(done.position_violation_after <= 1e-12 && done.velocity_violation_after <= 1e-12);
            CHECK(coordinate(&f, "A") == rotation && rate(&f, "A") == 1.7);
            cardan_data_body_motions(f.data, NULL, body);
            CHECK_NEAR(body[1].p[0], (B[0] + C[0]) / 2, 1e-11);
            CHECK_NEAR(body[1].p[1], (B[1] + C[1]) / 2, 1e-11);
            if (test_broken)
                printf("    four-bar %d: %g %g %g %g at %g, crank rotated by %g\n", n, bar.a, bar.b, bar.c, bar.d,
                       bar.crank, rotation),
                    n = 1000;
        }
        fixture_close(&f);
    }
}

// Independence of units of length: the same angles in metres and in kilometres.
static void test_scale(void)
{
    double angle[2][4];
    for (int s = 0; s < 2; ++s) {
        const four_bar      bar = {1, 2.2, 1.5, 2, pi / 3, 1, s == 0 ? 1 : 1000};
        cardan_joint        joint[4];
        cardan_description* description = four_bar_describe(&bar, joint);
        for (int i = 0; i < 4; ++i) {
            joint[i].start_q_given = joint[i].start_is_guess = true;
            joint[i].start_q[0]                              = 0.2 * (i + 1) * (i % 2 ? 1 : -1);
            cardan_description_add_joint(description, &joint[i]);
        }
        fixture f;
        if (loop_open(&f, description, "dense")) {
            static const char* const name[4] = {"A", "B", "C", "D"};
            CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report) == CARDAN_OK);
            for (int i = 0; i < 4; ++i) angle[s][i] = coordinate(&f, name[i]);
        }
        fixture_close(&f);
    }
    for (int i = 0; i < 4; ++i) CHECK_NEAR(angle[1][i], angle[0][i], 1e-10);
}

// Distance of all guesses, including those of the joint that closes the loop, to the current coordinates.
static double distance_to_guesses(const fixture* f)
{
    double sum = 0;
    for (int j = 0; j < f->m.njoint; ++j) {
        double q[7], v[6];
        cardan_data_joint_state(f->data, j, q, v);
        sum += pow(q[0] - cardan_joint_start_default(f->model, j).q[0], 2);
    }
    return sum;
}

// All joints are guesses: the configuration found is the nearest of the closed ones.
static void test_least_change(void)
{
    const four_bar bar  = {1, 2.2, 1.5, 2, pi / 3, 1, 1};
    double         best = 0;
    for (int n = -5; n <= 5; ++n) {
        cardan_joint        joint[4];
        cardan_description* description = four_bar_describe(&bar, joint);
        static const double guess[4]    = {0.3, -0.2, 0.1, 0.25};
        for (int i = 0; i < 4; ++i) {
            joint[i].start_q_given = joint[i].start_is_guess = true;
            joint[i].start_q[0]                              = guess[i];
        }
        fixture f;
        for (int i = 0; i < 4; ++i) cardan_description_add_joint(description, &joint[i]);
        if (loop_open(&f, description, "dense")) {
            cardan_joint_start start[4];
            for (int i = 0; i < 4; ++i) start[i] = cardan_joint_start_default(f.model, i);
            if (n != -5) { // fix the crank near the configuration found
                start[0].position_mode = CARDAN_START_FIXED;
                start[0].q[0]          = best + 0.002 * n;
            }
            double        at[8];
            static double least;
            CHECK(cardan_data_assemble(f.data, start, at, NULL, NULL, &f.report) == CARDAN_OK);
            if (n == -5) {
                best  = at[f.m.tree_range[0].q];
                least = distance_to_guesses(&f);
                CHECK(fabs(best - 0.3) > 0.01);
            } else {
                CHECK(n == 0 ? fabs(distance_to_guesses(&f) - least) < 1e-9 : distance_to_guesses(&f) > least);
            }
        }
        fixture_close(&f);
    }
}

// Exact values of a cut joint are kept, and its velocities, too.
static void test_exact_cut_joint(void)
{
    const four_bar bar = {1, 2.2, 1.5, 2, pi / 3, 1, 1};
    for (int exact = 0; exact < 4; ++exact) {
        cardan_joint        joint[4];
        cardan_description* description = four_bar_describe(&bar, joint);
        joint[exact].start_q_given = joint[exact].start_v_given = true;
        joint[exact].start_q[0]                                 = 0.15;
        joint[exact].start_v[0]                                 = -0.8;
        for (int i = 0; i < 4; ++i) cardan_description_add_joint(description, &joint[i]);
        fixture f;
        if (loop_open(&f, description, "dense")) {
            static const char* const name[4] = {"A", "B", "C", "D"};
            cardan_assembly_result   done;
            CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, &done, &f.report) == CARDAN_OK);
            CHECK(done.position_violation_after <= 1e-12 && done.velocity_violation_after <= 1e-12);
            CHECK_NEAR(coordinate(&f, name[exact]), 0.15, 1e-12);
            CHECK_NEAR(rate(&f, name[exact]), -0.8, 1e-12);
        }
        fixture_close(&f);
    }
}

// Velocities of cut joints with several coordinates, at positions that assembly finds first.
static void test_exact_velocity_of_cut_joint(void)
{
    static const char* const types[3] = {"universal", "planar", "spherical"};
    for (int n = 0; n < 3; ++n) {
        cardan_description* d    = cardan_description_create("ring");
        const double        z[3] = {0.2, -0.3, 1},
                     p[5][3]     = {{0, 0, 0}, {0.7, 0.1, 0.2}, {1.1, 0.8, 0.3}, {0.6, 1.2, -0.1}, {0, 0.9, 0.1}};
        int body[6]              = {CARDAN_GROUND};
        for (int i = 0; i < 4; ++i) body[i + 1] = loop_rod(d, (char[]){(char)('a' + i), 0}, p[i], p[i + 1], 1);
        body[5] = CARDAN_GROUND;
        for (int i = 0; i < 5; ++i) {
            const bool   far = i == 2; // the breadth-first tree is cut in the middle
            cardan_joint j   = loop_joint(d, (char[]){(char)('A' + i), 0},
                                        far     ? types[n]
                                          : i % 2 ? "spherical"
                                                  : "universal",
                                          body[i], body[i + 1], p[i], z);
            if (j.type[0] == 'u') {
                j.nelementary   = 2;
                j.elementary[0] = (cardan_elementary_joint){.axis = {1, 0, 0}};
                j.elementary[1] = (cardan_elementary_joint){.axis = {0, 1, 0}};
            }
            if (i == 0) {
                j.start_q_given = true;
                j.start_q[0]    = 0.3;
                j.start_q[1]    = -0.2;
            }
            j.start_v_given = far;
            for (int k = 0; k < 3; ++k) j.start_v[k] = 0.4 - 0.3 * k;
            cardan_description_add_joint(d, &j);
        }
        fixture f;
        if (loop_open(&f, d, "dense")) {
            double q[7], v[6];
            CHECK(f.m.ncut == 1 && f.m.cut[0] == 2);
            CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report) == CARDAN_OK);
            cardan_data_joint_state(f.data, 2, q, v);
            CHECK(fabs(q[n == 1 ? 2 : 1]) > 0.01);
            for (int k = 0; k < f.m.tree_range[2].nv; ++k) CHECK_NEAR(v[k], 0.4 - 0.3 * k, 1e-12);
            if (test_broken) printf("    %s: %g %g %g\n", types[n], v[0], v[1], v[2]);
        }
        fixture_close(&f);
    }
}

// Guesses of a mechanism with degrees of freedom give the same state in all coordinates and formulations.
static void test_all_coordinates(void)
{
    cardan_motion body[2][4];
    for (int n = 0; n < 2; ++n) {
        fixture f;
        if (fixture_open(&f, "models/parallelogram", n == 0 ? "dense" : "lagrange", 0, NULL)) {
            cardan_joint_start start[6];
            for (int j = 0; j < 6; ++j) {
                start[j]               = cardan_joint_start_default(f.model, j);
                start[j].position_mode = start[j].velocity_mode = CARDAN_START_GUESS;
                start[j].q[0]                                   = 0.2 + 0.1 * j;
                start[j].v[0]                                   = j % 2 ? 0.7 : -0.4;
            }
            cardan_assembly_result done;
            CHECK(cardan_data_assemble(f.data, start, NULL, NULL, &done, &f.report) == CARDAN_OK);
            CHECK(done.position_violation_after <= 1e-12 && done.velocity_violation_after <= 1e-12);
            cardan_data_body_motions(f.data, NULL, body[n]);
        }
        fixture_close(&f);
    }
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            CHECK_NEAR(body[1][i].p[k], body[0][i].p[k], 1e-12);
            CHECK_NEAR(body[1][i].v[k], body[0][i].v[k], 1e-12);
            CHECK_NEAR(body[1][i].w[k], body[0][i].w[k], 1e-12);
        }
}

// Conjugate gradients, used for large mechanisms, give the result of LAPACK.
static void test_iterative(void)
{
    double q[2][16], v[2][16];
    for (int n = 0; n < 2; ++n) {
        fixture f;
        if (fixture_open(&f, "models/parallelogram", "dense", 0, NULL)) {
            cd_assembly a;
            CHECK(cd_assembly_init(&a, f.data, NULL));
            CHECK(a.dense);
            a.dense = n == 0;
            cd_assembly_set_unknowns(&a, false, false);
            CHECK(cd_assembly_solve_positions(&a) <= 1e-12);
            f.data->v[0] = 0.3;
            cd_data_set_velocity(f.data, f.data->v);
            cd_assembly_set_unknowns(&a, true, false);
            CHECK(cd_assembly_solve_velocities(&a) <= 1e-9);
            memcpy(q[n], f.data->q, (size_t)f.m.nq * sizeof(double));
            memcpy(v[n], f.data->v, (size_t)f.m.nv * sizeof(double));
            cd_assembly_destroy(&a);
            for (int i = 0; n == 1 && i < f.m.nv; ++i) {
                CHECK_NEAR(q[1][i], q[0][i], 1e-9);
                CHECK_NEAR(v[1][i], v[0][i], 1e-8);
            }
        }
        fixture_close(&f);
    }
}

static void test_cannot_close(void)
{
    // the ground pivots are 10 m apart: a + b + c = 4.7 m
    const four_bar      bar = {1, 2.2, 1.5, 2, pi / 3, 1, 1};
    cardan_joint        joint[4];
    cardan_description* description = four_bar_describe(&bar, joint);
    joint[3].frame_second.p[0]      = 10;
    for (int i = 0; i < 4; ++i) cardan_description_add_joint(description, &joint[i]);
    fixture f;
    if (loop_open(&f, description, "dense")) {
        CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report) == CARDAN_INCONSISTENT);
        CHECK_MESSAGE(&f.report.message[0], CARDAN_CODE_ASSEMBLY_FAILED, "'A', 'B', 'C', 'D'", "5.3 m", "t = 0 s");
    }
    fixture_close(&f);
}

static void test_contradictory(void)
{
    const four_bar bar = {1, 2.2, 1.5, 2, pi / 3, 1, 1};
    for (int level = 0; level < 3; ++level) {
        cardan_joint        joint[4];
        cardan_description* description = four_bar_describe(&bar, joint);
        for (int i = 0; i < 2; ++i) {
            joint[i].start_q_given = level == 0;
            joint[i].start_q[0]    = 0.3;
            joint[i].start_v_given = level == 1;
            joint[i].start_v[0]    = 1;
        }
        if (level == 2)
            joint[2].start_q_given = true, joint[2].start_q[0] = 2.5; // outside the range of coupler and rocker
        for (int i = 0; i < 4; ++i) cardan_description_add_joint(description, &joint[i]);
        fixture f;
        if (loop_open(&f, description, "dense")) {
            CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report) == CARDAN_INCONSISTENT);
            static const char* const violation[3] = {"1.11 m ", "3.54 m/s", "0.671 m "};
            CHECK_MESSAGE(&f.report.message[0], CARDAN_CODE_START_INCONSISTENT,
                          level == 2 ? "joint 'C'" : "joints 'A', 'B'", violation[level], "joint 'C'", "t = 0 s",
                          "`guess: true`");
        }
        fixture_close(&f);
    }
}

// Spatial loops of all joint types that can close one: guesses wrong by up to 0.2, the first joint exact.
static void test_spatial(void)
{
    static const char* const types[] = {"revolute",  "prismatic", "cylindrical", "screw",
                                        "universal", "planar",    "spherical"};
    dice                     d       = {77};
    int                      closed  = 0;
    for (int n = 0; n < 200; ++n) {
        cardan_description* description = cardan_description_create("ring");
        enum { BODIES = 6 };
        double p[BODIES + 2][3];
        for (int i = 0; i < BODIES + 2; ++i)
            for (int k = 0; k < 3; ++k) p[i][k] = dice_range(&d, -1, 1);
        int body[BODIES + 2] = {CARDAN_GROUND};
        for (int i = 1; i <= BODIES; ++i)
            body[i] = loop_rod(description, (char[]){(char)('a' + i - 1), 0}, p[i - 1], p[i], 1);
        body[BODIES + 1] = CARDAN_GROUND;
        for (int i = 0; i <= BODIES; ++i) {
            const double axis[3] = {dice_range(&d, -1, 1), dice_range(&d, -1, 1), dice_range(&d, -1, 1)};
            cardan_joint joint =
                loop_joint(description, (char[]){(char)('A' + i), 0}, i == 0 ? "revolute" : types[dice_int(&d, 7)],
                           body[i], body[i + 1], p[i], axis);
            joint.pitch = 0.2;
            if (joint.type[0] == 'u') {
                joint.nelementary   = 2;
                joint.elementary[0] = (cardan_elementary_joint){.axis = {1, 0, 0}};
                joint.elementary[1] = (cardan_elementary_joint){.axis = {0, 1, 0}};
            }
            joint.start_q_given  = true;
            joint.start_is_guess = i > 0;
            const bool ball      = joint.type[0] == 's' && joint.type[1] == 'p';
            for (int k = 0; k < 4; ++k) joint.start_q[k] = ball && k == 0 ? 1 : i == 0 ? 0 : dice_range(&d, -0.2, 0.2);
            if (ball) q4_normalize(joint.start_q);
            joint.start_v_given = i == 0;
            joint.start_v[0]    = 0.6;
            cardan_description_add_joint(description, &joint);
        }
        fixture f;
        if (loop_open(&f, description, "dense")) {
            cardan_assembly_result done;
            const cardan_status    status = cardan_data_assemble(f.data, NULL, NULL, NULL, &done, &f.report);
            // with seven random joints the first one can move in most mechanisms, not in all: else its velocity is
            // refused
            CHECK(status == CARDAN_OK || status == CARDAN_INCONSISTENT);
            if (status) printf("    ring %d: %s\n", n, f.report.message[0].text);
            if (status == CARDAN_OK) {
                ++closed;
                CHECK(done.position_violation_after <= 1e-12 && done.velocity_violation_after <= 1e-11);
                CHECK(coordinate(&f, "A") == 0 && fabs(rate(&f, "A") - 0.6) < 1e-12);
            }
            if (test_broken)
                printf("    ring %d: %g %g\n", n, done.position_violation_after, done.velocity_violation_after),
                    n = 1000;
        }
        fixture_close(&f);
    }
    CHECK(closed > 150);
    printf("    %d of 200 spatial rings closed\n", closed);
}

// A ring of many bodies, one joint exact, all others with disturbed guesses: the loop is closed, the exact value kept,
// and the change of the others is small.
static void test_large_ring(int bodies, double disturbance, const char* formulation)
{
    enum { MAX_BODIES = 2100 };
    static cardan_joint joint[MAX_BODIES];
    static int          body[MAX_BODIES];
    cardan_description* d    = cardan_description_create("ring");
    const double        z[3] = {0, 0, 1}, radius = bodies / (2 * pi);
    dice                generator           = {7};
    double              distance_to_guesses = 0, guessed = 0;
    for (int i = 0; i < bodies; ++i) {
        const double a = 2 * pi * i / bodies, b = 2 * pi * (i + 1) / bodies;
        body[i] = loop_rod(d, "link", (const double[3]){radius * cos(a), radius * sin(a), 0},
                           (const double[3]){radius * cos(b), radius * sin(b), 0}, 1);
    }
    for (int i = 0; i <= bodies; ++i) {
        const double a = 2 * pi * i / bodies, at[3] = {radius * cos(a), radius * sin(a), 0};
        char         name[16];
        snprintf(name, sizeof name, "J%d", i);
        joint[i]                = loop_joint(d, name, "revolute", i == 0 ? CARDAN_GROUND : body[i - 1],
                              i == bodies ? CARDAN_GROUND : body[i], at, z);
        joint[i].start_q_given  = true;
        joint[i].start_is_guess = i != bodies / 3;
        joint[i].start_q[0]     = i == bodies / 3 ? 0.3 : dice_range(&generator, -disturbance, disturbance);
        cardan_description_add_joint(d, &joint[i]);
    }
    fixture f;
    if (loop_open(&f, d, formulation)) {
        cardan_assembly_result done;
        CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, &done, &f.report) == CARDAN_OK);
        for (int i = 0; i < f.report.count; ++i) printf("%s\n", f.report.message[i].text);
        CHECK(done.position_violation_before > 1 && done.position_violation_after < 1e-9);
        char name[16];
        snprintf(name, sizeof name, "J%d", bodies / 3);
        CHECK_NEAR(coordinate(&f, name), 0.3, 1e-12);
        for (int i = 0; i <= bodies; ++i) {
            snprintf(name, sizeof name, "J%d", i);
            distance_to_guesses += pow(coordinate(&f, name) - joint[i].start_q[0], 2);
            guessed += pow(joint[i].start_q[0], 2);
        }
        CHECK(distance_to_guesses < guessed); // nearer to the guesses than the design configuration
    }
    fixture_close(&f);
}

// A body without joints starts at its described pose in all coordinates.
static void test_floating_start(const char* formulation)
{
    cardan_description* d    = cardan_description_create("free_mass");
    cardan_body         b    = cardan_body_default("base");
    cardan_model*       m    = NULL;
    cardan_data*        data = NULL;
    cardan_motion       motion[1];
    b.mass = b.inertia[0] = b.inertia[1] = b.inertia[2] = 1;
    b.pose                                              = (cardan_pose){{3, 2, 1}, {0.6, 0, 0.8, 0}};
    cardan_description_add_body(d, &b);
    const int f = cardan_formulation_find(formulation);
    CHECK(cardan_model_compile(d, cardan_formulation_tree_policy(f), &m, NULL) == CARDAN_OK);
    CHECK(cardan_data_create(m, f, &data, NULL) == CARDAN_OK);
    const cardan_joint_start start = cardan_joint_start_default(m, 0);
    CHECK(cardan_data_assemble(data, &start, NULL, NULL, NULL, NULL) == CARDAN_OK);
    cardan_data_body_motions(data, NULL, motion);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(motion[0].p[i], b.pose.p[i], 1e-15);
    for (int i = 0; i < 4; ++i) CHECK_NEAR(motion[0].q[i], b.pose.q[i], 1e-15);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

int main(void)
{
    for (int i = 1; i < cardan_formulation_count(); ++i)
        if (cardan_formulation_is_exact(i)) RUN(test_floating_start(cardan_formulation_name(i)));
    RUN(test_four_bar_reference());
    RUN(test_random_four_bars());
    RUN(test_scale());
    RUN(test_least_change());
    RUN(test_exact_cut_joint());
    RUN(test_exact_velocity_of_cut_joint());
    RUN(test_all_coordinates());
    RUN(test_iterative());
    RUN(test_cannot_close());
    RUN(test_contradictory());
    RUN(test_spatial());
    RUN(test_large_ring(1000, 0.05, "dense"));
    RUN(test_large_ring(2000, 0.02, "lagrange"));
    RUN(test_sentences("test_assemble"));
    return test_end();
}
