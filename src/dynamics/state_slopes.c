// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/state_slopes.h"

#include <string.h>

void cd_state_slopes_layout(const cardan_data* d, cd_arena* arena, cd_state_slopes* s)
{
    const cardan_model* m    = d->m;
    const int           nrow = d->rows.nrow;
    s->r                     = 0;
    s->g                     = m->nv;
    s->c                     = s->g + m->nstate;
    s->rate                  = s->c + nrow;
    s->gamma                 = s->rate + nrow;
    s->n                     = s->gamma + nrow;
    s->plain = d->closure.nconstraint == 0 && d->rotors.nconstraint == 0 && m->view.nforce == 0 && m->nstate == 0 &&
               m->nmeasured == 0;
    cd_dual_layout(m, arena, &s->dual);
    cd_colouring_layout(d, arena, &s->colouring);
    cd_inverse_derivatives_layout(m, arena, &s->inertia);
    CD_TAKE(arena, s->law_q, CD_JOINT_COLUMNS * m->nv);
    CD_TAKE(arena, s->law_v, CD_JOINT_COLUMNS * m->nv);
    CD_TAKE(arena, s->right, m->nv);
    CD_TAKE(arena, s->gap, d->system.nrow);
}

// Wrenches from outside keep their axes while links turn.
static bool is_pushed(const cardan_data* d)
{
    for (int i = 0; d->loaded && i < d->m->nbody; ++i) {
        const spatial w = d->outer_wrench[i];
        if (w.a.x != 0 || w.a.y != 0 || w.a.z != 0 || w.l.x != 0 || w.l.y != 0 || w.l.z != 0) return true;
    }
    return false;
}

static void subtract_laws(const cardan_data* d, const cd_state_slopes* s, double* by_q, double* by_v)
{
    const cardan_model* m = d->m;
    const size_t        n = (size_t)s->n;
    for (int v = 0; v < m->nv; ++v) {
        const cd_link* link = &m->link[m->v_link[v]];
        for (int i = 0; i < link->nv; ++i) {
            by_q[(size_t)(link->v + i) * n + (size_t)v] -= s->law_q[CD_JOINT_COLUMNS * v + i];
            by_v[(size_t)(link->v + i) * n + (size_t)v] -= s->law_v[CD_JOINT_COLUMNS * v + i];
        }
    }
}

static void recursive_slopes(cardan_data* d, const double* a, cd_state_slopes* s, double* by_q, double* by_v)
{
    const cardan_model* m = d->m;
    const size_t        n = (size_t)s->n;
    cd_reference_poses(m, &d->k);
    cd_inverse_derivatives_of(m, &d->k, d->v, a, NULL, &s->inertia);
    memset(by_q, 0, n * (size_t)m->nv * sizeof *by_q);
    memset(by_v, 0, n * (size_t)m->nv * sizeof *by_v);
    for (int r = 0; r < m->nv; ++r) {
        int e = s->inertia.start[r];
        for (int u = r; u >= 0; u = m->v_parent[u], ++e) {
            const size_t here = (size_t)u * n + (size_t)r, there = (size_t)r * n + (size_t)u;
            by_q[there] = s->inertia.q_up[e], by_v[there] = s->inertia.v_up[e];
            by_q[here] = s->inertia.q[e], by_v[here] = s->inertia.v[e];
        }
    }
    if (!cd_laws_push(m, false)) return;
    const cd_dual_state x = {d->q, d->v, d->state, a, NULL};
    cd_dual_laws(m, d->held, &x, s->dual, s->law_q, s->law_v);
    subtract_laws(d, s, by_q, by_v);
}

cd_given cd_state_given(cardan_data* d)
{
    cd_know_measured(d);
    cd_know_closure(d);
    return (cd_given){.t            = d->t,
                      .pull         = d->pull,
                      .law          = d->closure.law,
                      .memory       = d->closure.memory,
                      .rotor_memory = d->rotors.memory,
                      .off          = d->off,
                      .held         = d->held,
                      .left_out     = d->left_out,
                      .effort       = d->outer_effort,
                      .wrench       = d->loaded ? &d->outer_wrench->a.x : NULL};
}

void cd_state_slopes_at(cardan_data* d, const double* a, const double* lambda, cd_state_slopes* s, double* by_q,
                        double* by_v, double* by_s)
{
    if (s->plain && !is_pushed(d)) {
        recursive_slopes(d, a, s, by_q, by_v);
        return;
    }
    const cd_given      given = cd_state_given(d);
    const cd_dual_state x     = {d->q, d->v, d->state, a, lambda};
    cd_dual_slopes(d->m, &given, &x, s->dual, &s->colouring, by_q, by_v, by_s);
}

cardan_status cd_state_answer(cardan_data* d, const cd_state_slopes* s, const double* column, double* a, double* lambda)
{
    cd_where where = {.v = CARDAN_NONE, .row = CARDAN_NONE};
    for (int i = 0; i < d->m->nv; ++i) s->right[i] = -column[s->r + i];
    for (int i = 0; i < d->system.nrow; ++i) s->gap[i] = i < d->rows.nrow ? -column[s->gamma + i] : 0;
    const cardan_status status =
        d->formulation->solve(d->m, &d->k, &d->system, d->work, s->right, s->gap, a, lambda, &where);
    return status == CARDAN_INCONSISTENT
               ? CARDAN_OK
               : status; // rows that repeat others need not agree in their slopes beside the constraints
}
