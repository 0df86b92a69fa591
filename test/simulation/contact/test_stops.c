// SPDX-License-Identifier: BSD-3-Clause
// Rigid stops and sticking friction of joints, which are contacts without shapes; scaling, mirror images.
#include "contact_runs.h"

// A mass on a rail along x.
static void add_slider(contact_case* c, double mass, double v, const cardan_axis_properties* axis)
{
    cardan_body body = cardan_body_default("slider");
    body.mass        = mass;
    for (int i = 0; i < 3; ++i) body.inertia[i] = 1;
    const int    index   = cardan_description_add_body(c->description, &body);
    const double zero[3] = {0, 0, 0}, x[3] = {1, 0, 0};
    cardan_joint joint  = cardan_joint_at(c->description, "rail", "prismatic", CARDAN_GROUND, index, zero, x);
    joint.naxis         = 1;
    joint.axis          = axis;
    joint.start_v_given = true;
    joint.start_v[0]    = v;
    cardan_description_add_joint(c->description, &joint);
}

// Between stops at -1 and 1 with e = 0.5: t = 1/v, then 2/(v/2), 2/(v/4), ...
static void test_stops(const char* formulation)
{
    contact_case           c;
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.lower = -1, axis.upper = 1, axis.rigid_stop = true, axis.stop_restitution = 0.5;
    contact_begin(&c, 0, 0, 0);
    add_slider(&c, 2, 4, &axis);
    if (contact_compile(&c, formulation)) {
        CHECK(contact_simulate(&c, 5) == CARDAN_OK);
        double t = 0.25, v = 4;
        for (int i = 0; t < 5; ++i, v /= 2, t += 2 / v) {
            const cardan_event* impact = contact_event_of(&c, CARDAN_EVENT_IMPACT, i);
            CHECK(impact != NULL);
            if (!impact) break;
            CHECK_NEAR(impact->t, t, 1e-11);
            CHECK_NEAR(impact->speed, v, 1e-11);
            CHECK_NEAR(impact->impulse, 2 * 1.5 * v, 1e-11);
            CHECK(strstr(impact->description, "'rail'") != NULL);
        }
        CHECK(c.summary.energy_error < 1e-10);
    }
    contact_end(&c);
}

// Friction 3 N in motion, 5 N at rest, spring 100 N/m: it stops at the first reversal and stays if the spring is too weak.
static void test_friction(const char* formulation)
{
    static const double    m = 2, k = 100, kinetic = 3, v = 0.5;
    contact_case           c;
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.stiffness = k, axis.sticking_friction = true;
    axis.friction_forward = axis.friction_backward = kinetic;
    axis.static_friction_forward = axis.static_friction_backward = 5;
    contact_begin(&c, 0, 0, 0);
    add_slider(&c, m, v, &axis);
    if (contact_compile(&c, formulation)) {
        const double omega = sqrt(k / m), x0 = kinetic / k; // m x'' = -k (x + x0)
        CHECK(contact_simulate(&c, 3) == CARDAN_OK);
        const double        t = atan2(v / omega, x0) / omega, x = hypot(x0, v / omega) - x0;
        const cardan_event* stick = contact_event_of(&c, CARDAN_EVENT_STICK, 0);
        CHECK(stick != NULL);
        if (stick) CHECK_NEAR(stick->t, t, 1e-9);
        CHECK(k * x < 5);
        CHECK_NEAR(c.q[0], x, 1e-9);
        CHECK(fabs(c.v[0]) < 1e-14);
        CHECK(c.summary.energy_error < 1e-8);
    }
    contact_end(&c);
}

static void throw_ball(contact_case* c, double length, double mass, double mirror)
{
    contact_begin(c, 0.6, 0.3, 0.25);
    cardan_description_set_gravity(c->description, (const double[3]){0, 0, -contact_gravity * length});
    contact_add_ground(c);
    contact_add_ball(c, "ball", mass, 0.1 * length, (const double[3]){0, 0, 0.6 * length},
                     (const double[6]){2 * length, mirror * 0.5 * length, 0, mirror * 4, 7, mirror * 3});
    CHECK(contact_compile(c, "cholesky"));
    CHECK(contact_simulate(c, 2) == CARDAN_OK);
}

// The same motion in other units of length and mass, and mirrored at y = 0.
static void test_images(void)
{
    contact_case a, b;
    throw_ball(&a, 1, 1, 1);
    throw_ball(&b, 1, 1, -1);
    CHECK(a.nevent == b.nevent && a.nevent > 10);
    for (int i = 0; i < a.nevent && i < b.nevent; ++i) CHECK_NEAR(b.event[i].t, a.event[i].t, 1e-12);
    CHECK_NEAR(b.q[0], a.q[0], 1e-11);
    CHECK_NEAR(b.q[1], -a.q[1], 1e-11);
    contact_end(&b);
    static const double scale[4][2] = {{1, 1e6}, {1, 1e-6}, {1e6, 1}, {1e-6, 1}};
    for (int k = 0; k < 4; ++k) {
        throw_ball(&b, scale[k][0], scale[k][1], 1);
        CHECK(a.nevent == b.nevent);
        for (int i = 0; i < a.nevent && i < b.nevent; ++i) CHECK_NEAR(b.event[i].t, a.event[i].t, 1e-6);
        CHECK_NEAR(b.q[0] / scale[k][0], a.q[0], 1e-6);
        CHECK_NEAR(b.q[1] / scale[k][0], a.q[1], 1e-6);
        contact_end(&b);
    }
    contact_end(&a);
}

int main(void)
{
    RUN(test_stops("cholesky"));
    RUN(test_stops("lagrange"));
    RUN(test_friction("cholesky"));
    RUN(test_friction("lagrange"));
    RUN(test_images());
    return test_end();
}
