// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/simulation_settings.h"

#include "core/check_arguments.h"
#include "dynamics/data.h"
#include "model/description.h"
#include "core/parts.h"
#include "simulation/integrators/integrator.h"
#include "simulation/stabilization/stabilization.h"
#include "simulation/integrators/sequential_regularization/multiplier_window.h"
#include "simulation/simulation_tolerances.h"

#include <limits.h>
#include <math.h>

enum { WINDOW_MAX = 1000000 }; // steps of a window

int cd_default_stabilization(int integrator)
{
    return cardan_stabilization_find(cd_integrator_at(integrator)->is_regularized ? "none" : "projection");
}

cardan_run_settings cardan_run_default(void)
{
    return (cardan_run_settings){.integrator      = CARDAN_NONE,
                                 .end             = 1,
                                 .output_interval = 0.01,
                                 .stabilization   = CARDAN_NONE,
                                 .stop_condition  = CARDAN_NONE};
}

static cardan_status fail_setting(cardan_report* report, const char* before, double value, const char* after)
{
    return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(), "%s %g%s", before,
                       value, after);
}

double cd_run_span(const cardan_run_settings* run)
{
    if (isfinite(run->end)) return run->end - run->start;
    return fmax(run->max_step > 0 ? 10 * run->max_step : cd_endless_run_span, 10 * run->step);
}

// [s] Largest |t| of the run; of one without end, of its first span.
static double largest_time(const cardan_run_settings* run)
{
    return fmax(fabs(run->start), fabs(isfinite(run->end) ? run->end : run->start + cd_run_span(run)));
}

// Conditions are written so that NaN fails every test.
static cardan_status check_times(const cardan_run_settings* run, cardan_report* report)
{
    if (!isfinite(run->start)) return fail_setting(report, "the run cannot start at t =", run->start, " s");
    if (isnan(run->end)) return fail_setting(report, "the run cannot end at t =", run->end, " s");
    if (run->end < run->start)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(),
                           "the run ends at t = %g s, before it starts at %g s", run->end, run->start);
    if (!(run->output_interval > 0 && isfinite(run->output_interval)))
        return fail_setting(report, "the output interval must be positive, not", run->output_interval, " s");
    const double far = largest_time(run);
    if (run->output_interval < 1e-14 * far)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(),
                           "times about t = %g s have too few digits for an output interval of %g s", far,
                           run->output_interval);
    if (isfinite(run->end) && (run->end - run->start) / run->output_interval > cd_samples_max)
        return fail_setting(report, "more than a billion output samples result from an output interval of",
                            run->output_interval, " s");
    return CARDAN_OK;
}

// Default step: at most the output interval.
static double default_step(const cardan_run_settings* run) { return fmin(1e-3, run->output_interval); }

cardan_status cd_settings_complete(const cardan_run_settings* run, cardan_run_settings* full, cardan_report* report)
{
    *full = *run;
    if (run->integrator == CARDAN_NONE) full->integrator = cardan_integrator_find("dopri5");
    if (!cd_integrator_at(full->integrator))
        return fail_setting(report, "there is no integrator number", run->integrator, "");
    if (cardan_integrator_missing_part(full->integrator))
        return cd_fail_missing_part(report, cardan_integrator_missing_part(full->integrator), cardan_location_none(),
                                    "the integrator '%s'", cardan_integrator_name(full->integrator));
    if (run->stabilization == CARDAN_NONE) full->stabilization = cd_default_stabilization(full->integrator);
    if (!cd_stabilization_at(full->stabilization))
        return fail_setting(report, "there is no stabilization number", run->stabilization, "");
    if (full->stabilization != cd_default_stabilization(full->integrator) &&
        cardan_integrator_is_regularized(full->integrator))
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(),
                           "%s stabilizes constraints by itself: its stabilization must be 'none', not '%s'",
                           cardan_integrator_name(full->integrator), cardan_stabilization_name(full->stabilization));
    if (!(run->baumgarte_rate >= 0 && isfinite(run->baumgarte_rate)))
        return fail_setting(report, "the Baumgarte rate must be positive, not", run->baumgarte_rate, " 1/s");
    const cardan_status status = check_times(run, report);
    if (status) return status;

    if (!(run->step >= 0 && isfinite(run->step)))
        return fail_setting(report, "the step must be positive, not", run->step, " s");
    const double rounding = 1e-14 * largest_time(run);
    if (run->step > 0 && run->step < rounding)
        return fail_setting(report, "a step of", run->step, " s is below the resolution of time");
    if (!(run->max_step == 0 || run->max_step >= rounding))
        return fail_setting(report, "the maximum step must be positive and above the resolution of time, not",
                            run->max_step, " s");
    if (!(run->tolerance == 0 || (run->tolerance >= 1e-13 && run->tolerance <= 0.1)))
        return fail_setting(report, "the tolerance must be between 1e-13 and 0.1, not", run->tolerance, "");
    if (!(run->regularization >= 0 && isfinite(run->regularization)))
        return fail_setting(report, "the regularization parameter epsilon must be positive, not", run->regularization,
                            "");
    if (!(run->violation_tolerance >= 0 && isfinite(run->violation_tolerance)))
        return fail_setting(report, "the violation tolerance must be positive, not", run->violation_tolerance, "");
    if (run->window < 0 || run->window > WINDOW_MAX)
        return fail_setting(report, "'window' must be 1 to 1000000 steps, not", run->window, "");
    if (run->max_iterations < 0 || run->max_iterations > CD_WINDOW_ITERATIONS_MAX)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(),
                           "'iterations' must be 1 to %d, not %d; smaller steps reduce the violation further",
                           CD_WINDOW_ITERATIONS_MAX, run->max_iterations);
    if (run->window == 0) full->window = 5;
    if (run->max_iterations == 0) full->max_iterations = 6;
    if (run->violation_tolerance == 0) full->violation_tolerance = 1e-8;
    if (run->step == 0) full->step = default_step(run);
    if (run->tolerance == 0) full->tolerance = cd_integrator_at(full->integrator)->is_low_order ? 1e-5 : 1e-8;
    full->max_step = fmax(run->max_step > 0 ? run->max_step : cd_run_span(run) / 10, rounding);
    return CARDAN_OK;
}

cardan_status cd_settings_check(const cardan_data* data, const cardan_run_settings* run, cardan_report* report)
{
    const cardan_model* m = data->m;
    if (run->stop_condition != CARDAN_NONE && !cd_is_index(run->stop_condition, cd_graph_size(m->description->graph)))
        return fail_setting(report, "there is no formula number", run->stop_condition, " to stop the run");
    if (run->max_step < 0 || isnan(run->max_step))
        return fail_setting(report, "the maximum step must be positive, not", run->max_step, " s");
    return CARDAN_OK;
}

double cd_fixed_step_length(const cardan_run_settings* run)
{
    const bool   windows  = cd_integrator_at(run->integrator)->is_regularized && run->window != 1;
    const double step_max = run->step > 0 ? run->step : default_step(run);
    const double steps    = run->window > 0 ? fmin(run->window, CD_WINDOW_STEPS_MIN) : CD_WINDOW_STEPS_MIN;
    double       span     = run->output_interval;
    if (windows)
        span *= fmax(1, floor(steps * step_max / run->output_interval + cd_count_roundoff));
    else if (step_max > run->output_interval)
        span = isfinite(run->end) ? run->end - run->start : step_max;
    return span > 0 ? span / ceil(span / step_max - cd_count_roundoff) : step_max;
}

double cd_long_step_end(const cardan_run_settings* run, double t, double t_max)
{
    const double remaining = fmin(run->end, t_max) - t,
                 end = isfinite(remaining) ? t + remaining / fmax(ceil(remaining / run->step - cd_count_roundoff), 1)
                                           : t + run->step;
    const double t_sample = cd_sample_time(run, lround((end - run->start) / run->output_interval));
    return fmin(fabs(end - t_sample) < cd_count_roundoff * run->output_interval ? t_sample : fmin(end, run->end),
                t_max);
}

// A remainder of 1e-9 output intervals is round-off and gets no sample.
long cd_last_sample(const cardan_run_settings* run)
{
    if (!isfinite(run->end)) return LONG_MAX;
    return (long)ceil((run->end - run->start) / run->output_interval - cd_count_roundoff);
}

double cd_sample_time(const cardan_run_settings* run, long k)
{
    return k < cd_last_sample(run) ? run->start + (double)k * run->output_interval : run->end;
}
