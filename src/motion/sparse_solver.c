// SPDX-License-Identifier: BSD-3-Clause
#include "motion/sparse_solver.h"

#include <stdlib.h>

typedef struct sparse {
    cd_system*  system;
    cd_entries* entries;
} sparse;

static SUNLinearSolver_Type type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

// Positive: singular, the integrator tries a smaller step. Negative: the run is over.
static int setup(SUNLinearSolver solver, SUNMatrix matrix)
{
    sparse* s = solver->content;
    (void)matrix;
    if (!cd_system_go_on(s->system)) return -1;
    return cd_sparse_lu_factor(s->entries->lu, s->entries->value) ? 0 : 1;
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b, realtype tolerance)
{
    sparse* s = solver->content;
    (void)matrix, (void)tolerance;
    N_VScale(1, b, x);
    cd_sparse_lu_solve(s->entries->lu, N_VGetArrayPointer(x));
    return 0;
}

static int release(SUNLinearSolver solver)
{
    free(solver->content);
    solver->content = NULL;
    SUNLinSolFreeEmpty(solver);
    return 0;
}

SUNLinearSolver cd_sparse_solver(cd_system* system, cd_entries* entries, SUNContext context)
{
    SUNLinearSolver solver = SUNLinSolNewEmpty(context);
    if (!solver) return NULL;
    sparse* s            = cd_allocate(1, sizeof *s);
    solver->content      = s;
    solver->ops->gettype = type;
    solver->ops->setup   = setup;
    solver->ops->solve   = solve;
    solver->ops->free    = release;
    if (s) *s = (sparse){system, entries};
    if (s) return solver;
    release(solver);
    return NULL;
}

static SUNMatrix_ID custom(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMATRIX_CUSTOM;
}

static int zero(SUNMatrix matrix)
{
    (void)matrix;
    return 0;
}

static void destroy(SUNMatrix matrix) { SUNMatFreeEmpty(matrix); }

SUNMatrix cd_sparse_matrix(SUNContext context)
{
    SUNMatrix matrix = SUNMatNewEmpty(context);
    if (!matrix) return NULL;
    matrix->ops->getid   = custom;
    matrix->ops->zero    = zero;
    matrix->ops->destroy = destroy;
    return matrix;
}
