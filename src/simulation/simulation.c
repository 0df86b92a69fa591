// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/simulation.h"

#include "core/clock.h"
#include "model/model.h"

static void layout(cd_simulation* s)
{
    cd_ode_system_layout(&s->system, &s->arena);
    cd_conditioning_layout(&s->system, &s->arena);
    cd_singular_limit_layout(&s->system, &s->arena);
    cd_singular_events_layout(&s->system, &s->arena, &s->singular_events);
    cd_singular_standstill_layout(&s->system, &s->arena, &s->standstill);
    cd_direction_monitor_layout(&s->system, &s->arena, &s->directions);
    cd_events_layout(&s->events, &s->arena);
    cd_ode_state_layout(&s->system, &s->arena, &s->x);
    cd_ode_state_layout(&s->system, &s->arena, &s->sample_x);
    CD_ARENA_ARRAY(&s->arena, s->rate, s->system.nz);
    cd_winding_numbers_layout(s->system.data, &s->arena, &s->winding);
    cd_checkpoint_layout(s, &s->arena);
    s->integrator->layout(&s->system, &s->arena, s->integrator_work);
    if (s->fallback.fallback_work) s->fallback.fallback->layout(&s->system, &s->arena, s->fallback.fallback_work);
    if (s->system.has_constraints && s->stabilization->layout)
        s->stabilization->layout(&s->system, &s->arena, s->stabilization_work);
}

bool cd_simulation_prepare(cd_simulation* s, cardan_data* data)
{
    cd_ode_system* system = &s->system;
    cd_ode_system_init(system, data, &s->run);
    system->fixed_step = s->run.step;
    system->regularization =
        (cd_regularization){.epsilon             = s->run.regularization,
                            .baumgarte_rate      = s->run.baumgarte_rate > 0 ? s->run.baumgarte_rate : 1,
                            .violation_tolerance = s->run.violation_tolerance,
                            .tolerance_given     = s->violation_tolerance_given,
                            .window              = s->run.window,
                            .max_iterations      = s->run.max_iterations};

    s->integrator = cd_integrator_at(s->run.integrator);
    s->events     = (cd_events){.system = system, .integrator = s->integrator, .stop_condition = s->run.stop_condition};
    s->integrator_work    = cd_allocate(1, s->integrator->work_size);
    s->stabilization      = cd_stabilization_at(s->run.stabilization);
    s->stabilization_work = cd_allocate(1, s->stabilization->work_size + 1);
    if (!s->integrator_work || !s->stabilization_work || !cd_fallback_integrator_prepare(s)) return false;
    for (int i = 0; i < data->m->noff_tree; ++i)
        s->has_multi_axis_joints |= data->m->joint[data->m->off_tree[i]].nelementary > 1;
    system->project_velocity_each_evaluation = system->has_constraints &&
                                               s->stabilization->projects_velocity_each_evaluation &&
                                               !s->integrator->is_regularized;
    system->project_at_step_start = system->has_constraints && s->integrator->evaluates_at_step_start &&
                                    s->stabilization->can_project_at_step_start;
    system->positions_unstabilized =
        system->has_constraints && (!s->stabilization->correct || system->project_velocity_each_evaluation);
    s->events.work = s->integrator_work;
    layout(s);
    if (!cd_arena_reserve(&s->arena)) return false;
    layout(s);
    cd_ode_system_set_error_scales(system);
    cd_conditioning_reset(system);
    cd_singular_limit_reset(system);
    cd_events_collect(&s->events);
    return cd_chattering_monitor_open(&s->chattering, data->m);
}
