// SPDX-License-Identifier: BSD-3-Clause
// Mechanism as an ODE system for the integrators: a state on the rotation manifold, and its rate.
//
// A state is (t, q, z): coordinates q (nq) with unit quaternions, and the vector z (nz = nv + ns + 1),
//
//     z = [v, s, W]      velocities, user states, and the work W of the forces without potential,
//
// so that the energy error E - E_start - W can be checked along the run.
//
// Explicit methods integrate in a chart, local coordinates y = [theta, z] (n = nv + nz) about a configuration q0:
//
//     q = q0 (+) theta,    theta' = v,   and for the angular velocity w of every quaternion
//     theta' = dexpinv(theta) w = w + theta x w / 2 + c theta x (theta x w),
//     c = (1 - (phi/2) cot(phi/2)) / phi^2,   phi = |theta|.
//
// In the chart the equation is an ordinary differential equation in a vector space, so every Runge-Kutta method keeps
// its order (and its dense output), and quaternions stay unit by construction: Munthe-Kaas 1999; Hairer, Lubich,
// Wanner 2006, section IV.8.
#pragma once

#include "core/memory.h"
#include "dynamics/state.h"
#include "dynamics/data.h"
#include "simulation/simulation_tolerances.h"
#include "simulation/singularity/limit_acceleration.h"
#include "simulation/singularity/constraint_conditioning.h"

#include <cardan/simulate.h>

typedef struct cd_ode_state {
    double  t;
    double* q; // (nq)
    double* z; // (nz) v, user states, work
} cd_ode_state;

// Settings of sequential regularization, complete, and its results.
typedef struct cd_regularization {
    double                        epsilon, baumgarte_rate, violation_tolerance;
    int                           window, max_iterations;
    double                        epsilon_stable_min; // smallest stable epsilon of the last window
    bool                          tolerance_given;    // the user set violation_tolerance; else it is the default
    bool                          over_tolerance;     // the last window exceeds it
    int                           worst_row;          // row of the largest violation of that window
    cardan_regularization_summary result;
} cd_regularization;

// Settings of the run that integrators use.
typedef struct cd_ode_settings {
    double tolerance;  // relative tolerance of local errors
    double max_step;   // [s]
    double fixed_step; // [s] longest step of fixed-step methods
    double t_end;      // [s] end of the run; no step ends later. INFINITY: none
    double span;       // [s] length of the run, or what stands for it if there is no end
    double time_scale; // [s] |t_end|, or |t| after one span
} cd_ode_settings;

// Projection onto the constraints within evaluations.
typedef struct cd_ode_projection {
    bool   at_step_start;            // cd_rhs_and_project projects onto the constraints
    bool   velocity_each_evaluation; // every evaluation projects the velocities; the data hold them
    bool   positions_unstabilized;   // no stabilization corrects the positions
    double velocity_relaxation_rate; // [1/s] rate at which z approaches the projected velocities, for multistep methods
    bool   fused_failed;             // redundant rows are inconsistent where violated: not fused again
    double removed_violation;        // [m, rad] violation that the last fused projection removed
} cd_ode_projection;

// Error scales: an error of tolerance * (floor + relative * magnitude) counts as 1.
typedef struct cd_error_scales {
    double *q_floor, *q_relative; // (nq)
    double *z_floor, *z_relative; // (nz) the last, of W, only for methods that cannot exclude it from the error
    int *   z_vector_first, *z_vector_last; // (nz) range of the vector that an entry belongs to; itself if none
} cd_error_scales;

typedef struct cd_ode_statistics {
    long   evaluations, rejected_steps;
    long   generated_evaluations; // evaluations by generated code
    long   jacobians, generated_jacobians;
    double jacobian_wall_time; // [s]
    long   extra_steps;        // steps of window methods beyond the one requested
    bool   stiff;              // an explicit method found its step limited by stability
    double stiff_since;        // [s] first time of that
} cd_ode_statistics;

// Comparison of generated code with the library (generated_code_monitor.c).
typedef struct cd_code_check {
    double difference_max, t; // largest difference so far; [s] its time
} cd_code_check;

// Progress callback, also called in evaluations, about ten times per second: a step of a large mechanism may take
// minutes.
typedef struct cd_ode_progress {
    cardan_progress_callback callback; // or NULL
    void*                    user;
    double                   t;           // [s] time passed to it: end of the last step
    int                      evaluations; // since the last call; the clock is not read after the first one
    double                   clock;       // [s] clock at the second of these evaluations
    bool                     stopped;     // the callback returned false
} cd_ode_progress;

// Location of the last failure, for the message.
typedef struct cd_ode_failure {
    double t; // [s]
    double value;
    int    index; // index into [q, z], or CARDAN_NONE
} cd_ode_failure;

// z' = [a, s', power] at (t, q, z).
typedef cardan_status (*cd_rate_function)(cd_ode_system* system, double t, const double* q, const double* z,
                                          double* rate);

// The right-hand side far from singular configurations (cd_rhs_regular) and near them (cd_rhs_guarded).
typedef struct cd_rhs_choice {
    cd_rate_function regular, guarded;
} cd_rhs_choice;

struct cd_ode_system {
    cardan_data*            data;
    const cardan_model*     model;
    cardan_description_view description;
    int                     nq, nv, ns;
    int                     nz, n; // dimensions of z, and of y in a chart
    bool                    has_constraints;
    int                     nquaternion;  // quaternions
    const int*              quaternion_v; // (nquaternion) first velocity index of each
    int*                    quaternion_q; // (nquaternion) first coordinate index of each
    int*                    q_of_v;       // (nv) coordinate that a velocity integrates to, or CARDAN_NONE in a rotation
    cd_rate_function        rhs;          // z' at (t, q, z): one of rhs_choice
    cd_rhs_choice           rhs_choice;

    cd_ode_settings   settings;
    cd_ode_projection projection;
    cd_error_scales   scale;
    double*           q_scratch;      // (nq) scratch of cd_chart_rate
    double*           a;              // (nv) accelerations at an output sample
    cd_conditioning   conditioning;   // conditioning of the constraints at the last accelerations
    cd_singular_limit singular_limit; // limit accelerations where it is too poor
    cd_regularization regularization;
    cd_ode_statistics statistics;
    cd_code_check     code_check;
    cd_ode_progress   progress;
    cd_ode_failure    failure;
};

// Initialize the system from the data and the complete settings of a run.
void cd_ode_system_init(cd_ode_system* system, cardan_data* data, const cardan_run_settings* run);
void cd_ode_system_layout(cd_ode_system* system, cd_arena* arena);
void cd_ode_system_set_error_scales(cd_ode_system* system); // from the units of the model

void cd_ode_state_layout(const cd_ode_system* system, cd_arena* arena, cd_ode_state* state);
void cd_ode_state_copy(const cd_ode_system* system, const cd_ode_state* from, cd_ode_state* to);

// User states in z; NULL if the model has none.
static inline const double* cd_user_states(const cd_ode_system* system, const double* z)
{
    return system->ns ? z + system->nv : NULL;
}

// Project the velocities of the data onto the constraints at their position, to round-off, with the factor at that
// state (velocity_projection.c).
cardan_status cd_project_velocities_exactly(cardan_data* data);
// Return the velocities of the last evaluation at z: the projected ones, or those of z itself.
const double* cd_rhs_velocities(const cd_ode_system* system, const double* z);

// Compute z' = [a, s', power] at (t, q, z) by the library. Returns the status of cardan_data_accelerate, CARDAN_NOT_FINITE,
// or CARDAN_STOPPED.
cardan_status cd_rhs_by_library(cd_ode_system* system, double t, const double* q, const double* z, double* rate);

// Compute the same by generated code where available: the data may stay at another state.
cardan_status cd_rhs_regular(cd_ode_system* system, double t, const double* q, const double* z, double* rate);
// Compute the same near a singular configuration (guarded_evaluation.c).
cardan_status cd_rhs_guarded(cd_ode_system* system, double t, const double* q, const double* z, double* rate);
// Compute the rate at the state of the data; only the accelerations may show that a singular configuration is near.
cardan_status cd_evaluate_rate(cd_ode_system* system, double* rate);
// Add the rate at which velocities of z approach the projected ones.
void cd_relax_velocities(const cd_ode_system* system, const double* z, double* rate);
// The state is near a singular configuration, or not: select the right-hand side.
static inline void cd_set_near_singular(cd_ode_system* system, bool near_singular)
{
    system->data->settings.near_singular = near_singular;
    system->rhs                          = near_singular ? system->rhs_choice.guarded : system->rhs_choice.regular;
}
// Compare the library's accelerations a (nv) at the current state with those of generated code. Skips the comparison
// if generated code is not in use, or if constraints are violated, because redundant rows then differ by the
// violation. Costs one evaluation of the code (generated_code_monitor.c).
void cd_compare_generated_code(cd_ode_system* system, const double* a);

// Compute z' at x, the start of a step. If the projection is fused, project x onto the constraints with the factor of
// this evaluation: positions and velocities. With h > 0 the velocities may be left as they are; v + h rate then
// equals the result from the projected velocities, at no cost, for methods with one evaluation per step.
cardan_status cd_rhs_and_project(cd_ode_system* system, double h, cd_ode_state* x, double* rate);

// Return whether the constraint rows are inconsistent, as at singular configurations, or too ill-conditioned for the
// iteration to converge: accelerations do not exist, but the factor still gives the conditioning.
bool cd_constraints_inconsistent(const cd_ode_system* system, cardan_status status);

// Call the progress callback if it is due. Returns false if the caller ends the run.
bool cd_progress_poll(cd_ode_system* system);

// Compute [s', power] (ns + 1) at the current state of the data.
void cd_rhs_auxiliary(cd_ode_system* system, double* rate);

// Set the data to x, if they are at another state.
static inline cardan_status cd_data_set_ode_state(const cd_ode_system* system, const cd_ode_state* x)
{
    return cd_data_set_state_if_changed(system->data, x->t, x->q, x->z, cd_user_states(system, x->z));
}
// Begin an evaluation at (t, q, z), which is not checked if q is NULL: count it, and call the progress callback if due.
cardan_status cd_begin_evaluation(cd_ode_system* system, double t, const double* q, const double* z);
// Store a failure for the message; returns CARDAN_NOT_FINITE.
cardan_status cd_record_failure(cd_ode_system* system, double t, int index, double value);

// Set the data to (t, q, z). Fails if the state is not finite (CARDAN_NOT_FINITE) or the run is stopped
// (CARDAN_STOPPED).
cardan_status cd_ode_system_set_state(cd_ode_system* system, double t, const double* q, const double* z);

// Compute theta' (nv) at y in a chart; compute y' in the chart about q0.
void          cd_chart_rate_of_theta(const cd_ode_system* system, const double* y, double* rate);
cardan_status cd_chart_rate(cd_ode_system* system, double t, const double* q0, const double* y, double* rate);
// Convert y to a state; q0 may be the q of that state.
void cd_chart_to_state(const cd_ode_system* system, double t, const double* q0, const double* y, cd_ode_state* state);

// Return whether all values are finite and below the bound of any mechanism. The second returns CARDAN_NOT_FINITE
// otherwise and stores the worst entry for the message.
bool          cd_is_bounded(int n, const double* x);
cardan_status cd_ode_state_check_finite(cd_ode_system* system, double t, const double* q, const double* z);

// Error scale of coordinate i and of entry i of z at the given magnitude, tolerance included.
double cd_q_error_scale(const cd_ode_system* system, int i, double magnitude);
double cd_z_error_scale(const cd_ode_system* system, int i, double magnitude);
// Magnitude of entry i of z, which may hold the velocities only: the norm of its vector. A single component of a
// velocity passes zero wherever a body circles, and would demand steps that the motion does not need.
double cd_z_magnitude(const cd_ode_system* system, int i, const double* z);

// Set the Baumgarte rate [1/s] of the accelerations; 0: no Baumgarte terms.
void cd_set_baumgarte_rate(cd_ode_system* system, double rate);

// Smallest step [s] that the floating-point time resolves.
double cd_min_step(const cd_ode_system* system, double t);
// Largest velocity [1/s], translations in units of length_scale.
double cd_velocity_scale(const cd_ode_system* system, const double* v);
// Largest step in which no rotation leaves the safe part of its chart: |w| h <= 2 rad.
double cd_chart_step_limit(const cd_ode_system* system, const double* z);
