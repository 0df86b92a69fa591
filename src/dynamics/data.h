// SPDX-License-Identifier: BSD-3-Clause
// Members of cardan_data, the memory of one evaluation or simulation of a model. The fields are grouped by the
// function that computes them. A field <quantity>_valid is true while the cached quantity belongs to the state that
// is set.
#pragma once

#include "constraint/constraint_set.h"
#include "dynamics/rank/undetermined_motion.h"
#include "dynamics/gear_losses.h"
#include "dynamics/blocked_evaluation.h"
#include "dynamics/reactions/joint_reactions.h"
#include "dynamics/projection/nonholonomic.h"
#include "force/force.h"
#include "force/joint_forces.h"
#include "formulation/formulation.h"
#include "kinematics/world_motion.h"

#include <cardan/dynamics.h>

// Set the state without the checks of cardan_data_set_state. Integrator stages and searches may try states that are
// not finite; the failure is detected later, by cardan_accelerate.
cardan_status cd_data_set_state(cardan_data* data, double t, const double* q, const double* v, const double* state);

// Resolve CARDAN_FORMULATION_AUTO to the formulation chosen for a model (automatic_formulation.c).
cardan_status cd_resolve_automatic_formulation(const cardan_model* model, int* formulation, cardan_report* report);

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
    cd_solve_policy policy;
    bool*           is_constraint_disabled; // (nconstraint) constraints that are switched off
    bool            has_disabled_constraint;
    cd_threads*     threads;       // NULL: single thread
    bool*           redundant_row; // (nrow)
    int*    referenced_joints; // (nreferenced) off-tree joints used by force elements or formulas, or with several axes
    int     nreferenced;
    bool*   is_referenced; // (njoint)
    double  length_scale;  // [m] cd_compute_length_scale
    double  length_unit;   // [m] min(1, 10 length_scale), unit of position violations
    double *row_unit_inverse,
        *velocity_unit_inverse; // (rows.nrow, nv) 1 / unit: 1 for rotations, 1 / length_unit for translations; NULL: all 1
    bool row_unit_inverse_valid;
    bool world_valid, off_tree_joints_valid, referenced_joints_valid, forces_valid, constraint_values_valid, rows_valid,
        gamma_valid, factor_valid, solution_valid;
    // The caller guarantees independent rows: the tolerance of null pivots is not enlarged by the violation.
    bool  assume_full_rank;
    bool  state_stale;               // driver values or history changed: set the state again even if it is equal
    bool  has_factor;                // the formulation has a factor, of this or of an earlier state
    long  nfactorization;            // number of factorizations so far
    char* undecidable_rank_message;  // message about undecidable rank (near_redundancy.h), or NULL
    bool  explanation_out_of_memory; // no memory while a failure was analysed: report that instead of the cause
    bool  use_sharp_rank_test; // redundant rows are decided by geometry, not by pivots (CD_GEOMETRIC_RANK_PERSISTENT)

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
    double        position_scale; // [length_unit] size of the positions, scale of their round-off; 0: not computed yet
    double*       gamma;          // (solver_rows.nrow) J a = gamma
    double*       lambda;         // (solver_rows.nrow) multipliers of the last solve
    cd_pivot_conditioning conditioning;      // of the rows at the last accelerations
    bool                  near_singular;     // set by the integrator near a singular configuration
    double                max_min_pivot_rel; // largest min_pivot_rel of the run so far; 0: unknown

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

// Create data without a formulation, for kinematics and constraints only. No solve is possible with it.
cardan_status cd_data_create_without_formulation(const cardan_model* m, cardan_data** data, cardan_report* report);
// Compute world poses and velocities if they are stale.
void cd_update_world(cardan_data* d);
// Compute coordinates and velocities of all off-tree joints if they are stale.
void cd_update_off_tree_joints(cardan_data* d);
// The same for the referenced joints only. cd_find_referenced_joints determines these once, when the data are
// created.
void cd_update_referenced_joints(cardan_data* d);
void cd_find_referenced_joints(cardan_data* d);
// Evaluate the constraints at the state: values and rates; values, rates and J; or values, rates, J and gamma.
void cd_update_constraint_values(cardan_data* d);
void cd_update_constraint_values_and_rows(cardan_data* d); // without gamma, for callers that check the violation first
void cd_update_rows(cardan_data* d);
// Joint-space rows of constraint i, valid until the next call. The rows must be up to date, as for the functions
// below.
void         cd_jacobian_layout(const cardan_model* m, cd_arena* arena, cardan_data* d);
cd_row_block cd_joint_space_block(const cardan_data* d, const cd_constraint_set* constraints, int i);
// cd_twists_of: twists of the links (nlink, [-1] ground) in world axes for velocities x, valid until the next of
// these calls. cd_jacobian_times: y (nrow) = J x. cd_add_jacobian_transposed_times: x (nv) += J'lambda.
const spatial* cd_twists_of(const cardan_data* d, const double* x);
void           cd_jacobian_times(const cardan_data* d, const cd_rows* rows, const double* x, double* y);
void cd_add_jacobian_transposed_times(const cardan_data* d, const cd_rows* rows, const double* lambda, double* x);
// Compute rows.gamma_scale if it is 0; used when a row residual seems too large.
void cd_update_gamma_scale(cardan_data* d);
// Set values, rates, rows and gamma of disabled constraints to zero.
void cd_zero_disabled_values(cardan_data* d);
void cd_zero_disabled_rows(cardan_data* d);
// Set the rows of constraints whose coefficients are only round-off to zero (negligible_constraint.c).
void cd_zero_negligible_constraints(cardan_data* d);
// Invalidate everything computed from the rows, after the rows changed at the same state.
void cd_invalidate_rows(cardan_data* d);
// Compute bias force and right-hand side r at the state.
void cd_update_rhs(cardan_data* d);
// Compute link wrenches, rows and gamma in one outward sweep, a few links at a time, for formulations in tree
// coordinates that take link wrenches one by one (CD_USES_LINK_WRENCHES).
void cd_update_link_wrenches_and_rows(cardan_data* d);
// The equations at the state as input of the formulation.
static inline cd_problem cd_problem_of(cardan_data* d)
{
    return (cd_problem){d->m, &d->k, &d->solver_rows, &d->policy};
}
// Factorize with the formulation at the state unless the factor is valid.
cardan_status cd_update_factor(cardan_data* d, cd_solve_info* info);
// Solve M a + J'lambda = r, J a = gamma with the existing factor, for other right-hand sides than those of the state.
cardan_status cd_solve_with_factor(cardan_data* d, const double* r, const double* gamma, double* a, double* lambda,
                                   cd_solve_info* info);
// Solve M dx + J'y = 0, J dx = s with the existing factor; without refinement if the formulation offers that.
cardan_status cd_solve_correction(cardan_data* d, const double* s, double* dx);
// Solve M dx + J'y = 0, J dx = s (solver_rows.nrow) for dx (nv) with the existing factor. Rows that this factor
// treats as redundant keep their residual. Returns CARDAN_NOT_FINITE if dx is not finite.
cardan_status cd_min_norm_correction(cardan_data* d, const double* s, double* dx);
// Correct dx (nv) of the position level: relax nonholonomic rows where holonomic rows that depend on them remain
// violated.
void cd_correct_nonholonomic(cardan_data* d, const double* s, double* dx);
// Square of the smallest singular value of the rows, relative to its maximum along the run, below which a
// configuration counts as near singular: there a position violation is amplified a thousandfold in the accelerations.
static const double cd_near_singular_ratio_sq = 1e-3;
// Project the state onto the constraints near a singular configuration, to round-off, without changing the branch.
cardan_status cd_project_near_singular(cardan_data* d);
// Test whether the velocity correction d->correction is plausible for so small a violation.
bool cd_velocity_correction_is_plausible(const cardan_data* d, double violation);
// Reset the winding numbers of all joints and constraints to the start of the model.
void cd_reset_winding_numbers(cardan_data* d);
// Set the state; keep all cached quantities if it equals the current state.
cardan_status cd_data_set_state_if_changed(cardan_data* d, double t, const double* q, const double* v,
                                           const double* state);
// After cardan_accelerate at a state that nearly satisfies the constraints: correct the positions q (nq) and the
// velocities v (nv; or NULL) once with the factor of that solve. Returns false if one correction is not sufficient.
bool cd_project_with_current_factor(cardan_data* d, double* q, double* v);
// cd_data_set_time: set time and user states only and invalidate all cached quantities. cd_update_gamma_range:
// compute gamma of n rows from their evaluated equations.
void cd_data_set_time(cardan_data* d, double t, const double* state);
void cd_update_gamma_range(cardan_data* d, int first, int n, const cd_constraint_equations* equations);
// Set new velocities at the same position.
void cd_data_set_velocity(cardan_data* d, const double* v);
// y (nv) = M x, by inverse dynamics at the state.
void cd_mass_matrix_times(cardan_data* d, const double* x, double* y);
// Constrained response a (nv) to a force r (nv): M a + J'lambda = r, J a = 0. With r = M x it is the mass-orthogonal
// projection of x onto the admissible velocities.
cardan_status cd_constrained_response(cardan_data* d, const double* r, double* a);
// Compute signals, formulas, efforts and wrenches at the state if they are stale.
void cd_update_forces(cardan_data* d);
// Rotors of off-tree joints: lay out their rows behind the constraint rows; add their inertia forces to effort (a
// NULL: zero) and their inertia to M (both triangles); compute their kinetic energy.
void   cd_rotor_rows_layout(cd_arena* arena, cardan_data* d);
void   cd_add_rotor_efforts(cardan_data* d, const double* a, double* effort);
void   cd_add_rotor_inertia(cardan_data* d, double* M);
double cd_rotor_energy(cardan_data* d);
// Evaluate the inputs of the formulas.
void cd_evaluate_signals(cardan_data* d, double* signal);

// Gear losses, which depend on the multipliers: solve again with the losses included; subtract the losses from the
// efforts.
cardan_status cd_apply_gear_losses(cardan_data* d, double* a, cd_solve_info* info);
void          cd_clear_gear_losses(cardan_data* d);
// Gear losses at given multipliers: replace the losses in the efforts; add their derivatives by the multipliers, with
// the drive direction fixed by cd_set_gear_losses, to the columns of by_lambda (nv x nrow).
void          cd_set_gear_losses(cardan_data* d, const double* lambda);
void          cd_add_gear_loss_jacobian(cardan_data* d, double* by_lambda);
cardan_status cd_fail_jammed(const cardan_data* d, int row, cardan_report* report);
// Whether generated code computes the same as cardan_accelerate with the present settings of the data.
bool cd_can_use_generated_rhs(const cardan_data* d);
bool cd_can_use_generated_residual(const cardan_data* d); // the same for the residual
// Compare the generated residual with that of the library at the state, for a = 0 and lambda = 0. Returns the largest
// difference relative to the largest entry. Scratch: 3 (nv + nstate + 3 nrow).
double cd_generated_residual_error(cardan_data* d, double* scratch);
// Compare the generated accelerations with a at the state. Returns the largest difference relative to the largest
// entry of a, or 0 if the generated code does not apply.
double cd_generated_rhs_error(cardan_data* d, const double* a);
// Compare generated accelerations with those of the library at the state. Where large terms cancel, as forces of
// stiff springs do, both contain amplified round-off: a difference counts as at most 1e-8 if a relative perturbation
// of 1e-13 of the state changes the accelerations by a tenth of it or more.
double cd_compare_generated_accelerations(cardan_data* d, const double* a, const double* generated);
// Power of all nonconservative forces [W], as defined in cardan_energy.
double cd_nonconservative_power(cardan_data* d);
// Power of the drivers [W], at the state solved last.
double cd_driver_power(const cardan_data* d);

// cd_row_is_torque: whether the multiplier of a row is a torque, that is the row constrains rotations only.
// cd_driver_of_row: driver function of a row, or -1.
bool cd_row_is_torque(const cd_constraint* c, int row);
int  cd_driver_of_row(const cd_constraint* c, int row);
// Accelerations (nv) caused by the accelerations of the driver functions alone, at zero velocities. Returns false if
// there are none.
bool cd_driver_accelerations(cardan_data* d, double* a);
// Whether the drivers are at standstill: all rates are zero, and all accelerations too if with_accelerations.
bool cd_drivers_are_at_standstill(cardan_data* d, bool with_accelerations);
// List the drivers in motion that are connected with constraint `constraint` (CARDAN_NONE: any) and supply the most
// power at the state solved last; near a configuration that cannot be passed, driver efforts grow without bound.
// Text: "driver of 'bore'", several joined by "and". Returns the constraint number of the first driver, or
// CARDAN_NONE.
int cd_drivers_by_power(const cardan_data* d, int constraint, char* text, size_t size);
// List the drivers at the workspace limit. The state is advanced by a small time and assembled in the breadth-first
// tree; drivers whose rows keep a violation are listed. Text and result as above; CARDAN_NONE if there is no such
// violation.
int cd_drivers_at_limit(cardan_data* d, char* text, size_t size);
// The same in any coordinates; if the violation is unknown, the drivers of most power. Returns the source location of
// the driver, or none.
cardan_location cd_driver_limit_location(cardan_data* d, int constraint, char* text, size_t size);
// [m] Half the largest extent of joints and mass centres in the design configuration; a radius of gyration if these
// coincide; 1 if no body has one.
double cd_design_length(const cardan_model* m);
// [m] Largest arm of a link or of a constraint end. If all arms are round-off: 1 m, clamped to [1, 10] times the design
// length.
double cd_compute_length_scale(const cardan_data* d);
// Position and velocity violation of the state in units of their rows: rad, and length_unit for translations.
// Tolerances on them are independent of the size of the mechanism.
void cd_scaled_violations(cardan_data* d, double* position, double* velocity);
// Infinity norm of x (nv) in such units.
double cd_velocity_norm_inf(const cardan_data* d, const double* x);
void   cd_update_velocity_unit_inverse(cardan_data* d);
void   cd_update_row_unit_inverse(cardan_data* d);
// Infinity norm of n values in units of their rows, from row `first` on.
double cd_row_norm_inf(const cardan_data* d, int first, int n, const double* x);
struct cardan_motors;
// Mark the motors that cause motions which the preceding motors do not cause, at the state.
cardan_status cd_find_independent_motors(struct cardan_motors* motors, bool* chosen);
struct cardan_joint_start;
// Assemble to a configuration near the start, without report.
cardan_status cd_assemble_locally(cardan_data* d, const struct cardan_joint_start* start);
// Report that drivers cannot be followed; cd_fail_explanation_memory: report that memory ran out during the analysis.
cardan_status cd_fail_explanation_memory(cardan_data* d, cardan_report* report); // if explanation_out_of_memory
cardan_status cd_fail_driver_limit(cardan_data* d, cardan_status status, cardan_report* report);
// Index of a velocity of a motion that neither inertia nor constraints determine, or CARDAN_NONE. The search is
// repeated until all motions are determined, as long as the same constraints are enabled. The rows must be up to
// date.
int cd_find_undetermined_velocity(cardan_data* d);
// Compute such a motion x (nv), or one that is determined only by less than the tolerance. Returns false if none is
// found or the system is too large for the search.
bool cd_find_undetermined_motion(cardan_data* d, double tolerance, double* x);
// Report a motion without inertia: its joint and direction, or its body if several coordinates move. v: a velocity of
// the motion, reported if the motion is not found.
cardan_status cd_fail_zero_inertia(cardan_data* d, int v, cardan_report* report);
// Report a configuration that the integrator cannot reach because a motion without inertia is nearly undetermined
// there. Returns CARDAN_OK, without a report, if there is no such motion.
cardan_status cd_fail_undetermined_motion(cardan_data* d, double t, cardan_status status, cardan_report* report);
// Accepted difference between redundant driver functions [rad, length_scale]: round-off of their evaluation.
static const double cd_driver_redundancy_tolerance = 1e-11;
// Test whether the violation of the state comes from inconsistent driver functions, and report it. nredundant: number
// of rows that are redundant in every configuration, or -1 if unknown; until time `from` the functions were
// consistent.
bool cd_report_inconsistent_drivers(cardan_data* d, int nredundant, double from, cardan_report* report);
// Report inconsistent constraints; the formulation failed at `row`.
cardan_status cd_fail_inconsistent_constraints(cardan_data* d, int row, cardan_report* report);
// Report a mass ratio too large for double precision, when a solve fails although the constraints are consistent.
// Returns CARDAN_OK, without a report, if the ratio is acceptable.
cardan_status cd_fail_mass_ratio(const cardan_data* d, cardan_status status, cardan_report* report);
// Report constraints that could not be satisfied: constraint, time and violation.
cardan_status cd_fail_constraint_violation(cardan_data* d, bool velocity_level, cardan_status status,
                                           cardan_report* report);
