// SPDX-License-Identifier: BSD-3-Clause
// Runs of models with contacts that record their events.
#pragma once

#include "fixture.h"

#include <math.h>

enum { MODEL_EVENTS_MAX = 4000, MODEL_BODIES_MAX = 64 };

static const double g = 9.81;

typedef struct contact_run {
    fixture            f;
    cardan_run_summary summary;
    cardan_event       event[MODEL_EVENTS_MAX];
    int                nevent;
    long               nsample;
    void (*at_sample)(struct contact_run* r, const cardan_sample* s); // or NULL; the data are at the sample
    double observed[4];                                               // by at_sample
} contact_run;

static inline void contact_run_event(void* user, cardan_data* data, const cardan_event* event)
{
    contact_run* r = user;
    (void)data;
    if (r->nevent < MODEL_EVENTS_MAX) r->event[r->nevent++] = *event;
}

static inline bool contact_run_sample(void* user, cardan_data* data, const cardan_sample* s)
{
    contact_run* r = user;
    (void)data;
    if (r->at_sample) r->at_sample(r, s);
    ++r->nsample;
    return true;
}

// Run the model until `end` with a setting of a parameter (NULL: none). The caller closes r->f also after false.
static inline bool contact_run_until(contact_run* r, const char* path, const char* formulation, const char* parameter,
                                     const char* value, double end)
{
    const cardan_parameter_setting setting = {parameter, value};
    r->nevent = 0, r->nsample = 0;
    if (!fixture_open(&r->f, path, formulation, parameter ? 1 : 0, &setting)) return false;
    cardan_run_settings run = cardan_run_default();
    run.end                 = end;
    run.output_interval     = end / 400;
    run.tolerance           = 1e-10;
    run.event_callback      = contact_run_event;
    run.sample_callback     = contact_run_sample;
    run.user                = r;
    const bool good         = cardan_simulate(r->f.data, &run, &r->summary, &r->f.report) == CARDAN_OK;
    for (int i = 0; i < r->f.report.count && !good; ++i) printf("%s\n", r->f.report.message[i].text);
    if (!good) printf("%s, %s\n", path, formulation);
    CHECK(good);
    CHECK(r->nevent < MODEL_EVENTS_MAX);
    return good;
}

static inline int contact_run_count(const contact_run* r, cardan_event_kind kind)
{
    int n = 0;
    for (int i = 0; i < r->nevent; ++i) n += r->event[i].kind == kind;
    return n;
}

// The k-th event of a kind, from 0. A missing event fails the test; its time is NAN.
static inline const cardan_event* contact_run_event_of(const contact_run* r, cardan_event_kind kind, int k)
{
    static const cardan_event none = {.t = NAN, .speed = NAN, .value = NAN};
    for (int i = 0; i < r->nevent; ++i)
        if (r->event[i].kind == kind && k-- == 0) return &r->event[i];
    printf("there is no event %d of this kind\n", k);
    CHECK(false);
    return &none;
}

// Motion of a body at the state of the data; a: accelerations, or NULL.
static inline cardan_motion body_motion(const contact_run* r, const char* name, const double* a)
{
    cardan_motion m[MODEL_BODIES_MAX];
    CHECK(cardan_description_get_view(r->f.description).nbody <= MODEL_BODIES_MAX);
    cardan_data_body_motions(r->f.data, a, m);
    return m[fixture_body(&r->f, name)];
}

static inline void body_position(const contact_run* r, const char* name, double p[3])
{
    const cardan_motion m = body_motion(r, name, NULL);
    memcpy(p, m.p, sizeof m.p);
}

// Angle about axis k of a body that turns about this axis only, in (-pi, pi].
static inline double body_angle(const contact_run* r, const char* name, int k)
{
    const cardan_motion m = body_motion(r, name, NULL);
    const double        c = m.q[0], s = m.q[1 + k];
    return atan2(2 * c * s, c * c - s * s);
}

// Root of f between a and b, where f changes its sign, by bisection.
static inline double find_root(double (*f)(double x, void* user), void* user, double a, double b)
{
    const double sign = f(a, user);
    for (int i = 0; i < 200; ++i) {
        const double c = 0.5 * (a + b);
        if (f(c, user) * sign > 0)
            a = c;
        else
            b = c;
    }
    return 0.5 * (a + b);
}

// One step of the classical method of fourth order.
static inline void rk4_step(void (*f)(const double* x, double* dx, void* user), void* user, double* x, int n, double h)
{
    double k[4][16], y[16];
    f(x, k[0], user);
    for (int s = 1; s < 4; ++s) {
        for (int i = 0; i < n; ++i) y[i] = x[i] + (s == 3 ? h : h / 2) * k[s - 1][i];
        f(y, k[s], user);
    }
    for (int i = 0; i < n; ++i) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}
