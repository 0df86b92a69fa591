// SPDX-License-Identifier: BSD-3-Clause
// Time on one core: processor time of this thread, so that other processes affect it through the caches only.
#pragma once

#include <stdbool.h>

// Pin this thread to its current core. Returns the number of the core, or -1 if that fails.
int clock_pin(void);

double clock_us(void);

// Return the time of one call [us], as mean over `calls`.
double clock_time(void (*work)(void*), void* on, int calls);

// Return the number of calls, at least one, that together take about `us`.
int clock_calls(void (*work)(void*), void* on, double us);

// Median and quartiles.
typedef struct spread {
    double low, middle, high;
} spread;

spread spread_of(const double* x, int n); // n up to SPREAD_MAX
enum { SPREAD_MAX = 256 };

// Steps of a run, timed from the end of the first to the end of the last, without allocation and output.
typedef struct clock_steps {
    int    wanted;      // number of steps after the first
    int    count;       // number of steps so far
    double reached;     // [s] time of the simulation
    double first, last; // [us] end of the first and of the last step
} clock_steps;

// Progress callback of a run with a clock_steps as user data: returns false, which ends the run, after the last step.
bool clock_step(void* steps, double t);
// Return the time of one step [us]; NAN if the run made too few steps.
double clock_per_step(const clock_steps* steps);
