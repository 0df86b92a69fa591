// SPDX-License-Identifier: BSD-3-Clause
// Bouncing balls against the closed form: times of impacts, places, limit of the times, and the motion after it.
#include "contact_runs.h"

static const char* const formulations[] = {"lagrange", "augmented", "reduction", "embedding",
                                           "order-n",  "cholesky",  "semi",      "dense"};
enum { FORMULATIONS = sizeof formulations / sizeof formulations[0] };

// A ball falls 0.8 m onto a slope of 15 degrees without friction, e = 0.7, and hops down (closed form in 30 digits).
static void test_incline(const char* formulation)
{
    static const double times[] = {0.4038550218769218, 0.9692520525046122, 1.3650299739439955, 1.642074518951564,
                                   1.8360057004568617};
    static const double angle = 15 * M_PI / 180, radius = 0.1, zeno = 2.2885117906358903, end = 2.5;
    contact_case        c;
    contact_begin(&c, 0.7, 0, 0);
    contact_tilt(&c, angle);
    contact_add_ground(&c);
    contact_add_ball(&c, "ball", 2, radius, (const double[3]){0, 0, radius + 0.8 * cos(angle)}, NULL);
    if (contact_compile(&c, formulation)) {
        CHECK(contact_simulate(&c, end) == CARDAN_OK);
        for (int i = 0; i < 5; ++i) {
            const cardan_event* impact = contact_event_of(&c, CARDAN_EVENT_IMPACT, i);
            CHECK(impact != NULL);
            if (!impact) continue;
            CHECK_NEAR(impact->t, times[i], 1e-10);
            const double speed = sqrt(2 * contact_gravity * 0.8) * cos(angle) * pow(0.7, i);
            CHECK_NEAR(impact->speed, speed, 1e-9);
            CHECK_NEAR(impact->impulse, 2 * 1.7 * speed, 1e-8);
            CHECK_NEAR(impact->value, speed * speed * (1 - 0.49), 1e-8); // m/2 (1 - e^2) u^2
        }
        const cardan_event* last = contact_event_of(&c, CARDAN_EVENT_BOUNCES_END, 0);
        CHECK(last != NULL);
        if (last) CHECK_NEAR(last->value, zeno, 1e-10);
        CHECK_NEAR(c.q[0], contact_gravity * sin(angle) * end * end / 2, 1e-9);
        CHECK_NEAR(c.v[0], contact_gravity * sin(angle) * end, 1e-9);
        CHECK_NEAR(c.q[2], -0.8 * cos(angle), 1e-12);
        CHECK_NEAR(c.v[2], 0, 1e-13);
        CHECK(c.summary.energy_error < 1e-9);
        CHECK_NEAR(c.summary.contacts.impact_loss, 2 * contact_gravity * 0.8 * cos(angle) * cos(angle), 1e-8);
        CHECK(c.summary.contacts.bounces_ended == 1);
    }
    contact_end(&c);
}

// e = 1: the ball keeps its energy over many impacts. e = 0: it stays.
static void test_extremes(void)
{
    contact_case c;
    contact_begin(&c, 1, 0, 0);
    contact_add_ground(&c);
    contact_add_ball(&c, "ball", 1, 0.1, (const double[3]){0, 0, 1.1}, NULL);
    if (contact_compile(&c, "lagrange")) {
        const double fall = sqrt(2 / contact_gravity);
        CHECK(contact_simulate(&c, 60) == CARDAN_OK);
        const int impacts = (int)floor((60 / fall + 1) / 2);
        CHECK(c.summary.contacts.impacts == impacts);
        const cardan_event* last = contact_event_of(&c, CARDAN_EVENT_IMPACT, impacts - 1);
        CHECK(last != NULL);
        if (last) CHECK_NEAR(last->t, fall * (2 * impacts - 1), 1e-9);
        CHECK(c.summary.energy_error < 1e-10);
        CHECK_NEAR(c.summary.contacts.impact_loss, 0, 1e-10);
    }
    contact_end(&c);
    contact_begin(&c, 0, 0, 0);
    contact_add_ground(&c);
    contact_add_ball(&c, "ball", 1, 0.1, (const double[3]){0, 0, 1.1}, NULL);
    if (contact_compile(&c, "lagrange")) {
        CHECK(contact_simulate(&c, 2) == CARDAN_OK);
        CHECK(c.summary.contacts.impacts == 1);
        CHECK_NEAR(c.q[2], -1, 1e-12);
        CHECK_NEAR(c.v[2], 0, 1e-13);
    }
    contact_end(&c);
}

int main(void)
{
    for (int i = 0; i < FORMULATIONS; ++i) RUN(test_incline(formulations[i]));
    RUN(test_extremes());
    return test_end();
}
