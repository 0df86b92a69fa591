// SPDX-License-Identifier: BSD-3-Clause
// Past states of the viewer: entries (t, numbers) in one block that is allocated at the start. When it is full, every
// second entry of the older three quarters is dropped: the past reaches back to the start, and the older it is, the
// longer are the intervals.
#pragma once

#include <stdbool.h>

typedef struct cd_history {
    int     size;            // numbers of an entry
    int     count, capacity; // entries
    double  interval;        // [s] least time between entries
    double* entry;           // (capacity x size), times first
} cd_history;

// For entries of a time and `nvalue` numbers, at least `interval` seconds apart. Returns false if there is no memory.
bool cd_history_open(cd_history* history, int nvalue, double interval);
void cd_history_close(cd_history* history);
void cd_history_clear(cd_history* history);
// Add an entry at time t, if it is at least an interval behind the last one. Returns the numbers to be filled behind its
// time, or NULL.
double* cd_history_add(cd_history* history, double t);
// Drop the entries at time t and behind it.
void cd_history_cut(cd_history* history, double t);
// Copy the entries before time t to `to`, which has entries of the same size.
void cd_history_copy_before(const cd_history* history, double t, cd_history* to);
// Index of the last entry that is not behind t; 0 if all are; -1 if there is none.
int           cd_history_find(const cd_history* history, double t);
const double* cd_history_at(const cd_history* history, int i);
// Time of the first and of the last entry, `otherwise` if there is none.
double cd_history_begin(const cd_history* history, double otherwise);
double cd_history_end(const cd_history* history, double otherwise);
