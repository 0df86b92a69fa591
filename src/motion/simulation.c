// SPDX-License-Identifier: BSD-3-Clause
#include "motion/simulation.h"

#include "core/clock.h"
#include "model/model.h"

static void layout(simulation* s)
{
    cd_system_layout(&s->system, &s->arena);
    cd_firmness_layout(&s->system, &s->arena);
    cd_beside_layout(&s->system, &s->arena);
    cd_passage_layout(&s->system, &s->arena, &s->passage);
    cd_rest_layout(&s->system, &s->arena, &s->resting);
    cd_bearings_layout(&s->system, &s->arena, &s->bearings);
    cd_events_layout(&s->events, &s->arena);
    cd_point_layout(&s->system, &s->arena, &s->x);
    cd_point_layout(&s->system, &s->arena, &s->row_x);
    CD_TAKE(&s->arena, s->rate, s->system.nz);
    cd_turns_layout(s->system.data, &s->arena, &s->turns);
    cd_confirmed_layout(s, &s->arena);
    s->integrator->layout(&s->system, &s->arena, s->work);
    if (s->stand_in.work) s->stand_in.by->layout(&s->system, &s->arena, s->stand_in.work);
    if (s->system.loops && s->stabilization->layout) s->stabilization->layout(&s->system, &s->arena, s->steady);
}

bool cd_simulation_prepare(simulation* s, cardan_data* data)
{
    cd_system* system = &s->system;
    cd_system_open(system, data, &s->run);
    system->step         = s->run.step;
    system->regularizing = (cd_regularizing){.epsilon    = s->run.epsilon,
                                             .alpha      = s->run.pull > 0 ? s->run.pull : 1,
                                             .gap        = s->run.gap,
                                             .asked      = s->asked,
                                             .window     = s->run.window,
                                             .iterations = s->run.iterations};

    s->integrator    = cd_integrator_at(s->run.integrator);
    s->events        = (cd_events){.system = system, .integrator = s->integrator, .stop = s->run.stop};
    s->work          = cd_allocate(1, s->integrator->work_size);
    s->stabilization = cd_stabilization_at(s->run.stabilization);
    s->steady        = cd_allocate(1, s->stabilization->work_size + 1);
    if (!s->work || !s->steady || !cd_stand_in_prepare(s)) return false;
    for (int i = 0; i < data->m->nmeasured; ++i) s->sequences |= data->m->joint[data->m->measured[i]].nstep > 1;
    system->fills   = system->loops && s->stabilization->fills && !s->integrator->regularizes;
    system->passing = system->loops && s->integrator->closes && s->stabilization->passing;
    system->adrift  = system->loops && (!s->stabilization->correct || system->fills);
    s->events.work  = s->work;
    layout(s);
    if (!cd_arena_reserve(&s->arena)) return false;
    layout(s);
    cd_system_scale(system);
    cd_firmness_begin(system);
    cd_beside_begin(system);
    cd_events_collect(&s->events);
    return cd_chatter_open(&s->chatter, data->m);
}
