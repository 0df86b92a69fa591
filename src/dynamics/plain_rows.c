// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/plain_rows.h"

#include "dynamics/data.h"

int cd_plain_rows(cardan_data* d, int* nblock, const double** gamma, const double** compliance)
{
    cd_know_rows(d);
    *nblock = d->system.nblock;
    *gamma  = d->gamma;
    *compliance = d->system.compliance;
    return d->system.nrow;
}

cd_plain_block cd_plain_block_at(const cardan_data* d, int i)
{
    const cd_row_block* b = &d->system.block[i];
    return (cd_plain_block){b->row, b->nrow, b->nv, b->v, b->J, b->nend, b->link, &b->G->a.x};
}

const double* cd_plain_coordinates(const cardan_data* d) { return d->q; }

const double* cd_plain_memory(const cardan_data* d) { return d->closure.memory; }
