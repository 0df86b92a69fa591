// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of functions of accelerations z defined by inverse dynamics, F(y, z) = 0 with dF/dz = M, by the implicit
// function theorem: half the operations of differentiating the solution of the equations of motion.
//
//   z_y = -M^-1 F_y,   g' = g_y + g_z z_y
//   L = sigma f + lambda'g,   w = -M^-1 L_z,   L'' = [1; z_y]' (d2/d(y,z)2 of L + w'F) [1; z_y]
//
// M = L D L' is factorized symbolically; operations with zeros are omitted.
#include "optimize/nlp/block_function_builder.h"

#include "core/memory.h"
#include "optimize/nlp/graph_copy.h"

#include <stdlib.h>
#include <string.h>

typedef struct implicit_solve {
    function_builder*  k;
    const cd_implicit* f;
    int                n, ny;
    cd_node*           substitution; // nodes that replace the inputs; z and w by their values
    int*               variables_yz; // (ny + n) variables, then z
    cd_node *          L, *D, *z_y, *one, *all;
} implicit_solve;

static cd_node times(const implicit_solve* s, cd_node a, cd_node b) { return cd_binary(s->k->graph, CD_MUL, a, b); }
static cd_node minus(const implicit_solve* s, cd_node a, cd_node b) { return cd_binary(s->k->graph, CD_SUB, a, b); }
static cd_node plus(const implicit_solve* s, cd_node a, cd_node b) { return cd_binary(s->k->graph, CD_ADD, a, b); }

static bool implicit_begin(function_builder* k, implicit_solve* s)
{
    const cd_implicit* f    = k->implicit;
    const int          last = k->multipliers.lambda + k->nrow;
    *s                      = (implicit_solve){.k = k, .f = f, .n = f->n, .ny = k->function->nvariable};
    const size_t n = (size_t)s->n, ny = (size_t)s->ny, width = n + ny, rows = (size_t)k->nrow + 1;
    s->substitution = cd_allocate((size_t)last + 1, sizeof *s->substitution);
    s->variables_yz = cd_allocate(width + 1, sizeof *s->variables_yz);
    s->L            = cd_allocate(n * n + 1, sizeof *s->L);
    s->D            = cd_allocate(n + 1, sizeof *s->D);
    s->z_y          = cd_allocate(n * ny + 1, sizeof *s->z_y);
    s->one          = cd_allocate(width + 1, sizeof *s->one);
    s->all          = cd_allocate((rows > width ? rows : width) * width + 1, sizeof *s->all);
    if (!s->substitution || !s->variables_yz || !s->L || !s->D || !s->z_y || !s->one || !s->all) return false;
    for (int i = 0; i < last; ++i)
        s->substitution[i] = i >= f->z && i < f->z + s->n ? f->value[i - f->z] : cd_input(k->graph, i);
    for (int i = 0; i < s->ny; ++i) s->variables_yz[i] = k->function->variable[i];
    for (int i = 0; i < s->n; ++i) s->variables_yz[s->ny + i] = f->z + i;
    return true;
}

static void implicit_end(implicit_solve* s)
{
    free(s->substitution), free(s->variables_yz), free(s->L), free(s->D), free(s->z_y), free(s->one), free(s->all);
}

static bool substitute(const implicit_solve* s, int count, cd_node* node)
{
    return cd_graph_copy_substituted(s->k->graph, s->k->graph, count, node, s->substitution, node);
}

static bool factor(implicit_solve* s)
{
    const int n = s->n;
    memcpy(s->L, s->f->M, (size_t)(n * n) * sizeof *s->L);
    if (!substitute(s, n * n, s->L)) return false;
    for (int j = 0; j < n; ++j) {
        s->D[j] = s->L[j * n + j];
        for (int k = 0; k < j; ++k)
            s->D[j] = minus(s, s->D[j], times(s, s->D[k], times(s, s->L[j * n + k], s->L[j * n + k])));
        for (int i = j + 1; i < n; ++i) {
            cd_node sum = s->L[i * n + j];
            for (int k = 0; k < j; ++k)
                sum = minus(s, sum, times(s, s->L[i * n + k], times(s, s->D[k], s->L[j * n + k])));
            s->L[i * n + j] = cd_binary(s->k->graph, CD_DIV, sum, s->D[j]);
        }
    }
    return true;
}

// x = -M^-1 x, elements at distance `stride`
static void solve(const implicit_solve* s, cd_node* x, int stride)
{
    const int n = s->n;
    for (int i = 0; i < n; ++i) {
        x[i * stride] = cd_unary(s->k->graph, CD_NEG, x[i * stride]);
        for (int k = 0; k < i; ++k) x[i * stride] = minus(s, x[i * stride], times(s, s->L[i * n + k], x[k * stride]));
    }
    for (int i = n - 1; i >= 0; --i) {
        x[i * stride] = cd_binary(s->k->graph, CD_DIV, x[i * stride], s->D[i]);
        for (int k = i + 1; k < n; ++k)
            x[i * stride] = minus(s, x[i * stride], times(s, s->L[k * n + i], x[k * stride]));
    }
}

// Compute z_y.
static bool make_acceleration_jacobian(implicit_solve* s)
{
    const int ny = s->ny;
    for (int i = 0; i < s->n; ++i)
        if (cd_gradient(s->k->graph, s->f->F[i], ny, s->variables_yz, s->z_y + i * ny) != CARDAN_OK) return false;
    if (!substitute(s, s->n * ny, s->z_y)) return false;
    for (int j = 0; j < ny; ++j) solve(s, s->z_y + j, ny);
    return true;
}

static bool make_values(implicit_solve* s)
{
    function_builder* k   = s->k;
    cd_node*          all = cd_allocate((size_t)k->nrow + 1, sizeof *all);
    if (!all) return false;
    for (int i = 0; i < k->nrow; ++i) all[i] = k->row[i];
    if (k->objective >= 0) all[k->nrow] = k->objective;
    const int  n  = k->nrow + (k->objective >= 0);
    const bool ok = substitute(s, n, all) && cd_block_function_set_evaluator(k, CD_ORDER_VALUE, n, all);
    free(all);
    return ok;
}

static bool make_jacobian(implicit_solve* s)
{
    function_builder* k     = s->k;
    const int         width = s->ny + s->n;
    int               nrow  = 0;
    for (int r = 0; r <= k->nrow; ++r) {
        const cd_node node = r < k->nrow ? k->row[r] : k->objective;
        if (node >= 0 && cd_gradient(k->graph, node, width, s->variables_yz, s->all + (nrow++) * width) != CARDAN_OK)
            return false;
    }
    if (!substitute(s, nrow * width, s->all)) return false;
    for (int r = 0; r < nrow; ++r) {
        cd_node* g = s->all + r * width;
        for (int j = 0; j < s->ny; ++j) {
            cd_node sum = g[j];
            for (int i = 0; i < s->n; ++i) sum = plus(s, sum, times(s, g[s->ny + i], s->z_y[i * s->ny + j]));
            s->all[r * s->ny + j] = sum; // in place: the write index never exceeds the read index
        }
    }
    return cd_block_function_set_jacobian(k, s->all);
}

// Return column j of a row (wide) of the Hessian over y and z times [1; z_y].
static cd_node times_tangent_column(const implicit_solve* s, const cd_node* row, int j)
{
    cd_node sum = row[j];
    for (int i = 0; i < s->n; ++i) sum = plus(s, sum, times(s, row[s->ny + i], s->z_y[i * s->ny + j]));
    return sum;
}

static bool make_hessian(implicit_solve* s)
{
    function_builder* k     = s->k;
    const int         width = s->ny + s->n;
    cd_node           L     = cd_block_function_lagrangian(k);
    cd_seed*          seed  = cd_allocate((size_t)width + 1, sizeof *seed);
    int*              from  = cd_allocate((size_t)width + 1, sizeof *from);
    const cd_node     unit  = cd_constant(k->graph, 1);
    bool ok = seed && from && cd_gradient(k->graph, L, s->n, s->variables_yz + s->ny, s->one) == CARDAN_OK &&
              substitute(s, s->n, s->one);
    if (ok) {
        solve(s, s->one, 1);
        for (int i = 0; i < s->n; ++i) {
            s->substitution[s->f->w + i] = s->one[i];
            L                            = plus(s, L, times(s, cd_input(k->graph, s->f->w + i), s->f->F[i]));
        }
        ok = cd_gradient(k->graph, L, width, s->variables_yz, s->one) == CARDAN_OK;
    }
    for (int i = 0; ok && i < width; ++i) {
        from[i + 1] = i + 1;
        seed[i]     = (cd_seed){s->variables_yz[i], unit};
    }
    ok = ok && cd_directional_derivatives(k->graph, width, s->one, width, from, seed, s->all) == CARDAN_OK &&
         substitute(s, width * width, s->all);
    cd_node* H = cd_allocate((size_t)width * (size_t)s->ny + 1, sizeof *H);
    ok         = ok && H;
    for (int r = 0; ok && r < width; ++r)
        for (int j = 0; j < s->ny; ++j) H[r * s->ny + j] = times_tangent_column(s, s->all + r * width, j);
    for (int i = 0; ok && i < s->ny; ++i)
        for (int j = 0; j <= i; ++j) {
            cd_node sum = H[i * s->ny + j];
            for (int r = 0; r < s->n; ++r)
                sum = plus(s, sum, times(s, s->z_y[r * s->ny + i], H[(s->ny + r) * s->ny + j]));
            s->all[j * s->ny + i] = sum;
        }
    ok = ok && cd_block_function_set_hessian(k, s->all);
    free(H);
    free(seed);
    free(from);
    return ok;
}

bool cd_block_function_build_implicit(function_builder* k)
{
    implicit_solve s;
    const bool     ok = implicit_begin(k, &s) && factor(&s) && make_acceleration_jacobian(&s) && make_values(&s) &&
                    make_jacobian(&s) && make_hessian(&s);
    implicit_end(&s);
    return ok;
}
