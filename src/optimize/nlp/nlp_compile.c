// SPDX-License-Identifier: BSD-3-Clause
// Compilation of the block functions. Compiling pays if solving on tapes would take a considerable part of its
// time: compiled code is cached, and tasks are solved repeatedly with other targets, guesses and bounds, which are
// not part of the functions. The decision depends only on the NLP, so that a task gives the same numbers whether it
// was solved before or not.
#include "optimize/nlp/block_nlp.h"

#include "core/memory.h"
#include "optimize/optimize_tolerances.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPECTED_SOLVES = 8, EXPECTED_ITERATIONS = 40 };

static const double tape_operation_time    = 3e-9; // [s] per operation on a tape
static const double compile_operation_time = 1.5e-4, compile_startup_time = 0.1,
                    negligible_compile_time = 0.02; // [s] per operation, to start the compiler, negligible

// Return whether compiling a function takes no longer than EXPECTED_SOLVES solves on tapes, which depends on the number
// of its blocks, not on its size; or negligible time, so that its blocks are evaluated in groups.
static bool is_worth_compiling(const cd_block_nlp* p, const cd_block_function* function, cd_compile_mode mode)
{
    const double blocks = p->first_of_function[function->index + 1] - p->first_of_function[function->index];
    const double size =
        (double)(function->evaluator[CD_ORDER_VALUE].operations + function->evaluator[CD_ORDER_JACOBIAN].operations +
                 function->evaluator[CD_ORDER_HESSIAN].operations);
    return mode == CD_COMPILE_ALWAYS ||
           compile_operation_time <= EXPECTED_SOLVES * EXPECTED_ITERATIONS * tape_operation_time * blocks ||
           (blocks >= CD_BLOCK_GROUP_MAX && compile_operation_time * size <= negligible_compile_time);
}

// Return whether all functions together save more time than the compiler takes to start.
static bool program_is_worth_compiling(const cd_block_nlp* p, cd_compile_mode mode)
{
    double saved = 0;
    for (int k = 0; k < p->nfunction; ++k)
        for (int t = 0; t < CD_ORDER_COUNT && is_worth_compiling(p, p->function[k], mode); ++t)
            saved += (EXPECTED_SOLVES * EXPECTED_ITERATIONS * tape_operation_time *
                          (p->first_of_function[k + 1] - p->first_of_function[k]) -
                      compile_operation_time) *
                     (double)p->function[k]->evaluator[t].operations;
    return mode == CD_COMPILE_ALWAYS || saved > compile_startup_time;
}

static void select_code(cd_block_nlp* p, const cd_compiled_functions* code, cd_compile_mode mode)
{
    for (int k = 0, i = 0; k < p->nfunction; ++k) {
        cd_block_function* function = p->function[k];
        if (!is_worth_compiling(p, function, mode)) continue;
        function->group_size = code ? CD_BLOCK_GROUP_MAX : 1;
        for (int t = 0; t < CD_ORDER_COUNT; ++t)
            if (function->evaluator[t].count > 0)
                function->evaluator[t].batch = code ? cd_compiled_functions_at(code, i++) : NULL;
    }
}

// Evaluate rows, Jacobian, gradient and Hessian at x, with multipliers that are all different.
static bool evaluate_all(cd_block_nlp* p, double* x, double* all)
{
    double* lambda = cd_allocate((size_t)p->m + 1, sizeof *lambda);
    if (!lambda) return false;
    for (int i = 0; i < p->m; ++i) lambda[i] = 1 + 0.5 * sin(i);
    cd_block_nlp_constraints(p, x, all);
    cd_block_nlp_jacobian(p, x, all + p->m);
    cd_block_nlp_gradient(p, x, all + p->m + p->njacobian);
    cd_block_nlp_hessian(p, x, 1, lambda, all + p->m + p->njacobian + p->n);
    free(lambda);
    return true;
}

static bool results_agree(int n, const double* a, const double* b)
{
    double largest = 0, max_difference = 0;
    for (int i = 0; i < n; ++i) {
        if (isfinite(a[i]) != isfinite(b[i])) return false;
        if (!isfinite(a[i])) continue;
        largest        = fmax(largest, fabs(a[i]));
        max_difference = fmax(max_difference, fabs(a[i] - b[i]));
    }
    return max_difference <= cd_compiled_difference_tolerance * fmax(largest, 1);
}

// Compare tapes and code near the start; the code is in use afterwards. Returns CARDAN_UNSUPPORTED if they differ.
static cardan_status compare_with_tapes(cd_block_nlp* p, const cd_compiled_functions* code, cd_compile_mode mode)
{
    const int     part[] = {p->m, p->njacobian, p->n, p->nhessian};
    const size_t  count  = (size_t)p->m + (size_t)p->njacobian + (size_t)p->n + (size_t)p->nhessian;
    double*       x      = cd_allocate((size_t)p->n + 2 * count + 1, sizeof *x);
    cardan_status status = x ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (x) {
        double *a = x + p->n, *b = a + count;
        for (int i = 0; i < p->n; ++i) x[i] = p->x_start[i] + 0.01 * sin(3.0 * i);
        bool ok = evaluate_all(p, x, a);
        select_code(p, code, mode);
        ok = ok && cd_block_nlp_set_group_size(p, CD_BLOCK_GROUP_MAX) && evaluate_all(p, x, b);
        if (!ok) status = CARDAN_NO_MEMORY;
        for (int i = 0; status == CARDAN_OK && i < 4; a += part[i], b += part[i], ++i)
            if (!results_agree(part[i], a, b)) status = CARDAN_UNSUPPORTED;
    }
    free(x);
    return status;
}

static cardan_status revert_to_tapes(cd_block_nlp* p, cd_compile_mode mode)
{
    select_code(p, NULL, mode);
    cd_compiled_functions_close(p->compiled_code);
    p->compiled_code = NULL;
    return cd_block_nlp_set_group_size(p, 1) ? CARDAN_OK : CARDAN_NO_MEMORY;
}

static int list_functions(const cd_block_nlp* p, cd_compile_mode mode, cd_function_outputs* list)
{
    static const char* const what[CD_ORDER_COUNT] = {"value", "jacobian", "hessian"};
    int                      n                    = 0;
    for (int k = 0; k < p->nfunction; ++k)
        for (int t = 0; t < CD_ORDER_COUNT; ++t) {
            const cd_block_evaluator* f = &p->function[k]->evaluator[t];
            if (f->count == 0 || !is_worth_compiling(p, p->function[k], mode)) continue;
            list[n] = (cd_function_outputs){.count = f->count, .node = f->node};
            snprintf(list[n++].name, sizeof list->name, "f%d_%s", k, what[t]);
        }
    return n;
}

cardan_status cd_block_nlp_compile(cd_block_nlp* p, const cd_graph* graph, cd_compile_mode mode,
                                   cardan_location location, cardan_report* report)
{
    if (mode == CD_COMPILE_NEVER || !program_is_worth_compiling(p, mode)) return CARDAN_OK;
    cd_compiled_functions_info info;
    cardan_report              messages;
    cardan_report_clear(&messages);
    cd_function_outputs* list = cd_allocate((size_t)p->nfunction * CD_ORDER_COUNT + 1, sizeof *list);
    if (!list) return CARDAN_NO_MEMORY;
    const int     n = list_functions(p, mode, list);
    cardan_status status =
        cd_compiled_functions_open(graph, p->ninput, CD_BLOCK_GROUP_MAX, n, list, &p->compiled_code, &info, &messages);
    free(list);
    if (status == CARDAN_OK) {
        status = compare_with_tapes(p, p->compiled_code, mode);
        if (status == CARDAN_UNSUPPORTED)
            cardan_fail(&messages, status, CARDAN_CODE_GENERATED_CODE_MISMATCH, location,
                        "compiled functions of the task differ from the interpreted ones");
        if (status != CARDAN_OK && revert_to_tapes(p, mode) != CARDAN_OK) status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_NO_MEMORY) return status;
    if (status == CARDAN_UNSUPPORTED && messages.count > 0)
        cardan_note(report, CARDAN_CODE_FUNCTIONS_INTERPRETED, location, "functions are interpreted: %s",
                    cardan_message_sentence(&messages.message[0]));
    p->cpu_time = 0;
    return CARDAN_OK;
}
