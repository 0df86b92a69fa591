// SPDX-License-Identifier: BSD-3-Clause
// Comparison of derivatives with finite differences of fourth order of the runtime library. With x moved by s along a
// direction,
//
//   f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h
//
// The round-off of f divided by h limits the accuracy. A difference is useless if f is not smooth within h or not
// defined there; then smaller h are tried, as long as round-off permits. First derivatives are those of the results, or
// of their weighted sum; second derivatives are compared with differences of the latter.
#include "generate/routine/routine_derivatives.h"
#include "generate/generate_tolerances.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double step_sizes[] = {1e-4, 1e-6, 1e-8};

enum { PARAMETER_ARGUMENT = 6 }; // index of p among the arguments

typedef struct derivative_check {
    const cardan_model*          m;
    const cd_routine_derivative* d;
    const cd_input_layout*       in;
    cd_runtime_reference*        reference;
    cd_tape *                    tape, *gradient; // tapes of the derivatives, and of the gradient of the weighted sum
    double *                     work, *moved_input, *dq, *f, *derivative, *value;
    double step, largest, max_difference, noise, max_noise; // noise: round-off of the last difference
} derivative_check;

// Unit of the displacement along a direction: magnitude of a parameter, 1 for all other inputs.
static double direction_scale(const derivative_check* k, const double* x, int c)
{
    const double size = k->d->argument[c] == PARAMETER_ARGUMENT ? fabs(x[k->in->p + k->d->index[c]]) : 1;
    return size > 0 ? size : 1;
}

static void move_input(derivative_check* k, const double* x, int c, double by)
{
    memcpy(k->moved_input, x, (size_t)k->in->count * sizeof *x);
    if (k->d->argument[c] > 0) {
        k->moved_input[cd_derivative_first_input(k->in, k->d->argument[c]) + k->d->index[c]] +=
            by * direction_scale(k, x, c);
        return;
    }
    memset(k->dq, 0, (size_t)k->m->nv * sizeof *k->dq);
    k->dq[k->d->index[c]] = by;
    cardan_model_integrate_position(k->m, x + k->in->q, k->dq, k->moved_input + k->in->q);
}

// Difference quotients along direction c into `derivative`: of the gradient of the trace, or of the results of the
// runtime library.
static cardan_status difference(derivative_check* k, const double* x, int c, bool of_gradient, cardan_report* report)
{
    static const double at[] = {1, -1, 2, -2}, factor[] = {8, -8, -1, 1};
    const int           n      = of_gradient ? k->d->ncolumn : k->d->nbase_output;
    cardan_status       status = CARDAN_OK;
    double              size   = 0;
    for (int i = 0; i < n; ++i) k->derivative[i] = 0;
    for (int s = 0; status == CARDAN_OK && s < 4; ++s) {
        move_input(k, x, c, at[s] * k->step);
        if (of_gradient)
            cd_tape_run(k->gradient, k->moved_input, k->work, k->f);
        else
            status = cd_derivative_base_reference(k->d, k->in, k->reference, k->moved_input, k->f, report);
        for (int i = 0; i < n; ++i) {
            k->derivative[i] += factor[s] * k->f[i] / (12 * k->step * direction_scale(k, x, c));
            size = fmax(size, fabs(k->f[i]));
        }
    }
    k->noise = cd_result_roundoff * size / (k->step * direction_scale(k, x, c));
    return status;
}

static void compare(derivative_check* k, double x, double expected)
{
    k->max_difference =
        isfinite(x) && isfinite(expected) ? fmax(k->max_difference, fabs(x - expected) - k->noise) : INFINITY;
    k->max_noise = fmax(k->max_noise, k->noise);
    k->largest   = fmax(k->largest, fabs(expected));
}

// Expand column c of a matrix from its sparse or triangular entries into `value`.
static void expand_column(const derivative_check* k, const cd_traced_routine* t, const double* entry, int c,
                          double* value)
{
    const int columns = k->d->ncolumn, rows = t->result[0].rows;
    for (int r = 0; r < rows; ++r) value[r] = t->matrix_index ? 0 : entry[r * columns + c];
    for (int i = 0; t->matrix_index && i < cd_result_count(&t->result[0]); ++i) {
        const int row = t->matrix_index[i] / columns, column = t->matrix_index[i] % columns;
        if (column == c)
            value[row] = entry[i];
        else if (k->d->request.second_order && row == c)
            value[column] = entry[i];
    }
}

static cardan_status check_first(derivative_check* k, const cd_traced_routine* t, const double* x, const double* entry,
                                 cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int c = 0; status == CARDAN_OK && c < k->d->ncolumn; ++c) {
        status = difference(k, x, c, false, report);
        expand_column(k, t, entry, c, k->value);
        for (int i = 0; i < k->d->nbase_output; ++i) compare(k, k->value[i], k->derivative[i]);
    }
    return status;
}

// Compare the gradient with differences of the runtime library, then both triangles with differences of the gradient.
// The latter are D_c D_d; the mean of both orders is compared, as in routine_derivatives.c.
static cardan_status check_second(derivative_check* k, const double* x, const cd_traced_routine* t, const double* entry,
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
        for (int i = 0; i < k->d->nbase_output; ++i) {
            sum += x[k->in->weight + i] * k->derivative[i];
            weight += fabs(x[k->in->weight + i]);
        }
        k->noise *= weight;
        compare(k, all[n * n + c], sum);
        noise = fmax(noise, k->noise); // a gradient that vanishes is a sum of larger terms
        if (status == CARDAN_OK) status = difference(k, x, (int)c, true, report);
        noise = fmax(noise, k->noise);
        memcpy(all + c * n, k->derivative, n * sizeof *all);
    }
    k->noise = noise;
    for (size_t c = 0; status == CARDAN_OK && c < n; ++c) {
        expand_column(k, t, entry, (int)c, k->value);
        for (size_t r = 0; r < n; ++r) compare(k, k->value[r], 0.5 * (all[c * n + r] + all[r * n + c]));
    }
    free(all);
    return status;
}

// Compare with all sizes of h and use the best result: largest difference relative to the largest derivative, or to
// min_scale if that is larger.
static cardan_status check_steps(derivative_check* k, const double* x, const cd_traced_routine* t, const double* entry,
                                 double min_scale, double* max_difference, cardan_report* report)
{
    enum { STEPS = sizeof step_sizes / sizeof *step_sizes };
    bool          found  = false;
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < STEPS && !(found && *max_difference <= cd_derivative_tolerance); ++i) {
        cardan_report* messages = i + 1 < STEPS || found ? NULL : report;
        k->step                 = step_sizes[i];
        k->max_difference = k->largest = k->max_noise = 0;
        status =
            k->d->request.second_order ? check_second(k, x, t, entry, messages) : check_first(k, t, x, entry, messages);
        k->largest = fmax(k->largest, min_scale);
        if (status == CARDAN_NO_MEMORY) return status;
        if (status != CARDAN_OK || (found && k->max_noise > cd_derivative_tolerance * k->largest)) continue;
        const double relative = k->max_difference / (k->largest > 0 ? k->largest : 1);
        *max_difference       = found ? fmin(*max_difference, relative) : relative;
        found                 = true;
    }
    return found ? CARDAN_OK : status;
}

cardan_status cd_derivative_check_values(const cardan_model* m, const cd_traced_routine* t, const cd_graph* graph,
                                         const cd_input_layout* in, cd_runtime_reference* reference, double min_scale,
                                         const double* x, double* value, double* max_difference, cardan_report* report)
{
    const cd_routine_derivative* d     = t->derivative;
    const size_t                 width = (size_t)(d->ncolumn > d->nbase_output ? d->ncolumn : d->nbase_output) + 2;
    derivative_check             k     = {.m = m, .d = d, .in = in, .reference = reference};
    k.tape                             = cd_tape_create(graph, t->noutput, t->output);
    k.gradient           = d->request.second_order ? cd_tape_create(graph, d->ncolumn, d->gradient) : NULL;
    const int work       = k.tape ? cd_tape_work(k.tape) + (k.gradient ? cd_tape_work(k.gradient) : 0) : 0;
    k.work               = cd_allocate((size_t)work + 1, sizeof *k.work);
    k.moved_input        = cd_allocate((size_t)in->count + 1, sizeof *k.moved_input);
    k.dq                 = cd_allocate((size_t)m->nv + 1, sizeof *k.dq);
    k.f                  = cd_allocate(width, sizeof *k.f);
    k.derivative         = cd_allocate(width, sizeof *k.derivative);
    k.value              = cd_allocate(width, sizeof *k.value);
    const bool allocated = k.tape && (k.gradient || !d->request.second_order) && k.work && k.moved_input && k.dq &&
                           k.f && k.derivative && k.value;
    cardan_status status = allocated ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (allocated) {
        cd_tape_run(k.tape, x, k.work, value);
        status = check_steps(&k, x, t, value, min_scale, max_difference, report);
    }
    cd_tape_destroy(k.tape), cd_tape_destroy(k.gradient);
    free(k.work), free(k.moved_input), free(k.dq), free(k.f), free(k.derivative), free(k.value);
    return status;
}
