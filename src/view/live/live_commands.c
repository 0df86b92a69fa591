// SPDX-License-Identifier: BSD-3-Clause
// Messages of the page, executed by the thread of the simulation.
#include "view/live/live_state.h"

#include "core/clock.h"
#include "draw/scene.h"
#include "view/live/pose.h"

#include <cardan/assemble.h>
#include <cardan/interact.h>
#include <math.h>
#include <stdio.h>
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
    live->playing = false;
    live->changed = true;
}

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
    live->kinetic_max  = fmax(live->kinetic_max, sample.energy.kinetic);
    live->energy[2]    = sample.work;
    live->energy[3]    = total - live->energy_start - sample.work;
    live->energy_error = live->kinetic_max > 0 ? fabs(live->energy[3]) / live->kinetic_max : 0;
    double* entry      = cd_history_add(&live->history, m->t);
    if (entry) {
        memcpy(entry, m->q, (size_t)v->nq * sizeof(double));
        memcpy(entry + v->nq, m->v, (size_t)v->nv * sizeof(double));
        memcpy(entry + v->nq + v->nv, m->state, (size_t)v->nstate * sizeof(double));
    }
    return CARDAN_OK;
}

static void begin_energies(cd_live* live)
{
    const cardan_energies e = cardan_data_energy(live->model.data);
    live->energy_start      = e.kinetic + e.potential;
    live->kinetic_max       = 0;
}

cardan_status cd_live_restart(cd_live* live)
{
    cd_live_model* m = &live->model;
    cardan_report_clear(&live->report);
    cd_history_cut(&live->history, m->t);
    const cardan_status status = cardan_simulation_restart(m->simulation, m->t, m->q, m->v, m->state, &live->report);
    if (status != CARDAN_OK) return status;
    live->restart_needed = false;
    live->ended[0]       = 0;
    begin_energies(live);
    cd_live_set_clock(live);
    return cd_live_take_sample(live);
}

static void play(cd_live* live)
{
    const cardan_status status = live->restart_needed ? cd_live_restart(live) : CARDAN_OK;
    if (status != CARDAN_OK) {
        cd_live_fail(live, status);
        return;
    }
    if (live->problem_shown) cd_live_send_problem(live, NULL);
    live->playing = true;
    cd_live_set_clock(live);
}

static void reset(cd_live* live)
{
    cd_live_model* m = &live->model;
    cardan_data_grab(m->data, NULL, NULL);
    live->grab.active = false;
    live->marker      = CARDAN_NONE;
    cardan_report_clear(&live->report);
    cd_history_clear(&live->history);
    const cardan_status status = cardan_simulation_restart(m->simulation, 0, NULL, NULL, NULL, &live->report);
    live->restart_needed       = false;
    live->ended[0]             = 0;
    if (status == CARDAN_OK) {
        cd_live_take_sample(live);
        begin_energies(live);
        cd_live_take_sample(live);
    } else {
        cd_live_fail(live, status);
    }
    cd_live_set_clock(live);
    live->changed = true;
}

// Show entry i of the history.
static void show(cd_live* live, int i)
{
    cd_live_model*           m = &live->model;
    const cardan_model_view* v = &m->model_view;
    if (i < 0 || i >= live->history.count) return;
    const double* entry = cd_history_at(&live->history, i);
    m->t                = entry[0];
    memcpy(m->q, entry + 1, (size_t)v->nq * sizeof(double));
    memcpy(m->v, entry + 1 + v->nq, (size_t)v->nv * sizeof(double));
    memcpy(m->state, entry + 1 + v->nq + v->nv, (size_t)v->nstate * sizeof(double));
    cardan_data_set_state(m->data, m->t, m->q, m->v, m->state);
    live->playing        = false;
    live->restart_needed = true;
    live->changed        = true;
}

static void step(cd_live* live, int count)
{
    const int shown = cd_history_find(&live->history, live->model.t);
    live->playing   = false;
    if (count < 0 || (live->restart_needed && shown + count < live->history.count)) {
        show(live, shown + count < 0 ? 0 : shown + count);
        return;
    }
    cardan_status status = live->restart_needed ? cd_live_restart(live) : CARDAN_OK;
    for (int i = 0; i < count && i < 600 && status == CARDAN_OK; ++i) {
        cardan_report_clear(&live->report);
        status = cardan_simulation_advance(live->model.simulation, live->model.t + frame_interval, &live->report);
        if (cd_live_take_sample(live) != CARDAN_OK) break;
    }
    if (status != CARDAN_OK) {
        live->restart_needed = true;
        cd_live_fail(live, status);
    }
    live->changed = true;
}

// Result of inverse kinematics: the state that is shown, from which the simulation starts again.
static void after_pose(cd_live* live, cardan_status status, const cd_pose_result* result, double accuracy)
{
    if (status == CARDAN_OK && result->error > accuracy) cd_live_send_limit(live, result->limit_joint, result->error);
    cardan_data_set_state(live->model.data, live->model.t, live->model.q, live->model.v, live->model.state);
    live->restart_needed = true;
    live->changed        = true;
}

static void pose_point(cd_live* live, int body, const double point[3], const double target[3])
{
    cd_pose_result      result;
    const cardan_status status = cd_pose_point(&live->model, body, point, target, &result, NULL);
    after_pose(live, status, &result, 1e-3 * live->model.length);
}

static void grab(cd_live* live, const cd_view_message* message)
{
    cd_live_model* m    = &live->model;
    cd_live_grab*  g    = &live->grab;
    const bool     same = g->active && g->body == message->index;
    g->number           = message->number;
    g->active           = message->index != CARDAN_NONE;
    g->body             = message->index;
    live->changed       = true;
    if (!g->active) {
        cardan_data_grab(m->data, NULL, NULL);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        g->point[i]  = message->point[i];
        g->target[i] = message->target[i] + m->centre[i];
    }
    if (!live->playing) {
        pose_point(live, g->body, g->point, g->target);
        return;
    }
    cardan_grab now = {.body = g->body}, before;
    memcpy(now.point, g->point, sizeof now.point);
    memcpy(now.target, g->target, sizeof now.target);
    if (same && cardan_data_get_grab(m->data, 0, &before)) {
        now.stiffness = before.stiffness;
        now.damping   = before.damping;
        now.max_force = before.max_force;
    }
    cardan_report_clear(&live->report);
    const cardan_status status = cardan_data_grab(m->data, &now, &live->report);
    if (status != CARDAN_OK) cd_live_send_problem(live, &live->report);
}

static void drive(cd_live* live, const cd_view_message* message)
{
    cd_live_model* m = &live->model;
    cardan_status  status;
    cardan_report_clear(&live->report);
    if (!message->has_value) {
        status = cardan_data_release_joint(m->data, message->index, message->axis, &live->report);
    } else if (live->playing) {
        status = cardan_data_drive_joint(m->data, message->index, message->axis, message->value[0], &live->report);
    } else if (m->model_view.joint_range[message->index].nv == 1) {
        cd_pose_result result;
        status = cd_pose_coordinate(m, message->index, message->value[0], &result, &live->report);
        after_pose(live, status, &result, 1e-6);
    } else {
        status = cardan_fail(&live->report, CARDAN_UNSUPPORTED, CARDAN_CODE_STATUS_ONLY, cardan_location_none(),
                             "joint %s has more than one coordinate; only single coordinates are moved while paused",
                             cardan_model_joint_name(m->model, message->index));
    }
    if (status != CARDAN_OK) cd_live_send_problem(live, &live->report);
}

static void effort(cd_live* live, const cd_view_message* message)
{
    cd_live_model*           m = &live->model;
    const cardan_index_range r = m->model_view.tree_range[message->index];
    cardan_report_clear(&live->report);
    if (r.v < 0 || message->axis >= r.nv) {
        cardan_fail(&live->report, CARDAN_UNSUPPORTED, CARDAN_CODE_STATUS_ONLY, cardan_location_none(),
                    "joint %s is not in the spanning tree; efforts along it are not possible",
                    cardan_model_joint_name(m->model, message->index));
        cd_live_send_problem(live, &live->report);
        return;
    }
    m->effort[r.v + message->axis] = message->has_value ? message->value[0] : 0;
    cardan_data_set_external_forces(m->data, m->effort, NULL);
}

static void move_marker(cd_live* live, const cd_view_message* message)
{
    const double  speed = fabs(message->target[0]) + fabs(message->target[1]) + fabs(message->target[2]);
    cardan_motion motion;
    if (live->playing && live->marker != CARDAN_NONE && speed == 0) cardan_data_grab(live->model.data, NULL, NULL);
    if (live->marker != message->index && speed > 0) {
        cardan_data_marker_motion(live->model.data, message->index, NULL, &motion);
        memcpy(live->marker_target, motion.p, sizeof motion.p);
    }
    live->marker = speed > 0 ? message->index : CARDAN_NONE;
    memcpy(live->marker_velocity, message->target, sizeof live->marker_velocity);
}

void cd_live_follow_marker(cd_live* live, double dt)
{
    if (live->marker == CARDAN_NONE) return;
    const cardan_marker* marker = &live->model.view.marker[live->marker];
    for (int i = 0; i < 3; ++i) live->marker_target[i] += dt * live->marker_velocity[i];
    if (marker->body < 0) return;
    if (!live->playing) {
        pose_point(live, marker->body, marker->pose.p, live->marker_target);
        return;
    }
    cardan_grab g = {.body = marker->body};
    memcpy(g.point, marker->pose.p, sizeof g.point);
    memcpy(g.target, live->marker_target, sizeof g.target);
    cardan_data_grab(live->model.data, &g, NULL);
}

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

static void set_value(cd_live* live, const char* name, const char* value)
{
    if (cd_live_set(live, name, value) != CARDAN_OK) cd_live_send_problem(live, &live->report);
}

static void set_method(cd_live* live, const cd_view_message* message)
{
    if (message->name[0]) memcpy(live->integrator, message->name, sizeof live->integrator);
    if (message->formulation[0]) memcpy(live->formulation, message->formulation, sizeof live->formulation);
    if (live->integrator[0]) live->settings.options.integrator = live->integrator;
    if (live->formulation[0]) live->settings.options.formulation = live->formulation;
    if (message->has_value) live->settings.options.step = message->value[0];
    if (cd_live_reload(live, true) != CARDAN_OK) cd_live_send_problem(live, &live->report);
}

// Simulate from the start as fast as possible into the history, then show the end.
static void run_exact(cd_live* live, double duration)
{
    reset(live);
    live->playing        = false;
    cardan_status status = CARDAN_OK;
    for (int i = 1; status == CARDAN_OK && i * frame_interval <= duration + 1e-9; ++i) {
        status = cardan_simulation_advance(live->model.simulation, i * frame_interval, &live->report);
        if (cd_live_take_sample(live) != CARDAN_OK) break;
        pthread_mutex_lock(&live->lock);
        const bool quit = live->quit;
        pthread_mutex_unlock(&live->lock);
        if (quit) return;
    }
    if (status != CARDAN_OK) {
        live->restart_needed = true;
        cd_live_fail(live, status);
    }
    live->changed = true;
}

void cd_live_execute(cd_live* live, const cd_view_message* m)
{
    char text[160];
    switch (m->kind) {
    case CD_VIEW_GRAB:
        grab(live, m);
        break;
    case CD_VIEW_PLAY:
        play(live);
        break;
    case CD_VIEW_PAUSE:
        live->playing = false;
        cardan_data_grab(live->model.data, NULL, NULL);
        live->changed = true;
        break;
    case CD_VIEW_RESET:
        reset(live);
        break;
    case CD_VIEW_STEP:
        step(live, m->count);
        break;
    case CD_VIEW_SPEED:
        live->speed = m->value[0];
        cd_live_set_clock(live);
        break;
    case CD_VIEW_SEEK:
        show(live, cd_history_find(&live->history, m->value[0]));
        break;
    case CD_VIEW_DRIVE:
        drive(live, m);
        break;
    case CD_VIEW_EFFORT:
        effort(live, m);
        break;
    case CD_VIEW_MOVE:
        move_marker(live, m);
        break;
    case CD_VIEW_SET:
        snprintf(text, sizeof text, "%.17g", m->value[0]);
        set_value(live, m->name, text);
        break;
    case CD_VIEW_POINT: {
        char name[CD_VIEW_NAME_SIZE + 8];
        snprintf(text, sizeof text, "[%.17g, %.17g, %.17g]", m->point[0], m->point[1], m->point[2]);
        snprintf(name, sizeof name, "points.%s", m->name);
        set_value(live, name, text);
        break;
    }
    case CD_VIEW_COLUMNS:
        select_columns(live, m);
        break;
    case CD_VIEW_HISTORY:
        cd_live_send_history(live, m);
        break;
    case CD_VIEW_FLAGS:
        live->flags   = m->count;
        live->changed = true;
        break;
    case CD_VIEW_METHOD:
        set_method(live, m);
        break;
    case CD_VIEW_EXACT:
        run_exact(live, m->value[0]);
        break;
    case CD_VIEW_DIAGNOSE:
        cd_live_send_diagnosis(live);
        break;
    case CD_VIEW_TOKEN:
        break;
    }
}
