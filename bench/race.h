// SPDX-License-Identifier: BSD-3-Clause
// One mechanism, both engines: checked against each other, then timed in interleaved rounds.
#pragma once

#include "clock.h"
#include "mechanism.h"

typedef enum quantity { INVERSE, MASS, FACTOR, SOLVE, FORWARD_CHOLESKY, FORWARD_ORDER_N, FORWARD, NQUANTITY } quantity;

extern const char* const quantity_name[NQUANTITY];

typedef struct race {
    char   title[48];
    char   family[16]; // "robot", "chain", "tree"
    int    nv, nlink, nbody, rounds;
    double inverse_error, forward_error; // of the engines against each other, relative to the largest component
    double balance_error;                // MuJoCo's inverse dynamics of Cardan's accelerations against the efforts
    spread cardan[NQUANTITY], mujoco[NQUANTITY], ratio[NQUANTITY]; // [us], [us], [1]
} race;

// `title` and `family` are copied. A status with sentences where an engine refuses or the two disagree.
cardan_status race_run(const cardan_description* d, const char* family, const char* title, race* out,
                       cardan_report* report);
