// SPDX-License-Identifier: BSD-3-Clause
// What is measured: five robots, chains, binary trees; and the state they are measured in.
#pragma once

#include <cardan/cardan.h>

// Revolute joints with axes cycling z, y, x; links 0.5 m along x, radius 0.1 m, masses between 1 and 2 kg.
cardan_description* mechanism_chain(int njoint);
// The same links; the parent of i is (i - 1)/2, the joint at (0.5, +-0.1, 0) of the parent.
cardan_description* mechanism_tree(int njoint);

typedef struct robot {
    const char* title;
    const char* folder; // below models/robots
} robot;

int          robot_count(void);
const robot* robot_at(int i);
// From `folder`; NULL with sentences in the report where it cannot be read.
cardan_description* robot_load(const robot* r, const char* folder, cardan_report* report);

// A state, an acceleration and efforts, always the same for the same model.
typedef struct state {
    double *q, *v, *a, *tau;
} state;

state state_create(const cardan_model* m);
void  state_destroy(state* s);
