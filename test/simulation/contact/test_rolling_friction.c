// SPDX-License-Identifier: BSD-3-Clause
// Spinning and rolling friction of a sphere against closed forms.
#include "contact_runs.h"

static void begin(contact_case* c, double spinning, double rolling)
{
    contact_begin(c, 0, 0.5, 0.5);
    cardan_description_destroy(c->description);
    c->description             = cardan_description_create("rolling");
    const cardan_material m    = cardan_material_default("stone");
    const int             s    = cardan_description_add_material(c->description, &m);
    cardan_material_pair  pair = cardan_material_pair_default(s, s);
    pair.static_friction = pair.kinetic_friction = 0.5;
    pair.spinning_friction                       = spinning;
    pair.rolling_friction                        = rolling;
    cardan_description_add_material_pair(c->description, &pair);
    contact_add_ground(c);
}

// (2/5) m R^2 w' = -delta m g
static void test_spin(void)
{
    static const double R = 0.05, stop = 2.038735983690112;
    contact_case        c;
    begin(&c, 0.002, 0);
    contact_add_ball(&c, "ball", 1, R, (const double[3]){0, 0, R}, (const double[6]){0, 0, 0, 0, 0, 40});
    if (contact_compile(&c, "lagrange")) {
        CHECK(contact_simulate(&c, 2.5) == CARDAN_OK);
        const cardan_event* stick = contact_event_of(&c, CARDAN_EVENT_STICK, 0);
        CHECK(stick != NULL);
        if (stick) CHECK_NEAR(stick->t, stop, 1e-10);
        CHECK(fabs(c.v[5]) < 1e-12);
        CHECK_NEAR(c.summary.contacts.friction_loss, 0.5 * 0.4 * R * R * 1600, 1e-9);
        CHECK(c.summary.energy_error < 1e-9);
    }
    contact_end(&c);
}

// v' = -(5/7) g delta/R
static void test_roll(void)
{
    static const double R = 0.05, stop = 7.135575942915392, distance = 3.567787971457696;
    contact_case        c;
    begin(&c, 0, 0.001);
    contact_add_ball(&c, "ball", 1, R, (const double[3]){0, 0, R}, (const double[6]){1, 0, 0, 0, 1 / R, 0});
    if (contact_compile(&c, "lagrange")) {
        CHECK(contact_simulate(&c, 8) == CARDAN_OK);
        const cardan_event* stick = contact_event_of(&c, CARDAN_EVENT_STICK, 0);
        CHECK(stick != NULL);
        if (stick) CHECK_NEAR(stick->t, stop, 1e-10);
        CHECK_NEAR(c.q[0], distance, 1e-10);
        CHECK(fabs(c.v[0]) < 1e-12);
    }
    contact_end(&c);
}

int main(void)
{
    RUN(test_spin());
    RUN(test_roll());
    return test_end();
}
