// SPDX-License-Identifier: BSD-3-Clause
// What implicit integrators solve, with accelerations and multipliers as arguments, and its derivatives:
//
//   r = ID(q, v, a) - effort - Q(q, v, s, t) + J'lambda,   g = s',   c,   c' = J v + c_t,   c'' = J a - gamma
//
// Nothing is solved, so nothing is decided at the sample state.
#include "generate/routine.h"
#include "generate/whole.h"

#include "expression/jacobian.h"

#include <stdlib.h>

cardan_status cd_whole_residual(const cardan_model* m, whole* w, real* a, const real* lambda, spatial* wrench, real* y,
                                real* r, real* gamma)
{
    const int nrow = w->closure.nrow;
    for (int i = 0; i < m->nlink; ++i) wrench[i] = sv_zero();
    cd_world_accelerations(m, &w->k, w->v, a, &w->world);
    if (nrow > 0) cd_closure_gamma(&w->world, &w->closure, gamma);
    if (nrow > 0) cd_closure_wrenches(&w->closure, lambda, wrench);
    if (w->rotors.nrow > 0) {
        cd_closure_gamma(&w->world, &w->rotors, y);
        for (int i = 0; i < w->rotors.nrow; ++i) y[i] = r_times(-w->rotors.constraint[i].parameter[0], y[i]);
        cd_closure_wrenches(&w->rotors, y, wrench);
    }
    for (int i = 0; i < m->nlink; ++i) {
        const mat3 R = w->world.pose[i].R;
        wrench[i]    = sv_add(w->wrench[i], (spatial){m3_tmul(R, wrench[i].a), m3_tmul(R, wrench[i].l)});
    }
    const cd_skeleton* bones = w->t.s;
    for (int i = 0; i < m->nv; ++i) w->t.a[i] = a[i];
    for (int i = 0; i < bones->nbone; ++i)
        if (bones->bone[i].flipped) w->t.a[bones->bone[i].v] = r_neg(a[bones->bone[i].v]);
    cardan_status status = cd_traced_inverse(&w->t, true, wrench, r);
    for (int i = 0; status == CARDAN_OK && i < m->nv; ++i) r[i] = r_sub(r[i], w->effort[i]);
    for (int i = 0; status == CARDAN_OK && i < nrow; ++i) gamma[i] = r_neg(gamma[i]);
    return status;
}

typedef struct equations {
    int      n; // r, g, c, c', c''
    real *   a, *lambda, *r, *gamma, *y, *M;
    spatial* wrench;
    cd_node* node; // (n)
    cd_seed* seed;
    int*     first;
    cd_arena arena;
} equations;

static void layout(const cardan_model* m, const whole* w, bool slopes, equations* e)
{
    const int ncolumn = 2 * m->nv + m->nstate;
    e->n              = m->nv + m->nstate + 3 * w->closure.nrow;
    CD_TAKE(&e->arena, e->a, m->nv);
    CD_TAKE(&e->arena, e->lambda, w->closure.nrow);
    CD_TAKE(&e->arena, e->r, m->nv);
    CD_TAKE(&e->arena, e->gamma, w->closure.nrow);
    CD_TAKE(&e->arena, e->y, w->rotors.nrow);
    CD_TAKE(&e->arena, e->wrench, m->nlink);
    CD_TAKE(&e->arena, e->node, e->n);
    if (!slopes) return;
    CD_TAKE(&e->arena, e->M, (size_t)m->nv * (size_t)m->nv);
    CD_TAKE(&e->arena, e->seed, 5 * ncolumn);
    CD_TAKE(&e->arena, e->first, ncolumn + 1);
}

// All equations as nodes.
static cardan_status trace_values(const cardan_model* m, whole* w, equations* e)
{
    const cd_sources* in = w->t.in;
    const int         nv = m->nv, ns = m->nstate, nrow = w->closure.nrow;
    for (int i = 0; i < nv; ++i) e->a[i] = traced_input(&w->t, in->a + i);
    for (int i = 0; i < nrow; ++i) e->lambda[i] = traced_input(&w->t, in->multiplier + i);
    const cardan_status status = cd_whole_residual(m, w, e->a, e->lambda, e->wrench, e->y, e->r, e->gamma);
    if (status != CARDAN_OK) return status;
    cd_node*   to    = e->node + nv + ns;
    const bool given = cd_tracing_give(&w->t, nv, e->r, e->node) &&
                       cd_tracing_give(&w->t, ns, w->rates + m->nrates - ns, e->node + nv) &&
                       cd_tracing_give(&w->t, nrow, w->closure.value, to) &&
                       cd_tracing_give(&w->t, nrow, w->closure.rate, to + nrow) &&
                       cd_tracing_give(&w->t, nrow, e->gamma, to + 2 * nrow);
    return given ? CARDAN_OK : CARDAN_NO_MEMORY;
}

// Columns by positions along velocities, by velocities, by states, one after the other.
static cardan_status differentiate(const cardan_model* m, whole* w, equations* e, cd_node* output)
{
    const cd_node one = cd_constant(w->t.graph, 1), zero = cd_constant(w->t.graph, 0);
    const int     nv = m->nv, ncolumn = 2 * nv + m->nstate;
    for (int d = 0; d < ncolumn; ++d) {
        cd_seed* to = e->seed + e->first[d];
        if (d >= nv) *to = (cd_seed){d < 2 * nv ? w->t.in->v + d - nv : w->t.in->state + d - 2 * nv, one};
        e->first[d + 1] = e->first[d] + (d < nv ? cd_velocity_seeds(w->t.graph, m, w->t.in, d, to) : 1);
    }
    cd_sparse           J;
    const cardan_status status =
        cd_jacobian_along(w->t.graph, e->n, e->node, (cd_directions){ncolumn, e->first, e->seed}, CD_SWEEP_FORWARD, &J);
    for (size_t i = 0; i < (size_t)e->n * (size_t)ncolumn; ++i) output[i] = zero;
    for (int k = 0; status == CARDAN_OK && k < J.count; ++k)
        output[(size_t)J.column[k] * (size_t)e->n + (size_t)J.row[k]] = J.value[k];
    cd_sparse_release(&J);
    return one < 0 || zero < 0 ? CARDAN_NO_MEMORY : status;
}

// M (nv x nv) with rotors beside the tree, then the rows of constraints (nrow x nv).
static cardan_status give_matrices(const cardan_model* m, whole* w, equations* e, cd_node* output)
{
    const int     nv     = m->nv;
    cd_node*      J      = output + (size_t)nv * (size_t)nv;
    const cd_node zero   = cd_constant(w->t.graph, 0);
    cardan_status status = cd_traced_mass(&w->t, e->M);
    if (status != CARDAN_OK) return status;
    for (int i = 0; i < w->rotors.nconstraint; ++i) {
        const cd_row_block* b = &w->rotors.block[i];
        for (int j = 0; j < b->nv; ++j)
            for (int k = 0; k <= j; ++k) {
                real* at = mass_at(e->M, nv, b->v[j], b->v[k]);
                *at      = r_add(*at, r_times(w->rotors.constraint[i].parameter[0], r_mul(b->J[j], b->J[k])));
            }
    }
    bool given = zero >= 0;
    for (int i = 0; given && i < nv; ++i)
        for (int j = 0; given && j < nv; ++j)
            given = cd_tracing_give(&w->t, 1, mass_at(e->M, nv, i, j), output + (size_t)i * (size_t)nv + (size_t)j);
    for (size_t i = 0; i < (size_t)w->closure.nrow * (size_t)nv; ++i) J[i] = zero;
    for (int i = 0; i < w->closure.nconstraint; ++i) {
        const cd_row_block* b = &w->closure.block[i];
        for (int row = 0; given && row < b->nrow; ++row)
            for (int j = 0; given && j < b->nv; ++j)
                given = cd_tracing_give(&w->t, 1, &b->J[row * b->nv + j],
                                        J + (size_t)(b->row + row) * (size_t)nv + (size_t)b->v[j]);
    }
    return given ? CARDAN_OK : CARDAN_NO_MEMORY;
}

static cardan_status trace(cd_graph* graph, const cd_skeleton* skeleton, const cd_sources* in, bool slopes,
                           cd_node* output)
{
    whole               w      = {0};
    equations           e      = {0};
    solver              none   = {0};
    const cardan_model* m      = skeleton->model;
    cardan_status       status = cd_whole_place(graph, skeleton, in, true, &w);
    if (status == CARDAN_OK) {
        layout(m, &w, slopes, &e);
        if (!cd_arena_reserve(&e.arena)) status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_OK) {
        layout(m, &w, slopes, &e);
        status = trace_values(m, &w, &e);
    }
    for (int i = 0; status == CARDAN_OK && !slopes && i < e.n; ++i) output[i] = e.node[i];
    if (status == CARDAN_OK && slopes) status = differentiate(m, &w, &e, output);
    if (status == CARDAN_OK && slopes)
        status = give_matrices(m, &w, &e, output + (size_t)e.n * (size_t)(2 * m->nv + m->nstate));
    cd_arena_release(&e.arena);
    return cd_whole_end(&w, &none, status);
}

cardan_status cd_trace_equations(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output)
{
    (void)way;
    return trace(graph, s, in, false, output);
}

cardan_status cd_trace_equations_d(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way,
                                   cd_node* output)
{
    (void)way;
    return trace(graph, s, in, true, output);
}
