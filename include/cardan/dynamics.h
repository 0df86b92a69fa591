// SPDX-License-Identifier: BSD-3-Clause
// Data: the memory of one simulation of a model (third stage), one per thread; and the quantities computed with it.
#pragma once

#include <cardan/model.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_data cardan_data;

/// CARDAN_FORMULATION_AUTO in place of a formulation: the one that cardan_formulation_choose selects, as the command-line tool does
/// if none is named. cardan_formulation_tree_policy returns CARDAN_TREE_AUTO for it.
///
///   cardan_model_compile(description, CARDAN_TREE_AUTO, &model, &report);
///   cardan_data_create(model, CARDAN_FORMULATION_AUTO, &data, &report);
///   cardan_formulation_name(cardan_data_formulation(data));  // which one it is
enum { CARDAN_FORMULATION_AUTO = -2 };

int         cardan_formulation_count(void);
const char* cardan_formulation_name(int formulation);
const char* cardan_formulation_summary(int formulation);
const char* cardan_formulation_citation(int formulation);
/// Index by name, CARDAN_FORMULATION_AUTO for "auto", or CARDAN_NONE.
int cardan_formulation_find(const char* name);
/// Whether the formulation is a reference implementation, kept for comparison: it is never chosen automatically.
bool cardan_formulation_is_reference(int formulation);
/// Whether the accelerations are exact to round-off; else they are approximate, to the accuracy that its page states.
bool cardan_formulation_is_exact(int formulation);
/// Tree policy with which the model of a formulation must be compiled.
cardan_tree_policy cardan_formulation_tree_policy(int formulation);

/// Choice of a formulation: the one with the least estimated time per evaluation, derived from its operations, with the
/// reason in words. Reference implementations are never chosen.
typedef struct cardan_formulation_choice {
    int    formulation;
    double operations;  // per evaluation, counted at the start state; 0: not counted
    char   reason[320]; // "augmented, 15,181 operations per evaluation; embedding 11,003, ..."
} cardan_formulation_choice;

cardan_status cardan_formulation_choose(const cardan_description* description, cardan_formulation_choice* choice,
                                        cardan_report* report);

/// Create the memory for one simulation. The functions below allocate nothing if they succeed, except:
/// cardan_data_set_threads creates threads; cardan_data_copy_state copies a message if `from` has one about an
/// undecidable rank; cardan_data_evaluate_expression compiles an expression that is neither an output nor the stop
/// condition. A function that fails and has a report may allocate to find the names for its message. Returns
/// CARDAN_UNSUPPORTED if the formulation cannot solve the model.
cardan_status cardan_data_create(const cardan_model* model, int formulation, cardan_data** data, cardan_report* report);
void          cardan_data_destroy(cardan_data* data);
const cardan_model* cardan_data_model(const cardan_data* data);
int                 cardan_data_formulation(const cardan_data* data);

/// Set the state that all functions below refer to: time, coordinates (nq), velocities (nv), user states (nstate; NULL
/// if none). Copies, normalizes quaternions and computes the kinematics. Returns CARDAN_BAD_USAGE, without a change, if
/// a number is not finite (cardan_model_check_state names it).
cardan_status cardan_data_set_state(cardan_data* data, double t, const double* q, const double* v, const double* state);

/// Copy time, state and user states from other data of the same description, also with other coordinates.
cardan_status cardan_data_copy_state(cardan_data* from, cardan_data* to);

/// Set the number of threads for one evaluation, the calling thread included; initially 1. Results are identical, bit
/// for bit, for any number. Only `lagrange`, `augmented` and `cholesky` use threads, if the mechanism is large enough.
cardan_status cardan_data_set_threads(cardan_data* data, int count, cardan_report* report);

/// Disable or enable a constraint by name: a cut joint (any joint in maximal coordinates), a coupling, a constraint, or
/// the driver of a joint. A disabled constraint has no rows and no forces; memory and elimination orders stay. Returns
/// CARDAN_BAD_USAGE if no constraint of the data has this name.
cardan_status cardan_data_enable_constraint(cardan_data* data, const char* name, bool on, cardan_report* report);

/// Redundant rows found by the last factorization, in the order of the constraints. Returns their number and stores the
/// first `max_count` in `row`. `pivot_ratio` (may be NULL): largest over smallest non-null pivot, large near a singular
/// configuration. Returns -1 if the formulation does not detect redundancy or has no factor of this state.
int cardan_data_redundant_rows(cardan_data* data, int max_count, int* row, double* pivot_ratio);

/// Set external forces: joint efforts (nv) and body wrenches, added to those of the model. Each may be NULL. A wrench
/// is (moment, force) at the mass centre, world axes, one per body of the description. They stay until the next call,
/// also if another state is set. Returns CARDAN_BAD_USAGE, without a change, if a number is not finite.
cardan_status cardan_data_set_external_forces(cardan_data* data, const double* effort, const double (*wrench)[6]);

/// Compute the accelerations (nv) at the current state, and the rates of the user states (nstate; may be NULL). Returns
/// CARDAN_INCONSISTENT if assembly found constraints with undecidable rank: redundant only up to the digits of the
/// description.
cardan_status cardan_data_accelerate(cardan_data* data, double* a, double* state_rate, cardan_report* report);

/// Inverse dynamics: compute the joint efforts (nv) that produce `a` together with the forces of the model.
cardan_status cardan_data_inverse_dynamics(cardan_data* data, const double* a, double* effort);

/// Compute the residual ID(q, v, a) - Q (nv), zero at the solution; implicit integrators solve it.
cardan_status cardan_data_residual(cardan_data* data, const double* a, double* residual);

/// Compute the dense mass matrix (nv x nv, row major, both triangles).
cardan_status cardan_data_mass_matrix(cardan_data* data, double* M);

/// Compute the efforts along joint coordinates (nv_joint): springs, dampers, friction, stops, actuators; no body
/// forces.
cardan_status cardan_data_joint_efforts(cardan_data* data, double* effort);

/// Relative residual of the equations of motion for given `a`: max |ID - Q| over the largest term.
double cardan_data_residual_norm(cardan_data* data, const double* a);

/// Compute coordinates (nq_joint), velocities (nv_joint) and, for accelerations `a` (nv) of the model, accelerations
/// (nv_joint) of all joints, indexed by joint_range of the model view. Each result may be NULL; `a` and `joint_a` may
/// be the same array.
cardan_status cardan_data_joint_motions(cardan_data* data, const double* a, double* q, double* v, double* joint_a);
/// Compute coordinates (nq of the joint) and velocities (nv of the joint) of one joint: tree coordinates, or derived
/// from the poses of the bodies (cut joints; any joint in maximal coordinates). Winding numbers continue from the last
/// state. Either may be NULL.
cardan_status cardan_data_joint_state(cardan_data* data, int joint, double* q, double* v);
/// Compute the accelerations (nv of the joint) of one joint for accelerations `a` (nv of the model).
cardan_status cardan_data_joint_acceleration(cardan_data* data, int joint, const double* a, double* joint_a);

/// Motion of a body in the world: position of the mass centre, orientation of the body frame, velocity, angular
/// velocity.
typedef struct cardan_motion {
    double p[3], q[4], v[3], w[3];
    double a[3], alpha[3]; // zero unless accelerations were given
} cardan_motion;

/// Compute the motions of all bodies of the description (nbody). `a` (nv) may be NULL: accelerations are then zero.
cardan_status cardan_data_body_motions(cardan_data* data, const double* a, cardan_motion* body);

/// Compute the motion of a marker: pose, velocity, angular velocity and accelerations at the origin of the marker.
cardan_status cardan_data_marker_motion(cardan_data* data, int marker, const double* a, cardan_motion* motion);

/// Compute the Jacobian of a marker (6 x nv, row major, angular rows first, world axes): [w; v] = J v.
cardan_status cardan_data_marker_jacobian(cardan_data* data, int marker, double* J);

typedef struct cardan_energies {
    double kinetic;   // [J] rotors included
    double potential; // [J] gravity, and springs with a potential
    double power;     // [W] of all forces without a potential
} cardan_energies;

cardan_energies cardan_data_energy(cardan_data* data);

/// Compute linear momentum [kg m/s] and angular momentum about the origin of the world [kg m^2/s], without rotors.
/// Either may be NULL.
cardan_status cardan_data_momentum(cardan_data* data, double linear[3], double angular[3]);

/// Wrench that a joint exerts on its second body, at the joint position on the first body, world axes; without springs
/// and motors. At an output sample at a singular configuration: the limit of the reactions nearby, NAN if it is
/// unbounded; the same holds for driver efforts and transmissions.
typedef struct cardan_reaction {
    double force[3], torque[3];
    bool   unique;
} cardan_reaction;

/// Compute the reactions of all joints of the model (njoint) for accelerations `a` from cardan_data_accelerate.
cardan_status cardan_data_reactions(cardan_data* data, const double* a, cardan_reaction* reaction);

/// Constraints between two markers (rods, curves, rolling, planes, lines): count, names, and the wrenches that they
/// exert on the bodies of their first markers, at these markers, world axes (one per constraint).
int           cardan_data_marker_constraint_count(const cardan_data* data);
const char*   cardan_data_marker_constraint_name(const cardan_data* data, int i);
cardan_status cardan_data_marker_constraint_reactions(cardan_data* data, const double* a, cardan_reaction* reaction);

/// Transmission: a constraint that couples joint coordinates (gear, belt, rack, worm, coupler, mimic). Along each of
/// its coordinates it exerts an effort: a torque about the axis of a wheel, a force along a rack. Efforts of a worm are
/// those after its losses.
typedef struct cardan_transmission {
    const char* name;                             // of the constraint; of the joint with a mimic
    int         n;                                // coordinates
    int         joint[CARDAN_COUPLED_JOINTS_MAX]; // a joint of the model ...
    int         axis[CARDAN_COUPLED_JOINTS_MAX];  // ... and the index of its velocity
    const char* unit[CARDAN_COUPLED_JOINTS_MAX];  // "N m" or "N"
    double      effort[CARDAN_COUPLED_JOINTS_MAX];
    bool        unique;
} cardan_transmission;

int                 cardan_data_transmission_count(const cardan_data* data);
cardan_transmission cardan_data_transmission_at(const cardan_data* data, int i); // without efforts

/// Compute the reactions of joints (njoint), of marker constraints (cardan_data_marker_constraint_count) and the
/// transmission efforts (cardan_data_transmission_count) at once, for accelerations `a` from cardan_data_accelerate. Each result
/// may be NULL.
cardan_status cardan_data_all_reactions(cardan_data* data, const double* a, cardan_reaction* joint,
                                        cardan_reaction* constraint, cardan_transmission* transmission);

/// Driver: a prescribed joint coordinate, motion of a lock, length of a rod, or curve parameter of a marker.
typedef struct cardan_driver {
    const char* name;        // of the joint or constraint
    int         joint, axis; // driven coordinate, or CARDAN_NONE
    int         component;   // index of the constraint row
    const char* unit;        // of its effort: "N" or "N m"
} cardan_driver;

int           cardan_data_driver_count(const cardan_data* data);
cardan_driver cardan_data_driver_at(const cardan_data* data, int driver);
/// Compute the driver efforts (cardan_data_driver_count) at the state that cardan_data_accelerate solved last: along the
/// coordinate; on the first marker against the second; positive if it pushes the ends of a rod apart; for a rotation of
/// a lock the torque about its axis. If drivers are redundant among each other or with constraints: those of the
/// reactions of least norm at accelerations `a` (nv). `unique` (as many, may be NULL): whether an effort is unique.
cardan_status cardan_data_driver_efforts(cardan_data* data, const double* a, double* effort, bool* unique);

/// Value of an expression of the description at the current state (outputs, stop conditions).
double cardan_data_evaluate_expression(cardan_data* data, cardan_expression expression);
/// Compute all outputs of the description (noutput).
cardan_status cardan_data_evaluate_outputs(cardan_data* data, double* value);

/// Operation count of one evaluation of accelerations, counted during execution.
typedef struct cardan_operation_count {
    long mul, add, div, sqrt, trig;
} cardan_operation_count;

enum { CARDAN_STAGE_MAX = 12 };

typedef struct cardan_operation_counts {
    cardan_operation_count kinematics, assembly, factor, solve;
    /// Part of `solve`: cost of the multipliers where it is separate.
    cardan_operation_count multipliers;
    /// Before these: evaluation of constraints, their rows on links (and on velocities, if the formulation uses them),
    /// and right-hand sides.
    cardan_operation_count constraints;
    /// Sparse factorization: multiplications of a scalar factorization on the true nonzeros, and nonzeros below the
    /// diagonal of its factor; `factor` counts the operations of the dense kernels. 0: not sparse.
    long sparse_mul, sparse_nonzeros;
    /// Formulations that a publication counts by stages: these stages, in the order of first execution; together they
    /// are `factor` and `solve`.
    int nstage;
    struct {
        const char*            name;
        cardan_operation_count count;
    } stage[CARDAN_STAGE_MAX];
} cardan_operation_counts;

/// Count operations: run the formulation once on counting numbers at the state (t = 0, q, v). Factorizations by LAPACK
/// count as many operations as the dense routines of the library.
cardan_status cardan_model_count_operations(const cardan_model* model, int formulation, const double* q,
                                            const double* v, cardan_operation_counts* operations,
                                            cardan_report* report);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
