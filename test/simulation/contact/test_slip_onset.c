// SPDX-License-Identifier: BSD-3-Clause
// A ball falls on another one, and later begins to slip on it from rest: while the slip velocity is below the error of a
// step, the direction of friction is that of the state. Energy and the sum of losses are balanced, and the run does not
// stall: its step count is the claim.
#include "contact_runs.h"

enum { STEPS_MAX = 20000 };

static void test_two_balls(const char* formulation)
{
    contact_case c;
    contact_begin(&c, 0.3, 0.4, 0.4);
    contact_add_ground(&c);
    contact_add_ball(&c, "a", 1, 0.1, (const double[3]){0, 0, 0.5}, NULL);
    contact_add_ball(&c, "b", 2, 0.15, (const double[3]){0.05, 0.02, 1}, NULL);
    if (contact_compile(&c, formulation)) {
        CHECK(contact_simulate(&c, 1) == CARDAN_OK); // b begins to slip on a at 0.483 s
        CHECK(contact_event_of(&c, CARDAN_EVENT_SLIP, 0) != NULL);
        CHECK(c.summary.steps < STEPS_MAX);
        CHECK(c.summary.energy_error < 1e-8);
        CHECK(c.summary.contacts.overlap_max < 1e-9);
        // free joints of the maximal or joint tree: translations first; rotation in the axes of the ball
        const double *v = c.v, *w = c.v + 6;
        const double  kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
                               0.5 * 0.4 * 0.1 * 0.1 * (v[3] * v[3] + v[4] * v[4] + v[5] * v[5]) + w[0] * w[0] +
                               w[1] * w[1] + w[2] * w[2] +
                               0.4 * 0.15 * 0.15 * (w[3] * w[3] + w[4] * w[4] + w[5] * w[5]);
        const double fall = contact_gravity * (-c.q[2] - 2 * c.q[9]);
        CHECK_NEAR(fall - kinetic, c.summary.contacts.impact_loss + c.summary.contacts.friction_loss, 1e-6 * fall);
    }
    contact_end(&c);
}

int main(void)
{
    RUN(test_two_balls("cholesky"));
    RUN(test_two_balls("lagrange"));
    return test_end();
}
