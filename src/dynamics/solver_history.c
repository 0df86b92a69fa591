// SPDX-License-Identifier: BSD-3-Clause
// Reset of the solver history.
#include "dynamics/solver_history.h"

#include "dynamics/data.h"
#include "dynamics/state.h"

#include <string.h>

void cd_solver_history_reset(cardan_data* d)
{
    d->history     = (cd_solver_history){0};
    d->policy.rank = CD_RANK_BY_PIVOTS;
    if (d->constraints.nlossy > 0)
        memset(d->gear_losses.forward, 0, (size_t)d->constraints.nlossy * sizeof *d->gear_losses.forward);
    if (d->formulation && d->formulation->reset) d->formulation->reset(d->m, d->formulation_work);
    cd_data_set_time(d, d->t, d->state); // invalidates all cached quantities
    d->valid.correction  = false;
    d->valid.state_stale = true;
}
