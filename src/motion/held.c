// SPDX-License-Identifier: BSD-3-Clause
#include "motion/held.h"

#include "dynamics/data.h"
#include "math/lapack.h"

#include <math.h>
#include <string.h>

static const double repeated = 1e-9;  // of the largest pivot

void cd_held_layout(const cd_system* system, cd_arena* arena, cd_held* held)
{
    const int nv = system->nv, nrow = system->data->rows.nrow;
    held->nrow   = nrow;
    CD_TAKE(arena, held->row, nrow);
    CD_TAKE(arena, held->J, (size_t)nv * (size_t)nrow);
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
        if (row >= c->first_row && row < c->first_row + c->nrow) return cd_closure_has_position(closure, i, row - c->first_row);
    }
    return false;
}

bool cd_held_choose(const cd_system* system, cd_held* held)
{
    const int nv = system->nv, most = nv < held->nrow ? nv : held->nrow;
    held->count = held->placed = 0;
    if (held->nrow == 0) return true;
    cd_held_jacobian(system, held->J);
    if (!cd_lapack_qr(nv, held->nrow, held->J, held->pivot, held->tau, held->work)) return false;
    int rank = 0;
    while (rank < most && fabs(held->J[(size_t)rank * (size_t)(nv + 1)]) > repeated * fabs(held->J[0])) ++rank;
    for (int i = 0; i < rank; ++i)
        if (placed(&system->data->closure, held->pivot[i])) held->row[held->count++] = held->pivot[i];
    held->placed = held->count;
    for (int i = 0; i < rank; ++i)
        if (!placed(&system->data->closure, held->pivot[i])) held->row[held->count++] = held->pivot[i];
    return true;
}
