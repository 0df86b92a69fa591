// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/simulation.h"

#include "dynamics/data.h"

#include <stdlib.h>

static void layout(cd_simulation* s)
{
    cd_ode_system_layout(&s->system, &s->arena);
    cd_monitors_layout(s, &s->arena);
    cd_events_layout(&s->events, &s->arena);
    cd_ode_state_layout(&s->system, &s->arena, &s->x);
    cd_ode_state_layout(&s->system, &s->arena, &s->sample_x);
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
    system->projection.at_step_start = integrator->evaluates_at_step_start && stabilization->can_project_at_step_start;
    system->projection.positions_unstabilized = !stabilization->correct || system->projection.velocity_each_evaluation;
}

static bool allocate(cd_simulation* s)
{
    s->integrator_work    = cd_allocate(1, s->integrator->work_size);
    s->stabilization_work = cd_allocate(1, s->stabilization->work_size + 1);
    if (!s->integrator_work || !s->stabilization_work || !cd_fallback_integrator_prepare(s) || !cd_monitors_select(s))
        return false;
    s->events.work = s->integrator_work;
    layout(s);
    if (!cd_arena_reserve(&s->arena)) return false;
    layout(s);
    return cd_monitors_start(s, CD_START_MEMORY) == CARDAN_OK;
}

cardan_status cd_simulation_prepare(cd_simulation* s, cardan_data* data, const cardan_run_settings* run)
{
    cd_ode_system* system = &s->system;
    cd_ode_system_init(system, data, &s->run);
    system->settings.fixed_step = s->run.step;
    system->regularization =
        (cd_regularization){.epsilon             = s->run.regularization,
                            .baumgarte_rate      = s->run.baumgarte_rate > 0 ? s->run.baumgarte_rate : 1,
                            .violation_tolerance = s->run.violation_tolerance,
                            .tolerance_given     = run->violation_tolerance > 0,
                            .window              = s->run.window,
                            .max_iterations      = s->run.max_iterations};
    s->integrator         = cd_integrator_at(s->run.integrator);
    s->stabilization      = cd_stabilization_at(s->run.stabilization);
    s->output.last_sample = cd_last_sample(&s->run);
    s->events = (cd_events){.system = system, .integrator = s->integrator, .stop_condition = s->run.stop_condition};
    set_projection(system, s->integrator, s->stabilization);
    if (!allocate(s))
        return cardan_fail(s->report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the run");
    cd_ode_system_set_error_scales(system);
    cd_events_collect(&s->events);
    return CARDAN_OK;
}

cardan_status cd_simulation_close(cd_simulation* s, cardan_status status)
{
    cardan_data* data = s->system.data;
    cd_fallback_integrator_finish(s);
    if (s->integrator_work && s->integrator->finish) s->integrator->finish(s->integrator_work);
    free(s->integrator_work);
    free(s->stabilization_work);
    cd_driver_domain_release(&s->driver_domain);
    cd_discontinuity_times_release(&s->discontinuities);
    if (s->events.corners.corner) cd_corners_clear_segments(&s->system, &s->events.corners);
    status = cd_monitors_finish(s, status);
    cd_arena_release(&s->arena);
    if (data) {
        data->settings.baumgarte_rate = 0;
        data->settings.frozen_stops   = NULL;
        data->settings.near_singular  = false;
        data->valid.forces            = false;
    }
    return status;
}
