// SPDX-License-Identifier: BSD-3-Clause
// What is measured: five robots, chains, binary trees; and the state they are measured in.
#pragma once

#include <cardan/cardan.h>

// A member of a family of `cardan make`; NULL without memory or without such a family.
cardan_description* mechanism_make(const char* family, int n);

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
