// SPDX-License-Identifier: BSD-3-Clause
// A plan that is searched for from several guesses (cardan optimize --starts), over processes.
#pragma once

#include <cardan/optimize.h>

#include <stdbool.h>

// What one search ended with.
typedef struct cd_start_end {
    bool          done;
    cardan_status status;
    double        objective;
} cd_start_end;

// Searches that ended at the same place: optima of one cost, or failures of one status.
typedef struct cd_minimum {
    cardan_status status;
    double        objective; // NaN: no optimum
    int           count;     // of searches
    int           first;     // of their starts
} cd_minimum;

typedef struct cd_starts {
    int           count, seed, workers;
    bool          quiet;
    int           kept, done; // the start that is kept, -1: none; searches that ended by themselves
    cd_start_end* end;        // (count)
    cd_minimum*   minimum;    // (nminimum) by cost, failures last
    int           nminimum;
    int           nlost;      // starts without an outcome: the solver or the system ended their process
} cd_starts;

// Searches from all guesses; the plan then has the outcome that is kept: the optimum of least cost, of equal ones that
// of the first start. Without any optimum it is that of the first start. The result does not depend on the number of
// workers. Returns the status of the search that is kept; CARDAN_STOPPED on request.
cardan_status cd_starts_search(cd_starts* starts, const char* name, cardan_plan* plan, cardan_report* report);
bool          cd_minimum_is_kept(const cd_starts* starts, int minimum);
void          cd_starts_free(cd_starts* starts);
