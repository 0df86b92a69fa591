// SPDX-License-Identifier: BSD-3-Clause
// How far the rows of a mechanism are from depending on each other more than usual, watched while it moves.
#pragma once

#include "core/memory.h"

typedef struct cd_ode_system cd_ode_system;

typedef struct cd_conditioning {
    int     rank_deficiency_generic; // null rows where there were fewest; -1: not yet known
    bool    null_rows_known;         // the last factorization has told which they are
    double  min_pivot_rel_max;       // largest of all smallest pivots
    double* row_norm_sq_max;         // (nrow) square of the largest length of a row so far
    int     ndisabled;               // constraints that are switched off; where that changes the watch begins anew

    // of the last accelerations
    double t;
    long   factor_id;          // which factor of the data
    double sigma_min_sq_rel;   // square of the singular value, relative to the largest so far; 0: a row has become null
    int    row;                // it comes from, or CARDAN_NONE
    bool   pivots_regularized; // pivots tell nothing of it
    bool   row_vanished;       // the row is null altogether: no direction that is still in the factor tells of it

    // the weakest directions, one of each group of loops that joints tie together, followed from step to step where the
    // formulation can do that
    bool    tracked;
    int     ngroup;
    int *   row_group, *v_group;                  // (nrow, nv) which of them, or CARDAN_NONE
    int*    group_root;                           // (constraints, rotors) scratch
    double *row_vector, *row_vector_copy;         // (nrow) in rows, and a copy
    double* random_vector;                        // (nrow) a little of everything
    double* row_weight;                           // (nrow) of rows
    double *direction_previous, *direction;       // (nv) in velocities, before and now
    double* sigma_max;                            // (groups) largest singular value so far
    int*    sign;                                 // sign of the last one, where its direction was the same as before
    double *inv_sigma_sq, *inv_sigma_sq_previous; // 1/s^2 now, and an iteration before
    double *inv_sigma_sq_best, *row_vector_best,
        *direction_best; // (groups, nrow, nv) the largest of the iterations, its z and direction
    double *                 group_norm, *group_projection; // of `way`, and of that along x
    struct cd_tracked_sigma* tracked_sigma;
} cd_conditioning;

// What is seen of a singular value at the end of a step: relative to the largest so far, and whether it has changed its
// sign since the step before (-1), or not (1), or nobody knows (0).
typedef struct cd_tracked_sigma {
    double sigma_min_rel;
    int    sign;
} cd_tracked_sigma;

void cd_conditioning_layout(cd_ode_system* system, cd_arena* arena);
void cd_conditioning_reset(cd_ode_system* system);
// After accelerations: fills the last three fields, and says to the data whether a singular pose is near.
void cd_conditioning_update(cd_ode_system* system);
// At the end of a step, by the factor of the last accelerations: firmness.seen of every group.
void cd_conditioning_track_directions(cd_ode_system* system);
// The largest singular value of a group so far.
double cd_conditioning_sigma_max(const cd_ode_system* system, int group);
// Most groups there can be.
int cd_conditioning_group_limit(const cd_ode_system* system);
