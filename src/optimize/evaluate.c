// SPDX-License-Identifier: BSD-3-Clause
// Functions of the program and their derivatives: kind by kind, several blocks at once where functions are compiled, entries to where they are known
// to go.
//
//   y = s + S x at a block:   g(y),   dg/dx = (dg/dy) S,   d2L/dx2 = S' (d2L/dy2) S
//
// Input i of block s of a group of n stands at [i n + s], results likewise.
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

static void set_inputs(cd_chain* p, const group* g, const double* x)
{
    const cd_kind* kind = g->kind;
    const int      n    = g->n;
    for (int s = 0; s < n; ++s) {
        const cd_block* b = &p->block[g->block[s]];
        for (int i = 0; i < kind->nsetting; ++i) p->input[kind->setting[i] * n + s] = b->value[i];
        for (int i = 0; i < kind->nvariable; ++i) {
            double sum = b->value[kind->nsetting + i];
            for (int t = b->first[i]; t < b->first[i + 1]; ++t) sum += b->term[t].coefficient * x[b->term[t].unknown];
            p->input[kind->variable[i] * n + s] = sum;
        }
    }
}

// The one place where functions of kinds are run.
static void run(const cd_chain* p, const group* g, cd_which which)
{
    const cd_function* f = &g->kind->function[which];
    if (f->batch) f->batch(g->n, p->input, p->output);
    else cd_tape_run(f->tape, p->input, p->work, p->output);
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
            run(p, &g, (cd_which)which);
            for (int i = 0; i < count; ++i)
                if (!isfinite(p->output[i])) return *block = b, *row = row_of(kind, (cd_which)which, i), true;
        }
    return false;
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
            run(p, &g, CD_VALUE);
            for (int s = 0; s < g.n; ++s) sum += p->output[kind->nrow * g.n + s];
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
            run(p, &g, CD_SLOPE);
            for (int s = 0; s < g.n; ++s) {
                const cd_block* b = &p->block[g.block[s]];
                for (int e = 0; e < kind->ngradient; ++e)
                    for (int t = b->first[kind->gradient[e]]; t < b->first[kind->gradient[e] + 1]; ++t)
                        gradient[b->term[t].unknown] += b->term[t].coefficient * p->output[(kind->njacobian + e) * g.n + s];
            }
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
            run(p, &g, CD_VALUE);
            for (int s = 0; s < g.n; ++s)
                for (int i = 0; i < kind->nrow; ++i) rows[p->block[g.block[s]].row + i] = p->output[i * g.n + s];
        }
    }
    ++p->evaluations;
    p->seconds += cd_clock_process() - start;
}

static void spread_jacobian(const cd_block* b, const double* entry, int stride, double* value)
{
    const cd_kind* kind = b->kind;
    const int*     to   = b->jacobian;
    for (int e = 0; e < kind->njacobian; ++e) {
        const int    column = kind->jacobian[e].column;
        const double d      = entry[e * stride];
        for (int t = b->first[column]; t < b->first[column + 1]; ++t) value[*to++] += b->term[t].coefficient * d;
    }
}

void cd_chain_jacobian(cd_chain* p, const double* x, double* value)
{
    const double start = cd_clock_process();
    group        g;
    memset(value, 0, (size_t)p->njacobian * sizeof *value);
    for (int k = 0; k < p->nkind; ++k)
        for (int at = p->first[k]; p->kind[k]->njacobian > 0 && next_group(p, p->kind[k], &at, &g);) {
            set_inputs(p, &g, x);
            run(p, &g, CD_SLOPE);
            for (int s = 0; s < g.n; ++s) spread_jacobian(&p->block[g.block[s]], p->output + s, g.n, value);
        }
    p->seconds += cd_clock_process() - start;
}

static void spread_hessian(const cd_block* b, const double* entry, int stride, double* value)
{
    const int* to = b->hessian;
    for (int e = 0; e < b->kind->nhessian; ++e) {
        const int    i = b->kind->hessian[e].row, j = b->kind->hessian[e].column;
        const double d = entry[e * stride];
        for (int s = b->first[i]; s < b->first[i + 1]; ++s) {
            const double f   = b->term[s].coefficient * d;
            const int    end = i == j ? s + 1 : b->first[j + 1], u = b->term[s].unknown;
            for (int t = b->first[j]; t < end; ++t) {
                const bool twice = u == b->term[t].unknown && (i != j || s != t);  // from both sides of the diagonal
                value[*to++] += (twice ? 2 : 1) * f * b->term[t].coefficient;
            }
        }
    }
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
                p->input[p->multipliers.sigma * g.n + s] = sigma;
                for (int r = 0; r < g.kind->nrow; ++r) p->input[(p->multipliers.lambda + r) * g.n + s] = lambda[p->block[g.block[s]].row + r];
            }
            run(p, &g, CD_CURVE);
            for (int s = 0; s < g.n; ++s) spread_hessian(&p->block[g.block[s]], p->output + s, g.n, value);
        }
    p->seconds += cd_clock_process() - start;
}
