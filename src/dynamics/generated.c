// SPDX-License-Identifier: BSD-3-Clause
// Where generated code stands in for the formulation. It has the equations of the model as described; what a run
// changes about them, a stop that is reached, a constraint switched off, a pull towards closed loops, loads and motions
// from outside, is left to the formulation.
#include "dynamics/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double shaken = 1e-13;

bool cd_generated_serves(const cardan_data* d) { return d->generated && cd_generated_fits(d); }

bool cd_generated_fits(const cardan_data* d)
{
    if (d->near || d->loaded || d->some_off || d->pull > 0 || d->drag > 0) return false;
    for (int i = 0; d->held && i < d->m->nlaw; ++i)
        if (d->held[i].side != 0 && d->m->law[i].axis_law.stop_stiffness != 0) return false;
    for (int i = 0; i < d->m->nmotion; ++i)
        if (d->outer[i]) return false;
    return true;
}

double cd_generated_error(cardan_data* d, const double* a)
{
    if (!d->held || !cd_generated_serves(d)) return 0;
    double power;
    d->generated(d->q, d->v, d->outer_effort, d->state, d->t, d->x, d->state_rate, &power);
    if (isnan(d->x[0])) return 0; // it says itself that it is none here, and is not taken
    return cd_generated_beside(d, a, d->x);
}

// Accelerations at a state beside the one set, into a.
static cardan_status shake(cardan_data* d, const double* q, const double* v, const double* dq, double* q_near,
                           double* v_near, double* a)
{
    cardan_model_move(d->m, q, dq, q_near);
    for (int i = 0; i < d->m->nv; ++i) v_near[i] = v[i] * (i % 3 ? 1 + shaken : 1 - shaken);
    const cardan_status status = cd_data_set(d, d->t, q_near, v_near, d->state);
    return status == CARDAN_OK ? cardan_accelerate(d, a, NULL, NULL) : status;
}

// How much accelerations change where the state changes in the thirteenth digit: the largest of two such changes. The
// data stay where they are.
static double noise(cardan_data* d, const double* a)
{
    const size_t nq = (size_t)d->m->nq, nv = (size_t)d->m->nv;
    double*      q    = cd_allocate(2 * nq + 4 * nv + 1, sizeof *q);
    double       most = 0;
    if (!q) return 0;
    double *v = q + nq, *q_near = v + nv, *v_near = q_near + nq, *dq = v_near + nv, *b = dq + nv;
    memcpy(q, d->q, nq * sizeof *q);
    memcpy(v, d->v, nv * sizeof *v);
    for (int round = 0; round < 2; ++round) {
        for (size_t i = 0; i < nv; ++i) {
            const vec3   s    = d->k.S[i].a;
            const double unit = v3_dot(s, s) > 0 ? 1 : d->length;
            dq[i]             = shaken * unit * ((i >> round) % 2 ? 1 : -1);
        }
        if (shake(d, q, v, dq, q_near, v_near, b) != CARDAN_OK) continue;
        for (size_t i = 0; i < nv; ++i) most = fmax(most, fabs(a[i] - b[i]));
    }
    cd_data_set(d, d->t, q, v, d->state);
    cardan_accelerate(d, b, NULL, NULL);
    free(q);
    return most;
}

// Accelerations are sums that may cancel, to nothing on a slide across gravity; their terms are of this size [m/s^2, by
// length rad/s^2]: weight, and what turns along the largest length.
static double terms(const cardan_data* d)
{
    const double *g = d->m->view.gravity, few = 1e-2;
    double        turning = 0;
    for (int i = 0; i < d->m->nv; ++i)
        if (v3_dot(d->k.S[i].a, d->k.S[i].a) > 0) turning = fmax(turning, fabs(d->v[i]));
    return few * (sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) + d->length * turning * turning);
}

static double unit_of(const cardan_data* d, int i) { return v3_dot(d->k.S[i].a, d->k.S[i].a) > 0 ? 1 / d->length : 1; }

double cd_generated_beside(cardan_data* d, const double* a, const double* generated)
{
    const double size = terms(d);
    double       off = 0, largest = 0;
    for (int i = 0; i < d->m->nv; ++i) {
        off     = isfinite(generated[i]) ? fmax(off, fabs(generated[i] - a[i])) : INFINITY;
        largest = fmax(largest, fmax(fabs(a[i]), size * unit_of(d, i)));
    }
    if (off > 1e-8 * largest && isfinite(off)) largest = fmax(largest, 1e9 * noise(d, a));
    return off / (largest > 0 ? largest : 1);
}

static void look(double a, double b, double* off, double* largest)
{
    *off     = isfinite(a) ? fmax(*off, fabs(a - b)) : INFINITY;
    *largest = fmax(*largest, fabs(b));
}

double cd_generated_equations_error(cardan_data* d, double* scratch)
{
    const int     nv = d->m->nv, ns = d->m->nstate, nrow = d->rows.nrow, n = nv + ns + 3 * nrow;
    double *const value = scratch, *const c = value + nv + ns, *const expected = scratch + n,
                  *const none = scratch + 2 * n;
    double               off = 0, largest = 0, gap = 0, size = 1;
    if (!d->generated_equations || !cd_generated_fits(d) || cardan_residual(d, d->rest, expected) != CARDAN_OK)
        return 0;
    memset(none, 0, (size_t)n * sizeof *none);
    d->generated_equations(d->q, d->v, d->rest, d->outer_effort, d->state, d->t, none, value, value + nv, c, c + nrow,
                           c + 2 * nrow);
    double mass = 0;
    for (int i = 0; i < d->m->nlink; ++i) mass += d->m->link[i].m;
    for (int i = 0; i < nv; ++i) {
        look(value[i], expected[i], &off, &largest);
        largest = fmax(largest, mass * terms(d) / unit_of(d, i));
    }
    if (nrow > 0) cd_know_rows(d);
    for (int i = 0; i < nrow; ++i) {
        look(c[i], d->closure.value[i], &gap, &size);
        look(c[nrow + i], d->closure.rate[i], &gap, &size);
        look(c[2 * nrow + i], -d->gamma[i], &gap, &size);
    }
    return fmax(off / (largest > 0 ? largest : 1), gap / size);
}
