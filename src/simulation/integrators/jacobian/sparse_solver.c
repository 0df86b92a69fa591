// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/integrators/jacobian/sparse_solver.h"

#include <stdlib.h>

typedef struct sparse_content {
    cd_ode_system*     system;
    cd_triplet_matrix* matrix;
} sparse_content;

static SUNLinearSolver_Type get_type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

// Factor. Positive: singular, the integrator tries a smaller step. Negative: the run is ended.
static int setup(SUNLinearSolver solver, SUNMatrix matrix)
{
    sparse_content* s = solver->content;
    (void)matrix;
    if (!cd_progress_poll(s->system)) return -1;
    return cd_sparse_lu_factor(s->matrix->lu, s->matrix->value) ? 0 : 1;
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b, realtype tolerance)
{
    sparse_content* s = solver->content;
    (void)matrix, (void)tolerance;
    N_VScale(1, b, x);
    cd_sparse_lu_solve(s->matrix->lu, N_VGetArrayPointer(x));
    return 0;
}

static int release(SUNLinearSolver solver)
{
    free(solver->content);
    solver->content = NULL;
    SUNLinSolFreeEmpty(solver);
    return 0;
}

SUNLinearSolver cd_sparse_solver_create(cd_ode_system* system, cd_triplet_matrix* entries, SUNContext context)
{
    SUNLinearSolver solver = SUNLinSolNewEmpty(context);
    if (!solver) return NULL;
    sparse_content* s    = cd_allocate(1, sizeof *s);
    solver->content      = s;
    solver->ops->gettype = get_type;
    solver->ops->setup   = setup;
    solver->ops->solve   = solve;
    solver->ops->free    = release;
    if (s) *s = (sparse_content){system, entries};
    if (s) return solver;
    release(solver);
    return NULL;
}

static SUNMatrix_ID matrix_id(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMATRIX_CUSTOM;
}

static int zero_matrix(SUNMatrix matrix)
{
    (void)matrix;
    return 0;
}

static void destroy_matrix(SUNMatrix matrix) { SUNMatFreeEmpty(matrix); }

SUNMatrix cd_sparse_matrix_create(SUNContext context)
{
    SUNMatrix matrix = SUNMatNewEmpty(context);
    if (!matrix) return NULL;
    matrix->ops->getid   = matrix_id;
    matrix->ops->zero    = zero_matrix;
    matrix->ops->destroy = destroy_matrix;
    return matrix;
}
