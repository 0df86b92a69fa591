// SPDX-License-Identifier: BSD-3-Clause
// Search for discontinuities that depend on time only, before steps reach them. A run with an end is searched as a
// whole. A run without end is searched window by window; models without driver functions and without formulas that are
// discontinuous in time need one window only. A search allocates memory.
#pragma once

#include <cardan/dynamics.h>

typedef struct cd_simulation cd_simulation;

typedef struct cd_look_ahead {
    double t_end_given; // [s] end of the run in the settings; a breakpoint of a driver function may end it earlier
    double from, to;    // [s] the window that was searched
    bool   is_endless;  // more windows follow
} cd_look_ahead;

// Search from the start of the run.
cardan_status cd_look_ahead_start(cd_simulation* s, cardan_data* data);
// Make sure that the window contains t, at which the run begins anew.
cardan_status cd_look_ahead_restart(cd_simulation* s, double t);
// Search the next window if the next step may leave the last one.
cardan_status cd_look_ahead_continue(cd_simulation* s);
