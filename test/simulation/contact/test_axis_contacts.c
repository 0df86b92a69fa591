// SPDX-License-Identifier: BSD-3-Clause
// Rigid stops and friction that sticks of joint coordinates, without shapes, against closed forms.
#include "contact_runs.h"

// A body of 2 kg on a guide along `axis`, with these properties.
static bool begin(contact_case* c, const double axis[3], const cardan_axis_properties* properties, const char* effort,
                  const char* formulation)
{
    const double origin[3] = {0, 0, 0};
    contact_begin(c, 0, 0, 0);
    cardan_body body = cardan_body_default("block");
    body.mass        = 2;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
    const int    b                                      = cardan_description_add_body(c->description, &body);
    cardan_joint joint = cardan_joint_at(c->description, "guide", "prismatic", CARDAN_GROUND, b, origin, axis);
    joint.naxis        = 1;
    joint.axis         = properties;
    const int j        = cardan_description_add_joint(c->description, &joint);
    if (effort) {
        cardan_force force = cardan_force_default("push", "actuator");
        force.joint        = j;
        CHECK(cardan_description_parse(c->description, effort, cardan_location_none(), &force.component[0],
                                       &c->report) == CARDAN_OK);
        cardan_description_add_force(c->description, &force);
    }
    return contact_compile(c, formulation);
}

// It falls 1 m onto a rigid lower limit with e = 1/2: impacts at t1 = sqrt(2/g), then after 2 e t1, 2 e^2 t1.
static void test_stop(const char* formulation)
{
    cardan_axis_properties p = cardan_axis_properties_default();
    contact_case           c;
    p.lower            = -1;
    p.rigid_stop       = true;
    p.stop_restitution = 0.5;
    if (begin(&c, (const double[3]){0, 0, 1}, &p, NULL, formulation)) {
        const double t1 = sqrt(2 / contact_gravity), v1 = sqrt(2 * contact_gravity), end = 1, after = end - 2 * t1;
        CHECK(contact_simulate(&c, end) == CARDAN_OK);
        const cardan_event *first  = contact_event_of(&c, CARDAN_EVENT_IMPACT, 0),
                           *second = contact_event_of(&c, CARDAN_EVENT_IMPACT, 1);
        CHECK(first && second && c.nevent == 2);
        if (first) CHECK_NEAR(first->t, t1, 1e-11);
        if (second) CHECK_NEAR(second->t, 2 * t1, 1e-11);
        const int z = strcmp(formulation, "lagrange") == 0 ? 2 : 0; // maximal coordinates: position of the body
        CHECK_NEAR(c.q[z], -1 + 0.25 * v1 * after - contact_gravity / 2 * after * after, 1e-10);
        CHECK_NEAR(c.v[z], 0.25 * v1 - contact_gravity * after, 1e-10);
    }
    contact_end(&c);
}

// The effort t exceeds static friction, 3 N, at t = 3; then a = (t - 2)/m for kinetic friction of 2 N.
static void test_friction(const char* formulation)
{
    cardan_axis_properties p = cardan_axis_properties_default();
    contact_case           c;
    p.sticking_friction       = true;
    p.friction_forward        = 2;
    p.static_friction_forward = 3;
    p.friction_backward = p.static_friction_backward = 5;
    if (begin(&c, (const double[3]){1, 0, 0}, &p, "t", formulation)) {
        CHECK(contact_simulate(&c, 5) == CARDAN_OK);
        CHECK(c.nevent == 1 && c.event[0].kind == CARDAN_EVENT_SLIP);
        CHECK_NEAR(c.event[0].t, 3, 1e-10);
        CHECK_NEAR(c.v[0], 4.0 / 2, 1e-10);
        CHECK_NEAR(c.q[0], (26.0 / 6 - 1) / 2, 1e-10);
    }
    contact_end(&c);
    if (begin(&c, (const double[3]){1, 0, 0}, &p, "-t", formulation)) { // backward it begins to slip at 5 N
        CHECK(contact_simulate(&c, 4.99) == CARDAN_OK);
        CHECK(c.nevent == 0);
        CHECK_NEAR(c.q[0], 0, 1e-14);
        CHECK_NEAR(c.v[0], 0, 1e-14);
    }
    contact_end(&c);
}

int main(void)
{
    static const char* const formulations[] = {"lagrange", "augmented", "order-n", "cholesky", "reduction"};
    for (size_t i = 0; i < sizeof formulations / sizeof *formulations; ++i) {
        RUN(test_stop(formulations[i]));
        RUN(test_friction(formulations[i]));
    }
    return test_end();
}
