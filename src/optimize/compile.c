// SPDX-License-Identifier: BSD-3-Clause
// Functions of all kinds as compiled code. Compiling pays where a solve on tapes would take a fair part of it: what is
// compiled is kept, and tasks are solved more often than once, with other targets, guesses and bounds, which are not in
// the functions. The choice depends on the program alone, so that the same task gives the same numbers whether it was
// solved before or not.
#include "optimize/chain.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOLVES = 8, ITERATIONS = 40 };

static const double tape_operation = 3e-9;                                 // [s] on tapes
static const double per_operation = 1.5e-4, to_begin = 0.1, hardly = 0.02; // [s] of a compiler
static const double allowed = 1e-9; // difference of tapes and code beside the largest result

// Whether compiling a kind takes no longer than some solves on tapes, which depends on the number of its blocks, not on
// their size; or hardly any time, while others are compiled: then for its blocks side by side.
static bool pays(const cd_chain* p, const cd_kind* kind, cd_compile_wish wish)
{
    const double blocks = p->first[kind->index + 1] - p->first[kind->index];
    const double size =
        (double)(kind->function[CD_VALUE].size + kind->function[CD_SLOPE].size + kind->function[CD_CURVE].size);
    return wish == CD_COMPILE_ALWAYS || per_operation <= SOLVES * ITERATIONS * tape_operation * blocks ||
           (blocks >= CD_GROUP && per_operation * size <= hardly);
}

// Whether all of them together do, with what a compiler takes to begin.
static bool all_pay(const cd_chain* p, cd_compile_wish wish)
{
    double saved = 0;
    for (int k = 0; k < p->nkind; ++k)
        for (int t = 0; t < CD_DERIVATIVES && pays(p, p->kind[k], wish); ++t)
            saved += (SOLVES * ITERATIONS * tape_operation * (p->first[k + 1] - p->first[k]) - per_operation) *
                     (double)p->kind[k]->function[t].size;
    return wish == CD_COMPILE_ALWAYS || saved > to_begin;
}

static void use(cd_chain* p, const cd_functions* code, cd_compile_wish wish)
{
    for (int k = 0, i = 0; k < p->nkind; ++k) {
        cd_kind* kind = p->kind[k];
        if (!pays(p, kind, wish)) continue;
        kind->group = code ? CD_GROUP : 1;
        for (int t = 0; t < CD_DERIVATIVES; ++t)
            if (kind->function[t].count > 0) kind->function[t].batch = code ? cd_functions_at(code, i++) : NULL;
    }
}

// Everything at the start: rows, Jacobian, gradient, Hessian with multipliers that are all different.
static bool evaluate(cd_chain* p, double* x, double* all)
{
    double* lambda = cd_allocate((size_t)p->m + 1, sizeof *lambda);
    if (!lambda) return false;
    for (int i = 0; i < p->m; ++i) lambda[i] = 1 + 0.5 * sin(i);
    cd_chain_rows(p, x, all);
    cd_chain_jacobian(p, x, all + p->m);
    cd_chain_gradient(p, x, all + p->m + p->njacobian);
    cd_chain_hessian(p, x, 1, lambda, all + p->m + p->njacobian + p->n);
    free(lambda);
    return true;
}

static bool agrees(int n, const double* a, const double* b)
{
    double largest = 0, off = 0;
    for (int i = 0; i < n; ++i) {
        if (isfinite(a[i]) != isfinite(b[i])) return false;
        if (!isfinite(a[i])) continue;
        largest = fmax(largest, fabs(a[i]));
        off     = fmax(off, fabs(a[i] - b[i]));
    }
    return off <= allowed * fmax(largest, 1);
}

// Tapes and code near the start; code is in use afterwards where they agree.
static cardan_status compare(cd_chain* p, const cd_functions* code, cd_compile_wish wish)
{
    const int     part[] = {p->m, p->njacobian, p->n, p->nhessian};
    const size_t  count  = (size_t)p->m + (size_t)p->njacobian + (size_t)p->n + (size_t)p->nhessian;
    double*       x      = cd_allocate((size_t)p->n + 2 * count + 1, sizeof *x);
    cardan_status status = x ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (x) {
        double *a = x + p->n, *b = a + count;
        for (int i = 0; i < p->n; ++i) x[i] = p->x_start[i] + 0.01 * sin(3.0 * i);
        bool ok = evaluate(p, x, a);
        use(p, code, wish);
        ok = ok && cd_chain_group(p, CD_GROUP) && evaluate(p, x, b);
        if (!ok) status = CARDAN_NO_MEMORY;
        for (int i = 0; status == CARDAN_OK && i < 4; a += part[i], b += part[i], ++i)
            if (!agrees(part[i], a, b)) status = CARDAN_UNSUPPORTED;
    }
    free(x);
    return status;
}

static cardan_status back_to_tapes(cd_chain* p, cd_compile_wish wish)
{
    use(p, NULL, wish);
    cd_functions_close(p->code);
    p->code = NULL;
    return cd_chain_group(p, 1) ? CARDAN_OK : CARDAN_NO_MEMORY;
}

static int list_functions(const cd_chain* p, cd_compile_wish wish, cd_outputs* list)
{
    static const char* const what[CD_DERIVATIVES] = {"value", "slope", "curve"};
    int                      n                    = 0;
    for (int k = 0; k < p->nkind; ++k)
        for (int t = 0; t < CD_DERIVATIVES; ++t) {
            const cd_function* f = &p->kind[k]->function[t];
            if (f->count == 0 || !pays(p, p->kind[k], wish)) continue;
            list[n] = (cd_outputs){.count = f->count, .node = f->node};
            snprintf(list[n++].name, sizeof list->name, "f%d_%s", k, what[t]);
        }
    return n;
}

cardan_status cd_chain_compile(cd_chain* p, const cd_graph* graph, cd_compile_wish wish, cardan_place place,
                               cardan_report* report)
{
    if (wish == CD_COMPILE_NEVER || !all_pay(p, wish)) return CARDAN_OK;
    cd_functions_facts facts;
    cardan_report      said;
    cardan_report_clear(&said);
    cd_outputs* list = cd_allocate((size_t)p->nkind * CD_DERIVATIVES + 1, sizeof *list);
    if (!list) return CARDAN_NO_MEMORY;
    const int     n      = list_functions(p, wish, list);
    cardan_status status = cd_functions_open(graph, p->ninput, CD_GROUP, n, list, &p->code, &facts, &said);
    free(list);
    if (status == CARDAN_OK) {
        status = compare(p, p->code, wish);
        if (status == CARDAN_UNSUPPORTED)
            cardan_fail(&said, status, CARDAN_CODE_GENERATED_CODE_MISMATCH, place,
                        "compiled functions of the task miss those of the tapes");
        if (status != CARDAN_OK && back_to_tapes(p, wish) != CARDAN_OK) status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_NO_MEMORY) return status;
    if (status == CARDAN_UNSUPPORTED && said.count > 0)
        cardan_note(report, CARDAN_CODE_FUNCTIONS_INTERPRETED, place, "functions are interpreted: %s",
                    cardan_message_sentence(&said.message[0]));
    p->seconds = 0;
    return CARDAN_OK;
}
