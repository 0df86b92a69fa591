// SPDX-License-Identifier: BSD-3-Clause
// All impact laws on random impacts: energy, momentum, non-penetration, bounds of friction; chains that hit a plane
// with 186 contacts.
#include "contact_chain.h"
#include "impact/contact_solve.h"
#include "impact/impact_law.h"
#include "random_contacts.h"
#include "test.h"

#include <stdlib.h>

static test_contacts   scene;
static cd_arena        arena;
static cd_impact_work* work;
static double          p[BODY_ROWS_MAX], u[BODY_ROWS_MAX], restitution[BODY_CONTACTS_MAX];
static bool            is_unique[BODY_CONTACTS_MAX];

// Energy and rows after an impact; returns false if a check fails.
static bool is_admissible(double before, const cd_impact_solution* solution)
{
    const double v = scene.problem.velocity_scale;
    for (int k = 0; k < scene.ncontact; ++k) {
        const int    row  = scene.element[k].row;
        const double size = fabs(p[row]) + 1e-9 * v / scene.W[(long)row * (scene.nrow + 1)];
        if (u[row] < -1e-10 * v || p[row] < -1e-10 * size) return false;
        if (hypot(p[row + 1], p[row + 2]) > scene.element[k].mu * p[row] + 1e-9 * size) return false;
    }
    test_contacts_apply(&scene, p);
    const double change = test_contacts_energy(&scene) - before;
    return change <= 2e-12 * before && fabs(change - solution->energy_change) <= 1e-11 * before;
}

static void test_random_impacts(void)
{
    const int count    = getenv("CARDAN_TEST_ALL") ? 100000 : 10000;
    int       failures = 0, unsolved = 0, reduced = 0;
    for (int i = 0; i < count; ++i) {
        const int contacts = i % 2 ? 1 : 1 + i / 2 % 5;
        test_contacts_random_problem(&scene, 50000 + (unsigned)i, 1 + i % 3, contacts, 1.0, 3, test_contacts_plain);
        for (int k = 0; k < contacts; ++k) restitution[k] = i % 7 == 0 ? 1 : (i + 3 * k) % 7 / 7.0;
        memset(p, 0, sizeof p);
        cd_impact_solution      solution = {.p = p, .u = u, .is_unique = is_unique};
        const double            energy   = test_contacts_energy(&scene);
        const cd_impact_problem problem  = {scene.problem, restitution, energy};
        const cd_contact_status status =
            cd_impact_solve(cd_impact_law_at(i / 3 % CD_IMPACT_LAW_COUNT), &problem, work, &solution, 1e-12);
        unsolved += status != CD_CONTACT_SOLVED;
        reduced += solution.restitution_factor < 1;
        if (!is_admissible(energy, &solution)) ++failures;
    }
    CHECK(failures == 0);
    CHECK(unsolved <= count / 2000);
    CHECK(reduced > 0 && reduced < count / 20);
}

// Central impacts of smooth bodies: every law gives u_n+ = -e u_n-.
static void test_single_smooth_contact(void)
{
    for (int i = 0; i < 400; ++i) {
        test_contacts_random_problem(&scene, 1000 + (unsigned)i, 2, 1, 0, 3, test_contacts_plain);
        if (scene.q[0] >= 0) continue;
        restitution[0]                  = i % 11 / 10.0;
        const cd_impact_problem problem = {scene.problem, restitution, 0};
        for (int law = 0; law < CD_IMPACT_LAW_COUNT; ++law) {
            cd_impact_solution solution = {.p = p, .u = u, .is_unique = is_unique};
            memset(p, 0, sizeof p);
            CHECK(cd_impact_solve(cd_impact_law_at(law), &problem, work, &solution, 1e-13) == CD_CONTACT_SOLVED);
            CHECK_NEAR(u[0], -restitution[0] * scene.q[0], 1e-12);
        }
    }
}

static void test_chains(void)
{
    const int cases = getenv("CARDAN_TEST_ALL") ? 8 : 3, list[8] = {0, 3, 6, 1, 2, 4, 5, 7};
    for (int i = 0; i < cases; ++i) {
        const int k = list[i];
        test_contact_chain(&scene,
                           i == 0                      ? 93
                           : getenv("CARDAN_TEST_ALL") ? 93
                                                       : 30,
                           k & 1 ? 100 : 1, k & 2 ? 0.3 : 0, k & 4 ? 0.9 : 0.3);
        cd_arena memory = {0};
        cd_contact_work_layout(&memory, scene.nrow, scene.ncontact);
        if (!cd_arena_reserve(&memory)) return;
        cd_contact_work*    contact  = cd_contact_work_layout(&memory, scene.nrow, scene.ncontact);
        cd_contact_solution solution = {.p = p, .u = u, .is_unique = is_unique};
        memset(p, 0, sizeof p);
        CHECK(cd_contact_solve(&scene.problem, contact, &solution, 1e-11) == CD_CONTACT_SOLVED);
        CHECK(solution.residual <= 1e-10);
        CHECK(test_cone_law(&scene, p, u) < 1e-10);
        cd_arena_release(&memory);
    }
}

int main(void)
{
    cd_impact_work_layout(&arena, 60, 20);
    if (!cd_arena_reserve(&arena)) return 1;
    work = cd_impact_work_layout(&arena, 60, 20);
    RUN(test_random_impacts());
    RUN(test_single_smooth_contact());
    RUN(test_chains());
    test_contacts_release(&scene);
    cd_arena_release(&arena);
    return test_end();
}
