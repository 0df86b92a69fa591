// SPDX-License-Identifier: BSD-3-Clause
// Solver of the cone law: stack of boxes with least forces, random problems with one to twelve contacts whose law is
// checked case by case, redundant contacts, symmetries, elements of other kinds, problems without solution.
#include "contact_bodies.h"
#include "impact/cone/gauss_seidel.h"
#include "impact/cone/cone_problem.h"
#include "impact/contact_solve.h"
#include "random_contacts.h"
#include "test.h"

static test_contacts    scene, variant;
static cd_arena         arena;
static cd_contact_work* work;
static double           p[BODY_ROWS_MAX], u[BODY_ROWS_MAX];
static bool             is_unique[BODY_CONTACTS_MAX];

static cd_contact_solution solution = {.p = p, .u = u, .is_unique = is_unique};

static const double up[3] = {0, 0, 1}, g = 9.81;

static cd_contact_status solve(const test_contacts* t, double tolerance)
{
    memset(p, 0, sizeof p);
    return cd_contact_solve(&t->problem, work, &solution, tolerance);
}

static void begin(void)
{
    double *W = scene.W, *q = scene.q;
    scene   = (test_contacts){0};
    scene.W = W, scene.q = q;
}

static void add_corners(int a, int b, double z, double mu)
{
    for (int i = 0; i < 4; ++i)
        test_contacts_add(&scene, a, b, (double[3]){i & 1 ? 0.2 : -0.2, i & 2 ? 0.1 : -0.1, z}, up, mu, 0.4 * i, 3);
}

// Accelerations: ten boxes at rest, 40 contacts; the forces of a level are equal.
static void test_stack(void)
{
    begin();
    for (int i = 0; i < 10; ++i) {
        test_contacts_add_body(&scene, 1, 0.08 / 12, 0.2 / 12, 0.2 / 12, 0, 0, 0.1 + 0.2 * i);
        add_corners(i, i - 1, 0.2 * i, 0.5);
        scene.body[i].v[2] = -g;
    }
    test_contacts_assemble(&scene);
    CHECK(solve(&scene, 1e-12) == CD_CONTACT_SOLVED);
    for (int i = 0; i < 40; ++i) {
        CHECK_NEAR(p[3 * i], g * (10 - i / 4) / 4, 1e-10);
        CHECK(hypot(p[3 * i + 1], p[3 * i + 2]) < 1e-10);
        CHECK(!is_unique[i]);
    }
}

// A box pushed at its top edge; then with a force at which the least forces pull, so that the cones matter.
static void test_pushed_box(void)
{
    const double force[3] = {1, 9, 9.8}, inertia = 0.2 / 12;
    for (int i = 0; i < 3; ++i) {
        begin();
        test_contacts_add_body(&scene, 1, 0.08 / 12, inertia, inertia, 0, 0, 0.1);
        add_corners(0, -1, 0, i == 0 ? 0.3 : 2);
        scene.body[0].v[0] = force[i], scene.body[0].v[2] = -g, scene.body[0].v[4] = 0.1 * force[i] / inertia;
        test_contacts_assemble(&scene);
        CHECK(solve(&scene, 1e-12) == CD_CONTACT_SOLVED);
        for (int k = 0; k < 12; ++k) CHECK(fabs(u[k]) < 1e-11);
        for (int k = 0; k < 4; ++k) CHECK_NEAR(p[3 * k], g / 4 + (k & 1 ? 1 : -1) * force[i] * 0.2 / 0.8, 1e-10);
    }
    CHECK_NEAR(p[0], (9.81 - 9.8) / 4, 1e-9);
    scene.body[0].v[0] = 9.82, scene.body[0].v[4] = 0.1 * 9.82 / inertia; // tips
    test_contacts_assemble(&scene);
    CHECK(solve(&scene, 1e-12) == CD_CONTACT_SOLVED);
    CHECK(u[0] > 1e-3 && fabs(u[3]) < 1e-11);
}

static void test_random_problems(void)
{
    const int count  = getenv("CARDAN_TEST_ALL") ? 20000 : 1500;
    int       unique = 0, redundant = 0, infeasible = 0, inexact = 0;
    double    worst = 0;
    for (int i = 0; i < count; ++i) {
        test_contacts_random_problem(&scene, 1 + (unsigned)i, 1 + i % 4, 1 + i / 4 % 12, 0.8, i % 5 == 3 ? 6 : 3,
                                     test_contacts_plain);
        for (int k = 0; k < scene.ncontact; ++k) // shifts of restitution
            scene.element[k].shift = i % 3 == 1 ? 0.5 * fmin(0, scene.q[scene.element[k].row]) : 0;
        const cd_contact_status status = solve(&scene, 1e-13);
        if (status == CD_CONTACT_INFEASIBLE) { // restitution against a contact that the others keep closed
            CHECK(i % 3 == 1);
            ++infeasible;
            continue;
        }
        if (status == CD_CONTACT_NOT_CONVERGED) ++inexact;
        CHECK(solution.residual < 1e-12);
        worst = fmax(worst, test_cone_law(&scene, p, u));
        for (int k = 0; k < scene.ncontact; ++k) ++*(is_unique[k] ? &unique : &redundant);
    }
    CHECK(worst < 1e-12);
    CHECK(infeasible <= count / 100 && inexact <= count / 100);
    CHECK(unique > count && redundant > count / 30);
}

static void velocities_after(test_contacts* t, double after[][6])
{
    test_contacts_apply(t, p);
    for (int b = 0; b < t->nbody; ++b)
        for (int i = 0; i < 6; ++i) after[b][i] = t->body[b].v[i];
}

// The same motion in other units, in the mirror, and with every contact doubled.
static void test_invariance(void)
{
    const test_contacts_variant variants[5] = {
        {1e6, 1, 1, false, 1}, {1, 1e6, 1, false, 1}, {1, 1, 1e6, false, 1}, {1, 1, 1, true, 1}, {1, 1, 1, false, 3}};
    for (int i = 0; i < 100; ++i) {
        double    expected[8][6], actual[8][6];
        const int bodies = 1 + i % 3, contacts = 1 + i / 3 % 6, nrow = i % 4 == 3 ? 6 : 3;
        test_contacts_random_problem(&scene, 700 + (unsigned)i, bodies, contacts, 0.4, nrow, test_contacts_plain);
        CHECK(solve(&scene, 1e-13) == CD_CONTACT_SOLVED);
        velocities_after(&scene, expected);
        for (int k = 0; k < 5; ++k) {
            const test_contacts_variant* v = &variants[k];
            test_contacts_random_problem(&variant, 700 + (unsigned)i, bodies, contacts, 0.4, nrow, *v);
            CHECK(solve(&variant, 1e-13) == CD_CONTACT_SOLVED);
            velocities_after(&variant, actual);
            const double sign = v->is_mirrored ? -1 : 1, angular[6] = {sign, 1, 1, 1, sign, sign};
            for (int b = 0; b < bodies; ++b)
                for (int c = 0; c < 6; ++c)
                    CHECK_NEAR(actual[b][c] * v->time / (c < 3 ? v->length : 1), angular[c] * expected[b][c], 1e-12);
        }
    }
}

// Sweeps alone converge to the same velocities where they converge.
static void test_sweeps(void)
{
    double          x[36], y[36], q[BODY_ROWS_MAX];
    cd_cone_problem cone;
    cd_arena        memory = {0};
    cd_cone_problem_layout(&memory, 36, 12, &cone);
    if (!cd_arena_reserve(&memory)) return;
    cd_cone_problem_layout(&memory, 36, 12, &cone);
    int compared = 0;
    for (int i = 0; i < 60; ++i) {
        test_contacts_random_problem(&scene, 9000 + (unsigned)i, 1 + i % 3, 1 + i % 5, 0.3, 3, test_contacts_plain);
        CHECK(solve(&scene, 1e-13) == CD_CONTACT_SOLVED);
        cd_cone_problem_reduce(&scene.problem, &cone);
        memset(x, 0, sizeof x);
        cd_gauss_seidel_sweeps(&cone, 3000, x);
        cd_cone_velocity(&cone, x, y);
        if (cd_cone_residual(&cone, x, y) > 1e-12) continue;
        ++compared;
        double sweep_p[BODY_ROWS_MAX];
        cd_cone_problem_expand(&cone, &scene.problem, x, sweep_p);
        cd_contact_residual(&scene.problem, sweep_p, q);
        for (int k = 0; k < scene.nrow; ++k) CHECK_NEAR(q[k], u[k], 1e-9);
    }
    CHECK(compared > 40);
    cd_arena_release(&memory);
}

// A box that slides in 16 directions loses the same velocity.
static void test_isotropy(void)
{
    const double mu = 0.35, impulse = 0.02 * g;
    for (int i = 0; i < 16; ++i) {
        const double angle = i * acos(-1.0) / 8;
        begin();
        test_contacts_add_body(&scene, 1, 0.08 / 12, 0.2 / 12, 0.2 / 12, 0, 0, 0.02);
        add_corners(0, -1, 0, mu);
        scene.body[0].v[0] = cos(angle), scene.body[0].v[1] = sin(angle), scene.body[0].v[2] = -impulse;
        test_contacts_assemble(&scene);
        CHECK(solve(&scene, 1e-13) == CD_CONTACT_SOLVED);
        test_contacts_apply(&scene, p);
        const double* v = scene.body[0].v;
        CHECK_NEAR(hypot(v[0], v[1]), 1 - mu * impulse, 1e-12);
        CHECK_NEAR(v[1] * cos(angle) - v[0] * sin(angle), 0, 1e-12);
        CHECK(fabs(v[2]) < 1e-12 && fabs(v[5]) < 1e-12); // does not lift
    }
}

// The start values stay where they are a solution: least change.
static void test_least_change(void)
{
    begin();
    test_contacts_add_body(&scene, 1, 0.08 / 12, 0.2 / 12, 0.2 / 12, 0, 0, 0.1);
    add_corners(0, -1, 0, 0.5);
    scene.body[0].v[2] = -g;
    test_contacts_assemble(&scene);
    memset(p, 0, sizeof p);
    p[0] = p[9] = g / 2; // two opposite corners
    CHECK(cd_contact_solve(&scene.problem, work, &solution, 1e-12) == CD_CONTACT_SOLVED);
    for (int i = 0; i < 4; ++i) CHECK_NEAR(p[3 * i], i == 0 || i == 3 ? g / 2 : 0, 1e-10);
}

static void test_other_elements(void)
{
    // three unknowns of unit mass in a row: u = p + q, coupled by springless links: W dense
    const double             W[9]    = {2, 1, 0.5, 1, 3, 0.2, 0.5, 0.2, 1};
    double                   q[3]    = {-1, 0.7, 0.4};
    cd_contact_element       e[3]    = {{.kind = CD_ELEMENT_LIMIT, .row = 0, .nrow = 1},
                                        {.kind = CD_ELEMENT_FRICTION, .row = 1, .nrow = 1, .bound = 0.1},
                                        {.kind = CD_ELEMENT_BILATERAL, .row = 2, .nrow = 1}};
    const cd_contact_problem problem = {3, 3, W, q, e, 1};
    memset(p, 0, sizeof p);
    CHECK(cd_contact_solve(&problem, work, &solution, 1e-13) == CD_CONTACT_SOLVED);
    CHECK(fabs(u[0]) < 1e-13 && fabs(u[2]) < 1e-13 && u[1] > 0.1 && p[0] > 0);
    CHECK_NEAR(p[1], -0.1, 1e-14); // at its bound, against the velocity
    e[1].bound = 10;
    CHECK(cd_contact_solve(&problem, work, &solution, 1e-13) == CD_CONTACT_SOLVED);
    CHECK(fabs(u[1]) < 1e-13 && fabs(p[1]) < 10);
    q[0] = 3; // the limit opens
    CHECK(cd_contact_solve(&problem, work, &solution, 1e-13) == CD_CONTACT_SOLVED);
    CHECK(p[0] == 0 && u[0] > 1 && fabs(u[1]) < 1e-13 && fabs(u[2]) < 1e-13);
}

static void test_infeasible(void)
{
    // a block between two plates that approach each other
    const double             W[36]   = {1,  0, 0, -1, 0, 0, 0, 4, 0, 0, 1, 0, 0, 0, 4, 0, 0, 1,
                                        -1, 0, 0, 1,  0, 0, 0, 1, 0, 0, 4, 0, 0, 0, 1, 0, 0, 4};
    double                   q[6]    = {-1, 0.3, 0, -0.5, 0.2, 0};
    const cd_contact_element e[2]    = {{.kind = CD_ELEMENT_POINT, .row = 0, .nrow = 3, .mu = 0.5},
                                        {.kind = CD_ELEMENT_POINT, .row = 3, .nrow = 3, .mu = 0.5}};
    const cd_contact_problem problem = {6, 2, W, q, e, 1};
    memset(p, 0, sizeof p);
    CHECK(cd_contact_solve(&problem, work, &solution, 1e-12) == CD_CONTACT_INFEASIBLE);
    CHECK(solution.residual > 1e-3);
    q[3] = 1.5; // they part
    memset(p, 0, sizeof p);
    CHECK(cd_contact_solve(&problem, work, &solution, 1e-12) == CD_CONTACT_SOLVED);
    q[3] = 1; // exactly parallel, without slip: the plates may press at will
    q[1] = q[4] = 0;
    memset(p, 0, sizeof p);
    CHECK(cd_contact_solve(&problem, work, &solution, 1e-12) == CD_CONTACT_SOLVED);
    CHECK(!is_unique[0] && !is_unique[1]);
}

// Nothing moves, no contacts at all, velocities that are no numbers.
static void test_degenerate_problems(void)
{
    test_contacts_random_problem(&scene, 5, 2, 4, 0.5, 3, test_contacts_plain);
    memset(scene.q, 0, (size_t)scene.nrow * sizeof *scene.q);
    scene.problem.velocity_scale = 0;
    CHECK(solve(&scene, 1e-12) == CD_CONTACT_SOLVED);
    for (int i = 0; i < scene.nrow; ++i) CHECK(p[i] == 0 && u[i] == 0);
    scene.q[3]                   = NAN;
    scene.problem.velocity_scale = 1;
    CHECK(solve(&scene, 1e-12) == CD_CONTACT_NOT_CONVERGED);
    const cd_contact_problem empty = {0, 0, scene.W, scene.q, scene.element, 1};
    CHECK(cd_contact_solve(&empty, work, &solution, 1e-12) == CD_CONTACT_SOLVED);
}

int main(void)
{
    cd_contact_work_layout(&arena, 216, 72);
    if (!cd_arena_reserve(&arena)) return 1;
    work = cd_contact_work_layout(&arena, 216, 72);
    RUN(test_stack());
    RUN(test_pushed_box());
    RUN(test_random_problems());
    RUN(test_invariance());
    RUN(test_sweeps());
    RUN(test_isotropy());
    RUN(test_least_change());
    RUN(test_other_elements());
    RUN(test_infeasible());
    RUN(test_degenerate_problems());
    test_contacts_release(&scene);
    test_contacts_release(&variant);
    cd_arena_release(&arena);
    return test_end();
}
