// SPDX-License-Identifier: BSD-3-Clause
// Equations of implicit integrators, with accelerations and multipliers as arguments, and their derivatives:
//
//   r = ID(q, v, a) - effort - Q(q, v, s, t) + J'lambda,   g = sdot,   c,   cdot = J v + c_t,   cddot = J a - gamma
//
// No linear system is solved, so no pivots are decided at the trace state.
#include "generate/routine/routine.h"
#include "generate/trace/traced_mechanism.h"

#include "expression/symbolic_jacobian.h"

#include <stdlib.h>

cardan_status cd_traced_mechanism_residual(const cardan_model* m, traced_mechanism* w, real* a, const real* lambda,
                                           spatial* wrench, real* y, real* r, real* gamma)
{
    const int nrow = w->constraints.nrow;
    for (int i = 0; i < m->nlink; ++i) wrench[i] = sv_zero();
    cd_world_accelerations(m, &w->k, w->v, a, &w->world);
    if (nrow > 0) cd_constraint_set_gamma(&w->world, &w->constraints, gamma);
    if (nrow > 0) cd_constraint_set_wrenches(&w->constraints, lambda, wrench);
    if (w->rotors.nrow > 0) {
        cd_constraint_set_gamma(&w->world, &w->rotors, y);
        for (int i = 0; i < w->rotors.nrow; ++i) y[i] = r_scale(-w->rotors.constraint[i].parameter[0], y[i]);
        cd_constraint_set_wrenches(&w->rotors, y, wrench);
    }
    for (int i = 0; i < m->nlink; ++i) {
        const mat3 R = w->world.pose[i].R;
        wrench[i]    = sv_add(w->wrench[i], (spatial){m3_tmul(R, wrench[i].a), m3_tmul(R, wrench[i].l)});
    }
    const cd_link_tree* tree = w->t.tree;
    for (int i = 0; i < m->nv; ++i) w->t.a[i] = a[i];
    for (int i = 0; i < tree->nlink; ++i)
        if (tree->link[i].is_flipped) w->t.a[tree->link[i].v] = r_neg(a[tree->link[i].v]);
    cardan_status status = cd_traced_inverse_dynamics(&w->t, true, wrench, r);
    for (int i = 0; status == CARDAN_OK && i < m->nv; ++i) r[i] = r_sub(r[i], w->effort[i]);
    for (int i = 0; status == CARDAN_OK && i < nrow; ++i) gamma[i] = r_neg(gamma[i]);
    return status;
}

typedef struct equation_work {
    int      n; // r, g, c, cdot, cddot
    real *   a, *lambda, *r, *gamma, *y, *M;
    spatial* wrench;
    cd_node* node; // (n)
    cd_seed* seed;
    int*     first;
    cd_arena arena;
} equation_work;

static void layout(const cardan_model* m, const traced_mechanism* w, bool derivatives, equation_work* e)
{
    const int ncolumn = 2 * m->nv + m->nstate;
    e->n              = m->nv + m->nstate + 3 * w->constraints.nrow;
    CD_ARENA_ARRAY(&e->arena, e->a, m->nv);
    CD_ARENA_ARRAY(&e->arena, e->lambda, w->constraints.nrow);
    CD_ARENA_ARRAY(&e->arena, e->r, m->nv);
    CD_ARENA_ARRAY(&e->arena, e->gamma, w->constraints.nrow);
    CD_ARENA_ARRAY(&e->arena, e->y, w->rotors.nrow);
    CD_ARENA_ARRAY(&e->arena, e->wrench, m->nlink);
    CD_ARENA_ARRAY(&e->arena, e->node, e->n);
    if (!derivatives) return;
    CD_ARENA_ARRAY(&e->arena, e->M, (size_t)m->nv * (size_t)m->nv);
    CD_ARENA_ARRAY(&e->arena, e->seed, 5 * ncolumn);
    CD_ARENA_ARRAY(&e->arena, e->first, ncolumn + 1);
}

// Trace all equations as nodes.
static cardan_status trace_values(const cardan_model* m, traced_mechanism* w, equation_work* e)
{
    const cd_input_layout* in = w->t.in;
    const int              nv = m->nv, ns = m->nstate, nrow = w->constraints.nrow;
    for (int i = 0; i < nv; ++i) e->a[i] = traced_input(&w->t, in->a + i);
    for (int i = 0; i < nrow; ++i) e->lambda[i] = traced_input(&w->t, in->multiplier + i);
    const cardan_status status = cd_traced_mechanism_residual(m, w, e->a, e->lambda, e->wrench, e->y, e->r, e->gamma);
    if (status != CARDAN_OK) return status;
    cd_node*   to   = e->node + nv + ns;
    const bool done = cd_tracing_output(&w->t, nv, e->r, e->node) &&
                      cd_tracing_output(&w->t, ns, w->rates + m->nformula - ns, e->node + nv) &&
                      cd_tracing_output(&w->t, nrow, w->constraints.value, to) &&
                      cd_tracing_output(&w->t, nrow, w->constraints.rate, to + nrow) &&
                      cd_tracing_output(&w->t, nrow, e->gamma, to + 2 * nrow);
    return done ? CARDAN_OK : CARDAN_NO_MEMORY;
}

// Differentiate by positions along velocities, by velocities, by states; the columns are stored one after the other.
static cardan_status differentiate(const cardan_model* m, traced_mechanism* w, equation_work* e, cd_node* output)
{
    const cd_node one = cd_constant(w->t.graph, 1), zero = cd_constant(w->t.graph, 0);
    const int     nv = m->nv, ncolumn = 2 * nv + m->nstate;
    for (int d = 0; d < ncolumn; ++d) {
        cd_seed* to = e->seed + e->first[d];
        if (d >= nv) *to = (cd_seed){d < 2 * nv ? w->t.in->v + d - nv : w->t.in->state + d - 2 * nv, one};
        e->first[d + 1] = e->first[d] + (d < nv ? cd_velocity_seeds(w->t.graph, m, w->t.in, d, to) : 1);
    }
    cd_symbolic_matrix  J;
    const cardan_status status = cd_symbolic_jacobian_along(
        w->t.graph, e->n, e->node, (cd_directions){ncolumn, e->first, e->seed}, CD_AD_FORWARD, &J);
    for (size_t i = 0; i < (size_t)e->n * (size_t)ncolumn; ++i) output[i] = zero;
    for (int k = 0; status == CARDAN_OK && k < J.count; ++k)
        output[(size_t)J.column[k] * (size_t)e->n + (size_t)J.row[k]] = J.value[k];
    cd_symbolic_matrix_release(&J);
    return one < 0 || zero < 0 ? CARDAN_NO_MEMORY : status;
}

// M (nv x nv) with the rotors of off-tree joints, then the constraint Jacobian J (nrow x nv).
static cardan_status output_matrices(const cardan_model* m, traced_mechanism* w, equation_work* e, cd_node* output)
{
    const int     nv     = m->nv;
    cd_node*      J      = output + (size_t)nv * (size_t)nv;
    const cd_node zero   = cd_constant(w->t.graph, 0);
    cardan_status status = cd_traced_mass_matrix(&w->t, e->M);
    if (status != CARDAN_OK) return status;
    for (int i = 0; i < w->rotors.nconstraint; ++i) {
        const cd_row_block* b = &w->rotors.block[i];
        for (int j = 0; j < b->nv; ++j)
            for (int k = 0; k <= j; ++k) {
                real* at = mass_at(e->M, nv, b->v[j], b->v[k]);
                *at      = r_add(*at, r_scale(w->rotors.constraint[i].parameter[0], r_mul(b->J[j], b->J[k])));
            }
    }
    bool done = zero >= 0;
    for (int i = 0; done && i < nv; ++i)
        for (int j = 0; done && j < nv; ++j)
            done = cd_tracing_output(&w->t, 1, mass_at(e->M, nv, i, j), output + (size_t)i * (size_t)nv + (size_t)j);
    for (size_t i = 0; i < (size_t)w->constraints.nrow * (size_t)nv; ++i) J[i] = zero;
    for (int i = 0; i < w->constraints.nconstraint; ++i) {
        const cd_row_block* b = &w->constraints.block[i];
        for (int row = 0; done && row < b->nrow; ++row)
            for (int j = 0; done && j < b->nv; ++j)
                done = cd_tracing_output(&w->t, 1, &b->J[row * b->nv + j],
                                         J + (size_t)(b->row + row) * (size_t)nv + (size_t)b->v[j]);
    }
    return done ? CARDAN_OK : CARDAN_NO_MEMORY;
}

static cardan_status trace(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, bool derivatives,
                           cd_node* output)
{
    traced_mechanism    w      = {0};
    equation_work       e      = {0};
    traced_solver       none   = {0};
    const cardan_model* m      = tree->model;
    cardan_status       status = cd_traced_mechanism_begin(graph, tree, in, true, &w);
    if (status == CARDAN_OK) {
        layout(m, &w, derivatives, &e);
        if (!cd_arena_reserve(&e.arena)) status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_OK) {
        layout(m, &w, derivatives, &e);
        status = trace_values(m, &w, &e);
    }
    for (int i = 0; status == CARDAN_OK && !derivatives && i < e.n; ++i) output[i] = e.node[i];
    if (status == CARDAN_OK && derivatives) status = differentiate(m, &w, &e, output);
    if (status == CARDAN_OK && derivatives)
        status = output_matrices(m, &w, &e, output + (size_t)e.n * (size_t)(2 * m->nv + m->nstate));
    cd_arena_release(&e.arena);
    return cd_traced_mechanism_end(&w, &none, status);
}

cardan_status cd_trace_equations(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                                 cd_node* output)
{
    (void)method;
    return trace(graph, tree, in, false, output);
}

cardan_status cd_trace_equations_d(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                                   cd_node* output)
{
    (void)method;
    return trace(graph, tree, in, true, output);
}
