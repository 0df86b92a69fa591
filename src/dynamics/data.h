// SPDX-License-Identifier: BSD-3-Clause
// Members of cardan_data, the memory of one evaluation or simulation of a model. The fields are grouped by the
// function that computes them. A field <quantity>_valid is true while the cached quantity belongs to the state that
// is set.
#pragma once

#include "constraint/constraint_set.h"
#include "dynamics/rank/undetermined_motion.h"
#include "dynamics/gear_losses.h"
#include "dynamics/rows/blocked_evaluation.h"
#include "dynamics/reactions/joint_reactions.h"
#include "dynamics/projection/nonholonomic.h"
#include "dynamics/solver_history.h"
#include "force/force.h"
#include "force/joint_forces.h"
#include "formulation/formulation.h"
#include "kinematics/world_motion.h"

#include <cardan/dynamics.h>

// Right-hand side in generated code: accelerations, state rates and power, with inactive stops, without external
// forces and without Baumgarte terms. The results are NaN if the pivots chosen at the trace state are invalid at this
// state; the return code names the constraint and is ignored here.
typedef int (*cd_rhs_function)(const double* q, const double* v, const double* effort, const double* state, double t,
                               double* a, double* state_rate, double* power);

// Jacobian of the generated right-hand side, matrices in row-major order: accelerations and state rates by q (tangent
// space), v and user states.
typedef int (*cd_rhs_jacobian_function)(const double* q, const double* v, const double* effort, const double* state,
                                        double t, double* a_q, double* a_v, double* a_state, double* rate_q,
                                        double* rate_v, double* rate_state);

// Residual in generated code, used by implicit integrators, at given accelerations and multipliers: residual r of the
// equations of motion, state rates, constraint values c, their rates and accelerations.
typedef void (*cd_residual_function)(const double* q, const double* v, const double* a, const double* effort,
                                     const double* state, double t, const double* multiplier, double* r,
                                     double* state_rate, double* c, double* c_rate, double* c_acceleration);
// Jacobian of the generated residual, column-major, all outputs in one column; then the mass matrix M and the
// Jacobian J.
typedef void (*cd_residual_jacobian_function)(const double* q, const double* v, const double* a, const double* effort,
                                              const double* state, double t, const double* multiplier, double* by_q,
                                              double* by_v, double* by_state, double* M, double* J);

struct cardan_data {
    const cardan_model*   m;
    const cd_formulation* formulation;
    int                   formulation_index;
    cd_arena              arena, work_arena;
    void*                 formulation_work;  // work memory of the formulation
    const cd_force_type** force_type;        // (nforce) type of each force element
    bool*                 is_force_disabled; // (nforce) force elements that are switched off

    // cardan_data_set_state
    double        t;
    double*       q;     // (nq_joint) from nq on: off-tree joints, computed by cd_update_off_tree_joints
    double*       v;     // (nv_joint)
    double*       state; // (nstate)
    cd_kinematics k;
    cd_rows       rows;        // constraint rows
    cd_rows       solver_rows; // rows passed to the formulation: constraint rows, then rotor rows
    // Policy passed to the formulation. redundancy_error, pivot_floor, the residual tolerances and CD_RANK_FROZEN are set
    // by callers; violations and the other rank modes by each factorization.
    cd_solve_policy   policy;
    cd_solver_history history;
    bool*             is_constraint_disabled; // (nconstraint) constraints that are switched off
    bool              has_disabled_constraint;
    cd_threads*       threads;       // NULL: single thread
    bool*             redundant_row; // (nrow)
    int*    referenced_joints; // (nreferenced) off-tree joints used by force elements or formulas, or with several axes
    int     nreferenced;
    bool*   is_referenced; // (njoint)
    double  length_scale;  // [m] cd_compute_length_scale
    double  length_unit;   // [m] min(1, 10 length_scale), unit of position violations
    double *row_unit_inverse,
        *velocity_unit_inverse; // (rows.nrow, nv) 1 / unit: 1 for rotations, 1 / length_unit for translations; NULL: all 1
    bool world_valid, off_tree_joints_valid, referenced_joints_valid, forces_valid, constraint_values_valid, rows_valid,
        gamma_valid, factor_valid, solution_valid;
    // The caller guarantees independent rows: the tolerance of null pivots is not enlarged by the violation.
    bool  assume_full_rank;
    bool  state_stale;              // driver values or history changed: set the state again even if it is equal
    long  nfactorization;           // number of factorizations so far
    char* undecidable_rank_message; // message about undecidable rank (near_redundancy.h), or NULL

    // cardan_data_set_external_forces
    bool     has_external_forces;
    double*  external_effort; // (nv_joint)
    spatial* external_wrench; // (nbody) world axes, at the mass centre

    // cardan_data_set_driver
    double* external_driver_values; // (3 x ndriver_function) values, rates, accelerations set by the caller
    bool*   is_driver_external;     // (ndriver_function) external_driver_values replaces the driver function

    // cd_update_world
    cd_world_motion world;

    bool link_wrenches_not_summed; // link wrenches in k are not yet accumulated along the tree

    // cd_update_constraint_values, cd_update_rows
    cd_constraint_set constraints;
    double            unscaled_violation, unscaled_velocity_violation; // [m, rad], [m/s, rad/s] infinity norms
    double            violation, velocity_violation; // the same in units of the rows; compared with tolerances
    cd_constraint_set rotors;                        // rotors of off-tree joints
    int* joint_space_v; // (nv), J (CD_CONSTRAINT_ROWS_MAX x nv): memory of cd_joint_space_block without J of all rows
    double*       joint_space_J;
    spatial*      twist; // (nlink) scratch of cd_jacobian_*, entry [-1] is ground
    cd_row_block* solver_block;
    double*       compliance;
    double*       rotor_force;           // (rotors.nrow) scratch
    double        baumgarte_rate;        // [1/s] p in gamma - 2 p cdot - p^2 c; 0: none
    double        velocity_damping_rate; // [1/s] beta in gamma - beta cdot; a step of 1/beta removes cdot; 0: none
    double*       gamma;                 // (solver_rows.nrow) J a = gamma
    double*       lambda;                // (solver_rows.nrow) multipliers of the last solve
    bool          near_singular;         // set by the integrator near a singular configuration

    cd_blocked_evaluation blocked;
    const cd_stop_state*  frozen_stops; // (njoint_force) state of the stops during a step; else NULL

    // cd_update_forces
    double*  signal;              // (nsignal) inputs of the formulas
    double*  formula_value;       // (nformula) force components, then state rates
    double*  tape_scratch;        // scratch of the tapes
    double*  effort;              // (nv_joint) generalized forces along the coordinates
    spatial* wrench;              // (nlink) applied wrenches at the link origin, link axes
    bool     no_efforts;          // no effort is applied, only gravity acts
    bool     has_wrenches;        // some wrench may be nonzero
    double   wrench_power;        // [W] power of the wrenches, valid if has_wrenches
    double   stored_power;        // [W] rate of the energy stored in force elements
    bool     has_off_tree_forces; // force elements act on off-tree joints

    // cardan_accelerate
    double* bias_effort; // (nv) bias force c: ID(q, v, 0) minus applied wrenches
    double* r;           // (nv) effort - bias_effort
    double* scratch_nv;  // (nv)
    double* zero_nv;     // (nv) constant zeros

    cd_undetermined_search undetermined;

    // cd_apply_gear_losses
    cd_gear_losses gear_losses;

    // cardan_reactions
    cd_reaction_work reactions;

    // cardan_accelerate, if want_position_correction: also solves for the correction dx of the position violation, with
    // the factor of the accelerations
    bool want_position_correction, correction_valid;

    // cardan_project
    double *             row_rhs, *correction_multiplier; // (solver_rows.nrow) right-hand side, multipliers
    double*              correction;                      // (nv)
    cd_nonholonomic_work nonholonomic;

    // cardan_data_set_compiled_code
    cd_rhs_function               compiled_rhs; // NULL: none
    cd_rhs_jacobian_function      compiled_rhs_jacobian;
    cd_residual_function          compiled_residual; // NULL: none
    cd_residual_jacobian_function compiled_residual_jacobian;
    double*                       state_rate; // (nstate + 1) scratch

    // cardan_mass_matrix, cardan_evaluate_outputs
    rigid*  composite_inertia; // (nlink)
    double* output_value;      // (noutput_value) outputs, then the stop condition
};

// The equations at the state as input of the formulation.
static inline cd_problem cd_problem_of(cardan_data* d)
{
    return (cd_problem){d->m, &d->k, &d->solver_rows, &d->policy};
}
// Create data without a formulation, for kinematics and constraints only. No solve is possible with it.
cardan_status cd_data_create_without_formulation(const cardan_model* m, cardan_data** data, cardan_report* report);
// Square of the smallest singular value of the rows, relative to its maximum along the run, below which a
// configuration counts as near singular: there a position violation is amplified a thousandfold in the accelerations.
static const double cd_near_singular_ratio_sq = 1e-3;
// Accepted difference between redundant driver functions [rad, length_scale]: round-off of their evaluation.
static const double cd_driver_redundancy_tolerance = 1e-11;
