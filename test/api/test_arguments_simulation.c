// SPDX-License-Identifier: BSD-3-Clause
// Functions of simulation objects with invalid arguments: each returns an error and leaves the simulation as it was.
#include "last_sample.h"

static void test_null(void)
{
    cardan_sample sample;
    CHECK(cardan_simulation_restart(NULL, 0, NULL, NULL, NULL, NULL) == CARDAN_BAD_USAGE);
    CHECK(cardan_simulation_sample(NULL, &sample, NULL) == CARDAN_BAD_USAGE);
    CHECK(cardan_simulation_save(NULL, "x.json", NULL) == CARDAN_BAD_USAGE);
    CHECK(cardan_simulation_load(NULL, "x.json", NULL) == CARDAN_BAD_USAGE);
    CHECK(!cardan_simulation_summary(NULL));
    CHECK(cardan_simulation_close(NULL, NULL, NULL) == CARDAN_OK);
}

static void test_wrong_arguments(void)
{
    fixture            f;
    static last_sample last;
    cardan_simulation* simulation = NULL;
    cardan_sample      sample;
    if (fixture_open(&f, "models/pendulum", "order-n", 0, NULL)) {
        cardan_run_settings run = settings(&f, "rk4", 1, &last);
        CHECK(cardan_simulation_open(NULL, &run, &simulation, NULL) == CARDAN_BAD_USAGE && !simulation);
        CHECK(cardan_simulation_open(f.data, NULL, &simulation, NULL) == CARDAN_BAD_USAGE && !simulation);
        CHECK(cardan_simulation_open(f.data, &run, NULL, NULL) == CARDAN_BAD_USAGE);
        run.end = NAN;
        CHECK(cardan_simulation_open(f.data, &run, &simulation, NULL) == CARDAN_BAD_USAGE && !simulation);
        run.end = INFINITY;
        CHECK(cardan_simulate(f.data, &run, NULL, NULL) == CARDAN_BAD_USAGE);
        run.end = 1;
        CHECK(cardan_simulation_open(f.data, &run, &simulation, NULL) == CARDAN_OK);
        CHECK(cardan_simulation_advance(NULL, 0, NULL) == CARDAN_BAD_USAGE);
        CHECK(cardan_simulation_advance(simulation, NAN, NULL) == CARDAN_BAD_USAGE);
        CHECK(cardan_simulation_advance(simulation, INFINITY, NULL) == CARDAN_BAD_USAGE);
        CHECK(cardan_simulation_advance(simulation, 1.5, NULL) == CARDAN_BAD_USAGE);
        CHECK(cardan_simulation_advance(simulation, 0.5, NULL) == CARDAN_OK);
        CHECK(cardan_simulation_advance(simulation, 0.4, NULL) == CARDAN_BAD_USAGE);
        CHECK(cardan_simulation_advance(simulation, 0.5, NULL) == CARDAN_OK);
        CHECK(cardan_simulation_sample(simulation, NULL, NULL) == CARDAN_BAD_USAGE);
        CHECK(cardan_simulation_sample(simulation, &sample, NULL) == CARDAN_OK);
        CHECK(cardan_simulation_restart(simulation, NAN, NULL, NULL, NULL, NULL) == CARDAN_BAD_USAGE);
        CHECK(cardan_simulation_restart(simulation, 2, NULL, NULL, NULL, NULL) == CARDAN_BAD_USAGE);
        CHECK(cardan_simulation_advance(simulation, 1, NULL) == CARDAN_OK);
        CHECK(cardan_simulation_close(simulation, NULL, NULL) == CARDAN_OK);
    }
    fixture_close(&f);
}

// A state that is not finite fails; the simulation can be restarted.
static void test_state_not_finite(void)
{
    fixture            f;
    static last_sample last;
    cardan_simulation* simulation = NULL;
    if (fixture_open(&f, "models/pendulum", "order-n", 0, NULL)) {
        const double        q[8] = {NAN};
        cardan_run_settings run  = settings(&f, "rk4", 1, &last);
        CHECK(cardan_simulation_open(f.data, &run, &simulation, NULL) == CARDAN_OK);
        CHECK(cardan_simulation_restart(simulation, 0, q, NULL, NULL, NULL) != CARDAN_OK);
        CHECK(cardan_simulation_advance(simulation, 0.1, NULL) == CARDAN_BAD_USAGE);
        CHECK(cardan_simulation_restart(simulation, 0, NULL, NULL, NULL, NULL) == CARDAN_OK);
        CHECK(cardan_simulation_advance(simulation, 0.1, NULL) == CARDAN_OK);
        CHECK(cardan_simulation_close(simulation, NULL, NULL) == CARDAN_OK);
    }
    fixture_close(&f);
}

int main(void)
{
    RUN(test_null());
    RUN(test_wrong_arguments());
    RUN(test_state_not_finite());
    return test_end();
}
