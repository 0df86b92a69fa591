// SPDX-License-Identifier: BSD-3-Clause
// Comparison of both engines on one mechanism: results are compared, then timed in interleaved rounds.
#pragma once

#include "clock.h"
#include "mechanism.h"

typedef enum quantity { INVERSE, MASS, FACTOR, SOLVE, FORWARD_CHOLESKY, FORWARD_ORDER_N, FORWARD, NQUANTITY } quantity;

extern const char* const quantity_name[NQUANTITY];

typedef struct race {
    char   title[48];
    char   family[16]; // "robot", "chain", "tree"
    int    nv, nlink, nbody, rounds;
    double inverse_error, forward_error; // difference of the engines, relative to the largest component
    double balance_error; // difference of the efforts and MuJoCo's inverse dynamics at Cardan's accelerations
    spread cardan[NQUANTITY], mujoco[NQUANTITY], ratio[NQUANTITY]; // [us], [us], [1]
} race;

// Run the comparison; `title` and `family` are copied. Fails with messages if an engine rejects the mechanism or
// results disagree.
cardan_status race_run(const cardan_description* d, const char* family, const char* title, race* out,
                       cardan_report* report);
