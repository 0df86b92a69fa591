// SPDX-License-Identifier: BSD-3-Clause
// Members of cardan_data, the memory of one evaluation or simulation of a model, in groups.
#pragma once

#include "constraint/constraint_set.h"
#include "dynamics/contacts/contacts.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/rank/undetermined_motion.h"
#include "dynamics/inputs/driven_input.h"
#include "dynamics/gear_losses.h"
#include "dynamics/rows/blocked_evaluation.h"
#include "dynamics/reactions/joint_reactions.h"
#include "dynamics/reactions/reaction_loads.h"
#include "dynamics/projection/nonholonomic.h"
#include "dynamics/solver_history.h"
#include "equation/grab_force.h"
#include "force/force.h"
#include "force/joint_forces.h"
#include "formulation/formulation.h"
#include "kinematics/world_motion.h"

#include <cardan/dynamics.h>
#include <cardan/interact.h>

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

// Which cached quantities belong to the state that is set.
typedef struct cd_valid_quantities {
    bool world, off_tree_joints, referenced_joints, forces, constraint_values, rows, gamma, factor, solution;
    bool correction;               // solve.correction is that of the position violation of the last accelerations
    bool state_stale;              // driver values or history changed: set the state again even if it is equal
    bool link_wrenches_not_summed; // link wrenches in k are not yet accumulated along the tree
} cd_valid_quantities;

// Settings of the callers that change the equations or their solution.
typedef struct cd_data_settings {
    bool*  is_constraint_disabled; // (nconstraint) constraints that are switched off
    bool   has_disabled_constraint;
    bool*  is_force_disabled;     // (nforce) force elements that are switched off
    double baumgarte_rate;        // [1/s] p in gamma - 2 p cdot - p^2 c; 0: none
    double velocity_damping_rate; // [1/s] beta in gamma - beta cdot; a step of 1/beta removes cdot; 0: none
    bool   near_singular;         // set by the integrator near a singular configuration
    // The caller guarantees independent rows: the tolerance of null pivots is not enlarged by the violation.
    bool assume_full_rank;
    // Accelerations are solved together with the correction dx of the position violation, with the same factor.
    bool                 want_position_correction;
    const cd_stop_state* frozen_stops; // (njoint_force) state of the stops during a step; else NULL
    char* undecidable_rank_message;    // set by assembly: message about undecidable rank (near_redundancy.h), or NULL
} cd_data_settings;

// Violation of the constraints at the state, infinity norms.
typedef struct cd_violations {
    double position, velocity;       // in units of the rows; compared with tolerances
    double position_si, velocity_si; // [m, rad], [m/s, rad/s]
} cd_violations;

typedef struct cd_unit_scales {
    double length_scale; // [m] cd_compute_length_scale
    double length_unit;  // [m] min(1, 10 length_scale), unit of position violations
    // (rows.nrow, nv) 1 / unit: 1 for rotations, 1 / length_unit for translations; NULL: all 1
    double *row_unit_inverse, *velocity_unit_inverse;
} cd_unit_scales;

// Inputs set by the caller: cardan_data_set_external_forces, cardan_data_grab, cardan_data_set_driver and
// cardan_data_drive_joint.
typedef struct cd_external_inputs {
    bool             has_forces;
    double*          effort; // (nv_joint)
    spatial*         wrench; // (nbody) world axes, at the mass centre
    int              ngrab;  // slots up to the last active one
    cd_grab          grab[CARDAN_GRABS_MAX];
    double*          driver_values;      // (3 x ndriver_function) values, rates, accelerations
    bool*            is_driver_external; // (ndriver_function) driver_values replaces the driver function
    cd_driven_input* driven;             // (ndriver_function) of drivable coordinates: target, filtered
    unsigned long    input_revision;     // number of changes of these inputs by the caller
} cd_external_inputs;

// Off-tree joints used by force elements or formulas, or with several axes.
typedef struct cd_referenced_joints {
    int*  joint; // (count)
    int   count;
    bool* is_referenced; // (njoint)
} cd_referenced_joints;

// cd_update_forces
typedef struct cd_applied_forces {
    const cd_force_type**         type;                // (nforce) type of each force element
    double*                       signal;              // (nsignal) inputs of the formulas
    double*                       formula_value;       // (nformula + 3 nbristle) force components, state rates
    double*                       tape_scratch;        // scratch of the tapes
    double*                       effort;              // (nv_joint) generalized forces along the coordinates
    spatial*                      wrench;              // (nlink) applied wrenches at the link origin, link axes
    bool                          no_efforts;          // no effort is applied, only gravity acts
    bool                          has_wrenches;        // some wrench may be nonzero
    double                        wrench_power;        // [W] power of the wrenches, valid if has_wrenches
    double                        stored_power;        // [W] rate of the energy stored in force elements
    bool                          has_off_tree_forces; // force elements act on off-tree joints
    struct cd_compliant_contacts* compliant;           // contacts/compliant_contacts.h; NULL: none
    cd_referenced_joints          referenced;
} cd_applied_forces;

// Blocks and compliances of the constraint rows and the rotor rows, if there are rotors.
typedef struct cd_rotor_rows {
    cd_row_block* block;
    double*       compliance;
} cd_rotor_rows;

// Right-hand sides and results of solves.
typedef struct cd_solve_vectors {
    double*                bias_effort;    // (nv) bias force c: ID(q, v, 0) minus applied wrenches
    double*                r;              // (nv) effort - bias_effort
    double *               gamma, *lambda; // (solver_rows.nrow) J a = gamma; multipliers of the last solve
    double *               row_rhs, *correction_multiplier; // (solver_rows.nrow) of corrections
    double*                correction;                      // (nv)
    bool*                  redundant_row;                   // (solver_rows.nrow)
    long                   nfactorization;                  // number of factorizations so far
    cd_undetermined_search undetermined;
    cd_nonholonomic_work   nonholonomic;
    cd_rotor_rows          rotor_rows;
} cd_solve_vectors;

typedef struct cd_data_scratch {
    double* nv;         // (nv)
    double* zero_nv;    // (nv) constant zeros
    double* impulse;    // (2 x nv) mobility of a point: generalized impulse, velocity change
    int* joint_space_v; // (nv), J (CD_CONSTRAINT_ROWS_MAX x nv): memory of cd_joint_space_block without J of all rows
    double*  joint_space_J;
    spatial* twist;             // (nlink) of cd_jacobian_*, entry [-1] is ground
    double*  rotor_force;       // (rotors.nrow)
    rigid*   composite_inertia; // (nlink) cardan_data_mass_matrix
    double*  output_value;      // (noutput_value) outputs, then the stop condition
    double*  state_rate;        // (nstate + 1)
} cd_data_scratch;

// cardan_data_set_compiled_code; NULL: none
typedef struct cd_compiled_functions {
    cd_rhs_function               rhs;
    cd_rhs_jacobian_function      rhs_jacobian;
    cd_residual_function          residual;
    cd_residual_jacobian_function residual_jacobian;
} cd_compiled_functions;

typedef struct cd_data_memory {
    cd_arena    arena, work_arena;
    cd_threads* threads; // NULL: single thread
} cd_data_memory;

struct cardan_data {
    const cardan_model*   m;
    const cd_formulation* formulation;
    void*                 formulation_work; // work memory of the formulation
    cd_data_memory        memory;

    // state and inputs
    double             t;
    double*            q;     // (nq_joint) from nq on: off-tree joints, computed by cd_update_off_tree_joints
    double*            v;     // (nv_joint)
    double*            state; // (nstate)
    cd_external_inputs external;
    cd_data_settings   settings;

    // computed at the state
    cd_valid_quantities   valid;
    cd_kinematics         k;
    cd_world_motion       world;
    cd_applied_forces     forces;
    cd_gear_losses        gear_losses;
    cd_reaction_loads     reaction_loads;
    cd_constraint_set     constraints;
    cd_constraint_set     rotors;      // rotors of off-tree joints
    cd_rows               rows;        // constraint rows
    cd_rows               solver_rows; // rows passed to the formulation: constraint rows, then rotor rows
    cd_violations         violations;
    cd_unit_scales        units;
    cd_blocked_evaluation blocked;
    cd_contacts*          contacts; // rigid contacts; NULL: the model has none

    // solution
    // Policy passed to the formulation. redundancy_error, pivot_floor, the residual tolerances and CD_RANK_FROZEN are
    // set by callers; violations and the other rank modes by each factorization.
    cd_solve_policy       policy;
    cd_solver_history     history;
    cd_solve_vectors      solve;
    cd_reaction_work      reactions;
    cd_compiled_functions compiled;
    cd_data_scratch       scratch;
};

// The equations at the state as input of the formulation.
static inline cd_problem cd_problem_of(cardan_data* d)
{
    return (cd_problem){d->m, &d->k, &d->solver_rows, &d->policy};
}
// Whether forces depend on multipliers: losses of gears, and forces that read reactions.
static inline bool cd_has_load_dependent_forces(const cardan_data* d)
{
    return d->constraints.nlossy > 0 || d->reaction_loads.n > 0;
}
// Create data without a formulation, for kinematics and constraints only. No solve is possible with it.
cardan_status cd_data_create_without_formulation(const cardan_model* m, cardan_data** data, cardan_report* report);
