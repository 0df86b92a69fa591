// SPDX-License-Identifier: BSD-3-Clause
#include "motion/instants.h"

#include "motion/jump_times.h"

#include <math.h>
#include <stdlib.h>

static const double as_one = 64; // shortest steps: what rounding sets apart

// ---- all of them

// Those that touch are one.
static void add(cd_instants* list, cd_kink kink, bool strikes)
{
    cd_instant* last = list->count > 0 ? &list->at[list->count - 1] : NULL;
    if (!last || kink.before > last->after) {
        list->at[list->count++] = (cd_instant){kink.before, kink.after, strikes};
        return;
    }
    last->after = fmax(last->after, kink.after);
    last->strikes |= strikes;
}

static bool merge(cd_instants* list, int nkink, const cd_kink* kink, int njump, const cd_kink* jump)
{
    int i = 0, j = 0;
    if (nkink + njump == 0) return true;
    list->at = cd_allocate((size_t)nkink + (size_t)njump, sizeof *list->at);
    if (!list->at) return false;
    while (i < nkink || j < njump) {
        const bool strikes = j == njump || (i < nkink && kink[i].before < jump[j].before);
        add(list, strikes ? kink[i++] : jump[j++], strikes);
    }
    return true;
}

cardan_status cd_instants_find(cd_instants* list, const cd_law_end* end, cardan_data* d, const cardan_run* run,
                               cardan_report* report)
{
    cd_kink*  jump  = NULL;
    const int njump = cd_jump_times(d, run->start, run->end, run->output, &jump, report);
    *list           = (cd_instants){0};
    const bool good = njump >= 0 && merge(list, end->nkink, end->kink, njump, jump);
    free(jump);
    if (good) return CARDAN_OK;
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                       "there is no memory for the formulas of the run");
}

void cd_instants_release(cd_instants* list)
{
    free(list->at);
    *list = (cd_instants){0};
}

// ---- on the way

// The first that is not yet behind t.
static int next(const cd_instants* list, double t)
{
    int low = 0, high = list->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (list->at[middle].after > t)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

double cd_instant_limit(const cd_instants* list, double t)
{
    const int i = next(list, t);
    if (i == list->count) return INFINITY;
    return list->at[i].before > t ? list->at[i].before : list->at[i].after;
}

double cd_instant_behind(const cd_instants* list, double t)
{
    const int i = next(list, t);
    return i < list->count && list->at[i].before <= t ? list->at[i].after : t;
}

double cd_instant_since(const cd_instants* list, double t)
{
    const int i = next(list, t) - 1;
    return i >= 0 && list->at[i].after == t ? list->at[i].before : t;
}

cd_passed cd_instant_pass(const cd_instants* list, double least, double* t)
{
    cd_passed passed = CD_NONE_PASSED;
    for (int i = next(list, *t); i < list->count && *t >= list->at[i].before - as_one * least; ++i) {
        *t = list->at[i].after;
        if (passed != CD_RATE_PASSED) passed = list->at[i].strikes ? CD_RATE_PASSED : CD_FORMULA_PASSED;
    }
    return passed;
}

void cd_warn_weak_kink(double t, cardan_report* report)
{
    cardan_warn(report, CARDAN_CODE_DRIVER_VELOCITY_DISCONTINUITY, cardan_nowhere(),
                "at t = %.9g s the rate of a law jumps close to a singular pose, where a blow is not well determined: "
                "compare other formulations, or let the law pass the pose smoothly",
                t);
}
