// SPDX-License-Identifier: BSD-3-Clause
// Time of contact problems with 1, 4, 8 and 24 contacts: a solve of the cone law without and with start values, forces
// of given states, an impact by each law. A box on one corner, and stacks of
// boxes on four corners each.
#include "clock.h"
#include "impact/contact_solve.h"
#include "impact/contact_states.h"
#include "impact/impact_law.h"

#include "contact_bodies.h"

#include <stdio.h>

enum { MAX_ROWS = 72, MAX_ELEMENTS = 24 };

typedef struct bench_case {
    test_contacts        scene;
    cd_contact_work*     contact;
    cd_states_work*      states;
    cd_impact_work*      impact;
    cd_element_state     state[MAX_ELEMENTS];
    const cd_impact_law* law;
    double               p[MAX_ROWS], u[MAX_ROWS], start[MAX_ROWS], restitution[MAX_ELEMENTS];
    bool                 is_unique[MAX_ELEMENTS];
    cd_contact_solution  solution;
} bench_case;

static void build(bench_case* b, int contacts)
{
    test_contacts* t     = &b->scene;
    const double   up[3] = {0, 0, 1};
    *t                   = (test_contacts){.W = t->W, .q = t->q};
    for (int i = 0; i < (contacts + 3) / 4; ++i) {
        test_body* body = test_contacts_add_body(t, 1, 0.08 / 12, 0.2 / 12, 0.2 / 12, 0, 0, 0.1 + 0.2 * i);
        body->v[0] = 0.3, body->v[1] = 0.1 * i, body->v[2] = -1, body->v[4] = 0.2;
        for (int k = 0; k < (contacts < 4 ? contacts : 4); ++k)
            test_contacts_add(t, i, i - 1, (double[3]){k & 1 ? 0.2 : -0.2, k & 2 ? 0.1 : -0.1, 0.2 * i}, up, 0.4, 0, 3);
    }
    test_contacts_assemble(t);
    for (int k = 0; k < contacts; ++k) b->restitution[k] = 0.5;
}

static void cold(void* on)
{
    bench_case* b = on;
    memset(b->p, 0, sizeof b->p);
    cd_contact_solve(&b->scene.problem, b->contact, &b->solution, 1e-12);
}

static void warm(void* on)
{
    bench_case* b = on;
    memcpy(b->p, b->start, sizeof b->p);
    cd_contact_solve(&b->scene.problem, b->contact, &b->solution, 1e-12);
}

static void states(void* on)
{
    bench_case*        b        = on;
    cd_states_solution solution = {.p = b->p, .u = b->u, .is_unique = b->is_unique};
    cd_contact_states_solve(&b->scene.problem, b->state, b->states, &solution);
}

static void impact(void* on)
{
    bench_case*             b        = on;
    cd_impact_solution      solution = {.p = b->p, .u = b->u, .is_unique = b->is_unique};
    const cd_impact_problem problem  = {b->scene.problem, b->restitution, 0};
    memset(b->p, 0, sizeof b->p);
    cd_impact_solve(b->law, &problem, b->impact, &solution, 1e-12);
}

static double time_of(void (*work)(void*), bench_case* b) { return clock_time(work, b, clock_calls(work, b, 2e4)); }

static void measure(bench_case* b, int contacts)
{
    build(b, contacts);
    cold(b);
    memcpy(b->start, b->p, sizeof b->p);
    printf("%8d %10.2f %10.2f", contacts, time_of(cold, b), time_of(warm, b));
    printf(" %10.2e", b->solution.residual);
    printf(" %10.2f", time_of(states, b));
    for (int law = 0; law < CD_IMPACT_LAW_COUNT; ++law) {
        b->law = cd_impact_law_at(law);
        printf(" %10.2f", time_of(impact, b));
    }
    printf("\n");
}

int main(void)
{
    static bench_case b;
    cd_arena          arena = {0};
    for (int pass = 0; pass < 2; ++pass) {
        b.contact = cd_contact_work_layout(&arena, MAX_ROWS, MAX_ELEMENTS);
        b.states  = cd_states_work_layout(&arena, MAX_ROWS, MAX_ELEMENTS);
        b.impact  = cd_impact_work_layout(&arena, MAX_ROWS, MAX_ELEMENTS);
        if (pass == 0 && !cd_arena_reserve(&arena)) return 1;
    }
    b.solution = (cd_contact_solution){.p = b.p, .u = b.u, .is_unique = b.is_unique};
    clock_pin();
    printf("%8s %10s %10s %10s %10s", "contacts", "cone [us]", "warm [us]", "residual", "states [us]");
    for (int law = 0; law < CD_IMPACT_LAW_COUNT; ++law) printf(" %10s", cd_impact_law_at(law)->name);
    printf("\n");
    const int contacts[4] = {1, 4, 8, 24};
    for (int i = 0; i < 4; ++i) measure(&b, contacts[i]);
    test_contacts_release(&b.scene);
    cd_arena_release(&arena);
    return 0;
}
