// SPDX-License-Identifier: BSD-3-Clause
// Redundant contacts: forces of a stack of boxes by the least norm, an overhanging stack at its limit, stops of joints.
#include "contact_runs.h"

#include "dynamics/contacts/contacts.h"
#include "dynamics/data.h"

static const double size[3] = {0.4, 0.2, 0.2};

// The weight of the boxes above is shared by the four corners of every level.
static bool check_stack_forces(contact_case* c, cardan_data* data, const cardan_sample* sample)
{
    const int count = c->observed[0] > 0 ? (int)c->observed[0] : 0;
    double    worst = 0;
    (void)sample;
    for (int i = 0; i < cd_contacts_count(data); ++i) {
        const cd_contact_motion motion = cd_contacts_motion(data, i);
        const double            z      = cd_contacts_point(data, i)->point[2];
        const int               level  = (int)floor(z / size[2] + 0.5);
        worst                          = fmax(worst, fabs(motion.force[0] - (count - level) * contact_gravity / 4));
    }
    c->observed[1] = fmax(c->observed[1], worst);
    c->observed[2] = cd_contacts_count(data);
    return true;
}

static void test_stack(int count)
{
    contact_case c;
    contact_begin(&c, 0, 0.5, 0.5);
    contact_add_ground(&c);
    for (int i = 0; i < count; ++i) {
        char name[8];
        snprintf(name, sizeof name, "b%d", i);
        contact_add_box(&c, name, 1, size, (const double[3]){0, 0, (i + 0.5) * size[2]}, NULL);
    }
    c.observed[0] = count;
    c.at_sample   = check_stack_forces;
    if (contact_compile(&c, "lagrange")) {
        CHECK(contact_simulate(&c, 1) == CARDAN_OK);
        CHECK(c.observed[2] == 4 * count);
        CHECK(c.observed[1] < 1e-9);
        CHECK(c.nevent == 0);
        for (int i = 0; i < 6 * count && i < 60; ++i) CHECK(fabs(c.v[i]) < 1e-13);
    }
    contact_end(&c);
}

// Bricks of length 1, each shifted by 1/(2k) over the one below, on the edge of a table: d beyond that the stack topples.
static void test_overhang(int count, double d, bool topples)
{
    contact_case c;
    contact_begin(&c, 0, 2, 2);
    cardan_shape table = cardan_shape_default(CARDAN_GROUND, CARDAN_SHAPE_BOX);
    table.size[0] = 4, table.size[1] = 2, table.size[2] = 1;
    table.pose.p[0] = -2, table.pose.p[2] = -0.5; // its edge is x = 0
    table.material = "stone", table.rounding = 0;
    cardan_description_add_shape(c.description, &table);
    double x = -0.5; // centre of a brick whose end is at the edge
    for (int i = 0; i < count; ++i) {
        char name[8];
        x += 0.5 / (count - i) + (i == 0 ? d : 0);
        snprintf(name, sizeof name, "b%d", i);
        contact_add_box(&c, name, 1, (const double[3]){1, 0.5, 0.2}, (const double[3]){x, 0, 0.2 * i + 0.1}, NULL);
    }
    if (contact_compile(&c, "lagrange")) {
        CHECK(contact_simulate(&c, 0.1) == CARDAN_OK);
        double speed = 0;
        for (int i = 0; i < 6 * count && i < 60; ++i) speed = fmax(speed, fabs(c.v[i]));
        if (topples)
            CHECK(speed > 0.01 * d);
        else
            CHECK(speed < 1e-12);
    }
    contact_end(&c);
}

int main(void)
{
    RUN(test_stack(3));
    RUN(test_stack(10));
    RUN(test_overhang(3, -1e-6, false));
    RUN(test_overhang(3, 1e-6, true));
    RUN(test_overhang(10, -1e-6, false));
    RUN(test_overhang(10, 1e-6, true));
    return test_end();
}
