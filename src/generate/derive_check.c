// SPDX-License-Identifier: BSD-3-Clause
// Derivatives against differences of what the runtime computes, of fourth order: with x moved by s along a direction,
//
//   f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h
//
// which tells no more than the rounding of f over h, and nothing where f bends within h or ends: then smaller steps are
// taken, as long as rounding leaves what they tell. First derivatives of results, or of their weighted sum; second
// derivatives are held against differences of these.
#include "generate/derive.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double steps[] = {1e-4, 1e-6, 1e-8}, rounding = 100 * DBL_EPSILON, agrees = 1e-6;

enum { PARAMETERS = 6 }; // their number among the arguments

typedef struct checking {
    const cardan_model*  m;
    const cd_derivation* d;
    const cd_sources*    in;
    cd_referee*          referee;
    cd_tape *            tape, *gradient; // the derivatives; first ones of the weighted sum
    double *             work, *at, *dq, *f, *slope, *value;
    double               step, largest, off, noise, loudest; // noise: of the last difference
} checking;

// Parameters have any size.
static double scale_of(const checking* k, const double* x, int c)
{
    const double size = k->d->argument[c] == PARAMETERS ? fabs(x[k->in->p + k->d->index[c]]) : 1;
    return size > 0 ? size : 1;
}

static void move(checking* k, const double* x, int c, double by)
{
    memcpy(k->at, x, (size_t)k->in->count * sizeof *x);
    if (k->d->argument[c] > 0) {
        k->at[cd_derived_input(k->in, k->d->argument[c]) + k->d->index[c]] += by * scale_of(k, x, c);
        return;
    }
    memset(k->dq, 0, (size_t)k->m->nv * sizeof *k->dq);
    k->dq[k->d->index[c]] = by;
    cardan_model_move(k->m, x + k->in->q, k->dq, k->at + k->in->q);
}

// Rates along direction c into `slope`: of the gradient of the trace, or of the results of the runtime.
static cardan_status difference(checking* k, const double* x, int c, bool of_gradient, cardan_report* report)
{
    static const double at[] = {1, -1, 2, -2}, factor[] = {8, -8, -1, 1};
    const int           n      = of_gradient ? k->d->ncolumn : k->d->nbase;
    cardan_status       status = CARDAN_OK;
    double              size   = 0;
    for (int i = 0; i < n; ++i) k->slope[i] = 0;
    for (int s = 0; status == CARDAN_OK && s < 4; ++s) {
        move(k, x, c, at[s] * k->step);
        if (of_gradient)
            cd_tape_run(k->gradient, k->at, k->work, k->f);
        else
            status = cd_derived_ask(k->d, k->in, k->referee, k->at, k->f, report);
        for (int i = 0; i < n; ++i) {
            k->slope[i] += factor[s] * k->f[i] / (12 * k->step * scale_of(k, x, c));
            size = fmax(size, fabs(k->f[i]));
        }
    }
    k->noise = rounding * size / (k->step * scale_of(k, x, c));
    return status;
}

static void compare(checking* k, double x, double expected)
{
    k->off     = isfinite(x) && isfinite(expected) ? fmax(k->off, fabs(x - expected) - k->noise) : INFINITY;
    k->loudest = fmax(k->loudest, k->noise);
    k->largest = fmax(k->largest, fabs(expected));
}

// Column c of a matrix as its results hold it, in `value`.
static void spread(const checking* k, const cd_traced* t, const double* entry, int c, double* value)
{
    const int columns = k->d->ncolumn, rows = t->result[0].rows;
    for (int r = 0; r < rows; ++r) value[r] = t->places ? 0 : entry[r * columns + c];
    for (int i = 0; t->places && i < cd_result_count(&t->result[0]); ++i) {
        const int row = t->places[i] / columns, column = t->places[i] % columns;
        if (column == c)
            value[row] = entry[i];
        else if (k->d->wish.second && row == c)
            value[column] = entry[i];
    }
}

static cardan_status check_first(checking* k, const cd_traced* t, const double* x, const double* entry,
                                 cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int c = 0; status == CARDAN_OK && c < k->d->ncolumn; ++c) {
        status = difference(k, x, c, false, report);
        spread(k, t, entry, c, k->value);
        for (int i = 0; i < k->d->nbase; ++i) compare(k, k->value[i], k->slope[i]);
    }
    return status;
}

// The gradient by differences of the runtime; then both triangles by differences of the gradient. Of one turn these are
// D_c D_d: with half their difference taken off by the sum of both orders.
static cardan_status check_second(checking* k, const double* x, const cd_traced* t, const double* entry,
                                  cardan_report* report)
{
    const size_t  n      = (size_t)k->d->ncolumn;
    cardan_status status = CARDAN_OK;
    double        noise  = 0;
    double*       all    = cd_allocate(n * n + n + 1, sizeof *all);
    if (!all) return CARDAN_NO_MEMORY;
    cd_tape_run(k->gradient, x, k->work, all + n * n);
    for (size_t c = 0; status == CARDAN_OK && c < n; ++c) {
        double sum = 0, weight = 0;
        status = difference(k, x, (int)c, false, report);
        for (int i = 0; i < k->d->nbase; ++i) {
            sum += x[k->in->weight + i] * k->slope[i];
            weight += fabs(x[k->in->weight + i]);
        }
        k->noise *= weight;
        compare(k, all[n * n + c], sum);
        noise = fmax(noise, k->noise); // gradients that vanish are sums of what does not
        if (status == CARDAN_OK) status = difference(k, x, (int)c, true, report);
        noise = fmax(noise, k->noise);
        memcpy(all + c * n, k->slope, n * sizeof *all);
    }
    k->noise = noise;
    for (size_t c = 0; status == CARDAN_OK && c < n; ++c) {
        spread(k, t, entry, (int)c, k->value);
        for (size_t r = 0; r < n; ++r) compare(k, k->value[r], 0.5 * (all[c * n + r] + all[r * n + c]));
    }
    free(all);
    return status;
}

// The best of the steps: how far the derivatives are off beside the largest, or `size` where that is more.
static cardan_status check_steps(checking* k, const double* x, const cd_traced* t, const double* entry, double size,
                                 double* off, cardan_report* report)
{
    enum { STEPS = sizeof steps / sizeof *steps };
    bool          found  = false;
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < STEPS && !(found && *off <= agrees); ++i) {
        cardan_report* said = i + 1 < STEPS || found ? NULL : report;
        k->step             = steps[i];
        k->off = k->largest = k->loudest = 0;
        status     = k->d->wish.second ? check_second(k, x, t, entry, said) : check_first(k, t, x, entry, said);
        k->largest = fmax(k->largest, size);
        if (status == CARDAN_NO_MEMORY) return status;
        if (status != CARDAN_OK || (found && k->loudest > agrees * k->largest)) continue;
        const double beside = k->off / (k->largest > 0 ? k->largest : 1);
        *off                = found ? fmin(*off, beside) : beside;
        found               = true;
    }
    return found ? CARDAN_OK : status;
}

cardan_status cd_derived_values(const cardan_model* m, const cd_traced* t, const cd_graph* graph, const cd_sources* in,
                                cd_referee* referee, double size, const double* x, double* value, double* off,
                                cardan_report* report)
{
    const cd_derivation* d    = t->derived;
    const size_t         wide = (size_t)(d->ncolumn > d->nbase ? d->ncolumn : d->nbase) + 2;
    checking             k    = {.m = m, .d = d, .in = in, .referee = referee};
    k.tape                    = cd_tape_create(graph, t->noutput, t->output);
    k.gradient                = d->wish.second ? cd_tape_create(graph, d->ncolumn, d->gradient) : NULL;
    const int work            = k.tape ? cd_tape_work(k.tape) + (k.gradient ? cd_tape_work(k.gradient) : 0) : 0;
    k.work                    = cd_allocate((size_t)work + 1, sizeof *k.work);
    k.at                      = cd_allocate((size_t)in->count + 1, sizeof *k.at);
    k.dq                      = cd_allocate((size_t)m->nv + 1, sizeof *k.dq);
    k.f                       = cd_allocate(wide, sizeof *k.f);
    k.slope                   = cd_allocate(wide, sizeof *k.slope);
    k.value                   = cd_allocate(wide, sizeof *k.value);
    const bool room = k.tape && (k.gradient || !d->wish.second) && k.work && k.at && k.dq && k.f && k.slope && k.value;
    cardan_status status = room ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (room) {
        cd_tape_run(k.tape, x, k.work, value);
        status = check_steps(&k, x, t, value, size, off, report);
    }
    cd_tape_destroy(k.tape), cd_tape_destroy(k.gradient);
    free(k.work), free(k.at), free(k.dq), free(k.f), free(k.slope), free(k.value);
    return status;
}
