// SPDX-License-Identifier: BSD-3-Clause
// Internals of generalized-alpha: its work memory and the solution of the equations of one step (equations:
// generalized_alpha.c).
#pragma once

#include "simulation/integrators/jacobian/independent_rows.h"
#include "simulation/integrators/jacobian/triplet_matrix.h"
#include "simulation/events/force_discontinuity.h"
#include "simulation/integrators/jacobian/equation_jacobian.h"
#include "simulation/integrators/jacobian/sparse_equation_jacobian.h"

typedef struct cd_alpha_parameters {
    double am, af, beta, gamma;
} cd_alpha_parameters;

typedef struct cd_alpha_work {
    cd_alpha_parameters  parameters;
    cd_equation_jacobian jacobian;
    cd_independent_rows  independent;
    double*              J0; // (nv x nrow) J' at the start of the step; dense matrices

    bool                        is_sparse; // sparse matrices: these replace the dense Jacobian and J0
    cd_sparse_equation_jacobian sparse_jacobian;
    cd_jacobian_csr             J0_csr;
    cd_triplet_matrix           sparse_matrix;

    cd_ode_state from;                 // start of the last step
    double *     a0, *b0, *a1, *b1;    // (nv)
    double *     g0, *g1, *g_previous; // (ns + 1) rates of user states and work
    double*      a_previous;           // (nv) accelerations one step earlier
    double *     lambda0, *lambda;     // (nrow)

    double *               x, *v, *s; // unknowns: (nv), (nv), (ns)
    cd_ode_state           to;
    double *               residual, *correction; // (n)
    double*                inertia_diagonal;      // (nv) diagonal of M
    double*                matrix;
    int*                   pivot;
    double                 factored_h;                     // [s] step size of the factor; 0: no factor
    bool                   jacobian_valid;                 // the Jacobian is available, of this step or an earlier one
    double                 convergence_rate, assumed_rate; // last measured convergence rate, and the rate assumed
    double                 h_next, h_taken, h_previous;
    double                 h_of_b;        // [s] step size that b0 - a0 belongs to
    int                    steps_taken;   // steps since the start
    cd_force_discontinuity discontinuity; // of forces
    bool                   needs_restart; // the next step restarts the method, behind a jump
    int                    worst_entry;   // entry of [q, z] with the largest change in an iteration
} cd_alpha_work;

// Coefficients of the equations of a step of length h: a', v', k of alpha_newton.c.
typedef struct cd_alpha_coefficients {
    double h, a, v, r;
} cd_alpha_coefficients;

// d(q (+) x) = (q (+) x) (+) T dx.
void cd_alpha_tangent(const double x[3], double T[3][3]);

// Sparse matrices (alpha_sparse.c): start with the selected independent rows; J at the start of a step; Jacobian at
// the current iterate; factorization of the matrix.
cardan_status cd_alpha_sparse_start(cd_ode_system* system, cd_alpha_work* w);
void          cd_alpha_sparse_begin_step(cd_ode_system* system, cd_alpha_work* w);
cardan_status cd_alpha_sparse_jacobian(cd_ode_system* system, cd_alpha_work* w);
void          cd_alpha_sparse_inertia_diagonal(const cd_ode_system* system, cd_alpha_work* w); // from this Jacobian
cardan_status cd_alpha_sparse_factor(cd_ode_system* system, cd_alpha_work* w, const cd_alpha_coefficients* k);
void          cd_alpha_finish(void* work);

// Error scales as in the other adaptive methods: of position i, velocity i, and user state i.
double cd_alpha_position_error_scale(const cd_ode_system* system, const cd_alpha_work* w, int i);
double cd_alpha_velocity_error_scale(const cd_ode_system* system, const cd_alpha_work* w, int i);
double cd_alpha_state_error_scale(const cd_ode_system* system, const cd_alpha_work* w, int i);

// Fraction of the error scale allowed for a step of length h: a tenth of the run may use a whole one. A method of low
// order would exceed the tolerance many times if every step could use it.
double cd_alpha_error_budget(const cd_ode_system* system, double h);

// Solve the equations of a step of length h by Newton's method from the predictor; results in w->to, a1, lambda.
// Returns CARDAN_NOT_CONVERGED if a shorter step may succeed.
cardan_status cd_alpha_solve_step(cd_ode_system* system, cd_alpha_work* w, double h);
