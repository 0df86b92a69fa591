// SPDX-License-Identifier: BSD-3-Clause
// A function of the stage with its derivatives. Jacobian: reverse, row by row. Hessian of sigma f + lambda'g: forward
// over its gradient, lower triangle. What is no constant zero in the graph is an entry.
#include "optimize/kind_making.h"

#include "core/memory.h"
#include "expression/inside.h"

#include <stdlib.h>
#include <string.h>

static bool is_nothing(const cd_graph* graph, cd_node node)
{
    double value;
    return cd_node_is_constant(graph, node, &value) && value == 0;
}

// What rows and objective depend on; and what accelerations do that they depend on.
static bool find_dependence(making* k, bool* depends)
{
    const cd_implicit* f   = k->implicit;
    const int          n   = k->nrow + (k->objective >= 0);
    cd_node*           all = cd_allocate((size_t)n + 1, sizeof *all);
    bool*              own = cd_allocate((size_t)k->ninput + 1, sizeof *own);
    bool               ok  = all && own;
    for (int i = 0; ok && i < k->nrow; ++i) all[i] = k->row[i];
    if (ok && k->objective >= 0) all[k->nrow] = k->objective;
    ok           = ok && cd_dependence(k->graph, n, all, k->ninput, depends) == CARDAN_OK;
    bool through = false;
    for (int i = 0; ok && f && i < f->n; ++i) {
        through           = through || depends[f->z + i];
        depends[f->z + i] = false;
    }
    if (!through)
        k->implicit = NULL;
    else if (ok) {
        ok = cd_dependence(k->graph, f->n, f->value, k->ninput, own) == CARDAN_OK;
        for (int i = 0; ok && i < k->ninput; ++i) depends[i] = depends[i] || own[i];
    }
    free(all);
    free(own);
    return ok;
}

// The unknowns that anything depends on.
static bool choose_variables(making* k, const bool* unknown)
{
    bool* depends = cd_allocate((size_t)k->ninput + 1, sizeof *depends);
    bool  ok      = depends && find_dependence(k, depends);
    int   count   = 0;
    for (int i = 0; ok && i < k->ninput; ++i) count += depends[i];
    k->kind->variable = cd_allocate((size_t)count + 1, sizeof *k->kind->variable);
    k->kind->setting  = cd_allocate((size_t)count + 1, sizeof *k->kind->setting);
    ok                = ok && k->kind->variable && k->kind->setting;
    for (int i = 0; ok && i < k->ninput; ++i) {
        if (!depends[i]) continue;
        if (unknown[i])
            k->kind->variable[k->kind->nvariable++] = i;
        else
            k->kind->setting[k->kind->nsetting++] = i;
    }
    free(depends);
    return ok;
}

bool cd_kind_function(making* k, cd_which which, int count, const cd_node* node)
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
    const bool ok = cd_kind_function(k, CD_VALUE, k->nrow + (k->objective >= 0), all);
    free(all);
    return ok;
}

bool cd_kind_slopes(making* k, cd_node* all)
{
    cd_kind*  kind = k->kind;
    const int n = kind->nvariable, rows = k->nrow + (k->objective >= 0);
    int       count = 0;
    kind->jacobian  = cd_allocate((size_t)(k->nrow * n) + 1, sizeof *kind->jacobian);
    kind->gradient  = cd_allocate((size_t)n + 1, sizeof *kind->gradient);
    if (!kind->jacobian || !kind->gradient) return false;
    for (int r = 0; r < rows; ++r)
        for (int i = 0; i < n; ++i) {
            const cd_node node = all[r * n + i];
            if (is_nothing(k->graph, node)) continue;
            all[count++] = node; // never ahead of what is read
            if (r < k->nrow)
                kind->jacobian[kind->njacobian++] = (cd_entry){r, i};
            else
                kind->gradient[kind->ngradient++] = i;
        }
    return cd_kind_function(k, CD_SLOPE, count, all);
}

static bool make_slopes(making* k)
{
    const int n    = k->kind->nvariable;
    cd_node*  all  = cd_allocate(((size_t)k->nrow + 1) * (size_t)n + 1, sizeof *all);
    bool      ok   = all != NULL;
    int       rows = 0;
    for (int r = 0; ok && r <= k->nrow; ++r) {
        const cd_node node = r < k->nrow ? k->row[r] : k->objective;
        if (node >= 0) ok = cd_gradient(k->graph, node, n, k->kind->variable, all + (rows++) * n) == CARDAN_OK;
    }
    ok = ok && cd_kind_slopes(k, all);
    free(all);
    return ok;
}

cd_node cd_kind_lagrangian(making* k)
{
    cd_node sum = cd_constant(k->graph, 0);
    if (k->objective >= 0) sum = cd_binary(k->graph, CD_MUL, cd_input(k->graph, k->multipliers.sigma), k->objective);
    for (int i = 0; i < k->nrow; ++i)
        sum = cd_binary(k->graph, CD_ADD, sum,
                        cd_binary(k->graph, CD_MUL, cd_input(k->graph, k->multipliers.lambda + i), k->row[i]));
    return sum;
}

bool cd_kind_curves(making* k, cd_node* all)
{
    cd_kind*  kind = k->kind;
    const int n    = kind->nvariable;
    kind->hessian  = cd_allocate((size_t)(n * (n + 1) / 2) + 1, sizeof *kind->hessian);
    if (!kind->hessian) return false;
    for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i) {
            const cd_node node = all[j * n + i];
            if (is_nothing(k->graph, node)) continue;
            all[kind->nhessian]             = node; // never ahead of what is read
            kind->hessian[kind->nhessian++] = (cd_entry){i, j};
        }
    return cd_kind_function(k, CD_CURVE, kind->nhessian, all);
}

static bool make_curves(making* k)
{
    const cd_kind* kind = k->kind;
    const size_t   n    = (size_t)kind->nvariable;
    cd_node*       one  = cd_allocate(n + 1, sizeof *one);
    cd_node*       all  = cd_allocate(n * n + 1, sizeof *all);
    int*           from = cd_allocate(n + 1, sizeof *from);
    cd_seed*       seed = cd_allocate(n + 1, sizeof *seed);
    const cd_node  L = cd_kind_lagrangian(k), unit = cd_constant(k->graph, 1);
    bool           ok = one && all && from && seed && L >= 0 && unit >= 0;
    ok                = ok && cd_gradient(k->graph, L, kind->nvariable, kind->variable, one) == CARDAN_OK;
    for (int i = 0; ok && i < kind->nvariable; ++i) {
        from[i + 1] = i + 1;
        seed[i]     = (cd_seed){kind->variable[i], unit};
    }
    ok = ok && cd_directional(k->graph, kind->nvariable, one, kind->nvariable, from, seed, all) == CARDAN_OK &&
         cd_kind_curves(k, all);
    free(seed);
    free(from);
    free(all);
    free(one);
    return ok;
}

cd_kind* cd_kind_create(cd_graph* graph, const char* name, int nrow, const cd_node* row, cd_node objective, int ninput,
                        const bool* unknown, cd_multipliers multipliers, const cd_implicit* implicit)
{
    cd_kind* kind = cd_allocate(1, sizeof *kind);
    if (!kind) return NULL;
    kind->name  = name;
    kind->nrow  = nrow;
    kind->group = 1;
    making k    = {graph, kind, nrow, ninput, row, objective, multipliers, implicit};
    bool   ok   = choose_variables(&k, unknown);
    if (ok) ok = k.implicit ? cd_kind_implicit(&k) : make_values(&k) && make_slopes(&k) && make_curves(&k);
    if (ok) return kind;
    cd_kind_destroy(kind);
    return NULL;
}

void cd_kind_destroy(cd_kind* kind)
{
    if (!kind) return;
    free(kind->variable);
    free(kind->setting);
    free(kind->jacobian);
    free(kind->gradient);
    free(kind->hessian);
    for (int i = 0; i < CD_DERIVATIVES; ++i) {
        free(kind->function[i].node);
        cd_tape_destroy(kind->function[i].tape);
    }
    free(kind);
}
