// SPDX-License-Identifier: BSD-3-Clause
// Full turns of joints that are measured, counted along a run.
#include "motion/simulation.h"

#include "model/model.h"

#include <math.h>

// Angles of joints that are measured are known but for full turns, which are counted from the end of the last step: so
// no step turns one by as much as half of one, however smooth the motion is. Between free bodies that is twice the
// fastest of their turns at most.
double cd_turn_limit(const simulation* s)
{
    const cardan_model* m       = s->system.model;
    double              fastest = 0;
    if (m->nmeasured == 0) return INFINITY;
    if (m->policy == CARDAN_TREE_FLAT) return 0.75 * cd_rotation_bound(&s->system, s->x.z);
    for (int i = 0; i < m->nmeasured; ++i) {
        const cardan_slot place = m->place[m->measured[i]];
        for (int k = 0; place.q >= 0 && k < place.nv; ++k)
            if (cardan_model_v_unit(m, m->measured[i], k)[0] == 'r')
                fastest = fmax(fastest, fabs(s->system.data->v[place.v + k]));
    }
    return fastest > 0 ? 2 / fastest : INFINITY;
}

// Angles of hinges between free bodies change no faster than twice the fastest of these turns.
static bool may_have_turned(simulation* s, double h)
{
    const cardan_model* m = s->system.model;
    if (m->policy != CARDAN_TREE_FLAT) return true;
    s->turned += h * 4 / cd_rotation_bound(&s->system, s->x.z);
    if (s->turned < 1) return false;
    s->turned = 0;
    return true;
}

// Turns of joints that are measured are counted from the last state at which they were: not from row to row, which may
// be far apart. Joints of several steps may turn at any time, and are among those that forces feel.
cardan_status cd_count_turns(simulation* s, double h)
{
    if (s->system.model->nmeasured == 0) return CARDAN_OK;
    const bool all = may_have_turned(s, h);
    if (!all && !s->sequences) return CARDAN_OK;
    if (s->open || !s->stabilization->correct) { // a correction leaves the data at its result
        const cardan_status status = cd_simulation_set(s, &s->x);
        if (status) return cd_run_failed(s, status);
    }
    if (all)
        cd_know_measured(s->system.data);
    else
        cd_know_felt(s->system.data);
    return CARDAN_OK;
}

cardan_status cd_go_on_turning(simulation* s)
{
    if (s->system.model->nmeasured == 0 || s->open) return CARDAN_OK;
    const cardan_status status = cd_simulation_set(s, &s->x);
    if (status) return cd_run_failed(s, status);
    cd_know_measured(s->system.data);
    return CARDAN_OK;
}
