// SPDX-License-Identifier: BSD-3-Clause
// Forces of contacts in given states: a box at rest on four corners (equal least forces), pushed, with a redundant set
// that needs admissible forces; a sliding rod with the determinant of Painleve; sliding blocks; contradicting rows.
#include "contact_bodies.h"
#include "impact/contact_states.h"
#include "test.h"

static test_contacts   scene;
static cd_arena        arena;
static cd_states_work* work;
static double          p[BODY_ROWS_MAX], u[BODY_ROWS_MAX];
static bool            is_unique[BODY_CONTACTS_MAX];

static cd_states_solution solution = {.p = p, .u = u, .is_unique = is_unique};

static const double up[3] = {0, 0, 1}, g = 9.81;

static void begin(void)
{
    double *W = scene.W, *q = scene.q;
    scene   = (test_contacts){0};
    scene.W = W, scene.q = q;
}

static void box(double mu)
{
    begin();
    test_contacts_add_body(&scene, 1, 0.08 / 12, 0.2 / 12, 0.2 / 12, 0, 0, 0.1);
    for (int i = 0; i < 4; ++i)
        test_contacts_add(&scene, 0, -1, (double[3]){i & 1 ? 0.2 : -0.2, i & 2 ? 0.1 : -0.1, 0}, up, mu, 0.3 * i, 3);
    scene.body[0].v[2] = -g; // accelerations take the place of velocities
}

static void test_box_at_rest(void)
{
    const cd_element_state stick[4] = {{0}};
    box(0.5);
    test_contacts_assemble(&scene);
    CHECK(cd_contact_states_solve(&scene.problem, stick, work, &solution) == CD_STATES_REDUNDANT);
    CHECK(solution.rank == 6);
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(p[3 * i], g / 4, 1e-12);
        CHECK(hypot(p[3 * i + 1], p[3 * i + 2]) < 1e-12);
        CHECK(!is_unique[i]);
    }
    for (int i = 0; i < 12; ++i) CHECK(fabs(u[i]) < 1e-12);
    CHECK_NEAR(cd_contact_feasible_forces(&scene.problem, stick, work, &solution), 0.5 * g / 4 / sqrt(1.25), 1e-12);
}

// Horizontal force 1 N at the top edge (pushed_box): corner forces 2.2025 and 2.7025.
static void test_pushed_box(void)
{
    const cd_element_state stick[4] = {{0}};
    box(0.3);
    scene.body[0].v[0] = 1;
    scene.body[0].v[4] = 0.1 / (0.2 / 12);
    test_contacts_assemble(&scene);
    CHECK(cd_contact_states_solve(&scene.problem, stick, work, &solution) == CD_STATES_REDUNDANT);
    for (int i = 0; i < 4; ++i) CHECK_NEAR(p[3 * i], i & 1 ? 2.7025 : 2.2025, 1e-12);
}

// A sliding box: deceleration mu g, front corners carry more.
static void test_sliding_box(void)
{
    const double mu = 0.4;
    box(mu);
    test_contacts_assemble(&scene);
    cd_element_state slip[4] = {{0}};
    for (int i = 0; i < 4; ++i) { // direction +x in the frame of the contact
        slip[i].slips   = true;
        slip[i].slip[0] = scene.jacobian[3 * i + 1][0][0];
        slip[i].slip[1] = scene.jacobian[3 * i + 2][0][0];
    }
    CHECK(cd_contact_states_solve(&scene.problem, slip, work, &solution) == CD_STATES_REDUNDANT);
    CHECK(solution.determinant == 1);
    test_contacts_apply(&scene, p);
    CHECK_NEAR(scene.body[0].v[0], -mu * g, 1e-12);
    CHECK_NEAR(scene.body[0].v[1], 0, 1e-12);
    CHECK_NEAR(scene.body[0].v[2], 0, 1e-12);
    // moments about the centre: mu m g 0.1 = 0.4 (N_front - N_back)/2 per side
    CHECK_NEAR(p[3] - p[0], mu * g * 0.1 / 0.4, 1e-12);
}

// Three legs and a fourth in the middle of an edge: the least force pulls where admissible ones exist.
static void test_admissible_forces(void)
{
    const double x[6] = {0, 1, 1.05, 1.1, 1.0, 1.05}, y[6] = {0, -0.1, 0.1, 0, 0.1, -0.1};
    begin();
    test_contacts_add_body(&scene, 1, 1, 1, 1, 1.06, 0, 0);
    for (int i = 0; i < 6; ++i) test_contacts_add(&scene, 0, -1, (double[3]){x[i], y[i], 0}, up, 0, 0, 3);
    scene.body[0].v[2] = -g;
    test_contacts_assemble(&scene);
    const cd_element_state closed[6] = {{0}};
    CHECK(cd_contact_states_solve(&scene.problem, closed, work, &solution) == CD_STATES_REDUNDANT);
    CHECK(solution.rank == 3);
    double least = 1;
    for (int i = 0; i < 6; ++i) least = fmin(least, p[3 * i]);
    CHECK(least < -1e-3); // the least forces pull
    const double margin = cd_contact_feasible_forces(&scene.problem, closed, work, &solution);
    double       sum = 0, moment_x = 0, moment_y = 0;
    for (int i = 0; i < 6; ++i) {
        CHECK(p[3 * i] >= margin - 1e-12);
        sum += p[3 * i];
        moment_x += p[3 * i] * (x[i] - 1.06);
        moment_y += p[3 * i] * y[i];
    }
    CHECK(margin >= 0);
    CHECK_NEAR(sum, g, 1e-11);
    CHECK_NEAR(moment_x, 0, 1e-11);
    CHECK_NEAR(moment_y, 0, 1e-11);
    // centre outside the support: no admissible forces
    scene.body[0].v[4] = g * 0.14; // a moment as of a centre at x = 1.2
    test_contacts_assemble(&scene);
    CHECK(cd_contact_states_solve(&scene.problem, closed, work, &solution) == CD_STATES_REDUNDANT);
    CHECK(cd_contact_feasible_forces(&scene.problem, closed, work, &solution) < -0.1);
}

// Rod of Painleve: N = g/p_s, p_s = 1/m + (l^2/I) cos (cos + s mu sin); tip contact, slip along s x.
static void rod(double theta, double mu, double direction, cd_element_state* slip)
{
    begin();
    test_contacts_add_body(&scene, 1, 1, 1.0 / 12, 1, 0.5 * cos(theta), 0, 0.5 * sin(theta));
    test_contacts_add(&scene, 0, -1, (double[3]){0, 0, 0}, up, mu, 0, 3);
    scene.body[0].v[2] = -g;
    test_contacts_assemble(&scene);
    *slip = (cd_element_state){.slips = true,
                               .slip  = {direction * scene.jacobian[1][0][0], direction * scene.jacobian[2][0][0]}};
}

static void test_painleve(void)
{
    const double     pi = acos(-1.0);
    cd_element_state slip;
    rod(pi / 3, 0.5, 1, &slip);
    CHECK(cd_contact_states_solve(&scene.problem, &slip, work, &solution) == CD_STATES_UNIQUE);
    CHECK_NEAR(p[0], 4.088319277313512, 1e-13);
    rod(pi / 3, 0.5, -1, &slip);
    CHECK(cd_contact_states_solve(&scene.problem, &slip, work, &solution) == CD_STATES_UNIQUE);
    CHECK_NEAR(p[0], 8.914284272982346, 1e-13);
    rod(pi / 3, 1.2, -1, &slip);
    CHECK(cd_contact_states_solve(&scene.problem, &slip, work, &solution) == CD_STATES_UNIQUE);
    CHECK_NEAR(p[0], 51.31980486960572, 1e-12);
    CHECK(solution.determinant == 1);
    rod(atan(2), 1.4, -1, &slip);
    cd_contact_states_solve(&scene.problem, &slip, work, &solution);
    CHECK_NEAR(p[0], -g / 0.08, 1e-12);
    CHECK(solution.determinant == -1);
}

// Two equalities on one rod that contradict each other.
static void test_contradiction(void)
{
    begin();
    test_contacts_add_body(&scene, 1, 1, 1, 1, 0, 0, 0);
    for (int i = 0; i < 2; ++i) test_contacts_add(&scene, 0, -1, (double[3]){1, 0, 0}, up, 0, 0, 3);
    scene.body[0].v[2] = -g;
    test_contacts_assemble(&scene);
    scene.q[3] += 1;
    const cd_element_state closed[2] = {{0}};
    CHECK(cd_contact_states_solve(&scene.problem, closed, work, &solution) == CD_STATES_INCONSISTENT);
    CHECK(solution.inconsistency > 0.1);
}

// Spinning and rolling friction: sphere on the ground that spins and rolls against its lever arms.
static void test_rolling(void)
{
    const double radius = 0.05, mass = 0.3, inertia = 0.4 * mass * radius * radius, arm = 0.001;
    begin();
    test_contacts_add_body(&scene, mass, inertia, inertia, inertia, 0, 0, radius);
    cd_contact_element* e = test_contacts_add(&scene, 0, -1, (double[3]){0, 0, 0}, up, 0.5, 0, 6);
    e->rolling = arm, e->spinning = 2 * arm;
    scene.body[0].v[2] = -g;
    test_contacts_assemble(&scene);
    // rolls along x: w = y; the frame gives the direction
    cd_element_state rolls = {.rolls = true, .roll = {scene.jacobian[4][0][4], scene.jacobian[5][0][4]}};
    CHECK(cd_contact_states_solve(&scene.problem, &rolls, work, &solution) == CD_STATES_UNIQUE);
    test_contacts_apply(&scene, p);
    CHECK_NEAR(scene.body[0].v[0], -0.14014285714285715, 1e-13); // roll_stop
    CHECK_NEAR(scene.body[0].v[4], -0.14014285714285715 / radius, 1e-12);
}

int main(void)
{
    cd_states_work_layout(&arena, 60, 20);
    if (!cd_arena_reserve(&arena)) return 1;
    work = cd_states_work_layout(&arena, 60, 20);
    RUN(test_box_at_rest());
    RUN(test_pushed_box());
    RUN(test_sliding_box());
    RUN(test_admissible_forces());
    RUN(test_painleve());
    RUN(test_contradiction());
    RUN(test_rolling());
    test_contacts_release(&scene);
    cd_arena_release(&arena);
    return test_end();
}
