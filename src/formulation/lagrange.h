// SPDX-License-Identifier: BSD-3-Clause
// Parts of `lagrange`: what it keeps, its assembly, its solves.
#pragma once

#include "formulation/flat_system.h"
#include "formulation/formulation.h"
#include "formulation/row_rank.h"

typedef struct cd_lagrange_work {
    cd_flat_system S;
    cd_flat_system
        aside; // another order, for rows that repeat others; no blocks: S takes all, or it has taken the place of S
    cd_row_rank rank;
    cd_strength strength; // of the rows, at the last factorization, as long as there is another order
    cd_threads* threads;  // NULL: one
    bool*       leaning;  // (constraints) added to H, because one of their bodies has a direction without inertia
    bool        leans;    // some are
    int         nconstraint;
    bool        taken; // rows come into the matrix while they are at hand, and are nowhere else
    double      rho_move, rho_turn;
    real*       rho;   // (nrow) of rows that lean, at the last factorization
    double      crowd; // most rows on one body: its equations sum as many terms
    real *      x, *y; // (nscalar)
    real*       left;  // (nslot) of the equations, in the order of elimination
} cd_lagrange_work;

static const double cd_lagrange_null = 1e-10; // part of its row that a pivot is more than

// What the matrix has in column k of the elimination, whose diagonal block stands at D and is cleared; and all of it.
void          cd_lagrange_take(void* work, int constraint,
                               const cd_row_block* b); // of rows that become known: into the matrix, whose columns have them all
void          cd_lagrange_write(const cardan_model* m, const cd_rows* rows, cd_lagrange_work* w, int k, real* D);
cardan_status cd_lagrange_assemble(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work);
// x (nv, then nrow): right sides of the equivalent system, where rows lean. And what their multipliers are then.
void cd_lagrange_lean(const cardan_model* m, const cd_rows* rows, const cd_lagrange_work* w, real* x);
// The same of one body: x (6) the right side of its column, s (nrow).
void cd_lagrange_lean_column(const cd_rows* rows, const cd_lagrange_work* w, int k, const real* s, real* x);
void cd_lagrange_unlean(const cardan_model* m, const cd_rows* rows, const cd_lagrange_work* w, real* x);

cardan_status cd_lagrange_solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                                const real* gamma, real* a, real* lambda, cd_where* where);
void          cd_lagrange_change(const cardan_model* m, const cd_rows* rows, void* work, const real* s, real* dx);
cardan_status cd_lagrange_solve_and_change(const cardan_model* m, const cd_rows* rows, void* work, const real* r,
                                           const real* gamma, real* a, real* lambda, cd_where* where, const real* s,
                                           real* dx);
cardan_status cd_lagrange_at_once(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work,
                                  const real* r, const real* gamma, real* a, real* lambda, cd_where* where,
                                  const real* s, real* dx);

// What equations leave at most, and the size of their terms: six of a body, then rows.
typedef struct cd_leftover {
    double left[7], size[7];
    double repeated; // left of rows that are held to repeat others
} cd_leftover;

// x = (r - H a - C'lambda, gamma - C a + E lambda), and its size.
typedef struct cd_leaving {
    const cardan_model*   m;
    const cd_rows*        rows;
    const cd_flat_system* S;
    const real *          r, *gamma, *a, *lambda;
    cd_leftover           e;
} cd_leaving;

void cd_leave_all(cd_leaving* l, real* x);
bool cd_leaves_more(const cd_leftover* e, double part, double open); // of terms; of rows, whatever their terms

// The same in the order of elimination, y (nslot), from the factor: column by column as they are solved, from the last
// to the first; then its size. To be trusted where it is small; only for systems whose rows are kept.
void cd_leave_column(cd_leaving* l, int k, real* y);
void cd_leave_measure(cd_leaving* l, const real* y);
void cd_leave_sizes(cd_leaving* l, int from, int to); // of the terms of bodies, also of those that were left out
