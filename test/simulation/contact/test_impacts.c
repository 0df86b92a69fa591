// SPDX-License-Identifier: BSD-3-Clause
// Impacts in runs against closed forms: Newton's cradle, two bodies, a falling rod, a wheel at a kerb. Momentum of free
// systems is constant; energy does not rise.
#include "contact_runs.h"

static const double zero[3] = {0, 0, 0};

// Three equal balls in a row, the first one moves.
static void test_cradle(cardan_impact_law law, double e, const double expected[3], double gap)
{
    contact_case c;
    contact_begin(&c, e, 0, 0);
    cardan_description_set_gravity(c.description, zero);
    cardan_contact_settings settings = cardan_contact_settings_default();
    settings.impact                  = law;
    cardan_description_set_contact_settings(c.description, &settings);
    for (int i = 0; i < 3; ++i) {
        char name[8];
        snprintf(name, sizeof name, "b%d", i);
        contact_add_ball(&c, name, 1, 0.1, (const double[3]){i * 0.2 + (i > 0 ? gap : 0), 0, 0},
                         (const double[6]){i == 0 ? 1 : 0});
    }
    if (contact_compile(&c, "lagrange")) {
        CHECK(contact_simulate(&c, 0.5) == CARDAN_OK);
        for (int i = 0; i < 3; ++i) CHECK_NEAR(c.v[6 * i], expected[i], 1e-13);
        const cardan_event* impact = contact_event_of(&c, CARDAN_EVENT_IMPACT, 0);
        CHECK(impact != NULL);
        if (impact) CHECK_NEAR(impact->t, gap, 1e-13);
        double kinetic = 0;
        for (int i = 0; i < 3; ++i) kinetic += expected[i] * expected[i] / 2;
        CHECK_NEAR(c.summary.contacts.impact_loss, 0.5 - kinetic, 1e-13);
        CHECK(c.summary.energy_error < 1e-13);
    }
    contact_end(&c);
}

static void test_two_bodies(const char* formulation)
{
    contact_case c;
    contact_begin(&c, 0.5, 0.3, 0.3);
    cardan_description_set_gravity(c.description, zero);
    contact_add_ball(&c, "a", 1, 0.1, (const double[3]){0, 0, 0}, (const double[6]){2});
    contact_add_ball(&c, "b", 3, 0.1, (const double[3]){0.5, 0, 0}, (const double[6]){-1});
    if (contact_compile(&c, formulation)) {
        CHECK(contact_simulate(&c, 0.4) == CARDAN_OK);
        CHECK_NEAR(c.v[0], -1.375, 1e-13);
        CHECK_NEAR(c.v[6], 0.125, 1e-13);
        const cardan_event* impact = contact_event_of(&c, CARDAN_EVENT_IMPACT, 0);
        CHECK(impact != NULL);
        if (!impact) return;
        CHECK_NEAR(impact->t, 0.1, 1e-13);
        CHECK_NEAR(impact->impulse, 3.375, 1e-12);
        CHECK_NEAR(impact->speed, 3, 1e-13);
        CHECK(strstr(impact->description, "'a'") && strstr(impact->description, "'b'"));
    }
    contact_end(&c);
}

// A rolling wheel meets a kerb: it sticks at the edge and pivots. Without slip on the ground and at the edge,
// v1 = v (1 + c - h/R)/(1 + c) for the moment of inertia c m R^2.
static void test_kerb(void)
{
    static const double R = 0.34, factor = 0.9, h = 0.05, v = 1.5;
    const double        x = sqrt(R * R - (R - h) * (R - h));
    contact_case        c;
    contact_begin(&c, 0, 20, 20);
    contact_add_ground(&c);
    const int wheel = contact_add_planar_body(&c, "wheel", 1, factor * R * R, (const double[3]){0, 0, R}, true,
                                              (const double[3]){v, 0, v / R}, 0);
    contact_add_shape(&c, wheel, CARDAN_SHAPE_SPHERE, R, 0, 0);
    cardan_shape kerb = cardan_shape_default(CARDAN_GROUND, CARDAN_SHAPE_BOX);
    kerb.size[0] = 4, kerb.size[1] = 1, kerb.size[2] = h;
    kerb.pose.p[0] = 0.3 + x + 2, kerb.pose.p[2] = h / 2;
    kerb.material = "stone", kerb.rounding = 0;
    cardan_description_add_shape(c.description, &kerb);
    if (contact_compile(&c, "lagrange")) {
        CHECK(contact_simulate(&c, 0.3 / v + 0.02) == CARDAN_OK);
        const cardan_event* impact = contact_event_of(&c, CARDAN_EVENT_IMPACT, 0);
        CHECK(impact != NULL);
        if (impact) {
            CHECK_NEAR(impact->t, 0.3 / v, 1e-10);
            // kinetic energy of rolling: m (1 + c) v^2/2
            const double after = 1.3839009287925697;
            CHECK_NEAR(impact->value, (1 + factor) * (v * v - after * after) / 2, 1e-10);
        }
        // until it is on top: m (1 + c) v^2/2 + m g h is constant
        const double top = 1.1827366533760812;
        cardan_data_destroy(c.data);
        cardan_model_destroy(c.model);
        c.nevent  = 0;
        c.nsample = 0;
        CHECK(contact_compile(&c, "lagrange"));
        CHECK(contact_simulate(&c, 1) == CARDAN_OK);
        CHECK_NEAR(c.v[0], top, 1e-9);
        CHECK_NEAR(c.q[2], h, 1e-11);
        CHECK(c.summary.energy_error < 1e-9);
    }
    contact_end(&c);
}

int main(void)
{
    RUN(test_cradle(CARDAN_IMPACT_NEWTON, 1, (const double[3]){-1.0 / 3, 2.0 / 3, 2.0 / 3}, 0));
    RUN(test_cradle(CARDAN_IMPACT_POISSON, 1, (const double[3]){-1.0 / 3, 2.0 / 3, 2.0 / 3}, 0.1));
    RUN(test_cradle(CARDAN_IMPACT_SEQUENCE, 1, (const double[3]){0, 0, 1}, 0.1));
    RUN(test_cradle(CARDAN_IMPACT_SEQUENCE, 0.8, (const double[3]){0.091, 0.099, 0.81}, 0.1));
    RUN(test_cradle(CARDAN_IMPACT_NEWTON, 0, (const double[3]){1.0 / 3, 1.0 / 3, 1.0 / 3}, 0.1));
    RUN(test_two_bodies("lagrange"));
    RUN(test_two_bodies("augmented"));
    RUN(test_kerb());
    return test_end();
}
