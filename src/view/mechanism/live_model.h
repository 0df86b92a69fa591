// SPDX-License-Identifier: BSD-3-Clause
// Mechanism of the viewer: loaded, compiled for one formulation, with an open simulation and the quantities of a frame.
#pragma once

#include "core/text.h"
#include "view/view_protocol.h"

#include <cardan/io.h>
#include <cardan/simulate.h>

// Another type for a joint.
typedef struct cd_joint_repair {
    char joint[CD_VIEW_NAME_SIZE], type[32];
} cd_joint_repair;

typedef struct cd_live_options {
    const char*            path;
    cardan_load_options    load;
    const char*            formulation; // NULL: that of the file, else auto
    const char*            integrator;  // NULL: chosen by the cost of a second of motion
    double                 step;        // [s] 0: 1 ms
    int                    nrepair;
    const cd_joint_repair* repair;            // (nrepair) applied to the description
    bool                   joint_coordinates; // no maximal coordinates
    cardan_event_callback  event;             // of the simulation; may be NULL
    void*                  event_user;
} cd_live_options;

typedef enum cd_value_kind { CD_VALUE_Q, CD_VALUE_V, CD_VALUE_OUTPUT, CD_VALUE_DRIVE, CD_VALUE_ENERGY } cd_value_kind;

// A column that a frame can contain.
typedef struct cd_value_column {
    char          name[CD_VIEW_NAME_SIZE];
    char          unit[16];
    cd_value_kind kind;
    int           index;
} cd_value_column;

typedef struct cd_live_model {
    bool                    borrowed; // description, model and data belong to the caller
    cardan_description*     description;
    cardan_description_view view;
    cardan_model*           model;
    cardan_model_view       model_view;
    cardan_data*            data;
    cardan_simulation*      simulation;
    int                     formulation, integrator;
    double                  step;
    double                  centre[3], length, weight; // of the scene
    int                     ncolumn;
    cd_value_column*        column;
    double*                 drive; // efforts of the drivers
    // state that is shown, and quantities of a frame
    double           t;
    double *         q, *v, *a, *state;                   // (nq), (nv), (nv), (nstate)
    double *         joint_q, *joint_v, *output, *effort; // (nq_joint), (nv_joint), (noutput), (nv)
    cardan_motion*   motion;                              // (nbody)
    cardan_pose *    pose, *ghost;                        // (nbody)
    cardan_reaction* reaction;                            // (njoint of the model)
    double (*wrench)[6];                                  // (nbody)
} cd_live_model;

// Load the description with its repairs.
cardan_status cd_live_load(const cd_live_options* options, cardan_description** description, cardan_report* report);
// Load, compile and open. On failure the model is empty and the report has the reason.
cardan_status cd_live_model_open(cd_live_model* m, const cd_live_options* options, cardan_report* report);
// The same of a model that is loaded already and has no simulation here. Description, model and data must outlive it.
cardan_status cd_live_model_borrow(cd_live_model* m, cardan_description* description, cardan_model* model,
                                   cardan_data* data, cardan_report* report);
void          cd_live_model_close(cd_live_model* m);
// Compute poses of bodies, coordinates of joints and outputs at the state of the data.
void cd_live_model_update(cd_live_model* m);

// Scene message of the model.
cardan_status cd_view_scene(const cd_live_model* m, int id, cd_text* text, cardan_report* report);

// List the columns of the model; false if there is no memory.
bool   cd_value_columns_create(cd_live_model* m);
int    cd_value_column_find(const cd_live_model* m, const char* name);
double cd_value_column_value(const cd_live_model* m, int column, const double energy[3]);
