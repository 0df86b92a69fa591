// SPDX-License-Identifier: BSD-3-Clause
// What integrators see of a mechanism: a state that moves on the rotation manifold, and its rate.
//
// A point is (t, q, z): coordinates q (nq) with unit quaternions, and the flat rest z (nz = nv + ns + 1),
//
//     z = [v, s, W]      velocities, user states, and the work W done by the forces that have no potential,
//
// so that the balance E - E_start - W can be checked along the run.
//
// Methods that add up rates work in a chart, local coordinates y = [theta, z] (n = nv + nz) about a point q0:
//
//     q = q0 (+) theta,    theta' = v,   and for the angular velocity w of every quaternion
//     theta' = dexpinv(theta) w = w + theta x w / 2 + c theta x (theta x w),
//     c = (1 - (phi/2) cot(phi/2)) / phi^2,   phi = |theta|.
//
// In the chart the equation is an ordinary one, so every Runge-Kutta method keeps its order (and its dense output)
// and quaternions stay unit by construction: Munthe-Kaas 1999; Hairer, Lubich, Wanner 2006, section IV.8.
#pragma once

#include "core/memory.h"
#include "simulation/singularity/limit_acceleration.h"
#include "simulation/singularity/constraint_conditioning.h"

#include <cardan/simulate.h>

typedef struct cd_ode_state {
    double  t;
    double* q; // (nq)
    double* z; // (nz) v, user states, work
} cd_ode_state;

// Settings of methods that regularize, complete; and what came of them.
typedef struct cd_regularization {
    double                        epsilon, alpha, violation_tolerance;
    int                           window, max_iterations;
    double                        epsilon_stable_min; // epsilon, of the last window
    bool                          tolerance_given;    // the gap is a wish, not the default
    bool                          over_tolerance;     // the last window leaves more
    int                           worst_row;          // most of it in this row
    cardan_regularization_summary result;
} cd_regularization;

struct cd_ode_system {
    cardan_data*        data;
    const cardan_model* model;
    cardan_view         description; // the description
    int                 nq, nv, ns;
    int                 nz, n;                  // of z, and of y in a chart
    bool                has_constraints;        // there are constraints
    bool                project_at_step_start;  // they are closed in passing, by cd_rhs_and_project
    bool                positions_unstabilized; // nobody puts positions back on them
    bool
        project_velocity_each_eval; // velocities are put on the constraints in every evaluation: the data hold those that count
    double
         forgetting_rate; // [1/s] then: how fast z forgets what was taken from it, for methods that build on their past
    bool fused_projection_failed; // that has failed: rows depend on each other, and disagree where they are not closed
    int  nrotation;               // quaternions
    const int* rotation_v;        // (nrotation) first velocity index of each
    int*       quaternion_q;      // (nrotation) first coordinate index of each

    double tolerance; // relative
    double max_step;  // [s]
    double t_start;   // [s] of the run
    double t_end;     // [s] no step goes beyond

    // Error scales: an error of tolerance * (floor + relative * size) is one unit.
    double *q_floor, *q_relative;           // (nq)
    double *z_floor, *z_relative;           // (nz) the last, of W, only for methods that cannot leave it out
    int*    q_of_v;                         // (nv) coordinate that a velocity moves, or CARDAN_NONE inside a rotation
    int *   z_vector_first, *z_vector_last; // (nz) of the vector that an entry is a component of; itself, where of none

    double* q_scratch;        // (nq) scratch of cd_chart_rate
    double* residual_scratch; // scratch of cd_generated_check_sample, where equations are generated
    double* a;                // (nv) accelerations at a row

    cd_conditioning   conditioning;   // how near a singular pose the last accelerations were
    cd_singular_limit singular_limit; // and where they were too near

    double projected_violation; // [m, rad] that the last step closed in passing

    long   evaluations, rejected_steps;
    long   generated_evaluations; // evaluations by generated code
    double code_difference_max,
        code_difference_t; // largest difference between it and the library at states that the library evaluated, when
    long   jacobians, generated_jacobians;
    double jacobian_wall_time; // [s]
    long   extra_steps;        // of methods that take several at once: beyond those that were asked for

    double            fixed_step;     // [s] longest of fixed-step methods
    cd_regularization regularization; // settings and results of methods that regularize

    // Asked in evaluations too, about ten times a second: a step of a large mechanism may take minutes.
    cardan_progress_callback progress_callback; // or NULL
    void*                    user;
    double                   progress_t; // [s] what it is told: the end of the last step
    int    progress_evaluations;         // evaluations since it was asked: one alone is not worth a look at the clock
    double progress_clock;               // [s] clock then, or at the second of them
    bool   stopped;                      // it has said no

    bool   stiff;       // an explicit method found its steps limited by stability
    double stiff_since; // [s] first time

    // Where the last failure happened, for the sentence.
    double failure_t;
    double failure_value;
    int    failure_index; // index into [q, z], or CARDAN_NONE
};

// What a complete run says of it.
void cd_ode_system_init(cd_ode_system* system, cardan_data* data, const cardan_run* run);
void cd_ode_system_layout(cd_ode_system* system, cd_arena* arena);
void cd_ode_system_set_error_scales(cd_ode_system* system); // fills the error scales from the model's units

void cd_ode_state_layout(const cd_ode_system* system, cd_arena* arena, cd_ode_state* point);
void cd_ode_state_copy(const cd_ode_system* system, const cd_ode_state* from, cd_ode_state* to);

// The velocities of the data onto the constraints at their position, to the last digit, with the factor there
// (velocity_projection.c).
cardan_status cd_project_velocities_exactly(cardan_data* data);
// The velocities of the last evaluation at z: those that it filled in, or those of z itself.
const double* cd_rhs_velocities(const cd_ode_system* system, const double* z);

// z' = [a, s', power] at (t, q, z). Fails with what cardan_accelerate says, CARDAN_DIVERGED, or CARDAN_STOPPED.
cardan_status cd_rhs_by_library(cd_ode_system* system, double t, const double* q, const double* z, double* rate);

// The same, by generated code where there is some: the data may stay at another state.
cardan_status cd_rhs(cd_ode_system* system, double t, const double* q, const double* z, double* rate);
// Compare the library's accelerations a (nv) at the state that is set with those of generated code. Nothing is compared
// where generated code is not used, nor where constraints are violated, because redundant rows then disagree by the
// violation. Costs one evaluation of the code.
void cd_compare_generated_code(cd_ode_system* system, const double* a);

// The same at x, the beginning of a step. Where gaps are closed in passing, x is put back on the constraints by the
// factor of this evaluation: positions, and velocities too. With h > 0 the velocities may be left as they are; v + h
// rate is then what those without their gap would become, which costs nothing and serves methods of one evaluation.
cardan_status cd_rhs_and_project(cd_ode_system* system, double h, cd_ode_state* x, double* rate);

// Rows contradict each other, as they do at singular poses, or are too weak for an iteration to close them: there are
// no accelerations, and yet the factor tells how firm the pose is.
bool cd_constraints_inconsistent(const cd_ode_system* system, cardan_status status);

// False: the caller ends the run. `progress` is asked if its time has come.
bool cd_progress_poll(cd_ode_system* system);

// [s', power] (ns + 1) at the state that the data are set to.
void cd_rhs_auxiliary(cd_ode_system* system, double* rate);

// The data at (t, q, z), where that is sound and nobody has stopped the run.
cardan_status cd_ode_system_set_state(cd_ode_system* system, double t, const double* q, const double* z);

// theta' (nv) at y in a chart. y' in the chart about q0.
void          cd_chart_rate_of_theta(const cd_ode_system* system, const double* y, double* rate);
cardan_status cd_chart_rate(cd_ode_system* system, double t, const double* q0, const double* y, double* rate);
// The point that y stands for; q0 may be the point's own q.
void cd_chart_to_state(const cd_ode_system* system, double t, const double* q0, const double* y, cd_ode_state* point);

// False where a value is not finite or beyond any mechanism; and CARDAN_DIVERGED, with the worst of them kept for the
// sentence.
bool          cd_is_bounded(int n, const double* x);
cardan_status cd_ode_state_check_finite(cd_ode_system* system, double t, const double* q, const double* z);

// Error units of coordinate i and of entry i of z at the given size, tolerance included.
double cd_q_error_scale(const cd_ode_system* system, int i, double magnitude);
double cd_z_error_scale(const cd_ode_system* system, int i, double magnitude);
// The size of entry i of z, or of velocities alone: the length of its vector. Components of a velocity pass zero
// wherever a body circles, and would ask for steps that its motion does not need.
double cd_z_magnitude(const cd_ode_system* system, int i, const double* z);

// Accelerations that pull gaps of the constraints back at this rate [1/s]; 0: that leave them.
void cd_set_baumgarte_rate(cd_ode_system* system, double rate);

// The smallest step that time itself can still count.
double cd_min_step(const cd_ode_system* system, double t);
// The fastest velocity [1/s], lengths measured by that of the mechanism.
double cd_velocity_scale(const cd_ode_system* system, const double* v);
// The largest step in which no rotation leaves the safe part of its chart: |w| h <= 2.
double cd_chart_step_limit(const cd_ode_system* system, const double* z);
