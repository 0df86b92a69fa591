// SPDX-License-Identifier: BSD-3-Clause
// Constraints switched off and on, number of threads.
//
// The rows of a disabled constraint are zero, with zero right-hand sides: every formulation that supports redundant
// rows then finds null pivots and zero multipliers there, with an unchanged sparsity pattern.
#include "dynamics/rows/constraint_enable.h"

#include "core/check_arguments.h"
#include "dynamics/state.h"

#include <string.h>

enum { MAX_THREADS = 4096 };

void cd_zero_disabled_values(cardan_data* d)
{
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        for (int k = 0; d->settings.is_constraint_disabled[i] && k < c->nrow; ++k)
            d->constraints.value[c->first_row + k] = d->constraints.rate[c->first_row + k] = 0;
    }
}

void cd_zero_disabled_rows(cardan_data* d)
{
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_row_block* b = &d->rows.block[i];
        if (!d->settings.is_constraint_disabled[i]) continue;
        if (d->constraints.has_joint_rows) {
            memset(b->J, 0, (size_t)(b->nrow * b->nv) * sizeof *b->J);
            memset(d->constraints.row_norm_sq + b->row, 0, (size_t)b->nrow * sizeof *d->constraints.row_norm_sq);
        }
        memset(b->G, 0, (size_t)(b->nrow * b->nend) * sizeof *b->G);
        memset(d->solve.gamma + b->row, 0, (size_t)b->nrow * sizeof *d->solve.gamma);
    }
}

cardan_status cardan_data_enable_constraint(cardan_data* d, const char* name, bool on, cardan_report* report)
{
    CD_REQUIRE_POINTER(d, "data", report);
    CD_REQUIRE_POINTER(name, "name", report);
    bool known = false;
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        if (strcmp(d->constraints.constraint[i].name, name) != 0 || cd_constraint_is_drivable(d, i)) continue;
        d->settings.is_constraint_disabled[i] = !on;
        known                                 = true;
    }
    if (!known)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "'%s' cannot be switched: '%s' has no constraint of this name in the formulation '%s'", name,
                           d->m->view.name, d->formulation->name);
    d->settings.has_disabled_constraint = false;
    for (int i = 0; i < d->constraints.nconstraint; ++i)
        d->settings.has_disabled_constraint |= d->settings.is_constraint_disabled[i];
    d->history.all_motions_determined = false;
    cd_invalidate_rows(d);
    return CARDAN_OK;
}

cardan_status cardan_data_set_threads(cardan_data* d, int count, cardan_report* report)
{
    CD_REQUIRE_POINTER(d, "data", report);
    if (count > MAX_THREADS)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "%d threads are too many: the maximum is %d", count, MAX_THREADS);
    if (count < 1)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "%d threads are too few: the minimum is 1", count);
    if (!d->formulation || !d->formulation->set_threads) return CARDAN_OK;
    d->formulation->set_threads(d->formulation_work, NULL);
    cd_threads_destroy(d->memory.threads);
    d->memory.threads = cd_threads_create(count);
    if (count > 1 && !d->memory.threads)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_NO_THREADS, cardan_location_none(),
                           "the system cannot create more than one thread");
    d->formulation->set_threads(d->formulation_work, d->memory.threads);
    return CARDAN_OK;
}
