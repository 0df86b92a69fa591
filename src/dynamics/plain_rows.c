// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/plain_rows.h"

#include "dynamics/data.h"

cd_plain_set cd_plain_rows(cardan_data* d)
{
    cd_know_rows(d);
    cd_know_terms(d);
    const cd_rows* r = &d->system;
    return (cd_plain_set){.nrow       = r->nrow,
                          .nblock     = r->nblock,
                          .gap        = d->firm ? 0 : d->rows.gap,
                          .wide       = d->firm ? 0 : d->rows.wide,
                          .misfit     = r->misfit,
                          .doubt      = r->doubt,
                          .sharp      = r->sharp,
                          .terms      = r->terms,
                          .enough     = r->enough,
                          .open       = r->open,
                          .gamma      = d->gamma,
                          .compliance = r->compliance};
}

cd_plain_block cd_plain_block_at(const cardan_data* d, int i)
{
    const cd_row_block* b = &d->system.block[i];
    return (cd_plain_block){b->row, b->nrow, b->nv, b->v, b->J, b->nend, b->link, &b->G->a.x};
}

const double* cd_plain_coordinates(const cardan_data* d) { return d->q; }

const double* cd_plain_memory(const cardan_data* d) { return d->closure.memory; }
