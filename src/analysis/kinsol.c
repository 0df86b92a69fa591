// SPDX-License-Identifier: BSD-3-Clause
// SUNDIALS' KINSOL: Newton's method with the line search of Dennis and Schnabel. Its linear systems are solved in the
// least-squares sense with least norm, so that a motion that nothing resists is left alone.
//
// The only file that sees KINSOL. Source: Hindmarsh et al. 2005, ACM TOMS 31(3); the user guide of KINSOL 6.
#include "analysis/newton.h"

#include "core/memory.h"
#include "math/lapack.h"

#include <kinsol/kinsol.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_linearsolver.h>
#include <sunmatrix/sunmatrix_dense.h>

typedef struct kinsol_work {
    const cd_newton* newton;
    SUNContext       context;
    void*            memory;
    N_Vector         s, ones;
    SUNMatrix        matrix;
    SUNLinearSolver  linear;
    double *         copy, *b, *work; // of the linear systems
    int*             pivot;
} kinsol_work;

static int residual(N_Vector s, N_Vector r, void* user)
{
    const kinsol_work* w = user;
    return w->newton->residual(w->newton->user, N_VGetArrayPointer(s), N_VGetArrayPointer(r)) ? 0 : 1;
}

static int derivative(N_Vector s, N_Vector r, SUNMatrix K, void* user, N_Vector scratch, N_Vector other)
{
    const kinsol_work* w = user;
    (void)r, (void)scratch, (void)other;
    return w->newton->derivative(w->newton->user, N_VGetArrayPointer(s), SUNDenseMatrix_Data(K)) ? 0 : 1;
}

static void silent(int code, const char* module, const char* function, char* message, void* user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

static SUNLinearSolver_Type type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int setup(SUNLinearSolver solver, SUNMatrix matrix)
{
    (void)solver, (void)matrix;
    return 0;
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b, realtype tolerance)
{
    kinsol_work* w = solver->content;
    const int    n = w->newton->n;
    (void)tolerance;
    memcpy(w->copy, SUNDenseMatrix_Data(matrix), (size_t)n * (size_t)n * sizeof *w->copy);
    memcpy(w->b, N_VGetArrayPointer(b), (size_t)n * sizeof *w->b);
    if (cd_lapack_rectangle(n, n, w->copy, w->b, w->newton->null, w->work, w->pivot) < 0) return 1;
    memcpy(N_VGetArrayPointer(x), w->b, (size_t)n * sizeof *w->b);
    return 0;
}

static SUNLinearSolver linear_solver(kinsol_work* w)
{
    SUNLinearSolver solver = SUNLinSolNewEmpty(w->context);
    if (!solver) return NULL;
    solver->content      = w;
    solver->ops->gettype = type;
    solver->ops->setup   = setup;
    solver->ops->solve   = solve;
    return solver;
}

static bool create(kinsol_work* w)
{
    const cd_newton* newton = w->newton;
    const size_t     n      = (size_t)newton->n;
    if (SUNContext_Create(NULL, &w->context)) return false;
    w->copy   = cd_allocate(n * n, sizeof *w->copy);
    w->b      = cd_allocate(n, sizeof *w->b);
    w->work   = cd_allocate((size_t)cd_lapack_rectangle_work(newton->n, newton->n), sizeof *w->work);
    w->pivot  = cd_allocate(n, sizeof *w->pivot);
    w->s      = N_VNew_Serial(newton->n, w->context);
    w->ones   = N_VNew_Serial(newton->n, w->context);
    w->matrix = SUNDenseMatrix(newton->n, newton->n, w->context);
    w->linear = linear_solver(w);
    w->memory = KINCreate(w->context);
    if (!w->copy || !w->b || !w->work || !w->pivot || !w->s || !w->ones || !w->matrix || !w->linear || !w->memory)
        return false;
    N_VConst(1, w->ones);
    return KINSetErrHandlerFn(w->memory, silent, NULL) == KIN_SUCCESS &&
           KINInit(w->memory, residual, w->s) == KIN_SUCCESS && KINSetUserData(w->memory, w) == KIN_SUCCESS &&
           KINSetLinearSolver(w->memory, w->linear, w->matrix) == KIN_SUCCESS &&
           KINSetJacFn(w->memory, derivative) == KIN_SUCCESS && KINSetMaxSetupCalls(w->memory, 1) == KIN_SUCCESS &&
           KINSetNumMaxIters(w->memory, newton->iterations) == KIN_SUCCESS &&
           KINSetMaxNewtonStep(w->memory, newton->longest) == KIN_SUCCESS &&
           KINSetFuncNormTol(w->memory, newton->tolerance) == KIN_SUCCESS &&
           KINSetScaledStepTol(w->memory, 1e-15) == KIN_SUCCESS;
}

static void release(kinsol_work* w)
{
    if (w->memory) KINFree(&w->memory);
    if (w->linear) SUNLinSolFreeEmpty(w->linear);
    if (w->matrix) SUNMatDestroy(w->matrix);
    if (w->ones) N_VDestroy(w->ones);
    if (w->s) N_VDestroy(w->s);
    free(w->copy);
    free(w->b);
    free(w->work);
    free(w->pivot);
    if (w->context) SUNContext_Free(&w->context);
}

cardan_status cd_newton_solve(const cd_newton* newton, double* s, int* iterations)
{
    if (newton->n == 0) return CARDAN_OK;
    kinsol_work   w      = {.newton = newton};
    cardan_status status = CARDAN_NO_MEMORY;
    if (create(&w)) {
        memcpy(N_VGetArrayPointer(w.s), s, (size_t)newton->n * sizeof *s);
        const int flag = KINSol(w.memory, w.s, KIN_LINESEARCH, w.ones, w.ones);
        long      done = 0;
        KINGetNumNonlinSolvIters(w.memory, &done);
        *iterations += (int)done;
        if (flag != KIN_FIRST_SYSFUNC_ERR) memcpy(s, N_VGetArrayPointer(w.s), (size_t)newton->n * sizeof *s);
        status = flag == KIN_SUCCESS || flag == KIN_INITIAL_GUESS_OK ? CARDAN_OK : CARDAN_NOT_CONVERGED;
    }
    release(&w);
    return status;
}
