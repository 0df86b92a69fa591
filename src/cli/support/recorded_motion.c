// SPDX-License-Identifier: BSD-3-Clause
// Interpolation of a recorded motion. Between samples a coordinate is the quintic Hermite polynomial with values, rates
// and accelerations of both samples: exact at the samples and twice continuously differentiable. Rates and
// accelerations that are not recorded are derivatives of the polynomial of degree four through the five nearest
// samples: a from v if v is recorded, else from q.
#include "cli/support/recorded_motion.h"
#include "io/results/result_units.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find_column(const cd_result_table* table, const char* joint, const char* what, int number)
{
    char name[300];
    snprintf(name, sizeof name, number > 0 ? "%s.%s%d" : "%s.%s", joint, what, number);
    return cd_result_table_find_column(table, name);
}

// First and second derivative at sample k of the polynomial through `count` samples from `from` on, in Newton form.
static void derivatives(const double* t, const double* x, long from, int count, long k, double* first, double* second)
{
    double d[5], p = 0, p1 = 0, p2 = 0;
    for (int i = 0; i < count; ++i) d[i] = x[from + i];
    for (int order = 1; order < count; ++order)
        for (int i = count - 1; i >= order; --i) d[i] = (d[i] - d[i - 1]) / (t[from + i] - t[from + i - order]);
    for (int i = count - 1; i >= 0; --i) { // Horner scheme
        const double s = t[k] - t[from + i];
        p2             = p2 * s + 2 * p1;
        p1             = p1 * s + p;
        p              = p * s + d[i];
    }
    *first  = p1;
    *second = p2;
}

static void differentiate(const cd_recorded_motion* r, const double* x, double* first, double* second)
{
    const int count = r->nsample < 5 ? (int)r->nsample : 5;
    for (long k = 0; k < r->nsample; ++k) {
        long   from = k - count / 2;
        double a, b;
        if (from < 0) from = 0;
        if (from > r->nsample - count) from = r->nsample - count;
        derivatives(r->t, x, from, count, k, &a, &b);
        if (first) first[k] = a;
        if (second) second[k] = b;
    }
}

static cardan_status check_times(const cd_recorded_motion* r, const char* path, cardan_report* report)
{
    const cardan_location location = {.file = path};
    if (r->nsample < 3)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, location,
                           "a recorded motion needs at least three samples; the file has %ld", r->nsample);
    for (long k = 0; k < r->nsample; ++k)
        if (!isfinite(r->t[k]) || (k > 0 && !(r->t[k] > r->t[k - 1])))
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, location,
                               "times must increase from row to row; row %ld has t = %g s", k + 1, r->t[k]);
    for (int i = 0; i < r->ncoordinate; ++i)
        for (long k = 0; k < r->nsample; ++k)
            if (!isfinite(r->q[i][k]) || !isfinite(r->v[i][k]) || !isfinite(r->a[i][k]))
                return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, location,
                                   "row %ld, t = %g s: the value of a coordinate is missing", k + 1, r->t[k]);
    return CARDAN_OK;
}

// Match the columns of the table with joint coordinates. Quaternions are skipped: they cannot be driven by coordinates.
static int match_columns(const cd_recorded_motion* r, const cd_model_instance* c, cd_recorded_motion* into)
{
    int n = 0;
    for (int j = 0; j < c->model_view.njoint; ++j) {
        const cardan_index_range range = c->model_view.joint_range[j];
        for (int i = 0; range.q >= 0 && range.nq == range.nv && i < range.nv; ++i) {
            const char* name   = cardan_model_joint_name(c->model, j);
            const int   number = range.nv > 1 ? i + 1 : 0, q = find_column(r->table, name, "q", number);
            if (q < 0) continue;
            if (into) {
                const int v = find_column(r->table, name, "v", number), a = find_column(r->table, name, "a", number);
                into->coordinate[n] = (cardan_motor){j, i};
                into->q[n]          = r->table->value[q];
                into->v[n]          = v < 0 ? NULL : r->table->value[v];
                into->a[n]          = a < 0 ? NULL : r->table->value[a];
            }
            ++n;
        }
    }
    return n;
}

static bool allocate_motion(cd_recorded_motion* r)
{
    const size_t n = (size_t)r->ncoordinate, nrow = (size_t)r->nsample;
    r->coordinate = cd_allocate(n + 1, sizeof *r->coordinate);
    r->q          = cd_allocate(n + 1, sizeof *r->q);
    r->v          = cd_allocate(n + 1, sizeof *r->v);
    r->a          = cd_allocate(n + 1, sizeof *r->a);
    r->derived    = cd_allocate(2 * n * nrow + 1, sizeof *r->derived);
    return r->coordinate && r->q && r->v && r->a && r->derived;
}

static void differentiate_missing(cd_recorded_motion* r)
{
    for (int i = 0; i < r->ncoordinate; ++i) {
        double *   own_v = r->derived + 2 * (size_t)i * (size_t)r->nsample, *own_a = own_v + r->nsample;
        const bool v = r->v[i], a = r->a[i];
        if (!v) r->v[i] = own_v;
        if (!a) r->a[i] = own_a;
        if (!v)
            differentiate(r, r->q[i], own_v, a ? NULL : own_a);
        else if (!a)
            differentiate(r, r->v[i], own_a, NULL);
    }
}

cardan_status cd_recorded_motion_open(const char* path, const cd_model_instance* c, cd_recorded_motion* r,
                                      cardan_report* report)
{
    *r                             = (cd_recorded_motion){0};
    const cardan_location location = {.file = path};
    cardan_status         status   = cd_result_table_read(path, &r->table, report);
    if (status != CARDAN_OK) return status;
    cd_result_table_to_si(r->table);
    const int t = cd_result_table_find_column(r->table, "t");
    r->nsample  = r->table->nsample;
    if (t < 0)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, location,
                           "a recorded motion needs a column t");
    r->t           = r->table->value[t];
    r->ncoordinate = match_columns(r, c, NULL);
    if (r->ncoordinate == 0)
        return cardan_fail(
            report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, location,
            "no column has the name of a joint coordinate of this mechanism: JOINT.q, or JOINT.q1, JOINT.q2 ...");
    if (!allocate_motion(r))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory");
    match_columns(r, c, r);
    if (r->nsample >= 2) differentiate_missing(r);
    return check_times(r, path, report);
}

void cd_recorded_motion_close(cd_recorded_motion* r)
{
    cd_result_table_destroy(r->table);
    free(r->coordinate);
    free(r->q);
    free(r->v);
    free(r->a);
    free(r->derived);
}

static long sample_before(const cd_recorded_motion* r, double t)
{
    long low = 0, high = r->nsample - 2;
    while (low < high) {
        const long middle = (low + high + 1) / 2;
        if (r->t[middle] <= t)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void cd_recorded_motion_evaluate(const cd_recorded_motion* r, int i, double t, double motion[3])
{
    const long   k = sample_before(r, t);
    const double h = r->t[k + 1] - r->t[k], s = (t - r->t[k]) / h;
    const double q0 = r->q[i][k], v0 = h * r->v[i][k], a0 = h * h * r->a[i][k];
    const double q1 = r->q[i][k + 1], v1 = h * r->v[i][k + 1], a1 = h * h * r->a[i][k + 1];
    const double d = q1 - q0 - v0 - a0 / 2, e = v1 - v0 - a0, f = a1 - a0;
    const double c3 = 10 * d - 4 * e + f / 2, c4 = -15 * d + 7 * e - f, c5 = 6 * d - 3 * e + f / 2;
    motion[0] = q0 + s * (v0 + s * (a0 / 2 + s * (c3 + s * (c4 + s * c5))));
    motion[1] = (v0 + s * (a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h;
    motion[2] = (a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / (h * h);
}
