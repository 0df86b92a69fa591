// SPDX-License-Identifier: BSD-3-Clause
// Third life of a mechanism: data, the memory of one simulation, one per thread. And what is computed with it.
#pragma once

#include <cardan/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_data cardan_data;

/// In place of a formulation: the one that cardan_choose_formulation chooses for the mechanism, as the tool does where
/// none is named. cardan_formulation_tree_policy gives CARDAN_TREE_AUTO for it.
///
///   cardan_model_compile(description, CARDAN_TREE_AUTO, &model, &report);
///   cardan_data_create(model, CARDAN_AUTO, &data, &report);
///   cardan_formulation_name(cardan_data_formulation(data));  // which one it is
enum { CARDAN_AUTO = -2 };

int         cardan_formulation_count(void);
const char* cardan_formulation_name(int formulation);
const char* cardan_formulation_summary(int formulation);
const char* cardan_formulation_citation(int formulation);
/// Index by name, CARDAN_AUTO for "auto", or CARDAN_NONE.
int cardan_formulation_find(const char* name);
/// A baseline shows what the others are better than: it runs where it is named, and nothing chooses it by itself.
bool cardan_formulation_is_reference(int formulation);
/// Whether its accelerations are the solution to round-off; else they are near it, as its page says how near.
bool cardan_formulation_is_exact(int formulation);
/// The tree the formulation wants its model compiled with.
cardan_tree_policy cardan_formulation_tree_policy(int formulation);

/// What solves a mechanism best when nobody says: the formulation that needs the least time for an evaluation, told
/// from its operations, and why, in plain words. Baselines are never chosen.
typedef struct cardan_formulation_choice {
    int    formulation;
    double operations;  // per evaluation, counted at the start; 0: not counted
    char   reason[320]; // "augmented, 15,181 operations per evaluation; embedding 11,003, ..."
} cardan_formulation_choice;

cardan_status cardan_choose_formulation(const cardan_description* description, cardan_formulation_choice* choice,
                                        cardan_report* report);

/// Create the memory for one simulation. Calls below that succeed allocate nothing, with these exceptions:
/// cardan_data_set_threads creates threads, cardan_data_copy_state copies a sentence where `from` has one about rows that
/// cannot be told apart, cardan_evaluate_expression compiles an expression that is neither an output nor the stop condition. A call
/// that fails and has a report may allocate to find out what its sentence names.
/// Fails with CARDAN_UNSUPPORTED if the formulation cannot treat the model.
cardan_status cardan_data_create(const cardan_model* model, int formulation, cardan_data** data, cardan_report* report);
void          cardan_data_destroy(cardan_data* data);
const cardan_model* cardan_data_model(const cardan_data* data);
int                 cardan_data_formulation(const cardan_data* data);

/// The state everything below refers to: time, coordinates (nq), velocities (nv), user states (nstate; NULL if none).
/// Copies, normalizes quaternions, and computes the kinematics. CARDAN_BAD_USAGE where a number is not finite
/// (cardan_model_check_state tells which): the data keep the state that they have.
cardan_status cardan_data_set_state(cardan_data* data, double t, const double* q, const double* v, const double* state);

/// Take over time, state and user states of `from`, another simulation of the same description, perhaps in other
/// coordinates.
cardan_status cardan_data_copy_state(cardan_data* from, cardan_data* to);

/// Threads that may work on one evaluation, the caller's included; 1 at first. Results are the same, bit for bit, for
/// any number. Only `lagrange`, `augmented` and `cholesky` have work to share, and do so where a mechanism is large
/// enough to gain by it.
cardan_status cardan_data_set_threads(cardan_data* data, int count, cardan_report* report);

/// Switch a joint that is a constraint (one that closes a loop; any joint in flat coordinates), a coupling, a
/// constraint or the driver of a joint off or on again, by name. While it is off it demands nothing and exerts nothing;
/// memory and orders stay. CARDAN_BAD_USAGE if no constraint of the data has this name.
cardan_status cardan_data_enable_constraint(cardan_data* data, const char* name, bool on, cardan_report* report);

/// Rows that the last factor found to repeat others, in the order of the constraints; returns how many there are and
/// fills the first `most` of `row`. `ratio` (may be NULL): largest over smallest pivot that is not null, large near a
/// singular pose. -1 where the formulation does not know, or has no factor of this state.
int cardan_redundant_rows(cardan_data* data, int max_count, int* row, double* pivot_ratio);

/// Joint efforts (nv) and body wrenches from outside, added to those of the model. Each may be NULL.
/// A wrench is (moment, force) at the mass centre, world axes, one per body of the description. They stay until the
/// next call, whatever state is set. CARDAN_BAD_USAGE where one is not finite: the loads stay.
cardan_status cardan_data_set_external_forces(cardan_data* data, const double* effort, const double (*wrench)[6]);

/// Accelerations (nv) at the state set, and the rates of the user's states (nstate; may be NULL). CARDAN_INCONSISTENT
/// where assembly has found constraints that repeat each other up to some digits only, too few to be told from others.
cardan_status cardan_accelerate(cardan_data* data, double* a, double* state_rate, cardan_report* report);

/// Inverse dynamics: the joint efforts (nv) that, beside the model's own forces, produce `a`.
cardan_status cardan_inverse_dynamics(cardan_data* data, const double* a, double* effort);

/// ID(q, v, a) - Q (nv): zero at the solution. What implicit integrators solve.
cardan_status cardan_residual(cardan_data* data, const double* a, double* residual);

/// Dense mass matrix (nv x nv, row major, both triangles).
cardan_status cardan_mass_matrix(cardan_data* data, double* M);

/// Efforts along the joint coordinates (nv_all): springs, dampers, friction, stops, actuators; no body forces.
cardan_status cardan_joint_efforts(cardan_data* data, double* effort);

/// How well (a) satisfies the equations of motion: max |ID - Q| relative to the largest term.
double cardan_residual_norm(cardan_data* data, const double* a);

/// All joints at once: coordinates (nq_all), velocities (nv_all) and, for accelerations `a` (nv) of the model,
/// accelerations (nv_all) in the places of the model's view. Each of the results may be NULL; `a` may be the array of
/// the results.
cardan_status cardan_joint_motions(cardan_data* data, const double* a, double* q, double* v, double* joint_a);
/// Coordinates (slot nq) and velocities (slot nv) of a joint of the model, whether they are coordinates of the tree or
/// measured from the bodies (a joint that closes a loop; any joint in flat coordinates). Turns are counted from the
/// last state. Either may be NULL.
cardan_status cardan_joint_state(cardan_data* data, int joint, double* q, double* v);
/// Its accelerations (slot nv), for accelerations `a` (nv of the model).
cardan_status cardan_joint_acceleration(cardan_data* data, int joint, const double* a, double* joint_a);

/// A body in the world: position of the mass centre, orientation of the body frame, velocity and angular velocity.
typedef struct cardan_motion {
    double p[3], q[4], v[3], w[3];
    double a[3], alpha[3]; // filled where accelerations were given
} cardan_motion;

/// All bodies of the description, (nbody). `a` (nv) may be NULL: accelerations are then zero.
cardan_status cardan_body_motions(cardan_data* data, const double* a, cardan_motion* body);

/// One marker: position, orientation, velocity, angular velocity and their derivatives at the marker's origin.
cardan_status cardan_marker_motion(cardan_data* data, int marker, const double* a, cardan_motion* motion);

/// Jacobian of a marker (6 x nv, row major, angular rows first, world axes): [w; v] = J v.
cardan_status cardan_marker_jacobian(cardan_data* data, int marker, double* J);

typedef struct cardan_energies {
    double kinetic;   // [J] rotors included
    double potential; // [J] gravity, and springs that have a potential
    double power;     // [W] of all forces that are not in the potential
} cardan_energies;

cardan_energies cardan_energy(cardan_data* data);

/// Linear momentum [kg m/s] and angular momentum about the world's origin [kg m^2/s], rotors excluded. Either may be
/// NULL.
cardan_status cardan_momentum(cardan_data* data, double linear[3], double angular[3]);

/// The wrench a joint exerts on its second body, at the joint's place on the first body, world axes; springs and motors
/// excluded. At a row of a run that falls on a singular pose it is what rows beside it lead to; NAN where that has no
/// bound, and so are efforts of drivers and what is transmitted.
typedef struct cardan_reaction {
    double force[3], torque[3];
    bool   unique;
} cardan_reaction;

/// Reactions of all joints of the model (njoint) for accelerations `a` found by cardan_accelerate.
cardan_status cardan_reactions(cardan_data* data, const double* a, cardan_reaction* reaction);

/// Constraints between two markers: rods, curves, rolling, planes, lines. Their number and names; and the wrenches that
/// they exert on the bodies of their first markers, at these markers, world axes (as many).
int           cardan_marker_constraint_count(const cardan_data* data);
const char*   cardan_marker_constraint_name(const cardan_data* data, int i);
cardan_status cardan_marker_constraint_reactions(cardan_data* data, const double* a, cardan_reaction* reaction);

/// What couples joint coordinates: a gear, belt, rack, worm, coupler or mimic. Along each of its coordinates it exerts
/// an effort, a torque about the axis of a wheel, a force along a rack; those of a worm are what is left of them behind
/// its losses.
typedef struct cardan_transmission {
    const char* name;                      // of the constraint; of the joint that mimics
    int         n;                         // coordinates
    int         joint[CARDAN_COUPLED_MAX]; // a joint of the model ...
    int         axis[CARDAN_COUPLED_MAX];  // ... and which of its velocities
    const char* unit[CARDAN_COUPLED_MAX];  // "N m" or "N"
    double      effort[CARDAN_COUPLED_MAX];
    bool        unique;
} cardan_transmission;

int                 cardan_transmission_count(const cardan_data* data);
cardan_transmission cardan_transmission_at(const cardan_data* data, int i); // without efforts

/// Reactions of joints (njoint), of constraints between markers (cardan_marker_constraint_count) and what is transmitted
/// (cardan_transmission_count) at once, for accelerations `a` found by cardan_accelerate. Each of the results may be
/// NULL.
cardan_status cardan_all_reactions(cardan_data* data, const double* a, cardan_reaction* joint,
                                   cardan_reaction* constraint, cardan_transmission* transmission);

/// A driven motion: a joint coordinate, a motion of a lock, the length of a rod, a component of a marker's way along a
/// curve.
typedef struct cardan_driver {
    const char* name;        // of the joint or constraint
    int         joint, axis; // the coordinate, or CARDAN_NONE
    int         component;   // which of the constraint's rows
    const char* unit;        // of its effort: "N" or "N m"
} cardan_driver;

int           cardan_driver_count(const cardan_data* data);
cardan_driver cardan_driver_at(const cardan_data* data, int driver);
/// Efforts of the motors (cardan_driver_count) at the state that cardan_accelerate solved last: along the coordinate,
/// on the first marker against the second, pushing the ends of a rod apart; of a lock's law of rotation the torque
/// about the axis that it turns about. Where drivers repeat each other or other constraints, those of the reactions of
/// least norm at accelerations `a` (nv), which they balance; `unique` (as many, may be NULL) tells which are the only
/// ones possible.
cardan_status cardan_driver_efforts(cardan_data* data, const double* a, double* effort, bool* unique);

/// Value of an expression of the description at the state set (outputs, stop conditions).
double cardan_evaluate_expression(cardan_data* data, cardan_expression expression);
/// All outputs of the description (noutput).
cardan_status cardan_evaluate_outputs(cardan_data* data, double* value);

/// Operations of one acceleration evaluation, by phase, counted on what is executed.
typedef struct cardan_operation_count {
    long mul, add, div, sqrt, trig;
} cardan_operation_count;

enum { CARDAN_STAGE_MAX = 12 };

typedef struct cardan_operations {
    cardan_operation_count kinematics, assembly, factor, solve;
    /// Of the solve: what multipliers cost where they are work of their own.
    cardan_operation_count multipliers;
    /// Before all that: constraints evaluated, their rows on bodies (and on velocities, where the formulation wants
    /// them) and right sides.
    cardan_operation_count constraints;
    /// Of a sparse factorization: multiplications if it were done by scalars on the true nonzeros, and those below the
    /// diagonal of its factor; `factor` is what dense kernels execute. 0 where nothing is sparse.
    long sparse_mul, sparse_nonzeros;
    /// Of formulations that a paper counts step by step: its steps, in the order in which they were done first; what
    /// factor and solve hold.
    int nstage;
    struct {
        const char*            name;
        cardan_operation_count count;
    } stage[CARDAN_STAGE_MAX];
} cardan_operations;

/// Runs the formulation once on counting numbers at the state (t = 0, q, v). Phases done by LAPACK count as
/// what the library's own dense routines execute for the same factorization.
cardan_status cardan_count_operations(const cardan_model* model, int formulation, const double* q, const double* v,
                                      cardan_operations* operations, cardan_report* report);

#ifdef __cplusplus
}
#endif
