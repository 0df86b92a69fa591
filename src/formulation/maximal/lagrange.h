// SPDX-License-Identifier: BSD-3-Clause
// Parts of `lagrange`: work data, assembly, solves.
#pragma once

#include "formulation/maximal/kkt_system.h"
#include "formulation/formulation.h"
#include "formulation/safeguards/geometric_rank.h"

// What `lagrange` keeps from earlier states, besides the pivot orders of S.
typedef struct cd_lagrange_history {
    bool                  uses_alternate; // S and alternate are exchanged
    cd_pivot_conditioning conditioning;   // of the rows, at the last factorization, while the alternate may be used
} cd_lagrange_history;

typedef struct cd_lagrange_work {
    cd_kkt_system       S;
    cd_kkt_system       alternate; // alternate order, for redundant rows; nblock = 0: S is suitable for all rows
    cd_lagrange_history history;
    cd_geometric_rank   rank;
    cd_threads*         threads;      // NULL: one thread
    bool*               is_penalized; // (constraints) added to M, because one of their bodies has singular inertia
    bool                has_penalty;  // some are penalized
    int                 nconstraint;
    bool   rows_stored_in_matrix; // the row stream writes rows into the matrix; they are stored nowhere else
    double rho_translation, rho_rotation;
    real*  rho;               // (nrow) penalty of penalized rows, at the last factorization
    double max_rows_per_body; // largest number of rows on one body: its equations sum as many terms
    real * x, *y;             // (nscalar)
    real*  residual;          // (npadded) of the equations, in elimination order
} cd_lagrange_work;

// Row sink: write the rows of a constraint into the matrix, whose columns then contain all rows.
void cd_lagrange_store_rows(void* work, int constraint, const cd_row_block* b);
// Assemble column k of the elimination, whose diagonal block D is cleared; assemble the whole matrix.
void cd_lagrange_assemble_column(const cd_problem* p, cd_lagrange_work* w, int k, real* D);
void cd_lagrange_assemble(const cd_problem* p, void* work);
// x (nv, then nrow): add the penalty terms to the right side, for the equivalent system; recover the multipliers of
// penalized rotors.
void cd_lagrange_add_penalty_rhs(const cardan_model* m, const cd_rows* rows, const cd_lagrange_work* w, real* x);
// The same for one body: x (6) the right side of its column, s (nrow).
void cd_lagrange_add_penalty_rhs_column(const cd_rows* rows, const cd_lagrange_work* w, int k, const real* s, real* x);
void cd_lagrange_recover_rotor_multipliers(const cardan_model* m, const cd_rows* rows, const cd_lagrange_work* w,
                                           real* x);

cardan_status cd_lagrange_solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                                cd_solve_info* info);
cardan_status cd_lagrange_factor_and_solve(const cd_problem* p, void* work, const cd_right_sides* rhs,
                                           const cd_solution* x, cd_solve_info* info);
// Conditioning of the rows in the last factor.
void cd_lagrange_report_pivots(const cd_problem* p, const cd_lagrange_work* w, cd_solve_info* info);

// Largest residuals, and size of the terms of the equations: six of a body, then rows.
typedef struct cd_kkt_residual_norms {
    double residual[7], term_size[7];
    double redundant_residual; // of rows that are redundant
} cd_kkt_residual_norms;

// Residual x = (r - M a - J'lambda, gamma - J a + C lambda), and its size.
typedef struct cd_kkt_residual {
    const cd_problem*     p;
    const cd_kkt_system*  S;
    const real *          r, *gamma, *a, *lambda;
    cd_kkt_residual_norms norms;
} cd_kkt_residual;

void cd_kkt_residual_compute(cd_kkt_residual* residual, real* x);
// Return whether a residual exceeds relative_tolerance times the terms; for rows also row_tolerance [m/s^2, rad/s^2].
bool cd_kkt_residual_exceeds(const cd_kkt_residual_norms* e, double relative_tolerance, double row_tolerance);

// The same in elimination order, y (npadded), from the factor: column by column during the backward substitution, from
// the last to the first; then its norms. Reliable where it is small; only for systems with recoverable Jacobian blocks.
void cd_kkt_residual_column(cd_kkt_residual* residual, int k, real* y);
void cd_kkt_residual_measure(cd_kkt_residual* residual, const real* y);
// Add the terms of bodies from .. to - 1 to the term sizes, also of those without updates, which the above omits.
void cd_kkt_residual_add_term_sizes(cd_kkt_residual* residual, int from, int to);
