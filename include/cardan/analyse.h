// SPDX-License-Identifier: BSD-3-Clause
// Analyses at a state: static equilibrium, trim, natural modes, and the linear model for control.
#pragma once

#include <cardan/kinematics.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef enum cardan_stability {
    CARDAN_STABLE,   // restoring forces in all directions
    CARDAN_NEUTRAL,  // some motions without restoring force, none that diverges
    CARDAN_UNSTABLE, // some motion diverges
} cardan_stability;

/// Options of the search for an equilibrium. Zero: default.
typedef struct cardan_equilibrium_options {
    bool   nearest; // Newton's method first: the nearest equilibrium, stable or not. Else descent: the result is stable
    double force_tolerance; // residual force relative to force_scale; 0: 1e-10
    int    max_iterations;  // 0: 500
} cardan_equilibrium_options;

typedef struct cardan_equilibrium {
    cardan_stability stability;
    int              dof;                 // motions that the constraints allow
    int              nneutral, nunstable; // of them, without restoring force; that diverge
    double           residual;            // largest residual force, relative to force_scale
    double           force_scale;         // [N m] scale: moments, and forces times the length scale
    double           max_acceleration;    // [rad/s^2, m/s^2] largest remaining one; NaN if some motion has no inertia
    double           min_stiffness;       // [N m/rad] smallest eigenvalue of the stiffness, lengths in length scales
    int              iterations;          // of Newton's method and of the descent
    long             evaluations;         // of the forces
    bool             used_descent;
    bool             is_singular;   // the configuration is singular: stability is undetermined and reported as neutral
    bool is_held_by_contacts;       // rigid contacts that touch hold it: stability undetermined, reported as neutral
    char neutral_description[400];  // "'body' along x, 'body' along y"; or ""
    char unstable_description[400]; // the same for motions that diverge
} cardan_equilibrium;

/// Find a static equilibrium at the current time: from the state of the data, with its loops closed, to positions (and
/// user states) with zero accelerations. Drivers are frozen at their values at that time (cardan_data_set_driver
/// restores them). Sets the data to the result with v = 0; q (nq) and state (nstate) receive it. `options`, q, state,
/// `equilibrium` and `report` may be NULL. A start that is an equilibrium is kept, stable or not. Returns
/// CARDAN_NOT_CONVERGED if there is none; the message names the unsupported motion. Where shapes with rigid contacts
/// touch at the start, the start alone is examined: it is an equilibrium if contact forces by Coulomb's law hold it
/// (cardan_data_contacts gives them). Allocates.
cardan_status cardan_equilibrium_solve(cardan_data* data, const cardan_equilibrium_options* options, double* q,
                                       double* state, cardan_equilibrium* equilibrium, cardan_report* report);

/// Compute the static residual at the current positions with v = 0: the part of gravity, springs and efforts (nv) that
/// constraint forces do not balance; moments [N m], and forces times the length scale. `force_scale`: scale
/// of the forces. Drivers are frozen at their current values.
cardan_status cardan_data_static_residual(cardan_data* data, double* residual, double* force_scale,
                                          cardan_report* report);

/// Tunables: numbers of a description that can be set by name. FORCE.length, .preload, .stiffness of force elements;
/// JOINT.rest and .stiffness of joint springs, JOINT:2.rest for the second coordinate.
int cardan_description_tunable_count(const cardan_description* description);
/// Store the name of tunable i in `name`. Returns false if there is none.
bool cardan_description_tunable_name(const cardan_description* description, int i, char* name, int size);
/// Get a tunable by name. Returns false if there is none.
bool cardan_description_get_tunable(const cardan_description* description, const char* name, double* value);
/// Unit of a tunable, "m", "N m/rad": always SI, whatever units the file uses. NULL if there is none.
const char* cardan_description_tunable_unit(const cardan_description* description, const char* name);
/// Set a tunable. Models compiled from the description before must be compiled again. Returns false if there is none.
bool cardan_description_set_tunable(cardan_description* description, const char* name, double value);

/// Callback that creates the mechanism for given values; cardan_trim_solve destroys it.
typedef cardan_status (*cardan_description_factory)(void* user, const double* value, cardan_description** description,
                                                    cardan_report* report);

typedef struct cardan_trim {
    double residual_before,
        residual_after; // unbalanced forces (2-norm) relative to the force scale
    int  rank;          // number of determined values; less than n if some have no effect or the same effect
    int  iterations;
    char residual_description[400]; // "'FL.upper', 'body' about y": motions with an unbalanced force; or ""
} cardan_trim;

/// Trim: find values (n, from a guess) for which the start of the mechanism is an equilibrium, in the sense of least
/// squares; if they are not unique, by the minimum-norm change relative to the sizes of the values. Returns
/// CARDAN_NOT_CONVERGED if the iteration diverges or does not reduce the residual. A residual that is only reduced is
/// not a failure; see `residual_after`.
cardan_status cardan_trim_solve(cardan_description_factory factory, void* user, int formulation, double t, int n,
                                double* value, cardan_trim* trim, cardan_report* report);

typedef enum cardan_mode_kind {
    CARDAN_MODE_NEUTRAL,     // eigenvalue zero: a motion without restoring force
    CARDAN_MODE_OSCILLATION, // a pair of complex eigenvalues
    CARDAN_MODE_DECAY,       // a real eigenvalue: decay or growth without oscillation
} cardan_mode_kind;

/// A mode: motion Re(shape exp(lambda t)).
typedef struct cardan_mode {
    cardan_mode_kind kind;
    bool             is_unstable;       // grows
    double           real, imaginary;   // lambda [1/s], imaginary >= 0
    double           frequency;         // [Hz] damped: imaginary / 2 pi
    double           natural_frequency; // [Hz] undamped: |lambda| / 2 pi
    double           damping_ratio;     // -real / |lambda|
    double           time_constant;     // [s] of decay or growth by the factor e; infinite if there is neither
    const double *   tangent_real,
        *tangent_imaginary; // (nv) displacement of the coordinates of the model, for cardan_model_integrate_position
    const double *joint_real, *joint_imaginary; // (nv_joint) the same for all joints, indexed by joint_range
    const char*   description; // "chassis 92 % about y, wheel 4 % along z": fractions of the kinetic energy
} cardan_mode;

typedef struct cardan_modes {
    int                count; // neutral modes first, then by |lambda|
    const cardan_mode* mode;
    int                nposition; // independent positions, velocities and user states
    int                nvelocity, nstate;
    int                nunstable; // modes that grow
    double max_velocity;     // [rad/s, m/s] of the state; if not 0, modes of the moving mechanism at a frozen state
    double max_acceleration; // [rad/s^2, m/s^2] of the state; if not 0, it is not an equilibrium
} cardan_modes;

/// Compute natural frequencies, damping and mode shapes at the current state, with or without loops: eigenvalues of the
/// first-order state matrix of all independent motions. Shapes are scaled to a largest joint displacement of 1, lengths
/// in units of the length scale. Returns CARDAN_SINGULAR if some motion has no inertia. Allocates.
cardan_status cardan_modes_create(cardan_data* data, cardan_modes** modes, cardan_report* report);
void          cardan_modes_destroy(cardan_modes* modes);

/// Linear model about the current state, in independent joint coordinates, x = (positions, velocities, user states):
///   d(dx)/dt = A dx + B du,  dy = C dx + D du.
typedef struct cardan_linear_model {
    int           n, ninput, noutput;
    int           nposition, nvelocity, nstate; // n is their sum
    const double *A, *B, *C, *D;                // row major
    const double *mass, *damping,
        *stiffness;           // (nvelocity x nvelocity) M x" + C x' + K x = B u; NULL if nposition differs
    const char* const* state; // (n) "crank.q", "body.turn_x", "crank.v"
    const char* const* input;
    const char* const* output; // outputs of the model; the states if it has none
    const char* const* state_unit;
    const char* const* input_unit;
    const char* const* output_unit;
} cardan_linear_model;

/// Linearize about the current state. `motor` (ninput): the efforts that are inputs, in addition to the forces of the
/// model.
cardan_status cardan_linear_model_create(cardan_data* data, int ninput, const cardan_motor* motor,
                                         cardan_linear_model** linear_model, cardan_report* report);
void          cardan_linear_model_destroy(cardan_linear_model* linear_model);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
