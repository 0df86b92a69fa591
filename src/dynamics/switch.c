// SPDX-License-Identifier: BSD-3-Clause
// Constraints switched off and on, threads, and what pivots tell: how the equations of one simulation are solved.
//
// The rows of a constraint that is off are zero, with zero right sides: every formulation that takes dependent rows
// then finds null pivots there and zero multipliers, in the pattern it has.
#include "dynamics/data.h"
#include "core/arguments.h"

#include <string.h>

enum { MOST_THREADS = 4096 };

void cd_silence_values(cardan_data* d)
{
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        for (int k = 0; d->off[i] && k < c->nrow; ++k)
            d->closure.value[c->first_row + k] = d->closure.rate[c->first_row + k] = 0;
    }
}

void cd_silence_rows(cardan_data* d)
{
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_row_block* b = &d->rows.block[i];
        if (!d->off[i]) continue;
        if (d->closure.ways) {
            memset(b->J, 0, (size_t)(b->nrow * b->nv) * sizeof *b->J);
            memset(d->closure.square + b->row, 0, (size_t)b->nrow * sizeof *d->closure.square);
        }
        memset(b->G, 0, (size_t)(b->nrow * b->nend) * sizeof *b->G);
        memset(d->gamma + b->row, 0, (size_t)b->nrow * sizeof *d->gamma);
    }
}

void cd_forget_rows(cardan_data* d)
{
    d->closure_known = d->rows_known = d->gamma_known = d->factored = d->factor_held = d->solved = false;
}

cardan_status cardan_data_switch(cardan_data* d, const char* name, bool on, cardan_report* report)
{
    CD_REFUSE_NULL(d, "data", report);
    CD_REFUSE_NULL(name, "name", report);
    bool known = false;
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        if (strcmp(d->closure.constraint[i].name, name) != 0) continue;
        d->off[i] = !on;
        known     = true;
    }
    if (!known)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_nowhere(),
                           "'%s' cannot be switched: no constraint of '%s' has this name, as '%s' solves it", name,
                           d->m->view.name, d->formulation->name);
    d->some_off = false;
    for (int i = 0; i < d->closure.nconstraint; ++i) d->some_off |= d->off[i];
    d->determined.known = false;
    cd_forget_rows(d);
    return CARDAN_OK;
}

cardan_status cardan_data_set_threads(cardan_data* d, int count, cardan_report* report)
{
    CD_REFUSE_NULL(d, "data", report);
    if (count > MOST_THREADS)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_nowhere(),
                           "%d threads are too many: at most %d", count, MOST_THREADS);
    if (count < 1)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_nowhere(),
                           "%d threads cannot work: at least one must", count);
    if (!d->formulation || !d->formulation->share) return CARDAN_OK;
    d->formulation->share(d->work, NULL);
    cd_threads_destroy(d->threads);
    d->threads = cd_threads_create(count);
    if (count > 1 && !d->threads)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_NO_THREADS, cardan_nowhere(),
                           "the system gives no thread beside the first");
    d->formulation->share(d->work, d->threads);
    return CARDAN_OK;
}

int cardan_null_rows(cardan_data* d, int most, int* row, double* ratio)
{
    cd_where where = {.v = CARDAN_NONE, .row = CARDAN_NONE};
    double   found = 1;
    int      count = 0;
    if (!d || (most > 0 && !row)) return -1;
    if (!d->formulation || !d->formulation->pivots || cd_know_factor(d, &where) != CARDAN_OK) return -1;
    d->formulation->pivots(d->m, &d->system, d->work, d->null_row, &found);
    for (int i = 0; i < d->closure.nconstraint; ++i)
        for (int k = 0; k < d->closure.constraint[i].nrow; ++k) {
            const int r = d->closure.constraint[i].first_row + k;
            if (!d->null_row[r] || d->off[i]) continue;
            if (count < most) row[count] = r;
            ++count;
        }
    if (ratio) *ratio = found;
    return count;
}
