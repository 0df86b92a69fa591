// SPDX-License-Identifier: BSD-3-Clause
// Trim: values for which the start of a mechanism is an equilibrium. The unbalanced forces at the start, x = P U^-1 g
// (statics.h), as a function of the values only, are minimized in least squares by the Gauss-Newton method,
//
//   A = dx/dvalue by central differences,   columns scaled to 1: A = B D^-1,   B y = -x,  value <- value + D y
//
// with step halving. Lengths and preloads enter linearly, so that one step is enough. If columns are dependent,
// y = y0 + N z with B N = 0, and z minimizes the total change since the start relative to the scales of the values,
// |S^-1 (value + D y - start_value)|. The scale of a value is its magnitude at the start; if that is small, the change
// that alters the forces by force_scale.
#include "analysis/equilibrium/statics.h"
#include "analysis/analysis_tolerances.h"
#include "analysis/motion_description.h"

#include "core/check_arguments.h"
#include "dynamics/state.h"
#include "math/finite.h"
#include "math/lapack.h"

#include <cardan/analyse.h>
#include <cardan/assemble.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double difference_step = 1e-3; // relative to the value; absolute if the value is zero
enum { ITERATIONS = 30, MAX_HALVINGS = 12, MAX_VALUES = 200 };

cardan_status cardan_data_static_residual(cardan_data* d, double* residual, double* force_scale, cardan_report* report)
{
    CD_REQUIRE_POINTER(d, "data", report);
    CD_REQUIRE_ARRAY(residual, d->m->nv, "residual", report);
    cd_statics    s;
    cardan_status status = cd_statics_create(d, &s, report);
    if (status != CARDAN_OK) return status;
    if (!cd_statics_set_centre(&s) || !cd_statics_unbalanced_forces(&s, residual)) status = cd_statics_fail(&s, report);
    if (force_scale) *force_scale = s.force_scale;
    cd_statics_release(&s);
    return status;
}

typedef struct trim_problem {
    cardan_description_factory factory;
    void*                      user;
    int                        formulation, n, nv;
    double                     t, force_scale; // t [s]; force scale of the last evaluation [N m]
    double *                   x, *upper, *lower, *A, *step, *scale, *trial, *lapack;
    double *                   start_value, *value_scale; // (n) values at the start, their scales S
    double *                   sigma, *U, *Vt;            // (min(n, nv)), (n x n), (min(n, nv) x nv): B' = U sigma V'
    double *                   N, *change;                // (n x n), (n) of the minimum-norm change
    int*                       pivot;
    cardan_report*             report;
} trim_problem;

// Model compiled for given values, assembled at its start.
typedef struct model_variant {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
} model_variant;

static void release_variant(model_variant* v)
{
    cardan_data_destroy(v->data);
    cardan_model_destroy(v->model);
    cardan_description_destroy(v->description);
    *v = (model_variant){0};
}

static cardan_status create_variant(const trim_problem* f, const double* value, model_variant* v)
{
    *v                   = (model_variant){0};
    cardan_status status = f->factory(f->user, value, &v->description, f->report);
    if (status == CARDAN_OK)
        status =
            cardan_model_compile(v->description, cardan_formulation_tree_policy(f->formulation), &v->model, f->report);
    if (status == CARDAN_OK) status = cardan_data_create(v->model, f->formulation, &v->data, f->report);
    if (status == CARDAN_OK) status = cd_data_set_state(v->data, f->t, v->data->q, v->data->v, v->data->state);
    if (status == CARDAN_OK) status = cardan_data_assemble(v->data, NULL, NULL, NULL, NULL, f->report);
    return status;
}

static cardan_status evaluate(trim_problem* f, const double* value, double* x)
{
    model_variant v;
    cardan_status status = create_variant(f, value, &v);
    if (status == CARDAN_OK && v.model->nv != f->nv)
        status =
            cardan_fail(f->report, CARDAN_BAD_USAGE, CARDAN_CODE_PARAMETER_CHANGES_STRUCTURE, cardan_location_none(),
                        "the values of '%s' change its number of coordinates", v.model->view.name);
    if (status == CARDAN_OK) status = cardan_data_static_residual(v.data, x, &f->force_scale, f->report);
    release_variant(&v);
    return status;
}

static double norm(const trim_problem* f, const double* x)
{
    double sum = 0;
    for (int i = 0; i < f->nv; ++i) sum += x[i] * x[i];
    return sqrt(sum);
}

// Compute B and D; columns without effect are zero. B is stored by columns, which is B' by rows.
static cardan_status differentiate(trim_problem* f, double* value)
{
    cardan_status status = CARDAN_OK;
    for (int j = 0; j < f->n && status == CARDAN_OK; ++j) {
        const double saved = value[j], h = difference_step * (saved != 0 ? fabs(saved) : 1);
        double*      column = f->A + (size_t)j * (size_t)f->nv;
        value[j]            = saved + h;
        status              = evaluate(f, value, f->upper);
        value[j]            = saved - h;
        if (status == CARDAN_OK) status = evaluate(f, value, f->lower);
        value[j] = saved;
        for (int i = 0; i < f->nv; ++i) column[i] = (f->upper[i] - f->lower[i]) / (2 * h);
        const double size = norm(f, column);
        f->scale[j]       = size * h > cd_trim_sensitivity_tolerance * difference_step * f->force_scale ? 1 / size : 0;
        for (int i = 0; i < f->nv; ++i) column[i] *= f->scale[j];
    }
    return status;
}

// Set the scales of the values at the start.
static void compute_value_scales(trim_problem* f)
{
    for (int j = 0; j < f->n; ++j) {
        const double unit_effect = f->scale[j] * f->force_scale;
        f->value_scale[j] =
            fabs(f->start_value[j]) > cd_trim_small_value * unit_effect ? fabs(f->start_value[j]) : unit_effect;
        if (!(f->value_scale[j] > 0)) f->value_scale[j] = 1;
    }
}

// Compute the minimum-norm least-squares solution y (n) of B y = -x. Returns the rank, -1 on failure.
static int solve(trim_problem* f, double* y)
{
    const int most = f->n < f->nv ? f->n : f->nv;
    if (!cd_lapack_svd(f->n, f->nv, f->A, f->sigma, f->U, f->Vt, f->lapack)) return -1;
    int rank = 0;
    memset(y, 0, (size_t)f->n * sizeof *y);
    for (; rank < most && f->sigma[rank] > cd_analysis_rank_tolerance * f->sigma[0]; ++rank) {
        double sum = 0;
        for (int i = 0; i < f->nv; ++i) sum -= f->Vt[(size_t)rank * (size_t)f->nv + (size_t)i] * f->x[i];
        for (int j = 0; j < f->n; ++j) y[j] += f->U[(size_t)j * (size_t)f->n + (size_t)rank] * sum / f->sigma[rank];
    }
    return rank;
}

// y <- y + N z: minimize the total change relative to the scales of the values. Returns false on failure.
static bool min_norm_change(trim_problem* f, int rank, const double* value, double* y)
{
    const int nfree = f->n - rank;
    if (nfree == 0) return true;
    for (int j = 0; j < f->n; ++j) {
        const double part = f->scale[j] / f->value_scale[j];
        f->change[j]      = -(value[j] - f->start_value[j]) / f->value_scale[j] - part * y[j];
        for (int c = 0; c < nfree; ++c)
            f->N[(size_t)c * (size_t)f->n + (size_t)j] = part * f->U[(size_t)j * (size_t)f->n + (size_t)(rank + c)];
    }
    if (cd_lapack_least_squares_rectangular(f->n, nfree, f->N, f->change, cd_trim_null_space_tolerance, f->lapack,
                                            f->pivot) < 0)
        return false;
    for (int j = 0; j < f->n; ++j)
        for (int c = 0; c < nfree; ++c) y[j] += f->U[(size_t)j * (size_t)f->n + (size_t)(rank + c)] * f->change[c];
    return true;
}

// Do one Gauss-Newton step. *moved: change relative to the scales of the values, 0 if no step
// length reduces the residual.
static cardan_status gauss_newton_step(trim_problem* f, double* value, double* moved, int* rank)
{
    cardan_status status = differentiate(f, value);
    if (status != CARDAN_OK) return status;
    if (!(f->value_scale[0] > 0)) compute_value_scales(f);
    *rank = solve(f, f->step);
    if (*rank < 0 || !min_norm_change(f, *rank, value, f->step))
        return cardan_fail(f->report, CARDAN_NOT_FINITE, CARDAN_CODE_NOT_FINITE, cardan_location_none(),
                           "forces are not finite");
    const double before = fmax(norm(f, f->x), cd_trim_balance_tolerance * f->force_scale);
    double       factor = 1;
    for (int i = 0; i < MAX_HALVINGS; ++i, factor /= 2) {
        *moved = 0;
        for (int j = 0; j < f->n; ++j) {
            const double change = factor * f->step[j] * f->scale[j];
            f->trial[j]         = value[j] + change;
            *moved              = fmax(*moved, fabs(change) / f->value_scale[j]);
        }
        cardan_report* const report = f->report;
        f->report                   = NULL; // a failed evaluation only shortens the step
        status                      = evaluate(f, f->trial, f->upper);
        f->report                   = report;
        if (status == CARDAN_NO_MEMORY)
            return cardan_fail(f->report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                               "out of memory while solving for %d values", f->n);
        if (status != CARDAN_OK || !(norm(f, f->upper) < before)) continue;
        memcpy(value, f->trial, (size_t)f->n * sizeof *value);
        memcpy(f->x, f->upper, (size_t)f->nv * sizeof *f->x);
        return CARDAN_OK;
    }
    *moved = 0;
    return CARDAN_OK;
}

static cardan_status iterate(trim_problem* f, double* value, cardan_trim* trim)
{
    cardan_status status  = evaluate(f, value, f->x);
    trim->residual_before = trim->residual_after = norm(f, f->x) / f->force_scale;
    double moved                                 = 1;
    while (status == CARDAN_OK && moved > cd_trim_min_change &&
           (trim->residual_after > cd_trim_balance_tolerance || trim->iterations == 0 ||
            (trim->rank < f->n && moved > cd_trim_change_tolerance))) {
        if (trim->iterations == ITERATIONS && trim->residual_after <= cd_trim_balance_tolerance) break;
        if (trim->iterations == ITERATIONS)
            return cardan_fail(
                f->report, CARDAN_NOT_CONVERGED, CARDAN_CODE_TRIM_FAILED, cardan_location_none(),
                "the values did not converge in %d iterations: a residual of %.2g of the force scale remains",
                ITERATIONS, trim->residual_after);
        status               = gauss_newton_step(f, value, &moved, &trim->rank);
        trim->residual_after = norm(f, f->x) / f->force_scale;
        ++trim->iterations;
    }
    return status;
}

// Describe the motion along which a residual remains.
static cardan_status describe_residual(trim_problem* f, const double* value, cardan_trim* trim)
{
    model_variant v;
    if (trim->residual_after < cd_trim_residual_tolerance) return CARDAN_OK;
    cd_tangent_space t;
    cardan_status    status = create_variant(f, value, &v);
    if (status == CARDAN_OK && (status = cd_tangent_space_create(v.data, &t, NULL)) == CARDAN_OK) {
        for (int i = 0; i < f->nv; ++i) f->step[i] = f->x[i] / t.unit[i];
        if (!cd_describe_motions(v.data, 1, f->step, t.length, trim->residual_description,
                                 sizeof trim->residual_description))
            status = CARDAN_NO_MEMORY;
        cd_tangent_space_release(&t);
    }
    release_variant(&v);
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}

static bool reserve(trim_problem* f, cd_arena* arena)
{
    for (int pass = 0; pass < 2; ++pass) {
        const size_t nv = (size_t)f->nv, n = (size_t)f->n, both = nv + n;
        CD_ARENA_ARRAY(arena, f->x, nv);
        CD_ARENA_ARRAY(arena, f->upper, nv);
        CD_ARENA_ARRAY(arena, f->lower, nv);
        CD_ARENA_ARRAY(arena, f->A, nv * n);
        CD_ARENA_ARRAY(arena, f->step, both);
        CD_ARENA_ARRAY(arena, f->scale, n);
        CD_ARENA_ARRAY(arena, f->start_value, n);
        CD_ARENA_ARRAY(arena, f->value_scale, n);
        CD_ARENA_ARRAY(arena, f->sigma, both);
        CD_ARENA_ARRAY(arena, f->U, n * n);
        CD_ARENA_ARRAY(arena, f->Vt, nv * both);
        CD_ARENA_ARRAY(arena, f->N, n * n);
        CD_ARENA_ARRAY(arena, f->change, n);
        CD_ARENA_ARRAY(arena, f->trial, n);
        CD_ARENA_ARRAY(arena, f->pivot, n);
        CD_ARENA_ARRAY(
            arena, f->lapack,
            (size_t)(cd_lapack_svd_work(f->n, f->nv) + cd_lapack_least_squares_rectangular_work(f->n, f->n)));
        if (pass == 0 && !cd_arena_reserve(arena)) return false;
    }
    return true;
}

cardan_status cardan_trim_solve(cardan_description_factory factory, void* user, int formulation, double t, int n,
                                double* value, cardan_trim* trim, cardan_report* report)
{
    trim_problem f = {.factory = factory, .user = user, .formulation = formulation, .n = n, .t = t, .report = report};
    cardan_trim  unused;
    if (!trim) trim = &unused;
    *trim = (cardan_trim){0};
    CD_REQUIRE_POINTER(factory, "factory", report);
    CD_REQUIRE_POINTER(value, "value", report);
    if (formulation != CARDAN_FORMULATION_AUTO)
        CD_REQUIRE_INDEX(formulation, cardan_formulation_count(), "formulation", report);
    if (!isfinite(t)) return cd_fail_not_finite(report, __func__, "t");
    if (n < 1 || n > MAX_VALUES)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "the number of values to solve for must be 1 to %d, not %d", MAX_VALUES, n);
    if (!cd_all_finite(n, value)) return cd_fail_not_finite(report, __func__, "value");
    model_variant v;
    cardan_status status = create_variant(&f, value, &v);
    if (status == CARDAN_OK) f.nv = v.model->nv;
    release_variant(&v);
    if (status != CARDAN_OK) return status;
    cd_arena arena = {0};
    if (reserve(&f, &arena)) {
        memcpy(f.start_value, value, (size_t)n * sizeof *value);
        status = iterate(&f, value, trim);
        if (status == CARDAN_OK && describe_residual(&f, value, trim) != CARDAN_OK)
            status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                                 "out of memory while solving for %d values", n);
        if (status == CARDAN_OK && trim->residual_after > cd_trim_residual_tolerance &&
            (trim->rank == 0 ||
             trim->residual_after > fmax(cd_trim_max_residual, cd_trim_min_reduction * trim->residual_before)))
            status = cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_TRIM_FAILED, cardan_location_none(),
                                 trim->rank == 0 ? "none of the values has an effect on the forces at the start: a "
                                                   "residual of %.2g of the force scale remains%s%s"
                                                 : "no values balance the start: a residual of %.2g of the force scale "
                                                   "remains%s%s; solve for other values",
                                 trim->residual_after, trim->residual_description[0] ? " along " : "",
                                 trim->residual_description);
    } else {
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                             "out of memory while solving for %d values", n);
    }
    cd_arena_release(&arena);
    return status;
}
