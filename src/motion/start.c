// SPDX-License-Identifier: BSD-3-Clause
// States of a run on the constraints: where it starts, and what the stabilization puts back.
#include "motion/simulation.h"

#include "dynamics/curve_branch.h"
#include "model/model.h"

#include <cardan/assemble.h>

#include <string.h>

cardan_status cd_put_back(simulation* s, cd_point* x, cardan_report* report)
{
    if (x == &s->x) s->open = false;
    if (!s->system.loops || !s->stabilization->correct) return CARDAN_OK;
    if (x != &s->x && cd_may_be_weak(s)) {
        cd_look_at(s, x);
        if (s->system.data->near && cd_beside_wanted(&s->system)) return CARDAN_OK; // rows that weak ruin velocities
    }
    return s->stabilization->correct(&s->system, s->steady, x, report);
}

cardan_status cd_steady(simulation* s, cd_point* x)
{
    const bool          near   = cd_law_near(&s->end, x->t);
    const cardan_status status = cd_put_back(s, x, near ? NULL : s->report);
    if (status && near) cd_law_ends(&s->end, s->system.data, x->t, status, s->report);
    return status;
}

static cardan_status close_start(simulation* s)
{
    cardan_status status = cd_simulation_set(s, &s->x);
    double        position, velocity;
    if (status) return status;
    cd_take_branches(s->system.data, NULL);
    cd_gaps(s->system.data, &position, &velocity);
    const bool closed = position <= 1e-8 && velocity <= 1e-8;
    if (closed && !s->run.q) cd_take_branches(s->system.data, s->report); // assembly tells the others
    if (!closed && s->run.q)
        status = cardan_project(s->system.data, NULL, s->x.q, s->x.z, NULL, s->report);
    else if (!closed)
        status = cardan_assemble(s->system.data, NULL, s->x.q, s->x.z, NULL, s->report);
    return status || !s->system.fills ? status : cd_steady(s, &s->x);
}

cardan_status cd_set_start(simulation* s)
{
    cd_system*              system = &s->system;
    const cardan_model_view view   = cardan_model_look(system->model);
    const int               nq = system->nq, nv = system->nv, ns = system->ns;
    const double*           state = s->run.state ? s->run.state : view.state_start;
    if (!s->run.q) cd_begin_turns(system->data);
    memcpy(s->x.q, s->run.q ? s->run.q : view.q_start, (size_t)nq * sizeof(double));
    memcpy(s->x.z, s->run.v ? s->run.v : view.v_start, (size_t)nv * sizeof(double));
    if (ns) memcpy(s->x.z + nv, state, (size_t)ns * sizeof(double));
    s->x.t              = cd_instant_behind(&s->instants, s->run.start);
    s->x.z[nv + ns]     = 0;
    cardan_status sound = cd_system_sound(system, s->x.t, s->x.q, s->x.z);
    if (sound) return cd_start_refused(system, s->report);
    cardan_model_normalize(system->model, s->x.q);
    return system->loops ? close_start(s) : CARDAN_OK;
}
