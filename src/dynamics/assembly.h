// SPDX-License-Identifier: BSD-3-Clause
// Inside of assembly: one problem, at the level of positions or of velocities, and what solves it.
//
// Unknown is the change dq of the velocities' coordinates that are not held. All is in units of its own: rows are
// divided by the size of their twists with one length of the mechanism as unit (so no scaling of a row changes
// anything), dq is measured in radians and in that length, times the firmness of its joint.
#pragma once

#include "dynamics/data.h"

#include <cardan/assemble.h>

// The free motions of a joint that is cut, held at exact values: a lock of the frame that the joint's motion carries.
typedef struct cd_held_joint {
    cd_constraint c;
    cd_equations  e;
    double        twist[6]; // relative velocity wanted, in the axes of the second frame
} cd_held_joint;

typedef struct cd_assembly {
    cardan_data*  d;
    cardan_start* start; // (njoint)
    cd_arena      arena;
    double        length;   // [m] unit of lengths
    double        rounding; // of gaps, in units
    bool          near;     // no pose that is far from the start will do

    int            nheld, nheld_row;
    cd_held_joint* held;         // (nheld)
    double *       value, *rate; // (nheld_row)

    // cd_assembly_choose
    bool    velocities;
    bool    released; // what is exact may move too
    int     nrow;     // of the closure, then of the held joints
    int     nfree;
    int *   free, *column; // (nfree) velocity indices; (nv) place of a velocity there, or -1
    double* unit;          // (nv) dq in radians or lengths is dq * unit
    double* firm;          // (nv) how firmly a velocity is held
    double* row_unit;      // (nrow)

    double *c, *trial; // (nrow) residuals in units
    double* q0;        // (nq) where it began
    double *q, *q1;    // (nq) where it is, where it is tried
    double* kept;      // (nq)
    double* v0;        // (nv)
    double *y, *dq;    // (nv)
    double* across;    // (nv)
    double* H;         // (nheld_row x nv) rows of the held joints
    double* nearest;   // scratch of cd_assembly_nearest
    int     iterations;

    // cd_assembly_least
    bool    dense;          // solved directly; else by iteration
    bool    few;            // few rows beside velocities: A A' is factored instead of A
    double *A, *work;       // (nrow + nv) x nv; few: A (nrow x nv)
    double *moved, *pushed; // (nv), (rows) velocities and multipliers in SI units, scratch
    double* K;              // few: (nrow x nrow) A A' and its factor
    int*    pivot;          // (nv)
    double *b, *r, *s, *p;  // (nrow + nv) each
} cd_assembly;

// Cut joints with exact values become locks. False without memory.
bool cd_assembly_open(cd_assembly* a, cardan_data* d, const cardan_start* start);
void cd_assembly_end(cd_assembly* a);

// [m] Rounding of a gap: what is far from the origin has no more digits, and every link on the way turns by rounding.
double cd_assembly_rounding(cardan_data* d);
// Which velocities may move, and how firmly they are held.
void cd_assembly_choose(cd_assembly* a, bool velocities, bool released);
// Whether the joint is held at this level.
bool cd_assembly_counts(const cd_assembly* a, const cd_held_joint* h);
// c at the state of the data, in units; the largest of them.
double cd_assembly_residual(cd_assembly* a, double* c);
// A = d c / d y at the state of the data, y = dq * unit * firm (nfree).
void cd_assembly_jacobian(cd_assembly* a);
void cd_assembly_apply(const cd_assembly* a, const double* y, double* c);            // c = A y
void cd_assembly_apply_transposed(const cd_assembly* a, const double* c, double* y); // y = A'c
// y with the least |A y - b|^2 + mu |y|^2, of several the shortest. False where something is not finite.
bool cd_assembly_least(cd_assembly* a, double mu, const double* b, double* y);

// Joints that close loops count in what moves least. Their coordinates; how far they are from what was wished for, in
// units, s0 (or NULL) and the largest.
int    cd_assembly_soft(const cd_assembly* a);
double cd_assembly_wished(cd_assembly* a, double* s0);
// y: the way back of what the tree has (nfree, in units), to the change along the closed positions that comes nearest
// to it and to all wishes.
bool                cd_assembly_nearest(cd_assembly* a, double* y);
size_t              cd_assembly_nearest_room(const cd_assembly* a); // doubles of its scratch, at most
static const double cd_drawn_open = 1e-6;                           // in units: a gap of the drawing, no rounding of it
static const double cd_firm_guess = 10;                             // beside joints of which nothing is said

// Positions until the residual is zero or cannot get smaller; returns the largest residual left.
double cd_assembly_close_positions(cd_assembly* a);
// The same without leaving points where no step has a direction.
double cd_assembly_descend(cd_assembly* a);
// Coordinates that may move beside a->kept by up to `size` rad or lengths, all of them to one side (try 0) or to both,
// different from try to try.
void cd_assembly_disturb(cd_assembly* a, double size, int try);
// Where positions did not close: from poses that do, along exact values, and from other starts. `left`: the largest
// residual; where nothing was found all is as before. False without memory.
bool cd_assembly_close_far(cd_assembly* a, double* left);
// Before they are closed: from the drawn pose along exact values that are far from it, where nothing is guessed. False
// without memory.
bool cd_assembly_follow(cd_assembly* a);
// Along the closed positions back towards where it began, as far as that goes.
void   cd_assembly_return(cd_assembly* a);
double cd_assembly_close_velocities(cd_assembly* a);
// Closed velocities back towards those that were wished for.
void cd_assembly_return_velocities(cd_assembly* a);

// Whether a constraint takes part in a gap that cannot be closed, or with a row that is driven: there A'c = 0, so c
// itself says who pulls against whom.
bool cd_assembly_takes_part(const cd_assembly* a, int constraint, bool driven);
bool cd_assembly_pulls(const cd_assembly* a, int constraint); // one of its drivers does

// All joints as drawn.
void cd_assembly_set_drawn(cd_assembly* a);
// Whether anything can move at the state set, at first order, with nothing held. Chooses velocities.
bool cd_assembly_moves(cd_assembly* a);

// At a singular pose, where closed velocities begin no motion: those of the branch that is nearest to what was wished
// for. *moved: false where there is nothing to change, or no branch is found. False without memory.
typedef struct cd_branch {
    int    row;          // of the closure, that depends on others there
    int    velocity;     // in which the next branch differs most, or CARDAN_NONE,
    double taken, other; // and what it is in both
} cd_branch;
bool cd_assembly_branch(cd_assembly* a, cd_branch* found, bool* moved);

// The joint as its bodies were drawn: frame of the second body in that of the first.
cardan_pose cd_joint_drawn(const cardan_model* m, int j);
// Coordinates of the joint in the drawing: free joints are where their bodies were drawn, all others at zero.
void cd_joint_at_drawing(const cardan_model* m, int j, double* q);
// The joint's motion at q: frame of the second body in that of the first; and its relative twist (w, v) in the second's
// axes.
cardan_pose cd_joint_pose(const cd_joint_info* joint, const double* q);
void        cd_joint_twist(const cd_joint_info* joint, const double* q, const double* v, double twist[6]);
