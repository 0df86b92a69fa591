// SPDX-License-Identifier: BSD-3-Clause
// Note that the motion is stiff, in the step in which an explicit integrator finds it (statistics.stiff): a caller that
// reads the report in its progress callback can advise another integrator while the run goes on.
#include "simulation/simulation.h"
#include "simulation/simulation_errors.h"

typedef struct stiffness_monitor {
    bool is_noted;
} stiffness_monitor;

// Not with rigid contacts: the methods for stiff motions do not support them.
static bool applies(const cd_simulation* s)
{
    return !s->is_prescribed && s->integrator->is_adaptive && !s->system.data->contacts;
}

static void note_once(const cd_simulation* s, stiffness_monitor* m)
{
    if (m->is_noted || !s->system.statistics.stiff) return;
    m->is_noted = true;
    cd_note_stiffness(&s->system, s->report);
}

static cd_verdict check_step(cd_simulation* s, void* work)
{
    note_once(s, work);
    return CD_VERDICT_CONTINUE;
}

static cardan_status finish(cd_simulation* s, void* work, cardan_status status)
{
    note_once(s, work); // found in a last step that failed
    return status;
}

const cd_monitor cd_monitor_stiffness = {
    .applies   = applies,
    .work_size = sizeof(stiffness_monitor),
    .check     = {[CD_PHASE_STABILIZED] = check_step},
    .finish    = finish,
};
