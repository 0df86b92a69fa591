// SPDX-License-Identifier: BSD-3-Clause
// SUNDIALS' IDA on the implicit residual: accelerations are not solved for, Newton's method of the integrator finds
// them. With loops in the stabilized index-2 form, with multipliers lambda of the constraint rates and eta of the
// constraint positions:
//
//     y = [q, v, s, W, eta, lambda],   F = [ q' - rate(q, v - J'eta) ]       normalizing term of state_vector.h
//                                          [ ID(q, v, v') - Q + J'lambda ]   recursive Newton-Euler
//                                          [ s' - s'(t, q, v, s) ]
//                                          [ W' - power ]
//                                          [ c(q, t) ]                       independent rows only (independent_rows.h)
//                                          [ c'(q, v, t) ]
//
// Backward differentiation of order 1 to 5; the Jacobian dF/dy + alpha dF/dy' follows from the equation Jacobian
// (equation_jacobian.h), sparse in maximal coordinates of many bodies (ida_sparse.h). The algebraic variables eta and
// lambda are excluded from the error test. No other file includes IDA. Source: Hindmarsh et al. 2005, ACM TOMS 31(3);
// Gear, Leimkuhler, Gupta 1985, J. Comput. Appl. Math. 12.
#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "simulation/integrators/jacobian/dense_solver.h"
#include "simulation/ode/state_vector.h"
#include "simulation/integrators/jacobian/independent_rows.h"
#include "simulation/integrators/ida_sparse.h"
#include "simulation/integrators/integrator.h"
#include "simulation/integrators/jacobian/equation_jacobian.h"
#include "simulation/integrators/jacobian/sparse_solver.h"

#include <float.h>
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>

typedef struct ida_work {
    cd_ode_system*       system;
    cd_independent_rows  independent;
    cd_equation_jacobian jacobian;
    bool                 is_sparse; // the matrix is assembled from triplets
    cd_ida_sparse        sparse_jacobian;
    double *             residual, *lambda, *v_corrected, *zdot; // (jacobian.n), (nrow), (nv), (nz)
    int                  n;                                      // dimension of y
    SUNContext           context;
    void*                ida_memory;
    N_Vector             y, ydot, error, id;
    SUNMatrix            matrix;
    SUNLinearSolver      linear_solver;
    cardan_status        status;           // of the last evaluation
    long                 rejected_counted; // already added to the system's count
    bool                 is_first_step;    // no step taken since the start
} ida_work;

static void layout(const cd_ode_system* system, cd_arena* arena, void* work)
{
    ida_work* w  = work;
    w->is_sparse = cd_prefers_sparse_jacobian(system);
    cd_independent_rows_layout(system, arena, &w->independent);
    if (w->is_sparse)
        cd_equation_jacobian_set_offsets(system, &w->jacobian);
    else
        cd_equation_jacobian_layout(system, arena, &w->jacobian);
    CD_ARENA_ARRAY(arena, w->zdot, system->nz);
    CD_ARENA_ARRAY(arena, w->residual, w->jacobian.n);
    CD_ARENA_ARRAY(arena, w->lambda, w->independent.nrow);
    CD_ARENA_ARRAY(arena, w->v_corrected, system->nv);
}

// Offsets of eta and lambda in y, and of c and c' in F.
static int eta_offset(const ida_work* w) { return w->system->nq + w->system->nz; }
static int lambda_offset(const ida_work* w) { return eta_offset(w) + w->independent.nposition; }

// lambda of all rows; v - J'eta at the state of the data.
static void unpack_multipliers(ida_work* w, const double* y)
{
    memset(w->lambda, 0, (size_t)w->independent.nrow * sizeof *w->lambda);
    for (int i = 0; i < w->independent.count; ++i) w->lambda[w->independent.row[i]] = y[lambda_offset(w) + i];
}

static void compute_corrected_velocities(ida_work* w, const double* y)
{
    cardan_data* d = w->system->data;
    memcpy(w->v_corrected, y + w->system->nq, (size_t)w->system->nv * sizeof *w->v_corrected);
    if (w->independent.nposition == 0) return;
    memset(d->solve.row_rhs, 0, (size_t)w->independent.nrow * sizeof *d->solve.row_rhs);
    for (int i = 0; i < w->independent.nposition; ++i) d->solve.row_rhs[w->independent.row[i]] = -y[eta_offset(w) + i];
    cd_add_jacobian_transposed_times(d, &d->rows, d->solve.row_rhs, w->v_corrected);
}

static cardan_status evaluate_residual(ida_work* w, double t, const double* y, const double* ydot, double* F)
{
    cd_ode_system* system = w->system;
    const int      nq = system->nq, nv = system->nv, ns = system->ns;
    const double * z = y + nq, *zdot = ydot + nq;
    unpack_multipliers(w, y);
    const cardan_status status = cd_equation_residual(system, &w->jacobian, t, y, z, zdot, w->lambda, w->residual);
    if (status) return status;
    compute_corrected_velocities(w, y);
    cd_state_vector_q_rate(system, y, w->v_corrected, F);
    for (int i = 0; i < nq; ++i) F[i] = ydot[i] - F[i];
    memcpy(F + nq, w->residual + w->jacobian.r, (size_t)nv * sizeof *F);
    if (w->independent.nrow > 0) {
        // the power of drivers needs the multipliers
        memcpy(system->data->solve.lambda, w->lambda, (size_t)w->independent.nrow * sizeof *w->lambda);
        system->data->valid.solution = true;
    }
    cd_rhs_auxiliary(system, F + nq + nv);
    for (int i = nv; i <= nv + ns; ++i) F[nq + i] = zdot[i] - F[nq + i];
    for (int i = 0; i < w->independent.nposition; ++i)
        F[eta_offset(w) + i] = w->residual[w->jacobian.c + w->independent.row[i]];
    for (int i = 0; i < w->independent.count; ++i)
        F[lambda_offset(w) + i] = w->residual[w->jacobian.cdot + w->independent.row[i]];
    return CARDAN_OK;
}

// Evaluate F. A failed evaluation is recoverable, IDA tries a smaller step; a run ended by its caller is not.
static int residual_callback(realtype t, N_Vector y, N_Vector ydot, N_Vector F, void* user)
{
    ida_work* w = user;
    double*   f = N_VGetArrayPointer(F);
    w->status   = evaluate_residual(w, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot), f);
    if (w->status) return w->status == CARDAN_STOPPED ? -1 : 1;
    for (int i = 0; i < w->n; ++i) {
        if (isfinite(f[i])) continue;
        w->status                = CARDAN_NOT_FINITE;
        w->system->failure.t     = t;
        w->system->failure.index = i < eta_offset(w) ? i : CARDAN_NONE;
        w->system->failure.value = f[i];
        return 1;
    }
    return 0;
}

// ---- dF/dy + alpha dF/dy'

// Row of the equation Jacobian for row i of F, from the equations of motion on; -1: the work, which is only reported.
static int jacobian_row(const ida_work* w, int i)
{
    const cd_ode_system* system = w->system;
    const int            k      = i - system->nq;
    if (k < system->nv) return w->jacobian.r + k;
    if (k < system->nv + system->ns) return w->jacobian.g + k - system->nv;
    if (i < eta_offset(w)) return -1;
    return i < lambda_offset(w) ? w->jacobian.c + w->independent.row[i - eta_offset(w)]
                                : w->jacobian.cdot + w->independent.row[i - lambda_offset(w)];
}

// Sign of that row in F: negative for the rates of user states.
static double jacobian_sign(const ida_work* w, int i)
{
    const int k = i - w->system->nq;
    return k >= w->system->nv && k < w->system->nv + w->system->ns ? -1 : 1;
}

static void fill_q_columns(const ida_work* w, const double* y, double alpha, double** column)
{
    const cd_ode_system*        system = w->system;
    const cd_equation_jacobian* s      = &w->jacobian;
    for (int i = system->nq; i < w->n; ++i)
        if (jacobian_row(w, i) >= 0)
            cd_state_vector_derivative_by_q(system, y, s->by_q + jacobian_row(w, i), (size_t)s->n, jacobian_sign(w, i),
                                            i, column);
    for (int i = 0; i < system->nq; ++i) column[i][i] += alpha;
    cd_state_vector_q_rate_by_q(system, y, w->v_corrected, -1, column);
}

static void fill_other_columns(ida_work* w, const double* y, double alpha, double** column)
{
    const cd_ode_system*        system = w->system;
    const cd_equation_jacobian* s      = &w->jacobian;
    const int                   nq = system->nq, nv = system->nv, ns = system->ns;
    double*                     unit_velocity = s->dq;
    memset(unit_velocity, 0, (size_t)nv * sizeof *unit_velocity);
    for (int j = 0; j < nv; ++j) {
        double* to       = column[nq + j];
        unit_velocity[j] = 1;
        cd_state_vector_q_rate_along(system, y, unit_velocity, -1, s->q, to);
        unit_velocity[j] = 0;
        for (int i = nq; i < w->n; ++i) {
            const int row = jacobian_row(w, i);
            if (row >= 0) to[i] += jacobian_sign(w, i) * s->by_v[(size_t)j * (size_t)s->n + (size_t)row];
            if (i < nq + nv) to[i] += alpha * s->M[(size_t)j * (size_t)nv + (size_t)(i - nq)];
        }
    }
    for (int j = 0; j <= ns; ++j) {
        double* to = column[nq + nv + j];
        to[nq + nv + j] += alpha;
        for (int i = nq; j < ns && i < w->n; ++i)
            if (jacobian_row(w, i) >= 0)
                to[i] += jacobian_sign(w, i) * s->by_s[(size_t)j * (size_t)s->n + (size_t)jacobian_row(w, i)];
    }
    for (int j = 0; j < w->independent.nposition; ++j)
        cd_state_vector_q_rate_along(system, y, s->J + (size_t)w->independent.row[j] * (size_t)nv, 1, s->q,
                                     column[eta_offset(w) + j]);
    for (int j = 0; j < w->independent.count; ++j)
        memcpy(column[lambda_offset(w) + j] + nq, s->by_lambda + (size_t)w->independent.row[j] * (size_t)nv,
               (size_t)nv * sizeof **column);
}

static int fill_sparse_jacobian(ida_work* w, double t, double alpha, const double* y, const double* ydot)
{
    const int nq = w->system->nq;
    w->status    = cd_sparse_equation_jacobian_evaluate(w->system, t, y, y + nq, ydot + nq, w->lambda,
                                                        &w->sparse_jacobian.jacobian);
    if (w->status) return w->status == CARDAN_STOPPED ? -1 : 1;
    cd_update_rows(w->system->data);
    compute_corrected_velocities(w, y);
    if (!cd_ida_sparse_assemble(w->system, &w->independent, alpha, y, w->v_corrected, &w->sparse_jacobian))
        w->status = CARDAN_NO_MEMORY;
    return w->status ? -1 : 0;
}

static int jacobian_callback(realtype t, realtype alpha, N_Vector y_vector, N_Vector ydot_vector, N_Vector F,
                             SUNMatrix matrix, void* user, N_Vector a, N_Vector b, N_Vector c)
{
    (void)F, (void)a, (void)b, (void)c;
    ida_work*     w = user;
    const double *y = N_VGetArrayPointer(y_vector), *ydot = N_VGetArrayPointer(ydot_vector);
    unpack_multipliers(w, y);
    if (w->is_sparse) return fill_sparse_jacobian(w, t, alpha, y, ydot);
    double** column = SUNDenseMatrix_Cols(matrix);
    w->status       = cd_equation_jacobian_evaluate(w->system, t, y, y + w->system->nq, ydot + w->system->nq, w->lambda,
                                                    &w->jacobian);
    if (w->status) return w->status == CARDAN_STOPPED ? -1 : 1;
    compute_corrected_velocities(w, y);
    SUNMatZero(matrix);
    fill_q_columns(w, y, alpha, column);
    fill_other_columns(w, y, alpha, column);
    return 0;
}

// An error of eta or lambda in a step h causes an error h eta of positions, h lambda of momenta: in short steps they
// contain the round-off of c / h and c' / h, which must not limit the step.
static int weights_callback(N_Vector y_vector, N_Vector weight_vector, void* user)
{
    ida_work*     w                  = user;
    const double* y                  = N_VGetArrayPointer(y_vector);
    double*       weight             = N_VGetArrayPointer(weight_vector);
    double        largest_multiplier = 1, h = 0;
    // before the first step it would be the last step of the previous start
    if (!w->is_first_step) IDAGetCurrentStep(w->ida_memory, &h);
    cd_state_vector_error_weights(w->system, y, weight);
    for (int i = lambda_offset(w); i < w->n; ++i) largest_multiplier = fmax(largest_multiplier, fabs(y[i]));
    for (int i = eta_offset(w); i < w->n; ++i)
        weight[i] =
            fmin(1, fabs(h)) / (w->system->settings.tolerance * (i < lambda_offset(w) ? 1 : largest_multiplier)) +
            DBL_MIN;
    return 0;
}

static void ignore_message(int code, const char* module, const char* function, char* message, void* user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

static bool create(ida_work* w)
{
    const cd_ode_system* system = w->system;
    const sunindextype   n      = w->n;
    if ((!w->is_sparse && !cd_state_vector_jacobian_fits(system)) || SUNContext_Create(NULL, &w->context)) return false;
    w->y      = N_VNew_Serial(n, w->context);
    w->ydot   = N_VNew_Serial(n, w->context);
    w->error  = N_VNew_Serial(n, w->context);
    w->id     = N_VNew_Serial(n, w->context);
    w->matrix = w->is_sparse ? cd_sparse_matrix_create(w->context) : SUNDenseMatrix(n, n, w->context);
    if (!w->y || !w->ydot || !w->error || !w->id || !w->matrix) return false;
    for (int i = 0; i < w->n; ++i) N_VGetArrayPointer(w->id)[i] = i < eta_offset(w);
    w->linear_solver = w->is_sparse ? cd_sparse_solver_create(w->system, &w->sparse_jacobian.matrix, w->context)
                                    : cd_dense_solver_create(w->system, w->y, w->context);
    w->ida_memory    = IDACreate(w->context);
    return w->linear_solver && w->ida_memory && IDASetErrHandlerFn(w->ida_memory, ignore_message, NULL) == IDA_SUCCESS;
}

// With backward differentiation, velocities of nearly immobile bodies on stiff springs have an error h a/2, which
// jumps when the step h changes. A step of twice the length then fails repeatedly, finally at order 1, which
// increases only after steps of equal length. So the growth of steps is limited, and Newton's iteration, whose errors
// stiff springs turn into velocities too, is continued to a smaller tolerance.
static bool configure_step_control(void* memory)
{
    const double growth = 1.3, convergence = 0.03; // from step to step; of the tolerance
    return IDASetEtaMax(memory, growth) == IDA_SUCCESS && IDASetEtaFixedStepBounds(memory, 1, growth) == IDA_SUCCESS &&
           IDASetNonlinConvCoef(memory, convergence) == IDA_SUCCESS;
}

static bool attach_solvers(ida_work* w, double t)
{
    const double max_step = w->system->settings.max_step;
    return IDAInit(w->ida_memory, residual_callback, t, w->y, w->ydot) == IDA_SUCCESS &&
           IDASetUserData(w->ida_memory, w) == IDA_SUCCESS &&
           IDAWFtolerances(w->ida_memory, weights_callback) == IDA_SUCCESS &&
           IDASetLinearSolver(w->ida_memory, w->linear_solver, w->matrix) == IDA_SUCCESS &&
           IDASetJacFn(w->ida_memory, jacobian_callback) == IDA_SUCCESS &&
           IDASetId(w->ida_memory, w->id) == IDA_SUCCESS && IDASetSuppressAlg(w->ida_memory, SUNTRUE) == IDA_SUCCESS &&
           configure_step_control(w->ida_memory) &&
           IDASetMinStep(w->ida_memory, cd_min_step(w->system, t)) == IDA_SUCCESS &&
           IDASetMaxStep(w->ida_memory, isfinite(max_step) ? max_step : 0) == IDA_SUCCESS;
}

static void finish(void* work);

// Select the independent rows at the state of the data; recreate y if their number has changed.
static bool prepare_rows(ida_work* w)
{
    if (!cd_independent_rows_select(w->system, &w->independent)) return false;
    const int  n    = lambda_offset(w) + w->independent.count;
    const bool fits = w->ida_memory && n == w->n;
    if (!fits) finish(w);
    w->n = n;
    if (w->is_sparse && !cd_ida_sparse_start(w->system, &w->independent, n, &w->sparse_jacobian)) return false;
    return fits || create(w);
}

// Start with consistent y': accelerations are solved for once.
static cardan_status start(cd_ode_system* system, void* work, const cd_ode_state* x)
{
    ida_work* w          = work;
    w->system            = system;
    w->is_first_step     = true;
    w->rejected_counted  = 0;
    cardan_status status = cd_rhs_by_library(system, x->t, x->q, x->z, w->zdot);
    if (status) return status;
    const bool first = !w->ida_memory;
    const int  n     = w->n;
    if (!prepare_rows(w)) return CARDAN_NO_MEMORY;
    double *y = N_VGetArrayPointer(w->y), *ydot = N_VGetArrayPointer(w->ydot);
    memset(y, 0, (size_t)w->n * sizeof *y);
    memset(ydot, 0, (size_t)w->n * sizeof *ydot);
    cd_state_vector_from_state(system, x, y);
    for (int i = 0; i < w->independent.count; ++i)
        y[lambda_offset(w) + i] = system->data->solve.lambda[w->independent.row[i]];
    cd_state_vector_q_rate(system, x->q, x->z, ydot);
    memcpy(ydot + system->nq, w->zdot, (size_t)system->nz * sizeof *ydot);
    const bool ready =
        first || n != w->n ? attach_solvers(w, x->t) : IDAReInit(w->ida_memory, x->t, w->y, w->ydot) == IDA_SUCCESS;
    return ready ? CARDAN_OK : CARDAN_NO_MEMORY;
}

static void count_rejected(cd_ode_system* system, ida_work* w)
{
    long errors = 0, convergence = 0;
    IDAGetNumErrTestFails(w->ida_memory, &errors);
    IDAGetNumStepSolveFails(w->ida_memory, &convergence);
    system->statistics.rejected_steps += errors + convergence - w->rejected_counted;
    w->rejected_counted = errors + convergence;
}

static cardan_status failure_status(cd_ode_system* system, ida_work* w, int flag, double t)
{
    if (flag == IDA_MEM_FAIL) return CARDAN_NO_MEMORY;
    if (system->progress.stopped) return CARDAN_STOPPED;
    if (w->status) return w->status;
    const bool known = IDAGetEstLocalErrors(w->ida_memory, w->error) == IDA_SUCCESS;
    return cd_state_vector_step_too_small(system, t, N_VGetArrayPointer(w->y),
                                          known ? N_VGetArrayPointer(w->error) : NULL);
}

// Select other rows if redundant rows have changed, and restart with the well-conditioned ones.
static cardan_status update_independent_rows(cd_ode_system* system, ida_work* w, cd_ode_state* x)
{
    if (w->independent.count == w->independent.nrow) return CARDAN_OK;
    const cardan_status status = cd_ode_system_set_state(system, x->t, x->q, x->z);
    if (status || !cd_independent_rows_are_outdated(system, &w->independent)) return status;
    cd_independent_rows_project_state(system, x);
    return start(system, w, x);
}

static cardan_status step(cd_ode_system* system, void* work, double limit, cd_ode_state* x)
{
    ida_work*           w      = work;
    realtype            t      = x->t;
    const cardan_status status = update_independent_rows(system, w, x);
    if (status) return status;
    IDASetStopTime(w->ida_memory, limit);
    const int flag = IDASolve(w->ida_memory, limit, &t, w->y, w->ydot, IDA_ONE_STEP);
    count_rejected(system, w);
    if (flag < 0) return failure_status(system, w, flag, x->t);
    w->is_first_step = false;
    cd_state_vector_to_state(system, t, N_VGetArrayPointer(w->y), x);
    return cd_ode_state_check_finite(system, t, x->q, x->z);
}

static cardan_status dense_output(cd_ode_system* system, void* work, double t, cd_ode_state* x)
{
    ida_work* w = work;
    if (IDAGetDky(w->ida_memory, t, 0, w->error) != IDA_SUCCESS) return CARDAN_NOT_CONVERGED;
    cd_state_vector_to_state(system, t, N_VGetArrayPointer(w->error), x);
    return CARDAN_OK;
}

static void finish(void* work)
{
    ida_work* w = work;
    if (w->ida_memory) IDAFree(&w->ida_memory);
    if (w->linear_solver) SUNLinSolFree(w->linear_solver);
    if (w->matrix) SUNMatDestroy(w->matrix);
    N_Vector* const vectors[] = {&w->y, &w->ydot, &w->error, &w->id};
    for (int i = 0; i < 4; ++i) {
        if (*vectors[i]) N_VDestroy(*vectors[i]);
        *vectors[i] = NULL;
    }
    if (w->context) SUNContext_Free(&w->context);
    cd_ida_sparse_free(&w->sparse_jacobian);
    w->linear_solver = NULL;
    w->matrix        = NULL;
}

const cd_integrator cd_ida = {
    .name    = "ida",
    .summary = "backward differentiation of the implicit residual, loops in the stabilized index-2 form; variable step "
               "and order (SUNDIALS)",
    .citation                = "Hindmarsh et al. 2005, ACM TOMS 31(3)",
    .is_adaptive             = true,
    .uses_dense_jacobian     = true,
    .singular_policy         = CD_SINGULAR_FALLBACK_IF_STUCK,
    .can_use_sparse_jacobian = true,
    .is_multistep            = true,
    .work_size               = sizeof(ida_work),
    .layout                  = layout,
    .start                   = start,
    .step                    = step,
    .dense_output            = dense_output,
    .finish                  = finish,
};
