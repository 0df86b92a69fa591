// SPDX-License-Identifier: BSD-3-Clause
// Constraint rows of the data in plain doubles, for code compiled with another number type.
#include "dynamics/formulation_choice/double_rows.h"

#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"

cd_double_row_set cd_double_rows(cardan_data* d)
{
    cd_update_rows(d);
    cd_update_gamma_scale(d);
    const cd_rows*    r           = &d->solver_rows;
    cd_double_row_set set         = {.nrow        = r->nrow,
                                     .nblock      = r->nblock,
                                     .policy      = d->policy,
                                     .gamma_scale = r->gamma_scale,
                                     .gamma       = d->solve.gamma,
                                     .compliance  = r->compliance};
    set.policy.violation          = d->settings.assume_full_rank ? 0 : d->violations.position;
    set.policy.unscaled_violation = d->settings.assume_full_rank ? 0 : d->violations.position_si;
    return set;
}

cd_double_row_block cd_double_block_at(const cardan_data* d, int i)
{
    const cd_row_block* b = &d->solver_rows.block[i];
    return (cd_double_row_block){b->row, b->nrow, b->nv, b->v, b->J, b->nend, b->link, &b->G->a.x};
}

const double* cd_double_coordinates(const cardan_data* d) { return d->q; }

const double* cd_double_history(const cardan_data* d) { return d->constraints.history; }
