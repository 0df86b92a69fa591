// SPDX-License-Identifier: BSD-3-Clause
// Slip and stick against closed forms: blocks and spheres on slopes, a mass on a belt, a sphere on a turntable.
#include "contact_runs.h"

static const double size[3] = {0.4, 0.2, 0.2};

static void add_block(contact_case* c, double vx)
{
    contact_add_ground(c);
    contact_add_box(c, "block", 3, size, (const double[3]){0, 0, size[2] / 2}, (const double[6]){vx});
}

// A block slides down 30 degrees, mu = 0.3: a = g (sin - mu cos).
static void test_slide(const char* formulation)
{
    contact_case c;
    contact_begin(&c, 0, 0.3, 0.3);
    contact_tilt(&c, M_PI / 6);
    add_block(&c, 0);
    if (contact_compile(&c, formulation)) {
        CHECK(contact_simulate(&c, 1) == CARDAN_OK);
        CHECK_NEAR(c.q[0], 1.1781436183311984, 1e-11);
        CHECK_NEAR(c.v[0], 2.3562872366623973, 1e-11);
        CHECK_NEAR(c.q[2], 0, 1e-13);
        CHECK(c.summary.energy_error < 1e-10);
        CHECK_NEAR(c.summary.contacts.friction_loss, 0.3 * 3 * contact_gravity * cos(M_PI / 6) * 1.1781436183311984,
                   1e-9);
        CHECK(c.summary.contacts.contacts_max == 4);
        CHECK_NEAR(c.summary.contacts.contacts_mean, 4, 1e-12);
    }
    contact_end(&c);
}

// Pushed up 20 degrees with 5 m/s, mu = 0.5: it stops and stays.
static void test_stop(void)
{
    contact_case c;
    contact_begin(&c, 0, 0.5, 0.5);
    contact_tilt(&c, 20 * M_PI / 180);
    add_block(&c, -5);
    if (contact_compile(&c, "lagrange")) {
        CHECK(contact_simulate(&c, 2) == CARDAN_OK);
        const cardan_event* stick = contact_event_of(&c, CARDAN_EVENT_STICK, 0);
        CHECK(stick != NULL);
        if (stick) CHECK_NEAR(stick->t, 0.6277929006525679, 1e-11);
        CHECK_NEAR(c.q[0], -1.5694822516314197, 1e-11);
        CHECK_NEAR(c.v[0], 0, 1e-14);
        CHECK(c.nevent == 1);
    }
    contact_end(&c);
}

// At 0.999 of the limit angle for 100 s, and 1e-9 rad below it: no creep.
static void test_creep(double angle, double end)
{
    contact_case c;
    contact_begin(&c, 0, 0.3, 0.3);
    contact_tilt(&c, angle);
    add_block(&c, 0);
    if (contact_compile(&c, "lagrange")) {
        CHECK(contact_simulate(&c, end) == CARDAN_OK);
        CHECK(fabs(c.q[0]) < 1e-12);
        CHECK(fabs(c.q[2]) < 1e-12);
        CHECK(fabs(c.v[0]) < 1e-14);
        CHECK(c.nevent == 0);
    }
    contact_end(&c);
}

// A body on one contact slides with g d/cos(angle) above the limit angle, by d, and not below it.
static void test_side(double d)
{
    for (int side = -1; side <= 1; side += 2) {
        contact_case c;
        contact_begin(&c, 0, 0.3, 0.3);
        contact_tilt(&c, atan(0.3) + side * d);
        contact_add_ground(&c);
        const int body = contact_add_planar_body(&c, "mass", 1, 1, (const double[3]){0, 0, 0.1}, false, NULL, 0);
        contact_add_shape(&c, body, CARDAN_SHAPE_SPHERE, 0.1, 0, 0);
        if (contact_compile(&c, "cholesky")) {
            CHECK(contact_simulate(&c, 1) == CARDAN_OK);
            const double a = side > 0 ? contact_gravity * d / cos(atan(0.3)) : 0;
            CHECK(fabs(c.v[0] - a) <= (side > 0 ? 1e-2 * a : 1e-15));
        }
        contact_end(&c);
    }
}

// A sphere that slides begins to roll: t = (2/7) (v - r w)/(mu g).
static void test_sphere(double w0, double t_roll, double v_roll, double distance)
{
    static const double r = 0.05;
    contact_case        c;
    contact_begin(&c, 0, 0.2, 0.2);
    contact_add_ground(&c);
    contact_add_ball(&c, "ball", 1, r, (const double[3]){0, 0, r}, (const double[6]){2, 0, 0, 0, w0, 0});
    if (contact_compile(&c, "lagrange")) {
        CHECK(contact_simulate(&c, t_roll + 0.5) == CARDAN_OK);
        const cardan_event* stick = contact_event_of(&c, CARDAN_EVENT_STICK, 0);
        CHECK(stick != NULL);
        if (stick) CHECK_NEAR(stick->t, t_roll, 1e-10);
        CHECK_NEAR(c.v[0], v_roll, 1e-11);
        CHECK_NEAR(c.v[4], v_roll / r, 1e-9);
        CHECK_NEAR(c.q[0], distance + 0.5 * v_roll, 1e-10);
        CHECK(c.summary.energy_error < 1e-9);
    }
    contact_end(&c);
}

// A mass on a belt with a spring: stick and slip alternate. Slip begins at y = A, y' = v about the equilibrium of kinetic
// friction, A = (mu_s - mu_k) m g/k, and ends where y' = v again: tan(omega t/2) = -A omega/v.
static void test_belt(void)
{
    const double A = 0.2 * contact_gravity / 100, slip = 2 * (M_PI - atan(10 * A / 0.2)) / 10, stick = 2 * A / 0.2,
                 first = 0.6 * contact_gravity / 100 / 0.2;
    contact_case c;
    contact_begin(&c, 0, 0.6, 0.4);
    const int belt = contact_add_driven_body(&c, "belt", "prismatic", "0.2*t");
    contact_add_shape(&c, belt, CARDAN_SHAPE_PLANE, 1, 1, 0);
    const int mass = contact_add_planar_body(&c, "mass", 1, 1, (const double[3]){0, 0, 0.1}, false,
                                             (const double[3]){0.2, 0, 0}, 100);
    contact_add_shape(&c, mass, CARDAN_SHAPE_SPHERE, 0.1, 0, 0);
    c.run.tolerance = 1e-11;
    if (contact_compile(&c, "lagrange")) {
        CHECK(contact_simulate(&c, 5) == CARDAN_OK);
        for (int i = 0; i < 7; ++i) {
            const cardan_event *begins = contact_event_of(&c, CARDAN_EVENT_SLIP, i),
                               *ends   = contact_event_of(&c, CARDAN_EVENT_STICK, i);
            CHECK(begins && ends);
            if (!begins || !ends) break;
            CHECK_NEAR(begins->t, first + i * (slip + stick), 1e-9);
            CHECK_NEAR(ends->t, first + i * (slip + stick) + slip, 1e-9);
        }
    }
    contact_end(&c);
}

// A sphere rolls on a turntable: its centre moves on a circle with 2/7 of the rate of the table.
static void test_turntable(void)
{
    static const double Omega = 3, r = 0.05;
    contact_case        c;
    contact_begin(&c, 0, 5, 5);
    // no slip: v + w x (-r e_z) = Omega x r0: w_y = (v_x - (Omega x r0)_x)/r, w_x = -(v_y - (Omega x r0)_y)/r
    contact_add_ball(&c, "ball", 1, r, (const double[3]){0.3, 0, r},
                     (const double[6]){0.1, 0.2, 0, -(0.2 - Omega * 0.3) / r, 0.1 / r, 0});
    const int table = contact_add_driven_body(&c, "table", "revolute", "3*t");
    contact_add_shape(&c, table, CARDAN_SHAPE_PLANE, 1, 1, 0);
    c.run.tolerance = 1e-11;
    if (contact_compile(&c, "lagrange")) {
        CHECK(contact_simulate(&c, 4) == CARDAN_OK);
        CHECK_NEAR(0.3 + c.q[0], -0.19014731591697406, 1e-9);
        CHECK_NEAR(c.q[1], 0.1625157005178291, 1e-9);
        CHECK(c.nevent == 0);
    }
    contact_end(&c);
}

int main(void)
{
    static const char* const formulations[] = {"lagrange", "augmented", "reduction", "embedding",
                                               "order-n",  "cholesky",  "semi",      "dense"};
    for (size_t i = 0; i < sizeof formulations / sizeof *formulations; ++i) RUN(test_slide(formulations[i]));
    RUN(test_stop());
    RUN(test_creep(atan(0.3) * 0.999, 100));
    RUN(test_creep(atan(0.3) - 1e-9, 1));
    RUN(test_side(1e-9));
    RUN(test_side(1e-7));
    RUN(test_sphere(0, 0.291247997670016, 1.4285714285714286, 0.4992822817200275));
    RUN(test_sphere(-60, 0.72811999417504, 0.5714285714285714, 0.9361542782250515));
    RUN(test_belt());
    RUN(test_turntable());
    return test_end();
}
