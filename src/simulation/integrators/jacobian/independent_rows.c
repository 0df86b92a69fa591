// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/integrators/jacobian/independent_rows.h"

#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "math/lapack.h"
#include "simulation/integrators/jacobian/triplet_matrix.h"
#include "simulation/integrators/jacobian/sparse_equation_jacobian.h"
#include "simulation/simulation_tolerances.h"

#include <cardan/assemble.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cd_independent_rows_layout(const cd_ode_system* system, cd_arena* arena, cd_independent_rows* rows)
{
    const int nv = system->nv, nrow = system->data->rows.nrow;
    rows->nrow = nrow;
    CD_ARENA_ARRAY(arena, rows->row, nrow);
    if (cd_prefers_sparse_jacobian(system)) return;
    CD_ARENA_ARRAY(arena, rows->J, (size_t)nv * (size_t)nrow);
    CD_ARENA_ARRAY(arena, rows->J_all, (size_t)nv * (size_t)nrow);
    CD_ARENA_ARRAY(arena, rows->tau, nrow);
    CD_ARENA_ARRAY(arena, rows->pivot, nrow);
    CD_ARENA_ARRAY(arena, rows->work, nrow > 0 ? cd_lapack_qr_work(nv, nrow) : 0);
}

void cd_constraint_jacobian_dense(const cd_ode_system* system, double* J)
{
    cardan_data* d  = system->data;
    const size_t nv = (size_t)system->nv;
    cd_update_rows(d);
    memset(J, 0, nv * (size_t)d->rows.nrow * sizeof *J);
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_row_block b = cd_joint_space_block(d, &d->constraints, i);
        for (int row = 0; row < b.nrow; ++row)
            for (int j = 0; j < b.nv; ++j) J[(size_t)(b.row + row) * nv + (size_t)b.v[j]] = b.J[row * b.nv + j];
    }
}

static bool has_position_level(const cd_constraint_set* set, int row)
{
    for (int i = 0; i < set->nconstraint; ++i) {
        const cd_constraint* c = &set->constraint[i];
        if (row >= c->first_row && row < c->first_row + c->nrow)
            return cd_constraint_row_is_holonomic(set, i, row - c->first_row);
    }
    return false;
}

// ---- rows in compressed form

bool cd_jacobian_csr_create(const cd_ode_system* system, cd_jacobian_csr* rows)
{
    const cardan_data* d = system->data;
    size_t             n = 0;
    if (rows->row_start) return true;
    for (int i = 0; i < d->constraints.nconstraint; ++i)
        n += (size_t)d->constraints.constraint[i].nrow * 6 * (size_t)d->constraints.constraint[i].nend;
    rows->nrow      = d->rows.nrow;
    rows->row_start = cd_allocate((size_t)d->rows.nrow + 1, sizeof *rows->row_start);
    rows->column    = cd_allocate(n + 1, sizeof *rows->column);
    rows->value     = cd_allocate(n + 1, sizeof *rows->value);
    return rows->row_start && rows->column && rows->value;
}

void cd_jacobian_csr_free(cd_jacobian_csr* rows)
{
    free(rows->row_start), free(rows->column), free(rows->value);
    *rows = (cd_jacobian_csr){0};
}

// The rows of a constraint are consecutive, in the order of the constraints.
void cd_jacobian_csr_evaluate(const cd_ode_system* system, cd_jacobian_csr* rows)
{
    cardan_data* d = system->data;
    int          n = 0;
    cd_update_rows(d);
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_row_block b = cd_joint_space_block(d, &d->constraints, i);
        for (int row = 0; row < b.nrow; ++row) {
            rows->row_start[b.row + row] = n;
            for (int j = 0; j < b.nv; ++j, ++n) rows->column[n] = b.v[j], rows->value[n] = b.J[row * b.nv + j];
        }
    }
    rows->row_start[rows->nrow] = n;
}

// Assemble [ 1 J'; J 0 ], which is regular if no row of J is redundant.
static void assemble_kkt(const cd_jacobian_csr* rows, int nv, cd_triplet_matrix* e)
{
    cd_triplet_matrix_begin(e);
    for (int v = 0; v < nv; ++v) cd_triplet_matrix_add(e, v, v, 1);
    for (int row = 0; row < rows->nrow; ++row)
        for (int i = rows->row_start[row]; i < rows->row_start[row + 1]; ++i) {
            cd_triplet_matrix_add(e, rows->column[i], nv + row, rows->value[i]);
            cd_triplet_matrix_add(e, nv + row, rows->column[i], rows->value[i]);
        }
}

static bool are_all_independent(const cd_ode_system* system)
{
    cd_jacobian_csr   rows = {0};
    cd_triplet_matrix e    = {0};
    bool              good = cd_jacobian_csr_create(system, &rows);
    if (good) {
        cd_jacobian_csr_evaluate(system, &rows);
        cd_triplet_matrix_init(&e, system->nv + rows.nrow);
        assemble_kkt(&rows, system->nv, &e);
        good = cd_triplet_matrix_end(&e);
        if (good) assemble_kkt(&rows, system->nv, &e);
        good = good && cd_sparse_lu_factor(e.lu, e.value) && cd_sparse_lu_rcond(e.lu) > cd_independent_row_pivot;
    }
    cd_jacobian_csr_free(&rows);
    cd_triplet_matrix_free(&e);
    return good;
}

// ---- selection

static void set_rows(const cd_ode_system* system, cd_independent_rows* rows, int count, const int* row)
{
    const cd_constraint_set* set = &system->data->constraints;
    rows->count                  = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < count; ++i)
            if (has_position_level(set, row ? row[i] : i) == (pass == 0)) rows->row[rows->count++] = row ? row[i] : i;
        if (pass == 0) rows->nposition = rows->count;
    }
}

static double relative_pivot(const cd_ode_system* system, const cd_independent_rows* rows, int k)
{
    return fabs(rows->J[(size_t)k * (size_t)(system->nv + 1)] / rows->J[0]);
}

static bool select_by_qr(const cd_ode_system* system, cd_independent_rows* rows)
{
    const int nv = system->nv, rank_max = nv < rows->nrow ? nv : rows->nrow;
    cd_constraint_jacobian_dense(system, rows->J);
    if (!cd_lapack_qr(nv, rows->nrow, rows->J, rows->pivot, rows->tau, rows->work)) return false;
    int rank = 0;
    while (rank < rank_max &&
           fabs(rows->J[(size_t)rank * (size_t)(nv + 1)]) > cd_independent_row_pivot * fabs(rows->J[0]))
        ++rank;
    set_rows(system, rows, rank, rows->pivot);
    rows->pivot_min_rel = rank > 0 ? relative_pivot(system, rows, rank - 1) : 1;
    return true;
}

bool cd_independent_rows_are_outdated(const cd_ode_system* system, cd_independent_rows* rows)
{
    const size_t nv = (size_t)system->nv;
    if (!rows->J_all || rows->count == 0 || rows->count == rows->nrow) return false;
    cd_constraint_jacobian_dense(system, rows->J_all);
    for (int i = 0; i < rows->count; ++i)
        memcpy(rows->J + (size_t)i * nv, rows->J_all + (size_t)rows->row[i] * nv, nv * sizeof *rows->J);
    if (!cd_lapack_qr(system->nv, rows->count, rows->J, rows->pivot, rows->tau, rows->work)) return false;
    const double pivot = relative_pivot(system, rows, rows->count - 1);
    if (pivot > cd_independent_row_outdated * rows->pivot_min_rel) return false;
    rows->pivot_min_rel = pivot;
    memcpy(rows->J, rows->J_all, nv * (size_t)rows->nrow * sizeof *rows->J);
    return cd_lapack_qr(system->nv, rows->nrow, rows->J, rows->pivot, rows->tau, rows->work) &&
           pivot < cd_independent_row_outdated * relative_pivot(system, rows, rows->count - 1);
}

void cd_independent_rows_project_state(cd_ode_system* system, cd_ode_state* x)
{
    cardan_data* d = system->data;
    if (cardan_data_project(d, NULL, NULL, NULL, NULL, NULL) != CARDAN_OK) return;
    memcpy(x->q, d->q, (size_t)system->nq * sizeof *x->q);
    memcpy(x->z, d->v, (size_t)system->nv * sizeof *x->z);
}

bool cd_independent_rows_select(const cd_ode_system* system, cd_independent_rows* rows)
{
    const size_t nv = (size_t)system->nv, nrow = (size_t)rows->nrow;
    rows->count = rows->nposition = 0;
    if (rows->nrow == 0) return true;
    if (rows->J) return select_by_qr(system, rows);
    if (are_all_independent(system)) {
        set_rows(system, rows, rows->nrow, NULL);
        return true;
    }
    rows->J         = cd_allocate(nv * nrow, sizeof *rows->J);
    rows->tau       = cd_allocate(nrow, sizeof *rows->tau);
    rows->pivot     = cd_allocate(nrow, sizeof *rows->pivot);
    rows->work      = cd_allocate((size_t)cd_lapack_qr_work(system->nv, rows->nrow), sizeof *rows->work);
    const bool good = rows->J && rows->tau && rows->pivot && rows->work && select_by_qr(system, rows);
    free(rows->J), free(rows->tau), free(rows->pivot), free(rows->work);
    rows->J = rows->tau = rows->work = NULL;
    rows->pivot                      = NULL;
    return good;
}
