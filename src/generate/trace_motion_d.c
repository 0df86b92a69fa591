// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of the accelerations of a whole mechanism, loops included:
//
//   M a_x + J'lambda_x = -r_x,   J a_x = -c''_x,   r = ID(q, v, a) - Q + J'lambda,   c'' = J a - gamma
//
// r and c'' are traced with inputs for a and lambda, so that they do not fold into nothing; their slopes are nodes, in
// which these inputs are then replaced by the solution.
#include "generate/routine.h"
#include "generate/whole.h"

#include "expression/jacobian.h"

#include <stdlib.h>

typedef struct slopes {
    int      n, ncolumn; // rows: r, c'', rates of states; columns: q, v, states
    real*    at;         // (n x ncolumn)
    real *   a, *lambda, *r, *gamma, *x, *y;
    spatial* wrench;
    cd_node* node;
    cd_seed *seed, *solution;
    int*     first;
    cd_arena arena;
} slopes;

static void slopes_layout(const cardan_model* m, const whole* w, slopes* s)
{
    const int nrow = w->rows.nrow;
    s->n           = m->nv + w->closure.nrow + m->nstate;
    s->ncolumn     = 2 * m->nv + m->nstate;
    CD_TAKE(&s->arena, s->at, (size_t)s->n * (size_t)s->ncolumn);
    CD_TAKE(&s->arena, s->a, m->nv);
    CD_TAKE(&s->arena, s->lambda, nrow);
    CD_TAKE(&s->arena, s->r, m->nv);
    CD_TAKE(&s->arena, s->gamma, nrow);
    CD_TAKE(&s->arena, s->x, m->nv);
    CD_TAKE(&s->arena, s->y, nrow);
    CD_TAKE(&s->arena, s->wrench, m->nlink);
    CD_TAKE(&s->arena, s->node, s->n);
    CD_TAKE(&s->arena, s->seed, 5 * s->ncolumn);
    CD_TAKE(&s->arena, s->solution, m->nv + nrow);
    CD_TAKE(&s->arena, s->first, s->ncolumn + 1);
}

static cd_seed stand_in(const whole* w, int input, real solution, real* as)
{
    *as = (real){w->t.graph, cd_input(w->t.graph, input), r_value(solution)};
    return (cd_seed){input, r_node(w->t.graph, solution)};
}

// r, c'' and rates, with inputs in place of the solution.
static cardan_status trace_equations(const cardan_model* m, whole* w, slopes* s)
{
    const int nrow = w->closure.nrow;
    for (int i = 0; i < m->nv; ++i) s->solution[i] = stand_in(w, w->t.in->a + i, w->a[i], &s->a[i]);
    for (int i = 0; i < nrow; ++i)
        s->solution[m->nv + i] = stand_in(w, w->t.in->count + i, w->lambda[i], &s->lambda[i]);
    const cardan_status status = cd_whole_residual(m, w, s->a, s->lambda, s->wrench, s->y, s->r, s->gamma);
    const bool          given  = status == CARDAN_OK && cd_tracing_give(&w->t, m->nv, s->r, s->node) &&
                       cd_tracing_give(&w->t, nrow, s->gamma, s->node + m->nv) &&
                       cd_tracing_give(&w->t, m->nstate, w->rates + m->nrates - m->nstate, s->node + m->nv + nrow);
    return status != CARDAN_OK || given ? status : CARDAN_NO_MEMORY;
}

static cardan_status differentiate(const cardan_model* m, whole* w, slopes* s)
{
    const cd_node one = cd_constant(w->t.graph, 1);
    for (int d = 0; d < s->ncolumn; ++d) {
        cd_seed* to = s->seed + s->first[d];
        if (d >= m->nv) *to = (cd_seed){d < 2 * m->nv ? w->t.in->v + d - m->nv : w->t.in->state + d - 2 * m->nv, one};
        s->first[d + 1] = s->first[d] + (d < m->nv ? cd_velocity_seeds(w->t.graph, m, w->t.in, d, to) : 1);
    }
    cd_sparse     J;
    cardan_status status = cd_jacobian_along(w->t.graph, s->n, s->node, (cd_directions){s->ncolumn, s->first, s->seed},
                                             CD_SWEEP_FORWARD, &J);
    if (status == CARDAN_OK)
        status = cd_replace_inputs(w->t.graph, J.count, J.value, m->nv + w->closure.nrow, s->solution);
    cd_tape* tape = status == CARDAN_OK ? cd_tape_create(w->t.graph, J.count, J.value) : NULL;
    double*  work = tape ? cd_allocate((size_t)cd_tape_work(tape) + (size_t)J.count + 1, sizeof *work) : NULL;
    if (status == CARDAN_OK && !work) status = CARDAN_NO_MEMORY;
    for (size_t i = 0; i < (size_t)s->n * (size_t)s->ncolumn; ++i) s->at[i] = r_lift(0);
    if (status == CARDAN_OK) {
        double* value = work + cd_tape_work(tape);
        cd_tape_run(tape, w->t.in->sample, work, value);
        for (int k = 0; k < J.count; ++k)
            s->at[(size_t)J.row[k] * (size_t)s->ncolumn + (size_t)J.column[k]] =
                r_known(w->t.graph, J.value[k], value[k]);
    }
    free(work);
    cd_tape_destroy(tape);
    cd_sparse_release(&J);
    return status;
}

// Column d of all (behind them: efforts) answered into column j of `ncolumn` of the output.
static cardan_status respond(const cardan_model* m, whole* w, solver* solve, slopes* s, int d, int j, int ncolumn,
                             cd_node* output)
{
    const size_t n = (size_t)s->ncolumn;
    for (int i = 0; i < m->nv; ++i)
        s->r[i] = d < s->ncolumn ? r_neg(s->at[(size_t)i * n + (size_t)d]) : r_lift(i == d - s->ncolumn);
    for (int i = 0; i < w->rows.nrow; ++i)
        s->gamma[i] =
            d < s->ncolumn && i < w->closure.nrow ? r_neg(s->at[(size_t)(m->nv + i) * n + (size_t)d]) : r_lift(0);
    const cardan_status status = cd_whole_solve(m, w, solve, s->r, s->gamma, s->x, s->y);
    if (status != CARDAN_OK && status != CARDAN_INCONSISTENT)
        return status; // rows that repeat others need not agree in their slopes beside the constraints
    for (int i = 0; i < m->nv; ++i)
        if (!cd_tracing_give(&w->t, 1, &s->x[i], output + (size_t)i * (size_t)ncolumn + (size_t)j))
            return CARDAN_NO_MEMORY;
    return CARDAN_OK;
}

static cardan_status respond_all(const cardan_model* m, whole* w, solver* solve, slopes* s, bool efforts,
                                 cd_node* output)
{
    const int     nv = m->nv, ns = m->nstate, g = nv + w->closure.nrow;
    const size_t  nn = (size_t)nv * (size_t)nv, mixed = (size_t)nv * (size_t)ns;
    cardan_status status = CARDAN_OK;
    for (int j = 0; status == CARDAN_OK && j < nv; ++j) {
        status = respond(m, w, solve, s, j, j, nv, output);
        if (status == CARDAN_OK) status = respond(m, w, solve, s, nv + j, j, nv, output + nn);
        if (status == CARDAN_OK && efforts) status = respond(m, w, solve, s, s->ncolumn + j, j, nv, output + 2 * nn);
    }
    output += (efforts ? 3 : 2) * nn;
    for (int j = 0; status == CARDAN_OK && j < ns; ++j) status = respond(m, w, solve, s, 2 * nv + j, j, ns, output);
    bool ok = true;
    for (int i = 0; ok && i < ns; ++i)
        for (int j = 0; ok && j < s->ncolumn; ++j) {
            cd_node* to = j < nv       ? output + mixed + i * nv + j
                          : j < 2 * nv ? output + 2 * mixed + i * nv + j - nv
                                       : output + 3 * mixed + i * ns + j - 2 * nv;
            ok          = cd_tracing_give(&w->t, 1, &s->at[(size_t)(g + i) * (size_t)s->ncolumn + (size_t)j], to);
        }
    return status != CARDAN_OK ? status : ok ? CARDAN_OK : CARDAN_NO_MEMORY;
}

// Behind all matrices.
static cardan_status give_lost(const cardan_model* m, whole* w, const solver* solve, bool running, cd_node* output)
{
    const int           nv = m->nv, ns = m->nstate;
    real                lost;
    const cardan_status status = cd_whole_lost(m, w, solve, &lost);
    if (status != CARDAN_OK) return status;
    return cd_tracing_give(&w->t, 1, &lost, output + (running ? 2 : 3) * nv * nv + 3 * nv * ns + ns * ns)
               ? CARDAN_OK
               : CARDAN_NO_MEMORY;
}

// `running`: as a run evaluates, stops open, by q, v and states; else by efforts too.
static cardan_status trace(cd_graph* graph, const cd_skeleton* skeleton, const cd_sources* in, int way, bool running,
                           cd_node* output)
{
    whole               w     = {0};
    solver              solve = {0};
    slopes              s     = {0};
    const cardan_model* m     = skeleton->model;
    cd_sources          here  = *in;
    here.derived              = true;
    cardan_status status      = cd_whole_begin(graph, skeleton, &here, way, true, running, &w, &solve);
    if (status == CARDAN_OK) {
        slopes_layout(m, &w, &s);
        if (!cd_arena_reserve(&s.arena)) status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_OK) {
        slopes_layout(m, &w, &s);
        status = trace_equations(m, &w, &s);
    }
    if (status == CARDAN_OK) status = differentiate(m, &w, &s);
    if (status == CARDAN_OK) status = respond_all(m, &w, &solve, &s, !running, output);
    if (status == CARDAN_OK && solve.f) status = give_lost(m, &w, &solve, running, output);
    cd_arena_release(&s.arena);
    return cd_whole_end(&w, &solve, status);
}

cardan_status cd_trace_motion_d(cd_graph* graph, const cd_skeleton* skeleton, const cd_sources* in, int way,
                                cd_node* output)
{
    return trace(graph, skeleton, in, way, false, output);
}

cardan_status cd_trace_rate_d(cd_graph* graph, const cd_skeleton* skeleton, const cd_sources* in, int way,
                              cd_node* output)
{
    return trace(graph, skeleton, in, way, true, output);
}
