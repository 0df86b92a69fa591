// SPDX-License-Identifier: BSD-3-Clause
// Analyses about a state: where the mechanism rests, how it swings about there, the linear model that a controller
// sees.
#pragma once

#include <cardan/kinematics.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cardan_stability {
    CARDAN_STABLE,   // small pushes are answered by forces that bring it back
    CARDAN_NEUTRAL,  // some motions meet no force at all, none leads away
    CARDAN_UNSTABLE, // some motion leads away
} cardan_stability;

/// How an equilibrium is looked for. Zeros are the usual choice.
typedef struct cardan_equilibrium_options {
    bool   nearest; // Newton's method first: the nearest, stable or not. Else downhill, so that what is found is stable
    double force_tolerance; // forces left, relative to the forces at work; 0: 1e-10
    int    max_iterations;  // most; 0: 500
} cardan_equilibrium_options;

typedef struct cardan_equilibrium {
    cardan_stability stability;
    int              dof;                 // motions that the constraints allow
    int              nneutral, nunstable; // of them, that meet no force; that lead away
    double           residual;            // largest force left, relative to the forces at work
    double           force_scale;         // [N m] forces at work: moments, and forces times the length of the mechanism
    double           max_acceleration;    // [rad/s^2, m/s^2] largest left; NaN where some motion has no inertia
    double min_stiffness; // [N m/rad] lowest of the stiffness along motions, lengths in units of the mechanism's
    int    iterations;    // of Newton's method and of the descent
    long   evaluations;   // of the forces
    bool   used_descent;  // it took a descent
    bool
        is_singular; // some constraints depend on each other there and not beside it: stability is not told, it counts as
                     // neutral
    char neutral_description[400];  // "'body' along x, 'body' along y"; or ""
    char unstable_description[400]; // the same of motions that lead away
} cardan_equilibrium;

/// Static equilibrium at the time set: from the state of the data, its loops closed, to positions (and the user's
/// states) where nothing accelerates. Drivers stand still from then on, at the values they have at that time
/// (cardan_data_set_driver undoes it). The data are set to the result, at rest; q (nq) and state (nstate) receive it.
/// `wish`, q, state, `rest` and `report` may be NULL. A start that is an equilibrium stays, stable or not. Where there
/// is none CARDAN_NOT_CONVERGED: the sentence names what nothing carries. Allocates while it works.
cardan_status cardan_equilibrium_solve(cardan_data* data, const cardan_equilibrium_options* options, double* q,
                                       double* state, cardan_equilibrium* equilibrium, cardan_report* report);

/// Forces that nothing balances at the state set, at rest: what is left of gravity, springs, efforts (nv) when
/// constraints bear what they can; moments [N m], and forces times the length of the mechanism. `work`: size of the
/// forces at work. Drivers stand still from then on.
cardan_status cardan_static_residual(cardan_data* data, double* residual, double* force_scale, cardan_report* report);

/// Numbers of a description that can be changed by name: FORCE.length, .preload, .stiffness of force elements that have
/// them; JOINT.rest and .stiffness of springs in joints, JOINT:2.rest for the second coordinate.
int cardan_tunable_count(const cardan_description* description);
/// Name of quantity i into `name`; false where there is none.
bool cardan_tunable_name(const cardan_description* description, int i, char* name, int size);
/// By name; false where there is none.
bool cardan_tunable_get(const cardan_description* description, const char* name, double* value);
/// "m", "N m/rad": quantities are in SI units, whatever units the file is in. NULL where there is none.
const char* cardan_tunable_unit(const cardan_description* description, const char* name);
/// Models that were compiled from the description before must be compiled again.
bool cardan_tunable_set(cardan_description* description, const char* name, double value);

/// Makes the mechanism for some values; the caller of the function destroys it.
typedef cardan_status (*cardan_model_factory)(void* user, const double* value, cardan_description** description,
                                              cardan_report* report);

typedef struct cardan_trim {
    double residual_before,
        residual_after; // forces that nothing balances (root of the sum of squares), relative to the forces at work
    int  rank;          // values that are determined; less than their number where some have no effect, or the same
    int  iterations;
    char residual_description[400]; // "'FL.upper', 'body' about y": motions along which a force is left; or ""
} cardan_trim;

/// Values (n, from a guess) for which the start of the mechanism is an equilibrium, in the sense of least squares, the
/// change least, relative to the sizes of the values, where they are too many. CARDAN_NOT_CONVERGED: the iteration went
/// astray, or nothing was gained. That less of a force is left than before is said by `after`, and is no failure.
cardan_status cardan_trim_solve(cardan_model_factory factory, void* user, int formulation, double t, int n,
                                double* value, cardan_trim* trim, cardan_report* report);

typedef enum cardan_mode_kind {
    CARDAN_MODE_NEUTRAL,     // nothing answers: a rigid-body motion, eigenvalue zero
    CARDAN_MODE_OSCILLATION, // a pair of eigenvalues
    CARDAN_MODE_DECAY,       // a real eigenvalue: it creeps back, or away
} cardan_mode_kind;

/// A mode: all goes as Re(shape exp(lambda t)).
typedef struct cardan_mode {
    cardan_mode_kind kind;
    bool             is_unstable;       // it grows
    double           real, imaginary;   // lambda [1/s], imaginary >= 0
    double           frequency;         // [Hz] of the oscillation that is seen: imaginary / 2 pi
    double           natural_frequency; // [Hz] |lambda| / 2 pi, as if undamped
    double           damping_ratio;     // ratio, -real / |lambda|
    double           time_constant;     // [s] in which it falls or grows by e; infinite where it does neither
    const double *   tangent_real,
        *tangent_imaginary; // (nv) change of the model's coordinates, for cardan_model_integrate_position
    const double *joint_real, *joint_imaginary; // (nv_all) the same of all joints, in the places of the model's view
    const char*   description; // "chassis 92 % about y, wheel 4 % along z": shares of the kinetic energy
} cardan_mode;

typedef struct cardan_modes {
    int                count; // neutral ones first, then by |lambda|
    const cardan_mode* mode;
    int                nposition; // positions, velocities and user states that are independent
    int                nvelocity, nstate;
    int                nunstable; // how many modes grow
    double
        max_velocity; // [rad/s, m/s] largest velocity: beside 0 the modes are those of the moving mechanism, its state frozen
    double max_acceleration; // [rad/s^2, m/s^2] largest: beside 0 the state is no equilibrium
} cardan_modes;

/// Natural frequencies, damping and mode shapes at the state set, for trees and loops: the eigenvalues of the
/// first-order state matrix of all independent motions. Shapes are scaled so that the largest change of a joint
/// coordinate is 1, lengths measured in the mechanism's own. CARDAN_SINGULAR where some motion has no inertia.
/// Allocates.
cardan_status cardan_modes_compute(cardan_data* data, cardan_modes** modes, cardan_report* report);
void          cardan_modes_destroy(cardan_modes* modes);

/// The linear model about the state set, in independent joint coordinates, x = (positions, velocities, user states):
/// d(dx)/dt = A dx + B du,  dy = C dx + D du.
typedef struct cardan_linear_model {
    int           n, ninput, noutput;
    int           nposition, nvelocity, nstate; // n is their sum
    const double *A, *B, *C, *D;                // row major
    const double *mass, *damping,
        *stiffness;           // (nvelocity x nvelocity) M x" + C x' + K x = B u; NULL where nposition differs
    const char* const* state; // (n) "crank.q", "body.turn_x", "crank.v"
    const char* const* input;
    const char* const* output; // the outputs of the model; the states where it has none
    const char* const* state_unit;
    const char* const* input_unit;
    const char* const* output_unit;
} cardan_linear_model;

/// `motor` (ninput): efforts that are the inputs, beside what the model itself exerts.
cardan_status cardan_linearize(cardan_data* data, int ninput, const cardan_motor* motor,
                               cardan_linear_model** linear_model, cardan_report* report);
void          cardan_linear_model_destroy(cardan_linear_model* linear_model);

#ifdef __cplusplus
}
#endif
