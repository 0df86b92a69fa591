// SPDX-License-Identifier: BSD-3-Clause
// Jacobian of the equations of motion (equation_jacobian.h) in maximal coordinates, where a body appears in few
// equations: stored link by link, linear in the number of bodies.
#pragma once

#include "dynamics/derivatives/colouring.h"
#include "dynamics/derivatives/dual_jacobian.h"
#include "simulation/integrators/jacobian/independent_rows.h"

enum { CD_OFFSET_BY_Q = 0, CD_OFFSET_BY_V = 6, CD_OFFSET_BY_A = 12 }; // offsets in the CD_FREE_BODY_COLUMNS of an entry

typedef struct cd_sparse_equation_jacobian {
    cd_arena      arena;
    cd_colouring  colouring; // entries start[link] to start[link + 1] have the rows row[k]
    cd_dual_work* dual;
    int           n, r, g, c, cdot;  // first rows of the equations, as in cd_equation_jacobian
    double*       block;             // (entries x CD_FREE_BODY_COLUMNS)
    double*       by_s;              // (n x ns)
    int*          independent_index; // (nrow) index among the selected rows, or -1
    bool          ready;
} cd_sparse_equation_jacobian;

// Return whether matrices of this system should be sparse: many free bodies.
bool cd_prefers_sparse_jacobian(const cd_ode_system* system);

// Allocate the matrices. Returns false if memory is exhausted.
bool cd_sparse_equation_jacobian_create(const cd_ode_system* system, cd_sparse_equation_jacobian* s);
void cd_sparse_equation_jacobian_free(cd_sparse_equation_jacobian* s);
void cd_sparse_equation_jacobian_set_rows(const cd_independent_rows* rows, cd_sparse_equation_jacobian* s);

cardan_status cd_sparse_equation_jacobian_evaluate(cd_ode_system* system, double t, const double* q, const double* z,
                                                   const double* a, const double* lambda,
                                                   cd_sparse_equation_jacobian* s);

static inline double* cd_sparse_equation_jacobian_block(const cd_sparse_equation_jacobian* s, int k)
{
    return s->block + (size_t)k * CD_FREE_BODY_COLUMNS;
}
