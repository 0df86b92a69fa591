// SPDX-License-Identifier: BSD-3-Clause
// The contact problem with accelerations: which contacts stay closed, stick, begin to slip, or open. A pulled block, a
// sliding block, a rod in configurations of Painleve, a ladder at its least angle, contacts at rest and sliding ones.
#include "contact_bodies.h"
#include "impact/contact_solve.h"
#include "test.h"

static test_contacts    scene;
static cd_arena         arena;
static cd_contact_work* work;
static double           p[120], u[120];
static bool             is_unique[40];

static cd_contact_solution solution = {.p = p, .u = u, .is_unique = is_unique};

static const double up[3] = {0, 0, 1}, g = 9.81;

static cd_contact_status solve(void)
{
    test_contacts_assemble(&scene);
    memset(p, 0, sizeof p);
    const cd_contact_status status = cd_contact_solve(&scene.problem, work, &solution, 1e-12);
    test_contacts_apply(&scene, p);
    return status;
}

static void begin(void)
{
    double *W = scene.W, *q = scene.q;
    scene   = (test_contacts){0};
    scene.W = W, scene.q = q;
}

static void block(double mu)
{
    begin();
    test_contacts_add_body(&scene, 1, 0.08 / 12, 0.2 / 12, 0.2 / 12, 0, 0, 0.05);
    for (int i = 0; i < 4; ++i)
        test_contacts_add(&scene, 0, -1, (double[3]){i & 1 ? 0.2 : -0.2, i & 2 ? 0.1 : -0.1, 0}, up, mu, 0.3 * i, 3);
    scene.body[0].v[2] = -g;
}

// Just below the limit it stays, just above it begins to slide; in 16 directions.
static void test_pulled_block(void)
{
    const double mu = 0.4;
    for (int i = 0; i < 32; ++i) {
        const double angle = (i / 2) * acos(-1.0) / 8, force = mu * g * (i % 2 ? 1 + 1e-6 : 1 - 1e-6);
        block(mu);
        scene.body[0].v[0] = force * cos(angle), scene.body[0].v[1] = force * sin(angle);
        CHECK(solve() == CD_CONTACT_SOLVED);
        const double* a = scene.body[0].v;
        CHECK_NEAR(a[0] * cos(angle) + a[1] * sin(angle), i % 2 ? force - mu * g : 0, 1e-11);
        for (int k = 2; k < 6; ++k) CHECK(fabs(a[k]) < 1e-10);
    }
}

// Slides with -mu g along its direction; pulled up by more than its weight it lifts.
static void test_sliding_block(void)
{
    const double mu = 0.4;
    for (int i = 0; i < 16; ++i) {
        const double angle = i * acos(-1.0) / 8, lift = i < 8 ? 0 : 1.5 * g;
        block(mu);
        scene.body[0].v[2] += lift;
        for (int k = 0; k < 4; ++k) {
            cd_contact_element* e = &scene.element[k];
            e->kind               = CD_ELEMENT_SLIDING;
            for (int r = 0; r < 2; ++r)
                e->direction[r] =
                    scene.jacobian[3 * k + 1 + r][0][0] * cos(angle) + scene.jacobian[3 * k + 1 + r][0][1] * sin(angle);
        }
        CHECK(solve() == CD_CONTACT_SOLVED);
        const double* a = scene.body[0].v;
        CHECK_NEAR(a[0] * cos(angle) + a[1] * sin(angle), lift > 0 ? 0 : -mu * g, 1e-11);
        CHECK_NEAR(a[2], lift > 0 ? 0.5 * g : 0, 1e-11);
        CHECK(fabs(a[3]) < 1e-11 && fabs(a[4]) < 1e-11 && fabs(a[5]) < 1e-11);
    }
}

static cd_contact_status rod(double theta, double mu, double direction, double rate)
{
    begin();
    test_body* body       = test_contacts_add_body(&scene, 1, 1, 1. / 12, 1, 0.5 * cos(theta), 0, 0.5 * sin(theta));
    body->v[2]            = -g;
    cd_contact_element* e = test_contacts_add(&scene, 0, -1, (double[3]){0, 0, 0}, up, mu, 0, 3);
    e->kind               = CD_ELEMENT_SLIDING;
    for (int r = 0; r < 2; ++r) e->direction[r] = direction * scene.jacobian[1 + r][0][0];
    test_contacts_assemble(&scene);
    scene.q[0] += 0.5 * sin(theta) * rate * rate; // centripetal acceleration of the tip
    memset(p, 0, sizeof p);
    return cd_contact_solve(&scene.problem, work, &solution, 1e-12);
}

static void test_painleve(void)
{
    const double pi = acos(-1.0);
    CHECK(rod(pi / 3, 0.5, 1, 0) == CD_CONTACT_SOLVED);
    CHECK_NEAR(p[0], 4.088319277313512, 1e-12);
    CHECK(rod(pi / 3, 1.2, -1, 0) == CD_CONTACT_SOLVED);
    CHECK_NEAR(p[0], 51.31980486960572, 1e-11);
    CHECK(rod(atan(2), 1.4, -1, 0) == CD_CONTACT_INFEASIBLE); // no solution
    CHECK(rod(atan(2), 1.4, -1, 6) == CD_CONTACT_SOLVED);     // rotates fast: it may lift
    CHECK(cd_contact_residual(&scene.problem, p, u) < 1e-11);
    CHECK(rod(pi / 3, 0.5, 1, 6) == CD_CONTACT_SOLVED); // lifts
    CHECK(p[0] == 0 && u[0] > 1);
}

// Ladder against a wall: stands 1e-9 rad above the least angle, slides below it.
static void test_ladder(void)
{
    const double limit = 0.8550527371260165, wall[3] = {-1, 0, 0};
    for (int side = -1; side <= 1; side += 2) {
        const double angle = limit + side * 1e-9, c = cos(angle) / 2, s = sin(angle) / 2;
        begin();
        test_contacts_add_body(&scene, 1, 1, 1. / 12, 1, 0, 0, s)->v[2] = -g;
        test_contacts_add(&scene, 0, -1, (double[3]){-c, 0, 0}, up, 0.4, 0, 3);
        test_contacts_add(&scene, 0, -1, (double[3]){c, 0, 2 * s}, wall, 0.2, 0, 3);
        CHECK(solve() == CD_CONTACT_SOLVED);
        CHECK_NEAR(p[0] / g, 0.9259259259259259, 1e-8);
        CHECK_NEAR(p[3] / g, 0.37037037037037035, 1e-8);
        const double slip = hypot(u[1], u[2]);
        CHECK(side > 0 ? slip < 1e-11 : slip > 1e-10);
    }
}

// Ten bricks of length 1 on four corners each; brick k from above is shifted by 1/(2 k) (1 + change) over the one
// below. Returns the largest acceleration.
static double overhang(double change)
{
    double x = 0, largest = 0;
    begin();
    for (int i = 0; i < 10; ++i) { // from the ground
        const double shift = i > 0 ? (1 + change) / (2 * (10.0 - i)) : 0;
        x += shift;
        test_contacts_add_body(&scene, 1, 0.05 / 12, 1.04 / 12, 1.01 / 12, x, 0, 0.1 + 0.2 * i)->v[2] = -g;
        for (int c = 0; c < 4; ++c)
            test_contacts_add(&scene, i, i - 1,
                              (double[3]){c & 1 ? x + 0.5 - shift : x - 0.5, c & 2 ? 0.05 : -0.05, 0.2 * i}, up, 0.5, 0,
                              3);
    }
    CHECK(solve() == CD_CONTACT_SOLVED);
    for (int i = 0; i < 10; ++i)
        for (int k = 0; k < 6; ++k) largest = fmax(largest, fabs(scene.body[i].v[k]));
    return largest;
}

static void test_overhang(void)
{
    CHECK(overhang(-1e-6) < 1e-9);
    CHECK(overhang(1e-6) > 1e-7);
}

// A heavy box on a light one and a light box on a heavy one.
static void test_mass_ratio(void)
{
    for (int i = 0; i < 2; ++i) {
        begin();
        for (int b = 0; b < 2; ++b) {
            const double m = (b == 0) == (i == 0) ? 1e-3 : 1e3;
            test_contacts_add_body(&scene, m, m / 12, m / 12, m / 12, 0, 0, 0.5 + b)->v[2] = -g;
            for (int c = 0; c < 4; ++c)
                test_contacts_add(&scene, b, b - 1, (double[3]){c & 1 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, b}, up, 0.5, 0,
                                  3);
        }
        CHECK(solve() == CD_CONTACT_SOLVED);
        for (int c = 0; c < 4; ++c) {
            CHECK_NEAR(p[3 * c] / (g * (1e3 + 1e-3) / 4), 1, 1e-7);
            CHECK_NEAR(p[12 + 3 * c] / (g * (i == 0 ? 1e3 : 1e-3) / 4), 1, 1e-7);
        }
        for (int b = 0; b < 2; ++b)
            for (int k = 0; k < 6; ++k)
                CHECK(fabs(scene.body[b].v[k]) < 1e-7); // round-off of forces of 1e4 N on 1 g: 1e-9
    }
}

// Two sliding contacts and one at rest together.
static void test_mixed(void)
{
    block(0.4);
    for (int k = 0; k < 4; k += 3) {
        scene.element[k].kind         = CD_ELEMENT_SLIDING;
        scene.element[k].direction[0] = scene.jacobian[3 * k + 1][0][0];
        scene.element[k].direction[1] = scene.jacobian[3 * k + 2][0][0];
    }
    CHECK(solve() == CD_CONTACT_SOLVED);
    // the corners at rest carry the friction of the sliding ones
    for (int k = 0; k < 6; ++k) CHECK(fabs(scene.body[0].v[k]) < 1e-11);
    CHECK_NEAR(p[0] + p[3] + p[6] + p[9], g, 1e-11);
}

int main(void)
{
    cd_contact_work_layout(&arena, 120, 40);
    if (!cd_arena_reserve(&arena)) return 1;
    work = cd_contact_work_layout(&arena, 120, 40);
    RUN(test_pulled_block());
    RUN(test_sliding_block());
    RUN(test_painleve());
    RUN(test_ladder());
    RUN(test_overhang());
    RUN(test_mass_ratio());
    RUN(test_mixed());
    test_contacts_release(&scene);
    cd_arena_release(&arena);
    return test_end();
}
