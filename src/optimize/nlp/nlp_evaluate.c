// SPDX-License-Identifier: BSD-3-Clause
// Functions of the NLP and their derivatives: function by function, several blocks at once with compiled code,
// blocks of one shape together.
//
//   y = s + S x at a block:   g(y),   dg/dx = (dg/dy) S,   d2L/dx2 = S' (d2L/dy2) S
//
// Input i of block s of a group is stored at [i group_size + s]; results likewise.
#include "core/clock.h"
#include "optimize/nlp/block_nlp.h"

#include <math.h>
#include <string.h>

// Blocks of one function that are evaluated at once.
typedef struct block_group {
    const cd_block_function* function;
    const int*               block;
    int                      n;
} block_group;

// Get the group that begins at *at. Returns false at the end.
static bool next_group(const cd_block_nlp* p, const cd_block_function* function, int* at, block_group* g)
{
    const int last = p->first_of_function[function->index + 1], remaining = last - *at;
    if (remaining <= 0) return false;
    *g = (block_group){function, p->sorted_block + *at,
                       remaining < function->group_size ? remaining : function->group_size};
    *at += g->n;
    return true;
}

// Consecutive blocks of a group with the same shape.
typedef struct shape_run {
    const cd_block_shape* shape;
    const int*            block;
    int                   at, n; // first in the group; number of blocks
} shape_run;

// Get the run after *r; r->n is 0 before the first. Returns false at the end.
static bool next_run(const cd_block_nlp* p, const block_group* g, shape_run* r)
{
    const int at = r->at + r->n;
    if (at >= g->n) return false;
    *r = (shape_run){p->block[g->block[at]].shape, g->block + at, at, 1};
    while (at + r->n < g->n && p->block[g->block[at + r->n]].shape == r->shape) ++r->n;
    return true;
}

// Loops over the blocks of a run; inlined, so that loops over a whole group have constant length.
#define LANE_LOOP_FUNCTION static inline __attribute__((always_inline)) void

// Set the variables of a run of n blocks; consecutive variables are at distance `stride`.
LANE_LOOP_FUNCTION set_variables(const cd_block_nlp* p, const shape_run* r, int stride, const double* x, int n)
{
    const cd_block_function* function = r->shape->function;
    double *                 local = p->local, *input = p->input + r->at;
    for (int l = 0; l < n; ++l) {
        const cd_nlp_block* b = &p->block[r->block[l]];
        for (int u = 0; u < r->shape->nunknown; ++u) local[u * n + l] = x[b->unknown[u]];
        for (int i = 0; i < function->nvariable; ++i)
            input[function->variable[i] * stride + l] = b->value[function->nparameter + i];
    }
    for (int i = 0; i < function->nvariable; ++i) {
        double *y = input + function->variable[i] * stride, sum[CD_BLOCK_GROUP_MAX];
        for (int l = 0; l < n; ++l) sum[l] = y[l];
        for (int t = r->shape->first[i]; t < r->shape->first[i + 1]; ++t)
            for (int l = 0; l < n; ++l)
                sum[l] += r->shape->term[t].coefficient * local[r->shape->term[t].unknown * n + l];
        for (int l = 0; l < n; ++l) y[l] = sum[l];
    }
}

static void set_inputs(cd_block_nlp* p, const block_group* g, const double* x)
{
    const cd_block_function* function = g->function;
    shape_run                r        = {0};
    for (int s = 0; s < g->n; ++s)
        for (int i = 0; i < function->nparameter; ++i)
            p->input[function->parameter[i] * function->group_size + s] = p->block[g->block[s]].value[i];
    while (next_run(p, g, &r))
        if (r.n == CD_BLOCK_GROUP_MAX)
            set_variables(p, &r, function->group_size, x, CD_BLOCK_GROUP_MAX);
        else
            set_variables(p, &r, function->group_size, x, r.n);
}

// Compute result i of an entry combination for all blocks of a run.
LANE_LOOP_FUNCTION combine_entries(const cd_entry_combination* s, int i, const double* entry, int stride, double* sum,
                                   int n)
{
    for (int l = 0; l < n; ++l) sum[l] = 0;
    for (int t = s->first[i]; t < s->first[i + 1]; ++t)
        for (int l = 0; l < n; ++l) sum[l] += s->term[t].coefficient * entry[s->term[t].unknown * stride + l];
}

// Scatter derivatives of a block function to those of the NLP: entries of the Jacobian belong to one block and are
// written; others are added.
typedef void scatter(const cd_block_nlp* p, const shape_run* r, int stride, double* value, int n);

LANE_LOOP_FUNCTION scatter_jacobian(const cd_block_nlp* p, const shape_run* r, int stride, double* value, int n)
{
    double *to[CD_BLOCK_GROUP_MAX], sum[CD_BLOCK_GROUP_MAX];
    for (int l = 0; l < n; ++l) to[l] = value + p->block[r->block[l]].first_jacobian;
    for (int i = 0; i < r->shape->jacobian.n; ++i) {
        combine_entries(&r->shape->jacobian, i, p->output + r->at, stride, sum, n);
        for (int l = 0; l < n; ++l) to[l][i] = sum[l];
    }
}

LANE_LOOP_FUNCTION scatter_gradient(const cd_block_nlp* p, const shape_run* r, int stride, double* value, int n)
{
    double sum[CD_BLOCK_GROUP_MAX];
    for (int i = 0; i < r->shape->gradient.n; ++i) {
        combine_entries(&r->shape->gradient, i, p->output + r->at, stride, sum, n);
        for (int l = 0; l < n; ++l) value[p->block[r->block[l]].unknown[i]] += sum[l];
    }
}

LANE_LOOP_FUNCTION scatter_hessian(const cd_block_nlp* p, const shape_run* r, int stride, double* value, int n)
{
    double *   to[CD_BLOCK_GROUP_MAX], sum[CD_BLOCK_GROUP_MAX];
    const int* offset[CD_BLOCK_GROUP_MAX];
    for (int l = 0; l < n; ++l)
        to[l] = value + p->block[r->block[l]].first_hessian, offset[l] = p->block[r->block[l]].hessian_offset;
    for (int i = 0; i < r->shape->hessian.n; ++i) {
        combine_entries(&r->shape->hessian, i, p->output + r->at, stride, sum, n);
        for (int l = 0; l < n; ++l) to[l][offset[l][i]] += sum[l];
    }
}

LANE_LOOP_FUNCTION scatter_group(const cd_block_nlp* p, const block_group* g, scatter* scatter_run, double* value)
{
    shape_run r = {0};
    while (next_run(p, g, &r))
        if (r.n == CD_BLOCK_GROUP_MAX)
            scatter_run(p, &r, g->function->group_size, value, CD_BLOCK_GROUP_MAX);
        else
            scatter_run(p, &r, g->function->group_size, value, r.n);
}

// Evaluate a block function for a group; all evaluations are done here.
static void run_function(const cd_block_nlp* p, const block_group* g, cd_derivative_order which)
{
    const cd_block_evaluator* f = &g->function->evaluator[which];
    if (f->batch)
        f->batch(g->n, p->input, p->output);
    else
        cd_tape_run(f->tape, p->input, p->work, p->output);
}

// Row of an entry; nrow for the gradient.
static int row_of(const cd_block_function* function, cd_derivative_order which, int entry)
{
    if (which == CD_ORDER_VALUE) return entry;
    return entry < function->njacobian ? function->jacobian[entry].row : function->nrow;
}

bool cd_block_nlp_find_nonfinite(cd_block_nlp* p, const double* x, int* block, int* row)
{
    for (int which = CD_ORDER_VALUE; which <= CD_ORDER_JACOBIAN; ++which)
        for (int b = 0; b < p->nblock; ++b) {
            const cd_block_function* function = p->block[b].function;
            const int                count    = function->evaluator[which].count;
            const block_group        g        = {function, &b, 1};
            if (count == 0) continue;
            set_inputs(p, &g, x);
            run_function(p, &g, (cd_derivative_order)which);
            for (int i = 0; i < count; ++i)
                if (!isfinite(p->output[i * function->group_size]))
                    return *block = b, *row = row_of(function, (cd_derivative_order)which, i), true;
        }
    return false;
}

void cd_block_nlp_evaluate_block(cd_block_nlp* p, int block, const double* x, double* row, double* block_jacobian)
{
    const cd_block_shape*       shape = p->block[block].shape;
    const cd_entry_combination* s     = &shape->jacobian;
    const int                   nrow  = shape->function->nrow;
    const block_group           g     = {shape->function, &block, 1};
    set_inputs(p, &g, x);
    run_function(p, &g, CD_ORDER_VALUE);
    for (int i = 0; i < nrow; ++i) row[i] = p->output[i * shape->function->group_size];
    if (shape->function->njacobian > 0) run_function(p, &g, CD_ORDER_JACOBIAN);
    memset(block_jacobian, 0, (size_t)nrow * (size_t)shape->nunknown * sizeof *block_jacobian);
    for (int i = 0; i < s->n; ++i)
        combine_entries(s, i, p->output, shape->function->group_size,
                        &block_jacobian[s->pair[i].row * shape->nunknown + s->pair[i].column], 1);
}

double cd_block_nlp_objective(cd_block_nlp* p, const double* x)
{
    const double start = cd_clock_process();
    double       sum   = 0;
    block_group  g;
    for (int k = 0; k < p->nfunction; ++k) {
        const cd_block_function* function = p->function[k];
        for (int at = p->first_of_function[k];
             function->evaluator[CD_ORDER_VALUE].count > function->nrow && next_group(p, function, &at, &g);) {
            set_inputs(p, &g, x);
            run_function(p, &g, CD_ORDER_VALUE);
            for (int s = 0; s < g.n; ++s) sum += p->output[function->nrow * function->group_size + s];
        }
    }
    p->cpu_time += cd_clock_process() - start;
    return sum;
}

void cd_block_nlp_gradient(cd_block_nlp* p, const double* x, double* gradient)
{
    const double start = cd_clock_process();
    block_group  g;
    memset(gradient, 0, (size_t)p->n * sizeof *gradient);
    for (int k = 0; k < p->nfunction; ++k) {
        const cd_block_function* function = p->function[k];
        for (int at = p->first_of_function[k]; function->ngradient > 0 && next_group(p, function, &at, &g);) {
            set_inputs(p, &g, x);
            run_function(p, &g, CD_ORDER_JACOBIAN);
            scatter_group(p, &g, scatter_gradient, gradient);
        }
    }
    p->cpu_time += cd_clock_process() - start;
}

void cd_block_nlp_constraints(cd_block_nlp* p, const double* x, double* rows)
{
    const double start = cd_clock_process();
    block_group  g;
    for (int k = 0; k < p->nfunction; ++k) {
        const cd_block_function* function = p->function[k];
        for (int at = p->first_of_function[k]; function->nrow > 0 && next_group(p, function, &at, &g);) {
            set_inputs(p, &g, x);
            run_function(p, &g, CD_ORDER_VALUE);
            for (int s = 0; s < g.n; ++s)
                for (int i = 0; i < function->nrow; ++i)
                    rows[p->block[g.block[s]].first_row + i] = p->output[i * function->group_size + s];
        }
    }
    p->cpu_time += cd_clock_process() - start;
}

void cd_block_nlp_jacobian(cd_block_nlp* p, const double* x, double* value)
{
    const double start = cd_clock_process();
    block_group  g;
    for (int k = 0; k < p->nfunction; ++k)
        for (int at = p->first_of_function[k];
             p->function[k]->njacobian > 0 && next_group(p, p->function[k], &at, &g);) {
            set_inputs(p, &g, x);
            run_function(p, &g, CD_ORDER_JACOBIAN);
            scatter_group(p, &g, scatter_jacobian, value);
        }
    p->cpu_time += cd_clock_process() - start;
}

void cd_block_nlp_hessian(cd_block_nlp* p, const double* x, double sigma, const double* lambda, double* value)
{
    const double start = cd_clock_process();
    block_group  g;
    memset(value, 0, (size_t)p->nhessian * sizeof *value);
    for (int k = 0; k < p->nfunction; ++k)
        for (int at = p->first_of_function[k];
             p->function[k]->nhessian > 0 && next_group(p, p->function[k], &at, &g);) {
            set_inputs(p, &g, x);
            for (int s = 0; s < g.n; ++s) {
                p->input[p->multipliers.sigma * g.function->group_size + s] = sigma;
                for (int r = 0; r < g.function->nrow; ++r)
                    p->input[(p->multipliers.lambda + r) * g.function->group_size + s] =
                        lambda[p->block[g.block[s]].first_row + r];
            }
            run_function(p, &g, CD_ORDER_HESSIAN);
            scatter_group(p, &g, scatter_hessian, value);
        }
    p->cpu_time += cd_clock_process() - start;
}
