// SPDX-License-Identifier: BSD-3-Clause
// Past states (t, q, v, user states) of the viewer, in one block that is allocated at the start. When it is full, every
// second entry is dropped, so that it reaches back to the start with a longer interval.
#pragma once

#include <stdbool.h>

typedef struct cd_history {
    int     size;            // numbers of an entry
    int     count, capacity; // entries
    double  interval;        // [s] between entries
    double* entry;           // (capacity x size), times first
} cd_history;

// For states of `nstate` numbers at `interval` seconds. Returns false if there is no memory.
bool cd_history_open(cd_history* history, int nstate, double interval);
void cd_history_close(cd_history* history);
void cd_history_clear(cd_history* history);
// Add the state at time t, if it is at least an interval behind the last one. Returns the entry to be filled behind its
// time, or NULL.
double* cd_history_add(cd_history* history, double t);
// Drop the entries behind time t.
void cd_history_cut(cd_history* history, double t);
// Index of the last entry that is not behind t; 0 if all are; -1 if there is none.
int           cd_history_find(const cd_history* history, double t);
const double* cd_history_at(const cd_history* history, int i);
