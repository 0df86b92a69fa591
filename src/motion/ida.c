// SPDX-License-Identifier: BSD-3-Clause
// SUNDIALS' IDA on the implicit residual: no acceleration is ever solved for, the integrator's Newton does it. With
// loops in the stabilized form of index 2, multipliers lambda for the constraints and eta for what their rates leave
// over of their positions:
//
//     y = [q, v, s, W, eta, lambda],   F = [ q' - rate(q, v - J'eta) ]       quaternions with the pull of flat.h
//                                          [ ID(q, v, v') - Q + J'lambda ]   recursive Newton-Euler
//                                          [ s' - s'(t, q, v, s) ]
//                                          [ W' - power ]
//                                          [ c(q, t) ]                       rows that repeat others are left out (held.h)
//                                          [ c'(q, v, t) ]
//
// Backward differentiation of order 1 to 5, Jacobian dF/dy + alpha dF/dy' from the slopes of the equations (slopes.h),
// in flat coordinates of many bodies sparse (ida_sparse.h); eta and lambda, which nothing differentiates, take no part
// in the choice of steps. The only file that sees IDA. Source: Hindmarsh et al. 2005, ACM TOMS 31(3); Gear, Leimkuhler,
// Gupta 1985, J. Comput. Appl. Math. 12.
#include "dynamics/data.h"
#include "motion/dense_solver.h"
#include "motion/flat.h"
#include "motion/held.h"
#include "motion/ida_sparse.h"
#include "motion/integrator.h"
#include "motion/slopes.h"
#include "motion/sparse_solver.h"

#include <float.h>
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>

typedef struct ida_work {
    cd_system*      system;
    cd_held         held;
    cd_slopes       slopes;
    bool            sparse; // then the matrix is told by its entries
    cd_ida_sparse   bodies;
    double *        value, *lambda, *u, *zdot; // (slopes.n), (nrow), (nv), (nz)
    int             n;                         // of y
    SUNContext      context;
    void*           memory;
    N_Vector        y, ydot, error, id;
    SUNMatrix       matrix;
    SUNLinearSolver linear;
    cardan_status   status;   // of the last evaluation
    long            rejected; // counted in the system already
    bool            begins;   // no step was taken yet
} ida_work;

static void layout(const cd_system* system, cd_arena* arena, void* work)
{
    ida_work* w = work;
    w->sparse   = cd_sparse_pays(system);
    cd_held_layout(system, arena, &w->held);
    if (w->sparse)
        cd_slopes_shape(system, &w->slopes);
    else
        cd_slopes_layout(system, arena, &w->slopes);
    CD_TAKE(arena, w->zdot, system->nz);
    CD_TAKE(arena, w->value, w->slopes.n);
    CD_TAKE(arena, w->lambda, w->held.nrow);
    CD_TAKE(arena, w->u, system->nv);
}

// Where eta and lambda stand in y, and c and c' in F.
static int eta_at(const ida_work* w) { return w->system->nq + w->system->nz; }
static int lambda_at(const ida_work* w) { return eta_at(w) + w->held.placed; }

// lambda of all rows; u = v - J'eta at the state of the data.
static void take_multipliers(ida_work* w, const double* y)
{
    memset(w->lambda, 0, (size_t)w->held.nrow * sizeof *w->lambda);
    for (int i = 0; i < w->held.count; ++i) w->lambda[w->held.row[i]] = y[lambda_at(w) + i];
}

static void take_velocities(ida_work* w, const double* y)
{
    cardan_data* d = w->system->data;
    memcpy(w->u, y + w->system->nq, (size_t)w->system->nv * sizeof *w->u);
    if (w->held.placed == 0) return;
    memset(d->s, 0, (size_t)w->held.nrow * sizeof *d->s);
    for (int i = 0; i < w->held.placed; ++i) d->s[w->held.row[i]] = -y[eta_at(w) + i];
    cd_jacobian_transposed(d, &d->rows, d->s, w->u);
}

static cardan_status evaluate(ida_work* w, double t, const double* y, const double* ydot, double* F)
{
    cd_system*    system = w->system;
    const int     nq = system->nq, nv = system->nv, ns = system->ns;
    const double *z = y + nq, *zdot = ydot + nq;
    take_multipliers(w, y);
    const cardan_status status = cd_equations_at(system, &w->slopes, t, y, z, zdot, w->lambda, w->value);
    if (status) return status;
    take_velocities(w, y);
    cd_flat_coordinate_rate(system, y, w->u, F);
    for (int i = 0; i < nq; ++i) F[i] = ydot[i] - F[i];
    memcpy(F + nq, w->value + w->slopes.r, (size_t)nv * sizeof *F);
    if (w->held.nrow > 0) {
        memcpy(system->data->lambda, w->lambda,
               (size_t)w->held.nrow * sizeof *w->lambda); // drivers tell their power by it
        system->data->solved = true;
    }
    cd_system_rate_of_rest(system, F + nq + nv);
    for (int i = nv; i <= nv + ns; ++i) F[nq + i] = zdot[i] - F[nq + i];
    for (int i = 0; i < w->held.placed; ++i) F[eta_at(w) + i] = w->value[w->slopes.c + w->held.row[i]];
    for (int i = 0; i < w->held.count; ++i) F[lambda_at(w) + i] = w->value[w->slopes.rate + w->held.row[i]];
    return CARDAN_OK;
}

// A failed evaluation is recoverable, IDA tries a smaller step; an end of the run by its caller is not.
static int residual(realtype t, N_Vector y, N_Vector ydot, N_Vector F, void* user)
{
    ida_work* w = user;
    double*   f = N_VGetArrayPointer(F);
    w->status   = evaluate(w, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot), f);
    if (w->status) return w->status == CARDAN_STOPPED ? -1 : 1;
    for (int i = 0; i < w->n; ++i) {
        if (isfinite(f[i])) continue;
        w->status                = CARDAN_DIVERGED;
        w->system->trouble_t     = t;
        w->system->trouble       = i < eta_at(w) ? i : CARDAN_NONE;
        w->system->trouble_value = f[i];
        return 1;
    }
    return 0;
}

// ---- dF/dy + alpha dF/dy'

// Row numbers of F among those of the slopes, from the equations of motion on; -1: the work, which is only reported.
static int slope_row(const ida_work* w, int i)
{
    const cd_system* system = w->system;
    const int        k      = i - system->nq;
    if (k < system->nv) return w->slopes.r + k;
    if (k < system->nv + system->ns) return w->slopes.g + k - system->nv;
    if (i < eta_at(w)) return -1;
    return i < lambda_at(w) ? w->slopes.c + w->held.row[i - eta_at(w)] : w->slopes.rate + w->held.row[i - lambda_at(w)];
}

// Slopes enter F with their sign, those of the rates of states with the opposite one.
static double slope_sign(const ida_work* w, int i)
{
    const int k = i - w->system->nq;
    return k >= w->system->nv && k < w->system->nv + w->system->ns ? -1 : 1;
}

static void columns_of_q(const ida_work* w, const double* y, double alpha, double** column)
{
    const cd_system* system = w->system;
    const cd_slopes* s      = &w->slopes;
    for (int i = system->nq; i < w->n; ++i)
        if (slope_row(w, i) >= 0)
            cd_flat_by_q(system, y, s->by_q + slope_row(w, i), (size_t)s->n, slope_sign(w, i), i, column);
    for (int i = 0; i < system->nq; ++i) column[i][i] += alpha;
    cd_flat_rate_by_q(system, y, w->u, -1, column);
}

static void columns_of_rest(ida_work* w, const double* y, double alpha, double** column)
{
    const cd_system* system = w->system;
    const cd_slopes* s      = &w->slopes;
    const int        nq = system->nq, nv = system->nv, ns = system->ns;
    double*          unit = s->dq;
    memset(unit, 0, (size_t)nv * sizeof *unit);
    for (int j = 0; j < nv; ++j) {
        double* to = column[nq + j];
        unit[j]    = 1;
        cd_flat_rate_along(system, y, unit, -1, s->q, to);
        unit[j] = 0;
        for (int i = nq; i < w->n; ++i) {
            const int row = slope_row(w, i);
            if (row >= 0) to[i] += slope_sign(w, i) * s->by_v[(size_t)j * (size_t)s->n + (size_t)row];
            if (i < nq + nv) to[i] += alpha * s->M[(size_t)j * (size_t)nv + (size_t)(i - nq)];
        }
    }
    for (int j = 0; j <= ns; ++j) {
        double* to = column[nq + nv + j];
        to[nq + nv + j] += alpha;
        for (int i = nq; j < ns && i < w->n; ++i)
            if (slope_row(w, i) >= 0)
                to[i] += slope_sign(w, i) * s->by_s[(size_t)j * (size_t)s->n + (size_t)slope_row(w, i)];
    }
    for (int j = 0; j < w->held.placed; ++j)
        cd_flat_rate_along(system, y, s->J + (size_t)w->held.row[j] * (size_t)nv, 1, s->q, column[eta_at(w) + j]);
    for (int j = 0; j < w->held.count; ++j)
        memcpy(column[lambda_at(w) + j] + nq, s->by_lambda + (size_t)w->held.row[j] * (size_t)nv,
               (size_t)nv * sizeof **column);
}

static int sparse_jacobian(ida_work* w, double t, double alpha, const double* y, const double* ydot)
{
    const int nq = w->system->nq;
    w->status    = cd_sparse_slopes_at(w->system, t, y, y + nq, ydot + nq, w->lambda, &w->bodies.bodies);
    if (w->status) return w->status == CARDAN_STOPPED ? -1 : 1;
    cd_know_rows(w->system->data);
    take_velocities(w, y);
    if (!cd_ida_sparse_enter(w->system, &w->held, alpha, y, w->u, &w->bodies)) w->status = CARDAN_NO_MEMORY;
    return w->status ? -1 : 0;
}

static int jacobian(realtype t, realtype alpha, N_Vector y_vector, N_Vector ydot_vector, N_Vector F, SUNMatrix matrix,
                    void* user, N_Vector a, N_Vector b, N_Vector c)
{
    (void)F, (void)a, (void)b, (void)c;
    ida_work*     w = user;
    const double *y = N_VGetArrayPointer(y_vector), *ydot = N_VGetArrayPointer(ydot_vector);
    take_multipliers(w, y);
    if (w->sparse) return sparse_jacobian(w, t, alpha, y, ydot);
    double** column = SUNDenseMatrix_Cols(matrix);
    w->status       = cd_slopes_at(w->system, t, y, y + w->system->nq, ydot + w->system->nq, w->lambda, &w->slopes);
    if (w->status) return w->status == CARDAN_STOPPED ? -1 : 1;
    take_velocities(w, y);
    SUNMatZero(matrix);
    columns_of_q(w, y, alpha, column);
    columns_of_rest(w, y, alpha, column);
    return 0;
}

// What an error of eta or lambda does in a step h is an error h eta of positions, h lambda of momenta: short steps see
// rounding of c / h and c' / h in them and must not mind.
static int weights(N_Vector y_vector, N_Vector weight_vector, void* user)
{
    ida_work*     w      = user;
    const double* y      = N_VGetArrayPointer(y_vector);
    double*       weight = N_VGetArrayPointer(weight_vector);
    double        most = 1, h = 0;
    if (!w->begins) IDAGetCurrentStep(w->memory, &h); // of before a new beginning it would be the last one
    cd_flat_weights(w->system, y, weight);
    for (int i = lambda_at(w); i < w->n; ++i) most = fmax(most, fabs(y[i]));
    for (int i = eta_at(w); i < w->n; ++i)
        weight[i] = fmin(1, fabs(h)) / (w->system->tolerance * (i < lambda_at(w) ? 1 : most)) + DBL_MIN;
    return 0;
}

static void silent(int code, const char* module, const char* function, char* message, void* user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

static bool create(ida_work* w)
{
    const cd_system*   system = w->system;
    const sunindextype n      = w->n;
    if ((!w->sparse && !cd_flat_matrix_fits(system)) || SUNContext_Create(NULL, &w->context)) return false;
    w->y      = N_VNew_Serial(n, w->context);
    w->ydot   = N_VNew_Serial(n, w->context);
    w->error  = N_VNew_Serial(n, w->context);
    w->id     = N_VNew_Serial(n, w->context);
    w->matrix = w->sparse ? cd_sparse_matrix(w->context) : SUNDenseMatrix(n, n, w->context);
    if (!w->y || !w->ydot || !w->error || !w->id || !w->matrix) return false;
    for (int i = 0; i < w->n; ++i) N_VGetArrayPointer(w->id)[i] = i < eta_at(w);
    w->linear = w->sparse ? cd_sparse_solver(w->system, &w->bodies.entries, w->context)
                          : cd_dense_solver(w->system, w->y, w->context);
    w->memory = IDACreate(w->context);
    return w->linear && w->memory && IDASetErrHandlerFn(w->memory, silent, NULL) == IDA_SUCCESS;
}

// By backward differentiation velocities of what stiff springs hold all but still are off by h a/2, and jump where the
// step h changes. A step of twice the length then fails, time after time and in the end at order 1, which rises after
// steps of one length only. So steps grow little by little, and Newton's iteration, whose errors stiff springs turn
// into velocities too, goes on for longer.
static bool set_pace(void* memory)
{
    const double growth = 1.3, convergence = 0.03; // of a step to the next; of the tolerance
    return IDASetEtaMax(memory, growth) == IDA_SUCCESS && IDASetEtaFixedStepBounds(memory, 1, growth) == IDA_SUCCESS &&
           IDASetNonlinConvCoef(memory, convergence) == IDA_SUCCESS;
}

static bool attach(ida_work* w, double t)
{
    const double max_step = w->system->max_step;
    return IDAInit(w->memory, residual, t, w->y, w->ydot) == IDA_SUCCESS &&
           IDASetUserData(w->memory, w) == IDA_SUCCESS && IDAWFtolerances(w->memory, weights) == IDA_SUCCESS &&
           IDASetLinearSolver(w->memory, w->linear, w->matrix) == IDA_SUCCESS &&
           IDASetJacFn(w->memory, jacobian) == IDA_SUCCESS && IDASetId(w->memory, w->id) == IDA_SUCCESS &&
           IDASetSuppressAlg(w->memory, SUNTRUE) == IDA_SUCCESS && set_pace(w->memory) &&
           IDASetMinStep(w->memory, cd_least_step(w->system, t)) == IDA_SUCCESS &&
           IDASetMaxStep(w->memory, isfinite(max_step) ? max_step : 0) == IDA_SUCCESS;
}

static void finish(void* work);

// Rows to hold at the state of the data; y is made anew where they are more or fewer than before.
static bool prepare(ida_work* w)
{
    if (!cd_held_choose(w->system, &w->held)) return false;
    const int  n    = lambda_at(w) + w->held.count;
    const bool fits = w->memory && n == w->n;
    if (!fits) finish(w);
    w->n = n;
    if (w->sparse && !cd_ida_sparse_start(w->system, &w->held, n, &w->bodies)) return false;
    return fits || create(w);
}

// y' at the start is consistent: accelerations are solved for once here.
static cardan_status start(cd_system* system, void* work, const cd_point* x)
{
    ida_work* w          = work;
    w->system            = system;
    w->begins            = true;
    w->rejected          = 0;
    cardan_status status = cd_system_rate(system, x->t, x->q, x->z, w->zdot);
    if (status) return status;
    const bool first = !w->memory;
    const int  n     = w->n;
    if (!prepare(w)) return CARDAN_NO_MEMORY;
    double *y = N_VGetArrayPointer(w->y), *ydot = N_VGetArrayPointer(w->ydot);
    memset(y, 0, (size_t)w->n * sizeof *y);
    memset(ydot, 0, (size_t)w->n * sizeof *ydot);
    cd_flat_enter(system, x, y);
    for (int i = 0; i < w->held.count; ++i) y[lambda_at(w) + i] = system->data->lambda[w->held.row[i]];
    cd_flat_coordinate_rate(system, x->q, x->z, ydot);
    memcpy(ydot + system->nq, w->zdot, (size_t)system->nz * sizeof *ydot);
    const bool ready = first || n != w->n ? attach(w, x->t) : IDAReInit(w->memory, x->t, w->y, w->ydot) == IDA_SUCCESS;
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

// Rows that have come to repeat others are exchanged: the method begins anew with those that hold firmly here.
static cardan_status look_after_rows(cd_system* system, ida_work* w, cd_point* x)
{
    if (w->held.count == w->held.nrow) return CARDAN_OK;
    const cardan_status status = cd_system_reach(system, x->t, x->q, x->z);
    if (status || !cd_held_outdated(system, &w->held)) return status;
    cd_held_close(system, x);
    return start(system, w, x);
}

static cardan_status step(cd_system* system, void* work, double limit, cd_point* x)
{
    ida_work*           w      = work;
    realtype            t      = x->t;
    const cardan_status status = look_after_rows(system, w, x);
    if (status) return status;
    IDASetStopTime(w->memory, limit);
    const int flag = IDASolve(w->memory, limit, &t, w->y, w->ydot, IDA_ONE_STEP);
    count_rejected(system, w);
    if (flag < 0) return failure(system, w, flag, x->t);
    w->begins = false;
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
    N_Vector* const vectors[] = {&w->y, &w->ydot, &w->error, &w->id};
    for (int i = 0; i < 4; ++i) {
        if (*vectors[i]) N_VDestroy(*vectors[i]);
        *vectors[i] = NULL;
    }
    if (w->context) SUNContext_Free(&w->context);
    cd_ida_sparse_free(&w->bodies);
    w->linear = NULL;
    w->matrix = NULL;
}

const cd_integrator cd_ida = {
    .name      = "ida",
    .summary   = "backward differentiation on the implicit residual, loops in the stabilized form of index 2; variable "
                 "step and order (SUNDIALS)",
    .reference = "Hindmarsh et al. 2005, ACM TOMS 31(3)",
    .adaptive  = true,
    .dense     = true,
    .across    = CD_IF_STEPS_ARE_FOUND,
    .sparse    = true,
    .remembers = true,
    .work_size = sizeof(ida_work),
    .layout    = layout,
    .start     = start,
    .step      = step,
    .inside    = inside,
    .finish    = finish,
};
