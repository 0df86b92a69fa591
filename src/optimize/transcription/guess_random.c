// SPDX-License-Identifier: BSD-3-Clause
// Random guesses around the guess of the task. With the fraction s = 0..1 of the horizon, each
// coordinate is displaced to
//
//   q(s) = guess(s) + sum over m = 1..3 of c_m sin(m pi s),      |c_m| <= spread * width / (2 m^2)
//
// where width is the range between the bounds of the coordinate; without bounds it is pi for angles, and for
// translations the larger of the design length of the mechanism and the distance covered by the guess. The sum
// vanishes at both ends. The configurations at the ends are displaced by up to spread * width / 2 in the coordinates
// that no condition fixes; the last one is then moved to the nearest one that satisfies the end conditions
// (guess_end_configuration.c). Velocities and accelerations are the derivatives of q(s). A free horizon is
// multiplied by 2^x, |x| <= spread.
//
// spread = 0.2..1, c_m, the displacements and x are random numbers that depend only on the seed and
// the number of the guess.
#include "optimize/transcription/guess_random.h"

#include "core/check_arguments.h"
#include "core/memory.h"
#include "dynamics/data.h"
#include "dynamics/unit_scales.h"
#include "model/model.h"
#include "optimize/transcription/loop_projection.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846, min_amplitude_scale = 0.2;

// ---- random numbers: SplitMix64 (Steele, Lea, Flood 2014)

static uint64_t next_bits(uint64_t* state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z          = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z          = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// State of the generator for one guess. Mixing the seed first separates the streams of neighbouring seeds and numbers.
static uint64_t random_stream(unsigned seed, int number)
{
    uint64_t state = seed;
    state          = next_bits(&state) ^ (uint64_t)number;
    return next_bits(&state);
}

// Uniform in [-1, 1).
static double random_uniform(uint64_t* state) { return (double)(next_bits(state) >> 11) * 0x1p-52 - 1; }

// ---- displacement

static double coordinate_range(const cardan_ocp* p, int v, double distance)
{
    const cardan_model* m     = p->task->model;
    const double        range = p->task->q_upper[v] - p->task->q_lower[v];
    const cd_link*      link  = &m->link[m->v_link[v]];
    if (isfinite(range)) return range;
    if (p->q_of_v[v] < 0 || (link->nv == 1 && link->motion != CD_PRISMATIC)) return pi;
    return fmax(cd_design_length(m), fabs(distance));
}

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// Displace a configuration in the coordinates that no condition of the list fixes, within their
// bounds there and on the path.
static void displace_configuration(const cardan_ocp* p, cd_random_displacement* d, const cd_conditions* list, double* q)
{
    for (int i = 0; i < p->n; ++i) {
        bool fixed = false;
        d->y[i]    = d->amplitude_scale * d->range[i] / 2 * random_uniform(&d->rng);
        for (int c = 0; c < list->count; ++c) {
            const cd_condition* at = &list->list[c];
            fixed                  = fixed || (at->kind == CD_CONDITION_Q && at->velocity_index == i &&
                              (at->lower == at->upper || p->q_of_v[i] < 0));
        }
        if (fixed) d->y[i] = 0;
    }
    cardan_model_integrate_position(p->task->model, q, d->y, d->q);
    for (int i = 0; i < p->n; ++i) {
        const int k = p->q_of_v[i];
        if (k < 0 || d->y[i] == 0) continue;
        d->q[k] = clamp(d->q[k], p->task->q_lower[i], p->task->q_upper[i]);
        for (int c = 0; c < list->count; ++c)
            if (list->list[c].kind == CD_CONDITION_Q && list->list[c].velocity_index == i)
                d->q[k] = clamp(d->q[k], list->list[c].lower, list->list[c].upper);
    }
    memcpy(q, d->q, (size_t)p->nq * sizeof *q);
}

static cardan_status displace_ends(cardan_ocp* p, cd_random_displacement* d, cardan_report* report)
{
    cd_loop_projection* projection = NULL;
    const cardan_status status     = cd_loop_projection_create(p->task, &projection, report);
    if (status == CARDAN_OK) {
        displace_configuration(p, d, &p->task->start, p->q_first);
        displace_configuration(p, d, &p->task->end, p->q_last);
        cd_loop_projection_assemble(projection, 0, &p->task->start, p->q_first);
        cd_loop_projection_assemble(projection, p->h * p->N, &p->task->end, p->q_last);
    }
    cd_loop_projection_destroy(projection);
    return status;
}

static bool allocate_work(const cardan_ocp* p, cd_random_displacement* d)
{
    const size_t n = (size_t)p->n, nq = (size_t)p->nq;
    d->range = cd_allocate((4 + CD_HARMONICS) * n + nq + 1, sizeof *d->range);
    if (!d->range) return false;
    d->amplitude = d->range + n, d->y = d->amplitude + CD_HARMONICS * n, d->dy = d->y + n, d->ddy = d->dy + n,
    d->q = d->ddy + n;
    return true;
}

static void draw_amplitudes(const cardan_ocp* p, cd_random_displacement* d)
{
    cardan_model_position_difference(p->task->model, p->q_first, p->q_last, d->y);
    d->amplitude_scale = min_amplitude_scale + (1 - min_amplitude_scale) * (1 + random_uniform(&d->rng)) / 2;
    for (int i = 0; i < p->n; ++i) {
        d->range[i] = coordinate_range(p, i, d->y[i]);
        for (int m = 1; m <= CD_HARMONICS; ++m)
            d->amplitude[i * CD_HARMONICS + m - 1] =
                d->amplitude_scale * d->range[i] / (2 * m * m) * random_uniform(&d->rng);
    }
}

void cd_random_displacement_apply(const cardan_ocp* p, const cd_random_displacement* d, double fraction, double* q,
                                  double* v)
{
    const double T = p->h * p->N;
    for (int i = 0; i < p->n; ++i) {
        d->y[i] = d->dy[i] = d->ddy[i] = 0;
        for (int m = 1; m <= CD_HARMONICS; ++m) {
            const double c = d->amplitude[i * CD_HARMONICS + m - 1], rate = m * pi / T;
            d->y[i] += c * sin(m * pi * fraction);
            d->dy[i] += c * rate * cos(m * pi * fraction);
            d->ddy[i] -= c * rate * rate * sin(m * pi * fraction);
        }
    }
    cardan_model_integrate_position(p->task->model, q, d->y, d->q);
    memcpy(q, d->q, (size_t)p->nq * sizeof *q);
    for (int i = 0; i < p->n; ++i) {
        const int k = p->q_of_v[i];
        v[i] += d->dy[i];
        if (k < 0 || (q[k] >= p->task->q_lower[i] && q[k] <= p->task->q_upper[i])) continue;
        q[k] = clamp(q[k], p->task->q_lower[i], p->task->q_upper[i]); // it stays at the bound
        v[i] = d->ddy[i] = 0;
    }
}

// Reset unknowns that the guess of the task does not set to zero, and discard the multipliers.
static void reset_guess(cardan_ocp* p)
{
    const size_t n = (size_t)p->nlp.n * sizeof(double), m = (size_t)p->nlp.m * sizeof(double);
    memset(p->nlp.x_start, 0, n);
    memset(p->solution.lambda_lower, 0, n);
    memset(p->solution.lambda_upper, 0, n);
    memset(p->solution.lambda, 0, m);
    p->has_optimum = p->has_multipliers = p->warm_started = false;
}

cardan_status cardan_ocp_set_guess(cardan_ocp* p, unsigned seed, int number, cardan_report* report)
{
    CD_REQUIRE_POINTER(p, "ocp", report);
    CD_REQUIRE_INDEX(number, INT_MAX, "number", report);
    const size_t           size   = (size_t)p->nq * sizeof(double);
    const double           h      = p->h;
    cd_random_displacement d      = {.rng = random_stream(seed, number)};
    double*                before = cd_allocate(2 * (size_t)p->nq + 1, sizeof *before);
    cardan_status          status = before && allocate_work(p, &d) ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (status != CARDAN_OK) cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, p->task->location, "out of memory");
    if (status == CARDAN_OK) {
        memcpy(before, p->q_first, size);
        memcpy(before + p->nq, p->q_last, size);
        reset_guess(p);
        if (number > 0) {
            draw_amplitudes(p, &d);
            if (p->horizon >= 0)
                p->h = clamp(h * exp2(d.amplitude_scale * random_uniform(&d.rng)), p->task->horizon_lower / p->N,
                             p->task->horizon_upper / p->N);
            status          = displace_ends(p, &d, report);
            p->displacement = &d;
        }
        if (status == CARDAN_OK) status = cd_ocp_guess_trajectory(p, report);
        memcpy(p->solution.x, p->nlp.x_start, (size_t)p->nlp.n * sizeof(double));
        memcpy(p->q_first, before, size);
        memcpy(p->q_last, before + p->nq, size);
        p->h            = h;
        p->displacement = NULL;
    }
    free(before);
    free(d.range);
    return status;
}
