// SPDX-License-Identifier: BSD-3-Clause
// SUNDIALS' CVODE: variable order, variable step multistep methods on y = [q, z] (flat.h).
//
//     cvode-adams   Adams-Moulton, order 1 to 12, fixed-point iteration: smooth motion, few evaluations
//     cvode-bdf     backward differentiation, order 1 to 5, Newton with the dense Jacobian of y': stiff forces
//
// CVODE keeps the Jacobian for up to 50 steps; whether the iteration has converged is judged by newton_test.h.
// The Jacobian comes from the slopes of the equations (slopes.h) and one solve of the formulation per column x:
//
//     M a_x + J'lambda_x = -r_x,   J a_x = -c''_x
//
// The only file that sees CVODE. Memory inside CVODE is its own; it is made at the start and freed by finish.
// Source: Hindmarsh et al. 2005, ACM TOMS 31(3); the user guide of CVODE 6.
#include "core/clock.h"
#include "dynamics/data.h"
#include "motion/dense_solver.h"
#include "motion/flat.h"
#include "motion/integrator.h"
#include "motion/newton_test.h"
#include "motion/slopes.h"

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

typedef struct cvode_work {
    cd_system*         system;
    cd_slopes          slopes;
    double *           a, *lambda; // (nz), (rows of the formulation)
    double*            block; // ((nv + ns) x (2 nv + ns)) of generated code: accelerations and rates by q, v, states
    SUNContext         context;
    void*              memory;
    N_Vector           y, error;
    SUNMatrix          matrix;
    SUNLinearSolver    linear;
    SUNNonlinearSolver iteration; // fixed-point or Newton
    cd_newton_test     test;
    long               factored; // matrices so far
    cardan_status      status;   // of the last evaluation
    long               rejected; // counted in the system already
} cvode_work;

static void layout_adams(const cd_system* system, cd_arena* arena, void* work)
{
    (void)system, (void)arena, (void)work;
}

static void layout_bdf(const cd_system* system, cd_arena* arena, void* work)
{
    cvode_work* w = work;
    cd_slopes_layout(system, arena, &w->slopes);
    CD_TAKE(arena, w->a, system->nz);
    CD_TAKE(arena, w->lambda, system->data->system.nrow);
    CD_TAKE(arena, w->block,
            system->data->generated_slopes ? (size_t)(system->nv + system->ns) * (size_t)(2 * system->nv + system->ns)
                                           : 0);
}

// A failed evaluation is recoverable, CVODE tries a smaller step; an end of the run by its caller is not.
static int rate(realtype t, N_Vector y, N_Vector ydot, void* user)
{
    cvode_work* w = user;
    w->status     = cd_flat_rate(w->system, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot));
    return w->status == CARDAN_STOPPED ? -1 : w->status != CARDAN_OK;
}

// A column of the Jacobian in the rows of v and of states, from one of the slopes.
static cardan_status respond(cvode_work* w, const double* slope, double* v, double* states)
{
    const cd_slopes* s = &w->slopes;
    memcpy(states, slope + s->g, (size_t)w->system->ns * sizeof *states);
    return cd_state_answer(w->system->data, &s->state, slope, v, w->lambda);
}

// Columns by position, by velocity, by state: rows of v, then of states.
static double* column_of(const cd_slopes* s, int nv, int j)
{
    const size_t n = (size_t)s->n;
    return j < nv       ? s->by_q + (size_t)j * n
           : j < 2 * nv ? s->by_v + (size_t)(j - nv) * n
                        : s->by_s + (size_t)(j - 2 * nv) * n;
}

static cardan_status answer(cvode_work* w, double t, const double* y)
{
    cd_system*    system = w->system;
    cardan_data*  d      = system->data;
    cd_slopes*    s      = &w->slopes;
    const int     nv = system->nv, ns = system->ns;
    const double* z      = y + system->nq;
    cardan_status status = cd_system_rate(system, t, y, z, w->a);
    if (status) return status;
    memcpy(w->lambda, d->lambda, (size_t)d->system.nrow * sizeof *w->lambda);
    status = cd_slopes_at(system, t, y, z, w->a, w->lambda, s);
    if (!status) status = cd_system_rate(system, t, y, z, w->a); // the factor at this state again
    for (int j = 0; j < 2 * nv + ns && !status; ++j) {
        double* slope = column_of(s, nv, j);
        status        = respond(w, slope, s->here, s->here + nv);
        memcpy(slope, s->here, (size_t)(nv + ns) * sizeof *slope);
    }
    return status;
}

// The same by generated code; false where there is none, or where it is no number.
static bool answer_generated(cvode_work* w, double t, const double* y)
{
    cd_system*   system = w->system;
    cardan_data* d      = system->data;
    const int    nv = system->nv, ns = system->ns;
    const size_t nn = (size_t)nv * (size_t)nv, mixed = (size_t)nv * (size_t)ns;
    double*      b = w->block;
    if (!b || !d->generated_slopes || system->fills || !cd_generated_serves(d)) return false;
    memcpy(system->q, y, (size_t)system->nq * sizeof *y);
    cardan_model_normalize(system->model, system->q);
    d->generated_slopes(system->q, y + system->nq, d->outer_effort, y + system->nq + nv, t, b, b + nn, b + 2 * nn,
                        b + 2 * nn + mixed, b + 2 * nn + 2 * mixed, b + 2 * nn + 3 * mixed);
    for (size_t i = 0; i < 2 * nn + 3 * mixed + (size_t)(ns * ns); ++i)
        if (!isfinite(b[i])) return false;
    for (int j = 0; j < 2 * nv + ns; ++j) {
        double*       to   = column_of(&w->slopes, nv, j);
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
    ++system->generated_jacobians;
    return true;
}

static cardan_status fill(cvode_work* w, double t, const double* y, double** column)
{
    cd_system*          system = w->system;
    cd_slopes*          s      = &w->slopes;
    const int           nq = system->nq, nv = system->nv, ns = system->ns;
    const double*       z      = y + nq;
    const double        begin  = cd_clock_wall();
    const cardan_status status = answer_generated(w, t, y) ? CARDAN_OK : answer(w, t, y);
    system->jacobian_wall += cd_clock_wall() - begin;
    ++system->jacobians;
    if (status) return status;
    for (int i = 0; i < nv + ns; ++i) cd_flat_by_q(system, y, s->by_q + i, (size_t)s->n, 1, nq + i, column);
    cd_flat_rate_by_q(system, y, z, 1, column);
    memset(s->dq, 0, (size_t)nv * sizeof *s->dq);
    for (int j = 0; j < nv + ns; ++j) {
        memcpy(column[nq + j] + nq,
               (j < nv ? s->by_v + (size_t)j * (size_t)s->n : s->by_s + (size_t)(j - nv) * (size_t)s->n),
               (size_t)(nv + ns) * sizeof **column);
        if (j >= nv) continue;
        s->dq[j] = 1;
        cd_flat_rate_along(system, y, s->dq, 1, s->q, column[nq + j]);
        s->dq[j] = 0;
    }
    return CARDAN_OK;
}

static int jacobian(realtype t, N_Vector y, N_Vector rate_vector, SUNMatrix matrix, void* user, N_Vector a, N_Vector b,
                    N_Vector c)
{
    (void)rate_vector, (void)a, (void)b, (void)c;
    cvode_work* w = user;
    SUNMatZero(matrix);
    w->status = fill(w, t, N_VGetArrayPointer(y), SUNDenseMatrix_Cols(matrix));
    return w->status == CARDAN_STOPPED ? -1 : w->status != CARDAN_OK;
}

static int weights(N_Vector y, N_Vector weight, void* user)
{
    cd_flat_weights(((cvode_work*)user)->system, N_VGetArrayPointer(y), N_VGetArrayPointer(weight));
    return 0;
}

static void silent(int code, const char* module, const char* function, char* message, void* user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

// What the equations of the step left before its last change, y being by `moved` away from the prediction:
// moved - change + (h y' of the prediction - h f) / l1.
static double residual_size(cvode_work* w, N_Vector moved, N_Vector change, N_Vector weight)
{
    realtype t, gamma, part;
    N_Vector predicted, now, f, h_rate;
    void*    user;
    CVodeGetNonlinearSystemData(w->memory, &t, &predicted, &now, &f, &gamma, &part, &h_rate, &user);
    N_VLinearSum(1, moved, -1, change, w->error);
    N_VLinearSum(1, w->error, part, h_rate, w->error);
    N_VLinearSum(1, w->error, -gamma, f, w->error);
    return N_VWrmsNorm(w->error, weight);
}

static int converged(SUNNonlinearSolver solver, N_Vector moved, N_Vector change, realtype allowed, N_Vector weight,
                     void* user)
{
    cvode_work* w         = user;
    int         iteration = 0;
    long        factored  = 0;
    SUNNonlinSolGetCurIter(solver, &iteration);
    CVodeGetNumLinSolvSetups(w->memory, &factored);
    if (factored != w->factored) cd_newton_begin(&w->test);
    w->factored = factored;
    switch (cd_newton_look(&w->test, iteration, N_VWrmsNorm(change, weight), residual_size(w, moved, change, weight),
                           allowed)) {
    case CD_NEWTON_IS_DONE:
        return SUN_NLS_SUCCESS;
    case CD_NEWTON_FAILS:
        return SUN_NLS_CONV_RECVR;
    default:
        return SUN_NLS_CONTINUE;
    }
}

static bool attach_iteration(cvode_work* w, int method)
{
    w->iteration =
        method == CV_ADAMS ? SUNNonlinSol_FixedPoint(w->y, 0, w->context) : SUNNonlinSol_Newton(w->y, w->context);
    return w->iteration && CVodeSetNonlinearSolver(w->memory, w->iteration) == CV_SUCCESS &&
           (method == CV_ADAMS || SUNNonlinSolSetConvTestFn(w->iteration, converged, w) == SUN_NLS_SUCCESS);
}

static bool attach_solver(cvode_work* w, int method, sunindextype n)
{
    if (!attach_iteration(w, method)) return false;
    if (method == CV_ADAMS) return true;
    w->matrix = cd_flat_matrix_fits(w->system) ? SUNDenseMatrix(n, n, w->context) : NULL;
    if (!w->matrix) return false;
    w->linear = cd_dense_solver(w->system, w->y, w->context);
    return w->linear && CVodeSetLinearSolver(w->memory, w->linear, w->matrix) == CV_SUCCESS &&
           CVodeSetJacFn(w->memory, jacobian) == CV_SUCCESS;
}

static bool create(cvode_work* w, int method, const cd_point* x)
{
    const cd_system*   system = w->system;
    const sunindextype n      = system->nq + system->nz;
    if (SUNContext_Create(NULL, &w->context)) return false;
    w->y      = N_VNew_Serial(n, w->context);
    w->error  = N_VNew_Serial(n, w->context);
    w->memory = CVodeCreate(method, w->context);
    if (!w->y || !w->error || !w->memory) return false;

    cd_flat_enter(system, x, N_VGetArrayPointer(w->y));
    return CVodeSetErrHandlerFn(w->memory, silent, NULL) == CV_SUCCESS &&
           CVodeInit(w->memory, rate, x->t, w->y) == CV_SUCCESS && CVodeSetUserData(w->memory, w) == CV_SUCCESS &&
           CVodeWFtolerances(w->memory, weights) == CV_SUCCESS &&
           CVodeSetMinStep(w->memory, cd_least_step(system, x->t)) == CV_SUCCESS &&
           CVodeSetMaxStep(w->memory, isfinite(system->max_step) ? system->max_step : 0) == CV_SUCCESS &&
           attach_solver(w, method, n);
}

static cardan_status start(cd_system* system, cvode_work* w, int method, const cd_point* x)
{
    w->rejected = 0;
    w->factored = 0; // counted anew
    if (w->memory) {
        cd_flat_enter(system, x, N_VGetArrayPointer(w->y));
        return CVodeReInit(w->memory, x->t, w->y) == CV_SUCCESS ? CARDAN_OK : CARDAN_NO_MEMORY;
    }
    w->system = system;
    return create(w, method, x) ? CARDAN_OK : CARDAN_NO_MEMORY;
}

static cardan_status start_adams(cd_system* system, void* work, const cd_point* x)
{
    return start(system, work, CV_ADAMS, x);
}

static cardan_status start_bdf(cd_system* system, void* work, const cd_point* x)
{
    return start(system, work, CV_BDF, x);
}

static void count_rejected(cd_system* system, cvode_work* w)
{
    long errors = 0, convergence = 0;
    CVodeGetNumErrTestFails(w->memory, &errors);
    CVodeGetNumStepSolveFails(w->memory, &convergence);
    system->rejected += errors + convergence - w->rejected;
    w->rejected = errors + convergence;
}

static cardan_status failure(cd_system* system, cvode_work* w, int flag, double t)
{
    if (flag == CV_MEM_FAIL) return CARDAN_NO_MEMORY;
    if (system->stopped) return CARDAN_STOPPED;
    if (w->status) return w->status;
    const bool known = CVodeGetEstLocalErrors(w->memory, w->error) == CV_SUCCESS;
    return cd_flat_too_small(system, t, N_VGetArrayPointer(w->y), known ? N_VGetArrayPointer(w->error) : NULL);
}

static cardan_status step(cd_system* system, void* work, double limit, cd_point* x)
{
    cvode_work* w = work;
    realtype    t = x->t;
    CVodeSetStopTime(w->memory, limit);
    const int flag = CVode(w->memory, limit, w->y, &t, CV_ONE_STEP);
    count_rejected(system, w);
    if (flag < 0) return failure(system, w, flag, x->t);
    cd_flat_leave(system, t, N_VGetArrayPointer(w->y), x);
    return cd_system_sound(system, t, x->q, x->z);
}

static cardan_status inside(cd_system* system, void* work, double t, cd_point* x)
{
    cvode_work* w = work;
    if (CVodeGetDky(w->memory, t, 0, w->error) != CV_SUCCESS) return CARDAN_NOT_CONVERGED;
    cd_flat_leave(system, t, N_VGetArrayPointer(w->error), x);
    return CARDAN_OK;
}

static void finish(void* work)
{
    cvode_work* w = work;
    if (w->memory) CVodeFree(&w->memory);
    if (w->linear) SUNLinSolFree(w->linear);
    if (w->matrix) SUNMatDestroy(w->matrix);
    if (w->iteration) SUNNonlinSolFree(w->iteration);
    if (w->y) N_VDestroy(w->y);
    if (w->error) N_VDestroy(w->error);
    if (w->context) SUNContext_Free(&w->context);
}

const cd_integrator cd_cvode_adams = {
    .name      = "cvode-adams",
    .summary   = "Adams methods of order 1 to 12, variable step (SUNDIALS); smooth motion",
    .reference = "Hindmarsh et al. 2005, ACM TOMS 31(3)",
    .adaptive  = true,
    .remembers = true,
    .across    = CD_BY_ANOTHER,
    .rates     = true,
    .work_size = sizeof(cvode_work),
    .layout    = layout_adams,
    .start     = start_adams,
    .step      = step,
    .inside    = inside,
    .finish    = finish,
};

const cd_integrator cd_cvode_bdf = {
    .name      = "cvode-bdf",
    .summary   = "backward differentiation of order 1 to 5, variable step (SUNDIALS); stiff forces",
    .reference = "Hindmarsh et al. 2005, ACM TOMS 31(3)",
    .adaptive  = true,
    .dense     = true,
    .remembers = true,
    .across    = CD_IF_STEPS_ARE_FOUND,
    .rates     = true,
    .slopes    = true,
    .work_size = sizeof(cvode_work),
    .layout    = layout_bdf,
    .start     = start_bdf,
    .step      = step,
    .inside    = inside,
    .finish    = finish,
};
