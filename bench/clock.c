// SPDX-License-Identifier: BSD-3-Clause
// Time on one core; median and quartiles of many times.
#include "clock.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int clock_pin(void)
{
    const int core = sched_getcpu();
    cpu_set_t set;
    CPU_ZERO(&set);
    if (core < 0) return -1;
    CPU_SET((size_t)core, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? core : -1;
}

double clock_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

double clock_time(void (*work)(void*), void* on, int calls)
{
    const double start = clock_us();
    for (int i = 0; i < calls; ++i) work(on);
    return (clock_us() - start) / calls;
}

int clock_calls(void (*work)(void*), void* on, double us)
{
    clock_time(work, on, 1); // warm up
    int calls = 1;
    for (;;) {
        const double one = clock_time(work, on, calls);
        if (one * calls > us / 4) return (int)fmax(1, fmin(1e7, us / one));
        calls *= 4;
    }
}

static int compare(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double quantile(const double* sorted, int n, double part)
{
    const double at = part * (n - 1);
    const int    i  = (int)at;
    return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

spread spread_of(const double* x, int n)
{
    double sorted[SPREAD_MAX];
    if (n > SPREAD_MAX) n = SPREAD_MAX;
    memcpy(sorted, x, (size_t)n * sizeof *x);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    return (spread){quantile(sorted, n, 0.25), quantile(sorted, n, 0.5), quantile(sorted, n, 0.75)};
}

// Called after every step, and within long steps with the same t. The clock is read only twice, because reading it
// takes longer than the part of a step that belongs to one body.
bool clock_step(void* steps, double t)
{
    clock_steps* s = steps;
    if (t <= s->reached) return true;
    if (s->reached == 0) s->first = clock_us();
    s->reached = t;
    if (++s->count <= s->wanted) return true;
    s->last = clock_us();
    return false;
}

double clock_per_step(const clock_steps* s) { return s->count > s->wanted ? (s->last - s->first) / s->wanted : NAN; }
