// SPDX-License-Identifier: BSD-3-Clause
// Parts of `lagrange`: what it keeps, its assembly, its solves.
#pragma once

#include "formulation/maximal/kkt_system.h"
#include "formulation/formulation.h"
#include "formulation/robust/geometric_rank.h"

typedef struct cd_lagrange_work {
    cd_kkt_system S;
    cd_kkt_system
        alternate; // another order, for rows that repeat others; no blocks: S takes all, or it has taken the place of S
    cd_geometric_rank     rank;
    cd_pivot_conditioning conditioning; // of the rows, at the last factorization, as long as there is another order
    cd_threads*           threads;      // NULL: one
    bool*  is_penalized; // (constraints) added to H, because one of their bodies has a direction without inertia
    bool   has_penalty;  // some are
    int    nconstraint;
    bool   rows_stored_in_matrix; // rows come into the matrix while they are at hand, and are nowhere else
    double rho_translation, rho_rotation;
    real*  rho;               // (nrow) of rows that lean, at the last factorization
    double max_rows_per_body; // most rows on one body: its equations sum as many terms
    real * x, *y;             // (nscalar)
    real*  residual;          // (nslot) of the equations, in the order of elimination
} cd_lagrange_work;

static const double cd_lagrange_null_pivot_tolerance = 1e-10; // part of its row that a pivot is more than

// What the matrix has in column k of the elimination, whose diagonal block stands at D and is cleared; and all of it.
void cd_lagrange_store_rows(
    void* work, int constraint,
    const cd_row_block* b); // of rows that become known: into the matrix, whose columns have them all
void cd_lagrange_assemble_column(const cardan_model* m, const cd_rows* rows, cd_lagrange_work* w, int k, real* D);
cardan_status cd_lagrange_assemble(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work);
// x (nv, then nrow): right sides of the equivalent system, where rows lean. And what their multipliers are then.
void cd_lagrange_add_penalty_rhs(const cardan_model* m, const cd_rows* rows, const cd_lagrange_work* w, real* x);
// The same of one body: x (6) the right side of its column, s (nrow).
void cd_lagrange_add_penalty_rhs_column(const cd_rows* rows, const cd_lagrange_work* w, int k, const real* s, real* x);
void cd_lagrange_recover_rotor_multipliers(const cardan_model* m, const cd_rows* rows, const cd_lagrange_work* w,
                                           real* x);

cardan_status cd_lagrange_solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                                const real* gamma, real* a, real* lambda, cd_solve_info* info);
void cd_lagrange_solve_correction(const cardan_model* m, const cd_rows* rows, void* work, const real* s, real* dx);
cardan_status cd_lagrange_solve_with_correction(const cardan_model* m, const cd_rows* rows, void* work, const real* r,
                                                const real* gamma, real* a, real* lambda, cd_solve_info* info,
                                                const real* s, real* dx);
cardan_status cd_lagrange_factor_and_solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work,
                                           const real* r, const real* gamma, real* a, real* lambda, cd_solve_info* info,
                                           const real* s, real* dx);

// What equations leave at most, and the size of their terms: six of a body, then rows.
typedef struct cd_kkt_residual_norms {
    double residual[7], term_size[7];
    double redundant_residual; // left of rows that are held to repeat others
} cd_kkt_residual_norms;

// x = (r - H a - C'lambda, gamma - C a + E lambda), and its size.
typedef struct cd_kkt_residual {
    const cardan_model*   m;
    const cd_rows*        rows;
    const cd_kkt_system*  S;
    const real *          r, *gamma, *a, *lambda;
    cd_kkt_residual_norms norms;
} cd_kkt_residual;

void cd_kkt_residual_compute(cd_kkt_residual* l, real* x);
bool cd_kkt_residual_exceeds(const cd_kkt_residual_norms* e, double relative_tolerance,
                             double row_tolerance); // of terms; of rows, whatever their terms

// The same in the order of elimination, y (nslot), from the factor: column by column as they are solved, from the last
// to the first; then its size. To be trusted where it is small; only for systems whose rows are kept.
void cd_kkt_residual_column(cd_kkt_residual* l, int k, real* y);
void cd_kkt_residual_measure(cd_kkt_residual* l, const real* y);
void cd_kkt_residual_add_term_sizes(cd_kkt_residual* l, int from,
                                    int to); // of the terms of bodies, also of those that were left out
