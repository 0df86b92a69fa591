// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/rank/solver_history.h"

#include <string.h>

void cd_solver_history_reset(cardan_data* d)
{
    const cd_formulation* f = d->formulation;
    if (f && f->reset) f->reset(d->m, d->formulation_work);
    d->policy.rank                 = CD_RANK_BY_PIVOTS;
    d->use_sharp_rank_test         = false;
    d->conditioning                = (cd_pivot_conditioning){0};
    d->max_min_pivot_rel           = 0;
    d->position_scale              = 0;
    d->row_unit_inverse_valid      = false;
    d->undetermined.all_determined = false;
    if (d->constraints.nlossy > 0)
        memset(d->gear_losses.forward, 0, (size_t)d->constraints.nlossy * sizeof *d->gear_losses.forward);
    d->factor_valid = d->has_factor = d->solution_valid = d->correction_valid = false;
    d->state_stale                                                            = true;
}
