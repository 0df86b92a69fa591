// SPDX-License-Identifier: BSD-3-Clause
// A function of the stage with its derivatives as tapes. Jacobian: reverse, row by row. Hessian of sigma f + lambda'g: forward over its
// gradient, lower triangle. What is no constant zero in the graph is an entry.
#include "optimize/chain.h"

#include "core/memory.h"
#include "expression/inside.h"

#include <stdlib.h>
#include <string.h>

typedef struct making {
    cd_graph*      graph;
    cd_kind*       kind;
    int            nrow, ninput;
    const cd_node* row;
    cd_node        objective;
    cd_multipliers multipliers;
} making;

static bool is_nothing(const cd_graph* graph, cd_node node)
{
    double value;
    return cd_node_is_constant(graph, node, &value) && value == 0;
}

// The unknowns that anything depends on.
static bool choose_variables(making* k, const bool* unknown)
{
    bool*    depends = cd_allocate((size_t)k->ninput + 1, sizeof *depends);
    cd_node* all     = cd_allocate((size_t)k->nrow + 1, sizeof *all);
    bool     ok      = depends && all;
    for (int i = 0; ok && i < k->nrow; ++i) all[i] = k->row[i];
    const int n = k->nrow + (k->objective >= 0);
    if (ok && k->objective >= 0) all[k->nrow] = k->objective;
    ok = ok && cd_dependence(k->graph, n, all, k->ninput, depends) == CARDAN_OK;
    int count = 0;
    for (int i = 0; ok && i < k->ninput; ++i) count += depends[i];
    k->kind->variable = cd_allocate((size_t)count + 1, sizeof *k->kind->variable);
    k->kind->setting  = cd_allocate((size_t)count + 1, sizeof *k->kind->setting);
    ok                = ok && k->kind->variable && k->kind->setting;
    for (int i = 0; ok && i < k->ninput; ++i) {
        if (!depends[i]) continue;
        if (unknown[i]) k->kind->variable[k->kind->nvariable++] = i;
        else k->kind->setting[k->kind->nsetting++] = i;
    }
    free(all);
    free(depends);
    return ok;
}

// Keeps the nodes and makes a tape of them.
static bool make_function(making* k, cd_which which, int count, const cd_node* node)
{
    cd_function* f = &k->kind->function[which];
    cd_reach     reach;
    *f = (cd_function){.count = count, .node = cd_allocate((size_t)count + 1, sizeof *f->node)};
    if (!f->node) return false;
    memcpy(f->node, node, (size_t)count * sizeof *node);
    f->tape = cd_tape_create(k->graph, count, node);
    if (!f->tape || !cd_reach_collect(&reach, k->graph, count, node)) return false;
    f->size = reach.count;
    cd_reach_release(&reach);
    return true;
}

static bool make_values(making* k)
{
    cd_node* all = cd_allocate((size_t)k->nrow + 1, sizeof *all);
    if (!all) return false;
    for (int i = 0; i < k->nrow; ++i) all[i] = k->row[i];
    all[k->nrow]  = k->objective;
    const bool ok = make_function(k, CD_VALUE, k->nrow + (k->objective >= 0), all);
    free(all);
    return ok;
}

static bool make_slopes(making* k)
{
    cd_kind*     kind = k->kind;
    const size_t n    = (size_t)kind->nvariable, most = ((size_t)k->nrow + 1) * n + 1;
    cd_node*     all  = cd_allocate(most, sizeof *all);
    cd_node*     one  = cd_allocate(n + 1, sizeof *one);
    kind->jacobian    = cd_allocate(most, sizeof *kind->jacobian);
    kind->gradient    = cd_allocate(n + 1, sizeof *kind->gradient);
    bool ok           = all && one && kind->jacobian && kind->gradient;
    int  count        = 0;
    for (int r = 0; ok && r <= k->nrow; ++r) {
        const cd_node node = r < k->nrow ? k->row[r] : k->objective;
        if (node < 0) continue;
        ok = cd_gradient(k->graph, node, kind->nvariable, kind->variable, one) == CARDAN_OK;
        for (int i = 0; ok && i < kind->nvariable; ++i) {
            if (is_nothing(k->graph, one[i])) continue;
            all[count++] = one[i];
            if (r < k->nrow) kind->jacobian[kind->njacobian++] = (cd_entry){r, i};
            else kind->gradient[kind->ngradient++] = i;
        }
    }
    ok = ok && make_function(k, CD_SLOPE, count, all);
    free(one);
    free(all);
    return ok;
}

// sigma f + lambda'g
static cd_node lagrangian(making* k)
{
    cd_node sum = cd_constant(k->graph, 0);
    if (k->objective >= 0) sum = cd_binary(k->graph, CD_MUL, cd_input(k->graph, k->multipliers.sigma), k->objective);
    for (int i = 0; i < k->nrow; ++i)
        sum = cd_binary(k->graph, CD_ADD, sum, cd_binary(k->graph, CD_MUL, cd_input(k->graph, k->multipliers.lambda + i), k->row[i]));
    return sum;
}

static bool make_curves(making* k)
{
    cd_kind*     kind = k->kind;
    const size_t n    = (size_t)kind->nvariable;
    cd_node*     one  = cd_allocate(n + 1, sizeof *one);
    cd_node*     all  = cd_allocate(n * n + 1, sizeof *all);
    int*         from = cd_allocate(n + 1, sizeof *from);
    cd_seed*     seed = cd_allocate(n + 1, sizeof *seed);
    kind->hessian     = cd_allocate(n * (n + 1) / 2 + 1, sizeof *kind->hessian);
    const cd_node L   = lagrangian(k), unit = cd_constant(k->graph, 1);
    bool          ok  = one && all && from && seed && kind->hessian && L >= 0 && unit >= 0;
    ok                = ok && cd_gradient(k->graph, L, kind->nvariable, kind->variable, one) == CARDAN_OK;
    for (int i = 0; ok && i < kind->nvariable; ++i) {
        from[i + 1] = i + 1;
        seed[i]     = (cd_seed){kind->variable[i], unit};
    }
    ok = ok && cd_directional(k->graph, kind->nvariable, one, kind->nvariable, from, seed, all) == CARDAN_OK;
    for (int j = 0; ok && j < kind->nvariable; ++j)
        for (int i = j; i < kind->nvariable; ++i) {
            const cd_node node = all[(size_t)j * n + (size_t)i];
            if (is_nothing(k->graph, node)) continue;
            all[kind->nhessian]             = node;  // never ahead of what is read
            kind->hessian[kind->nhessian++] = (cd_entry){i, j};
        }
    ok = ok && make_function(k, CD_CURVE, kind->nhessian, all);
    free(seed);
    free(from);
    free(all);
    free(one);
    return ok;
}

cd_kind* cd_kind_create(cd_graph* graph, const char* name, int nrow, const cd_node* row, cd_node objective, int ninput, const bool* unknown,
                        cd_multipliers multipliers)
{
    cd_kind* kind = cd_allocate(1, sizeof *kind);
    if (!kind) return NULL;
    kind->name = name;
    kind->nrow = nrow;
    making k   = {graph, kind, nrow, ninput, row, objective, multipliers};
    if (choose_variables(&k, unknown) && make_values(&k) && make_slopes(&k) && make_curves(&k)) return kind;
    cd_kind_destroy(kind);
    return NULL;
}

void cd_kind_destroy(cd_kind* kind)
{
    if (!kind) return;
    free(kind->variable);
    free(kind->jacobian);
    free(kind->gradient);
    free(kind->hessian);
    for (int i = 0; i < CD_DERIVATIVES; ++i) {
        free(kind->function[i].node);
        cd_tape_destroy(kind->function[i].tape);
    }
    free(kind->setting);
    free(kind);
}
