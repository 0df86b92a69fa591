// SPDX-License-Identifier: BSD-3-Clause
// Block function with its derivatives. Jacobian: reverse mode, row by row. Hessian of sigma f + lambda'g: forward mode
// over its gradient, lower triangle. Nodes that are not a constant zero become entries.
#include "optimize/nlp/block_function_builder.h"

#include "core/memory.h"
#include "expression/graph_internal.h"

#include <stdlib.h>
#include <string.h>

static bool is_zero_node(const cd_graph* graph, cd_node node)
{
    double value;
    return cd_node_is_constant(graph, node, &value) && value == 0;
}

// Find the inputs on which rows and objective depend, directly or through accelerations.
static bool find_dependence(function_builder* k, bool* depends)
{
    const cd_implicit* f                    = k->implicit;
    const int          n                    = k->nrow + (k->objective >= 0);
    cd_node*           all                  = cd_allocate((size_t)n + 1, sizeof *all);
    bool*              accelerations_depend = cd_allocate((size_t)k->ninput + 1, sizeof *accelerations_depend);
    bool               ok                   = all && accelerations_depend;
    for (int i = 0; ok && i < k->nrow; ++i) all[i] = k->row[i];
    if (ok && k->objective >= 0) all[k->nrow] = k->objective;
    ok                     = ok && cd_dependence(k->graph, n, all, k->ninput, depends) == CARDAN_OK;
    bool uses_acceleration = false;
    for (int i = 0; ok && f && i < f->n; ++i) {
        uses_acceleration = uses_acceleration || depends[f->z + i];
        depends[f->z + i] = false;
    }
    if (!uses_acceleration)
        k->implicit = NULL;
    else if (ok) {
        ok = cd_dependence(k->graph, f->n, f->value, k->ninput, accelerations_depend) == CARDAN_OK;
        for (int i = 0; ok && i < k->ninput; ++i) depends[i] = depends[i] || accelerations_depend[i];
    }
    free(all);
    free(accelerations_depend);
    return ok;
}

// Choose the unknowns and parameters on which any output depends.
static bool choose_variables(function_builder* k, const bool* unknown)
{
    bool* depends = cd_allocate((size_t)k->ninput + 1, sizeof *depends);
    bool  ok      = depends && find_dependence(k, depends);
    int   count   = 0;
    for (int i = 0; ok && i < k->ninput; ++i) count += depends[i];
    k->function->variable  = cd_allocate((size_t)count + 1, sizeof *k->function->variable);
    k->function->parameter = cd_allocate((size_t)count + 1, sizeof *k->function->parameter);
    ok                     = ok && k->function->variable && k->function->parameter;
    for (int i = 0; ok && i < k->ninput; ++i) {
        if (!depends[i]) continue;
        if (unknown[i])
            k->function->variable[k->function->nvariable++] = i;
        else
            k->function->parameter[k->function->nparameter++] = i;
    }
    free(depends);
    return ok;
}

bool cd_block_function_set_evaluator(function_builder* k, cd_derivative_order which, int count, const cd_node* node)
{
    cd_block_evaluator* f = &k->function->evaluator[which];
    cd_subgraph         subgraph;
    *f = (cd_block_evaluator){.count = count, .node = cd_allocate((size_t)count + 1, sizeof *f->node)};
    if (!f->node) return false;
    memcpy(f->node, node, (size_t)count * sizeof *node);
    f->tape = cd_tape_create(k->graph, count, node);
    if (!f->tape || !cd_subgraph_collect(&subgraph, k->graph, count, node)) return false;
    f->operations = subgraph.count;
    cd_subgraph_release(&subgraph);
    return true;
}

static bool make_values(function_builder* k)
{
    cd_node* all = cd_allocate((size_t)k->nrow + 1, sizeof *all);
    if (!all) return false;
    for (int i = 0; i < k->nrow; ++i) all[i] = k->row[i];
    all[k->nrow]  = k->objective;
    const bool ok = cd_block_function_set_evaluator(k, CD_ORDER_VALUE, k->nrow + (k->objective >= 0), all);
    free(all);
    return ok;
}

bool cd_block_function_set_jacobian(function_builder* k, cd_node* all)
{
    cd_block_function* function = k->function;
    const int          n = function->nvariable, rows = k->nrow + (k->objective >= 0);
    int                count = 0;
    function->jacobian       = cd_allocate((size_t)(k->nrow * n) + 1, sizeof *function->jacobian);
    function->gradient       = cd_allocate((size_t)n + 1, sizeof *function->gradient);
    if (!function->jacobian || !function->gradient) return false;
    for (int r = 0; r < rows; ++r)
        for (int i = 0; i < n; ++i) {
            const cd_node node = all[r * n + i];
            if (is_zero_node(k->graph, node)) continue;
            all[count++] = node; // in place: the write index never exceeds the read index
            if (r < k->nrow)
                function->jacobian[function->njacobian++] = (cd_sparse_entry){r, i};
            else
                function->gradient[function->ngradient++] = i;
        }
    return cd_block_function_set_evaluator(k, CD_ORDER_JACOBIAN, count, all);
}

static bool make_jacobian(function_builder* k)
{
    const int n    = k->function->nvariable;
    cd_node*  all  = cd_allocate(((size_t)k->nrow + 1) * (size_t)n + 1, sizeof *all);
    bool      ok   = all != NULL;
    int       rows = 0;
    for (int r = 0; ok && r <= k->nrow; ++r) {
        const cd_node node = r < k->nrow ? k->row[r] : k->objective;
        if (node >= 0) ok = cd_gradient(k->graph, node, n, k->function->variable, all + (rows++) * n) == CARDAN_OK;
    }
    ok = ok && cd_block_function_set_jacobian(k, all);
    free(all);
    return ok;
}

cd_node cd_block_function_lagrangian(function_builder* k)
{
    cd_node sum = cd_constant(k->graph, 0);
    if (k->objective >= 0) sum = cd_binary(k->graph, CD_MUL, cd_input(k->graph, k->multipliers.sigma), k->objective);
    for (int i = 0; i < k->nrow; ++i)
        sum = cd_binary(k->graph, CD_ADD, sum,
                        cd_binary(k->graph, CD_MUL, cd_input(k->graph, k->multipliers.lambda + i), k->row[i]));
    return sum;
}

bool cd_block_function_set_hessian(function_builder* k, cd_node* all)
{
    cd_block_function* function = k->function;
    const int          n        = function->nvariable;
    function->hessian           = cd_allocate((size_t)(n * (n + 1) / 2) + 1, sizeof *function->hessian);
    if (!function->hessian) return false;
    for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i) {
            const cd_node node = all[j * n + i];
            if (is_zero_node(k->graph, node)) continue;
            all[function->nhessian]                 = node; // in place: the write index never exceeds the read index
            function->hessian[function->nhessian++] = (cd_sparse_entry){i, j};
        }
    return cd_block_function_set_evaluator(k, CD_ORDER_HESSIAN, function->nhessian, all);
}

static bool make_hessian(function_builder* k)
{
    const cd_block_function* function = k->function;
    const size_t             n        = (size_t)function->nvariable;
    cd_node*                 one      = cd_allocate(n + 1, sizeof *one);
    cd_node*                 all      = cd_allocate(n * n + 1, sizeof *all);
    int*                     from     = cd_allocate(n + 1, sizeof *from);
    cd_seed*                 seed     = cd_allocate(n + 1, sizeof *seed);
    const cd_node            L = cd_block_function_lagrangian(k), unit = cd_constant(k->graph, 1);
    bool                     ok = one && all && from && seed && L >= 0 && unit >= 0;
    ok = ok && cd_gradient(k->graph, L, function->nvariable, function->variable, one) == CARDAN_OK;
    for (int i = 0; ok && i < function->nvariable; ++i) {
        from[i + 1] = i + 1;
        seed[i]     = (cd_seed){function->variable[i], unit};
    }
    ok = ok &&
         cd_directional_derivatives(k->graph, function->nvariable, one, function->nvariable, from, seed, all) ==
             CARDAN_OK &&
         cd_block_function_set_hessian(k, all);
    free(seed);
    free(from);
    free(all);
    free(one);
    return ok;
}

cd_block_function* cd_block_function_create(cd_graph* graph, const char* name, int nrow, const cd_node* row,
                                            cd_node objective, int ninput, const bool* unknown,
                                            cd_multiplier_count multipliers, const cd_implicit* implicit)
{
    cd_block_function* function = cd_allocate(1, sizeof *function);
    if (!function) return NULL;
    function->name       = name;
    function->nrow       = nrow;
    function->group_size = 1;
    function_builder k   = {graph, function, nrow, ninput, row, objective, multipliers, implicit};
    bool             ok  = choose_variables(&k, unknown);
    if (ok)
        ok = k.implicit ? cd_block_function_build_implicit(&k)
                        : make_values(&k) && make_jacobian(&k) && make_hessian(&k);
    if (ok) return function;
    cd_block_function_destroy(function);
    return NULL;
}

void cd_block_function_destroy(cd_block_function* function)
{
    if (!function) return;
    free(function->variable);
    free(function->parameter);
    free(function->jacobian);
    free(function->gradient);
    free(function->hessian);
    for (int i = 0; i < CD_ORDER_COUNT; ++i) {
        free(function->evaluator[i].node);
        cd_tape_destroy(function->evaluator[i].tape);
    }
    free(function);
}
