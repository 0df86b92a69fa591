// SPDX-License-Identifier: BSD-3-Clause
// Functions of the program and their derivatives: kind by kind, several blocks at once where functions are compiled,
// blocks of one shape side by side; entries go to where they are known to go.
//
//   y = s + S x at a block:   g(y),   dg/dx = (dg/dy) S,   d2L/dx2 = S' (d2L/dy2) S
//
// Input i of block s of a group stands at [i group + s], where kinds have `group` blocks at once at most; results
// likewise.
#include "core/clock.h"
#include "optimize/chain.h"

#include <math.h>
#include <string.h>

// Blocks of one kind that are evaluated at once.
typedef struct group {
    const cd_kind* kind;
    const int*     block;
    int            n;
} group;

// The next group behind *at, or none.
static bool next_group(const cd_chain* p, const cd_kind* kind, int* at, group* g)
{
    const int last = p->first[kind->index + 1], left = last - *at;
    if (left <= 0) return false;
    *g = (group){kind, p->member + *at, left < kind->group ? left : kind->group};
    *at += g->n;
    return true;
}

// Blocks of a group that follow each other and are of one shape.
typedef struct run {
    const cd_shape* shape;
    const int*      block;
    int             at, n; // first in the group; how many
} run;

// The run behind *r, whose n is 0 before the first.
static bool next_run(const cd_chain* p, const group* g, run* r)
{
    const int at = r->at + r->n;
    if (at >= g->n) return false;
    *r = (run){p->block[g->block[at]].shape, g->block + at, at, 1};
    while (at + r->n < g->n && p->block[g->block[at + r->n]].shape == r->shape) ++r->n;
    return true;
}

// Loops over the blocks of a run; of a whole group they have a constant length.
#define SIDE_BY_SIDE static inline __attribute__((always_inline)) void

// Variables of a run: n inputs that stand `stride` apart from those of the next variable.
SIDE_BY_SIDE combine(const cd_chain* p, const run* r, int stride, const double* x, int n)
{
    const cd_kind* kind = r->shape->kind;
    double *       own = p->local, *input = p->input + r->at;
    for (int l = 0; l < n; ++l) {
        const cd_block* b = &p->block[r->block[l]];
        for (int u = 0; u < r->shape->nunknown; ++u) own[u * n + l] = x[b->unknown[u]];
        for (int i = 0; i < kind->nvariable; ++i) input[kind->variable[i] * stride + l] = b->value[kind->nsetting + i];
    }
    for (int i = 0; i < kind->nvariable; ++i) {
        double *y = input + kind->variable[i] * stride, sum[CD_GROUP];
        for (int l = 0; l < n; ++l) sum[l] = y[l];
        for (int t = r->shape->first[i]; t < r->shape->first[i + 1]; ++t)
            for (int l = 0; l < n; ++l)
                sum[l] += r->shape->term[t].coefficient * own[r->shape->term[t].unknown * n + l];
        for (int l = 0; l < n; ++l) y[l] = sum[l];
    }
}

static void set_inputs(cd_chain* p, const group* g, const double* x)
{
    const cd_kind* kind = g->kind;
    run            r    = {0};
    for (int s = 0; s < g->n; ++s)
        for (int i = 0; i < kind->nsetting; ++i)
            p->input[kind->setting[i] * kind->group + s] = p->block[g->block[s]].value[i];
    while (next_run(p, g, &r))
        if (r.n == CD_GROUP)
            combine(p, &r, kind->group, x, CD_GROUP);
        else
            combine(p, &r, kind->group, x, r.n);
}

// The sums of entries of a run that are result i of its shape.
SIDE_BY_SIDE add_up(const cd_spread* s, int i, const double* entry, int stride, double* sum, int n)
{
    for (int l = 0; l < n; ++l) sum[l] = 0;
    for (int t = s->first[i]; t < s->first[i + 1]; ++t)
        for (int l = 0; l < n; ++l) sum[l] += s->term[t].coefficient * entry[s->term[t].unknown * stride + l];
}

// What derivatives of the kind say about unknowns: rows are of one block alone, which writes; others add.
typedef void spread(const cd_chain* p, const run* r, int stride, double* value, int n);

SIDE_BY_SIDE to_jacobian(const cd_chain* p, const run* r, int stride, double* value, int n)
{
    double *to[CD_GROUP], sum[CD_GROUP];
    for (int l = 0; l < n; ++l) to[l] = value + p->block[r->block[l]].jacobian;
    for (int i = 0; i < r->shape->jacobian.n; ++i) {
        add_up(&r->shape->jacobian, i, p->output + r->at, stride, sum, n);
        for (int l = 0; l < n; ++l) to[l][i] = sum[l];
    }
}

SIDE_BY_SIDE to_gradient(const cd_chain* p, const run* r, int stride, double* value, int n)
{
    double sum[CD_GROUP];
    for (int i = 0; i < r->shape->gradient.n; ++i) {
        add_up(&r->shape->gradient, i, p->output + r->at, stride, sum, n);
        for (int l = 0; l < n; ++l) value[p->block[r->block[l]].unknown[i]] += sum[l];
    }
}

SIDE_BY_SIDE to_hessian(const cd_chain* p, const run* r, int stride, double* value, int n)
{
    double *   to[CD_GROUP], sum[CD_GROUP];
    const int* step[CD_GROUP];
    for (int l = 0; l < n; ++l) to[l] = value + p->block[r->block[l]].hessian, step[l] = p->block[r->block[l]].step;
    for (int i = 0; i < r->shape->hessian.n; ++i) {
        add_up(&r->shape->hessian, i, p->output + r->at, stride, sum, n);
        for (int l = 0; l < n; ++l) to[l][step[l][i]] += sum[l];
    }
}

SIDE_BY_SIDE each_run(const cd_chain* p, const group* g, spread* way, double* value)
{
    run r = {0};
    while (next_run(p, g, &r))
        if (r.n == CD_GROUP)
            way(p, &r, g->kind->group, value, CD_GROUP);
        else
            way(p, &r, g->kind->group, value, r.n);
}

// The one place where functions of kinds are run.
static void call(const cd_chain* p, const group* g, cd_which which)
{
    const cd_function* f = &g->kind->function[which];
    if (f->batch)
        f->batch(g->n, p->input, p->output);
    else
        cd_tape_run(f->tape, p->input, p->work, p->output);
}

// Row of an entry of a function of a kind.
static int row_of(const cd_kind* kind, cd_which which, int entry)
{
    if (which == CD_VALUE) return entry;
    return entry < kind->njacobian ? kind->jacobian[entry].row : kind->nrow;
}

bool cd_chain_undefined(cd_chain* p, const double* x, int* block, int* row)
{
    for (int which = CD_VALUE; which <= CD_SLOPE; ++which)
        for (int b = 0; b < p->nblock; ++b) {
            const cd_kind* kind  = p->block[b].kind;
            const int      count = kind->function[which].count;
            const group    g     = {kind, &b, 1};
            if (count == 0) continue;
            set_inputs(p, &g, x);
            call(p, &g, (cd_which)which);
            for (int i = 0; i < count; ++i)
                if (!isfinite(p->output[i * kind->group]))
                    return *block = b, *row = row_of(kind, (cd_which)which, i), true;
        }
    return false;
}

void cd_chain_look(cd_chain* p, int block, const double* x, double* row, double* slope)
{
    const cd_shape*  shape = p->block[block].shape;
    const cd_spread* s     = &shape->jacobian;
    const int        nrow  = shape->kind->nrow;
    const group      g     = {shape->kind, &block, 1};
    set_inputs(p, &g, x);
    call(p, &g, CD_VALUE);
    for (int i = 0; i < nrow; ++i) row[i] = p->output[i * shape->kind->group];
    if (shape->kind->njacobian > 0) call(p, &g, CD_SLOPE);
    memset(slope, 0, (size_t)nrow * (size_t)shape->nunknown * sizeof *slope);
    for (int i = 0; i < s->n; ++i)
        add_up(s, i, p->output, shape->kind->group, &slope[s->pair[i].row * shape->nunknown + s->pair[i].column], 1);
}

double cd_chain_objective(cd_chain* p, const double* x)
{
    const double start = cd_clock_process();
    double       sum   = 0;
    group        g;
    for (int k = 0; k < p->nkind; ++k) {
        const cd_kind* kind = p->kind[k];
        for (int at = p->first[k]; kind->function[CD_VALUE].count > kind->nrow && next_group(p, kind, &at, &g);) {
            set_inputs(p, &g, x);
            call(p, &g, CD_VALUE);
            for (int s = 0; s < g.n; ++s) sum += p->output[kind->nrow * kind->group + s];
        }
    }
    p->seconds += cd_clock_process() - start;
    return sum;
}

void cd_chain_gradient(cd_chain* p, const double* x, double* gradient)
{
    const double start = cd_clock_process();
    group        g;
    memset(gradient, 0, (size_t)p->n * sizeof *gradient);
    for (int k = 0; k < p->nkind; ++k) {
        const cd_kind* kind = p->kind[k];
        for (int at = p->first[k]; kind->ngradient > 0 && next_group(p, kind, &at, &g);) {
            set_inputs(p, &g, x);
            call(p, &g, CD_SLOPE);
            each_run(p, &g, to_gradient, gradient);
        }
    }
    p->seconds += cd_clock_process() - start;
}

void cd_chain_rows(cd_chain* p, const double* x, double* rows)
{
    const double start = cd_clock_process();
    group        g;
    for (int k = 0; k < p->nkind; ++k) {
        const cd_kind* kind = p->kind[k];
        for (int at = p->first[k]; kind->nrow > 0 && next_group(p, kind, &at, &g);) {
            set_inputs(p, &g, x);
            call(p, &g, CD_VALUE);
            for (int s = 0; s < g.n; ++s)
                for (int i = 0; i < kind->nrow; ++i)
                    rows[p->block[g.block[s]].row + i] = p->output[i * kind->group + s];
        }
    }
    p->seconds += cd_clock_process() - start;
}

void cd_chain_jacobian(cd_chain* p, const double* x, double* value)
{
    const double start = cd_clock_process();
    group        g;
    for (int k = 0; k < p->nkind; ++k)
        for (int at = p->first[k]; p->kind[k]->njacobian > 0 && next_group(p, p->kind[k], &at, &g);) {
            set_inputs(p, &g, x);
            call(p, &g, CD_SLOPE);
            each_run(p, &g, to_jacobian, value);
        }
    p->seconds += cd_clock_process() - start;
}

void cd_chain_hessian(cd_chain* p, const double* x, double sigma, const double* lambda, double* value)
{
    const double start = cd_clock_process();
    group        g;
    memset(value, 0, (size_t)p->nhessian * sizeof *value);
    for (int k = 0; k < p->nkind; ++k)
        for (int at = p->first[k]; p->kind[k]->nhessian > 0 && next_group(p, p->kind[k], &at, &g);) {
            set_inputs(p, &g, x);
            for (int s = 0; s < g.n; ++s) {
                p->input[p->multipliers.sigma * g.kind->group + s] = sigma;
                for (int r = 0; r < g.kind->nrow; ++r)
                    p->input[(p->multipliers.lambda + r) * g.kind->group + s] = lambda[p->block[g.block[s]].row + r];
            }
            call(p, &g, CD_CURVE);
            each_run(p, &g, to_hessian, value);
        }
    p->seconds += cd_clock_process() - start;
}
