// SPDX-License-Identifier: BSD-3-Clause
// Simulation object: a run that the caller advances piece by piece (cardan/simulate.h), and cardan_simulate, which opens
// one, advances it to the end and closes it.
//
// The integrator takes the same steps whatever times the caller advances to: a step that ends behind such a time stays
// pending, the state at that time is dense output, and the next call continues behind it. If the caller changes forces
// or drivers in between, the rest of the step is discarded, and the integrator starts again at the time of the change.
#include "core/check_arguments.h"
#include "core/clock.h"
#include "dynamics/solver_history.h"
#include "explain/explain.h"
#include "simulation/checkpoint_file.h"
#include "simulation/contact/contact_run.h"
#include "simulation/simulation_object.h"
#include "model/reaction_signals.h"

#include <stdio.h>

#include <math.h>
#include <stdlib.h>

struct cardan_simulation {
    cd_simulation      s;
    cardan_run_summary summary;
    double             began; // [s] clock
};

// ---- open and close

// Methods with residuals or Jacobians of the equations, or without a factorization, do not solve for reactions.
static cardan_status refuse_reaction_signals(const cardan_data* data, int integrator, cardan_report* report)
{
    const cd_integrator* method = cd_integrator_at(integrator);
    char                 reason[200];
    if (!method->uses_residual && !method->uses_rhs_jacobian && !method->uses_dense_jacobian && !method->is_regularized)
        return CARDAN_OK;
    snprintf(reason, sizeof reason, "which the integrator '%s' does not support; use an explicit one, such as dopri5",
             method->name);
    return cd_refuse_reaction_signals(data->m, reason, report);
}

static cardan_status open_simulation(cardan_simulation* simulation, cardan_data* data, const cardan_run_settings* run,
                                     cardan_report* report)
{
    cd_simulation* s    = &simulation->s;
    simulation->began   = cd_clock_wall();
    simulation->summary = (cardan_run_summary){.t = run->start};
    s->summary          = &simulation->summary;
    s->report           = report;

    cardan_status status = cd_settings_complete(run, &s->run, report);
    if (!status) status = cd_settings_check(data, run, report);
    if (!status) status = refuse_reaction_signals(data, s->run.integrator, report);
    if (!status) status = cd_contact_check_integrator(data, s->run.integrator, report);
    if (!status) status = cd_stabilization_supports(cd_stabilization_at(s->run.stabilization), data, report);
    if (!status) status = cd_look_ahead_start(s, data);
    if (status) return status;
    cd_solver_history_reset(data);
    if (!s->run.driver_callback) cd_warn_driven_curves(data, s->run.start, s->look_ahead.to, false, report);
    status = cd_simulation_prepare(s, data, run);
    if (status) return status;
    return run->checkpoint ? cd_checkpoint_file_read(s, run->checkpoint) : cd_simulation_start(s);
}

static void finish_summary(const cd_ode_system* system, cardan_run_summary* summary)
{
    summary->rejected_steps        = system->statistics.rejected_steps;
    summary->evaluations           = system->statistics.evaluations;
    summary->generated_evaluations = system->statistics.generated_evaluations;
    summary->jacobians             = system->statistics.jacobians;
    summary->generated_jacobians   = system->statistics.generated_jacobians;
    summary->jacobian_wall_time    = system->statistics.jacobian_wall_time;
    summary->steps += system->statistics.extra_steps;
    summary->regularization = system->regularization.result;
}

static cardan_status close_simulation(cardan_simulation* simulation, cardan_status status, cardan_report* report)
{
    cd_simulation* s = &simulation->s;
    s->report        = report;
    finish_summary(&s->system, s->summary);
    status                = cd_simulation_close(s, status);
    s->summary->status    = status;
    s->summary->wall_time = cd_clock_wall() - simulation->began;
    return status;
}

cardan_status cardan_simulation_open(cardan_data* data, const cardan_run_settings* run, cardan_simulation** simulation,
                                     cardan_report* report)
{
    CD_REQUIRE_POINTER(simulation, "simulation", report);
    *simulation = NULL;
    CD_REQUIRE_POINTER(data, "data", report);
    CD_REQUIRE_POINTER(run, "run", report);
    cardan_simulation* opened = cd_allocate(1, sizeof *opened);
    if (!opened)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the run");
    const cardan_status status = open_simulation(opened, data, run, report);
    if (!status) {
        *simulation = opened;
        return CARDAN_OK;
    }
    close_simulation(opened, status, report);
    free(opened);
    return status;
}

cardan_status cardan_simulation_close(cardan_simulation* simulation, cardan_run_summary* summary, cardan_report* report)
{
    if (!simulation) return CARDAN_OK;
    const cardan_status status = close_simulation(simulation, simulation->s.advance.status, report);
    if (summary) *summary = simulation->summary;
    free(simulation);
    return status;
}

// ---- advance

static cardan_status fail_time(cardan_report* report, const char* text, double t, double limit)
{
    return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(), text, t, limit);
}

static cardan_status fail_failed(const cd_simulation* s, cardan_report* report)
{
    return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(),
                       "the simulation has failed at t = %.9g s: it must be restarted first", s->summary->t);
}

// Compute the state at the time reached, on the constraints.
static cardan_status find_current_state(cd_simulation* s)
{
    cd_ode_state* current = &s->advance.current;
    cardan_status status  = CARDAN_OK;
    if (s->advance.status || !s->step.is_pending) {
        cd_ode_state_copy(&s->system, s->advance.status ? &s->advance.valid : &s->x, current);
        return s->step.needs_projection ? cd_stabilize_reported(s, current) : CARDAN_OK;
    }
    if (s->integrator->is_adaptive)
        status = s->integrator->dense_output(&s->system, s->integrator_work, s->output.reached, current);
    return status ? cd_fail_run(s, status) : cd_stabilize_reported(s, current);
}

// Discard the part of the last step behind the time reached.
static cardan_status discard_rest(cd_simulation* s)
{
    const cardan_status status = find_current_state(s);
    if (status) return status;
    cd_ode_state_copy(&s->system, &s->advance.current, &s->x);
    s->step.is_pending = s->step.needs_projection = false;
    return CARDAN_OK;
}

// The integrator starts at the time reached, with the inputs of the caller.
static cardan_status restart_with_inputs(cd_simulation* s)
{
    const cardan_status status = discard_rest(s);
    if (status) return status;
    cd_events_reset(&s->events, &s->x);
    s->advance.needs_start = true;
    return cd_monitors_start(s, CD_START_INPUT);
}

static cardan_status advance_simulation(cd_simulation* s, double t)
{
    cardan_status       status   = CARDAN_OK;
    const unsigned long revision = s->system.data->external.input_revision;
    if (revision != s->advance.input_revision) status = restart_with_inputs(s);
    s->advance.input_revision = revision;
    if (!status) status = cd_simulation_advance(s, fmin(t, s->run.end));
    if (t >= s->run.end)
        status = cd_driver_domain_final_status(&s->driver_domain, s->system.data, status,
                                               s->summary->stop_condition_met, s->report);
    return s->advance.status = status;
}

cardan_status cardan_simulation_advance(cardan_simulation* simulation, double t, cardan_report* report)
{
    CD_REQUIRE_POINTER(simulation, "simulation", report);
    cd_simulation* s       = &simulation->s;
    const double   reached = cd_time_reached(s);
    if (s->advance.status) return fail_failed(s, report);
    if (!(t >= reached - cd_min_step(&s->system, reached)))
        return fail_time(report, "the simulation cannot go back to t = %.9g s: it is at %.9g s", t, reached);
    if (!(t <= s->look_ahead.t_end_given) || isinf(t))
        return fail_time(report, "the simulation cannot advance to t = %.9g s: it ends at %.9g s", t, s->run.end);
    s->report              = report;
    s->checkpoint.nmessage = report ? report->count : 0;
    return advance_simulation(s, t);
}

cardan_status cardan_simulate(cardan_data* data, const cardan_run_settings* run, cardan_run_summary* summary,
                              cardan_report* report)
{
    cardan_simulation simulation = {0};
    if (summary) *summary = (cardan_run_summary){.status = CARDAN_BAD_USAGE};
    CD_REQUIRE_POINTER(data, "data", report);
    CD_REQUIRE_POINTER(run, "run", report);
    if (isinf(run->end)) return fail_time(report, "the run cannot end at t = %g s", run->end, 0);
    cardan_status status = open_simulation(&simulation, data, run, report);
    if (!status) status = advance_simulation(&simulation.s, run->end);
    status = close_simulation(&simulation, status, report);
    if (summary) *summary = simulation.summary;
    return status;
}

// ---- restart

cardan_status cardan_simulation_restart(cardan_simulation* simulation, double t, const double* q, const double* v,
                                        const double* state, cardan_report* report)
{
    CD_REQUIRE_POINTER(simulation, "simulation", report);
    cd_simulation* s = &simulation->s;
    if (!isfinite(t)) return fail_time(report, "the simulation cannot start at t = %g s", t, 0);
    if (t > s->look_ahead.t_end_given)
        return fail_time(report, "the simulation cannot start at t = %.9g s: it ends at %.9g s", t,
                         s->look_ahead.t_end_given);
    s->report            = report;
    s->run.start         = t;
    s->run.q             = q;
    s->run.v             = v;
    s->run.state         = state;
    *s->summary          = (cardan_run_summary){.t = t};
    cardan_status status = cd_look_ahead_restart(s, t);
    if (!status) {
        cd_simulation_reset(s);
        status = cd_simulation_start(s);
    }
    return s->advance.status = status;
}

// ---- checkpoint

cardan_status cardan_simulation_save(cardan_simulation* simulation, const char* path, cardan_report* report)
{
    CD_REQUIRE_POINTER(simulation, "simulation", report);
    CD_REQUIRE_POINTER(path, "path", report);
    cd_simulation* s = &simulation->s;
    s->report        = report;
    if (s->advance.status) return fail_failed(s, report);
    const cardan_status status = discard_rest(s);
    return status ? status : cd_checkpoint_file_write(s, path);
}

cardan_status cardan_simulation_load(cardan_simulation* simulation, const char* path, cardan_report* report)
{
    CD_REQUIRE_POINTER(simulation, "simulation", report);
    CD_REQUIRE_POINTER(path, "path", report);
    simulation->s.report = report;
    return cd_checkpoint_file_read(&simulation->s, path);
}

// ---- state

cardan_status cardan_simulation_sample(cardan_simulation* simulation, cardan_sample* sample, cardan_report* report)
{
    CD_REQUIRE_POINTER(simulation, "simulation", report);
    CD_REQUIRE_POINTER(sample, "sample", report);
    cd_simulation* s     = &simulation->s;
    s->report            = report;
    cardan_status status = find_current_state(s);
    if (!status) status = cd_accelerate_sample(s, &s->advance.current);
    if (status) return status;
    const cd_ode_state* x         = &s->advance.current;
    const bool          at_target = fabs(x->t - s->advance.target) <= cd_min_step(&s->system, x->t);
    *sample                       = cd_sample_at(s, x, at_target ? s->advance.target : x->t);
    return CARDAN_OK;
}

const cardan_run_summary* cardan_simulation_summary(const cardan_simulation* simulation)
{
    return simulation ? &simulation->summary : NULL;
}

double cd_simulation_relative_sigma(const cardan_simulation* simulation)
{
    return simulation->s.system.has_constraints ? sqrt(simulation->s.system.conditioning.sigma_min_sq_rel) : 1;
}
