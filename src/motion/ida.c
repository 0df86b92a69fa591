// SPDX-License-Identifier: BSD-3-Clause
// SUNDIALS' IDA on the implicit residual: no acceleration is ever solved for, the integrator's Newton does it.
//
//     y = [q, v, s, W],   F(t, y, y') = [ q' - rate(q, v) ]      quaternions with the pull of flat.h
//                                       [ ID(q, v, v') - Q ]     recursive Newton-Euler, cardan_residual
//                                       [ s' - s'(t, q, v, s) ]
//                                       [ W' - power ]
//
// With loops the second line is v' - a, a as the formulation solves it: the residual alone does not know the forces of the loops.
// Backward differentiation of order 1 to 5, dense Jacobian dF/dy + alpha dF/dy' by differences.
// The only file that sees IDA. Source: Hindmarsh et al. 2005, ACM TOMS 31(3); Brown, Hindmarsh, Petzold 1994.
#include "motion/dense_solver.h"
#include "motion/flat.h"
#include "motion/integrator.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <sunmatrix/sunmatrix_dense.h>

typedef struct ida_work {
    cd_system*      system;
    SUNContext      context;
    void*           memory;
    N_Vector        y, ydot, error;
    SUNMatrix       matrix;
    SUNLinearSolver linear;
    cardan_status   status;   // of the last evaluation
    long            rejected; // counted in the system already
} ida_work;

static void layout(const cd_system* system, cd_arena* arena, void* work) { (void)system, (void)arena, (void)work; }

static cardan_status evaluate(cd_system* system, double t, const double* y, const double* ydot, double* F)
{
    const int     nq = system->nq, nv = system->nv, ns = system->ns;
    const double *z = y + nq, *zdot = ydot + nq;
    ++system->evaluations;
    cardan_status status = cd_system_go_on(system) ? cd_system_sound(system, t, y, z) : CARDAN_STOPPED;
    if (!status) status = cardan_data_set(system->data, t, y, z, ns ? z + nv : NULL);
    if (!status && system->fills) status = cd_fill_velocities(system->data);
    if (!status) status = system->loops ? cardan_accelerate(system->data, F + nq, NULL, NULL) : cardan_residual(system->data, zdot, F + nq);
    if (status) return status;
    const double* v = cd_system_velocities(system, z);
    for (int i = 0; system->loops && i < nv; ++i) F[nq + i] = zdot[i] - F[nq + i] - system->settle * (v[i] - z[i]);

    cd_flat_coordinate_rate(system, y, v, F);
    for (int i = 0; i < nq; ++i) F[i] = ydot[i] - F[i];
    cd_system_rate_of_rest(system, F + nq + nv);
    for (int i = nv; i <= nv + ns; ++i) F[nq + i] = zdot[i] - F[nq + i];
    return CARDAN_OK;
}

// A failed evaluation is recoverable, IDA tries a smaller step; an end of the run by its caller is not.
static int residual(realtype t, N_Vector y, N_Vector ydot, N_Vector F, void* user)
{
    ida_work* w = user;
    double*   f = N_VGetArrayPointer(F);
    w->status   = evaluate(w->system, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot), f);
    if (w->status) return w->status == CARDAN_STOPPED ? -1 : 1;
    for (int i = 0; i < w->system->nq + w->system->nz; ++i) {
        if (isfinite(f[i])) continue;
        w->status                = CARDAN_DIVERGED;
        w->system->trouble_t     = t;
        w->system->trouble       = i;
        w->system->trouble_value = f[i];
        return 1;
    }
    return 0;
}

static int weights(N_Vector y, N_Vector weight, void* user)
{
    cd_flat_weights(((ida_work*)user)->system, N_VGetArrayPointer(y), N_VGetArrayPointer(weight));
    return 0;
}

static void silent(int code, const char* module, const char* function, char* message, void* user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

static bool create(ida_work* w)
{
    const cd_system*   system = w->system;
    const sunindextype n      = system->nq + system->nz;
    if (!cd_flat_matrix_fits(system) || SUNContext_Create(NULL, &w->context)) return false;
    w->y      = N_VNew_Serial(n, w->context);
    w->ydot   = N_VNew_Serial(n, w->context);
    w->error  = N_VNew_Serial(n, w->context);
    w->matrix = SUNDenseMatrix(n, n, w->context);
    if (!w->y || !w->ydot || !w->error || !w->matrix) return false;
    w->linear = cd_dense_solver(w->system, w->y, w->context);
    w->memory = IDACreate(w->context);
    return w->linear && w->memory && IDASetErrHandlerFn(w->memory, silent, NULL) == IDA_SUCCESS;
}

static bool attach(ida_work* w, double t)
{
    const double max_step = w->system->max_step;
    return IDAInit(w->memory, residual, t, w->y, w->ydot) == IDA_SUCCESS &&
           IDASetUserData(w->memory, w) == IDA_SUCCESS && IDAWFtolerances(w->memory, weights) == IDA_SUCCESS &&
           IDASetLinearSolver(w->memory, w->linear, w->matrix) == IDA_SUCCESS &&
           IDASetMinStep(w->memory, cd_least_step(w->system, t)) == IDA_SUCCESS &&
           IDASetMaxStep(w->memory, isfinite(max_step) ? max_step : 0) == IDA_SUCCESS;
}

// y' at the start is consistent: accelerations are solved for once here.
static cardan_status start(cd_system* system, void* work, const cd_point* x)
{
    ida_work*  w     = work;
    const bool first = !w->memory;
    w->system        = system;
    w->rejected      = 0;
    if (first && !create(w)) return CARDAN_NO_MEMORY;
    cd_flat_enter(system, x, N_VGetArrayPointer(w->y));
    const cardan_status status = cd_flat_rate(system, x->t, N_VGetArrayPointer(w->y), N_VGetArrayPointer(w->ydot));
    if (status) return status;
    const bool ready = first ? attach(w, x->t) : IDAReInit(w->memory, x->t, w->y, w->ydot) == IDA_SUCCESS;
    return ready ? CARDAN_OK : CARDAN_NO_MEMORY;
}

static void count_rejected(cd_system* system, ida_work* w)
{
    long errors = 0, convergence = 0;
    IDAGetNumErrTestFails(w->memory, &errors);
    IDAGetNumStepSolveFails(w->memory, &convergence);
    system->rejected += errors + convergence - w->rejected;
    w->rejected = errors + convergence;
}

static cardan_status failure(cd_system* system, ida_work* w, int flag, double t)
{
    if (flag == IDA_MEM_FAIL) return CARDAN_NO_MEMORY;
    if (system->stopped) return CARDAN_STOPPED;
    if (w->status) return w->status;
    const bool known = IDAGetEstLocalErrors(w->memory, w->error) == IDA_SUCCESS;
    return cd_flat_too_small(system, t, N_VGetArrayPointer(w->y), known ? N_VGetArrayPointer(w->error) : NULL);
}

static cardan_status step(cd_system* system, void* work, double limit, cd_point* x)
{
    ida_work* w = work;
    realtype  t = x->t;
    IDASetStopTime(w->memory, limit);
    const int flag = IDASolve(w->memory, limit, &t, w->y, w->ydot, IDA_ONE_STEP);
    count_rejected(system, w);
    if (flag < 0) return failure(system, w, flag, x->t);
    cd_flat_leave(system, t, N_VGetArrayPointer(w->y), x);
    return cd_system_sound(system, t, x->q, x->z);
}

static cardan_status inside(cd_system* system, void* work, double t, cd_point* x)
{
    ida_work* w = work;
    if (IDAGetDky(w->memory, t, 0, w->error) != IDA_SUCCESS) return CARDAN_NOT_CONVERGED;
    cd_flat_leave(system, t, N_VGetArrayPointer(w->error), x);
    return CARDAN_OK;
}

static void finish(void* work)
{
    ida_work* w = work;
    if (w->memory) IDAFree(&w->memory);
    if (w->linear) SUNLinSolFree(w->linear);
    if (w->matrix) SUNMatDestroy(w->matrix);
    if (w->y) N_VDestroy(w->y);
    if (w->ydot) N_VDestroy(w->ydot);
    if (w->error) N_VDestroy(w->error);
    if (w->context) SUNContext_Free(&w->context);
}

const cd_integrator cd_ida = {
    .name      = "ida",
    .summary   = "backward differentiation on the implicit residual, variable step and order (SUNDIALS)",
    .reference = "Hindmarsh et al. 2005, ACM TOMS 31(3)",
    .adaptive  = true,
    .dense     = true,
    .remembers = true,
    .work_size = sizeof(ida_work),
    .layout    = layout,
    .start     = start,
    .step      = step,
    .inside    = inside,
    .finish    = finish,
};
