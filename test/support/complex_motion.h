// SPDX-License-Identifier: BSD-3-Clause
// A mechanism in complex numbers: kinematics and constraints at a state moved by i eps along a motion, so that
// imaginary parts are eps times derivatives, to all digits.
#pragma once

#include "constraint/constraint_set.h"
#include "random_tree.h"
#include "test.h"

enum { MOST_ROWS = 64, MOST_VELOCITIES = 128, MOST_COORDINATES = 256 };

static const double eps = 1e-40;

typedef struct moved {
    const cardan_model* m;
    cd_arena            arena;
    cd_kinematics       k;
    cd_world_motion     world;
    cd_constraint_set   closure;
    double t0, q0[MOST_COORDINATES], v0[MOST_VELOCITIES], a0[MOST_VELOCITIES]; // state, velocity and acceleration
    real   t, q[MOST_COORDINATES], v[MOST_VELOCITIES];
    double memory[MOST_ROWS * CD_CONSTRAINT_HISTORY_SIZE]; // at the state, for all evaluations near it
} moved;

static inline void moved_layout(moved* s)
{
    cd_kinematics_layout(s->m, &s->arena, &s->k);
    cd_world_layout(s->m, &s->arena, &s->world);
    cd_constraint_set_layout(s->m, true, &s->arena, &s->closure);
}

static inline bool moved_create(const cardan_model* m, moved* s)
{
    *s = (moved){.m = m, .t0 = 0.37};
    moved_layout(s);
    if (!cd_arena_reserve(&s->arena)) return false;
    moved_layout(s);
    s->closure.q = s->q;
    return m->nq_joint <= MOST_COORDINATES && m->nv_joint <= MOST_VELOCITIES && s->closure.nrow <= MOST_ROWS &&
           s->closure.nconstraint <= MOST_ROWS;
}

static inline void moved_destroy(moved* s) { cd_arena_release(&s->arena); }

// Move positions along dv, velocities along da and time by dt, each times i eps; then evaluate everything.
static inline void moved_to(moved* s, const double* dv, const double* da, double dt)
{
    double qdot[MOST_COORDINATES] = {0};
    if (dv) cardan_model_position_rate(s->m, s->q0, dv, qdot);
    s->t = (real){s->t0, eps * dt};
    for (int i = 0; i < s->m->nq_joint; ++i) s->q[i] = (real){s->q0[i], i < s->m->nq ? eps * qdot[i] : 0};
    for (int i = 0; i < s->m->nv; ++i) s->v[i] = (real){s->v0[i], da ? eps * da[i] : 0};
    for (int i = 0; i < s->closure.nconstraint * CD_CONSTRAINT_HISTORY_SIZE; ++i)
        s->closure.history[i] = r_const(s->memory[i]);
    cd_forward_kinematics(s->m, &s->k, s->q);
    cd_world_poses(s->m, &s->k, s->v, &s->world);
    cd_constraint_set_evaluate_drivers(s->m, s->t, &s->closure);
    cd_constraint_set_evaluate(&s->world, &s->closure);
}

// Evaluate the state itself; winding numbers, foot points and derived coordinates are kept for later evaluations.
static inline void moved_settle(moved* s)
{
    for (int i = 0; i < s->m->nq_joint - s->m->nq; ++i) s->q0[s->m->nq + i] = s->m->q_off_tree_start[i];
    cd_constraint_set_reset(&s->closure);
    for (int i = 0; i < s->closure.nconstraint * CD_CONSTRAINT_HISTORY_SIZE; ++i)
        s->memory[i] = r_value(s->closure.history[i]);
    for (int pass = 0; pass < 2; ++pass) {
        moved_to(s, NULL, NULL, 0);
        for (int i = s->m->nq; i < s->m->nq_joint; ++i) s->q0[i] = r_value(s->q[i]);
        for (int i = 0; i < s->closure.nconstraint * CD_CONSTRAINT_HISTORY_SIZE; ++i)
            s->memory[i] = r_value(s->closure.history[i]);
    }
}

static inline void moved_state(moved* s, uint64_t seed)
{
    dice d = {seed};
    random_state(&d, s->m, s->q0, s->v0);
    for (int i = 0; i < s->m->nv; ++i) s->a0[i] = dice_range(&d, -3, 3);
}

static inline double slope(real x) { return x.im / eps; }

// Difference relative to a size, or to 1 if that is less.
static inline double off_by(double worst, double x, double expected, double size)
{
    const double error = fabs(x - expected) / fmax(1, size);
    return error > worst || isnan(error) ? error : worst;
}
