// SPDX-License-Identifier: BSD-3-Clause
// Coordinate partitioning: independent coordinates are kept, dependent ones are computed from the constraints after
// every step.
//
//     J = [ Jd Ji ],   Jd by column-pivoted QR of J, its columns in units of sqrt(M(k,k)),
//                      rank r by |R(i,i)| <= 1e-9 |R(1,1)|
//     positions        Jd dq = -c,      chord iteration with the same factor
//     velocities       Jd dv = -cdot
//
// The partition is selected on the constraints: after a minimum-norm correction in the mass metric, which is then
// undone. It is kept while the influence of independent on dependent velocities, |Jd^+ Ji|, is at most twice its
// value at the selection, or while the iteration converges, and it is changed between steps only.
// docs/theory/stabilization.md (4). Source: Wehage, Haug 1982, J. Mech. Design 104(1).
#include "simulation/stabilization/stabilization.h"

#include "dynamics/data.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/projection/constraint_newton.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/state.h"
#include "dynamics/unit_scales.h"
#include "explain/explain.h"
#include "math/lapack.h"
#include "simulation/simulation_tolerances.h"

#include <cardan/assemble.h>
#include <math.h>
#include <string.h>

static const int max_iterations = 20;

typedef struct partitioning_work {
    int     nrow, ncolumn;
    int     rank;                           // 0: no partition yet
    double  dependence_max;                 // scaled influence |Jd^+ Ji| at the selection
    int *   column_order, *column_position; // (columns) dependent velocities first; inverse permutation
    double *column_scale, *row_norm;        // (columns), (rows): scales of J
    double* M;                              // (columns x columns)
    double* J;                              // (rows x columns) column major, then its factor
    double *tau, *dx;                       // (columns)
    double* rhs;                            // (rows)
    double *q, *v;                          // (nq), (columns) saved state
    double* work;
} partitioning_work;

static double matrix_entries(const cardan_data* d)
{
    const double n = d->rows.nrow > 0 ? d->m->nv : 0, rows = d->rows.nrow;
    return fmax(n * n, rows * n);
}

static void layout(const cd_ode_system* system, cd_arena* arena, void* work)
{
    partitioning_work* w = work;
    w->nrow              = system->data->rows.nrow;
    w->ncolumn           = w->nrow > 0 ? system->nv : 0;
    const size_t n = (size_t)w->ncolumn, rows = (size_t)w->nrow;
    CD_ARENA_ARRAY(arena, w->column_order, n);
    CD_ARENA_ARRAY(arena, w->column_position, n);
    CD_ARENA_ARRAY(arena, w->column_scale, n);
    CD_ARENA_ARRAY(arena, w->row_norm, rows);
    CD_ARENA_ARRAY(arena, w->M, n * n);
    CD_ARENA_ARRAY(arena, w->J, rows * n);
    CD_ARENA_ARRAY(arena, w->tau, n);
    CD_ARENA_ARRAY(arena, w->dx, n);
    CD_ARENA_ARRAY(arena, w->rhs, rows);
    CD_ARENA_ARRAY(arena, w->q, rows > 0 ? system->nq : 0);
    CD_ARENA_ARRAY(arena, w->v, n);
    CD_ARENA_ARRAY(arena, w->work, cd_lapack_qr_work(w->nrow, w->ncolumn));
}

// Fill the scaled J with its columns in the order of column_order.
static void fill_jacobian(cardan_data* d, partitioning_work* w)
{
    const size_t rows = (size_t)w->nrow;
    for (int i = 0; i < w->ncolumn; ++i) w->column_position[w->column_order[i]] = i;
    memset(w->J, 0, rows * (size_t)w->ncolumn * sizeof *w->J);
    for (int i = 0; i < d->rows.nblock; ++i) {
        const cd_row_block b       = cd_joint_space_block(d, &d->constraints, i);
        double             largest = 0;
        for (int k = 0; k < b.nrow; ++k) {
            double sum = 0;
            for (int j = 0; j < b.nv; ++j) sum += pow(b.J[k * b.nv + j] * w->column_scale[b.v[j]], 2);
            w->row_norm[b.row + k] = sqrt(sum);
            largest                = fmax(largest, sqrt(sum));
        }
        for (int k = 0; k < b.nrow; ++k) {
            double* size = &w->row_norm[b.row + k];
            // a row about to vanish stays small
            *size = largest > 0 ? fmax(*size, cd_partition_row_scale_min * largest) : 1;
            for (int j = 0; j < b.nv; ++j)
                w->J[(size_t)w->column_position[b.v[j]] * rows + (size_t)(b.row + k)] =
                    b.J[k * b.nv + j] * w->column_scale[b.v[j]] / *size;
        }
    }
}

static double pivot_size(const partitioning_work* w, int i)
{
    return fabs(w->J[(size_t)i * (size_t)w->nrow + (size_t)i]);
}

static cd_solve_policy rank_policy(const cardan_data* d)
{
    return (cd_solve_policy){.violation = d->violations.position, .redundancy_error = d->policy.redundancy_error};
}

// Select the partition. A velocity without inertia has a large column: it becomes dependent first.
static bool select_partition(cardan_data* d, partitioning_work* w)
{
    const int n = w->ncolumn, rank_max = w->nrow < n ? w->nrow : n;
    if (cardan_data_mass_matrix(d, w->M) != CARDAN_OK) return false;
    double inertia_max = 0;
    for (int i = 0; i < n; ++i) inertia_max = fmax(inertia_max, w->M[(size_t)i * (size_t)(n + 1)]);
    for (int i = 0; i < n; ++i) {
        w->column_scale[i] = 1 / sqrt(fmax(w->M[(size_t)i * (size_t)(n + 1)], fmax(1e-12 * inertia_max, 1e-300)));
        w->column_order[i] = i;
    }
    fill_jacobian(d, w);
    if (!cd_lapack_qr(w->nrow, n, w->J, w->column_order, w->tau, w->work)) return false;
    const cd_solve_policy policy = rank_policy(d);
    const double          rank_threshold =
        sqrt(cd_pivot_tolerance(&policy, cd_partition_rank_tolerance * cd_partition_rank_tolerance));
    w->rank = 0;
    while (w->rank < rank_max && pivot_size(w, w->rank) > rank_threshold * pivot_size(w, 0)) ++w->rank;
    return true;
}

// Largest entry of |Jd^+ Ji|: unbounded near a configuration that the independent coordinates cannot pass.
static double dependence(partitioning_work* w)
{
    const size_t rows    = (size_t)w->nrow;
    double       largest = 0;
    for (int i = w->rank; i < w->ncolumn; ++i) {
        memcpy(w->rhs, w->J + (size_t)i * rows, rows * sizeof *w->rhs);
        cd_lapack_qr_solve(w->nrow, w->rank, w->J, w->tau, w->rhs, w->work);
        for (int k = 0; k < w->rank; ++k)
            if (!(fabs(w->rhs[k]) <= largest)) largest = fabs(w->rhs[k]);
    }
    return largest;
}

static bool factor_partition(cardan_data* d, partitioning_work* w, double* dependence_largest)
{
    fill_jacobian(d, w);
    if (!cd_lapack_qr(w->nrow, w->rank, w->J, NULL, w->tau, w->work)) return false;
    *dependence_largest = dependence(w);
    return true;
}

// Select the partition on the constraints: off them, redundant rows differ by the violation, and rows of bodies with
// small inertia may be as small, so the rank is decided where the constraints are satisfied.
static bool select_partition_on_constraints(cardan_data* d, partitioning_work* w)
{
    const cd_solve_policy policy = rank_policy(d);
    if (sqrt(cd_rank_tolerance_off_constraint(&policy)) <= cd_partition_rank_tolerance)
        return select_partition(d, w) && factor_partition(d, w, &w->dependence_max);
    memcpy(w->q, d->q, (size_t)d->m->nq * sizeof *w->q);
    memcpy(w->v, d->v, (size_t)d->m->nv * sizeof *w->v);
    bool selected = cardan_data_project(d, NULL, NULL, NULL, NULL, NULL) == CARDAN_OK;
    if (selected) {
        cd_update_rows(d);
        selected = select_partition(d, w);
    }
    cd_data_set_state(d, d->t, w->q, w->v, d->state);
    cd_update_rows(d);
    return (selected || select_partition(d, w)) && factor_partition(d, w, &w->dependence_max);
}

// Factor Jd at the state of the data; select a new partition if the old one is outdated.
static bool update_factor(cardan_data* d, partitioning_work* w)
{
    cd_update_rows(d);
    if (w->rank == 0) return select_partition_on_constraints(d, w);
    double dependence_largest;
    if (!factor_partition(d, w, &dependence_largest)) return false;
    return dependence_largest <= cd_partition_outdated_ratio * fmax(1, w->dependence_max) ||
           select_partition_on_constraints(d, w);
}

// Solve Jd dx = -c.
static void solve_dependent(partitioning_work* w, const double* c)
{
    for (int k = 0; k < w->nrow; ++k) w->rhs[k] = -c[k] / w->row_norm[k];
    cd_lapack_qr_solve(w->nrow, w->rank, w->J, w->tau, w->rhs, w->work);
    memset(w->dx, 0, (size_t)w->ncolumn * sizeof *w->dx);
    for (int i = 0; i < w->rank; ++i) w->dx[w->column_order[i]] = w->rhs[i] * w->column_scale[w->column_order[i]];
}

static double scaled_violation(cardan_data* d, bool velocities)
{
    return cd_level_violation(d, velocities) / (velocities ? fmax(1, cd_velocity_norm_inf(d, d->v)) : 1);
}

static cardan_status correct_dependent(cardan_data* d, partitioning_work* w, bool velocities)
{
    double violation = scaled_violation(d, velocities);
    for (int i = 0; i < max_iterations && violation > cd_partition_violation_target; ++i) {
        cd_update_constraint_values(d);
        solve_dependent(w, velocities ? d->constraints.rate : d->constraints.value);
        cd_apply_correction(d, velocities, w->dx);
        const double violation_before = violation;
        violation                     = scaled_violation(d, velocities);
        if (!isfinite(violation)) return CARDAN_NOT_FINITE;
        // round-off, or redundant rows
        if (violation > cd_stalled_convergence_ratio * violation_before && violation <= cd_partition_violation_accepted)
            break;
        if (violation > cd_slow_convergence_ratio * violation_before && !update_factor(d, w)) return CARDAN_NOT_FINITE;
    }
    return violation <= cd_accepted_violation ? CARDAN_OK : CARDAN_NOT_CONVERGED;
}

// Correct the positions: with this partition, else with another one; if violations are so large that neither
// converges, by the minimum-norm correction in the mass metric, with a partition selected there.
static cardan_status correct_positions(cd_ode_system* system, partitioning_work* w, const cd_ode_state* x)
{
    cardan_data*  d      = system->data;
    const double* state  = cd_user_states(system, x->z);
    cardan_status status = correct_dependent(d, w, false);
    if (!status) return status;
    cd_data_set_state(d, x->t, x->q, x->z, state);
    cd_update_rows(d);
    w->rank = 0;
    if (select_partition_on_constraints(d, w)) status = correct_dependent(d, w, false);
    if (!status) return status;
    cd_data_set_state(d, x->t, x->q, x->z, state);
    if (cardan_data_project(d, NULL, NULL, NULL, NULL, NULL) != CARDAN_OK) return status;
    w->rank = 0;
    return update_factor(d, w) ? CARDAN_OK : CARDAN_NOT_FINITE;
}

static cardan_status correct(cd_ode_system* system, void* work, cd_ode_state* x, cardan_report* report)
{
    partitioning_work* w      = work;
    cardan_data*       d      = system->data;
    cardan_status      status = cd_data_set_state(d, x->t, x->q, x->z, cd_user_states(system, x->z));
    if (status || w->nrow == 0) return status;
    if (!update_factor(d, w)) return cd_fail_constraint_violation(d, false, CARDAN_NOT_FINITE, report);
    status = correct_positions(system, w, x);
    if (status) return cd_fail_constraint_violation(d, false, status, report);
    status = correct_dependent(d, w, true);
    if (status) return cd_fail_constraint_violation(d, true, status, report);
    memcpy(x->q, d->q, (size_t)system->nq * sizeof *x->q);
    memcpy(x->z, d->v, (size_t)system->nv * sizeof *x->z);
    return CARDAN_OK;
}

const cd_stabilization cd_stabilization_partitioning = {
    .name      = "partitioning",
    .summary   = "independent coordinates are kept, dependent ones are computed from the constraints after every step",
    .citation  = "Wehage, Haug 1982, J. Mech. Design 104(1)",
    .work_size = sizeof(partitioning_work),
    .layout    = layout,
    .matrix_entries = matrix_entries,
    .correct        = correct,
};
