// SPDX-License-Identifier: BSD-3-Clause
// Points that the page holds. While the simulation plays, springs and dampers pull them to their targets; while it is
// paused, the mechanism moves so that the point of the last message reaches its target and the others stay.
#include "view/live/live_state.h"

#include "core/clock.h"

#include <cardan/interact.h>
#include <string.h>

static const double limit_interval = 0.1; // [s] between sentences about a target that is not reached

void cd_live_after_pose(cd_live* live, int body, cardan_status status, const cd_pose_result* result, double accuracy)
{
    const double now = cd_clock_wall();
    if ((status != CARDAN_OK || result->error > accuracy) && now - live->limit_wall > limit_interval) {
        live->limit_wall = now;
        cd_live_send_limit(live, body, result, status);
    }
    cardan_data_set_state(live->model.data, live->model.t, live->model.q, live->model.v, live->model.state);
    live->restart_needed = live->posed = true;
    live->sigma                        = 1; // not known
    live->changed                      = true;
}

static void pose(cd_live* live, int slot)
{
    cd_pose_target target[CD_VIEW_SLOTS];
    cd_pose_result result;
    int            count = 0;
    target[count++]      = live->grab[slot].at;
    for (int i = 0; i < CD_VIEW_SLOTS; ++i)
        if (i != slot && live->grab[i].active) target[count++] = live->grab[i].at;
    const cardan_status status = cd_pose_points(&live->model, count, target, &result, NULL);
    cd_live_after_pose(live, target[0].body, status, &result, 1e-3 * live->model.length);
}

// Pull by a spring. The stiffness chosen at the begin of a grab stays.
static cardan_status pull(cd_live* live, int slot, bool keep_stiffness)
{
    const cd_live_grab* g   = &live->grab[slot];
    cardan_grab         now = {.body = g->at.body, .slot = slot}, before;
    memcpy(now.point, g->at.point, sizeof now.point);
    memcpy(now.target, g->at.target, sizeof now.target);
    if (keep_stiffness && cardan_data_get_grab(live->model.data, slot, &before)) {
        now.stiffness = before.stiffness;
        now.damping   = before.damping;
        now.max_force = before.max_force;
    }
    return cardan_data_grab(live->model.data, &now, &live->report);
}

void cd_live_pull(cd_live* live, const cd_view_message* message)
{
    cd_live_grab* g    = &live->grab[message->slot];
    const bool    same = g->active && g->at.body == message->index;
    g->number          = message->number;
    g->active          = message->index != CARDAN_NONE;
    live->changed      = true;
    if (!g->active) {
        cardan_data_release_grab(live->model.data, message->slot, NULL);
        return;
    }
    g->at.body = message->index;
    for (int i = 0; i < 3; ++i) {
        g->at.point[i]  = message->point[i];
        g->at.target[i] = message->target[i] + live->model.centre[i];
    }
    if (!live->playing) {
        cd_live_end_animation(live);
        pose(live, message->slot);
        return;
    }
    if (live->replay) return;
    cardan_report_clear(&live->report);
    if (pull(live, message->slot, same) != CARDAN_OK) cd_live_send_problem(live, &live->report);
}

void cd_live_apply_grabs(cd_live* live)
{
    for (int i = 0; i < CD_VIEW_SLOTS; ++i)
        if (live->grab[i].active) pull(live, i, false);
}

void cd_live_release_grabs(cd_live* live)
{
    cardan_data_grab(live->model.data, NULL, NULL);
    for (int i = 0; i < CD_VIEW_SLOTS; ++i) live->grab[i].active = false;
}
