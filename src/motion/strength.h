// SPDX-License-Identifier: BSD-3-Clause
// How far the rows of a mechanism are from depending on each other more than usual, watched while it moves.
#pragma once

#include "core/memory.h"

typedef struct cd_system cd_system;

typedef struct cd_firmness {
    int     fewest;   // null rows where there were fewest; -1: not yet known
    bool    told;     // the last factorization has told which they are
    double  firmest;  // largest of all smallest pivots
    double* row_size; // (nrow) square of the largest length of a row so far
    int     off;      // constraints that are switched off; where that changes the watch begins anew

    // of the last accelerations
    double t;
    long   factors; // which factor of the data
    double value;   // square of the singular value, relative to the largest so far; 0: a row has become null
    int    row;     // it comes from, or CARDAN_NONE
    bool   lent;    // pivots tell nothing of it
    bool   lost;    // the row is null altogether: no direction that is still in the factor tells of it

    // the weakest directions, one of each group of loops that joints tie together, followed from step to step where the
    // formulation can do that
    bool            followed;
    int             ngroup;
    int *           row_group, *v_group;      // (nrow, nv) which of them, or CARDAN_NONE
    int*            root;                     // (constraints, rotors) scratch
    double *        z, *aside;                // (nrow) in rows, and a copy
    double*         any;                      // (nrow) a little of everything
    double*         weight;                   // (nrow) of rows
    double *        x, *way;                  // (nv) in velocities, before and now
    double*         strongest;                // (groups) largest singular value so far
    int*            side;                     // sign of the last one, where its direction was the same as before
    double *        flexible, *before;        // 1/s^2 now, and an iteration before
    double *        best, *best_z, *best_way; // (groups, nrow, nv) the largest of the iterations, its z and direction
    double *        size, *along;             // of `way`, and of that along x
    struct cd_seen* seen;
} cd_firmness;

// What is seen of a singular value at the end of a step: relative to the largest so far, and whether it has changed its
// sign since the step before (-1), or not (1), or nobody knows (0).
typedef struct cd_seen {
    double s;
    int    sign;
} cd_seen;

void cd_firmness_layout(cd_system* system, cd_arena* arena);
void cd_firmness_begin(cd_system* system);
// After accelerations: fills the last three fields, and says to the data whether a singular pose is near.
void cd_firmness_look(cd_system* system);
// At the end of a step, by the factor of the last accelerations: firmness.seen of every group.
void cd_firmness_follow(cd_system* system);
// The largest singular value of a group so far.
double cd_firmness_most(const cd_system* system, int group);
// Most groups there can be.
int cd_firmness_groups(const cd_system* system);
