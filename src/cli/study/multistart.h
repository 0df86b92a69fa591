// SPDX-License-Identifier: BSD-3-Clause
// Multistart: solution of an OCP from several guesses in parallel processes (cardan optimize --starts).
#pragma once

#include <cardan/optimize.h>

#include <stdbool.h>

// Result of one search.
typedef struct cd_search_result {
    bool          is_done;
    cardan_status status;
    double        objective;
} cd_search_result;

// Searches with equal result: optima of equal cost, or failures with equal status.
typedef struct cd_local_minimum {
    cardan_status status;
    double        objective; // NaN: no optimum
    int           count;     // number of searches
    int           first;     // number of the first of them
} cd_local_minimum;

typedef struct cd_multistart {
    int               count, seed, workers;
    bool              quiet;
    int               selected, nfinished; // start of the returned solution, -1: none; completed searches
    cd_search_result* result;              // (count)
    cd_local_minimum* minimum;             // (nminimum) sorted by cost, failures last
    int               nminimum;
    int               ncrashed; // starts without result: the solver or the system ended the process
} cd_multistart;

// Solve the OCP from all guesses. `ocp` then contains the selected solution: the optimum of least cost, however small the
// difference, among equal ones that of the lowest start number; without any optimum the result of the first start. The
// result does not depend on the number of workers. Returns the status of the selected search; CARDAN_STOPPED after an interrupt.
cardan_status cd_multistart_search(cd_multistart* multistart, const char* name, cardan_ocp* ocp, cardan_report* report);
bool          cd_local_minimum_is_selected(const cd_multistart* multistart, int minimum);
void          cd_multistart_free(cd_multistart* multistart);
