// SPDX-License-Identifier: BSD-3-Clause
// Functions of the program and their derivatives: block by block, entries to where they are known to go.
//
//   y = s + S x at a block:   g(y),   dg/dx = (dg/dy) S,   d2L/dx2 = S' (d2L/dy2) S
#include "optimize/chain.h"

#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The one place where functions of kinds are run.
static void run(const cd_chain* p, const cd_tape* tape) { cd_tape_run(tape, p->input, p->work, p->output); }

static void set_inputs(cd_chain* p, const cd_block* b, const double* x)
{
    for (int i = 0; i < b->nsetting; ++i) p->input[b->setting[i]] = b->value[i];
    for (int i = 0; i < b->kind->nvariable; ++i) {
        double sum = 0;
        for (int t = b->first[i]; t < b->first[i + 1]; ++t) sum += b->term[t].coefficient * x[b->term[t].unknown];
        p->input[b->kind->variable[i]] = sum;
    }
}

static void clear_inputs(cd_chain* p, const cd_block* b)
{
    for (int i = 0; i < b->nsetting; ++i) p->input[b->setting[i]] = 0;
}

double cd_chain_objective(cd_chain* p, const double* x)
{
    const double start = now();
    double       sum   = 0;
    for (int i = 0; i < p->nblock; ++i) {
        const cd_block* b = &p->block[i];
        if (b->kind->ngradient == 0) continue;
        set_inputs(p, b, x);
        run(p, b->kind->value);
        clear_inputs(p, b);
        sum += p->output[b->kind->nrow];
    }
    p->seconds += now() - start;
    return sum;
}

void cd_chain_gradient(cd_chain* p, const double* x, double* gradient)
{
    const double start = now();
    memset(gradient, 0, (size_t)p->n * sizeof *gradient);
    for (int i = 0; i < p->nblock; ++i) {
        const cd_block* b = &p->block[i];
        const cd_kind*  k = b->kind;
        if (k->ngradient == 0) continue;
        set_inputs(p, b, x);
        run(p, k->slope);
        clear_inputs(p, b);
        for (int e = 0; e < k->ngradient; ++e)
            for (int t = b->first[k->gradient[e]]; t < b->first[k->gradient[e] + 1]; ++t)
                gradient[b->term[t].unknown] += b->term[t].coefficient * p->output[k->njacobian + e];
    }
    p->seconds += now() - start;
}

void cd_chain_rows(cd_chain* p, const double* x, double* g)
{
    const double start = now();
    for (int i = 0; i < p->nblock; ++i) {
        const cd_block* b = &p->block[i];
        if (b->kind->nrow == 0) continue;
        set_inputs(p, b, x);
        run(p, b->kind->value);
        clear_inputs(p, b);
        memcpy(g + b->row, p->output, (size_t)b->kind->nrow * sizeof *g);
    }
    ++p->evaluations;
    p->seconds += now() - start;
}

void cd_chain_jacobian(cd_chain* p, const double* x, double* value)
{
    const double start = now();
    memset(value, 0, (size_t)p->njacobian * sizeof *value);
    for (int i = 0; i < p->nblock; ++i) {
        const cd_block* b  = &p->block[i];
        const cd_kind*  k  = b->kind;
        const int*      to = b->jacobian;
        if (k->njacobian == 0) continue;
        set_inputs(p, b, x);
        run(p, k->slope);
        clear_inputs(p, b);
        for (int e = 0; e < k->njacobian; ++e)
            for (int t = b->first[k->jacobian[e].column]; t < b->first[k->jacobian[e].column + 1]; ++t) value[*to++] += b->term[t].coefficient * p->output[e];
    }
    p->seconds += now() - start;
}

static void spread_hessian(const cd_block* b, const double* entry, double* value)
{
    const int* to = b->hessian;
    for (int e = 0; e < b->kind->nhessian; ++e) {
        const int i = b->kind->hessian[e].row, j = b->kind->hessian[e].column;
        for (int s = b->first[i]; s < b->first[i + 1]; ++s) {
            const double  f   = b->term[s].coefficient * entry[e];
            const int     end = i == j ? s + 1 : b->first[j + 1], u = b->term[s].unknown;
            for (int t = b->first[j]; t < end; ++t) {
                const bool twice = u == b->term[t].unknown && (i != j || s != t);  // from both sides of the diagonal
                value[*to++] += (twice ? 2 : 1) * f * b->term[t].coefficient;
            }
        }
    }
}

void cd_chain_hessian(cd_chain* p, const double* x, double sigma, const double* lambda, double* value)
{
    const double start = now();
    memset(value, 0, (size_t)p->nhessian * sizeof *value);
    for (int i = 0; i < p->nblock; ++i) {
        const cd_block* b = &p->block[i];
        if (b->kind->nhessian == 0) continue;
        set_inputs(p, b, x);
        p->input[p->multipliers.sigma] = sigma;
        for (int r = 0; r < b->kind->nrow; ++r) p->input[p->multipliers.lambda + r] = lambda[b->row + r];
        run(p, b->kind->curve);
        clear_inputs(p, b);
        spread_hessian(b, p->output, value);
    }
    p->seconds += now() - start;
}
