// SPDX-License-Identifier: BSD-3-Clause
// Failure of a computation as data. Functions of dynamics fill it; explain/explain.h finds the cause and reports it.
#pragma once

#include <cardan/status.h>

typedef struct cd_failure {
    cardan_status status;
    cardan_code   code;           // kind of the failure; STATUS_ONLY: nothing to report
    int           row, velocity;  // constraint row and velocity at which the solve failed, or CARDAN_NONE
    double        residual;       // of the row [m/s^2, rad/s^2], if it was computed
    bool          velocity_level; // of a projection
    double        t;              // [s]
} cd_failure;
