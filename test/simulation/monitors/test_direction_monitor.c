// SPDX-License-Identifier: BSD-3-Clause
// Direction of a rolling disc that a hinge tilts: with its axis at the angle theta to the plane the direction to the
// contact point has the length cos(theta), vanishes at pi/2, where the disc lies flat, and is reversed beyond.
#include "prepared_run.h"

#include "simulation/monitors/direction_monitor.h"

static const double FLAT = 1.57079632679489662;

static bool open_disc(prepared_run* r, const char* shape)
{
    char text[1024];
    snprintf(text, sizeof text,
             "cardan: 1\nname: disc\ngravity: [0, 0, 0]\n"
             "bodies: {disc: {mass: 1, inertia: [0.2, 0.1, 0.1], at: [0, 0, 0.5]}}\n"
             "markers: {hub: {on: disc, relative: disc, orientation: {axis: y, angle: =pi/2}}}\n"
             "joints: {tilt: {revolute: [ground, disc], at: [0, 0, 0.5], axis: y}}\n"
             "constraints: {rod: {distance: [{on: disc, at: [0, 0.1, 0.5]}, {on: ground, at: [0, 0.4, 0.5]}]},\n"
             "  floor: {rolling: [hub, ground], radius: 0.5%s}}\n",
             shape);
    return run_prepare(r, describe_text(text), "dense", "dopri5", 1);
}

static cd_direction_monitor* run_directions(const prepared_run* r) { return run_monitor(r, &cd_monitor_direction); }

static int vanished_at(prepared_run* r, double theta)
{
    const double v = 0;
    CHECK(cardan_data_set_state(r->data, 0, &theta, &v, NULL) == CARDAN_OK);
    return cd_direction_monitor_find_vanished(run_system(r), run_directions(r));
}

static int nearly_vanished_at(prepared_run* r, double theta)
{
    const double v = 0;
    CHECK(cardan_data_set_state(r->data, 0, &theta, &v, NULL) == CARDAN_OK);
    return cd_direction_monitor_find_nearly_vanished(run_system(r), run_directions(r));
}

static void start_at(prepared_run* r, double theta)
{
    const double v = 0;
    CHECK(cardan_data_set_state(r->data, 0, &theta, &v, NULL) == CARDAN_OK);
    cd_direction_monitor_start(run_system(r), run_directions(r));
}

static void test_disc(void)
{
    prepared_run r;
    if (open_disc(&r, "")) {
        cd_direction_monitor* m = run_directions(&r);
        CHECK(m->count == 1);
        const int floor = m->constraint[0]; // the distance constraint has no direction
        CHECK(floor == 1);
        start_at(&r, 0.2);
        CHECK_NEAR(v3_dot(m->previous[0], m->previous[0]), pow(cos(0.2), 2), 1e-14);
        CHECK(vanished_at(&r, 1.4) == CARDAN_NONE);
        CHECK_NEAR(v3_dot(m->current[0], m->current[0]), pow(cos(1.4), 2), 1e-14);
        cd_direction_monitor_accept(m);
        CHECK(v3_dot(m->previous[0], m->previous[0]) == v3_dot(m->current[0], m->current[0]));
        CHECK(vanished_at(&r, FLAT) == floor);       // at the state
        CHECK(vanished_at(&r, FLAT + 0.1) == floor); // within the step
        CHECK(vanished_at(&r, FLAT - 0.01) == CARDAN_NONE);
        CHECK(vanished_at(&r, -0.5) == floor); // rotated by 1.9 rad
        CHECK(vanished_at(&r, 0) == CARDAN_NONE);
        start_at(&r, FLAT + 0.1); // beyond, without history
        CHECK(vanished_at(&r, FLAT + 0.3) == CARDAN_NONE);
        CHECK(vanished_at(&r, FLAT - 0.1) == floor);
        CHECK(nearly_vanished_at(&r, FLAT - 0.009) == floor && nearly_vanished_at(&r, FLAT + 0.009) == floor);
        CHECK(nearly_vanished_at(&r, FLAT - 0.011) == CARDAN_NONE);
    }
    run_close(&r);
}

// A sphere has the direction of the normal: it never vanishes.
static void test_sphere(void)
{
    prepared_run r;
    if (open_disc(&r, ", shape: sphere")) {
        start_at(&r, 1.4);
        CHECK(vanished_at(&r, FLAT) == CARDAN_NONE && vanished_at(&r, FLAT + 0.1) == CARDAN_NONE);
        CHECK(nearly_vanished_at(&r, FLAT) == CARDAN_NONE);
    }
    run_close(&r);
}

int main(void)
{
    RUN(test_disc());
    RUN(test_sphere());
    return test_end();
}
