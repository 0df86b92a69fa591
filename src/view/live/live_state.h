// SPDX-License-Identifier: BSD-3-Clause
// Internal structure of the live simulation, shared by its files.
#pragma once

#include "view/live/file_watch.h"
#include "view/live/history.h"
#include "view/live/live_simulation.h"
#include "view/mechanism/pose.h"
#include "view/mechanism/time_formula.h"

#include <cardan/diagnose.h>
#include <pthread.h>

enum {
    CD_LIVE_REPAIRS_MAX  = 64,
    CD_LIVE_COMMANDS     = 256,
    CD_LIVE_TEXTS        = 256,
    CD_LIVE_SETTINGS_MAX = 256,
    CD_LIVE_INPUTS_MAX   = 64,
    CD_LIVE_MARKS_MAX    = 1000,
    CD_LIVE_EVENT_SIZE   = 320,
};

// Point that is pulled, or stays.
typedef struct cd_live_grab {
    bool           active;
    uint32_t       number;
    cd_pose_target at;
} cd_live_grab;

// Coordinate that is driven, or effort along it.
typedef struct cd_live_input {
    int              joint, axis;
    cd_view_input    input;
    double           value;          // value or rate
    double           start, t_start; // of a rate: value at time t_start
    char             text[CD_VIEW_NAME_SIZE];
    cd_time_formula* formula;
} cd_live_input;

typedef struct cd_live_inputs {
    int           count;
    cd_live_input item[CD_LIVE_INPUTS_MAX];
} cd_live_inputs;

// Mark in time.
typedef struct cd_live_mark {
    double t;
    char   kind[16], text[CD_LIVE_EVENT_SIZE];
} cd_live_mark;

// Oscillation about the state that is shown.
typedef struct cd_live_animation {
    bool    is_mode;
    int     index;            // CARDAN_NONE: none
    double  begin;            // [s] clock
    double* start;            // (nq) configuration
    double *real, *imaginary; // (nv) tangent, scaled to the amplitude
    double* velocity;         // (nv) of the state before
} cd_live_animation;

// Motions and modes of the last diagnosis.
typedef struct cd_live_shapes {
    int     nmotion, nmode;
    double* motion; // (nmotion x nv)
    double* mode;   // (nmode x 2 nv) real and imaginary parts
} cd_live_shapes;

struct cd_live {
    // used by the thread of the simulation only
    cd_live_settings          settings;
    int                       nsetting;
    cardan_parameter_setting* setting; // (CD_LIVE_SETTINGS_MAX) those of the page are owned
    bool*                     owned;   // (CD_LIVE_SETTINGS_MAX)
    int                       nrepair;
    cd_joint_repair           repair[CD_LIVE_REPAIRS_MAX];
    char                      integrator[CD_VIEW_NAME_SIZE], formulation[CD_VIEW_NAME_SIZE];
    cd_live_model             model;
    cd_live_model             aside; // the same mechanism with data of its own: ghost, past values, exact run, shapes
    cd_history                history, ghost;
    cd_file_watch             watch;
    bool                      playing, restart_needed, posed, changed, problem_shown, replay;
    double                    speed, rate;         // of simulated to real time: wanted, measured
    double                    clock_wall, clock_t; // real and simulated time at which the clock was set
    double                    rate_wall, rate_t, status_wall, frame_next, tick_wall, limit_wall;
    double                    tick_next; // [s] clock of the next tick
    double                    energy_start, kinetic_max, energy[4], energy_error, violation[2];
    double                    sigma; // smallest relative singular value at the state that is shown
    int                       scene_id, flags, ncolumn, column[CD_VIEW_COLUMNS_MAX];
    cd_live_grab              grab[CD_VIEW_SLOTS];
    cd_live_inputs            drives, efforts;
    int                       marker; // moved by inverse kinematics, or CARDAN_NONE
    double                    marker_velocity[3], marker_target[3];
    int                       nmarker_joint;
    int*               marker_joint; // (nmarker_joint) joints that the moving marker drives while the simulation plays
    cardan_simulation* exact;        // run as that of `cardan run`, or NULL
    double             exact_end;
    int                nmark;
    cd_live_mark*      mark; // (CD_LIVE_MARKS_MAX)
    cd_live_animation  animation;
    cd_live_shapes     shapes;
    uint32_t           frame_number;
    char               ended[CARDAN_MESSAGE_LENGTH];
    cardan_report      report;

    // shared, under `lock`
    pthread_t        thread;
    pthread_mutex_t  lock;
    pthread_cond_t   wake;
    bool             quit, thread_started, sync_made;
    cd_view_message* command; // (CD_LIVE_COMMANDS) ring
    int              first_command, ncommand;
    char*            text[CD_LIVE_TEXTS]; // ring
    int              first_text, ntext;
    char *           hello, *scene, *status, *events;
    unsigned char *  frame, *taken; // newest frame, and the copy of the reader
    size_t           frame_length, frame_capacity, taken_capacity;
    bool             frame_is_new;
    int              nbody, njoint, nmarker; // limits of indices in messages
};

// live_messages.c: texts for the clients
void cd_live_queue(cd_live* live, cd_text* text); // takes the text
void cd_live_send_status(cd_live* live);
void cd_live_send_problem(cd_live* live, const cardan_report* report); // NULL: solved
void cd_live_send_limit(cd_live* live, int body, const cd_pose_result* result, cardan_status status);
void cd_live_send_history(cd_live* live, const cd_view_message* message);
void cd_live_send_columns(cd_live* live);
bool cd_live_send_scene(cd_live* live);

// live_marks.c: marks in time
void cd_live_mark_event(void* user, cardan_data* data, const cardan_event* event); // callback of the simulation
void cd_live_add_mark(cd_live* live, double t, const char* kind, const char* text);
void cd_live_cut_marks(cd_live* live, double t); // drop those behind t
void cd_live_send_marks(cd_live* live);          // replaces those of the clients

// live_frame.c: quantities of the state that is shown
void cd_live_publish(cd_live* live);

// live_reload.c: load the model again, with the state by joint names
cardan_status cd_live_reload(cd_live* live, bool keep_state);
void          cd_live_close_model(cd_live* live);

// live_edits.c: changes that the page makes in memory
void cd_live_set_parameter(cd_live* live, const char* name, double value);
void cd_live_set_point(cd_live* live, const char* name, const double position[3]);
void cd_live_repair(cd_live* live, int loop);
void cd_live_revert(cd_live* live);
void cd_live_free_settings(cd_live* live, int from); // those of the page from index `from` on

// live_diagnosis.c
void cd_live_diagnose(cd_live* live);
void cd_live_free_shapes(cd_live* live);
// Diagnosis of the model as the files and settings say, without drivable coordinates; NULL if there is none. The caller
// destroys it. Its texts do not depend on the model.
cardan_diagnosis* cd_live_find_loops(cd_live* live);

// live_animation.c: free motions and modes
void cd_live_animate(cd_live* live, bool is_mode, int index); // CARDAN_NONE: end
void cd_live_end_animation(cd_live* live);                    // back to the state before; does nothing if there is none
void cd_live_follow_animation(cd_live* live);

// live_inputs.c: driven coordinates and efforts
void cd_live_drive(cd_live* live, const cd_view_message* message);
void cd_live_set_effort(cd_live* live, const cd_view_message* message);
void cd_live_drive_value(cd_live* live, int joint, int axis, double value);
void cd_live_apply_inputs(cd_live* live, bool begin); // before the simulation advances; `begin`: it has started anew
bool cd_live_inputs_vary(const cd_live* live);        // they are to be set anew at short intervals
void cd_live_move_inputs(cd_live* live, const cd_live_model* new); // before the model is replaced
void cd_live_release_inputs(cd_live* live);

// live_grabs.c: points that are pulled, or posed while paused
void cd_live_pull(cd_live* live, const cd_view_message* message);
void cd_live_apply_grabs(cd_live* live); // after a pause
void cd_live_release_grabs(cd_live* live);
void cd_live_after_pose(cd_live* live, int body, cardan_status status, const cd_pose_result* result, double accuracy);

// live_marker.c
void cd_live_move_marker(cd_live* live, const cd_view_message* message);
void cd_live_follow_marker(cd_live* live, double dt);

// live_exact.c
void cd_live_begin_exact(cd_live* live, double duration);
void cd_live_follow_exact(cd_live* live);
void cd_live_end_exact(cd_live* live);

// live_time.c
void cd_live_play(cd_live* live);
void cd_live_reset(cd_live* live);
void cd_live_step(cd_live* live, int count);

// live_shown_state.c
void cd_live_pause(cd_live* live);
void cd_live_show(cd_live* live, int entry); // of the history
void cd_live_show_state(cd_live* live, const double* entry);
void cd_live_record(cd_live* live, double t, const double* q, const double* v, const double* state, double sigma);
// Start the simulation at the state that is shown; what was behind it becomes the ghost.
cardan_status cd_live_restart(cd_live* live);
// Copy the sample of the simulation to the state that is shown.
cardan_status cd_live_take_sample(cd_live* live);
void          cd_live_begin_energies(cd_live* live);
void          cd_live_set_clock(cd_live* live);
void          cd_live_fail(cd_live* live, cardan_status status);

// results_history.c
// Fill a history from a file of results of the model, whose file is `file`. The report has the reason of a failure, or warnings.
cardan_status cd_history_read_results(cd_history* history, cd_live_model* model, const char* file, const char* path,
                                      cardan_report* report);

// live_commands.c
void cd_live_execute(cd_live* live, const cd_view_message* message);
