// SPDX-License-Identifier: BSD-3-Clause
// Time and difference of generated code and library at a state. The shortest time of several rounds counts, because the
// others contain interruptions.
#include "core/clock.h"
#include "core/check_arguments.h"
#include "dynamics/derivatives/state_jacobian.h"
#include "dynamics/energy.h"
#include "dynamics/generated_evaluation.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/state.h"
#include "generate/compiled/compiled_code.h"
#include "generate/routine/result_difference.h"

#include <cardan/derivatives.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// One evaluation by the library, as in a run.
static cardan_status evaluate(cardan_data* d, double t, const double* q, const double* v, const double* state,
                              double* a, cardan_report* report)
{
    cardan_status status = cd_data_set_state(d, t, q, v, state);
    if (status == CARDAN_OK) status = cardan_data_accelerate(d, a, d->scratch.state_rate, report);
    if (status == CARDAN_OK) d->scratch.state_rate[d->m->nstate] = cd_nonconservative_power(d);
    return status;
}

static double relative_difference(size_t n, const double* expected, const double* x)
{
    cd_result_difference found = {0};
    cd_result_difference_add(&found, n, x, expected);
    return found.difference / cd_result_difference_scale(&found);
}

// Derivatives by the library and by the generated code: (nv + nstate) rows, (2 nv + nstate) columns, in blocks of each
// result.
static cardan_status measure_jacobian(const cardan_compiled_code* l, cardan_data* d, double t,
                                      cardan_compiled_code_speedup* speedup, cardan_report* report)
{
    enum { ROUNDS = 6 };
    const size_t        n = (size_t)d->m->nv, ns = (size_t)d->m->nstate, nn = n * n, all = (n + ns) * (2 * n + ns);
    double *            x = cd_allocate(2 * all + 1, sizeof *x), *y = x ? x + all : NULL;
    cardan_derivatives* w              = NULL;
    cardan_status       status         = x ? cardan_derivatives_create(d, &w, report) : CARDAN_NO_MEMORY;
    speedup->jacobian_interpreted_time = speedup->jacobian_compiled_time = INFINITY;
    double *const s = x + 2 * nn, *const g = s + n * ns;
    const cardan_forward_dynamics_jacobians state_jacobian = {.a_q        = x,
                                                              .a_v        = x + nn,
                                                              .a_state    = ns ? s : NULL,
                                                              .rate_q     = ns ? g : NULL,
                                                              .rate_v     = ns ? g + n * ns : NULL,
                                                              .rate_state = ns ? g + 2 * n * ns : NULL};
    for (int round = 0; status == CARDAN_OK && round < ROUNDS; ++round) {
        const double begin  = cd_clock_wall();
        status              = cardan_derivatives_of_forward_dynamics(w, NULL, &state_jacobian, report);
        const double middle = cd_clock_wall();
        l->rhs_jacobian(d->q, d->v, d->scratch.zero_nv, d->state, t, y, y + nn, y + 2 * nn, y + 2 * nn + n * ns,
                        y + 2 * nn + 2 * n * ns, y + 2 * nn + 3 * n * ns);
        speedup->jacobian_interpreted_time = fmin(speedup->jacobian_interpreted_time, middle - begin);
        speedup->jacobian_compiled_time    = fmin(speedup->jacobian_compiled_time, cd_clock_wall() - middle);
    }
    speedup->jacobian_max_difference = status == CARDAN_OK ? relative_difference(all, x, y) : 0;
    cardan_derivatives_destroy(w);
    free(x);
    return status;
}

static cardan_status measure_rates(const cardan_compiled_code* l, cardan_data* d, double t, const double* q,
                                   const double* v, const double* state, cardan_compiled_code_speedup* speedup,
                                   cardan_report* report)
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
        for (int i = 0; i < TIMES; ++i)
            l->rhs(d->q, d->v, d->scratch.zero_nv, d->state, t, a + nv, d->scratch.state_rate, &power);
        speedup->interpreted_time = fmin(speedup->interpreted_time, (middle - begin) / TIMES);
        speedup->compiled_time    = fmin(speedup->compiled_time, (cd_clock_wall() - middle) / TIMES);
    }
    if (status == CARDAN_OK) speedup->max_difference = cd_compare_generated_accelerations(d, a, a + nv);
    free(a);
    return status == CARDAN_OK && l->rhs_jacobian ? measure_jacobian(l, d, t, speedup, report) : status;
}

// ---- equations

typedef struct equation_work {
    int     nv, ns, nrow;
    size_t  n, entries; // equations; entries of all derivatives
    double *a, *lambda, *value[2], *jacobian[2], *scratch;
} equation_work;

static void equations_by_runtime(const equation_work* e, cardan_data* d, double* r)
{
    cd_data_set_state_if_changed(d, d->t, d->q, d->v, d->state);
    cardan_data_residual(d, e->a, r);
    if (e->nrow == 0) return;
    cd_update_rows(d);
    cd_add_jacobian_transposed_times(d, &d->rows, e->lambda, r);
    cd_jacobian_times(d, &d->rows, e->a, r + e->nv + e->ns + 2 * e->nrow);
}

static void equations_by_code(const cardan_compiled_code* l, const equation_work* e, const cardan_data* d, double* r)
{
    double* const c = r + e->nv + e->ns;
    l->residual(d->q, d->v, e->a, d->scratch.zero_nv, d->state, d->t, e->lambda, r, r + e->nv, c, c + e->nrow,
                c + 2 * e->nrow);
}

static void jacobian_by_code(const cardan_compiled_code* l, const equation_work* e, const cardan_data* d,
                             double* target)
{
    const size_t block = e->n * (size_t)e->nv, after_jacobians = 2 * block + e->n * (size_t)e->ns;
    l->residual_jacobian(d->q, d->v, e->a, d->scratch.zero_nv, d->state, d->t, e->lambda, target, target + block,
                         target + 2 * block, target + after_jacobians,
                         target + after_jacobians + (size_t)e->nv * (size_t)e->nv);
}

// Compare at the accelerations and multipliers of the state.
static void compare_equations(const cardan_compiled_code* l, cardan_data* d, equation_work* e,
                              cd_state_jacobian* state_jacobian, cardan_compiled_code_speedup* speedup)
{
    enum { ROUNDS = 12, TIMES = 4 };
    const size_t block = e->n * (size_t)e->nv;
    for (int round = 0; round < ROUNDS; ++round) {
        const double begin = cd_clock_wall();
        for (int i = 0; i < TIMES; ++i) equations_by_runtime(e, d, e->value[0]);
        const double middle = cd_clock_wall();
        for (int i = 0; i < TIMES; ++i) equations_by_code(l, e, d, e->value[1]);
        speedup->interpreted_time = fmin(speedup->interpreted_time, (middle - begin) / TIMES);
        speedup->compiled_time    = fmin(speedup->compiled_time, (cd_clock_wall() - middle) / TIMES);
    }
    for (int round = 0; round < ROUNDS / 2; ++round) {
        const double begin = cd_clock_wall();
        cd_data_set_state_if_changed(d, d->t, d->q, d->v, d->state);
        cd_state_jacobian_compute(d, e->a, e->lambda, state_jacobian, e->jacobian[0], e->jacobian[0] + block,
                                  e->jacobian[0] + 2 * block);
        const double middle = cd_clock_wall();
        jacobian_by_code(l, e, d, e->jacobian[1]);
        speedup->jacobian_interpreted_time = fmin(speedup->jacobian_interpreted_time, middle - begin);
        speedup->jacobian_compiled_time    = fmin(speedup->jacobian_compiled_time, cd_clock_wall() - middle);
    }
    d->compiled.residual    = l->residual;
    speedup->max_difference = cd_generated_residual_error(d, e->scratch);
    d->compiled.residual    = NULL;
    speedup->jacobian_max_difference =
        relative_difference(2 * block + e->n * (size_t)e->ns, e->jacobian[0], e->jacobian[1]);
}

static void equations_layout(const cardan_data* d, cd_arena* arena, equation_work* e, cd_state_jacobian* state_jacobian)
{
    e->nv      = d->m->nv;
    e->ns      = d->m->nstate;
    e->nrow    = d->rows.nrow;
    e->n       = (size_t)(e->nv + e->ns + 3 * e->nrow);
    e->entries = e->n * (size_t)(2 * e->nv + e->ns) + (size_t)e->nv * (size_t)(e->nv + e->nrow);
    CD_ARENA_ARRAY(arena, e->a, e->nv);
    CD_ARENA_ARRAY(arena, e->lambda, e->nrow);
    CD_ARENA_ARRAY(arena, e->scratch, 3 * e->n);
    for (int i = 0; i < 2; ++i) {
        CD_ARENA_ARRAY(arena, e->value[i], e->n);
        CD_ARENA_ARRAY(arena, e->jacobian[i], e->entries);
    }
    cd_state_jacobian_layout(d, arena, state_jacobian);
}

static cardan_status measure_equations(const cardan_compiled_code* l, cardan_data* d, double t, const double* q,
                                       const double* v, const double* state, cardan_compiled_code_speedup* speedup,
                                       cardan_report* report)
{
    cd_arena          arena = {0};
    equation_work     e;
    cd_state_jacobian state_jacobian;
    speedup->jacobian_interpreted_time = speedup->jacobian_compiled_time = INFINITY;
    for (int pass = 0; pass < 2; ++pass) {
        equations_layout(d, &arena, &e, &state_jacobian);
        if (pass == 0 && !cd_arena_reserve(&arena)) return CARDAN_NO_MEMORY;
    }
    cardan_status status = cd_data_set_state(d, t, q, v, state);
    if (status == CARDAN_OK) status = cardan_data_accelerate(d, e.a, d->scratch.state_rate, report);
    if (status == CARDAN_OK) {
        memcpy(e.lambda, d->solve.lambda, (size_t)e.nrow * sizeof *e.lambda);
        compare_equations(l, d, &e, &state_jacobian, speedup);
    }
    cd_arena_release(&arena);
    return status;
}

// Measure both with inactive stops, as in the generated code: where a stop is active, a run uses the library.
cardan_status cardan_compiled_code_measure(const cardan_compiled_code* l, cardan_data* d, double t, const double* q,
                                           const double* v, const double* state, cardan_compiled_code_speedup* speedup,
                                           cardan_report* report)
{
    CD_REQUIRE_POINTER(speedup, "speedup", report);
    *speedup = (cardan_compiled_code_speedup){
        .interpreted_time = INFINITY, .compiled_time = INFINITY, .max_difference = INFINITY};
    CD_REQUIRE_POINTER(l, "code", report);
    CD_REQUIRE_POINTER(d, "data", report);
    CD_REQUIRE_ARRAY(q, d->m->nq, "q", report);
    CD_REQUIRE_ARRAY(v, d->m->nv, "v", report);
    if (l->model != d->m)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "compiled code and data belong to different models");
    const cardan_status state_status = cardan_model_check_state(d->m, t, q, v, state, report);
    if (state_status != CARDAN_OK) return state_status;
    const cd_stop_state* const frozen   = d->settings.frozen_stops;
    cd_stop_state* const       inactive = cd_allocate((size_t)d->m->njoint_force + 1, sizeof *inactive);
    if (!inactive) return CARDAN_NO_MEMORY;
    d->settings.frozen_stops   = inactive;
    const cardan_status status = l->kind == CARDAN_COMPILED_RESIDUAL
                                     ? measure_equations(l, d, t, q, v, state, speedup, report)
                                     : measure_rates(l, d, t, q, v, state, speedup, report);
    d->settings.frozen_stops   = frozen;
    free(inactive);
    const cardan_status restored = cd_data_set_state(d, t, q, v, state); // with the stops of the state
    return status == CARDAN_OK ? restored : status;
}
