// SPDX-License-Identifier: BSD-3-Clause
// Values for which the start of a mechanism is an equilibrium: what nothing balances there, x = P U^-1 g (statics.h),
// as a function of the values alone, made zero in the sense of least squares by the method of Gauss and Newton,
//
//   A = dx/dvalue by central differences,   columns scaled to 1: A = B D^-1,   B y = -x,  value <- value + D y
//
// halved where it does not help. Lengths and preloads enter linearly, so that one step does. Where columns repeat
// others, y = y0 + N z with B N = 0, and z makes the whole change since the start least, relative to the sizes of the
// values: |S^-1 (value + D y - before)|. The size of a value is what it was, or, where that is next to nothing, the
// change that moves as much as the forces at work.
#include "analysis/statics.h"
#include "analysis/motion_words.h"

#include "core/arguments.h"
#include "math/finite.h"
#include "math/lapack.h"

#include <cardan/analyse.h>
#include <cardan/assemble.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double difference      = 1e-3;             // of a value, or of 1 where it is zero
static const double balanced        = 1e-11;            // of the forces at work
static const double no_effect       = 1e-9;             // on x, of the forces at work per part of the value
static const double same            = 1e-9;             // columns that repeat others
static const double next_to_nothing = 1e-3;             // of the change that moves the forces at work
static const double settled         = 1e-6;             // change of values that are free, relative to their sizes
static const double least_left = 1e-8, most_left = 0.5; // of the forces at work
static const double nothing_gained = 0.99;              // of what was left before
enum { ITERATIONS = 30, HALVINGS = 12, MOST_VALUES = 200 };

cardan_status cardan_unbalanced(cardan_data* d, double* moment, double* work, cardan_report* report)
{
    CD_REFUSE_NULL(d, "data", report);
    CD_REFUSE_NO_ARRAY(moment, d->m->nv, "moment", report);
    cd_statics    s;
    cardan_status status = cd_statics_create(d, &s, report);
    if (status != CARDAN_OK) return status;
    if (!cd_statics_centre(&s) || !cd_statics_unbalanced(&s, moment)) status = cd_statics_fail(&s, report);
    if (work) *work = s.force;
    cd_statics_release(&s);
    return status;
}

typedef struct fit {
    cardan_variant_function make;
    void*                   user;
    int                     formulation, n, nv;
    double                  t, work; // forces at work of the last evaluation
    double *                x, *upper, *lower, *A, *step, *scale, *trial, *lapack;
    double *                before, *size;        // (n) values at the start, their sizes S
    double *                sigma, *left, *right; // (least), (n x n), (least x nv): B' = U sigma V
    double *                N, *change;           // (n x n), (n) of the least change
    int*                    pivot;
    cardan_report*          report;
} fit;

// A mechanism made for the values, ready at its start.
typedef struct variant {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
} variant;

static void discard(variant* v)
{
    cardan_data_destroy(v->data);
    cardan_model_destroy(v->model);
    cardan_description_destroy(v->description);
    *v = (variant){0};
}

static cardan_status prepare(const fit* f, const double* value, variant* v)
{
    *v                   = (variant){0};
    cardan_status status = f->make(f->user, value, &v->description, f->report);
    if (status == CARDAN_OK)
        status = cardan_model_compile(v->description, cardan_formulation_tree(f->formulation), &v->model, f->report);
    if (status == CARDAN_OK) status = cardan_data_create(v->model, f->formulation, &v->data, f->report);
    if (status == CARDAN_OK) status = cd_data_set(v->data, f->t, v->data->q, v->data->v, v->data->state);
    if (status == CARDAN_OK) status = cardan_assemble(v->data, NULL, NULL, NULL, NULL, f->report);
    return status;
}

static cardan_status evaluate(fit* f, const double* value, double* x)
{
    variant       v;
    cardan_status status = prepare(f, value, &v);
    if (status == CARDAN_OK && v.model->nv != f->nv)
        status = cardan_fail(f->report, CARDAN_BAD_USAGE, CARDAN_CODE_PARAMETER_CHANGES_STRUCTURE, cardan_nowhere(),
                             "the values of '%s' change which coordinates it has", v.model->view.name);
    if (status == CARDAN_OK) status = cardan_unbalanced(v.data, x, &f->work, f->report);
    discard(&v);
    return status;
}

static double norm(const fit* f, const double* x)
{
    double sum = 0;
    for (int i = 0; i < f->nv; ++i) sum += x[i] * x[i];
    return sqrt(sum);
}

// B, and D: those without effect are zero. B is stored by columns, which is B' by rows.
static cardan_status differentiate(fit* f, double* value)
{
    cardan_status status = CARDAN_OK;
    for (int j = 0; j < f->n && status == CARDAN_OK; ++j) {
        const double kept = value[j], h = difference * (kept != 0 ? fabs(kept) : 1);
        double*      column = f->A + (size_t)j * (size_t)f->nv;
        value[j]            = kept + h;
        status              = evaluate(f, value, f->upper);
        value[j]            = kept - h;
        if (status == CARDAN_OK) status = evaluate(f, value, f->lower);
        value[j] = kept;
        for (int i = 0; i < f->nv; ++i) column[i] = (f->upper[i] - f->lower[i]) / (2 * h);
        const double size = norm(f, column);
        f->scale[j]       = size * h > no_effect * difference * f->work ? 1 / size : 0;
        for (int i = 0; i < f->nv; ++i) column[i] *= f->scale[j];
    }
    return status;
}

// Sizes of the values at the start.
static void know_sizes(fit* f)
{
    for (int j = 0; j < f->n; ++j) {
        const double moving = f->scale[j] * f->work;
        f->size[j]          = fabs(f->before[j]) > next_to_nothing * moving ? fabs(f->before[j]) : moving;
        if (!(f->size[j] > 0)) f->size[j] = 1;
    }
}

// y (n) of least squares and least norm, B y = -x. The rank, or -1.
static int solve(fit* f, double* y)
{
    const int most = f->n < f->nv ? f->n : f->nv;
    if (!cd_lapack_svd(f->n, f->nv, f->A, f->sigma, f->left, f->right, f->lapack)) return -1;
    int rank = 0;
    memset(y, 0, (size_t)f->n * sizeof *y);
    for (; rank < most && f->sigma[rank] > same * f->sigma[0]; ++rank) {
        double sum = 0;
        for (int i = 0; i < f->nv; ++i) sum -= f->right[(size_t)rank * (size_t)f->nv + (size_t)i] * f->x[i];
        for (int j = 0; j < f->n; ++j) y[j] += f->left[(size_t)j * (size_t)f->n + (size_t)rank] * sum / f->sigma[rank];
    }
    return rank;
}

// y <- y + N z: the whole change least, relative to the sizes.
static bool least_change(fit* f, int rank, const double* value, double* y)
{
    const int free = f->n - rank;
    if (free == 0) return true;
    for (int j = 0; j < f->n; ++j) {
        const double part = f->scale[j] / f->size[j];
        f->change[j]      = -(value[j] - f->before[j]) / f->size[j] - part * y[j];
        for (int c = 0; c < free; ++c)
            f->N[(size_t)c * (size_t)f->n + (size_t)j] = part * f->left[(size_t)j * (size_t)f->n + (size_t)(rank + c)];
    }
    if (cd_lapack_rectangle(f->n, free, f->N, f->change, 1e-12, f->lapack, f->pivot) < 0) return false;
    for (int j = 0; j < f->n; ++j)
        for (int c = 0; c < free; ++c) y[j] += f->left[(size_t)j * (size_t)f->n + (size_t)(rank + c)] * f->change[c];
    return true;
}

// One step of Gauss and Newton. *moved: change relative to the sizes of the values, 0 where nothing helps.
static cardan_status advance(fit* f, double* value, double* moved, int* rank)
{
    cardan_status status = differentiate(f, value);
    if (status != CARDAN_OK) return status;
    if (!(f->size[0] > 0)) know_sizes(f);
    *rank = solve(f, f->step);
    if (*rank < 0 || !least_change(f, *rank, value, f->step))
        return cardan_fail(f->report, CARDAN_DIVERGED, CARDAN_CODE_NOT_FINITE, cardan_nowhere(),
                           "forces are not finite");
    const double before = fmax(norm(f, f->x), balanced * f->work);
    double       part   = 1;
    for (int i = 0; i < HALVINGS; ++i, part /= 2) {
        *moved = 0;
        for (int j = 0; j < f->n; ++j) {
            const double change = part * f->step[j] * f->scale[j];
            f->trial[j]         = value[j] + change;
            *moved              = fmax(*moved, fabs(change) / f->size[j]);
        }
        cardan_report* const told = f->report;
        f->report                 = NULL; // values that go too far are no failure
        status                    = evaluate(f, f->trial, f->upper);
        f->report                 = told;
        if (status == CARDAN_NO_MEMORY)
            return cardan_fail(f->report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                               "no memory to solve for %d values", f->n);
        if (status != CARDAN_OK || !(norm(f, f->upper) < before)) continue;
        memcpy(value, f->trial, (size_t)f->n * sizeof *value);
        memcpy(f->x, f->upper, (size_t)f->nv * sizeof *f->x);
        return CARDAN_OK;
    }
    *moved = 0;
    return CARDAN_OK;
}

static cardan_status iterate(fit* f, double* value, cardan_balance* found)
{
    cardan_status status = evaluate(f, value, f->x);
    found->before = found->after = norm(f, f->x) / f->work;
    double moved                 = 1;
    while (status == CARDAN_OK && moved > 1e-13 &&
           (found->after > balanced || found->iterations == 0 || (found->rank < f->n && moved > settled))) {
        if (found->iterations == ITERATIONS && found->after <= balanced) break;
        if (found->iterations == ITERATIONS)
            return cardan_fail(f->report, CARDAN_NOT_CONVERGED, CARDAN_CODE_TRIM_FAILED, cardan_nowhere(),
                               "the values did not settle in %d iterations: %.2g of the forces at work are left",
                               ITERATIONS, found->after);
        status       = advance(f, value, &moved, &found->rank);
        found->after = norm(f, f->x) / f->work;
        ++found->iterations;
    }
    return status;
}

// Where a force is left: the coordinate of its largest part.
static cardan_status tell_left(fit* f, const double* value, cardan_balance* found)
{
    variant v;
    if (found->after < least_left) return CARDAN_OK;
    cardan_status status = prepare(f, value, &v);
    if (status != CARDAN_OK) return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
    cd_tangent t;
    if ((status = cd_tangent_create(v.data, &t, NULL)) == CARDAN_OK) {
        for (int i = 0; i < f->nv; ++i) f->step[i] = f->x[i] / t.unit[i];
        if (!cd_motion_names(v.data, 1, f->step, t.length, found->left_words, sizeof found->left_words))
            status = CARDAN_NO_MEMORY;
        cd_tangent_release(&t);
    }
    discard(&v);
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}

static bool reserve(fit* f, cd_arena* arena)
{
    for (int pass = 0; pass < 2; ++pass) {
        const size_t nv = (size_t)f->nv, n = (size_t)f->n, both = nv + n;
        CD_TAKE(arena, f->x, nv);
        CD_TAKE(arena, f->upper, nv);
        CD_TAKE(arena, f->lower, nv);
        CD_TAKE(arena, f->A, nv * n);
        CD_TAKE(arena, f->step, both);
        CD_TAKE(arena, f->scale, n);
        CD_TAKE(arena, f->before, n);
        CD_TAKE(arena, f->size, n);
        CD_TAKE(arena, f->sigma, both);
        CD_TAKE(arena, f->left, n * n);
        CD_TAKE(arena, f->right, nv * both);
        CD_TAKE(arena, f->N, n * n);
        CD_TAKE(arena, f->change, n);
        CD_TAKE(arena, f->trial, n);
        CD_TAKE(arena, f->pivot, n);
        CD_TAKE(arena, f->lapack, (size_t)(cd_lapack_svd_work(f->n, f->nv) + cd_lapack_rectangle_work(f->n, f->n)));
        if (pass == 0 && !cd_arena_reserve(arena)) return false;
    }
    return true;
}

cardan_status cardan_balance_find(cardan_variant_function make, void* user, int formulation, double t, int n,
                                  double* value, cardan_balance* found, cardan_report* report)
{
    fit            f = {.make = make, .user = user, .formulation = formulation, .n = n, .t = t, .report = report};
    cardan_balance unused;
    if (!found) found = &unused;
    *found = (cardan_balance){0};
    CD_REFUSE_NULL(make, "make", report);
    CD_REFUSE_NULL(value, "value", report);
    if (formulation != CARDAN_AUTO) CD_REFUSE_INDEX(formulation, cardan_formulation_count(), "formulation", report);
    if (!isfinite(t)) return cd_fail_not_finite(report, __func__, "t");
    if (n < 1 || n > MOST_VALUES)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_nowhere(),
                           "1 to %d values can be solved for, not %d", MOST_VALUES, n);
    if (!cd_are_finite(n, value)) return cd_fail_not_finite(report, __func__, "value");
    variant       v;
    cardan_status status = prepare(&f, value, &v);
    if (status == CARDAN_OK) f.nv = v.model->nv;
    discard(&v);
    if (status != CARDAN_OK) return status;
    cd_arena arena = {0};
    if (reserve(&f, &arena)) {
        memcpy(f.before, value, (size_t)n * sizeof *value);
        status = iterate(&f, value, found);
        if (status == CARDAN_OK && tell_left(&f, value, found) != CARDAN_OK)
            status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                                 "no memory to solve for %d values", n);
        if (status == CARDAN_OK && found->after > least_left &&
            (found->rank == 0 || found->after > fmax(most_left, nothing_gained * found->before)))
            status = cardan_fail(
                report, CARDAN_NOT_CONVERGED, CARDAN_CODE_TRIM_FAILED, cardan_nowhere(),
                found->rank == 0
                    ? "none of the values has an effect on the forces at the start: %.2g of those at work are left%s%s"
                    : "no values balance the start: %.2g of the forces at work are left%s%s; solve for others",
                found->after, found->left_words[0] ? " along " : "", found->left_words);
    } else {
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                             "no memory to solve for %d values", n);
    }
    cd_arena_release(&arena);
    return status;
}
