// SPDX-License-Identifier: BSD-3-Clause
// Simulation object: pieces of any length give the states of one run, with restarts, changed inputs, failures and runs
// without end.
#include "last_sample.h"
#include "model_folders.h"

#include <stdint.h>

static double random_unit(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

// Advance to the end in pieces of random length up to `longest` [s], multiples of `grid` [s] if that is not 0; every
// third state is read.
static cardan_status advance_in_pieces(cardan_simulation* simulation, double end, double longest, double grid,
                                       cardan_report* report)
{
    uint64_t      seed   = 7;
    cardan_status status = CARDAN_OK;
    int           pieces = 0;
    for (double t = 0; t < end && !status; ++pieces) {
        t = fmin(t + longest * random_unit(&seed), end);
        if (grid > 0) t = fmin(ceil(t / grid) * grid, end);
        status = cardan_simulation_advance(simulation, t, report);
        cardan_sample sample;
        if (status || pieces % 3) continue;
        CHECK(cardan_simulation_sample(simulation, &sample, report) == CARDAN_OK);
        CHECK(sample.t == t || cardan_simulation_summary(simulation)->stop_condition_met);
    }
    return status;
}

// dopri5 takes the same steps for any pieces. Fixed-step methods agree on the grid of samples; between them, reading a
// state is another evaluation, after which projections use another factor. So it is for other adaptive methods.
static bool pieces_agree(const char* model, const char* formulation, const char* integrator, double grid,
                         double tolerance)
{
    fixture            f;
    static last_sample whole, pieces;
    bool               compared = false;
    const bool         opened   = fixture_open(&f, model, formulation, 0, NULL);
    if (opened && f.m.nq + f.m.nv + f.m.nstate <= VALUES_MAX) {
        const double        end    = 0.2;
        cardan_run_settings run    = settings(&f, integrator, end, &whole);
        const cardan_status status = cardan_simulate(f.data, &run, NULL, NULL);
        cardan_simulation*  simulation;
        run               = settings(&f, integrator, end, &pieces);
        cardan_status got = cardan_simulation_open(f.data, &run, &simulation, NULL);
        if (!got) {
            got                        = advance_in_pieces(simulation, end, 0.03, grid, NULL);
            const cardan_status closed = cardan_simulation_close(simulation, NULL, NULL);
            if (!got) got = closed;
        }
        CHECK(got == status);
        const bool agrees = tolerance > 0 ? difference(&whole, &pieces) <= tolerance : same_bits(&whole, &pieces);
        CHECK(agrees);
        if (got != status || !agrees)
            printf("%s %s %s: %ld samples to t = %g (%s), in pieces %ld to %g (%s), difference %g\n", model,
                   formulation, integrator, whole.count, whole.t, cardan_status_text(status), pieces.count, pieces.t,
                   cardan_status_text(got), difference(&whole, &pieces));
        compared = status == CARDAN_OK;
    }
    fixture_close(&f);
    return compared;
}

static void test_pieces_agree_on_all_models(const char* integrator, double grid)
{
    static model_folders models;
    int                  compared = 0;
    models.count                  = 0;
    collect_models(&models, "models");
    for (int i = 0; i < models.count; ++i)
        compared +=
            pieces_agree(models.path[i], "lagrange", integrator, grid, has_contacts(models.path[i]) ? 1e-12 : 0);
    CHECK(models.count > 30);
    CHECK(compared > 2 * models.count / 3);
    if (compared <= 2 * models.count / 3) printf("%s: %d of %d models\n", integrator, compared, models.count);
}

static void test_pieces_agree_by_every_integrator(const char* model)
{
    for (int i = 0; i < cardan_integrator_count(); ++i) {
        const char* name  = cardan_integrator_name(i);
        const bool  fixed = !cardan_integrator_is_adaptive(i);
        CHECK(pieces_agree(model, "augmented", name, 0.01, fixed || strcmp(name, "dopri5") == 0 ? 0 : 1e-7));
        CHECK(pieces_agree(model, "augmented", name, 0, fixed ? 1e-4 : 1e-7));
    }
}

// ---- restart

static void test_restart_discards_the_past(const char* model, const char* integrator)
{
    fixture            f;
    static last_sample first, second;
    cardan_simulation* simulation = NULL;
    if (fixture_open(&f, model, "reduction", 0, NULL)) {
        cardan_run_settings run = settings(&f, integrator, 0.3, &first);
        run.user                = &first;
        CHECK(cardan_simulation_open(f.data, &run, &simulation, &f.report) == CARDAN_OK);
        CHECK(cardan_simulation_advance(simulation, 0.3, &f.report) == CARDAN_OK);
        second      = first;
        first.count = first.events = 0;
        CHECK(cardan_simulation_restart(simulation, 0, NULL, NULL, NULL, &f.report) == CARDAN_OK);
        CHECK(cardan_simulation_advance(simulation, 0.3, &f.report) == CARDAN_OK);
        CHECK(same_bits(&first, &second));

        cardan_sample sample;
        CHECK(cardan_simulation_restart(simulation, 0.1, f.m.q_start, f.m.v_start, f.m.state_start, &f.report) ==
              CARDAN_OK);
        CHECK(cardan_simulation_sample(simulation, &sample, &f.report) == CARDAN_OK);
        CHECK(sample.t == 0.1);
        CHECK(cardan_simulation_advance(simulation, 0.3, &f.report) == CARDAN_OK);
        CHECK(cardan_simulation_summary(simulation)->samples == 21);
        CHECK(cardan_simulation_close(simulation, NULL, &f.report) == CARDAN_OK);
    }
    fixture_close(&f);
}

// ---- inputs

// A force that is switched on at t = 0.123 s: one simulation against two runs.
static void test_changed_forces(const char* integrator)
{
    fixture            f;
    static last_sample object, runs;
    cardan_simulation* simulation = NULL;
    if (fixture_open(&f, "models/four_bar", "augmented", 0, NULL)) {
        double* effort          = calloc((size_t)f.m.nv_joint + 1, sizeof *effort);
        effort[0]               = 3;
        cardan_run_settings run = settings(&f, integrator, 0.4, &object);
        run.step                = 1e-4;
        CHECK(cardan_simulation_open(f.data, &run, &simulation, &f.report) == CARDAN_OK);
        CHECK(cardan_simulation_advance(simulation, 0.123, &f.report) == CARDAN_OK);
        CHECK(cardan_data_set_external_forces(f.data, effort, NULL) == CARDAN_OK);
        CHECK(cardan_simulation_advance(simulation, 0.4, &f.report) == CARDAN_OK);
        CHECK(cardan_simulation_close(simulation, NULL, &f.report) == CARDAN_OK);
        CHECK(cardan_data_set_external_forces(f.data, NULL, NULL) == CARDAN_OK);

        run      = settings(&f, integrator, 0.123, &runs);
        run.step = 1e-4;
        CHECK(cardan_simulate(f.data, &run, NULL, &f.report) == CARDAN_OK);
        static last_sample middle;
        middle    = runs;
        run       = settings(&f, integrator, 0.4, &runs);
        run.step  = 1e-4;
        run.start = 0.123;
        run.q     = middle.value;
        run.v     = middle.value + f.m.nq;
        CHECK(cardan_data_set_external_forces(f.data, effort, NULL) == CARDAN_OK);
        CHECK(cardan_simulate(f.data, &run, NULL, &f.report) == CARDAN_OK);
        CHECK_NEAR(difference(&object, &runs), 0, 1e-7);
        CHECK(difference(&object, &middle) > 1e-2);
        free(effort);
    }
    fixture_close(&f);
}

// ---- failures

// The drivers of this model leave the workspace: pieces before that succeed although steps reach beyond it, the failure
// is reported in the piece where it happens, its last valid state can be read, and the simulation can be restarted.
static void test_failure_and_recovery(const char* integrator)
{
    fixture            f;
    static last_sample last;
    cardan_simulation* simulation = NULL;
    cardan_sample      sample;
    if (fixture_open(&f, "test/data/simulation/workspace_end.yaml", "augmented", 0, NULL)) {
        cardan_run_settings run = settings(&f, integrator, INFINITY, &last);
        CHECK(cardan_simulation_open(f.data, &run, &simulation, &f.report) == CARDAN_OK);
        cardan_status status = CARDAN_OK;
        double        t      = 0;
        while (!status && t < 3) status = cardan_simulation_advance(simulation, t += 0.05, &f.report);
        CHECK(status == CARDAN_NOT_CONVERGED || status == CARDAN_INCONSISTENT);
        CHECK(t > 0.9 && t < 1.2); // arms of 1 m and 1 m, driven apart from 1 m with 1 m/s
        CHECK(cardan_simulation_sample(simulation, &sample, NULL) == CARDAN_OK);
        CHECK(sample.t > t - 0.051 && sample.t <= t);
        CHECK(cardan_simulation_advance(simulation, t + 1, NULL) == CARDAN_BAD_USAGE);
        CHECK(cardan_simulation_restart(simulation, 0.2, NULL, NULL, NULL, &f.report) == CARDAN_OK);
        CHECK(cardan_simulation_advance(simulation, 0.7, &f.report) == CARDAN_OK);
        CHECK(cardan_simulation_sample(simulation, &sample, NULL) == CARDAN_OK);
        CHECK(sample.t == 0.7);
        CHECK(cardan_simulation_close(simulation, NULL, &f.report) == CARDAN_OK);
    }
    fixture_close(&f);
}

// ---- runs without end

// A force that is switched twice per second for a minute: windows of the search end at 20 s, 30 s ...
static void test_run_without_end(const char* integrator)
{
    fixture            f;
    static last_sample endless, whole;
    cardan_simulation* simulation = NULL;
    if (fixture_open(&f, "test/data/simulation/square_wave.yaml", "order-n", 0, NULL)) {
        cardan_run_settings run = settings(&f, integrator, INFINITY, &endless);
        CHECK(cardan_simulation_open(f.data, &run, &simulation, &f.report) == CARDAN_OK);
        CHECK(advance_in_pieces(simulation, 61, 1.7, 0, &f.report) == CARDAN_OK);
        CHECK(cardan_simulation_close(simulation, NULL, &f.report) == CARDAN_OK);
        run          = settings(&f, integrator, 61, &whole);
        run.max_step = 1;
        CHECK(cardan_simulate(f.data, &run, NULL, &f.report) == CARDAN_OK);
        CHECK(endless.count == whole.count);
        CHECK_NEAR(difference(&endless, &whole), 0, 1e-9);
        CHECK(fabs(whole.value[0]) > 1e-3);
    }
    fixture_close(&f);
}

int main(void)
{
    RUN(test_pieces_agree_on_all_models("dopri5", 0));
    RUN(test_pieces_agree_on_all_models("rk4", 0.01));
    RUN(test_pieces_agree_by_every_integrator("models/four_bar"));
    RUN(test_pieces_agree_by_every_integrator("models/slider_crank"));
    RUN(test_pieces_agree_by_every_integrator("models/hmmwv"));
    RUN(test_restart_discards_the_past("models/four_bar", "dopri5"));
    RUN(test_restart_discards_the_past("models/slider_crank", "generalized-alpha"));
    RUN(test_restart_discards_the_past("models/andrews_squeezer", "rk4"));
    RUN(test_changed_forces("dopri5"));
    RUN(test_changed_forces("rk4"));
    RUN(test_changed_forces("cvode-bdf"));
    RUN(test_failure_and_recovery("dopri5"));
    RUN(test_failure_and_recovery("rk4"));
    RUN(test_run_without_end("dopri5"));
    RUN(test_run_without_end("rk4"));
    return test_end();
}
