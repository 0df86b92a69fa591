// SPDX-License-Identifier: BSD-3-Clause
#include "motion/held.h"

#include "dynamics/data.h"
#include "math/lapack.h"
#include "motion/entries.h"
#include "motion/sparse_slopes.h"

#include <cardan/assemble.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double repeated = 1e-9; // of the largest pivot
static const double poorer   = 0.1;  // rows that hold so much less firmly than others would are exchanged

void cd_held_layout(const cd_system* system, cd_arena* arena, cd_held* held)
{
    const int nv = system->nv, nrow = system->data->rows.nrow;
    held->nrow = nrow;
    CD_TAKE(arena, held->row, nrow);
    if (cd_sparse_pays(system)) return;
    CD_TAKE(arena, held->J, (size_t)nv * (size_t)nrow);
    CD_TAKE(arena, held->chosen, (size_t)nv * (size_t)nrow);
    CD_TAKE(arena, held->tau, nrow);
    CD_TAKE(arena, held->pivot, nrow);
    CD_TAKE(arena, held->work, nrow > 0 ? cd_lapack_qr_work(nv, nrow) : 0);
}

void cd_held_jacobian(const cd_system* system, double* J)
{
    cardan_data* d  = system->data;
    const size_t nv = (size_t)system->nv;
    cd_know_rows(d);
    memset(J, 0, nv * (size_t)d->rows.nrow * sizeof *J);
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_row_block b = cd_way_of(d, &d->closure, i);
        for (int row = 0; row < b.nrow; ++row)
            for (int j = 0; j < b.nv; ++j) J[(size_t)(b.row + row) * nv + (size_t)b.v[j]] = b.J[row * b.nv + j];
    }
}

static bool placed(const cd_closure* closure, int row)
{
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        if (row >= c->first_row && row < c->first_row + c->nrow)
            return cd_closure_has_position(closure, i, row - c->first_row);
    }
    return false;
}

// ---- rows by their entries

bool cd_held_rows_create(const cd_system* system, cd_held_rows* rows)
{
    const cardan_data* d = system->data;
    size_t             n = 0;
    if (rows->start) return true;
    for (int i = 0; i < d->closure.nconstraint; ++i)
        n += (size_t)d->closure.constraint[i].nrow * 6 * (size_t)d->closure.constraint[i].nend;
    rows->nrow  = d->rows.nrow;
    rows->start = cd_allocate((size_t)d->rows.nrow + 1, sizeof *rows->start);
    rows->v     = cd_allocate(n + 1, sizeof *rows->v);
    rows->J     = cd_allocate(n + 1, sizeof *rows->J);
    return rows->start && rows->v && rows->J;
}

void cd_held_rows_free(cd_held_rows* rows)
{
    free(rows->start), free(rows->v), free(rows->J);
    *rows = (cd_held_rows){0};
}

// Constraints have their rows in their own order.
void cd_held_rows_at(const cd_system* system, cd_held_rows* rows)
{
    cardan_data* d = system->data;
    int          n = 0;
    cd_know_rows(d);
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_row_block b = cd_way_of(d, &d->closure, i);
        for (int row = 0; row < b.nrow; ++row) {
            rows->start[b.row + row] = n;
            for (int j = 0; j < b.nv; ++j, ++n) rows->v[n] = b.v[j], rows->J[n] = b.J[row * b.nv + j];
        }
    }
    rows->start[rows->nrow] = n;
}

// [ 1 J'; J 0 ] is regular where no row of J repeats others.
static void enter_rows(const cd_held_rows* rows, int nv, cd_entries* e)
{
    cd_entries_open(e);
    for (int v = 0; v < nv; ++v) cd_entry(e, v, v, 1);
    for (int row = 0; row < rows->nrow; ++row)
        for (int i = rows->start[row]; i < rows->start[row + 1]; ++i) {
            cd_entry(e, rows->v[i], nv + row, rows->J[i]);
            cd_entry(e, nv + row, rows->v[i], rows->J[i]);
        }
}

static bool all_differ(const cd_system* system)
{
    cd_held_rows rows = {0};
    cd_entries   e    = {0};
    bool         good = cd_held_rows_create(system, &rows);
    if (good) {
        cd_held_rows_at(system, &rows);
        cd_entries_begin(&e, system->nv + rows.nrow);
        enter_rows(&rows, system->nv, &e);
        good = cd_entries_close(&e);
        if (good) enter_rows(&rows, system->nv, &e);
        good = good && cd_sparse_lu_factor(e.lu, e.value) && cd_sparse_lu_condition(e.lu) > repeated;
    }
    cd_held_rows_free(&rows);
    cd_entries_free(&e);
    return good;
}

// ---- the choice

static void hold(const cd_system* system, cd_held* held, int count, const int* row)
{
    const cd_closure* closure = &system->data->closure;
    held->count               = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < count; ++i)
            if (placed(closure, row ? row[i] : i) == (pass == 0)) held->row[held->count++] = row ? row[i] : i;
        if (pass == 0) held->placed = held->count;
    }
}

static double pivot_size(const cd_system* system, const cd_held* held, int k)
{
    return fabs(held->J[(size_t)k * (size_t)(system->nv + 1)] / held->J[0]);
}

static bool choose_densely(const cd_system* system, cd_held* held)
{
    const int nv = system->nv, most = nv < held->nrow ? nv : held->nrow;
    cd_held_jacobian(system, held->J);
    if (!cd_lapack_qr(nv, held->nrow, held->J, held->pivot, held->tau, held->work)) return false;
    int rank = 0;
    while (rank < most && fabs(held->J[(size_t)rank * (size_t)(nv + 1)]) > repeated * fabs(held->J[0])) ++rank;
    hold(system, held, rank, held->pivot);
    held->firm = rank > 0 ? pivot_size(system, held, rank - 1) : 1;
    return true;
}

bool cd_held_outdated(const cd_system* system, cd_held* held)
{
    const size_t nv = (size_t)system->nv;
    if (!held->chosen || held->count == 0 || held->count == held->nrow) return false;
    cd_held_jacobian(system, held->chosen);
    for (int i = 0; i < held->count; ++i)
        memcpy(held->J + (size_t)i * nv, held->chosen + (size_t)held->row[i] * nv, nv * sizeof *held->J);
    if (!cd_lapack_qr(system->nv, held->count, held->J, held->pivot, held->tau, held->work)) return false;
    const double firm = pivot_size(system, held, held->count - 1);
    if (firm > poorer * held->firm) return false;
    held->firm = firm;
    memcpy(held->J, held->chosen, nv * (size_t)held->nrow * sizeof *held->J);
    return cd_lapack_qr(system->nv, held->nrow, held->J, held->pivot, held->tau, held->work) &&
           firm < poorer * pivot_size(system, held, held->count - 1);
}

void cd_held_close(cd_system* system, cd_point* x)
{
    cardan_data* d = system->data;
    if (cardan_project(d, NULL, NULL, NULL, NULL, NULL) != CARDAN_OK) return;
    memcpy(x->q, d->q, (size_t)system->nq * sizeof *x->q);
    memcpy(x->z, d->v, (size_t)system->nv * sizeof *x->z);
}

bool cd_held_choose(const cd_system* system, cd_held* held)
{
    const size_t nv = (size_t)system->nv, nrow = (size_t)held->nrow;
    held->count = held->placed = 0;
    if (held->nrow == 0) return true;
    if (held->J) return choose_densely(system, held);
    if (all_differ(system)) {
        hold(system, held, held->nrow, NULL);
        return true;
    }
    held->J         = cd_allocate(nv * nrow, sizeof *held->J);
    held->tau       = cd_allocate(nrow, sizeof *held->tau);
    held->pivot     = cd_allocate(nrow, sizeof *held->pivot);
    held->work      = cd_allocate((size_t)cd_lapack_qr_work(system->nv, held->nrow), sizeof *held->work);
    const bool good = held->J && held->tau && held->pivot && held->work && choose_densely(system, held);
    free(held->J), free(held->tau), free(held->pivot), free(held->work);
    held->J = held->tau = held->work = NULL;
    held->pivot                      = NULL;
    return good;
}
