// SPDX-License-Identifier: BSD-3-Clause
#include "motion/law_end.h"

#include <stdlib.h>

static const double near_part = 1e-3; // of the run

static cardan_status no_memory(cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                       "there is no memory for the laws of the run");
}

cardan_status cd_law_end_find(cd_law_end* end, cardan_data* d, cardan_run* run, cardan_report* report)
{
    *end = (cd_law_end){0};
    if (run->drive) return CARDAN_OK; // laws are given from outside
    if (!cd_law_breaks(d, run->start, run->end, &end->at, &end->breaks)) return no_memory(report);
    const double near = near_part * (run->end - run->start);
    const double last = end->breaks ? end->at.t - near : run->end;
    cd_law_break endless;
    bool         ended;
    end->nkink = cd_law_kinks(d, run->start, last, &end->kink, &endless, &ended, report);
    if (end->nkink < 0) return no_memory(report);
    if (ended) end->at = endless;
    end->breaks = end->breaks || ended;
    if (!end->breaks) return CARDAN_OK;
    if (!(end->at.t > run->start)) return cd_fail_law(d, &end->at, CARDAN_BAD_INPUT, report);
    end->near = near;
    run->end  = end->at.t;
    return CARDAN_OK;
}

void cd_law_end_release(cd_law_end* end) { free(end->kink); }

bool cd_law_ends(const cd_law_end* end, const cardan_data* d, double t, cardan_status status, cardan_report* report)
{
    if (!cd_law_near(end, t) || status == CARDAN_NO_MEMORY || status == CARDAN_STOPPED) return false;
    cd_fail_law(d, &end->at, status, report);
    return true;
}

cardan_status cd_law_end_tell(const cd_law_end* end, cardan_data* d, cardan_status status, bool stopped,
                              cardan_report* report)
{
    if (status != CARDAN_OK || stopped || !end->breaks) return status;
    return cd_fail_law(d, &end->at, CARDAN_NOT_CONVERGED, report);
}
