// SPDX-License-Identifier: BSD-3-Clause
#include "motion/settings.h"

#include "core/arguments.h"
#include "dynamics/data.h"
#include "model/description.h"
#include "motion/integrator.h"
#include "motion/stabilization.h"
#include "motion/windows.h"

#include <math.h>

static const double MOST_ROWS = 1e9;
enum { MOST_WINDOW = 1000000 };

int cd_usual_stabilization(int integrator)
{
    return cardan_stabilization_find(cd_integrator_at(integrator)->regularizes ? "none" : "projection");
}

cardan_run cardan_run_default(void)
{
    return (cardan_run){
        .integrator = CARDAN_NONE, .end = 1, .output = 0.01, .stabilization = CARDAN_NONE, .stop = CARDAN_NONE};
}

static cardan_status wrong(cardan_report* report, const char* before, double value, const char* after)
{
    return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_nowhere(), "%s %g%s", before, value,
                       after);
}

// Written so that NaN fails every test.
static cardan_status check_times(const cardan_run* run, cardan_report* report)
{
    if (!isfinite(run->start)) return wrong(report, "the run cannot start at t =", run->start, " s");
    if (!isfinite(run->end)) return wrong(report, "the run cannot end at t =", run->end, " s");
    if (run->end < run->start)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_nowhere(),
                           "the run ends at t = %g s, before it starts at %g s", run->end, run->start);
    if (!(run->output > 0 && isfinite(run->output)))
        return wrong(report, "the time between rows must be positive, not", run->output, " s");
    const double far = fmax(fabs(run->start), fabs(run->end));
    if (run->output < 1e-14 * far)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_nowhere(),
                           "times about t = %g s have too few digits for a row every %g s", far, run->output);
    if ((run->end - run->start) / run->output > MOST_ROWS)
        return wrong(report, "more than a billion rows come of one every", run->output, " s");
    return CARDAN_OK;
}

// What nobody asked for divides the time between rows at least.
static double usual_step(const cardan_run* run) { return fmin(1e-3, run->output); }

cardan_status cd_settings_complete(const cardan_run* run, cardan_run* full, cardan_report* report)
{
    *full = *run;
    if (run->integrator == CARDAN_NONE) full->integrator = cardan_integrator_find("dopri5");
    if (!cd_integrator_at(full->integrator)) return wrong(report, "there is no integrator number", run->integrator, "");
    if (run->stabilization == CARDAN_NONE) full->stabilization = cd_usual_stabilization(full->integrator);
    if (!cd_stabilization_at(full->stabilization))
        return wrong(report, "there is no stabilization number", run->stabilization, "");
    if (full->stabilization != cd_usual_stabilization(full->integrator) &&
        cardan_integrator_regularizes(full->integrator))
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_nowhere(),
                           "%s keeps loops closed by itself: with it the stabilization is 'none', not '%s'",
                           cardan_integrator_name(full->integrator), cardan_stabilization_name(full->stabilization));
    if (!(run->pull >= 0 && isfinite(run->pull)))
        return wrong(report, "the pull of a stabilization must be positive, not", run->pull, " 1/s");
    const cardan_status status = check_times(run, report);
    if (status) return status;

    if (!(run->step >= 0 && isfinite(run->step)))
        return wrong(report, "the step must be positive, not", run->step, " s");
    const double rounding = 1e-14 * fmax(fabs(run->start), fabs(run->end));
    if (run->step > 0 && run->step < rounding)
        return wrong(report, "a step of", run->step, " s is lost in the rounding of time");
    if (!(run->max_step == 0 || run->max_step >= rounding))
        return wrong(report, "the longest step must be positive and above the rounding of time, not", run->max_step,
                     " s");
    if (!(run->tolerance == 0 || (run->tolerance >= 1e-13 && run->tolerance <= 0.1)))
        return wrong(report, "the tolerance must lie between 1e-13 and 0.1, not at", run->tolerance, "");
    if (!(run->epsilon >= 0 && isfinite(run->epsilon)))
        return wrong(report, "epsilon must be positive, not", run->epsilon, "");
    if (!(run->gap >= 0 && isfinite(run->gap)))
        return wrong(report, "the gap that ends iterations must be positive, not", run->gap, "");
    if (run->window < 0 || run->window > MOST_WINDOW)
        return wrong(report, "'window' must be 1 to 1000000 steps, not", run->window, "");
    if (run->iterations < 0 || run->iterations > CD_WINDOW_ITERATIONS)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_nowhere(),
                           "'iterations' must be 1 to %d, not %d; where these leave too much, smaller steps leave less",
                           CD_WINDOW_ITERATIONS, run->iterations);
    if (run->window == 0) full->window = 5;
    if (run->iterations == 0) full->iterations = 6;
    if (run->gap == 0) full->gap = 1e-8;
    if (run->step == 0) full->step = usual_step(run);
    if (run->tolerance == 0) full->tolerance = cd_integrator_at(full->integrator)->coarse ? 1e-5 : 1e-8;
    full->max_step = fmax(run->max_step > 0 ? run->max_step : (run->end - run->start) / 10, rounding);
    return CARDAN_OK;
}

cardan_status cd_settings_check(const cardan_data* data, const cardan_run* run, cardan_report* report)
{
    const cardan_model* m = data->m;
    if (run->stop != CARDAN_NONE && !cd_is_index(run->stop, cd_graph_size(m->description->graph)))
        return wrong(report, "there is no formula number", run->stop, " to stop the run");
    if (run->max_step < 0 || isnan(run->max_step))
        return wrong(report, "the longest step must be positive, not", run->max_step, " s");
    return CARDAN_OK;
}

double cd_step_used(const cardan_run* run)
{
    const bool   windows = cd_integrator_at(run->integrator)->regularizes && run->window != 1;
    const double most    = run->step > 0 ? run->step : usual_step(run);
    const double steps   = run->window > 0 ? fmin(run->window, CD_SHORTEST_WINDOW) : CD_SHORTEST_WINDOW;
    double       span    = run->output;
    if (windows)
        span *= fmax(1, floor(steps * most / run->output + 1e-9));
    else if (most > run->output)
        span = run->end - run->start;
    return span > 0 ? span / ceil(span / most - 1e-9) : most;
}

double cd_long_step_end(const cardan_run* run, double t, double most)
{
    const double left = fmin(run->end, most) - t, end = t + left / fmax(ceil(left / run->step - 1e-9), 1);
    const double row = cd_row_time(run, lround((end - run->start) / run->output));
    return fmin(fabs(end - row) < 1e-9 * run->output ? row : fmin(end, run->end), most);
}

// A remainder of 1e-9 of an interval is rounding, not a row.
long cd_last_row(const cardan_run* run) { return (long)ceil((run->end - run->start) / run->output - 1e-9); }

double cd_row_time(const cardan_run* run, long k)
{
    return k < cd_last_row(run) ? run->start + (double)k * run->output : run->end;
}
