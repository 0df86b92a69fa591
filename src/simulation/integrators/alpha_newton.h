// SPDX-License-Identifier: BSD-3-Clause
// Inside of generalized-alpha: its work, and the solution of the equations of one step (generalized_alpha.c has them).
#pragma once

#include "simulation/integrators/linear/independent_rows.h"
#include "simulation/integrators/linear/triplet_matrix.h"
#include "simulation/events/force_discontinuity.h"
#include "simulation/integrators/linear/equation_jacobian.h"
#include "simulation/integrators/linear/sparse_equation_jacobian.h"

typedef struct cd_alpha_parameters {
    double am, af, beta, gamma;
} cd_alpha_parameters;

typedef struct cd_alpha_work {
    cd_alpha_parameters  parameters;
    cd_equation_jacobian jacobian;
    cd_independent_rows  independent;
    double*              J0; // (nv x nrow) J' at the begin of the step; dense matrices

    bool is_sparse; // matrices are: then no slopes but these, and rows of J at the begin of the step
    cd_sparse_equation_jacobian sparse_jacobian;
    cd_jacobian_csr             J0_csr;
    cd_triplet_matrix           sparse_matrix;

    cd_ode_state from;                 // begin of the last step, and the state there
    double *     a0, *b0, *a1, *b1;    // (nv)
    double *     g0, *g1, *g_previous; // (ns + 1) rates of states and work
    double*      a_previous;           // (nv) accelerations one step before
    double *     lambda0, *lambda;     // (nrow)

    double *     x, *v, *s; // unknown: (nv), (nv), (ns)
    cd_ode_state to;
    double *     residual, *correction; // (n)
    double*      inertia_diagonal;      // (nv) on the diagonal of M
    double*      matrix;
    int*         pivot;
    double       factored_h;                     // [s] step that the factor belongs to; 0: none
    bool         jacobian_valid;                 // slopes are known, of this step or one before
    double       convergence_rate, assumed_rate; // of convergence, when it was last seen; and what it is taken for
    double       h_next, h_taken, h_previous;
    double       h_of_b;                  // [s] step that b0 - a0 belongs to
    int          steps_taken;             // steps since the start
    cd_force_discontinuity discontinuity; // of forces
    bool                   needs_restart; // the next step begins anew, behind a jump
    int                    worst_entry;   // entry of [q, z] that an iteration changed most
} cd_alpha_work;

// Factors of the equations of a step of length h: a', v', k of alpha_newton.c.
typedef struct cd_alpha_coefficients {
    double h, a, v, r;
} cd_alpha_coefficients;

// d(q (+) x) = (q (+) x) (+) T dx.
void cd_alpha_tangent(const double x[3], double T[3][3]);

// Sparse matrices (alpha_sparse.c): at a start, with what is held; J at the begin of a step; slopes at the point that
// the iteration has reached; the matrix.
cardan_status cd_alpha_sparse_start(cd_ode_system* system, cd_alpha_work* w);
void          cd_alpha_sparse_begin_step(cd_ode_system* system, cd_alpha_work* w);
cardan_status cd_alpha_sparse_jacobian(cd_ode_system* system, cd_alpha_work* w);
void          cd_alpha_sparse_inertia_diagonal(const cd_ode_system* system, cd_alpha_work* w); // of these slopes
cardan_status cd_alpha_sparse_factor(cd_ode_system* system, cd_alpha_work* w, const cd_alpha_coefficients* k);
void          cd_alpha_finish(void* work);

// Units of errors, as those of the other adaptive methods: of position i, of velocity i, and of user state i.
double cd_alpha_position_error_scale(const cd_ode_system* system, const cd_alpha_work* w, int i);
double cd_alpha_velocity_error_scale(const cd_ode_system* system, const cd_alpha_work* w, int i);
double cd_alpha_state_error_scale(const cd_ode_system* system, const cd_alpha_work* w, int i);

// Part of a unit that a step of length h may err by: a whole one may be made in a tenth of the run. A method of low
// order would lose it many times over if every step could.
double cd_alpha_error_budget(const cd_ode_system* system, double h);

// Newton from the prediction: the end of a step of length h, in w->to, a1, lambda. CARDAN_NOT_CONVERGED: a shorter step
// may do.
cardan_status cd_alpha_solve_step(cd_ode_system* system, cd_alpha_work* w, double h);
