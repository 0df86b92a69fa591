// SPDX-License-Identifier: BSD-3-Clause
// SUNDIALS' CVODE: variable order, variable step multistep methods on y = [q, z] (flat.h).
//
//     cvode-adams   Adams-Moulton, order 1 to 12, fixed-point iteration: smooth motion, few evaluations
//     cvode-bdf     backward differentiation, order 1 to 5, Newton with a dense Jacobian by differences: stiff forces
//
// The only file that sees CVODE. Memory inside CVODE is its own; it is made at the start and freed by finish.
// Source: Hindmarsh et al. 2005, ACM TOMS 31(3); the user guide of CVODE 6.
#include "motion/dense_solver.h"
#include "motion/flat.h"
#include "motion/integrator.h"

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

typedef struct cvode_work {
    cd_system*         system;
    SUNContext         context;
    void*              memory;
    N_Vector           y, error;
    SUNMatrix          matrix;
    SUNLinearSolver    linear;
    SUNNonlinearSolver fixed_point;
    cardan_status      status;   // of the last evaluation
    long               rejected; // counted in the system already
} cvode_work;

static void layout(const cd_system* system, cd_arena* arena, void* work) { (void)system, (void)arena, (void)work; }

// A failed evaluation is recoverable, CVODE tries a smaller step; an end of the run by its caller is not.
static int rate(realtype t, N_Vector y, N_Vector ydot, void* user)
{
    cvode_work* w = user;
    w->status     = cd_flat_rate(w->system, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot));
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

static bool attach_solver(cvode_work* w, int method, sunindextype n)
{
    if (method == CV_ADAMS) {
        w->fixed_point = SUNNonlinSol_FixedPoint(w->y, 0, w->context);
        return w->fixed_point && CVodeSetNonlinearSolver(w->memory, w->fixed_point) == CV_SUCCESS;
    }
    w->matrix = cd_flat_matrix_fits(w->system) ? SUNDenseMatrix(n, n, w->context) : NULL;
    if (!w->matrix) return false;
    w->linear = cd_dense_solver(w->system, w->y, w->context);
    return w->linear && CVodeSetLinearSolver(w->memory, w->linear, w->matrix) == CV_SUCCESS;
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
    if (w->fixed_point) SUNNonlinSolFree(w->fixed_point);
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
    .work_size = sizeof(cvode_work),
    .layout    = layout,
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
    .work_size = sizeof(cvode_work),
    .layout    = layout,
    .start     = start_bdf,
    .step      = step,
    .inside    = inside,
    .finish    = finish,
};
