// SPDX-License-Identifier: BSD-3-Clause
// Thread of the live simulation. It wakes 120 times a second while the simulation plays, executes the messages of the
// page and advances to the time that the clock demands. When it is more than 100 ms late the clock is set anew: the
// motion is then slower than real time, and the measured rate says by how much.
#include "view/live/live_state.h"

#include "core/clock.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double tick            = 1.0 / 120; // [s]
static const double frame_interval  = 1.0 / 60;  // [s]
static const double status_interval = 0.25;      // [s]
static const double late_max        = 0.1;       // [s]

// Advance to time t in steps of the history; of a tick if inputs vary.
static cardan_status advance_to(cd_live* live, double t)
{
    cd_live_model* m      = &live->model;
    cardan_status  status = CARDAN_OK;
    do {
        const double next = fmin(t, m->t + (cd_live_inputs_vary(live) ? tick : frame_interval));
        cd_live_apply_inputs(live, false);
        status                      = cardan_simulation_advance(m->simulation, next, &live->report);
        const cardan_status sampled = cd_live_take_sample(live);
        if (status == CARDAN_OK) status = sampled;
        if (cardan_simulation_summary(m->simulation)->stop_condition_met) break;
    } while (status == CARDAN_OK && m->t < t);
    return status;
}

static void advance(cd_live* live)
{
    cd_live_model* m      = &live->model;
    const double   now    = cd_clock_wall();
    double         target = live->clock_t + (now - live->clock_wall) * live->speed;
    if (target - m->t > late_max * live->speed) {
        live->clock_wall = now;
        live->clock_t    = m->t + tick * live->speed;
        target           = live->clock_t;
    }
    if (target <= m->t) return;
    cardan_report_clear(&live->report);
    const cardan_status status = advance_to(live, target);
    if (status != CARDAN_OK) {
        snprintf(live->ended, sizeof live->ended, "%s", cardan_status_text(status));
        live->restart_needed = true;
        cd_live_fail(live, status);
    } else if (cardan_simulation_summary(m->simulation)->stop_condition_met) {
        snprintf(live->ended, sizeof live->ended, "the stop condition is met");
        live->playing = false;
    }
    live->changed = true;
}

// Show the past at the time that the clock demands.
static void advance_replay(cd_live* live)
{
    const double end    = cd_history_end(&live->history, 0);
    const double target = fmin(end, live->clock_t + (cd_clock_wall() - live->clock_wall) * live->speed);
    const int    i      = cd_history_find(&live->history, target);
    if (i >= 0 && cd_history_at(&live->history, i)[0] != live->model.t) cd_live_show(live, i);
    if (target >= end) live->playing = false;
}

static void measure_rate(cd_live* live, double now)
{
    if (now - live->rate_wall < status_interval) return;
    live->rate      = live->playing ? fmax(0, (live->model.t - live->rate_t) / (now - live->rate_wall)) : 0;
    live->rate_wall = now;
    live->rate_t    = live->model.t;
}

static struct timespec timespec_of(double seconds)
{
    const double whole = floor(seconds);
    return (struct timespec){(time_t)whole, (long)((seconds - whole) * 1e9)};
}

// Wait for a message until the next tick; returns false if the thread has to end.
static bool next_command(cd_live* live, cd_view_message* message, bool* has_message)
{
    const struct timespec until = timespec_of(live->tick_next);
    int                   ended = 0;
    pthread_mutex_lock(&live->lock);
    while (live->ncommand == 0 && !live->quit && ended == 0)
        ended = pthread_cond_timedwait(&live->wake, &live->lock, &until);
    *has_message = live->ncommand > 0;
    if (*has_message) {
        *message            = live->command[live->first_command];
        live->first_command = (live->first_command + 1) % CD_LIVE_COMMANDS;
        --live->ncommand;
    }
    const bool quit = live->quit;
    pthread_mutex_unlock(&live->lock);
    return !quit;
}

// Indices are checked again: the model may have changed since the message was received.
static bool indices_exist(const cd_live* live, const cd_view_message* m)
{
    switch (m->kind) {
    case CD_VIEW_GRAB:
        return m->index < live->nbody;
    case CD_VIEW_DRIVE:
    case CD_VIEW_EFFORT:
        return m->index < live->njoint;
    case CD_VIEW_MOVE:
        return m->index < live->nmarker;
    default:
        return true;
    }
}

static void work(cd_live* live)
{
    const double now = cd_clock_wall(), dt = fmin(now - live->tick_wall, 0.05);
    live->tick_wall = now;
    cd_live_follow_marker(live, dt);
    cd_live_follow_animation(live);
    if (live->exact)
        cd_live_follow_exact(live);
    else if (live->playing && live->replay)
        advance_replay(live);
    else if (live->playing)
        advance(live);
    measure_rate(live, now);
    if (live->changed && now >= live->frame_next) { // on average one per interval, although ticks are late by different times
        live->frame_next = fmax(live->frame_next, now - frame_interval) + frame_interval;
        cd_live_publish(live);
    }
    if (now - live->status_wall >= status_interval) {
        live->status_wall = now;
        cd_live_send_status(live);
    }
    if (cd_file_watch_take(&live->watch) && cd_live_reload(live, true) != CARDAN_OK)
        cd_live_send_problem(live, &live->report);
}

// Ticks are at equal distances; those that are missed are left out.
static void tick_on(cd_live* live)
{
    work(live);
    live->tick_next = fmax(live->tick_next + tick, cd_clock_wall());
}

static void* run(void* user)
{
    cd_live*         live    = user;
    cd_view_message* message = cd_allocate(1, sizeof *message);
    bool             has     = false;
    live->tick_next          = cd_clock_wall();
    while (message && next_command(live, message, &has)) {
        if (has && indices_exist(live, message)) cd_live_execute(live, message);
        if (!has || cd_clock_wall() >= live->tick_next) tick_on(live);
    }
    free(message);
    return NULL;
}

static bool make_sync(cd_live* live)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) return false;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    live->sync_made = pthread_mutex_init(&live->lock, NULL) == 0 && pthread_cond_init(&live->wake, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return live->sync_made;
}

static bool prepare(cd_live* live, const cd_live_settings* settings)
{
    const cardan_load_options* load   = &settings->options.load;
    live->settings                    = *settings;
    live->speed                       = 1;
    live->marker                      = CARDAN_NONE;
    live->animation.index             = CARDAN_NONE;
    live->sigma                       = 1;
    live->flags                       = CD_VIEW_COORDINATES | CD_VIEW_ENERGY;
    live->watch.descriptor            = -1;
    live->command                     = cd_allocate(CD_LIVE_COMMANDS, sizeof *live->command);
    live->setting                     = cd_allocate(CD_LIVE_SETTINGS_MAX, sizeof *live->setting);
    live->owned                       = cd_allocate(CD_LIVE_SETTINGS_MAX, sizeof *live->owned);
    live->mark                        = cd_allocate(CD_LIVE_MARKS_MAX, sizeof *live->mark);
    live->settings.options.event      = cd_live_mark_event;
    live->settings.options.event_user = live;
    if (!live->command || !live->setting || !live->owned || !live->mark || load->nsetting > CD_LIVE_SETTINGS_MAX)
        return false;
    live->nsetting = load->nsetting;
    for (int i = 0; i < load->nsetting; ++i) live->setting[i] = load->setting[i];
    return make_sync(live);
}

// Show the results instead of the start.
static cardan_status read_results(cd_live* live)
{
    const char* const* path = live->settings.results;
    cd_history_clear(&live->history);
    cardan_status status =
        cd_history_read_results(&live->history, &live->model, live->settings.options.path, path[0], &live->report);
    if (status == CARDAN_OK && path[1])
        status =
            cd_history_read_results(&live->ghost, &live->model, live->settings.options.path, path[1], &live->report);
    if (status != CARDAN_OK) return status;
    live->replay = true;
    cd_live_show(live, 0);
    cd_live_publish(live);
    return CARDAN_OK;
}

cardan_status cd_live_start(const cd_live_settings* settings, cd_live** out, cardan_report* report)
{
    cd_live*      live = *out = cd_allocate(1, sizeof *live);
    cardan_status status      = live && prepare(live, settings) ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        status = cd_live_reload(live, false);
        if (status == CARDAN_OK && settings->results[0]) status = read_results(live);
        *report = live->report;
    }
    if (status == CARDAN_OK) {
        cd_live_send_status(live);
        if (pthread_create(&live->thread, NULL, run, live) != 0)
            status = CARDAN_NO_MEMORY;
        else
            live->thread_started = true;
    }
    if (status == CARDAN_OK) return status;
    cd_live_stop(live);
    *out = NULL;
    return status;
}

void cd_live_stop(cd_live* live)
{
    if (!live) return;
    if (live->thread_started) {
        pthread_mutex_lock(&live->lock);
        live->quit = true;
        pthread_cond_signal(&live->wake);
        pthread_mutex_unlock(&live->lock);
        pthread_join(live->thread, NULL);
    }
    if (live->sync_made) {
        pthread_mutex_destroy(&live->lock);
        pthread_cond_destroy(&live->wake);
    }
    cd_live_free_settings(live, 0);
    for (int i = 0; i < live->ntext; ++i) free(live->text[(live->first_text + i) % CD_LIVE_TEXTS]);
    cd_live_release_inputs(live);
    cd_live_close_model(live);
    cd_file_watch_close(&live->watch);
    free(live->command);
    free(live->setting);
    free(live->owned);
    free(live->mark);
    free(live->marker_joint);
    free(live->events);
    free(live->hello);
    free(live->scene);
    free(live->status);
    free(live->frame);
    free(live->taken);
    free(live);
}

bool cd_live_post(cd_live* live, const cd_view_message* message)
{
    pthread_mutex_lock(&live->lock);
    bool good = indices_exist(live, message);
    if (good && live->ncommand < CD_LIVE_COMMANDS) { // a full queue drops the message
        live->command[(live->first_command + live->ncommand++) % CD_LIVE_COMMANDS] = *message;
        pthread_cond_signal(&live->wake);
    }
    pthread_mutex_unlock(&live->lock);
    return good;
}

char* cd_live_take_text(cd_live* live)
{
    char* text = NULL;
    pthread_mutex_lock(&live->lock);
    if (live->ntext > 0) {
        text             = live->text[live->first_text];
        live->first_text = (live->first_text + 1) % CD_LIVE_TEXTS;
        --live->ntext;
    }
    pthread_mutex_unlock(&live->lock);
    return text;
}

char* cd_live_first_text(cd_live* live, int i)
{
    pthread_mutex_lock(&live->lock);
    char* text = cd_copy_string(i == 0 ? live->hello : i == 1 ? live->scene : i == 2 ? live->status : live->events);
    pthread_mutex_unlock(&live->lock);
    return text;
}

const unsigned char* cd_live_take_frame(cd_live* live, bool only_new, size_t* length)
{
    const unsigned char* frame = NULL;
    pthread_mutex_lock(&live->lock);
    if (live->frame_length > live->taken_capacity) {
        free(live->taken);
        live->taken          = malloc(live->frame_length);
        live->taken_capacity = live->taken ? live->frame_length : 0;
    }
    if ((live->frame_is_new || !only_new) && live->frame_length > 0 && live->frame_length <= live->taken_capacity) {
        memcpy(live->taken, live->frame, live->frame_length);
        live->frame_is_new = live->frame_is_new && !only_new;
        *length            = live->frame_length;
        frame              = live->taken;
    }
    pthread_mutex_unlock(&live->lock);
    return frame;
}
