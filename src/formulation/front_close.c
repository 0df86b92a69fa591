// SPDX-License-Identifier: BSD-3-Clause
// What a front leaves when its link is gone: the parent in slot 0, rows that still say something, packed on the stack.
#include "formulation/front.h"

#include <math.h>
#include <string.h>

// V(link) = V(parent) moved by d:  v = v(parent) - d x w.  Right, then left, on the unknowns of slot 0.
void cd_front_pass(const cardan_model* m, const cd_reducing* w, const cd_front* x)
{
    const int parent = w->f.up[x->link];
    (void)m;
    if (parent < 0) return;
    const vec3 d = v3_sub(w->pose[x->link].p, w->pose[parent].p);
    for (int i = 0; i < x->n + x->nrow; ++i) {
        real*      row = i < x->n ? x->W + i * x->stride : x->R + (i - x->n) * x->stride;
        const vec3 c   = v3_cross(d, v3(row[3], row[4], row[5]));
        row[0] = r_add(row[0], c.x), row[1] = r_add(row[1], c.y), row[2] = r_add(row[2], c.z);
    }
    real *a = x->W, *l = x->W + 3 * x->stride;
    for (int j = 0; j < x->n; ++j) {
        const vec3 c      = v3_cross(d, v3(l[j], l[x->stride + j], l[2 * x->stride + j]));
        a[j]              = r_add(a[j], c.x);
        a[x->stride + j]  = r_add(a[x->stride + j], c.y);
        a[2 * x->stride + j] = r_add(a[2 * x->stride + j], c.z);
    }
    a[x->stride] = a[1], a[2 * x->stride] = a[2], a[2 * x->stride + 1] = a[x->stride + 2];  // symmetric to the last bit
}

// Size of what a row still says about unknown `from` of the front.
static double left_of(const cd_reducing* w, const cd_front* x, const real* row, int from)
{
    const double c = fabs(r_value(row[from]));
    if (from >= x->n6) return c / w->scale[w->scalar[w->first_scalar[x->k] + from - x->n6]];
    return from % 6 < 3 ? c / w->length : c;
}

// Rows that have nothing left to say are dropped: they repeat others.
static void drop_rows(cd_reducing* w, cd_front* x, int n, const int* from)
{
    for (int i = x->nrow - 1; i >= 0; --i) {
        double most = 0;
        for (int j = 0; j < n; ++j) most = fmax(most, left_of(w, x, x->R + i * x->stride, from[j]));
        if (most > cd_row_vanished * w->row_scale[w->open[i]]) continue;
        if (w->learned) w->idle[w->open[i]] = true;
        --x->nrow;
        w->open[i] = w->open[x->nrow];
        memmove(x->R + i * x->stride, x->R + x->nrow * x->stride, (size_t)x->stride * sizeof *x->R);
    }
}

// More open rows than unknowns depend on each other: elimination on a copy tells which can go.
static void thin_rows(cd_reducing* w, cd_front* x, int n, const int* from)
{
    int    left = x->nrow;
    real*  C    = w->copy;
    for (int i = 0; i < x->nrow; ++i)
        for (int j = 0; j < n; ++j) {
            const real* row = x->R + i * x->stride;
            C[i * n + j]    = r_lift(left_of(w, x, row, from[j]) * (r_value(row[from[j]]) < 0 ? -1 : 1) / w->row_scale[w->open[i]]);
        }
    for (int done = 0; done < left; ++done) {
        int row = done, at = 0;
        for (int i = done; i < left; ++i)
            for (int j = 0; j < n; ++j)
                if (fabs(r_value(C[i * n + j])) > fabs(r_value(C[row * n + at]))) row = i, at = j;
        if (!(fabs(r_value(C[row * n + at])) > cd_row_vanished)) {
            for (int i = done; i < left; ++i)
                if (w->learned) w->idle[w->open[i]] = true;
            x->nrow = done;
            return;
        }
        for (int j = 0; row != done && j < n; ++j) {
            const real c      = C[row * n + j];
            C[row * n + j]  = C[done * n + j];
            C[done * n + j] = c;
        }
        for (int j = 0; row != done && j < x->n; ++j) {
            const real c                = x->R[row * x->stride + j];
            x->R[row * x->stride + j]  = x->R[done * x->stride + j];
            x->R[done * x->stride + j] = c;
        }
        const int id  = w->open[row];
        w->open[row]  = w->open[done];
        w->open[done] = id;
        for (int i = done + 1; i < left; ++i) {
            const real f = r_div(C[i * n + at], C[done * n + at]);
            for (int j = 0; j < n; ++j) C[i * n + j] = j == at ? r_lift(0) : r_sub(C[i * n + j], r_mul(f, C[done * n + j]));
        }
    }
}

// What is left goes on the stack: unknowns that are still there, packed.
void cd_front_close(cd_reducing* w, cd_front* x, size_t* top, int* rows_below)
{
    int  n    = 0;
    int* from = w->to;
    for (int s = w->f.first_slot[x->k]; s < w->f.first_slot[x->k + 1]; ++s)
        for (int j = 0; w->f.slot_to[s] >= 0 && j < 6; ++j) from[n++] = 6 * (s - w->f.first_slot[x->k]) + j;
    w->nsurvive[x->k] = 0;
    for (int s = 0; s < x->nscalar; ++s)
        if (w->survives[w->first_scalar[x->k] + s]) {
            from[n++] = x->n6 + s;
            ++w->nsurvive[x->k];
        }
    drop_rows(w, x, n, from);
    if (x->nrow > 0 && (w->learned || x->nrow > n)) thin_rows(w, x, n, from);
    real* U = w->stack + *top;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) *U++ = x->W[from[i] * x->stride + from[j]];
    for (int i = 0; i < x->nrow; ++i) {
        w->open_below[(*rows_below)++] = w->open[i];
        for (int j = 0; j < n; ++j) *U++ = x->R[i * x->stride + from[j]];
    }
    w->nopen[x->k] = x->nrow;
    *top += (size_t)((n + x->nrow) * n);
}
