// SPDX-License-Identifier: BSD-3-Clause
// Runs with contacts: pieces, checkpoints, fixed steps, thin bodies at high speed, refusals, a ladder at its limit.
#include "contact_runs.h"

#include <stdlib.h>

static void add_bouncing_ball(contact_case* c)
{
    contact_begin(c, 0.7, 0.3, 0.3);
    contact_add_ground(c);
    contact_add_ball(c, "ball", 1, 0.1, (const double[3]){0, 0, 0.9}, (const double[6]){0.5, 0, 0, 0, 3, 0});
}

// Advanced in pieces, the run has the same events and the same end, bit for bit.
static void test_pieces(void)
{
    contact_case whole, pieces;
    add_bouncing_ball(&whole);
    add_bouncing_ball(&pieces);
    if (contact_compile(&whole, "cholesky") && contact_compile(&pieces, "cholesky")) {
        CHECK(contact_simulate(&whole, 3) == CARDAN_OK);
        cardan_simulation* simulation;
        cardan_sample      sample;
        pieces.run.end             = 3;
        pieces.run.sample_callback = contact_sample;
        pieces.run.event_callback  = contact_event;
        pieces.run.user            = &pieces;
        CHECK(cardan_simulation_open(pieces.data, &pieces.run, &simulation, &pieces.report) == CARDAN_OK);
        for (int i = 1; i <= 37; ++i) {
            CHECK(cardan_simulation_advance(simulation, 3.0 * i / 37, &pieces.report) == CARDAN_OK);
            CHECK(cardan_simulation_sample(simulation, &sample, &pieces.report) == CARDAN_OK);
        }
        CHECK(pieces.nevent == whole.nevent && whole.nevent > 20);
        for (int i = 0; i < pieces.nevent && i < whole.nevent; ++i) {
            CHECK(pieces.event[i].kind == whole.event[i].kind);
            CHECK_NEAR(pieces.event[i].t, whole.event[i].t, 1e-12);
        }
        for (int i = 0; i < 7; ++i) CHECK_NEAR(pieces.q[i], whole.q[i], 1e-11);
        // again from the start
        pieces.nevent = 0;
        CHECK(cardan_simulation_restart(simulation, 0, NULL, NULL, NULL, &pieces.report) == CARDAN_OK);
        CHECK(cardan_simulation_advance(simulation, 3, &pieces.report) == CARDAN_OK);
        CHECK(pieces.nevent == whole.nevent);
        for (int i = 0; i < pieces.nevent && i < whole.nevent; ++i) CHECK(pieces.event[i].t == whole.event[i].t);
        CHECK(cardan_simulation_close(simulation, NULL, &pieces.report) == CARDAN_OK);
    }
    contact_end(&whole);
    contact_end(&pieces);
}

// A checkpoint while the ball rolls: the contact is found again.
static void test_checkpoint(void)
{
    contact_case c;
    add_bouncing_ball(&c);
    if (contact_compile(&c, "cholesky")) {
        cardan_simulation* simulation;
        char               path[] = "test_contact_run_XXXXXX";
        const int          file   = mkstemp(path);
        CHECK(file >= 0);
        c.run.end             = 6;
        c.run.sample_callback = contact_sample;
        c.run.event_callback  = contact_event;
        c.run.user            = &c;
        CHECK(cardan_simulation_open(c.data, &c.run, &simulation, &c.report) == CARDAN_OK);
        CHECK(cardan_simulation_advance(simulation, 5, &c.report) == CARDAN_OK);
        CHECK(cardan_simulation_save(simulation, path, &c.report) == CARDAN_OK);
        CHECK(cardan_simulation_advance(simulation, 6, &c.report) == CARDAN_OK);
        const double x = c.q[0], z = c.q[2], v = c.v[0];
        CHECK(cardan_simulation_load(simulation, path, &c.report) == CARDAN_OK);
        c.nevent = 0;
        CHECK(cardan_simulation_advance(simulation, 6, &c.report) == CARDAN_OK);
        CHECK(c.q[0] == x && c.q[2] == z && c.v[0] == v);
        CHECK_NEAR(z, -0.8, 1e-12);
        CHECK(c.nevent == 0);
        CHECK(cardan_simulation_close(simulation, NULL, &c.report) == CARDAN_OK);
        remove(path);
    }
    contact_end(&c);
}

// Free fall is exact for methods of order 2 and more: so are the times of impacts.
static void test_fixed_step(const char* integrator, double tolerance)
{
    contact_case c;
    contact_begin(&c, 0.7, 0, 0);
    contact_add_ground(&c);
    contact_add_ball(&c, "ball", 1, 0.1, (const double[3]){0, 0, 0.9}, NULL);
    c.run.integrator = cardan_integrator_find(integrator);
    c.run.step       = 0.003;
    if (contact_compile(&c, "cholesky")) {
        const double fall = sqrt(2 * 0.8 / contact_gravity);
        CHECK(contact_simulate(&c, 3) == CARDAN_OK);
        double t = fall, flight = 2 * fall;
        for (int i = 0; i < 5; ++i, t += flight *= 0.7) {
            const cardan_event* impact = contact_event_of(&c, CARDAN_EVENT_IMPACT, i);
            CHECK(impact != NULL);
            if (impact) CHECK_NEAR(impact->t, t, tolerance);
        }
        CHECK_NEAR(c.q[2], -0.8, 1e-12);
    }
    contact_end(&c);
}

// A ball of 10 mm at 300 m/s hits a plate of 1 mm: it bounces back, whatever the length of the steps.
static void test_thin_plate(void)
{
    contact_case c;
    contact_begin(&c, 1, 0, 0);
    cardan_description_set_gravity(c.description, (const double[3]){0, 0, 0});
    contact_add_ball(&c, "ball", 0.01, 0.005, (const double[3]){0, 0, 10}, (const double[6]){0, 0, -300});
    contact_add_shape(&c, CARDAN_GROUND, CARDAN_SHAPE_BOX, 0.4, 0.4, 0.001);
    if (contact_compile(&c, "cholesky")) {
        CHECK(contact_simulate(&c, 1) == CARDAN_OK);
        const cardan_event* impact = contact_event_of(&c, CARDAN_EVENT_IMPACT, 0);
        CHECK(impact != NULL);
        if (impact) CHECK_NEAR(impact->t, (10 - 0.0055) / 300, 1e-12);
        CHECK_NEAR(c.v[2], 300, 1e-10);
    }
    contact_end(&c);
}

static void test_refusals(void)
{
    contact_case c;
    contact_begin(&c, 0, 0, 0);
    contact_add_ground(&c);
    contact_add_ball(&c, "ball", 1, 0.1, (const double[3]){0, 0, 0.09}, NULL);
    if (contact_compile(&c, "cholesky")) {
        CHECK(contact_simulate(&c, 1) == CARDAN_BAD_INPUT);
        CHECK(strstr(c.report.message[0].text, "'ball' and ground overlap by 0.01 m") != NULL);
    }
    contact_end(&c);
    contact_begin(&c, 0, 0, 0);
    contact_add_ground(&c);
    contact_add_ball(&c, "ball", 1, 0.1, (const double[3]){0, 0, 0.5}, NULL);
    c.run.integrator = cardan_integrator_find("generalized-alpha");
    if (contact_compile(&c, "cholesky")) {
        CHECK(contact_simulate(&c, 1) == CARDAN_UNSUPPORTED);
        CHECK(strstr(c.report.message[0].text, "'generalized-alpha' does not support rigid contacts") != NULL);
    }
    contact_end(&c);
}

// A ladder of length 2 l on end spheres of radius r, at the angle a to the floor. It stands if, with the greatest friction
// f = mu N at both ends, the moment about its centre does not turn it down:
//   N1 + f2 = W,  N2 = f1 <= mu1 N1,  f2 <= mu2 N2
static void test_ladder(double d)
{
    static const double l = 1, r = 1e-3, mu1 = 0.4, mu2 = 0.2;
    // forces at the limit, relative to the weight
    const double N1 = 1 / (1 + mu1 * mu2), N2 = mu1 * N1, f1 = N2, f2 = mu2 * N2;
    // moment: lower end (-l cos a, -l sin a - r), upper end (l cos a + r, l sin a)
    //   f1 (l sin a + r) - N1 l cos a ... solved for tan-like form by bisection
    double low = 0.1, high = 1.5;
    for (int i = 0; i < 200; ++i) {
        const double a      = (low + high) / 2;
        const double moment = -l * cos(a) * N1 + (l * sin(a) + r) * f1 + (l * cos(a) + r) * f2 + l * sin(a) * N2;
        if (moment < 0)
            low = a;
        else
            high = a;
    }
    for (int side = -1; side <= 1; side += 2) {
        const double a = low + side * d;
        contact_case c;
        contact_begin(&c, 0, mu1, mu1);
        const cardan_material wall_material = cardan_material_default("wall");
        const int             wall          = cardan_description_add_material(c.description, &wall_material);
        cardan_material_pair  pair          = cardan_material_pair_default(0, wall);
        pair.static_friction = pair.kinetic_friction = mu2;
        pair.restitution                             = 0;
        cardan_description_add_material_pair(c.description, &pair);
        contact_add_ground(&c);
        cardan_shape plane = cardan_shape_default(CARDAN_GROUND, CARDAN_SHAPE_PLANE);
        plane.material     = "wall";
        plane.pose.p[0]    = l * cos(a) + r;
        plane.pose.q[0]    = sqrt(0.5); // its normal z along -x: rotation by -90 degrees about y
        plane.pose.q[2]    = -sqrt(0.5);
        cardan_description_add_shape(c.description, &plane);
        const int ladder = contact_add_planar_body(&c, "ladder", 3, 3 * l * l / 3,
                                                   (const double[3]){0, 0, l * sin(a) + r}, true, NULL, 0);
        for (int end = -1; end <= 1; end += 2) {
            cardan_shape ball = cardan_shape_default(ladder, CARDAN_SHAPE_SPHERE);
            ball.size[0]      = r;
            ball.pose.p[0]    = end * l * cos(a);
            ball.pose.p[2]    = end * l * sin(a);
            ball.material     = "stone";
            cardan_description_add_shape(c.description, &ball);
        }
        if (contact_compile(&c, "cholesky")) {
            CHECK(contact_simulate(&c, 1) == CARDAN_OK);
            if (side > 0)
                CHECK(fabs(c.v[2]) < 1e-13);
            else
                CHECK(fabs(c.v[2]) > 0.1 * d);
        }
        contact_end(&c);
    }
}

int main(void)
{
    RUN(test_pieces());
    RUN(test_checkpoint());
    RUN(test_fixed_step("rk4", 1e-11));
    RUN(test_fixed_step("midpoint", 1e-11));
    RUN(test_thin_plate());
    RUN(test_refusals());
    RUN(test_ladder(1e-9));
    return test_end();
}
