// SPDX-License-Identifier: BSD-3-Clause
// KINSOL of SUNDIALS: Newton's method with the line search of Dennis and Schnabel. The linear systems are solved by the
// singular value decomposition of the equilibrated Jacobian, so that motions without stiffness do not change.
//
// No other file includes KINSOL. Reference: Hindmarsh et al. 2005, ACM TOMS 31(3); user guide of KINSOL 6.
#include "analysis/equilibrium/newton.h"
#include "analysis/equilibration.h"

#include "core/memory.h"
#include "math/dot_product.h"
#include "math/lapack.h"

#include <kinsol/kinsol.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_linearsolver.h>
#include <sunmatrix/sunmatrix_dense.h>

typedef struct kinsol_work {
    const cd_newton_problem* problem;
    SUNContext               context;
    void*                    memory;
    N_Vector                 s, ones;
    SUNMatrix                matrix;
    SUNLinearSolver          linear;
    double *                 E, *rows, *columns;      // bound of the round-off in K; factors R, C
    double *                 scaled, *U, *Vt, *sigma; // R K C = U S V'
    double *                 b, *work;                // right-hand side and workspace of the linear systems
} kinsol_work;

static int evaluate_residual(N_Vector s, N_Vector r, void* user)
{
    const kinsol_work* w = user;
    return w->problem->residual(w->problem->user, N_VGetArrayPointer(s), N_VGetArrayPointer(r)) ? 0 : 1;
}

static int evaluate_jacobian(N_Vector s, N_Vector r, SUNMatrix K, void* user, N_Vector scratch, N_Vector other)
{
    kinsol_work* w = user;
    (void)r, (void)scratch, (void)other;
    if (!w->problem->jacobian(w->problem->user, N_VGetArrayPointer(s), SUNDenseMatrix_Data(K), w->E)) return 1;
    cd_equilibrate(w->problem->n, w->E, w->rows, w->columns);
    return 0;
}

static void ignore_message(int code, const char* module, const char* function, char* message, void* user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

static SUNLinearSolver_Type solver_type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int setup(SUNLinearSolver solver, SUNMatrix matrix)
{
    (void)solver, (void)matrix;
    return 0;
}

// Decompose R K C. Returns the number of singular values above round-off, -1 if the decomposition fails.
static int factor(kinsol_work* w, const double* K)
{
    const size_t n = (size_t)w->problem->n;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) w->scaled[i * n + j] = w->rows[i] * K[j * n + i] * w->columns[j];
    if (!cd_lapack_svd((int)n, (int)n, w->scaled, w->sigma, w->U, w->Vt, w->work)) return -1;
    int rank = (int)n;
    while (rank > 0 && w->sigma[rank - 1] <= sqrt((double)n)) --rank;
    return rank;
}

static void subtract(size_t n, double part, const double* from, double* x)
{
    for (size_t i = 0; i < n; ++i) x[i] -= part * from[i];
}

// Remove from x its component along the null vectors C V, orthonormalized one after the other (Gram-Schmidt, twice).
static void remove_null_component(kinsol_work* w, int rank, double* x)
{
    const size_t n = (size_t)w->problem->n;
    for (size_t r = (size_t)rank; r < n; ++r) {
        double* v = w->Vt + r * n;
        for (size_t i = 0; i < n; ++i) v[i] *= w->columns[i];
        for (int twice = 0; twice < 2; ++twice) {
            const double size = sqrt(cd_dot((int)n, v, v));
            for (size_t i = 0; i < n && size > 0; ++i) v[i] /= size;
            for (size_t q = (size_t)rank; q < r; ++q) subtract(n, cd_dot((int)n, w->Vt + q * n, v), w->Vt + q * n, v);
        }
        const double size = cd_dot((int)n, v, v);
        if (size > 0) subtract(n, cd_dot((int)n, v, x) / size, v, x);
    }
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector solution, N_Vector right, realtype tolerance)
{
    kinsol_work*  w = solver->content;
    const size_t  n = (size_t)w->problem->n;
    double*       x = N_VGetArrayPointer(solution);
    const double* b = N_VGetArrayPointer(right);
    (void)tolerance;
    const int rank = factor(w, SUNDenseMatrix_Data(matrix));
    if (rank < 0) return 1;
    for (size_t i = 0; i < n; ++i) w->b[i] = w->rows[i] * b[i];
    memset(x, 0, n * sizeof *x);
    for (size_t r = 0; r < (size_t)rank; ++r) {
        double sum = 0;
        for (size_t i = 0; i < n; ++i) sum += w->U[i * n + r] * w->b[i];
        for (size_t i = 0; i < n; ++i) x[i] += w->columns[i] * w->Vt[r * n + i] * sum / w->sigma[r];
    }
    remove_null_component(w, rank, x);
    return 0;
}

static SUNLinearSolver linear_solver(kinsol_work* w)
{
    SUNLinearSolver solver = SUNLinSolNewEmpty(w->context);
    if (!solver) return NULL;
    solver->content      = w;
    solver->ops->gettype = solver_type;
    solver->ops->setup   = setup;
    solver->ops->solve   = solve;
    return solver;
}

static bool create(kinsol_work* w)
{
    const cd_newton_problem* problem = w->problem;
    const size_t             n       = (size_t)problem->n;
    if (SUNContext_Create(NULL, &w->context)) return false;
    w->E    = cd_allocate(4 * n * n + 4 * n, sizeof *w->E);
    w->work = cd_allocate((size_t)cd_lapack_svd_work(problem->n, problem->n), sizeof *w->work);
    if (!w->E || !w->work) return false;
    w->scaled  = w->E + n * n;
    w->U       = w->scaled + n * n;
    w->Vt      = w->U + n * n;
    w->sigma   = w->Vt + n * n;
    w->rows    = w->sigma + n;
    w->columns = w->rows + n;
    w->b       = w->columns + n;
    w->s       = N_VNew_Serial(problem->n, w->context);
    w->ones    = N_VNew_Serial(problem->n, w->context);
    w->matrix  = SUNDenseMatrix(problem->n, problem->n, w->context);
    w->linear  = linear_solver(w);
    w->memory  = KINCreate(w->context);
    if (!w->s || !w->ones || !w->matrix || !w->linear || !w->memory) return false;
    N_VConst(1, w->ones);
    return KINSetErrHandlerFn(w->memory, ignore_message, NULL) == KIN_SUCCESS &&
           KINInit(w->memory, evaluate_residual, w->s) == KIN_SUCCESS && KINSetUserData(w->memory, w) == KIN_SUCCESS &&
           KINSetLinearSolver(w->memory, w->linear, w->matrix) == KIN_SUCCESS &&
           KINSetJacFn(w->memory, evaluate_jacobian) == KIN_SUCCESS &&
           KINSetMaxSetupCalls(w->memory, 1) == KIN_SUCCESS &&
           KINSetNumMaxIters(w->memory, problem->max_iterations) == KIN_SUCCESS &&
           KINSetMaxNewtonStep(w->memory, problem->max_step) == KIN_SUCCESS &&
           KINSetFuncNormTol(w->memory, problem->tolerance) == KIN_SUCCESS &&
           KINSetScaledStepTol(w->memory, 1e-15) == KIN_SUCCESS;
}

static void release(kinsol_work* w)
{
    if (w->memory) KINFree(&w->memory);
    if (w->linear) SUNLinSolFreeEmpty(w->linear);
    if (w->matrix) SUNMatDestroy(w->matrix);
    if (w->ones) N_VDestroy(w->ones);
    if (w->s) N_VDestroy(w->s);
    free(w->E);
    free(w->work);
    if (w->context) SUNContext_Free(&w->context);
}

cardan_status cd_newton_solve(const cd_newton_problem* problem, double* s, int* iterations)
{
    if (problem->n == 0) return CARDAN_OK;
    kinsol_work   w      = {.problem = problem};
    cardan_status status = CARDAN_NO_MEMORY;
    if (create(&w)) {
        memcpy(N_VGetArrayPointer(w.s), s, (size_t)problem->n * sizeof *s);
        const int flag = KINSol(w.memory, w.s, KIN_LINESEARCH, w.ones, w.ones);
        long      done = 0;
        KINGetNumNonlinSolvIters(w.memory, &done);
        *iterations += (int)done;
        if (flag != KIN_FIRST_SYSFUNC_ERR) memcpy(s, N_VGetArrayPointer(w.s), (size_t)problem->n * sizeof *s);
        status = flag == KIN_SUCCESS || flag == KIN_INITIAL_GUESS_OK ? CARDAN_OK : CARDAN_NOT_CONVERGED;
    }
    release(&w);
    return status;
}
