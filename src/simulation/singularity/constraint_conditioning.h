// SPDX-License-Identifier: BSD-3-Clause
// Conditioning of the constraints along a run: smallest singular value of the scaled rows, relative to its running
// maximum.
#pragma once

#include "core/memory.h"

typedef struct cd_ode_system cd_ode_system;

typedef struct cd_conditioning {
    int     rank_deficiency_generic; // smallest number of null rows so far; -1: not yet known
    bool    null_rows_known;         // the last factorization provides the null rows
    double  min_pivot_rel_max;       // running maximum of the smallest relative pivot
    double* row_norm_sq_max;         // (nrow) running maximum of the squared norm of a row
    int     ndisabled;               // disabled constraints; a change resets the monitor

    // at the last accelerations
    double t;
    long   factor_id;          // factor of the data
    double sigma_min_sq_rel;   // squared sigma_min relative to its running maximum; 0: a row became null
    int    row;                // its row, or CARDAN_NONE
    bool   pivots_regularized; // pivots contain a regularization and do not show the rank
    bool   row_vanished;       // the whole row is null: no direction of the factor contains it

    // singular vectors of the smallest singular value, one for each group of coupled loops, tracked from step to step
    // if the formulation supports it
    bool    tracked;
    int     ngroup;
    int *   row_group, *v_group;                  // (nrow, nv) group, or CARDAN_NONE
    int*    group_root;                           // (constraints, rotors) scratch
    double *row_vector, *row_vector_copy;         // (nrow) left singular vector, and a copy
    double* perturbation_vector;                  // (nrow) constant, with components in all directions
    double* row_weight;                           // (nrow)
    double *direction_previous, *direction;       // (nv) right singular vector, before and now
    double* sigma_max;                            // (groups) running maximum of the singular value
    int*    sign;                                 // sign of the last one relative to the previous direction
    double *inv_sigma_sq, *inv_sigma_sq_previous; // 1/sigma^2 now, and one iteration before
    double *inv_sigma_sq_best, *row_vector_best, *direction_best; // (groups, nrow, nv) of the best iteration
    double *group_norm, *group_projection;                        // norm of `direction`, and of its projection
    struct cd_tracked_sigma* tracked_sigma;
} cd_conditioning;

// Singular value at the end of a step: relative to its running maximum, and its sign compared with the step before:
// changed (-1), the same (1), or unknown (0).
typedef struct cd_tracked_sigma {
    double sigma_min_rel;
    int    sign;
} cd_tracked_sigma;

void cd_conditioning_layout(cd_ode_system* system, cd_arena* arena);
void cd_conditioning_reset(cd_ode_system* system);
// After accelerations: update the fields of the last accelerations, and set near_singular of the data.
void cd_conditioning_update(cd_ode_system* system);
// At the end of a step: update tracked_sigma of every group with the factor of the last accelerations.
void cd_conditioning_track_directions(cd_ode_system* system);
// Return whether no singular configuration can be near at time t with velocities z.
bool cd_is_far_from_singular(const cd_ode_system* system, double t, const double* z);
// Running maximum of the singular value of a group.
double cd_conditioning_sigma_max(const cd_ode_system* system, int group);
// Upper bound of the number of groups.
int cd_conditioning_group_limit(const cd_ode_system* system);
