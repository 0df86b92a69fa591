// SPDX-License-Identifier: BSD-3-Clause
// A box falls on a slope, tumbles, slides and stops: energy is balanced, it lies flat on the slope, and does not move.
#include "contact_runs.h"

static void test_box(double height, double mu_s, double mu_k, double rounding, const char* formulation)
{
    static const double size[3] = {0.4, 0.2, 0.2}, q[4] = {0.9833, 0.09116, 0.1534, 0.03427};
    contact_case        c;
    contact_begin(&c, 0.3, mu_s, mu_k);
    contact_tilt(&c, M_PI / 6);
    contact_add_ground(&c);
    cardan_body  body   = cardan_body_default("box");
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    body.mass           = 2;
    body.pose.p[2]      = height;
    for (int i = 0; i < 4; ++i) body.pose.q[i] = q[i] / length;
    for (int i = 0; i < 3; ++i)
        body.inertia[i] = 2 * (size[0] * size[0] + size[1] * size[1] + size[2] * size[2] - size[i] * size[i]) / 12;
    const int    box   = cardan_description_add_body(c.description, &body);
    cardan_joint joint = cardan_joint_default("free", "free", CARDAN_GROUND, box);
    for (int i = 0; i < 3; ++i) joint.frame_first.p[i] = body.pose.p[i];
    cardan_description_add_joint(c.description, &joint);
    cardan_shape shape = cardan_shape_default(box, CARDAN_SHAPE_BOX);
    memcpy(shape.size, size, sizeof size);
    shape.material = "stone";
    shape.rounding = rounding;
    cardan_description_add_shape(c.description, &shape);
    if (contact_compile(&c, formulation)) {
        CHECK(contact_simulate(&c, 3) == CARDAN_OK);
        CHECK(c.summary.energy_error < 1e-8);
        CHECK(c.summary.contacts.contacts_max == 4);
        CHECK(c.summary.contacts.impacts > 5);
        CHECK(c.summary.contacts.residual < 1e-9);
        CHECK(c.summary.contacts.overlap_max < 1e-12);
        for (int i = 0; i < 6; ++i) CHECK(fabs(c.v[i]) < 1e-12);
        // on one of its faces: the centre is at half a size above the slope
        CHECK_NEAR(height + c.q[2], 0.1, 1e-11);
        // all energy is lost in impacts and by friction
        const double fall = 2 * contact_gravity * (c.q[0] * 0.5 - c.q[2] * cos(M_PI / 6));
        CHECK_NEAR(c.summary.contacts.impact_loss + c.summary.contacts.friction_loss, fall, 1e-7 * fall);
    }
    contact_end(&c);
}

int main(void)
{
    RUN(test_box(0.6, 0.7, 0.65, -1, "cholesky"));
    RUN(test_box(0.63, 0.7, 0.65, -1, "augmented"));
    RUN(test_box(0.72, 0.7, 0.65, 0, "order-n"));
    RUN(test_box(0.61, 0.8, 0.8, -1, "lagrange"));
    return test_end();
}
