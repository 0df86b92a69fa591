// SPDX-License-Identifier: BSD-3-Clause
// The state that is shown: from the simulation, or from the history. Simulating on from a past state cuts the history there;
// what was behind it becomes the ghost.
#include "view/live/live_state.h"

#include "core/clock.h"
#include "simulation/simulation_object.h"

#include <cardan/interact.h>
#include <math.h>
#include <string.h>

static const double frame_interval = 1.0 / 60; // [s]

void cd_live_set_clock(cd_live* live)
{
    live->clock_wall = live->rate_wall = cd_clock_wall();
    live->clock_t = live->rate_t = live->model.t;
}

void cd_live_fail(cd_live* live, cardan_status status)
{
    if (live->report.count == 0)
        cardan_fail(&live->report, status, CARDAN_CODE_STATUS_ONLY, cardan_location_none(), "%s",
                    cardan_status_text(status));
    cd_live_send_problem(live, &live->report);
    cd_live_add_mark(live, live->model.t, "failure", live->report.message[live->report.count - 1].text);
    live->playing = false;
    live->changed = true;
}

// ---- history: q, v, user states, singular value

void cd_live_record(cd_live* live, double t, const double* q, const double* v, const double* state, double sigma)
{
    const cardan_model_view* m     = &live->model.model_view;
    double*                  entry = cd_history_add(&live->history, t);
    if (!entry) return;
    memcpy(entry, q, (size_t)m->nq * sizeof(double));
    memcpy(entry + m->nq, v, (size_t)m->nv * sizeof(double));
    if (m->nstate > 0) memcpy(entry + m->nq + m->nv, state, (size_t)m->nstate * sizeof(double));
    entry[m->nq + m->nv + m->nstate] = sigma;
}

void cd_live_show_state(cd_live* live, const double* entry)
{
    cd_live_model*           m = &live->model;
    const cardan_model_view* v = &m->model_view;
    m->t                       = entry[0];
    memcpy(m->q, entry + 1, (size_t)v->nq * sizeof(double));
    memcpy(m->v, entry + 1 + v->nq, (size_t)v->nv * sizeof(double));
    memcpy(m->state, entry + 1 + v->nq + v->nv, (size_t)v->nstate * sizeof(double));
    live->sigma = entry[1 + v->nq + v->nv + v->nstate];
    cardan_data_set_state(m->data, m->t, m->q, m->v, m->state);
    live->restart_needed = true;
    live->posed          = false;
    live->changed        = true;
}

void cd_live_show(cd_live* live, int i)
{
    if (i >= 0 && i < live->history.count) cd_live_show_state(live, cd_history_at(&live->history, i));
}

// ---- the simulation

cardan_status cd_live_take_sample(cd_live* live)
{
    cd_live_model*           m = &live->model;
    const cardan_model_view* v = &m->model_view;
    cardan_sample            sample;
    const cardan_status      status = cardan_simulation_sample(m->simulation, &sample, NULL);
    if (status != CARDAN_OK) return status;
    m->t = sample.t;
    memcpy(m->q, sample.q, (size_t)v->nq * sizeof(double));
    memcpy(m->v, sample.v, (size_t)v->nv * sizeof(double));
    if (v->nstate > 0) memcpy(m->state, sample.state, (size_t)v->nstate * sizeof(double));
    const double total = sample.energy.kinetic + sample.energy.potential;
    live->sigma        = cd_simulation_relative_sigma(m->simulation);
    live->kinetic_max  = fmax(live->kinetic_max, sample.energy.kinetic);
    live->energy[2]    = sample.work;
    live->energy[3]    = total - live->energy_start - sample.work;
    live->energy_error = live->kinetic_max > 0 ? fabs(live->energy[3]) / live->kinetic_max : 0;
    cd_live_record(live, m->t, m->q, m->v, m->state, live->sigma);
    return CARDAN_OK;
}

void cd_live_begin_energies(cd_live* live)
{
    const cardan_energies e = cardan_data_energy(live->model.data);
    live->energy_start      = e.kinetic + e.potential;
    live->kinetic_max       = 0;
}

// Make what is behind time t the ghost, and cut it.
static void branch(cd_live* live, double t)
{
    if (cd_history_end(&live->history, t) > t + frame_interval) {
        const cd_history future = live->history;
        live->history           = live->ghost;
        live->ghost             = future;
        cd_history_copy_before(&live->ghost, t, &live->history);
    } else {
        cd_history_cut(&live->history, t);
    }
    cd_live_cut_marks(live, t);
}

cardan_status cd_live_restart(cd_live* live)
{
    cd_live_model* m = &live->model;
    cardan_report_clear(&live->report);
    branch(live, m->t);
    const cardan_status status = cardan_simulation_restart(m->simulation, m->t, m->q, m->v, m->state, &live->report);
    if (status != CARDAN_OK) return status;
    live->restart_needed = live->posed = live->replay = false;
    live->ended[0]                                    = 0;
    cd_live_begin_energies(live);
    cd_live_set_clock(live);
    return cd_live_take_sample(live);
}

void cd_live_pause(cd_live* live)
{
    live->playing = false;
    live->changed = true;
    cardan_data_grab(live->model.data, NULL, NULL);
}
