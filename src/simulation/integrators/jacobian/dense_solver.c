// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/integrators/jacobian/dense_solver.h"

#include "math/lapack.h"

#include <stdlib.h>
#include <sunmatrix/sunmatrix_dense.h>

enum { PANEL_WIDTH = 64 }; // columns factored between two calls of cd_progress_poll

typedef struct dense_content {
    cd_ode_system* system;
    int            n;
    int*           pivot; // (n)
} dense_content;

static SUNLinearSolver_Type get_type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

// Factor. Positive: singular, the integrator tries a smaller step. Negative: the run is ended.
static int setup(SUNLinearSolver solver, SUNMatrix matrix)
{
    dense_content* d = solver->content;
    for (int from = 0; from < d->n; from += PANEL_WIDTH) {
        const int width = d->n - from < PANEL_WIDTH ? d->n - from : PANEL_WIDTH;
        if (!cd_progress_poll(d->system)) return -1;
        if (!cd_lapack_lu_panel(d->n, from, width, SUNDenseMatrix_Data(matrix), d->pivot)) return 1;
    }
    return 0;
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b, realtype tolerance)
{
    dense_content* d = solver->content;
    (void)tolerance;
    N_VScale(1, b, x);
    cd_lapack_lu_solve(d->n, SUNDenseMatrix_Data(matrix), d->pivot, N_VGetArrayPointer(x));
    return 0;
}

static int release(SUNLinearSolver solver)
{
    dense_content* d = solver->content;
    if (d) free(d->pivot);
    free(d);
    solver->content = NULL;
    SUNLinSolFreeEmpty(solver);
    return 0;
}

SUNLinearSolver cd_dense_solver_create(cd_ode_system* system, N_Vector y, SUNContext context)
{
    SUNLinearSolver solver = SUNLinSolNewEmpty(context);
    if (!solver) return NULL;
    const size_t   n     = (size_t)N_VGetLength(y);
    dense_content* d     = cd_allocate(1, sizeof *d);
    solver->content      = d;
    solver->ops->gettype = get_type;
    solver->ops->setup   = setup;
    solver->ops->solve   = solve;
    solver->ops->free    = release;
    if (d) *d = (dense_content){system, (int)n, cd_allocate(n, sizeof *d->pivot)};
    if (d && d->pivot) return solver;
    release(solver);
    return NULL;
}
