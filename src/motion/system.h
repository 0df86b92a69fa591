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
#include "motion/beside.h"
#include "motion/strength.h"

#include <cardan/simulate.h>

typedef struct cd_point {
    double  t;
    double* q; // (nq)
    double* z; // (nz) v, user states, work
} cd_point;

// Settings of methods that regularize, complete; and what came of them.
typedef struct cd_regularizing {
    double             epsilon, alpha, gap;
    int                window, iterations;
    double             least;   // epsilon, of the last window
    bool               asked;   // the gap is a wish, not the default
    bool               missing; // the last window leaves more
    int                row;     // most of it in this row
    cardan_regularized result;
} cd_regularizing;

struct cd_system {
    cardan_data*        data;
    const cardan_model* model;
    cardan_view         said; // the description
    int                 nq, nv, ns;
    int                 nz, n;   // of z, and of y in a chart
    bool                loops;   // there are constraints
    bool                passing; // they are closed in passing, by cd_system_rate_closing
    bool                adrift;  // nobody puts positions back on them
    bool       fills;     // velocities are put on the constraints in every evaluation: the data hold those that count
    double     settle;    // [1/s] then: how fast z forgets what was taken from it, for methods that build on their past
    bool       careful;   // that has failed: rows depend on each other, and disagree where they are not closed
    int        nrotation; // quaternions
    const int* rotation;  // (nrotation) first velocity index of each
    int*       quaternion; // (nrotation) first coordinate index of each

    double tolerance; // relative
    double max_step;  // [s]
    double begin;     // [s] of the run
    double end;       // [s] no step goes beyond

    // Error scales: an error of tolerance * (floor + relative * size) is one unit.
    double *q_floor, *q_relative; // (nq)
    double *z_floor, *z_relative; // (nz) the last, of W, only for methods that cannot leave it out
    int*    q_of_v;               // (nv) coordinate that a velocity moves, or CARDAN_NONE inside a rotation
    int *   z_first, *z_last;     // (nz) of the vector that an entry is a component of; itself, where of none

    double* q;         // (nq) scratch of cd_chart_rate
    double* equations; // scratch of cd_confirm_row, where equations are generated
    double* a;         // (nv) accelerations at a row

    cd_firmness firmness; // how near a singular pose the last accelerations were
    cd_beside   beside;   // and where they were too near

    double gap; // [m, rad] that the last step closed in passing

    long   evaluations, rejected;
    long   generated;        // evaluations by generated code
    double code_off, code_t; // largest difference between it and the library at states that the library evaluated, when
    long   jacobians, generated_jacobians;
    double jacobian_wall; // [s]
    long   more_steps;    // of methods that take several at once: beyond those that were asked for

    double          step;         // [s] longest of fixed-step methods
    cd_regularizing regularizing; // settings and results of methods that regularize

    // Asked in evaluations too, about ten times a second: a step of a large mechanism may take minutes.
    cardan_progress_function progress; // or NULL
    void*                    user;
    double                   reached; // [s] what it is told: the end of the last step
    int                      since;   // evaluations since it was asked: one alone is not worth a look at the clock
    double                   asked;   // [s] clock then, or at the second of them
    bool                     stopped; // it has said no

    bool   stiff;    // an explicit method found its steps limited by stability
    double stiff_at; // [s] first time

    // Where the last failure happened, for the sentence.
    double trouble_t;
    double trouble_value;
    int    trouble; // index into [q, z], or CARDAN_NONE
};

// What a complete run says of it.
void cd_system_open(cd_system* system, cardan_data* data, const cardan_run* run);
void cd_system_layout(cd_system* system, cd_arena* arena);
void cd_system_scale(cd_system* system); // fills the error scales from the model's units

void cd_point_layout(const cd_system* system, cd_arena* arena, cd_point* point);
void cd_point_copy(const cd_system* system, const cd_point* from, cd_point* to);

// The velocities of the data onto the constraints at their position, to the last digit, with the factor there
// (velocity.c).
cardan_status cd_fill_velocities(cardan_data* data);
// The velocities of the last evaluation at z: those that it filled in, or those of z itself.
const double* cd_system_velocities(const cd_system* system, const double* z);

// z' = [a, s', power] at (t, q, z). Fails with what cardan_accelerate says, CARDAN_DIVERGED, or CARDAN_STOPPED.
cardan_status cd_system_rate(cd_system* system, double t, const double* q, const double* z, double* rate);

// The same, by generated code where there is some: the data may stay at another state.
cardan_status cd_system_rate_alone(cd_system* system, double t, const double* q, const double* z, double* rate);
// Compare the library's accelerations a (nv) at the state that is set with those of generated code. Nothing is compared
// where generated code is not used, nor where constraints are violated, because redundant rows then disagree by the
// violation. Costs one evaluation of the code.
void cd_system_compare_code(cd_system* system, const double* a);

// The same at x, the beginning of a step. Where gaps are closed in passing, x is put back on the constraints by the
// factor of this evaluation: positions, and velocities too. With h > 0 the velocities may be left as they are; v + h
// rate is then what those without their gap would become, which costs nothing and serves methods of one evaluation.
cardan_status cd_system_rate_closing(cd_system* system, double h, cd_point* x, double* rate);

// Rows contradict each other, as they do at singular poses, or are too weak for an iteration to close them: there are
// no accelerations, and yet the factor tells how firm the pose is.
bool cd_rows_disagree(const cd_system* system, cardan_status status);

// False: the caller ends the run. `progress` is asked if its time has come.
bool cd_system_go_on(cd_system* system);

// [s', power] (ns + 1) at the state that the data are set to.
void cd_system_rate_of_rest(cd_system* system, double* rate);

// The data at (t, q, z), where that is sound and nobody has stopped the run.
cardan_status cd_system_reach(cd_system* system, double t, const double* q, const double* z);

// theta' (nv) at y in a chart. y' in the chart about q0.
void          cd_chart_turn(const cd_system* system, const double* y, double* rate);
cardan_status cd_chart_rate(cd_system* system, double t, const double* q0, const double* y, double* rate);
// The point that y stands for; q0 may be the point's own q.
void cd_chart_leave(const cd_system* system, double t, const double* q0, const double* y, cd_point* point);

// False where a value is not finite or beyond any mechanism; and CARDAN_DIVERGED, with the worst of them kept for the
// sentence.
bool          cd_is_bounded(int n, const double* x);
cardan_status cd_system_sound(cd_system* system, double t, const double* q, const double* z);

// Error units of coordinate i and of entry i of z at the given size, tolerance included.
double cd_q_scale(const cd_system* system, int i, double size);
double cd_z_scale(const cd_system* system, int i, double size);
// The size of entry i of z, or of velocities alone: the length of its vector. Components of a velocity pass zero
// wherever a body circles, and would ask for steps that its motion does not need.
double cd_z_size(const cd_system* system, int i, const double* z);

// Accelerations that pull gaps of the constraints back at this rate [1/s]; 0: that leave them.
void cd_system_pull(cd_system* system, double pull);

// The smallest step that time itself can still count.
double cd_least_step(const cd_system* system, double t);
// The fastest velocity [1/s], lengths measured by that of the mechanism.
double cd_fastest(const cd_system* system, const double* v);
// The largest step in which no rotation leaves the safe part of its chart: |w| h <= 2.
double cd_rotation_bound(const cd_system* system, const double* z);
