// SPDX-License-Identifier: BSD-3-Clause
// Play, reset and single steps.
#include "view/live/live_state.h"

#include "simulation/simulation_object.h"

#include <math.h>

static const double frame_interval = 1.0 / 60; // [s]
enum { STEPS_MAX = 600 };

void cd_live_play(cd_live* live)
{
    cd_live_end_animation(live);
    if (live->replay && !live->posed && live->history.count > 0) {
        if (live->model.t >= cd_history_end(&live->history, 0) - frame_interval / 2) cd_live_show(live, 0);
    } else {
        const cardan_status status = live->restart_needed ? cd_live_restart(live) : CARDAN_OK;
        if (status != CARDAN_OK) {
            cd_live_fail(live, status);
            return;
        }
        cd_live_apply_grabs(live);
        cd_live_apply_inputs(live, true);
    }
    if (live->problem_shown) cd_live_send_problem(live, NULL);
    live->playing = true;
    cd_live_set_clock(live);
}

void cd_live_reset(cd_live* live)
{
    cd_live_model* m = &live->model;
    cd_live_end_exact(live);
    cd_live_end_animation(live);
    if (live->replay) {
        live->playing = false;
        cd_live_show(live, 0);
        return;
    }
    cd_live_release_grabs(live);
    cd_live_release_inputs(live);
    live->marker = CARDAN_NONE;
    cardan_report_clear(&live->report);
    cd_history_clear(&live->history);
    cd_history_clear(&live->ghost);
    cd_live_cut_marks(live, -INFINITY);
    const cardan_status status = cardan_simulation_restart(m->simulation, 0, NULL, NULL, NULL, &live->report);
    live->restart_needed = live->posed = false;
    live->ended[0]                     = 0;
    if (status == CARDAN_OK) {
        cd_live_take_sample(live);
        cd_live_begin_energies(live);
        live->energy[2] = live->energy[3] = live->energy_error = 0;
    } else {
        cd_live_fail(live, status);
    }
    cd_live_set_clock(live);
    live->changed = true;
}

static cardan_status simulate_steps(cd_live* live, int count)
{
    cardan_status status = live->restart_needed ? cd_live_restart(live) : CARDAN_OK;
    for (int i = 0; i < count && i < STEPS_MAX && status == CARDAN_OK; ++i) {
        cardan_report_clear(&live->report);
        cd_live_apply_inputs(live, i == 0);
        status = cardan_simulation_advance(live->model.simulation, live->model.t + frame_interval, &live->report);
        if (cd_live_take_sample(live) != CARDAN_OK) break;
    }
    return status;
}

void cd_live_step(cd_live* live, int count)
{
    cd_live_end_animation(live);
    if (live->playing) cd_live_pause(live);
    const int  shown = cd_history_find(&live->history, live->model.t), last = live->history.count - 1;
    const bool is_past = live->restart_needed && !live->posed && (live->replay || shown + count <= last);
    if (count < 0 || is_past) {
        const int entry = shown + count;
        cd_live_show(live, entry < 0 ? 0 : entry > last ? last : entry);
        return;
    }
    const cardan_status status = simulate_steps(live, count);
    if (status != CARDAN_OK) {
        live->restart_needed = true;
        cd_live_fail(live, status);
    }
    live->changed = true;
}
