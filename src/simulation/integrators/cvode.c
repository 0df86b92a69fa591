// SPDX-License-Identifier: BSD-3-Clause
// SUNDIALS' CVODE: variable order, variable step multistep methods on y = [q, z] (state_vector.h).
//
//     cvode-adams   Adams-Moulton, order 1 to 12, fixed-point iteration: smooth motion, few evaluations
//     cvode-bdf     backward differentiation, order 1 to 5, Newton with the dense Jacobian of y': stiff forces
//
// CVODE reuses the Jacobian for up to 50 steps; newton_convergence.h decides whether the iteration has converged. The
// Jacobian follows from the equation Jacobian (equation_jacobian.h) and one solve of the formulation per column x:
//
//     M a_x + J'lambda_x = -r_x,   J a_x = -c''_x
//
// No other file includes CVODE. CVODE allocates its own memory at the start; finish frees it. Source: Hindmarsh et
// al. 2005, ACM TOMS 31(3); the user guide of CVODE 6.
#include "core/clock.h"
#include "dynamics/data.h"
#include "dynamics/generated_evaluation.h"
#include "simulation/integrators/jacobian/dense_solver.h"
#include "simulation/ode/state_vector.h"
#include "simulation/integrators/integrator.h"
#include "simulation/integrators/newton_convergence.h"
#include "simulation/integrators/jacobian/equation_jacobian.h"

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

typedef struct cvode_work {
    cd_ode_system*       system;
    cd_equation_jacobian jacobian;
    double *             a, *lambda;    // (nz), (solver rows)
    double*         generated_jacobian; // ((nv + ns) x (2 nv + ns)) generated: accelerations and rates by q, v, states
    SUNContext      context;
    void*           cvode_memory;
    N_Vector        y, error;
    SUNMatrix       matrix;
    SUNLinearSolver linear_solver;
    SUNNonlinearSolver    nonlinear_solver; // fixed-point or Newton
    cd_newton_convergence convergence;
    long                  nsetup;           // matrix setups so far
    cardan_status         status;           // of the last evaluation
    long                  rejected_counted; // already added to the system's count
} cvode_work;

static void layout_adams(const cd_ode_system* system, cd_arena* arena, void* work)
{
    (void)system, (void)arena, (void)work;
}

static void layout_bdf(const cd_ode_system* system, cd_arena* arena, void* work)
{
    cvode_work* w = work;
    cd_equation_jacobian_layout(system, arena, &w->jacobian);
    CD_ARENA_ARRAY(arena, w->a, system->nz);
    CD_ARENA_ARRAY(arena, w->lambda, system->data->solver_rows.nrow);
    CD_ARENA_ARRAY(arena, w->generated_jacobian,
                   system->data->compiled.rhs_jacobian
                       ? (size_t)(system->nv + system->ns) * (size_t)(2 * system->nv + system->ns)
                       : 0);
}

// Evaluate y'. A failed evaluation is recoverable, CVODE tries a smaller step; a run ended by its caller is not.
static int rhs_callback(realtype t, N_Vector y, N_Vector ydot, void* user)
{
    cvode_work* w = user;
    w->status     = cd_state_vector_rate(w->system, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot));
    return w->status == CARDAN_STOPPED ? -1 : w->status != CARDAN_OK;
}

// Solve for one column of the Jacobian in the rows of v and of states, from a column of the equation Jacobian.
static cardan_status solve_jacobian_column(cvode_work* w, const double* derivative, double* v, double* states)
{
    const cd_equation_jacobian* s = &w->jacobian;
    memcpy(states, derivative + s->g, (size_t)w->system->ns * sizeof *states);
    return cd_state_jacobian_solve(w->system->data, &s->state_jacobian, derivative, v, w->lambda);
}

// Columns by position, by velocity, by state; rows of v, then of states.
static double* jacobian_column(const cd_equation_jacobian* s, int nv, int j)
{
    const size_t n = (size_t)s->n;
    return j < nv       ? s->by_q + (size_t)j * n
           : j < 2 * nv ? s->by_v + (size_t)(j - nv) * n
                        : s->by_s + (size_t)(j - 2 * nv) * n;
}

static cardan_status rhs_jacobian(cvode_work* w, double t, const double* y)
{
    cd_ode_system*        system = w->system;
    cardan_data*          d      = system->data;
    cd_equation_jacobian* s      = &w->jacobian;
    const int             nv = system->nv, ns = system->ns;
    const double*         z      = y + system->nq;
    cardan_status         status = cd_rhs_by_library(system, t, y, z, w->a);
    if (status) return status;
    memcpy(w->lambda, d->solve.lambda, (size_t)d->solver_rows.nrow * sizeof *w->lambda);
    status = cd_equation_jacobian_evaluate(system, t, y, z, w->a, w->lambda, s);
    if (!status) status = cd_rhs_by_library(system, t, y, z, w->a); // the factor at this state again
    for (int j = 0; j < 2 * nv + ns && !status; ++j) {
        double* derivative = jacobian_column(s, nv, j);
        status             = solve_jacobian_column(w, derivative, s->column, s->column + nv);
        memcpy(derivative, s->column, (size_t)(nv + ns) * sizeof *derivative);
    }
    return status;
}

// Evaluate the same by generated code; returns false if there is none, or if a value is not finite.
static bool rhs_jacobian_generated(cvode_work* w, double t, const double* y)
{
    cd_ode_system* system = w->system;
    cardan_data*   d      = system->data;
    const int      nv = system->nv, ns = system->ns;
    const size_t   nn = (size_t)nv * (size_t)nv, mixed = (size_t)nv * (size_t)ns;
    double*        b = w->generated_jacobian;
    if (!b || !d->compiled.rhs_jacobian || system->projection.velocity_each_evaluation || !cd_can_use_generated_rhs(d))
        return false;
    memcpy(system->q_scratch, y, (size_t)system->nq * sizeof *y);
    cardan_model_normalize_position(system->model, system->q_scratch);
    d->compiled.rhs_jacobian(system->q_scratch, y + system->nq, d->external.effort, y + system->nq + nv, t, b, b + nn,
                             b + 2 * nn, b + 2 * nn + mixed, b + 2 * nn + 2 * mixed, b + 2 * nn + 3 * mixed);
    for (size_t i = 0; i < 2 * nn + 3 * mixed + (size_t)(ns * ns); ++i)
        if (!isfinite(b[i])) return false;
    for (int j = 0; j < 2 * nv + ns; ++j) {
        double*       to   = jacobian_column(&w->jacobian, nv, j);
        const bool    by_s = j >= 2 * nv;
        const int     c = by_s ? j - 2 * nv : j % nv, wide = by_s ? ns : nv;
        const double *above = by_s     ? b + 2 * nn
                              : j < nv ? b
                                       : b + nn,
                     *below = b + 2 * nn +
                              (by_s     ? 3
                               : j < nv ? 1
                                        : 2) *
                                  mixed;
        for (int i = 0; i < nv; ++i) to[i] = above[i * wide + c];
        for (int i = 0; i < ns; ++i) to[nv + i] = below[i * wide + c];
    }
    ++system->statistics.generated_jacobians;
    return true;
}

static cardan_status fill_jacobian(cvode_work* w, double t, const double* y, double** column)
{
    cd_ode_system*        system = w->system;
    cd_equation_jacobian* s      = &w->jacobian;
    const int             nq = system->nq, nv = system->nv, ns = system->ns;
    const double*         z      = y + nq;
    const double          begin  = cd_clock_wall();
    const cardan_status   status = rhs_jacobian_generated(w, t, y) ? CARDAN_OK : rhs_jacobian(w, t, y);
    system->statistics.jacobian_wall_time += cd_clock_wall() - begin;
    ++system->statistics.jacobians;
    if (status) return status;
    for (int i = 0; i < nv + ns; ++i)
        cd_state_vector_derivative_by_q(system, y, s->by_q + i, (size_t)s->n, 1, nq + i, column);
    cd_state_vector_q_rate_by_q(system, y, z, 1, column);
    memset(s->dq, 0, (size_t)nv * sizeof *s->dq);
    for (int j = 0; j < nv + ns; ++j) {
        memcpy(column[nq + j] + nq,
               (j < nv ? s->by_v + (size_t)j * (size_t)s->n : s->by_s + (size_t)(j - nv) * (size_t)s->n),
               (size_t)(nv + ns) * sizeof **column);
        if (j >= nv) continue;
        s->dq[j] = 1;
        cd_state_vector_q_rate_along(system, y, s->dq, 1, s->q, column[nq + j]);
        s->dq[j] = 0;
    }
    return CARDAN_OK;
}

static int jacobian_callback(realtype t, N_Vector y, N_Vector rate_vector, SUNMatrix matrix, void* user, N_Vector a,
                             N_Vector b, N_Vector c)
{
    (void)rate_vector, (void)a, (void)b, (void)c;
    cvode_work* w = user;
    SUNMatZero(matrix);
    w->status = fill_jacobian(w, t, N_VGetArrayPointer(y), SUNDenseMatrix_Cols(matrix));
    return w->status == CARDAN_STOPPED ? -1 : w->status != CARDAN_OK;
}

static int weights_callback(N_Vector y, N_Vector weight, void* user)
{
    cd_state_vector_error_weights(((cvode_work*)user)->system, N_VGetArrayPointer(y), N_VGetArrayPointer(weight));
    return 0;
}

static void ignore_message(int code, const char* module, const char* function, char* message, void* user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

// Norm of the residual before the last correction; y is at the distance from_prediction from the predictor:
// from_prediction - correction + (h y' of the predictor - h f) / l1.
static double residual_norm(cvode_work* w, N_Vector from_prediction, N_Vector correction, N_Vector weight)
{
    realtype t, gamma, part;
    N_Vector predicted, now, f, h_rate;
    void*    user;
    CVodeGetNonlinearSystemData(w->cvode_memory, &t, &predicted, &now, &f, &gamma, &part, &h_rate, &user);
    N_VLinearSum(1, from_prediction, -1, correction, w->error);
    N_VLinearSum(1, w->error, part, h_rate, w->error);
    N_VLinearSum(1, w->error, -gamma, f, w->error);
    return N_VWrmsNorm(w->error, weight);
}

static int convergence_callback(SUNNonlinearSolver solver, N_Vector from_prediction, N_Vector correction,
                                realtype allowed, N_Vector weight, void* user)
{
    cvode_work* w         = user;
    int         iteration = 0;
    long        nsetup    = 0;
    SUNNonlinSolGetCurIter(solver, &iteration);
    CVodeGetNumLinSolvSetups(w->cvode_memory, &nsetup);
    if (nsetup != w->nsetup) cd_newton_convergence_reset(&w->convergence);
    w->nsetup = nsetup;
    switch (cd_newton_convergence_test(&w->convergence, iteration, N_VWrmsNorm(correction, weight),
                                       residual_norm(w, from_prediction, correction, weight), allowed)) {
    case CD_NEWTON_CONVERGED:
        return SUN_NLS_SUCCESS;
    case CD_NEWTON_FAILED:
        return SUN_NLS_CONV_RECVR;
    default:
        return SUN_NLS_CONTINUE;
    }
}

static bool attach_nonlinear_solver(cvode_work* w, int method)
{
    w->nonlinear_solver =
        method == CV_ADAMS ? SUNNonlinSol_FixedPoint(w->y, 0, w->context) : SUNNonlinSol_Newton(w->y, w->context);
    return w->nonlinear_solver && CVodeSetNonlinearSolver(w->cvode_memory, w->nonlinear_solver) == CV_SUCCESS &&
           (method == CV_ADAMS ||
            SUNNonlinSolSetConvTestFn(w->nonlinear_solver, convergence_callback, w) == SUN_NLS_SUCCESS);
}

static bool attach_solvers(cvode_work* w, int method, sunindextype n)
{
    if (!attach_nonlinear_solver(w, method)) return false;
    if (method == CV_ADAMS) return true;
    w->matrix = cd_state_vector_jacobian_fits(w->system) ? SUNDenseMatrix(n, n, w->context) : NULL;
    if (!w->matrix) return false;
    w->linear_solver = cd_dense_solver_create(w->system, w->y, w->context);
    return w->linear_solver && CVodeSetLinearSolver(w->cvode_memory, w->linear_solver, w->matrix) == CV_SUCCESS &&
           CVodeSetJacFn(w->cvode_memory, jacobian_callback) == CV_SUCCESS;
}

static bool create(cvode_work* w, int method, const cd_ode_state* x)
{
    const cd_ode_system* system = w->system;
    const sunindextype   n      = system->nq + system->nz;
    if (SUNContext_Create(NULL, &w->context)) return false;
    w->y            = N_VNew_Serial(n, w->context);
    w->error        = N_VNew_Serial(n, w->context);
    w->cvode_memory = CVodeCreate(method, w->context);
    if (!w->y || !w->error || !w->cvode_memory) return false;

    cd_state_vector_from_state(system, x, N_VGetArrayPointer(w->y));
    return CVodeSetErrHandlerFn(w->cvode_memory, ignore_message, NULL) == CV_SUCCESS &&
           CVodeInit(w->cvode_memory, rhs_callback, x->t, w->y) == CV_SUCCESS &&
           CVodeSetUserData(w->cvode_memory, w) == CV_SUCCESS &&
           CVodeWFtolerances(w->cvode_memory, weights_callback) == CV_SUCCESS &&
           CVodeSetMinStep(w->cvode_memory, cd_min_step(system, x->t)) == CV_SUCCESS &&
           CVodeSetMaxStep(w->cvode_memory, isfinite(system->settings.max_step) ? system->settings.max_step : 0) ==
               CV_SUCCESS &&
           attach_solvers(w, method, n);
}

static cardan_status start(cd_ode_system* system, cvode_work* w, int method, const cd_ode_state* x)
{
    w->rejected_counted = 0;
    w->nsetup           = 0; // CVODE counts from zero again
    if (w->cvode_memory) {
        cd_state_vector_from_state(system, x, N_VGetArrayPointer(w->y));
        return CVodeReInit(w->cvode_memory, x->t, w->y) == CV_SUCCESS ? CARDAN_OK : CARDAN_NO_MEMORY;
    }
    w->system = system;
    return create(w, method, x) ? CARDAN_OK : CARDAN_NO_MEMORY;
}

static cardan_status start_adams(cd_ode_system* system, void* work, const cd_ode_state* x)
{
    return start(system, work, CV_ADAMS, x);
}

static cardan_status start_bdf(cd_ode_system* system, void* work, const cd_ode_state* x)
{
    return start(system, work, CV_BDF, x);
}

static void count_rejected(cd_ode_system* system, cvode_work* w)
{
    long errors = 0, convergence = 0;
    CVodeGetNumErrTestFails(w->cvode_memory, &errors);
    CVodeGetNumStepSolveFails(w->cvode_memory, &convergence);
    system->statistics.rejected_steps += errors + convergence - w->rejected_counted;
    w->rejected_counted = errors + convergence;
}

static cardan_status failure_status(cd_ode_system* system, cvode_work* w, int flag, double t)
{
    if (flag == CV_MEM_FAIL) return CARDAN_NO_MEMORY;
    if (system->progress.stopped) return CARDAN_STOPPED;
    if (w->status) return w->status;
    const bool errors_known = CVodeGetEstLocalErrors(w->cvode_memory, w->error) == CV_SUCCESS;
    return cd_state_vector_step_too_small(system, t, N_VGetArrayPointer(w->y),
                                          errors_known ? N_VGetArrayPointer(w->error) : NULL);
}

static cardan_status step(cd_ode_system* system, void* work, double limit, cd_ode_state* x)
{
    cvode_work* w = work;
    realtype    t = x->t;
    CVodeSetStopTime(w->cvode_memory, limit);
    const int flag = CVode(w->cvode_memory, limit, w->y, &t, CV_ONE_STEP);
    count_rejected(system, w);
    if (flag < 0) return failure_status(system, w, flag, x->t);
    cd_state_vector_to_state(system, t, N_VGetArrayPointer(w->y), x);
    return cd_ode_state_check_finite(system, t, x->q, x->z);
}

static cardan_status dense_output(cd_ode_system* system, void* work, double t, cd_ode_state* x)
{
    cvode_work* w = work;
    if (CVodeGetDky(w->cvode_memory, t, 0, w->error) != CV_SUCCESS) return CARDAN_NOT_CONVERGED;
    cd_state_vector_to_state(system, t, N_VGetArrayPointer(w->error), x);
    return CARDAN_OK;
}

static void finish(void* work)
{
    cvode_work* w = work;
    if (w->cvode_memory) CVodeFree(&w->cvode_memory);
    if (w->linear_solver) SUNLinSolFree(w->linear_solver);
    if (w->matrix) SUNMatDestroy(w->matrix);
    if (w->nonlinear_solver) SUNNonlinSolFree(w->nonlinear_solver);
    if (w->y) N_VDestroy(w->y);
    if (w->error) N_VDestroy(w->error);
    if (w->context) SUNContext_Free(&w->context);
}

const cd_integrator cd_cvode_adams = {
    .name            = "cvode-adams",
    .summary         = "Adams methods of order 1 to 12, variable step (SUNDIALS); for smooth motion",
    .citation        = "Hindmarsh et al. 2005, ACM TOMS 31(3)",
    .is_adaptive     = true,
    .is_multistep    = true,
    .singular_policy = CD_SINGULAR_ALWAYS_FALLBACK,
    .uses_rhs        = true,
    .work_size       = sizeof(cvode_work),
    .layout          = layout_adams,
    .start           = start_adams,
    .step            = step,
    .dense_output    = dense_output,
    .finish          = finish,
};

const cd_integrator cd_cvode_bdf = {
    .name                = "cvode-bdf",
    .summary             = "backward differentiation of order 1 to 5, variable step (SUNDIALS); for stiff forces",
    .citation            = "Hindmarsh et al. 2005, ACM TOMS 31(3)",
    .is_adaptive         = true,
    .uses_dense_jacobian = true,
    .is_multistep        = true,
    .singular_policy     = CD_SINGULAR_FALLBACK_IF_STUCK,
    .uses_rhs            = true,
    .uses_rhs_jacobian   = true,
    .work_size           = sizeof(cvode_work),
    .layout              = layout_bdf,
    .start               = start_bdf,
    .step                = step,
    .dense_output        = dense_output,
    .finish              = finish,
};
