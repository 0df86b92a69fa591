// SPDX-License-Identifier: BSD-3-Clause
// Messages of the page, executed by the thread of the simulation.
#include "view/live/live_state.h"

#include <string.h>

static void select_columns(cd_live* live, const cd_view_message* message)
{
    live->ncolumn = 0;
    for (int i = 0; i < message->ncolumn; ++i) {
        const int column = cd_value_column_find(&live->model, message->column[i]);
        if (column != CARDAN_NONE) live->column[live->ncolumn++] = column;
    }
    cd_live_send_columns(live);
    live->changed = true;
}

static void set_method(cd_live* live, const cd_view_message* message)
{
    const cd_live_options before = live->settings.options;
    char                  integrator[CD_VIEW_NAME_SIZE], formulation[CD_VIEW_NAME_SIZE];
    memcpy(integrator, live->integrator, sizeof integrator);
    memcpy(formulation, live->formulation, sizeof formulation);
    if (message->name[0]) memcpy(live->integrator, message->name, sizeof live->integrator);
    if (message->formulation[0]) memcpy(live->formulation, message->formulation, sizeof live->formulation);
    if (live->integrator[0]) live->settings.options.integrator = live->integrator;
    if (live->formulation[0]) live->settings.options.formulation = live->formulation;
    if (message->has_value) live->settings.options.step = message->value[0];
    if (cd_live_reload(live, true) == CARDAN_OK) return;
    cd_live_send_problem(live, &live->report);
    live->settings.options = before;
    memcpy(live->integrator, integrator, sizeof integrator);
    memcpy(live->formulation, formulation, sizeof formulation);
}

static void set_speed(cd_live* live, double speed)
{
    live->speed = speed;
    cd_live_set_clock(live);
}

static void seek(cd_live* live, double t)
{
    cd_live_end_animation(live);
    if (live->playing) cd_live_pause(live);
    cd_live_show(live, cd_history_find(&live->history, t));
}

static void set_replay(cd_live* live, bool on)
{
    if (live->playing && on != live->replay) cd_live_pause(live);
    if (on != live->replay) live->restart_needed = true;
    live->replay = on && live->history.count > 0;
}

static void set_flags(cd_live* live, int flags)
{
    live->flags   = flags;
    live->changed = true;
}

static void execute_time(cd_live* live, const cd_view_message* m)
{
    switch (m->kind) {
    case CD_VIEW_PLAY:
        cd_live_play(live);
        break;
    case CD_VIEW_PAUSE:
        cd_live_pause(live);
        break;
    case CD_VIEW_RESET:
        cd_live_reset(live);
        break;
    case CD_VIEW_STEP:
        cd_live_step(live, m->count);
        break;
    case CD_VIEW_SPEED:
        set_speed(live, m->value[0]);
        break;
    case CD_VIEW_SEEK:
        seek(live, m->value[0]);
        break;
    case CD_VIEW_REPLAY:
        set_replay(live, m->has_value);
        break;
    case CD_VIEW_EXACT:
        cd_live_begin_exact(live, m->value[0]);
        break;
    default:
        break;
    }
}

static void execute_edit(cd_live* live, const cd_view_message* m)
{
    switch (m->kind) {
    case CD_VIEW_SET:
        cd_live_set_parameter(live, m->name, m->value[0]);
        break;
    case CD_VIEW_POINT:
        cd_live_set_point(live, m->name, m->point);
        break;
    case CD_VIEW_REPAIR:
        cd_live_repair(live, m->index);
        break;
    case CD_VIEW_REVERT:
        cd_live_revert(live);
        break;
    case CD_VIEW_METHOD:
        set_method(live, m);
        break;
    case CD_VIEW_DIAGNOSE:
        cd_live_diagnose(live);
        break;
    case CD_VIEW_MOTION:
    case CD_VIEW_MODE:
        cd_live_animate(live, m->kind == CD_VIEW_MODE, m->index);
        break;
    default:
        break;
    }
}

void cd_live_execute(cd_live* live, const cd_view_message* m)
{
    switch (m->kind) {
    case CD_VIEW_GRAB:
        cd_live_pull(live, m);
        break;
    case CD_VIEW_DRIVE:
        cd_live_drive(live, m);
        break;
    case CD_VIEW_EFFORT:
        cd_live_set_effort(live, m);
        break;
    case CD_VIEW_MOVE:
        cd_live_move_marker(live, m);
        break;
    case CD_VIEW_COLUMNS:
        select_columns(live, m);
        break;
    case CD_VIEW_HISTORY:
        cd_live_send_history(live, m);
        break;
    case CD_VIEW_FLAGS:
        set_flags(live, m->count);
        break;
    default:
        execute_time(live, m);
        execute_edit(live, m);
    }
}
