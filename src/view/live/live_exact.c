// SPDX-License-Identifier: BSD-3-Clause
// A run as that of `cardan run`, with integrator, tolerance and stabilization of the model file, into the history. It
// advances in slices between the messages of the page; then it is replayed.
#include "view/live/live_state.h"

#include "core/clock.h"
#include "simulation/simulation_object.h"
#include "simulation/simulation_settings.h"

#include <math.h>

static const double frame_interval = 1.0 / 60; // [s]
static const double slice          = 0.02;     // [s] of real time between messages

static cardan_run_settings settings_of_file(cd_live* live, double duration)
{
    const cardan_run_defaults* file = live->model.view.run;
    cardan_run_settings        run  = cardan_run_default();
    run.integrator                  = cardan_integrator_find(file && file->integrator ? file->integrator : "dopri5");
    run.stabilization               = file && file->stabilization ? cardan_stabilization_find(file->stabilization)
                                                                  : cd_default_stabilization(run.integrator);
    run.end                         = duration;
    run.event_callback              = cd_live_mark_event;
    run.user                        = live;
    run.output_interval             = fmin(frame_interval, duration);
    if (!file) return run;
    run.step                = file->step;
    run.tolerance           = file->tolerance;
    run.regularization      = file->regularization;
    run.violation_tolerance = file->violation_tolerance;
    run.baumgarte_rate      = file->baumgarte_rate;
    run.window              = file->window;
    run.max_iterations      = file->max_iterations;
    run.stop_condition      = file->stop_condition;
    return run;
}

static void record(cd_live* live)
{
    cardan_sample sample;
    if (cardan_simulation_sample(live->exact, &sample, NULL) == CARDAN_OK)
        cd_live_record(live, sample.t, sample.q, sample.v, sample.state, cd_simulation_relative_sigma(live->exact));
}

void cd_live_begin_exact(cd_live* live, double duration)
{
    live->replay = false;
    cd_live_reset(live);
    live->playing   = false;
    live->exact_end = duration;
    cardan_report_clear(&live->report);
    cd_history_clear(&live->history);
    const cardan_run_settings run    = settings_of_file(live, duration);
    const cardan_status       status = cardan_simulation_open(live->aside.data, &run, &live->exact, &live->report);
    if (status == CARDAN_OK)
        record(live);
    else
        cd_live_fail(live, status);
}

void cd_live_end_exact(cd_live* live)
{
    cardan_simulation_close(live->exact, NULL, NULL);
    live->exact = NULL;
}

// Show the run from its start.
static void replay(cd_live* live)
{
    cd_live_end_exact(live);
    live->replay = true;
    cd_live_send_marks(live); // more events at once than clients may have received
    cd_live_show(live, 0);
    live->playing = live->history.count > 1;
    cd_live_set_clock(live);
}

void cd_live_follow_exact(cd_live* live)
{
    const double  begin  = cd_clock_wall();
    cardan_status status = CARDAN_OK;
    while (live->exact && status == CARDAN_OK && cd_clock_wall() - begin < slice) {
        const cardan_run_summary* summary = cardan_simulation_summary(live->exact);
        const double              t       = cd_history_end(&live->history, 0);
        if (t >= live->exact_end - 1e-9 || summary->stop_condition_met) {
            replay(live);
            return;
        }
        status = cardan_simulation_advance(live->exact, fmin(t + frame_interval, live->exact_end), &live->report);
        record(live);
        if (cd_history_end(&live->history, 0) <= t) live->exact_end = t; // the last part is shorter than an interval
    }
    if (status == CARDAN_OK) return;
    replay(live); // up to the failure
    live->playing = false;
    cd_live_fail(live, status);
}
