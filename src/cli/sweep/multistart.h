// SPDX-License-Identifier: BSD-3-Clause
// A plan that is searched for from several guesses (cardan optimize --starts), over processes.
#pragma once

#include <cardan/optimize.h>

#include <stdbool.h>

// What one search ended with.
typedef struct cd_search_result {
    bool          is_done;
    cardan_status status;
    double        objective;
} cd_search_result;

// Searches that ended at the same place: optima of one cost, or failures of one status.
typedef struct cd_local_minimum {
    cardan_status status;
    double        objective; // NaN: no optimum
    int           count;     // of searches
    int           first;     // of their starts
} cd_local_minimum;

typedef struct cd_multistart {
    int               count, seed, workers;
    bool              quiet;
    int               selected, nfinished; // the start that is kept, -1: none; searches that ended by themselves
    cd_search_result* result;              // (count)
    cd_local_minimum* minimum;             // (nminimum) by cost, failures last
    int               nminimum;
    int               ncrashed; // starts without an outcome: the solver or the system ended their process
} cd_multistart;

// Searches from all guesses; the plan then has the outcome that is kept: the optimum of least cost, of equal ones that
// of the first start. Without any optimum it is that of the first start. The result does not depend on the number of
// workers. Returns the status of the search that is kept; CARDAN_STOPPED on request.
cardan_status cd_multistart_search(cd_multistart* starts, const char* name, cardan_ocp* ocp, cardan_report* report);
bool          cd_local_minimum_is_selected(const cd_multistart* starts, int minimum);
void          cd_multistart_free(cd_multistart* starts);
