// SPDX-License-Identifier: BSD-3-Clause
// Comparison of two engines on one mechanism at one state.
//
// Every round times everything once, a few milliseconds each, so that changes of the machine's speed affect both sides;
// a ratio is the median over all rounds of the ratio within a round.
#include "engine_comparison.h"

#include "engine.h"
#include "peer.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char* const quantity_name[NQUANTITY] = {"inverse dynamics",  "mass matrix",      "factorization",   "solve",
                                              "forward, cholesky", "forward, order-n", "forward dynamics"};

static const double tolerance = 1e-8;
static const double batch_us  = 2000;
enum { ROUNDS = 31 };

typedef enum leg {
    C_INVERSE,
    M_INVERSE,
    C_MASS,
    M_MASS,
    C_MASS_FACTOR,
    M_FACTOR,
    C_SOLVE,
    M_SOLVE,
    C_CHOLESKY,
    M_FORWARD,
    C_ORDER_N,
    NLEG
} leg;

typedef struct runner {
    void (*work)(void*);
    void*  on;
    int    calls;
    double us[ROUNDS];
} runner;

typedef struct pair {
    cardan_model* m;
    state         s;
    engine *      cholesky, *order_n;
    peer*         mujoco;
    double*       x; // (nv)
} pair;

static double largest(const double* x, int n)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

static double difference(const double* x, const double* y, int n)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i] - y[i]));
    return most / fmax(largest(y, n), 1e-300);
}

// Efforts must agree; accelerations must satisfy MuJoCo's equations, a test that does not depend on the condition of
// the mass matrix.
static cardan_status agree(const pair* p, race* out, cardan_report* report)
{
    const int nv = out->nv;
    engine_inverse_dynamics(p->cholesky);
    peer_inverse_dynamics(p->mujoco);
    peer_efforts(p->mujoco, p->x);
    out->inverse_error = difference(engine_efforts(p->cholesky), p->x, nv);
    const double scale = largest(p->x, nv);

    engine_forward(p->cholesky);
    engine_forward(p->order_n);
    peer_forward(p->mujoco);
    peer_accelerations(p->mujoco, p->x);
    out->forward_error = fmax(difference(engine_accelerations(p->cholesky), p->x, nv),
                              difference(engine_accelerations(p->order_n), p->x, nv));

    engine* const forward[2] = {p->cholesky, p->order_n};
    for (int k = 0; k < 2; ++k) {
        peer_set_acceleration(p->mujoco, engine_accelerations(forward[k]));
        peer_inverse_dynamics(p->mujoco);
        peer_efforts(p->mujoco, p->x);
        for (int i = 0; i < nv; ++i) p->x[i] -= p->s.tau[i];
        out->balance_error = fmax(out->balance_error, largest(p->x, nv) / scale);
    }
    peer_set_acceleration(p->mujoco, p->s.a);
    if (out->inverse_error < tolerance && out->balance_error < tolerance) return CARDAN_OK;
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_FORMULATIONS_DISAGREE, cardan_location_none(),
                       "%s: the engines disagree: efforts by %.1e, accelerations by %.1e, residual %.1e", out->title,
                       out->inverse_error, out->forward_error, out->balance_error);
}

static void run_rounds(runner* legs, race* out)
{
    double slowest = 0;
    for (int k = 0; k < NLEG; ++k) {
        legs[k].calls = clock_calls(legs[k].work, legs[k].on, batch_us);
        if (legs[k].calls == 1) slowest = fmax(slowest, clock_time(legs[k].work, legs[k].on, 1));
    }
    out->rounds = slowest > 3e5 ? 3 : slowest > 2e4 ? 7 : ROUNDS;
    for (int r = 0; r < out->rounds; ++r)
        for (int k = 0; k < NLEG; ++k) legs[k].us[r] = clock_time(legs[k].work, legs[k].on, legs[k].calls);
}

static void conclude(race* out, quantity what, const double* cardan, const double* mujoco)
{
    double ratio[ROUNDS];
    for (int r = 0; r < out->rounds; ++r) ratio[r] = cardan[r] / mujoco[r];
    out->cardan[what] = spread_of(cardan, out->rounds);
    out->mujoco[what] = spread_of(mujoco, out->rounds);
    out->ratio[what]  = spread_of(ratio, out->rounds);
}

static void time_all(const pair* p, race* out)
{
    runner legs[NLEG] = {
        [C_INVERSE]     = {.work = engine_inverse_dynamics, .on = p->cholesky},
        [M_INVERSE]     = {.work = peer_inverse_dynamics, .on = p->mujoco},
        [C_MASS]        = {.work = engine_mass_matrix, .on = p->cholesky},
        [M_MASS]        = {.work = peer_mass_matrix, .on = p->mujoco},
        [C_MASS_FACTOR] = {.work = engine_mass_and_factor, .on = p->cholesky},
        [M_FACTOR]      = {.work = peer_factor, .on = p->mujoco},
        [C_SOLVE]       = {.work = engine_solve, .on = p->cholesky},
        [M_SOLVE]       = {.work = peer_solve, .on = p->mujoco},
        [C_CHOLESKY]    = {.work = engine_forward, .on = p->cholesky},
        [M_FORWARD]     = {.work = peer_forward, .on = p->mujoco},
        [C_ORDER_N]     = {.work = engine_forward, .on = p->order_n},
    };
    run_rounds(legs, out);

    // Cardan factors in place: its time is that of matrix and factor minus that of the matrix.
    double factor[ROUNDS];
    for (int r = 0; r < out->rounds; ++r) factor[r] = legs[C_MASS_FACTOR].us[r] - legs[C_MASS].us[r];

    conclude(out, INVERSE, legs[C_INVERSE].us, legs[M_INVERSE].us);
    conclude(out, MASS, legs[C_MASS].us, legs[M_MASS].us);
    conclude(out, FACTOR, factor, legs[M_FACTOR].us);
    conclude(out, SOLVE, legs[C_SOLVE].us, legs[M_SOLVE].us);
    conclude(out, FORWARD_CHOLESKY, legs[C_CHOLESKY].us, legs[M_FORWARD].us);
    conclude(out, FORWARD_ORDER_N, legs[C_ORDER_N].us, legs[M_FORWARD].us);
    const bool better = out->cardan[FORWARD_ORDER_N].middle < out->cardan[FORWARD_CHOLESKY].middle;
    conclude(out, FORWARD, legs[better ? C_ORDER_N : C_CHOLESKY].us, legs[M_FORWARD].us);
}

cardan_status race_run(const cardan_description* d, const char* family, const char* title, race* out,
                       cardan_report* report)
{
    pair p = {0};
    *out   = (race){0};
    snprintf(out->title, sizeof out->title, "%s", title);
    snprintf(out->family, sizeof out->family, "%s", family);
    cardan_status status = cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &p.m, report);
    if (status == CARDAN_OK) {
        const cardan_model_view look = cardan_model_get_view(p.m);
        out->nv                      = look.nv;
        out->nlink                   = look.nlink;
        p.s                          = state_create(p.m);
        p.x                          = cd_allocate((size_t)look.nv, sizeof *p.x);
        p.cholesky                   = engine_create(p.m, "cholesky", &p.s, report);
        p.order_n                    = engine_create(p.m, "order-n", &p.s, report);
        p.mujoco                     = peer_create(p.m, &p.s, report);
        status = p.s.q && p.x && p.cholesky && p.order_n && p.mujoco ? CARDAN_OK : CARDAN_UNSUPPORTED;
    }
    if (status == CARDAN_OK) {
        out->nbody = peer_bodies(p.mujoco);
        status     = agree(&p, out, report);
    }
    if (status == CARDAN_OK) time_all(&p, out);
    peer_destroy(p.mujoco);
    engine_destroy(p.order_n);
    engine_destroy(p.cholesky);
    free(p.x);
    state_destroy(&p.s);
    cardan_model_destroy(p.m);
    return status;
}
