// SPDX-License-Identifier: BSD-3-Clause
// Inside of the data of one simulation. Fields stand under the function that computes them.
#pragma once

#include "constraint/constraint_set.h"
#include "dynamics/rank/undetermined_motion.h"
#include "dynamics/gear_losses.h"
#include "dynamics/blocked_evaluation.h"
#include "dynamics/derived/joint_reactions.h"
#include "dynamics/projection/nonholonomic.h"
#include "force/force.h"
#include "force/joint_forces.h"
#include "formulation/formulation.h"
#include "kinematics/world.h"

#include <cardan/dynamics.h>

// cardan_data_set_state without its checks: steps and searches may try states that are not finite, and find that out
// later.
cardan_status cd_data_set_state(cardan_data* data, double t, const double* q, const double* v, const double* state);

// automatic_formulation.c: the formulation that CARDAN_AUTO means for a model.
cardan_status cd_resolve_automatic_formulation(const cardan_model* model, int* formulation, cardan_report* report);

// What a run evaluates, as generated code has it: stops open, no loads from outside, constraints without pull. Results
// are no numbers where its pivots are not those of the state; that it returns which, nobody looks at.
typedef int (*cd_rhs_function)(const double* q, const double* v, const double* effort, const double* state, double t,
                               double* a, double* state_rate, double* power);

// Its derivatives, matrices row by row: accelerations and rates of states by q (along velocities), v and states.
typedef int (*cd_rhs_jacobian_function)(const double* q, const double* v, const double* effort, const double* state,
                                        double t, double* a_q, double* a_v, double* a_state, double* rate_q,
                                        double* rate_v, double* rate_state);

// What implicit integrators solve, at accelerations and multipliers: what is left of the equations of motion, rates of
// states, constraints, their rates and accelerations;
typedef void (*cd_residual_function)(const double* q, const double* v, const double* a, const double* effort,
                                     const double* state, double t, const double* multiplier, double* r,
                                     double* state_rate, double* c, double* c_rate, double* c_acceleration);
// and its derivatives, a column of all of them after the other; mass matrix; rows of constraints.
typedef void (*cd_residual_jacobian_function)(const double* q, const double* v, const double* a, const double* effort,
                                              const double* state, double t, const double* multiplier, double* by_q,
                                              double* by_v, double* by_state, double* M, double* J);

struct cardan_data {
    const cardan_model*   m;
    const cd_formulation* formulation;
    int                   formulation_index;
    cd_arena              arena, work_arena;
    void*                 formulation_work;  // of the formulation
    const cd_force_type** force_type;        // (nforce) what each force element is
    bool*                 is_force_disabled; // (nforce) those that do not push

    // cardan_data_set_state
    double        t;
    double*       q;     // (nq_all) behind nq: joints measured by cd_update_off_tree_joints
    double*       v;     // (nv_all)
    double*       state; // (nstate)
    cd_kinematics k;
    cd_rows       rows;                   // of the closure
    cd_rows       solver_rows;            // for the formulation: rows of the closure, then those of the rotors
    bool*         is_constraint_disabled; // (nconstraint) switched off
    bool          has_disabled_constraint;
    cd_threads*   threads;       // NULL: one
    bool*         redundant_row; // (nrow)
    int*
        referenced_joints; // (nfelt) measured joints that laws or formulas look at, and those of several steps, whose
                           // turns cannot
                           // be told later
    int     nreferenced;
    bool*   is_referenced; // (njoint)
    double  length_scale;  // [m] unit of lengths, cd_compute_length_scale
    double  length_unit;   // [m] ten of them, 1 at most: the unit of gaps
    double *row_scale,
        *velocity_scale;  // (rows.nrow, nv) 1 / unit: 1 of what turns, 1 / small of what moves; NULL where all are 1
    bool row_scale_valid; // over_row is known
    bool world_valid, off_tree_joints_valid, referenced_joints_valid, forces_valid, constraint_values_valid, rows_valid,
        gamma_valid, factor_valid, solution_valid;
    bool assume_full_rank; // no row depends on others, so that gaps say nothing about pivots
    bool state_stale;      // laws are others: the state must be set anew, though it be the same
    bool has_factor;       // the formulation holds a factor, of this state or of one before
    long nfactorization;   // so far
    char*
         undecidable_rank; // the sentence about rows that neither repeat others nor say more than digits
                           // (near_redundancy.h), or NULL
    bool explanation_out_of_memory; // memory ended while a failure was looked into: what is told of it would be wrong
    bool use_geometric_rank; // geometry says which rows repeat others: pivots did not know (CD_GEOMETRIC_RANK_STICKY)

    // cardan_data_set_external_forces
    bool     has_external_forces;
    double*  external_effort; // (nv_all)
    spatial* external_wrench; // (nbody) world axes, at the mass centre

    // cardan_data_set_driver
    double* external_driver_values; // (3 x nmotion) in place of the model's ...
    bool*   is_driver_external;     // (nmotion) ... where this says so

    // cd_update_world
    cd_world_frame world;

    bool link_wrenches_not_summed; // those of links in k, not yet summed up along the tree

    // cd_update_constraint_values, cd_update_rows
    cd_constraint_set constraints;
    double            violation_si, velocity_violation_si; // largest value and rate
    double            violation, velocity_violation; // the same in units of the rows, which is what they are judged by
    cd_constraint_set rotors;                        // of joints that have no coordinates in the model
    int* joint_space_v; // (nv), and (CD_ROWS_MAX x nv): of cd_joint_space_block, where the formulation has no use for J
    double*       joint_space_J;
    spatial*      twist; // (nlink) scratch of cd_jacobian_*, [-1] ground
    cd_row_block* solver_block;
    double*       compliance;
    double*       rotor_force;           // (rotors.nrow) scratch
    double        baumgarte_rate;        // [1/s] Baumgarte: gamma - 2 pull cdot - pull^2 c; 0: none
    double        velocity_damping_rate; // [1/s] gamma - drag cdot: in a step of 1 / drag rates are gone; 0: none
    double        position_scale; // [m] size of the mechanism, to judge the rounding of gaps by; 0: not asked for yet
    double*       gamma;          // (system.nrow) J a = gamma
    double*       lambda;         // (system.nrow) multipliers of the last solve
    cd_pivot_conditioning conditioning;     // of the rows, at the last accelerations
    bool                  near_singular;    // a singular pose is near, says who follows the motion
    double                max_conditioning; // and the largest of all smallest pivots so far; 0: nobody has said

    cd_blocked_evaluation blocked;
    const cd_stop*        frozen_stops; // (nlaw) stops while a run steps; else NULL

    // cd_update_forces
    double*  signal;              // (nsignal) inputs of the formulas
    double*  formula_value;       // (nrates) components of forces, state rates
    double*  tape_scratch;        // of the tapes
    double*  effort;              // (nv_all) along the coordinates, from the model
    spatial* wrench;              // (nlink) of the model and from outside, at the link's origin, own axes
    bool     no_efforts;          // no effort is: nothing acts on the mechanism but gravity
    bool     has_wrenches;        // some wrench is not zero
    double   wrench_power;        // [W] of the wrenches, where that is so
    double   stored_power;        // [W] rate of the energy that elements store
    bool     off_tree_forces_act; // laws along measured joints push, not only watch

    // cardan_accelerate
    double* c;          // (nv) ID at a = 0
    double* r;          // (nv) Q - c
    double* scratch_nv; // (nv) scratch
    double* zero_nv;    // (nv) zeros

    cd_undetermined_search undetermined;

    // cd_apply_gear_losses
    cd_gear_losses gear_losses;

    // cardan_reactions
    cd_reaction_work reactions;

    // cardan_accelerate, where `beside` says so: dx of the gaps with the same factor
    bool want_position_correction, correction_valid;

    // cardan_project
    double *             row_rhs, *correction_multiplier; // (system.nrow) right side, multipliers
    double*              correction;                      // (nv)
    cd_nonholonomic_work nonholonomic;

    // cardan_data_set_compiled_code
    cd_rhs_function               generated_rhs; // NULL: none
    cd_rhs_jacobian_function      generated_rhs_jacobian;
    cd_residual_function          generated_residual; // NULL: none
    cd_residual_jacobian_function generated_residual_jacobian;
    double*                       state_rate; // (nstate + 1) scratch

    // cardan_mass_matrix, cardan_evaluate_outputs
    rigid*  composite_inertia; // (nlink)
    double* output_value;      // (nwatched) outputs, then the stop
};

// Data without a formulation: kinematics and constraints only, nothing is solved.
cardan_status cd_data_create_without_formulation(const cardan_model* m, cardan_data** data, cardan_report* report);
// World poses and velocities, computed when first asked for.
void cd_update_world(cardan_data* d);
// Coordinates and velocities of joints that the tree does not have.
void cd_update_off_tree_joints(cardan_data* d);
// Only of those that are felt; which they are is found once.
void cd_update_referenced_joints(cardan_data* d);
void cd_find_referenced_joints(cardan_data* d);
// Constraints at the state: values and rates; and J and gamma too.
void cd_update_constraint_values(cardan_data* d);
void cd_update_constraint_values_and_rows(cardan_data* d); // without gamma: for those who first look at gaps
void cd_update_rows(cardan_data* d);
// Rows of constraint i on velocities, valid until the next call. The rows must be known; as for the others here.
void         cd_jacobian_layout(const cardan_model* m, cd_arena* arena, cardan_data* d);
cd_row_block cd_joint_space_block(const cardan_data* d, const cd_constraint_set* constraints, int i);
// Twists of links (nlink, [-1] ground) in world axes that velocities x give; valid until the next of these calls. y
// (nrow) = J x; x (nv) += J'lambda.
const spatial* cd_twists_of(const cardan_data* d, const double* x);
void           cd_jacobian_times(const cardan_data* d, const cd_rows* rows, const double* x, double* y);
void cd_add_jacobian_transposed_times(const cardan_data* d, const cd_rows* rows, const double* lambda, double* x);
// rows.terms, for rows that do not seem to hold.
void cd_update_gamma_scale(cardan_data* d);
// What is switched off demands nothing.
void cd_zero_disabled_values(cardan_data* d);
void cd_zero_disabled_rows(cardan_data* d);
// Nor does what holds nothing but by rounding.
void cd_zero_negligible_constraints(cardan_data* d);
// Rows are others now at the same state: nothing that was computed with them counts.
void cd_invalidate_rows(cardan_data* d);
// c and r at the state.
void cd_update_rhs(cardan_data* d);
// The same in tree coordinates for those who take loads of links one by one (CD_USES_LINK_WRENCHES), rows and gamma
// with them: in
// one sweep outward, some links at a time.
void cd_update_link_wrenches_and_rows(cardan_data* d);
// The formulation's factor at the state; computed where there is none yet.
cardan_status cd_update_factor(cardan_data* d, cd_solve_info* info);
// dx (nv): M dx + J'y = 0, J dx = s (system.nrow) with the factor that is there, as well as that can be.
cardan_status cd_min_norm_correction(cardan_data* d, const double* s, double* dx);
// dx (nv) that it found for positions: rows without position give way where those with position stay open.
void cd_correct_nonholonomic(cardan_data* d, const double* s, double* dx);
// Square of the smallest singular value, of the largest in the run, below which a singular pose is near: gaps are felt
// in accelerations a thousandfold there.
static const double cd_near_singular_ratio_sq = 1e-3;
// The state onto the constraints near a singular pose, to the last digit, on the branch it is on.
cardan_status cd_project_near_singular(cardan_data* d);
// Whether the change dx of velocities is one that so small a gap can ask for.
bool cd_velocity_correction_is_plausible(const cardan_data* d, double violation);
// Turns of joints are counted from the start of the model again.
void cd_reset_winding_numbers(cardan_data* d);
// cardan_data_set_state that keeps what is known where the state is the one that is set already.
cardan_status cd_data_set_state_if_changed(cardan_data* d, double t, const double* q, const double* v,
                                           const double* state);
// After cardan_accelerate at a state that is all but closed: one correction of its positions, in q (nq), and of its
// velocities, in v (nv; or NULL), with its factor. False where that is not enough.
bool cd_project_with_current_factor(cardan_data* d, double* q, double* v);
// Time and user states alone: nothing is known there yet. gamma of n rows from what is known of them.
void cd_data_set_time(cardan_data* d, double t, const double* state);
void cd_update_gamma_range(cardan_data* d, int first, int n, const cd_constraint_equations* equations);
// Velocities alone are new: q = d->q stays.
void cd_data_set_velocity(cardan_data* d, const double* v);
// y (nv) = M x, by inverse dynamics at the state.
void cd_mass_matrix_times(cardan_data* d, const double* x, double* y);
// What is left of x where the constraints hold: M a + J'lambda = M x, J a = 0, or M a + J'lambda = r for a force r.
cardan_status cd_constrained_response(cardan_data* d, const double* r, double* a);
// Signals, formulas, efforts and wrenches at the state.
void cd_update_forces(cardan_data* d);
// Rows of the system, behind the closure and the rotors. What rotors resist with, added to efforts (a NULL: zero) and
// to M (both triangles); and their energy.
void   cd_rotor_rows_layout(cd_arena* arena, cardan_data* d);
void   cd_add_rotor_efforts(cardan_data* d, const double* a, double* effort);
void   cd_add_rotor_inertia(cardan_data* d, double* M);
double cd_rotor_energy(cardan_data* d);
// Inputs of the formulas.
void cd_evaluate_signals(cardan_data* d, double* signal);

// Losses that depend on the load: solves again with them. And takes them out of the efforts.
cardan_status cd_apply_gear_losses(cardan_data* d, double* a, cd_solve_info* info);
void          cd_clear_gear_losses(cardan_data* d);
// Where multipliers are given: losses by them into the efforts, instead of those that were there; and, who drives being
// decided by it, their slopes by the multipliers added to the columns of by_lambda (nv x nrow).
void          cd_set_gear_losses(cardan_data* d, const double* lambda);
void          cd_add_gear_loss_jacobian(cardan_data* d, double* by_lambda);
cardan_status cd_fail_jammed(const cardan_data* d, int row, cardan_report* report);
// Whether generated code computes what cardan_accelerate would with the settings as they are.
bool cd_can_use_generated_rhs(const cardan_data* d);
bool cd_can_use_generated_code(const cardan_data* d); // the same of equations
// Equations by generated code at the state set, at rest and without multipliers, beside those of the library: the
// largest difference beside the largest. Scratch: three times (nv + nstate + 3 rows).
double cd_generated_residual_error(cardan_data* d, double* scratch);
// Accelerations by generated code at the state set, compared with a: the largest difference beside the largest of a, or
// 0 where it does not serve.
double cd_generated_rhs_error(cardan_data* d, const double* a);
// Generated accelerations beside those of the library at the state set. Where large terms cancel, as forces of stiff
// springs do, both are what rounding makes of them: a difference counts as 1e-8 where accelerations change by a tenth
// of it with the thirteenth digit of the state.
double cd_compare_generated_accelerations(cardan_data* d, const double* a, const double* generated);
// Power of all forces that have no potential [W], as cardan_energy has it.
double cd_nonconservative_power(cardan_data* d);
// Power that drivers put in [W], at the state that was solved last.
double cd_driver_power(const cardan_data* d);

// A row on rotations alone is a torque. Which law of motion a row of a constraint follows, or -1.
bool cd_row_is_torque(const cd_constraint* c, int row);
int  cd_driver_of_row(const cd_constraint* c, int row);
// Accelerations (nv) that those of the laws alone make at the state, as if nothing moved yet; false: there are none.
bool cd_driver_accelerations(cardan_data* d, double* a);
// Whether no law moves anything: no rates, and no accelerations either where it is to last.
bool cd_drivers_are_at_standstill(cardan_data* d, bool with_accelerations);
// Drivers whose laws move, and which have to do with constraint number `near` (CARDAN_NONE: any): those that put in
// most power at the state solved last, since near a pose that cannot be passed their efforts grow without bound.
// "driver of 'bore'", several with "and"; the number of the first, or CARDAN_NONE.
int cd_drivers_by_power(const cardan_data* d, int constraint, char* text, size_t size);
// Drivers at the end of their reach: of those, in the coordinates of the shallow tree, that a little later than the
// state set pull against a gap that no pose nearby closes. Text and number as above; CARDAN_NONE where there is no such
// gap.
int cd_drivers_at_limit(cardan_data* d, char* text, size_t size);
// The same in whatever coordinates; where nothing is known of gaps, those of most power. Its place, or nowhere.
cardan_location cd_driver_limit_location(cardan_data* d, int constraint, char* text, size_t size);
// [m] Half the largest extent of joints and mass centres in the design position; where these are at one place, a radius
// of gyration; 1 where there is none.
double cd_design_length(const cardan_model* m);
// [m] The largest arm of a link or of a constraint's end. Where arms are rounding: 1, but no more than ten times what
// the design extends, and no less than that.
double cd_compute_length_scale(const cardan_data* d);
// Gaps and rates of the state, in units of their rows: radians, and metres, or ten lengths of the mechanism where these
// are less. What is wide and what is closed does not depend on its size.
void cd_scaled_violations(cardan_data* d, double* position, double* velocity);
// The largest entry of x (nv) in such units.
double cd_velocity_norm_inf(const cardan_data* d, const double* x);
void   cd_update_velocity_scale(cardan_data* d);
void   cd_update_row_scale(cardan_data* d);
// Largest of n values from row `first` on.
double cd_row_norm_inf(const cardan_data* d, int first, int n, const double* x);
struct cardan_motors;
// Which of the motors reach motions that those before them do not, at the state set.
cardan_status cd_find_independent_motors(struct cardan_motors* motors, bool* chosen);
struct cardan_start;
// cardan_assemble that asks for a pose near the start, and says nothing.
cardan_status cd_assemble_locally(cardan_data* d, const struct cardan_start* start);
// The sentence for drivers that cannot be followed.
cardan_status cd_fail_explanation_memory(cardan_data* d, cardan_report* report); // where data.starved is true
cardan_status cd_fail_driver_limit(cardan_data* d, cardan_status status, cardan_report* report);
// The velocity of a motion that neither inertia nor constraints determine, or CARDAN_NONE; looked for until all are
// determined, while the same constraints are on. The rows must be known.
int cd_find_undetermined_velocity(cardan_data* d);
// Such a motion itself, x (nv), or one of which no more than a part is determined. False where none is found, or the
// system is too large to look for it.
bool cd_find_undetermined_motion(cardan_data* d, double tolerance, double* x);
// The sentence for a motion that nothing resists: its joint and direction, or its body where coordinates move together.
// v: a velocity that it has, of which it is told where the motion is not found.
cardan_status cd_fail_zero_inertia(cardan_data* d, int v, cardan_report* report);
// The sentence for a pose that steps do not reach, because all but nothing determines a motion without inertia there;
// CARDAN_OK, and none, where there is no such motion.
cardan_status cd_fail_undetermined_motion(cardan_data* d, double t, cardan_status status, cardan_report* report);
// [length of the mechanism] Laws of drivers that repeat each other may differ by so much.
static const double cd_driver_redundancy_tolerance = 1e-11;
// Whether the gaps of the state are those of drivers whose laws contradict each other, and then their sentence. `null`:
// rows that repeat others wherever the mechanism is, or -1 where that is not known; until `from` they agreed.
bool cd_report_inconsistent_drivers(cardan_data* d, int nredundant, double from, cardan_report* report);
// The sentence for rows that contradict each other, of which the formulation gave up at `row`.
cardan_status cd_fail_inconsistent_constraints(cardan_data* d, int row, cardan_report* report);
// The sentence for masses too far apart for the digits of a number, where something fails although nothing is wrong
// with the constraints; CARDAN_OK, and none, where they are not.
cardan_status cd_fail_mass_ratio(const cardan_data* d, cardan_status status, cardan_report* report);
// The sentence for constraints that could not be satisfied: which, when, and by how much.
cardan_status cd_fail_constraint_violation(cardan_data* d, bool velocity_level, cardan_status status,
                                           cardan_report* report);
