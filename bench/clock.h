// SPDX-License-Identifier: BSD-3-Clause
// Time on one core: the processor time of this thread, so that others on the machine disturb through the caches only.
#pragma once

#include <stdbool.h>

// Stay on the core this thread runs on. Returns its number, or -1 where that is refused.
int clock_pin(void);

double clock_us(void);

// Time of one call [us]: the mean over `calls`.
double clock_time(void (*work)(void*), void* on, int calls);

// So many calls that they take about `us` together; at least one.
int clock_calls(void (*work)(void*), void* on, double us);

// Median and quartiles.
typedef struct spread {
    double low, middle, high;
} spread;

spread spread_of(const double* x, int n); // n up to SPREAD_MAX
enum { SPREAD_MAX = 256 };

// Steps of a run, timed between the ends of the first and the last, so that memory and rows do not count.
typedef struct clock_steps {
    int    wanted;      // behind the first
    int    count;       // so far
    double reached;     // [s]
    double first, last; // [us] when the first and the last ended
} clock_steps;

// The progress of a run whose user is a clock_steps: false, which ends the run, when all are counted.
bool clock_step(void* steps, double t);
// One of them [us]; NAN where they were not all made.
double clock_per_step(const clock_steps* steps);
