// SPDX-License-Identifier: BSD-3-Clause
// Constraint rows of the data in plain doubles, for code compiled with another number type.
#include "dynamics/formulation_choice/double_rows.h"

#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"

cd_double_row_set cd_double_rows(cardan_data* d)
{
    cd_update_rows(d);
    cd_update_gamma_scale(d);
    const cd_rows* r = &d->solver_rows;
    return (cd_double_row_set){.nrow                   = r->nrow,
                               .nblock                 = r->nblock,
                               .violation              = d->assume_full_rank ? 0 : d->rows.violation,
                               .unscaled_violation     = d->assume_full_rank ? 0 : d->rows.unscaled_violation,
                               .redundancy_error       = r->redundancy_error,
                               .pivot_floor            = r->pivot_floor,
                               .rank_tolerance_factor  = r->rank_tolerance_factor,
                               .gamma_scale            = r->gamma_scale,
                               .residual_tolerance     = r->residual_tolerance,
                               .row_residual_tolerance = r->row_residual_tolerance,
                               .gamma                  = d->gamma,
                               .compliance             = r->compliance};
}

cd_double_row_block cd_double_block_at(const cardan_data* d, int i)
{
    const cd_row_block* b = &d->solver_rows.block[i];
    return (cd_double_row_block){b->row, b->nrow, b->nv, b->v, b->J, b->nend, b->link, &b->G->a.x};
}

const double* cd_double_coordinates(const cardan_data* d) { return d->q; }

const double* cd_double_history(const cardan_data* d) { return d->constraints.history; }
