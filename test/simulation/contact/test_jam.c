// SPDX-License-Identifier: BSD-3-Clause
// Painleve's rod: with much friction no contact force satisfies the accelerations of a rod that slides on its tip. An impact
// without collision ends the slip: the tip jams, and energy does not rise.
#include "contact_runs.h"

static void test_rod(double theta, double mu, double v, bool jams)
{
    static const double r = 1e-4, l = 0.5;
    contact_case        c;
    contact_begin(&c, 0, mu, mu);
    contact_add_ground(&c);
    const int rod = contact_add_planar_body(&c, "rod", 1, 1.0 / 12, (const double[3]){0, 0, l * sin(theta) + r}, true,
                                            (const double[3]){v, 0, 0}, 0);
    cardan_shape tip = cardan_shape_default(rod, CARDAN_SHAPE_SPHERE);
    tip.size[0]      = r;
    tip.pose.p[0]    = -l * cos(theta);
    tip.pose.p[2]    = -l * sin(theta);
    tip.material     = "stone";
    cardan_description_add_shape(c.description, &tip);
    if (contact_compile(&c, "cholesky")) {
        CHECK(contact_simulate(&c, 0.05) == CARDAN_OK);
        const cardan_event* jam = contact_event_of(&c, CARDAN_EVENT_JAM, 0);
        CHECK((jam != NULL) == jams);
        CHECK(c.summary.contacts.jams == jams);
        if (jam) {
            CHECK(jam->t == 0);
            CHECK(jam->impulse > 0);
            CHECK(jam->value > 0);
            CHECK(strstr(jam->description, "'rod' and ground") != NULL);
        }
        CHECK(c.summary.energy_error < 1e-6);
    }
    contact_end(&c);
}

int main(void)
{
    RUN(test_rod(atan(2), 1.4, -1, true));
    RUN(test_rod(M_PI / 3, 1.2, -1, false));
    RUN(test_rod(atan(2), 1.4, 1, false));
    return test_end();
}
