// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of the accelerations of a whole mechanism with constraints:
//
//   M a_x + J'lambda_x = -r_x,   J a_x = -cddot_x,   r = ID(q, v, a) - Q + J'lambda,   cddot = J a - gamma
//
// r and cddot are traced with a and lambda as inputs, because with the solution inserted they would be simplified to
// zero. After differentiation these inputs are replaced by the solution.
#include "generate/routine/routine.h"
#include "generate/trace/traced_mechanism.h"

#include "expression/symbolic_jacobian.h"

#include <stdlib.h>

typedef struct derivative_work {
    int      n, ncolumn; // rows: r, cddot, rates of states; columns: q, v, states
    real*    jacobian;   // (n x ncolumn)
    real *   a, *lambda, *r, *gamma, *x, *y;
    spatial* wrench;
    cd_node* node;
    cd_seed *seed, *solution;
    int*     first;
    cd_arena arena;
} derivative_work;

static void derivative_layout(const cardan_model* m, const traced_mechanism* w, derivative_work* s)
{
    const int nrow = w->rows.nrow;
    s->n           = m->nv + w->constraints.nrow + m->nstate;
    s->ncolumn     = 2 * m->nv + m->nstate;
    CD_ARENA_ARRAY(&s->arena, s->jacobian, (size_t)s->n * (size_t)s->ncolumn);
    CD_ARENA_ARRAY(&s->arena, s->a, m->nv);
    CD_ARENA_ARRAY(&s->arena, s->lambda, nrow);
    CD_ARENA_ARRAY(&s->arena, s->r, m->nv);
    CD_ARENA_ARRAY(&s->arena, s->gamma, nrow);
    CD_ARENA_ARRAY(&s->arena, s->x, m->nv);
    CD_ARENA_ARRAY(&s->arena, s->y, nrow);
    CD_ARENA_ARRAY(&s->arena, s->wrench, m->nlink);
    CD_ARENA_ARRAY(&s->arena, s->node, s->n);
    CD_ARENA_ARRAY(&s->arena, s->seed, 5 * s->ncolumn);
    CD_ARENA_ARRAY(&s->arena, s->solution, m->nv + nrow);
    CD_ARENA_ARRAY(&s->arena, s->first, s->ncolumn + 1);
}

static cd_seed substitute_input(const traced_mechanism* w, int input, real solution, real* as)
{
    *as = (real){w->t.graph, cd_input(w->t.graph, input), r_value(solution)};
    return (cd_seed){input, r_node(w->t.graph, solution)};
}

// Trace r, cddot and rates, with inputs in place of the solution.
static cardan_status trace_equations(const cardan_model* m, traced_mechanism* w, derivative_work* s)
{
    const int nrow = w->constraints.nrow;
    for (int i = 0; i < m->nv; ++i) s->solution[i] = substitute_input(w, w->t.in->a + i, w->a[i], &s->a[i]);
    for (int i = 0; i < nrow; ++i)
        s->solution[m->nv + i] = substitute_input(w, w->t.in->count + i, w->lambda[i], &s->lambda[i]);
    const cardan_status status = cd_traced_mechanism_residual(m, w, s->a, s->lambda, s->wrench, s->y, s->r, s->gamma);
    const bool          done   = status == CARDAN_OK && cd_tracing_output(&w->t, m->nv, s->r, s->node) &&
                      cd_tracing_output(&w->t, nrow, s->gamma, s->node + m->nv) &&
                      cd_tracing_output(&w->t, m->nstate, w->rates + m->nformula - m->nstate, s->node + m->nv + nrow);
    return status != CARDAN_OK || done ? status : CARDAN_NO_MEMORY;
}

static cardan_status differentiate(const cardan_model* m, traced_mechanism* w, derivative_work* s)
{
    const cd_node one = cd_constant(w->t.graph, 1);
    for (int d = 0; d < s->ncolumn; ++d) {
        cd_seed* to = s->seed + s->first[d];
        if (d >= m->nv) *to = (cd_seed){d < 2 * m->nv ? w->t.in->v + d - m->nv : w->t.in->state + d - 2 * m->nv, one};
        s->first[d + 1] = s->first[d] + (d < m->nv ? cd_velocity_seeds(w->t.graph, m, w->t.in, d, to) : 1);
    }
    cd_symbolic_matrix J;
    cardan_status      status = cd_symbolic_jacobian_along(
             w->t.graph, s->n, s->node, (cd_directions){s->ncolumn, s->first, s->seed}, CD_AD_FORWARD, &J);
    if (status == CARDAN_OK)
        status = cd_graph_substitute_inputs(w->t.graph, J.count, J.value, m->nv + w->constraints.nrow, s->solution);
    cd_tape* tape = status == CARDAN_OK ? cd_tape_create(w->t.graph, J.count, J.value) : NULL;
    double*  work = tape ? cd_allocate((size_t)cd_tape_work(tape) + (size_t)J.count + 1, sizeof *work) : NULL;
    if (status == CARDAN_OK && !work) status = CARDAN_NO_MEMORY;
    for (size_t i = 0; i < (size_t)s->n * (size_t)s->ncolumn; ++i) s->jacobian[i] = r_const(0);
    if (status == CARDAN_OK) {
        double* value = work + cd_tape_work(tape);
        cd_tape_run(tape, w->t.in->trace_input, work, value);
        for (int k = 0; k < J.count; ++k)
            s->jacobian[(size_t)J.row[k] * (size_t)s->ncolumn + (size_t)J.column[k]] =
                r_from_node(w->t.graph, J.value[k], value[k]);
    }
    free(work);
    cd_tape_destroy(tape);
    cd_symbolic_matrix_release(&J);
    return status;
}

// Solve for column d (from ncolumn on: efforts) and write it to column j of `ncolumn` columns of the output.
static cardan_status solve_column(const cardan_model* m, traced_mechanism* w, traced_solver* solve, derivative_work* s,
                                  int d, int j, int ncolumn, cd_node* output)
{
    const size_t n = (size_t)s->ncolumn;
    for (int i = 0; i < m->nv; ++i)
        s->r[i] = d < s->ncolumn ? r_neg(s->jacobian[(size_t)i * n + (size_t)d]) : r_const(i == d - s->ncolumn);
    for (int i = 0; i < w->rows.nrow; ++i)
        s->gamma[i] = d < s->ncolumn && i < w->constraints.nrow
                          ? r_neg(s->jacobian[(size_t)(m->nv + i) * n + (size_t)d])
                          : r_const(0);
    const cardan_status status = cd_traced_mechanism_solve(m, w, solve, s->r, s->gamma, s->x, s->y);
    if (status != CARDAN_OK && status != CARDAN_INCONSISTENT)
        return status; // derivatives of redundant rows may be inconsistent off the constraints
    for (int i = 0; i < m->nv; ++i)
        if (!cd_tracing_output(&w->t, 1, &s->x[i], output + (size_t)i * (size_t)ncolumn + (size_t)j))
            return CARDAN_NO_MEMORY;
    return CARDAN_OK;
}

static cardan_status solve_all_columns(const cardan_model* m, traced_mechanism* w, traced_solver* solve,
                                       derivative_work* s, bool efforts, cd_node* output)
{
    const int     nv = m->nv, ns = m->nstate, g = nv + w->constraints.nrow;
    const size_t  nn = (size_t)nv * (size_t)nv, mixed = (size_t)nv * (size_t)ns;
    cardan_status status = CARDAN_OK;
    for (int j = 0; status == CARDAN_OK && j < nv; ++j) {
        status = solve_column(m, w, solve, s, j, j, nv, output);
        if (status == CARDAN_OK) status = solve_column(m, w, solve, s, nv + j, j, nv, output + nn);
        if (status == CARDAN_OK && efforts)
            status = solve_column(m, w, solve, s, s->ncolumn + j, j, nv, output + 2 * nn);
    }
    output += (efforts ? 3 : 2) * nn;
    for (int j = 0; status == CARDAN_OK && j < ns; ++j)
        status = solve_column(m, w, solve, s, 2 * nv + j, j, ns, output);
    bool ok = true;
    for (int i = 0; ok && i < ns; ++i)
        for (int j = 0; ok && j < s->ncolumn; ++j) {
            cd_node* to = j < nv       ? output + mixed + i * nv + j
                          : j < 2 * nv ? output + 2 * mixed + i * nv + j - nv
                                       : output + 3 * mixed + i * ns + j - 2 * nv;
            ok = cd_tracing_output(&w->t, 1, &s->jacobian[(size_t)(g + i) * (size_t)s->ncolumn + (size_t)j], to);
        }
    return status != CARDAN_OK ? status : ok ? CARDAN_OK : CARDAN_NO_MEMORY;
}

// The return code is the last output.
static cardan_status output_validity(const cardan_model* m, traced_mechanism* w, const traced_solver* solve,
                                     bool for_run, cd_node* output)
{
    const int           nv = m->nv, ns = m->nstate;
    real                invalid;
    const cardan_status status = cd_traced_mechanism_validity(m, w, solve, &invalid);
    if (status != CARDAN_OK) return status;
    return cd_tracing_output(&w->t, 1, &invalid, output + (for_run ? 2 : 3) * nv * nv + 3 * nv * ns + ns * ns)
               ? CARDAN_OK
               : CARDAN_NO_MEMORY;
}

// for_run: as in a run, with inactive stops, by q, v and states; else also by efforts.
static cardan_status trace_derivatives(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                                       bool for_run, cd_node* output)
{
    traced_mechanism    w     = {0};
    traced_solver       solve = {0};
    derivative_work     s     = {0};
    const cardan_model* m     = tree->model;
    cd_input_layout     here  = *in;
    here.for_derivatives      = true;
    cardan_status status      = cd_traced_mechanism_accelerate(graph, tree, &here, method, true, for_run, &w, &solve);
    if (status == CARDAN_OK) {
        derivative_layout(m, &w, &s);
        if (!cd_arena_reserve(&s.arena)) status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_OK) {
        derivative_layout(m, &w, &s);
        status = trace_equations(m, &w, &s);
    }
    if (status == CARDAN_OK) status = differentiate(m, &w, &s);
    if (status == CARDAN_OK) status = solve_all_columns(m, &w, &solve, &s, !for_run, output);
    if (status == CARDAN_OK && solve.f) status = output_validity(m, &w, &solve, for_run, output);
    cd_arena_release(&s.arena);
    return cd_traced_mechanism_end(&w, &solve, status);
}

cardan_status cd_trace_motion_d(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                                cd_node* output)
{
    return trace_derivatives(graph, tree, in, method, false, output);
}

cardan_status cd_trace_rate_d(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                              cd_node* output)
{
    return trace_derivatives(graph, tree, in, method, true, output);
}
