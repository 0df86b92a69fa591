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
typedef struct cd_fixed_joint {
    cd_constraint           c;
    cd_constraint_equations e;
    double                  target_twist[6]; // relative velocity wanted, in the axes of the second frame
} cd_fixed_joint;

typedef struct cd_assembly {
    cardan_data*  d;
    cardan_start* start; // (njoint)
    cd_arena      arena;
    double        length_scale;       // [m] unit of lengths
    double        violation_roundoff; // of gaps, in units
    bool          local_only;         // no pose that is far from the start will do

    int             nfixed, nfixed_row;
    cd_fixed_joint* fixed_joint;              // (nheld)
    double *        fixed_value, *fixed_rate; // (nheld_row)

    // cd_assembly_set_unknowns
    bool    velocity_level;
    bool    fixed_released; // what is exact may move too
    int     nrow;           // of the closure, then of the held joints
    int     nfree;
    int *   free_velocity, *free_column; // (nfree) velocity indices; (nv) place of a velocity there, or -1
    double* velocity_scale;              // (nv) dq in radians or lengths is dq * unit
    double* weight;                      // (nv) how firmly a velocity is held
    double* row_unit;                    // (nrow)

    double *c, *trial_residual; // (nrow) residuals in units
    double* q_start;            // (nq) where it began
    double *q, *q_trial;        // (nq) where it is, where it is tried
    double* q_saved;            // (nq)
    double* v_start;            // (nv)
    double *y, *dq;             // (nv)
    double* row_space_part;     // (nv)
    double* fixed_jacobian;     // (nheld_row x nv) rows of the held joints
    double* nearest_work;       // scratch of cd_assembly_step_to_targets
    int     iterations;

    // cd_assembly_least_squares
    bool    dense;                       // solved directly; else by iteration
    bool    use_gram_matrix;             // few rows beside velocities: A A' is factored instead of A
    double *A, *work;                    // (nrow + nv) x nv; few: A (nrow x nv)
    double *velocity_si, *multiplier_si; // (nv), (rows) velocities and multipliers in SI units, scratch
    double* gram;                        // few: (nrow x nrow) A A' and its factor
    int*    pivot;                       // (nv)
    double *b, *r, *s, *p;               // (nrow + nv) each
} cd_assembly;

// Cut joints with exact values become locks. False without memory.
bool cd_assembly_init(cd_assembly* a, cardan_data* d, const cardan_start* start);
void cd_assembly_destroy(cd_assembly* a);

// [m] Rounding of a gap: what is far from the origin has no more digits, and every link on the way turns by rounding.
double cd_position_violation_roundoff(cardan_data* d);
// Which velocities may move, and how firmly they are held.
void cd_assembly_set_unknowns(cd_assembly* a, bool velocity_level, bool fixed_released);
// Whether the joint is held at this level.
bool cd_assembly_is_fixed(const cd_assembly* a, const cd_fixed_joint* h);
// c at the state of the data, in units; the largest of them.
double cd_assembly_residual(cd_assembly* a, double* c);
// A = d c / d y at the state of the data, y = dq * unit * firm (nfree).
void cd_assembly_update_jacobian(cd_assembly* a);
void cd_assembly_apply(const cd_assembly* a, const double* y, double* c);            // c = A y
void cd_assembly_apply_transposed(const cd_assembly* a, const double* c, double* y); // y = A'c
// y with the least |A y - b|^2 + mu |y|^2, of several the shortest. False where something is not finite.
bool cd_assembly_least_squares(cd_assembly* a, double mu, const double* b, double* y);

// Joints that close loops count in what moves least. Their coordinates; how far they are from what was wished for, in
// units, s0 (or NULL) and the largest.
int    cd_assembly_count_targets(const cd_assembly* a);
double cd_assembly_target_errors(cd_assembly* a, double* s0);
// y: the way back of what the tree has (nfree, in units), to the change along the closed positions that comes nearest
// to it and to all wishes.
bool                cd_assembly_step_to_targets(cd_assembly* a, double* y);
size_t              cd_assembly_target_work_size(const cd_assembly* a); // doubles of its scratch, at most
static const double cd_design_violation_tolerance = 1e-6; // in units: a gap of the drawing, no rounding of it
static const double cd_guess_weight               = 10;   // beside joints of which nothing is said

// Positions until the residual is zero or cannot get smaller; returns the largest residual left.
double cd_assembly_solve_positions(cd_assembly* a);
// The same without leaving points where no step has a direction.
double cd_assembly_minimize_residual(cd_assembly* a);
// Coordinates that may move beside a->kept by up to `size` rad or lengths, all of them to one side (try 0) or to both,
// different from try to try.
void cd_assembly_perturb(cd_assembly* a, double size, int attempt);
// Where positions did not close: from poses that do, along exact values, and from other starts. `left`: the largest
// residual; where nothing was found all is as before. False without memory.
bool cd_assembly_solve_by_continuation(cd_assembly* a, double* violation_after);
// Before they are closed: from the drawn pose along exact values that are far from it, where nothing is guessed. False
// without memory.
bool cd_assembly_continue_from_design(cd_assembly* a);
// Along the closed positions back towards where it began, as far as that goes.
void   cd_assembly_minimize_change(cd_assembly* a);
double cd_assembly_solve_velocities(cd_assembly* a);
// Closed velocities back towards those that were wished for.
void cd_assembly_minimize_velocity_change(cd_assembly* a);

// Whether a constraint takes part in a gap that cannot be closed, or with a row that is driven: there A'c = 0, so c
// itself says who pulls against whom.
bool cd_assembly_is_involved(const cd_assembly* a, int constraint, bool driven);
bool cd_assembly_driver_is_involved(const cd_assembly* a, int constraint); // one of its drivers does

// All joints as drawn.
void cd_assembly_set_design(cd_assembly* a);
// Whether anything can move at the state set, at first order, with nothing held. Chooses velocities.
bool cd_assembly_can_move(cd_assembly* a);

// At a singular pose, where closed velocities begin no motion: those of the branch that is nearest to what was wished
// for. *moved: false where there is nothing to change, or no branch is found. False without memory.
typedef struct cd_velocity_branch {
    int    row;                       // of the closure, that depends on others there
    int    velocity;                  // in which the next branch differs most, or CARDAN_NONE,
    double chosen_value, other_value; // and what it is in both
} cd_velocity_branch;
bool cd_assembly_choose_branch(cd_assembly* a, cd_velocity_branch* found, bool* changed);

// The joint as its bodies were drawn: frame of the second body in that of the first.
cardan_pose cd_joint_design_pose(const cardan_model* m, int j);
// Coordinates of the joint in the drawing: free joints are where their bodies were drawn, all others at zero.
void cd_joint_design_coordinates(const cardan_model* m, int j, double* q);
// The joint's motion at q: frame of the second body in that of the first; and its relative twist (w, v) in the second's
// axes.
cardan_pose cd_joint_pose(const cd_joint_info* joint, const double* q);
void        cd_joint_twist(const cd_joint_info* joint, const double* q, const double* v, double twist[6]);
