// SPDX-License-Identifier: BSD-3-Clause
// Runs whose laws of motion break off end there, with all results up to it: found before anything is stepped, told when
// it is reached. So are rates that jump, which steps may not pass over (instants.h).
#pragma once

#include "dynamics/law_breaks.h"

#include <cardan/simulate.h>

typedef struct cd_law_end {
    bool         breaks;
    cd_law_break at;
    double       near; // [s] before it, failures are its own
    cd_kink*     kink; // (nkink) until then
    int          nkink;
} cd_law_end;

// The run ends where a law does; CARDAN_BAD_INPUT, told, where that is at its start. To be released in any case.
cardan_status      cd_law_end_find(cd_law_end* end, cardan_data* d, cardan_run* run, cardan_report* report);
void               cd_law_end_release(cd_law_end* end);
static inline bool cd_law_near(const cd_law_end* end, double t) { return end->breaks && end->at.t - t <= end->near; }
// A failure at t is that of a law, and told: near where it breaks off rates and efforts grow without bound.
bool cd_law_ends(const cd_law_end* end, const cardan_data* d, double t, cardan_status status, cardan_report* report);
// What a run that ended with this status is to end with.
cardan_status cd_law_end_tell(const cd_law_end* end, cardan_data* d, cardan_status status, bool stopped,
                              cardan_report* report);
