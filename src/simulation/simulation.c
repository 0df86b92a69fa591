// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/simulation.h"

#include "dynamics/contacts/compliant_contacts.h"
#include "dynamics/data.h"
#include "dynamics/solver_history.h"

#include <stdlib.h>
#include <string.h>

static void layout(cd_simulation* s)
{
    cd_ode_system_layout(&s->system, &s->arena);
    cd_monitors_layout(s, &s->arena);
    cd_events_layout(&s->events, &s->arena);
    cd_ode_state_layout(&s->system, &s->arena, &s->x);
    cd_ode_state_layout(&s->system, &s->arena, &s->sample_x);
    cd_ode_state_layout(&s->system, &s->arena, &s->advance.valid);
    cd_ode_state_layout(&s->system, &s->arena, &s->advance.current);
    CD_ARENA_ARRAY(&s->arena, s->rate, s->system.nz);
    s->integrator->layout(&s->system, &s->arena, s->integrator_work);
    if (s->fallback.fallback_work) s->fallback.fallback->layout(&s->system, &s->arena, s->fallback.fallback_work);
    if (s->system.has_constraints && s->stabilization->layout)
        s->stabilization->layout(&s->system, &s->arena, s->stabilization_work);
}

static void set_projection(cd_ode_system* system, const cd_integrator* integrator,
                           const cd_stabilization* stabilization)
{
    if (!system->has_constraints) return;
    system->projection.velocity_each_evaluation =
        stabilization->projects_velocity_each_evaluation && !integrator->is_regularized;
    system->projection.at_step_start = integrator->evaluates_at_step_start && stabilization->can_project_at_step_start &&
                                       !system->data->contacts;
    system->projection.positions_unstabilized = !stabilization->correct || system->projection.velocity_each_evaluation;
}

// Settings of all parts; the memory is assigned later.
static void configure(cd_simulation* s, cardan_data* data, bool violation_tolerance_given)
{
    cd_ode_system* system = &s->system;
    cd_ode_system_init(system, data, &s->run);
    system->settings.fixed_step = s->run.step;
    system->regularization =
        (cd_regularization){.epsilon             = s->run.regularization,
                            .baumgarte_rate      = s->run.baumgarte_rate > 0 ? s->run.baumgarte_rate : 1,
                            .violation_tolerance = s->run.violation_tolerance,
                            .tolerance_given     = violation_tolerance_given,
                            .window              = s->run.window,
                            .max_iterations      = s->run.max_iterations};
    s->integrator    = cd_integrator_at(s->run.integrator);
    s->stabilization = cd_stabilization_at(s->run.stabilization);
    s->output        = (cd_output){.last_sample = cd_last_sample(&s->run)};
    s->advance       = (cd_advance){.needs_start = true, .input_revision = data->external.input_revision};
    s->events        = (cd_events){.system         = system,
                                   .integrator     = s->integrator,
                                   .work           = s->integrator_work,
                                   .stop_condition = s->run.stop_condition};
    set_projection(system, s->integrator, s->stabilization);
}

static bool allocate(cd_simulation* s)
{
    s->integrator_work    = cd_allocate(1, s->integrator->work_size);
    s->stabilization_work = cd_allocate(1, s->stabilization->work_size + 1);
    if (!s->integrator_work || !s->stabilization_work || !cd_fallback_integrator_prepare(s) || !cd_monitors_select(s))
        return false;
    s->events.work = s->integrator_work;
    layout(s);
    return cd_arena_reserve(&s->arena);
}

// Assign the memory, which is zeroed, and fill it.
static bool initialize(cd_simulation* s)
{
    layout(s);
    if (cd_monitors_start(s, CD_START_MEMORY)) return false;
    cd_ode_system_set_error_scales(&s->system);
    cd_events_collect(&s->events);
    return true;
}

cardan_status cd_simulation_prepare(cd_simulation* s, cardan_data* data, const cardan_run_settings* run)
{
    configure(s, data, run->violation_tolerance > 0);
    if (allocate(s) && initialize(s)) return CARDAN_OK;
    return cardan_fail(s->report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory for the run");
}

// The data become independent of the run.
static void release_data(cd_simulation* s)
{
    cardan_data* data = s->system.data;
    if (s->events.corners.corner) cd_corners_clear_segments(&s->system, &s->events.corners);
    if (!data) return;
    data->settings.baumgarte_rate = 0;
    data->settings.frozen_stops   = NULL;
    if (data->forces.compliant) cd_compliant_freeze(data, NULL);
    data->settings.near_singular = false;
    data->valid.forces           = false;
}

void cd_simulation_reset(cd_simulation* s)
{
    const bool violation_tolerance_given = s->system.regularization.tolerance_given;
    release_data(s);
    cd_fallback_integrator_reset(s);
    if (s->integrator->finish) s->integrator->finish(s->integrator_work);
    memset(s->integrator_work, 0, s->integrator->work_size);
    memset(s->stabilization_work, 0, s->stabilization->work_size);
    s->step        = (cd_step){0};
    s->singularity = (cd_singularity){0};
    s->energy      = (cd_energy_monitor){0};
    s->checkpoint  = (cd_checkpoint){0};
    cd_solver_history_reset(s->system.data);
    configure(s, s->system.data, violation_tolerance_given);
    cd_monitors_clear(s);
    cd_arena_clear(&s->arena);
    initialize(s); // does not fail: monitors keep their memory
}

cardan_status cd_simulation_close(cd_simulation* s, cardan_status status)
{
    cd_fallback_integrator_finish(s);
    if (s->integrator_work && s->integrator->finish) s->integrator->finish(s->integrator_work);
    free(s->integrator_work);
    free(s->stabilization_work);
    cd_driver_domain_release(&s->driver_domain);
    cd_discontinuity_times_release(&s->discontinuities);
    status = cd_monitors_finish(s, status);
    release_data(s);
    cd_arena_release(&s->arena);
    return status;
}
