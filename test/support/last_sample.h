// SPDX-License-Identifier: BSD-3-Clause
// Last sample of a run, for comparisons of runs bit by bit.
#pragma once

#include "fixture.h"

enum { VALUES_MAX = 4000 };

// Last sample of a run, and how many there were.
typedef struct last_sample {
    int    nq, nv, ns;
    long   count, events;
    double t, value[VALUES_MAX]; // q, v, state
} last_sample;

static inline bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    (void)data;
    last_sample* last = user;
    ++last->count;
    last->t = sample->t;
    memcpy(last->value, sample->q, (size_t)last->nq * sizeof(double));
    memcpy(last->value + last->nq, sample->v, (size_t)last->nv * sizeof(double));
    memcpy(last->value + last->nq + last->nv, sample->state, (size_t)last->ns * sizeof(double));
    return true;
}

static inline void count_event(void* user, cardan_data* data, const cardan_event* event)
{
    (void)data, (void)event;
    ++((last_sample*)user)->events;
}

static inline cardan_run_settings settings(const fixture* f, const char* integrator, double end, last_sample* last)
{
    cardan_run_settings run = cardan_run_default();
    *last                   = (last_sample){.nq = f->m.nq, .nv = f->m.nv, .ns = f->m.nstate};
    run.integrator          = cardan_integrator_find(integrator);
    run.end                 = end;
    run.output_interval     = 0.01;
    run.sample_callback     = keep_sample;
    run.event_callback      = count_event;
    run.user                = last;
    return run;
}

static inline bool same_bits(const last_sample* x, const last_sample* y)
{
    return x->t == y->t && x->count == y->count && x->events == y->events &&
           memcmp(x->value, y->value, (size_t)(x->nq + x->nv + x->ns) * sizeof(double)) == 0;
}

static inline double difference(const last_sample* x, const last_sample* y)
{
    double largest = fabs(x->t - y->t);
    for (int i = 0; i < x->nq + x->nv + x->ns; ++i)
        largest = fmax(largest, fabs(x->value[i] - y->value[i]) / fmax(1, fabs(x->value[i])));
    return largest;
}
