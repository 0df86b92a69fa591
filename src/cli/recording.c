// SPDX-License-Identifier: BSD-3-Clause
// Between rows a coordinate is the polynomial of degree five with the values, rates and accelerations of both rows, so
// that it is exact at rows and smooth to the second derivative. What was not recorded is the derivative of the parabola
// of fourth degree through the five nearest rows: of v for a, where v is known, else of q.
#include "cli/recording.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find_column(const cd_result_table* table, const char* joint, const char* what, int number)
{
    char name[300];
    snprintf(name, sizeof name, number > 0 ? "%s.%s%d" : "%s.%s", joint, what, number);
    return cd_results_find(table, name);
}

// First and second derivative at row k of the polynomial through `count` rows from `from` on: Newton's form,
// differentiated.
static void derivatives(const double* t, const double* x, long from, int count, long k, double* first, double* second)
{
    double d[5], p = 0, p1 = 0, p2 = 0;
    for (int i = 0; i < count; ++i) d[i] = x[from + i];
    for (int order = 1; order < count; ++order)
        for (int i = count - 1; i >= order; --i) d[i] = (d[i] - d[i - 1]) / (t[from + i] - t[from + i - order]);
    for (int i = count - 1; i >= 0; --i) { // Horner
        const double s = t[k] - t[from + i];
        p2             = p2 * s + 2 * p1;
        p1             = p1 * s + p;
        p              = p * s + d[i];
    }
    *first  = p1;
    *second = p2;
}

static void differentiate(const cd_recording* r, const double* x, double* first, double* second)
{
    const int count = r->nrow < 5 ? (int)r->nrow : 5;
    for (long k = 0; k < r->nrow; ++k) {
        long   from = k - count / 2;
        double a, b;
        if (from < 0) from = 0;
        if (from > r->nrow - count) from = r->nrow - count;
        derivatives(r->t, x, from, count, k, &a, &b);
        if (first) first[k] = a;
        if (second) second[k] = b;
    }
}

static cardan_status check_times(const cd_recording* r, const char* path, cardan_report* report)
{
    const cardan_place place = {.file = path};
    if (r->nrow < 3)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, place,
                           "a motion needs at least three rows, and this has %ld", r->nrow);
    for (long k = 0; k < r->nrow; ++k)
        if (!isfinite(r->t[k]) || (k > 0 && !(r->t[k] > r->t[k - 1])))
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, place,
                               "times must grow from row to row, and row %ld has t = %g s", k + 1, r->t[k]);
    for (int i = 0; i < r->n; ++i)
        for (long k = 0; k < r->nrow; ++k)
            if (!isfinite(r->q[i][k]) || !isfinite(r->v[i][k]) || !isfinite(r->a[i][k]))
                return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, place,
                                   "row %ld, t = %g s, has no value for a coordinate", k + 1, r->t[k]);
    return CARDAN_OK;
}

// Joints of the mechanism that the table has, coordinate by coordinate. Rotations by quaternions are no coordinates to
// drive.
static int collect(const cd_recording* r, const cd_case* c, cd_recording* into)
{
    int n = 0;
    for (int j = 0; j < c->look.njoint; ++j) {
        const cardan_slot slot = c->look.place[j];
        for (int i = 0; slot.q >= 0 && slot.nq == slot.nv && i < slot.nv; ++i) {
            const char* name   = cardan_model_joint_name(c->model, j);
            const int   number = slot.nv > 1 ? i + 1 : 0, q = find_column(r->table, name, "q", number);
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

static bool complete(cd_recording* r)
{
    const size_t n = (size_t)r->n, nrow = (size_t)r->nrow;
    r->coordinate = cd_allocate(n + 1, sizeof *r->coordinate);
    r->q          = cd_allocate(n + 1, sizeof *r->q);
    r->v          = cd_allocate(n + 1, sizeof *r->v);
    r->a          = cd_allocate(n + 1, sizeof *r->a);
    r->owned      = cd_allocate(2 * n * nrow + 1, sizeof *r->owned);
    return r->coordinate && r->q && r->v && r->a && r->owned;
}

static void fill_missing(cd_recording* r)
{
    for (int i = 0; i < r->n; ++i) {
        double *   own_v = r->owned + 2 * (size_t)i * (size_t)r->nrow, *own_a = own_v + r->nrow;
        const bool v = r->v[i], a = r->a[i];
        if (!v) r->v[i] = own_v;
        if (!a) r->a[i] = own_a;
        if (!v)
            differentiate(r, r->q[i], own_v, a ? NULL : own_a);
        else if (!a)
            differentiate(r, r->v[i], own_a, NULL);
    }
}

cardan_status cd_recording_open(const char* path, const cd_case* c, cd_recording* r, cardan_report* report)
{
    *r                        = (cd_recording){0};
    const cardan_place place  = {.file = path};
    cardan_status      status = cd_results_read(path, &r->table, report);
    if (status != CARDAN_OK) return status;
    const int t = cd_results_find(r->table, "t");
    r->nrow     = r->table->nrow;
    if (t < 0)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, place, "a motion needs a column t");
    r->t = r->table->value[t];
    r->n = collect(r, c, NULL);
    if (r->n == 0)
        return cardan_fail(
            report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, place,
            "no column is a coordinate of a joint of this mechanism: JOINT.q, or JOINT.q1, JOINT.q2 ...");
    if (!complete(r))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(), "out of memory");
    collect(r, c, r);
    if (r->nrow >= 2) fill_missing(r);
    return check_times(r, path, report);
}

void cd_recording_close(cd_recording* r)
{
    cd_results_destroy(r->table);
    free(r->coordinate);
    free(r->q);
    free(r->v);
    free(r->a);
    free(r->owned);
}

static long row_before(const cd_recording* r, double t)
{
    long low = 0, high = r->nrow - 2;
    while (low < high) {
        const long middle = (low + high + 1) / 2;
        if (r->t[middle] <= t)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void cd_recording_at(const cd_recording* r, int i, double t, double law[3])
{
    const long   k = row_before(r, t);
    const double h = r->t[k + 1] - r->t[k], s = (t - r->t[k]) / h;
    const double q0 = r->q[i][k], v0 = h * r->v[i][k], a0 = h * h * r->a[i][k];
    const double q1 = r->q[i][k + 1], v1 = h * r->v[i][k + 1], a1 = h * h * r->a[i][k + 1];
    const double d = q1 - q0 - v0 - a0 / 2, e = v1 - v0 - a0, f = a1 - a0;
    const double c3 = 10 * d - 4 * e + f / 2, c4 = -15 * d + 7 * e - f, c5 = 6 * d - 3 * e + f / 2;
    law[0] = q0 + s * (v0 + s * (a0 / 2 + s * (c3 + s * (c4 + s * c5))));
    law[1] = (v0 + s * (a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h;
    law[2] = (a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / (h * h);
}
