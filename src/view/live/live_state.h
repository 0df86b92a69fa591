// SPDX-License-Identifier: BSD-3-Clause
// Internal structure of the live simulation, shared by its files.
#pragma once

#include "view/live/file_watch.h"
#include "view/live/history.h"
#include "view/live/live_simulation.h"

#include <pthread.h>

enum { CD_LIVE_COMMANDS = 256, CD_LIVE_TEXTS = 64, CD_LIVE_SETTINGS_MAX = 256 };

typedef struct cd_live_grab {
    bool     active;
    int      body;
    uint32_t number;
    double   point[3], target[3]; // body frame, world
} cd_live_grab;

struct cd_live {
    // used by the thread of the simulation only
    cd_live_settings          settings;
    int                       nsetting;
    cardan_parameter_setting* setting; // (CD_LIVE_SETTINGS_MAX) values set by the page are owned
    bool*                     owned;   // (CD_LIVE_SETTINGS_MAX)
    char                      integrator[CD_VIEW_NAME_SIZE], formulation[CD_VIEW_NAME_SIZE];
    cd_live_model             model;
    cd_history                history;
    cd_file_watch             watch;
    bool                      playing, restart_needed, changed, problem_shown;
    double                    speed, rate;         // of simulated to real time: wanted, measured
    double                    clock_wall, clock_t; // real and simulated time at which the clock was set
    double                    rate_wall, rate_t, status_wall, frame_wall, tick_wall;
    double                    energy_start, kinetic_max, energy[4], energy_error, violation[2];
    int                       scene_id, flags, ncolumn, column[CD_VIEW_COLUMNS_MAX];
    cd_live_grab              grab;
    int                       marker; // moved by inverse kinematics, or CARDAN_NONE
    double                    marker_velocity[3], marker_target[3];
    uint32_t                  frame_number;
    char                      ended[CARDAN_MESSAGE_LENGTH];
    cardan_report             report;

    // shared, under `lock`
    pthread_t        thread;
    pthread_mutex_t  lock;
    pthread_cond_t   wake;
    bool             quit, thread_started, sync_made;
    cd_view_message* command; // (CD_LIVE_COMMANDS) ring
    int              first_command, ncommand;
    char*            text[CD_LIVE_TEXTS]; // ring
    int              first_text, ntext;
    char *           hello, *scene, *status;
    unsigned char *  frame, *taken; // newest frame, and the copy of the reader
    size_t           frame_length, frame_capacity, taken_capacity;
    bool             frame_is_new;
    int              nbody, njoint, nmarker; // limits of indices in messages
};

// live_messages.c: texts for the clients
void cd_live_queue(cd_live* live, cd_text* text); // takes the text
void cd_live_send_status(cd_live* live);
void cd_live_send_problem(cd_live* live, const cardan_report* report); // NULL: solved
void cd_live_send_limit(cd_live* live, int joint, double error);
void cd_live_send_event(cd_live* live, double t, const char* kind, const char* sentence);
void cd_live_send_history(cd_live* live, const cd_view_message* message);
void cd_live_send_columns(cd_live* live);
void cd_live_send_diagnosis(cd_live* live);
bool cd_live_send_scene(cd_live* live);

// live_frame.c: quantities of the state that is shown
void cd_live_publish(cd_live* live);

// live_reload.c: load the model again, with the state by joint names
cardan_status cd_live_reload(cd_live* live, bool keep_state);
cardan_status cd_live_set(cd_live* live, const char* name, const char* value);

// live_commands.c
void cd_live_execute(cd_live* live, const cd_view_message* message);
void cd_live_follow_marker(cd_live* live, double dt);
// Start the simulation at the state that is shown.
cardan_status cd_live_restart(cd_live* live);
// Copy the sample of the simulation to the state that is shown.
cardan_status cd_live_take_sample(cd_live* live);
void          cd_live_set_clock(cd_live* live);
void          cd_live_fail(cd_live* live, cardan_status status);
