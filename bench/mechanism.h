// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms of the benchmarks: five robots, chains, binary trees; and the state at which they are measured.
#pragma once

#include <cardan/cardan.h>

// Generate a member of a family of `cardan make`; NULL if memory runs out or the family does not exist.
cardan_description* mechanism_make(const char* family, int n);

typedef struct robot {
    const char* title;
    const char* folder; // below models/robots
} robot;

int          robot_count(void);
const robot* robot_at(int i);
// Load a robot from `folder`; NULL with messages in the report if it cannot be read.
cardan_description* robot_load(const robot* r, const char* folder, cardan_report* report);

// State, accelerations and efforts, reproducible for a model.
typedef struct state {
    double *q, *v, *a, *tau;
} state;

state state_create(const cardan_model* m);
void  state_destroy(state* s);
