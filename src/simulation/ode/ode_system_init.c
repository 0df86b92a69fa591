// SPDX-License-Identifier: BSD-3-Clause
// The ODE system of a run: dimensions, settings, right-hand sides and memory.
#include "dynamics/data.h"
#include "simulation/ode/ode_system.h"
#include "simulation/simulation_settings.h"

#include <math.h>

void cd_ode_system_init(cd_ode_system* system, cardan_data* data, const cardan_run_settings* run)
{
    const cardan_model*     model = cardan_data_model(data);
    const cardan_model_view view  = cardan_model_get_view(model);
    *system = (cd_ode_system){.data = data, .model = model, .nq = view.nq, .nv = view.nv, .ns = view.nstate};
    system->has_constraints     = data->rows.nrow > 0;
    system->nz                  = view.nv + view.nstate + 1;
    system->n                   = view.nv + system->nz;
    system->nquaternion         = cd_model_quaternions(model, &system->quaternion_v);
    system->description         = cardan_description_get_view(cardan_model_description(model));
    system->settings.tolerance  = run->tolerance;
    system->settings.max_step   = run->max_step;
    system->settings.t_end      = run->end;
    system->settings.span       = cd_run_span(run);
    system->settings.time_scale = fabs(isfinite(run->end) ? run->end : run->start + cd_run_span(run));
    system->progress.callback   = run->progress_callback;
    system->progress.user       = run->user;
    system->progress.t          = run->start;
    system->rhs_choice          = (cd_rhs_choice){.regular = cd_rhs_regular, .guarded = cd_rhs_guarded};
    cd_set_near_singular(system, data->settings.near_singular);
    // without constraints it stays this one
    system->conditioning = (cd_conditioning){
        .rank_deficiency_generic = -1, .sigma_min_sq_rel = 1, .row = CARDAN_NONE, .t = -INFINITY, .ngroup = 1};
    system->singular_limit = (cd_singular_limit){.applied_t = -INFINITY, .result_t = -INFINITY};
}

void cd_ode_system_layout(cd_ode_system* system, cd_arena* arena)
{
    CD_ARENA_ARRAY(arena, system->scale.q_floor, system->nq);
    CD_ARENA_ARRAY(arena, system->scale.q_relative, system->nq);
    CD_ARENA_ARRAY(arena, system->scale.z_floor, system->nz);
    CD_ARENA_ARRAY(arena, system->scale.z_relative, system->nz);
    CD_ARENA_ARRAY(arena, system->q_of_v, system->nv);
    CD_ARENA_ARRAY(arena, system->scale.z_vector_first, system->nz);
    CD_ARENA_ARRAY(arena, system->scale.z_vector_last, system->nz);
    CD_ARENA_ARRAY(arena, system->quaternion_q, system->nquaternion);
    CD_ARENA_ARRAY(arena, system->q_scratch, system->nq);
    CD_ARENA_ARRAY(arena, system->a, system->nv);
}
