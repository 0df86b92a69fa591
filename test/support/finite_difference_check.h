// SPDX-License-Identifier: BSD-3-Clause
// Constraints of a mechanism against differences along a random motion: rates from values, second derivatives from
// rates, J from values. Differences are of order six, so that most digits agree.
#pragma once

#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "random_tree.h"
#include "test.h"

enum { ROWS_MOST = 64, VELOCITIES_MOST = 128 };

typedef struct probe {
    cardan_data*        d;
    const cardan_model* m;
    double              t, q[2 * VELOCITIES_MOST], v[VELOCITIES_MOST], a[VELOCITIES_MOST];
    double              value[ROWS_MOST], rate[ROWS_MOST], second[ROWS_MOST], J[ROWS_MOST][VELOCITIES_MOST];
    double              worst_rate, worst_second, worst_twice, worst_J; // differences, relative to 1 or the value
    int                 jumps; // rows with a change of sign between the evaluations, which are not compared
} probe;

// State at tau: q0 moved by v tau + a tau^2 / 2, velocity v + a tau.
static inline void probe_go(probe* p, double tau, const double* velocity, const double* bend)
{
    double dq[VELOCITIES_MOST], q[2 * VELOCITIES_MOST], v[VELOCITIES_MOST];
    for (int i = 0; i < p->m->nv; ++i) {
        dq[i] = velocity[i] * tau + bend[i] * tau * tau / 2;
        v[i]  = p->v[i] + bend[i] * tau;
    }
    cardan_model_integrate_position(p->m, p->q, dq, q);
    cardan_data_set_state(p->d, p->t, q, v, NULL);
}

static inline void probe_at(probe* p, double tau)
{
    const double t = p->t;
    p->t += tau;
    probe_go(p, tau, p->v, p->a);
    p->t = t;
    cd_update_rows(p->d);
}

static inline double probe_worse(double worst, double x, double expected)
{
    const double error = fabs(x - expected) / fmax(1, fabs(expected));
    return error > worst || isnan(error) ? error : worst;
}

static const double first_difference[4]  = {0, 3.0 / 4, -3.0 / 20, 1.0 / 60};          // odd
static const double second_difference[4] = {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90}; // even

// Evaluates the library at the state, then compares. `positions`: nonholonomic rows have no values and are not compared
// there.
static inline void probe_rows(probe* p, double step)
{
    const cd_constraint_set* c = &p->d->constraints;
    const int                n = c->nrow, nv = p->m->nv;
    static double            value[7][ROWS_MOST], rate[7][ROWS_MOST];
    bool                     position[ROWS_MOST], jumped[ROWS_MOST] = {false};
    probe_at(p, 0);
    memset(p->J, 0, sizeof p->J);
    memcpy(p->value, c->value, (size_t)n * sizeof(double));
    memcpy(p->rate, c->rate, (size_t)n * sizeof(double));
    for (int i = 0; i < c->nconstraint; ++i) {
        const cd_row_block* b = &c->block[i];
        for (int r = 0; r < b->nrow; ++r) {
            position[b->row + r] = cd_constraint_row_is_holonomic(c, i, r);
            for (int k = 0; k < b->nv; ++k) p->J[b->row + r][b->v[k]] = b->J[r * b->nv + k];
        }
    }
    for (int r = 0; r < n; ++r) {
        p->second[r] = -p->d->solve.gamma[r];
        for (int v = 0; v < nv; ++v) p->second[r] += p->J[r][v] * p->a[v];
    }
    for (int k = -3; k <= 3; ++k) {
        probe_at(p, k * step);
        memcpy(value[k + 3], c->value, (size_t)n * sizeof(double));
        memcpy(rate[k + 3], c->rate, (size_t)n * sizeof(double));
        for (int r = 0; r < n; ++r) jumped[r] = jumped[r] || fabs(value[k + 3][r] - p->value[r]) > 0.3;
    }
    probe_at(p, 0);
    for (int r = 0; r < n; ++r) {
        double d1 = 0, d2 = 0, dr = 0;
        for (int k = -3; k <= 3; ++k) {
            const double odd = (k < 0 ? -1 : 1) * first_difference[abs(k)] / step;
            d1 += odd * value[k + 3][r];
            dr += odd * rate[k + 3][r];
            d2 += second_difference[abs(k)] * value[k + 3][r] / (step * step);
        }
        p->jumps += jumped[r];
        if (jumped[r]) continue;
        p->worst_second = probe_worse(p->worst_second, dr, p->second[r]);
        if (!position[r]) continue;
        p->worst_rate  = probe_worse(p->worst_rate, d1, p->rate[r]);
        p->worst_twice = probe_worse(p->worst_twice, d2, p->second[r]);
    }
    const double zero[VELOCITIES_MOST] = {0};
    for (int v = 0; v < nv; ++v) {
        double unit[VELOCITIES_MOST] = {0}, sum[ROWS_MOST] = {0};
        unit[v] = 1;
        for (int k = -3; k <= 3; ++k) {
            probe_go(p, k * step, unit, zero);
            cd_update_rows(p->d);
            for (int r = 0; r < n; ++r) sum[r] += (k < 0 ? -1 : 1) * first_difference[abs(k)] / step * c->value[r];
        }
        for (int r = 0; r < n; ++r)
            if (position[r] && !jumped[r]) p->worst_J = probe_worse(p->worst_J, sum[r], p->J[r][v]);
        // nonholonomic rows: the rate at v and without this velocity
        double other[VELOCITIES_MOST];
        memcpy(other, p->v, sizeof other);
        other[v] += 1;
        cardan_data_set_state(p->d, p->t, p->q, other, NULL);
        cd_update_rows(p->d);
        for (int r = 0; r < n; ++r) p->worst_J = probe_worse(p->worst_J, c->rate[r] - p->rate[r], p->J[r][v]);
    }
    probe_at(p, 0);
}
