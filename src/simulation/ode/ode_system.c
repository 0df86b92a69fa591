// SPDX-License-Identifier: BSD-3-Clause
#include "core/clock.h"
#include "simulation/ode/ode_system.h"

#include "dynamics/data.h"
#include "dynamics/state.h"
#include "math/norm_inf.h"
#include <cardan/assemble.h>
#include "simulation/simulation_tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

void cd_ode_state_layout(const cd_ode_system* system, cd_arena* arena, cd_ode_state* state)
{
    CD_ARENA_ARRAY(arena, state->q, system->nq);
    CD_ARENA_ARRAY(arena, state->z, system->nz);
}

void cd_ode_state_copy(const cd_ode_system* system, const cd_ode_state* from, cd_ode_state* to)
{
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)system->nq * sizeof *to->q);
    memcpy(to->z, from->z, (size_t)system->nz * sizeof *to->z);
}

cardan_status cd_record_failure(cd_ode_system* system, double t, int index, double value)
{
    system->failure.t     = t;
    system->failure.index = index;
    system->failure.value = value;
    return CARDAN_NOT_FINITE;
}

bool cd_is_bounded(int n, const double* x)
{
    int unbounded = 0;
    for (int i = 0; i < n; ++i) unbounded |= !(fabs(x[i]) < cd_value_max);
    return !unbounded;
}

// Store the largest value as failure, or the first NaN.
cardan_status cd_ode_state_check_finite(cd_ode_system* system, double t, const double* q, const double* z)
{
    const int nq      = system->nq;
    int       worst   = CARDAN_NONE;
    double    largest = cd_value_max;
    if (cd_is_bounded(nq, q) && cd_is_bounded(system->nz - 1, z)) return CARDAN_OK;
    for (int i = 0; i < nq + system->nz - 1; ++i) {
        const double value = fabs(i < nq ? q[i] : z[i - nq]);
        if (value < largest) continue;
        worst   = i;
        largest = value;
        if (isnan(value)) break;
    }
    return cd_record_failure(system, t, worst, worst < nq ? q[worst] : z[worst - nq]);
}

bool cd_progress_poll(cd_ode_system* system)
{
    if (!system->progress.callback || system->progress.stopped) return !system->progress.stopped;
    if (++system->progress.evaluations == 1) return true;
    const double now = cd_clock_wall();
    if (system->progress.evaluations == 2) system->progress.clock = now;
    if (now - system->progress.clock < 0.1) return true;
    system->progress.evaluations = 0;
    system->progress.stopped     = !system->progress.callback(system->progress.user, system->progress.t);
    return !system->progress.stopped;
}

cardan_status cd_begin_evaluation(cd_ode_system* system, double t, const double* q, const double* z)
{
    ++system->statistics.evaluations;
    const cardan_status status = !cd_progress_poll(system) ? CARDAN_STOPPED
                                 : q                       ? cd_ode_state_check_finite(system, t, q, z)
                                                           : CARDAN_OK;
    if (!status) cd_record_failure(system, t, CARDAN_NONE, 0);
    return status;
}

cardan_status cd_ode_system_set_state(cd_ode_system* system, double t, const double* q, const double* z)
{
    const cardan_status status = cd_begin_evaluation(system, t, q, z);
    if (status) return status;
    const cardan_status state_status = cd_data_set_state_if_changed(system->data, t, q, z, cd_user_states(system, z));
    return state_status || !system->projection.velocity_each_evaluation || system->data->settings.near_singular
               ? state_status
               : cd_project_velocities_exactly(system->data);
}

void cd_set_baumgarte_rate(cd_ode_system* system, double rate)
{
    system->data->valid.gamma             = system->data->valid.gamma && system->data->settings.baumgarte_rate == rate;
    system->data->settings.baumgarte_rate = rate;
}

double cd_min_step(const cd_ode_system* system, double t)
{
    return 16 * DBL_EPSILON * fmax(fabs(t), system->settings.time_scale);
}

bool cd_constraints_inconsistent(const cd_ode_system* system, cardan_status status)
{
    return status == CARDAN_INCONSISTENT ||
           (status == CARDAN_NOT_CONVERGED && !cd_has_load_dependent_forces(system->data));
}

void cd_relax_velocities(const cd_ode_system* system, const double* z, double* rate)
{
    const double relaxation_rate = system->projection.velocity_relaxation_rate;
    if (!(relaxation_rate > 0)) return;
    for (int i = 0; i < system->nv; ++i) rate[i] += relaxation_rate * (system->data->v[i] - z[i]);
}
