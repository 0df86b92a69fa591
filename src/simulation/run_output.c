// SPDX-License-Identifier: BSD-3-Clause
// Output of a run: samples at their exact times, and events, in order of time.
#include "dynamics/rows/constraint_update.h"
#include "explain/explain.h"
#include "simulation/contact/contact_run.h"
#include "simulation/simulation.h"

#include <cardan/assemble.h>

#include <math.h>

// Record the violation at a sample. Fails above a tenth of min(1 m, length_scale), whatever tolerance was set.
static cardan_status record_violation(cd_simulation* s)
{
    double position, velocity;
    if (!s->system.has_constraints) return CARDAN_OK;
    cardan_data_constraint_violation(s->system.data, &position, &velocity);
    if (s->integrator->is_regularized) cd_max_violation_update(s->system.data, position, &s->output.max_violation);
    s->summary->max_position_violation = fmax(s->summary->max_position_violation, position);
    s->summary->max_velocity_violation = fmax(s->summary->max_velocity_violation, velocity);
    if (s->system.data->violations.position <=
        0.1 * fmin(1, s->system.data->units.length_scale) / s->system.data->units.length_unit)
        return CARDAN_OK;
    if (cd_driver_domain_report_failure(&s->driver_domain, s->system.data, s->x.t, CARDAN_NOT_CONVERGED, s->report))
        return CARDAN_NOT_CONVERGED;
    return cd_fail_constraint_violation(s->system.data, false, CARDAN_NOT_CONVERGED, s->report);
}

// Check that drivers are feasible: a method that tolerates violations does not detect it by itself.
static cardan_status check_driver_feasibility(cd_simulation* s, const cd_ode_state* x)
{
    double violation;
    if (!s->integrator->is_regularized || !s->system.has_constraints) return CARDAN_OK;
    cd_scaled_violations(s->system.data, &violation, NULL);
    const cardan_status status = cd_check_driver_feasibility(
        &s->system, violation, cd_sample_time(&s->run, s->output.next_sample > 0 ? s->output.next_sample - 1 : 0),
        s->report);
    return status ? status : cd_simulation_set_state(s, x);
}

cardan_sample cd_sample_at(const cd_simulation* s, const cd_ode_state* x, double t)
{
    const cd_ode_system* system = &s->system;
    return (cardan_sample){.t      = t,
                           .q      = x->q,
                           .v      = x->z,
                           .a      = system->a,
                           .state  = x->z + system->nv,
                           .energy = cardan_data_energy(system->data),
                           .work   = x->z[system->nz - 1]};
}

cardan_status cd_output_sample(cd_simulation* s, cd_ode_state* x, double t)
{
    cd_ode_system* system       = &s->system;
    system->failure.t           = x->t;
    system->failure.index       = CARDAN_NONE;
    const bool allows_violation = s->integrator->is_regularized && s->system.has_constraints;
    if (allows_violation) {
        cardan_status violation_status = cd_simulation_set_state(s, x);
        if (!violation_status) violation_status = check_driver_feasibility(s, x);
        if (!violation_status) violation_status = record_violation(s);
        if (violation_status) return violation_status;
    }
    cardan_status status = cd_accelerate_sample(s, x);
    if (status && s->integrator->accelerate) status = s->integrator->accelerate(system, s->integrator_work, system->a);
    if (status) return cd_fail_run(s, status);
    if (!allows_violation && (status = record_violation(s))) return status;

    const cardan_sample sample = cd_sample_at(s, x, t);
    s->step.data_moved         = true;
    if ((status = cd_monitors_at_output(s, &sample))) return status;
    ++s->summary->samples;
    s->summary->t = t;
    if (s->run.sample_callback && !s->run.sample_callback(s->run.user, system->data, &sample)) return CARDAN_STOPPED;
    return CARDAN_OK;
}

cardan_status cd_output_samples(cd_simulation* s, double t)
{
    for (; s->output.next_sample <= s->output.last_sample; ++s->output.next_sample) {
        const double t_sample = cd_sample_time(&s->run, s->output.next_sample);
        if (t_sample > t || t_sample > s->advance.target) break;
        cardan_status status      = CARDAN_OK;
        const bool    at_step_end = t_sample >= cd_discontinuity_time_before(&s->discontinuities, s->x.t);
        if (at_step_end) {
            status = s->step.needs_projection ? cd_stabilize_reported(s, &s->x) : CARDAN_OK;
            if (status) return status;
            cd_ode_state_copy(&s->system, &s->x, &s->sample_x);
        } else
            status = s->integrator->dense_output(&s->system, s->integrator_work, t_sample, &s->sample_x);
        if (status) return cd_fail_run(s, status);
        if (!at_step_end) status = cd_stabilize_reported(s, &s->sample_x);
        if (!status) status = cd_output_sample(s, &s->sample_x, t_sample);
        if (status) return status;
        cd_checkpoint_save(s, &s->sample_x, s->output.next_sample + 1);
    }
    return CARDAN_OK;
}

static cardan_status report_event(cd_simulation* s, const cardan_event* event)
{
    ++s->summary->events;
    if (!s->run.event_callback) return CARDAN_OK;
    const cardan_status status = cd_simulation_set_state(s, &s->events.x);
    if (status) return cd_fail_run(s, status);
    s->run.event_callback(s->run.user, s->system.data, event);
    return CARDAN_OK;
}

cardan_status cd_report_event(cd_simulation* s, const cd_event_function* function)
{
    const cardan_event event = {.kind = function->kind == CD_EVENT_FUNCTION_STOP_CONDITION ? CARDAN_EVENT_STOP_CONDITION
                                                                                           : CARDAN_EVENT_JOINT_LIMIT,
                                .t    = s->events.x.t,
                                .joint       = function->joint,
                                .axis        = function->axis,
                                .is_upper    = function->is_upper,
                                .is_entering = function->is_positive};
    return report_event(s, &event);
}

// Cross the corners at the event, reporting the first one found first; if the run ends there, its end time is that of
// the event.
static cardan_status cross_corners(cd_simulation* s, const cd_event_function* function)
{
    const cd_corner_state *corner = s->events.corners.corner, *first = &corner[function->element];
    cardan_status          status = cd_events_cross_corners(&s->events, function, s->report);
    if (status) s->summary->t = s->events.x.t;
    for (int i = -1; i < s->events.corners.count && !status; ++i) {
        const cd_corner_state* w = i < 0 ? first : &corner[i];
        if ((i >= 0 && w == first) || !w->crossing_direction) continue;
        const cardan_event event = cd_corner_event(s->system.data, w);
        status                   = report_event(s, &event);
    }
    return status;
}

// Find the next event of the step; of a pending step it is found already.
static cardan_status next_event(cd_simulation* s, cd_event_function** found)
{
    if (s->step.is_pending) {
        s->step.is_pending = false;
        *found             = s->output.found;
        return CARDAN_OK;
    }
    const cardan_status status = cd_events_find_next(&s->events, s->output.searched, &s->x, found);
    return status ? cd_fail_run(s, status) : CARDAN_OK;
}

// The step continues behind the time to advance to: keep the event that was found there for the next call. Dense output
// of fixed-step methods evaluates forces, which the caller may change after this call.
static cardan_status suspend_step(cd_simulation* s, cd_event_function* found)
{
    const double t       = s->advance.target;
    s->step.is_pending   = true;
    s->output.reached    = t;
    s->output.found      = found;
    cardan_status status = cd_output_samples(s, t);
    if (status || s->integrator->is_adaptive) return status;
    status = s->integrator->dense_output(&s->system, s->integrator_work, t, &s->advance.current);
    return status ? cd_fail_run(s, status) : CARDAN_OK;
}

cardan_status cd_output_events_and_samples(cd_simulation* s)
{
    if (!s->step.is_pending) s->output.searched = s->step.from;
    for (;;) {
        cd_event_function* found  = NULL;
        cardan_status      status = next_event(s, &found);
        if (status) return status;
        const double t_next = found ? s->events.x.t : s->x.t;
        if (t_next - s->advance.target > cd_min_step(&s->system, t_next)) return suspend_step(s, found);
        if (!found) return cd_output_samples(s, s->x.t);

        const bool stop    = found->kind == CD_EVENT_FUNCTION_STOP_CONDITION;
        s->output.searched = s->events.x.t;
        status             = cd_output_samples(s, stop ? nextafter(s->output.searched, -INFINITY) : s->output.searched);
        if (!status) status = cd_monitors_at_event(s, &s->events.x);
        cd_events_freeze_stops(&s->events);
        if (!status) status = cd_stabilize_reported(s, &s->events.x);
        if (!status && found->kind == CD_EVENT_FUNCTION_CORNER)
            status = cross_corners(s, found);
        else if (!status && found->kind == CD_EVENT_FUNCTION_CONTACT)
            status = cd_contact_cross_event(s->events.contacts, found->element, &s->events.x);
        else if (!status && found->kind != CD_EVENT_FUNCTION_STOP_ACTIVE && found->kind != CD_EVENT_FUNCTION_GAP)
            status = cd_report_event(s, found);
        if (status) return status;
        if (stop) {
            s->summary->stop_condition_met = true;
            return cd_output_sample(s, &s->events.x, s->events.x.t);
        }
        cd_checkpoint_save(s, &s->events.x, s->output.next_sample);
        if (!found->needs_restart) continue;
        cd_ode_state_copy(&s->system, &s->events.x, &s->x);
        s->step.needs_projection = false;
        return cd_start_integrator(s);
    }
}
