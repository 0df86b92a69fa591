// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of inverse dynamics over traced numbers: d tau / d q, d tau / d v, d tau / d a = M, by two methods, of
// which the search takes the cheaper one: the recursion over composite bodies (trace_inverse_derivatives.c), and
// differentiation of the traced efforts. Quaternions are differentiated along their angular velocities: de = 1/2 e (0,
// w).
#include "generate/routine/routine.h"
#include "generate/trace/traced_links.h"

#include <stdlib.h>

// ---- recursion

static cardan_status derive_by_recursion(tracing* t, bool mass, cd_node* output)
{
    const size_t  n      = (size_t)t->tree->nv;
    real*         a      = cd_allocate(n + 1, sizeof *a);
    real*         all    = cd_allocate(3 * n * n + 1, sizeof *all);
    cardan_status status = a && all ? CARDAN_OK : CARDAN_NO_MEMORY;
    for (size_t i = 0; a && i < n; ++i) a[i] = traced_input(t, t->in->a + (int)i);
    if (status == CARDAN_OK)
        status = cd_traced_inverse_derivatives(t, a, all, all + n * n, mass ? all + 2 * n * n : NULL);
    if (status == CARDAN_OK && !cd_tracing_output(t, (mass ? 3 : 2) * t->tree->nv * t->tree->nv, all, output))
        status = CARDAN_NO_MEMORY;
    free(a), free(all);
    return status;
}

// ---- differentiation of the trace

// The seed is the coordinate itself, or half a quaternion product.
int cd_velocity_seeds(cd_graph* graph, const cardan_model* m, const cd_input_layout* in, int v, cd_seed* seed)
{
    const cd_link* link  = &m->link[m->v_link[v]];
    const int      local = v - link->v, component = local - (link->nv - 3);
    if (link->motion < CD_SPHERICAL || component < 0) {
        seed[0] = (cd_seed){in->q + link->q + local, cd_constant(graph, 1)};
        return 1;
    }
    // columns of e -> e (0, w): component of e and sign
    static const int from[3][4] = {{1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    static const int sign[3][4] = {{-1, 1, 1, -1}, {-1, -1, 1, 1}, {-1, 1, -1, 1}};
    const int        first      = in->q + link->q + (link->nv == 6 ? 3 : 0);
    for (int i = 0; i < 4; ++i)
        seed[i] = (cd_seed){first + i, cd_binary(graph, CD_MUL, cd_constant(graph, 0.5 * sign[component][i]),
                                                 cd_input(graph, first + from[component][i]))};
    return 4;
}

static cardan_status derive_by_graph(tracing* t, bool mass, cd_node* output)
{
    const int     n      = t->tree->nv;
    const size_t  size   = (size_t)n;
    real*         tau    = cd_allocate(size + 1, sizeof *tau);
    real*         M      = cd_allocate(size * size + 1, sizeof *M);
    cd_node*      node   = cd_allocate(size + 1, sizeof *node);
    cd_node*      rate   = cd_allocate(2 * size * size + 1, sizeof *rate);
    cd_seed*      seed   = cd_allocate(5 * size + 1, sizeof *seed);
    int*          first  = cd_allocate(2 * size + 1, sizeof *first);
    cardan_status status = tau && M && node && rate && seed && first ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = cd_traced_inverse_dynamics(t, true, NULL, tau);
    if (status == CARDAN_OK) status = cd_traced_mass_matrix(t, M);
    if (status == CARDAN_OK && !cd_tracing_output(t, n, tau, node)) status = CARDAN_NO_MEMORY;
    for (int d = 0; status == CARDAN_OK && d < 2 * n; ++d) {
        cd_seed* here = seed + first[d];
        if (d >= n) *here = (cd_seed){t->in->v + d - n, cd_constant(t->graph, 1)};
        first[d + 1] = first[d] + (d < n ? cd_velocity_seeds(t->graph, t->tree->model, t->in, d, here) : 1);
    }
    if (status == CARDAN_OK) status = cd_directional_derivatives(t->graph, n, node, 2 * n, first, seed, rate);
    for (int i = 0; status == CARDAN_OK && i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const size_t at          = (size_t)i * size + (size_t)j;
            output[at]               = rate[(size_t)j * size + (size_t)i];
            output[size * size + at] = rate[(size_t)(n + j) * size + (size_t)i];
            if (mass && !cd_tracing_output(t, 1, mass_at(M, n, i, j), output + 2 * size * size + at))
                status = CARDAN_NO_MEMORY;
        }
    free(tau), free(M), free(node), free(rate), free(seed), free(first);
    return status;
}

static cardan_status derive_inverse_dynamics(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in,
                                             int method, bool mass, cd_node* output)
{
    tracing       t;
    cardan_status status = cd_tracing_begin(&t, graph, tree, in);
    if (status == CARDAN_OK)
        status = method == 0 ? derive_by_recursion(&t, mass, output) : derive_by_graph(&t, mass, output);
    cd_tracing_end(&t);
    return status;
}

cardan_status cd_trace_impl_d(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                              cd_node* output)
{
    return derive_inverse_dynamics(graph, tree, in, method, true, output);
}

cardan_status cd_trace_impl_j(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                              cd_node* output)
{
    return derive_inverse_dynamics(graph, tree, in, method, false, output);
}

// ---- forward dynamics:  a = M^-1 (effort - c),   a_q = -M^-1 tau_q,   a_v = -M^-1 tau_v at these accelerations,
// a_effort = M^-1

typedef struct forward_work {
    real *c, *M, *tau, *x;
} forward_work;

// Solve column j of -T, or of the identity if T is NULL, into column j of the output.
static bool solve_column(tracing* t, forward_work* f, const real* T, int j, cd_node* output)
{
    const int n = t->tree->nv;
    for (int i = 0; i < n; ++i) f->x[i] = T ? r_neg(T[(size_t)i * (size_t)n + (size_t)j]) : r_const(i == j);
    cd_traced_mass_solve(t, f->M, f->x);
    bool ok = true;
    for (int i = 0; ok && i < n; ++i)
        ok = cd_tracing_output(t, 1, &f->x[i], output + (size_t)i * (size_t)n + (size_t)j);
    return ok;
}

// Solve all nonzero columns of the three matrices in blocks of COLUMN_BLOCK, with one vector group per row; zero
// columns stay zero.
enum { COLUMN_BLOCK = 64 };

typedef struct column_block {
    int   count, matrix[COLUMN_BLOCK], column[COLUMN_BLOCK];
    real* X; // (nv x COLUMN_BLOCK)
} column_block;

static real right_side(const forward_work* f, int n, int matrix, int i, int j)
{
    return matrix == 2 ? r_const(i == j)
                       : r_neg(f->tau[(size_t)matrix * (size_t)n * (size_t)n + (size_t)i * (size_t)n + (size_t)j]);
}

static bool solve_block(tracing* t, const forward_work* f, column_block* s, cd_node* output)
{
    const int    n = t->tree->nv;
    const size_t N = (size_t)s->count;
    for (int i = 0; i < n; ++i) {
        bool  is_nonzero = false;
        real* x          = s->X + (size_t)i * N;
        for (int k = 0; k < s->count; ++k) {
            x[k]       = right_side(f, n, s->matrix[k], i, s->column[k]);
            is_nonzero = is_nonzero || !r_is_constant(x[k], 0);
        }
        for (int k = 0; is_nonzero && k < s->count; ++k) x[k] = r_copy(t->graph, x[k]);
        if (is_nonzero) r_vector_group(t->graph, s->count, x);
    }
    if (s->count > 0) cd_traced_mass_solve_columns(t, f->M, s->count, s->X);
    bool ok = true;
    for (int i = 0; ok && i < n; ++i)
        for (int k = 0; ok && k < s->count; ++k)
            ok = cd_tracing_output(t, 1, &s->X[(size_t)i * N + (size_t)k],
                                   output + ((size_t)s->matrix[k] * (size_t)n + (size_t)i) * (size_t)n +
                                       (size_t)s->column[k]);
    s->count = 0;
    return ok;
}

static bool solve_all_columns(tracing* t, const forward_work* f, cd_node* output)
{
    const int    n  = t->tree->nv;
    column_block s  = {.X = cd_allocate((size_t)n * COLUMN_BLOCK + 1, sizeof *s.X)};
    bool         ok = s.X != NULL;
    for (int j = 0; ok && j < 3 * n; ++j) {
        const int matrix = j / n, column = j % n;
        bool      is_nonzero = false;
        for (int i = 0; i < n; ++i) is_nonzero = is_nonzero || !r_is_constant(right_side(f, n, matrix, i, column), 0);
        for (int i = 0; i < n && !is_nonzero; ++i)
            output[((size_t)matrix * (size_t)n + (size_t)i) * (size_t)n + (size_t)column] = cd_constant(t->graph, 0);
        if (!is_nonzero) continue;
        s.matrix[s.count]   = matrix;
        s.column[s.count++] = column;
        if (s.count == COLUMN_BLOCK) ok = solve_block(t, f, &s, output);
    }
    ok = ok && solve_block(t, f, &s, output);
    free(s.X);
    return ok;
}

static cardan_status derive_forward(tracing* t, int method, forward_work* f, cd_node* output)
{
    const int     n      = t->tree->nv;
    const size_t  nn     = (size_t)n * (size_t)n;
    cardan_status status = cd_traced_inverse_dynamics(t, false, NULL, f->c);
    if (status == CARDAN_OK)
        status =
            method == 0 ? cd_traced_inverse_derivatives(t, NULL, NULL, NULL, f->M) : cd_traced_mass_matrix(t, f->M);
    if (status != CARDAN_OK) return status;
    for (int i = 0; i < n; ++i) f->c[i] = r_sub(traced_input(t, t->in->effort + i), f->c[i]);
    cd_traced_mass_factor(t, f->M);
    cd_traced_mass_solve(t, f->M, f->c);
    status  = cd_traced_inverse_derivatives(t, f->c, f->tau, f->tau + nn, NULL);
    bool ok = status == CARDAN_OK && cd_tracing_output(t, n, f->c, output);
    if (ok && cd_graph_has_vector_groups(t->graph))
        return solve_all_columns(t, f, output + n) ? CARDAN_OK : CARDAN_NO_MEMORY;
    for (int j = 0; ok && j < n; ++j)
        ok = solve_column(t, f, f->tau, j, output + n) && solve_column(t, f, f->tau + nn, j, output + (size_t)n + nn) &&
             solve_column(t, f, NULL, j, output + (size_t)n + 2 * nn);
    return status != CARDAN_OK ? status : ok ? CARDAN_OK : CARDAN_NO_MEMORY;
}

cardan_status cd_trace_exp1_d(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                              cd_node* output)
{
    tracing       t;
    const size_t  n      = (size_t)tree->nv;
    forward_work  f      = {cd_allocate(n + 1, sizeof(real)), cd_allocate(n * n + 1, sizeof(real)),
                            cd_allocate(2 * n * n + 1, sizeof(real)), cd_allocate(n + 1, sizeof(real))};
    cardan_status status = cd_tracing_begin(&t, graph, tree, in);
    if (status == CARDAN_OK)
        status = f.c && f.M && f.tau && f.x ? derive_forward(&t, method, &f, output) : CARDAN_NO_MEMORY;
    free(f.c), free(f.M), free(f.tau), free(f.x);
    cd_tracing_end(&t);
    return status;
}
