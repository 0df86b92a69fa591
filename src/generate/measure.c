// SPDX-License-Identifier: BSD-3-Clause
// What generated code gains over the library at a state, and by how much it differs. The fastest of some rounds counts:
// others were disturbed.
#include "core/clock.h"
#include "core/arguments.h"
#include "dynamics/state_slopes.h"
#include "generate/library.h"

#include <cardan/derivatives.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// One evaluation by the data, as a run asks for it.
static cardan_status evaluate(cardan_data* d, double t, const double* q, const double* v, const double* state,
                              double* a, cardan_report* report)
{
    cardan_status status = cd_data_set(d, t, q, v, state);
    if (status == CARDAN_OK) status = cardan_accelerate(d, a, d->state_rate, report);
    if (status == CARDAN_OK) d->state_rate[d->m->nstate] = cd_power(d);
    return status;
}

// Derivatives by the data and by the library: (nv + nstate) rows, (2 nv + nstate) columns in blocks of both.
static cardan_status measure_slopes(const cardan_library* l, cardan_data* d, double t, cardan_library_gain* gain,
                                    cardan_report* report)
{
    enum { ROUNDS = 6 };
    const size_t        n = (size_t)d->m->nv, ns = (size_t)d->m->nstate, nn = n * n, all = (n + ns) * (2 * n + ns);
    double *            x = cd_allocate(2 * all + 1, sizeof *x), *y = x ? x + all : NULL, off = 0, largest = 0;
    cardan_derivatives* w      = NULL;
    cardan_status       status = x ? cardan_derivatives_create(d, &w, report) : CARDAN_NO_MEMORY;
    gain->slopes_runtime = gain->slopes_generated = INFINITY;
    double *const s = x + 2 * nn, *const g = s + n * ns;
    const cardan_forward_slopes slopes = {.a_q        = x,
                                          .a_v        = x + nn,
                                          .a_state    = ns ? s : NULL,
                                          .rate_q     = ns ? g : NULL,
                                          .rate_v     = ns ? g + n * ns : NULL,
                                          .rate_state = ns ? g + 2 * n * ns : NULL};
    for (int round = 0; status == CARDAN_OK && round < ROUNDS; ++round) {
        const double begin  = cd_clock_wall();
        status              = cardan_forward_derivatives(w, NULL, &slopes, report);
        const double middle = cd_clock_wall();
        l->slopes(d->q, d->v, d->rest, d->state, t, y, y + nn, y + 2 * nn, y + 2 * nn + n * ns, y + 2 * nn + 2 * n * ns,
                  y + 2 * nn + 3 * n * ns);
        gain->slopes_runtime   = fmin(gain->slopes_runtime, middle - begin);
        gain->slopes_generated = fmin(gain->slopes_generated, cd_clock_wall() - middle);
    }
    for (size_t i = 0; status == CARDAN_OK && i < all; ++i) {
        off     = isfinite(y[i]) ? fmax(off, fabs(x[i] - y[i])) : INFINITY;
        largest = fmax(largest, fabs(x[i]));
    }
    gain->slopes_off = off / (largest > 0 ? largest : 1);
    cardan_derivatives_destroy(w);
    free(x);
    return status;
}

static cardan_status measure_rates(const cardan_library* l, cardan_data* d, double t, const double* q, const double* v,
                                   const double* state, cardan_library_gain* gain, cardan_report* report)
{
    enum { ROUNDS = 12, TIMES = 4 };
    const int     nv = d->m->nv;
    double*       a  = cd_allocate(2 * (size_t)nv + 1, sizeof *a);
    double        power;
    cardan_status status = a ? CARDAN_OK : CARDAN_NO_MEMORY;
    for (int round = 0; status == CARDAN_OK && round < ROUNDS; ++round) {
        const double begin = cd_clock_wall();
        for (int i = 0; status == CARDAN_OK && i < TIMES; ++i) status = evaluate(d, t, q, v, state, a, report);
        const double middle = cd_clock_wall();
        for (int i = 0; i < TIMES; ++i) l->rate(d->q, d->v, d->rest, d->state, t, a + nv, d->state_rate, &power);
        gain->runtime   = fmin(gain->runtime, (middle - begin) / TIMES);
        gain->generated = fmin(gain->generated, (cd_clock_wall() - middle) / TIMES);
    }
    if (status == CARDAN_OK) gain->off = cd_generated_beside(d, a, a + nv);
    free(a);
    return status == CARDAN_OK && l->slopes ? measure_slopes(l, d, t, gain, report) : status;
}

// ---- equations

typedef struct equations {
    int     nv, ns, nrow;
    size_t  n, entries; // equations; numbers of all derivatives
    double *a, *lambda, *value[2], *slope[2], *scratch;
} equations;

static void by_library(const equations* e, cardan_data* d, double* r)
{
    cd_data_reach(d, d->t, d->q, d->v, d->state);
    cardan_residual(d, e->a, r);
    if (e->nrow == 0) return;
    cd_know_rows(d);
    cd_jacobian_transposed(d, &d->rows, e->lambda, r);
    cd_jacobian_times(d, &d->rows, e->a, r + e->nv + e->ns + 2 * e->nrow);
}

static void by_code(const cardan_library* l, const equations* e, const cardan_data* d, double* r)
{
    double* const c = r + e->nv + e->ns;
    l->equations(d->q, d->v, e->a, d->rest, d->state, d->t, e->lambda, r, r + e->nv, c, c + e->nrow, c + 2 * e->nrow);
}

static void slopes_by_code(const cardan_library* l, const equations* e, const cardan_data* d, double* to)
{
    const size_t block = e->n * (size_t)e->nv, rest = 2 * block + e->n * (size_t)e->ns;
    l->equation_slopes(d->q, d->v, e->a, d->rest, d->state, d->t, e->lambda, to, to + block, to + 2 * block, to + rest,
                       to + rest + (size_t)e->nv * (size_t)e->nv);
}

static double distance(size_t n, const double* x, const double* y)
{
    double off = 0, largest = 0;
    for (size_t i = 0; i < n; ++i) {
        off     = isfinite(y[i]) ? fmax(off, fabs(x[i] - y[i])) : INFINITY;
        largest = fmax(largest, fabs(x[i]));
    }
    return off / (largest > 0 ? largest : 1);
}

// At the accelerations and multipliers of the state.
static void compare_equations(const cardan_library* l, cardan_data* d, equations* e, cd_state_slopes* slopes,
                              cardan_library_gain* gain)
{
    enum { ROUNDS = 12, TIMES = 4 };
    const size_t block = e->n * (size_t)e->nv;
    for (int round = 0; round < ROUNDS; ++round) {
        const double begin = cd_clock_wall();
        for (int i = 0; i < TIMES; ++i) by_library(e, d, e->value[0]);
        const double middle = cd_clock_wall();
        for (int i = 0; i < TIMES; ++i) by_code(l, e, d, e->value[1]);
        gain->runtime   = fmin(gain->runtime, (middle - begin) / TIMES);
        gain->generated = fmin(gain->generated, (cd_clock_wall() - middle) / TIMES);
    }
    for (int round = 0; round < ROUNDS / 2; ++round) {
        const double begin = cd_clock_wall();
        cd_data_reach(d, d->t, d->q, d->v, d->state);
        cd_state_slopes_at(d, e->a, e->lambda, slopes, e->slope[0], e->slope[0] + block, e->slope[0] + 2 * block);
        const double middle = cd_clock_wall();
        slopes_by_code(l, e, d, e->slope[1]);
        gain->slopes_runtime   = fmin(gain->slopes_runtime, middle - begin);
        gain->slopes_generated = fmin(gain->slopes_generated, cd_clock_wall() - middle);
    }
    d->generated_equations = l->equations;
    gain->off              = cd_generated_equations_error(d, e->scratch);
    d->generated_equations = NULL;
    gain->slopes_off       = distance(2 * block + e->n * (size_t)e->ns, e->slope[0], e->slope[1]);
}

static void equations_layout(const cardan_data* d, cd_arena* arena, equations* e, cd_state_slopes* slopes)
{
    e->nv      = d->m->nv;
    e->ns      = d->m->nstate;
    e->nrow    = d->rows.nrow;
    e->n       = (size_t)(e->nv + e->ns + 3 * e->nrow);
    e->entries = e->n * (size_t)(2 * e->nv + e->ns) + (size_t)e->nv * (size_t)(e->nv + e->nrow);
    CD_TAKE(arena, e->a, e->nv);
    CD_TAKE(arena, e->lambda, e->nrow);
    CD_TAKE(arena, e->scratch, 3 * e->n);
    for (int i = 0; i < 2; ++i) {
        CD_TAKE(arena, e->value[i], e->n);
        CD_TAKE(arena, e->slope[i], e->entries);
    }
    cd_state_slopes_layout(d, arena, slopes);
}

static cardan_status measure_equations(const cardan_library* l, cardan_data* d, double t, const double* q,
                                       const double* v, const double* state, cardan_library_gain* gain,
                                       cardan_report* report)
{
    cd_arena        arena = {0};
    equations       e;
    cd_state_slopes slopes;
    gain->slopes_runtime = gain->slopes_generated = INFINITY;
    for (int pass = 0; pass < 2; ++pass) {
        equations_layout(d, &arena, &e, &slopes);
        if (pass == 0 && !cd_arena_reserve(&arena)) return CARDAN_NO_MEMORY;
    }
    cardan_status status = cd_data_set(d, t, q, v, state);
    if (status == CARDAN_OK) status = cardan_accelerate(d, e.a, d->state_rate, report);
    if (status == CARDAN_OK) {
        memcpy(e.lambda, d->lambda, (size_t)e.nrow * sizeof *e.lambda);
        compare_equations(l, d, &e, &slopes, gain);
    }
    cd_arena_release(&arena);
    return status;
}

// Both with stops open, as the code has them: where one is reached a run asks the library, and the code behind it.
cardan_status cardan_library_measure(const cardan_library* l, cardan_data* d, double t, const double* q,
                                     const double* v, const double* state, cardan_library_gain* gain,
                                     cardan_report* report)
{
    CD_REFUSE_NULL(gain, "gain", report);
    *gain = (cardan_library_gain){.runtime = INFINITY, .generated = INFINITY, .off = INFINITY};
    CD_REFUSE_NULL(l, "library", report);
    CD_REFUSE_NULL(d, "data", report);
    CD_REFUSE_NO_ARRAY(q, d->m->nq, "q", report);
    CD_REFUSE_NO_ARRAY(v, d->m->nv, "v", report);
    if (l->model != d->m)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_nowhere(),
                           "the library is of another model than the data");
    const cardan_status good = cardan_model_check_state(d->m, t, q, v, state, report);
    if (good != CARDAN_OK) return good;
    const cd_stop* const held = d->held;
    cd_stop* const       open = cd_allocate((size_t)d->m->nlaw + 1, sizeof *open);
    if (!open) return CARDAN_NO_MEMORY;
    d->held                    = open;
    const cardan_status status = l->kind == CARDAN_LIBRARY_EQUATIONS
                                     ? measure_equations(l, d, t, q, v, state, gain, report)
                                     : measure_rates(l, d, t, q, v, state, gain, report);
    d->held                    = held;
    free(open);
    const cardan_status back = cd_data_set(d, t, q, v, state); // with the stops of the state
    return status == CARDAN_OK ? back : status;
}
