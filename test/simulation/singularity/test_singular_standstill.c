// SPDX-License-Identifier: BSD-3-Clause
// Driven parallelograms that start or stop at the flat configuration: a standstill only if the driver has no rate and,
// within a run, no acceleration there, and leads away from it.
#include "prepared_parallelogram.h"

// Driver function of the crank: phi = law; joint coordinates count from the design configuration.
static cardan_description* driven(const char* law)
{
    char text[2048];
    snprintf(text, sizeof text,
             "cardan: 1\nname: driven\ngravity: [0, 0, 0]\nparameters: {x: =cos(1), y: =sin(1)}\n"
             "bodies:\n"
             "  crank: {rod: [[0, 0, 0], [=x, =y, 0]], mass: 1}\n"
             "  coupler: {rod: [[=x, =y, 0], [=x+2, =y, 0]], mass: 1}\n"
             "  rocker: {rod: [[2, 0, 0], [=x+2, =y, 0]], mass: 1}\n"
             "joints:\n"
             "  a: {revolute: [ground, crank], at: [0, 0, 0], axis: z, driver: \"=%s - 1\"}\n"
             "  b: {revolute: [crank, coupler], at: [=x, =y, 0], axis: z}\n"
             "  c: {revolute: [coupler, rocker], at: [=x+2, =y, 0], axis: z}\n"
             "  d: {revolute: [ground, rocker], at: [2, 0, 0], axis: z}\n",
             law);
    return describe_text(text);
}

static void check_start(const char* law, double phi, double w, bool expected)
{
    parallelogram_run p;
    if (parallelogram_prepare(&p, driven(law), "dense", "dopri5", 2)) {
        double q, v;
        set_parallelogram(&p, 0, phi, w, run_state(&p.run));
        const bool found =
            cd_singular_standstill_check_start(run_standstill(&p.run), run_singular_events(&p.run), run_system(&p.run));
        if (found != expected) printf("start with phi = %s\n", law);
        CHECK(found == expected && run_standstill(&p.run)->is_standstill == expected);
        CHECK(cardan_data_joint_state(p.run.data, 0, &q, &v) == CARDAN_OK &&
              p.run.data->t == 0); // the state is restored
        CHECK_NEAR(q, phi - PARALLELOGRAM_DESIGN, 1e-15);
    }
    parallelogram_close(&p);
}

static void test_starts(void)
{
    check_start("t^2", 0, 0, true);
    check_start("sin(t)^2", 0, 0, true);
    check_start("t", 0, 0, false);           // the driver moves
    check_start("t", 0, 1, false);           // it moves
    check_start("0*t", 0, 0, false);         // it never leaves: the rows are always dependent
    check_start("0.5 + t^2", 0.5, 0, false); // not singular
    check_start("3*t + t^2", 0, 3, false);
}

// A joint without a driver: no standstill.
static void test_undriven(void)
{
    parallelogram_run p;
    if (parallelogram_open(&p, "dense", 0)) {
        set_parallelogram(&p, 0, 0, 0, run_state(&p.run));
        CHECK(!cd_singular_standstill_check_start(run_standstill(&p.run), run_singular_events(&p.run),
                                                  run_system(&p.run)));
    }
    parallelogram_close(&p);
}

// Motion from phi = -1 at t = 0 through or to phi = 0 at t = 1. Number of warnings; *t: time of the standstill.
static int warnings_of(const char* law, angle_function angle, double* t)
{
    static const double time[] = {0, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1, 1.1, 1.3, 1.5, 1.8, 2};
    parallelogram_run   p;
    int                 count = 0;
    *t                        = NAN;
    if (parallelogram_prepare(&p, driven(law), "dense", "dopri5", 2)) {
        cd_singular_standstill* s = run_standstill(&p.run);
        for (int i = 0; i < 13; ++i) {
            double       w;
            const double phi = angle(time[i], &w);
            set_parallelogram(&p, time[i], phi, w, run_state(&p.run));
            CHECK(cd_conditioning_is_known(run_system(&p.run),
                                           cd_conditioning_at(run_system(&p.run), run_state(&p.run))));
            cd_singular_limit_record_acceleration(run_system(&p.run), run_system(&p.run)->a);
            cd_singular_standstill_update(s, run_singular_events(&p.run), run_system(&p.run), run_state(&p.run), 1e-4,
                                          &p.run.report);
            if (s->is_standstill) *t = s->t;
            CHECK(time[i] < 1 ? !s->is_standstill : true);
        }
        CHECK(!s->is_standstill); // left
        count = messages_with(&p.run.report, CARDAN_CODE_STANDSTILL_AT_SINGULARITY);
        if (count > 0) CHECK(p.run.report.count == 1 && strstr(p.run.report.message[0].text, "d, c, b and a"));
    }
    parallelogram_close(&p);
    return count;
}

static double stopping(double t, double* w)
{
    const double u = t - 1;
    *w             = 3 * u * u;
    return u * u * u;
}

static double reversing(double t, double* w)
{
    const double u = t - 1;
    *w             = -2 * u;
    return -u * u;
}

static double passing(double t, double* w)
{
    *w = 1;
    return t - 1;
}

static void test_stops(void)
{
    double t;
    CHECK(warnings_of("(t - 1)^3", stopping, &t) == 1);
    CHECK_NEAR(t, 1, 0);
    CHECK(warnings_of("-(t - 1)^2", reversing, &t) == 0 && isnan(t)); // its acceleration continues the motion
    CHECK(warnings_of("t - 1", passing, &t) == 0 && isnan(t));
}

int main(void)
{
    RUN(test_starts());
    RUN(test_undriven());
    RUN(test_stops());
    return test_end();
}
